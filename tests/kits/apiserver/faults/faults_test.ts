import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Fault } from "../../../../lib/kits/apiserver/mod.ts";
import { type Api, createApi } from "../api.ts";

const MAPS = "/api/v1/namespaces/default/secrets";
const RESET = { code: "ECONNRESET" };

function map(name: string): object {
  return { metadata: { name, annotations: { a: "ä" } } };
}

async function codes(api: Api, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i++) found.push((await api.call("GET", MAPS)).code);
  return found;
}

/** The lines that come of a watch, and how it ends. */
async function read(api: Api, fault: Fault, seconds = 5): Promise<{ types: string[]; end: string }> {
  for (const name of ["a", "b", "c"]) await api.call("POST", MAPS, map(name));
  api.server.faults.inject({ verbs: ["watch"], fault });
  const response = await api.server.fetch(new Request(`https://a.test${MAPS}?watch=1`));
  assert.ok(response.body);
  const reader = response.body.getReader();
  let text = "";
  let end = "open";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pump = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return void (end = "ended");
      text += decoder.decode(value, { stream: true });
    }
  };
  pump().catch((error) => end = error.code ?? error.message);
  await api.host.clock.advance(seconds);
  const lines = text.split("\n").filter((line) => line !== "");
  const types = lines.map((line) => {
    try {
      const { type, object } = JSON.parse(line);
      return `${type} ${object.metadata.name ?? object.code}`;
    } catch {
      return "half a line";
    }
  });
  return { types, end };
}

describe("Faults", () => {
  it("strike the requests that they are meant for, as often as they say, and no others", async () => {
    const api = createApi();
    const { faults } = api.server;
    const injected = faults.inject({
      verbs: ["list"],
      resource: "secrets",
      namespace: "default",
      times: 2,
      fault: { type: "refuse", code: 429, retryAfter: 7 },
    });
    assert.equal((await api.call("GET", "/api/v1/namespaces/default/services")).code, 200);
    assert.equal((await api.call("GET", `${MAPS}/x`)).code, 404);
    assert.deepEqual([injected.struck, injected.left, faults.waiting], [0, 2, 2]);
    const { body, code, headers } = await api.call("GET", MAPS);
    assert.deepEqual([code, body.reason, headers.get("retry-after")], [429, "TooManyRequests", "7"]);
    assert.equal(body.details.retryAfterSeconds, 7);
    assert.deepEqual(await codes(api, 2), [429, 200]);
    assert.deepEqual([injected.struck, faults.waiting, faults.strikes.length], [2, 0, 2]);
    assert.equal(faults.strikes[0]?.request.resource, "secrets");
  });

  it("let discovery, health and versions through, unless they are asked about", async () => {
    const api = createApi();
    api.server.faults.inject({ times: Infinity, fault: { type: "refuse", code: 503 } });
    for (const path of ["/version", "/apis", "/healthz"]) {
      assert.equal((await api.call("GET", path)).code, 200);
    }
    assert.deepEqual(await codes(api, 1), [503]);
    api.server.faults.inject({
      when: ({ path }) => path === "/version",
      fault: { type: "refuse", code: 500 },
    });
    assert.equal((await api.call("GET", "/version")).code, 500);
  });

  it("are taken back, one or all", async () => {
    const api = createApi();
    const fault = { type: "refuse", code: 500 } as const;
    {
      using _injected = api.server.faults.inject({ times: Infinity, fault });
      assert.deepEqual(await codes(api, 1), [500]);
    }
    assert.deepEqual(await codes(api, 1), [200]);
    api.server.faults.inject({ fault });
    api.server.faults.clear();
    assert.deepEqual(await codes(api, 1), [200]);
  });

  it("strike one client by its user agent, and not the others", async () => {
    const api = createApi();
    api.server.faults.inject({ userAgent: "lotse", fault: { type: "refuse", code: 500 } });
    assert.equal((await api.call("GET", MAPS, undefined, { "user-agent": "kubectl/1" })).code, 200);
    assert.equal((await api.call("GET", MAPS, undefined, { "user-agent": "lotse/1" })).code, 500);
  });

  it("come before a write is applied, or after: then its client does not know", async () => {
    const api = createApi();
    const { faults } = api.server;
    faults.inject({ verbs: ["create"], fault: { type: "refuse", code: 500 } });
    assert.equal((await api.call("POST", MAPS, map("a"))).code, 500);
    assert.equal((await api.call("GET", `${MAPS}/a`)).code, 404);
    faults.inject({ verbs: ["create"], fault: { type: "refuse", code: 500, when: "after" } });
    assert.equal((await api.call("POST", MAPS, map("a"))).code, 500);
    assert.equal((await api.call("GET", `${MAPS}/a`)).code, 200);
    faults.inject({ verbs: ["create"], fault: { type: "reset", when: "after" } });
    await assert.rejects(api.call("POST", MAPS, map("b")), RESET);
    assert.equal((await api.call("GET", `${MAPS}/b`)).code, 200);
    faults.inject({ verbs: ["create"], fault: { type: "reset" } });
    await assert.rejects(api.call("POST", MAPS, map("c")), RESET);
    assert.equal((await api.call("GET", `${MAPS}/c`)).code, 404);
  });

  it("delay, and let another one strike afterwards", async () => {
    const api = createApi();
    const { faults } = api.server;
    faults.inject({ times: Infinity, seed: 3, fault: { type: "delay", seconds: [1, 2] } });
    faults.inject({ fault: { type: "refuse", code: 409 } });
    let code: number | undefined;
    const asked = api.call("GET", MAPS).then((reply) => code = reply.code);
    await api.host.clock.advance(0.99);
    assert.equal(code, undefined);
    await api.host.clock.advance(1.01);
    await asked;
    assert.equal(code, 409);
  });

  it("are the same for the same seed, and others for another one", async () => {
    const run = async (seed: number) => {
      const api = createApi();
      const choices = [{ type: "refuse", code: 500 }, { type: "refuse", code: 503 }] as const;
      api.server.faults.inject({ times: Infinity, rate: 0.5, seed, fault: choices });
      return await codes(api, 30);
    };
    const first = await run(1);
    assert.deepEqual(await run(1), first);
    assert.notDeepEqual(await run(2), first);
    assert.deepEqual([...new Set(first)].sort(), [200, 500, 503]);
  });

  it("cut a watch after so many lines, within one, or within a character", async () => {
    const two = ["ADDED a", "ADDED b"];
    assert.deepEqual(await read(createApi(), { type: "cut", lines: 2 }), { types: two, end: "ECONNRESET" });
    assert.deepEqual(await read(createApi(), { type: "cut", lines: 2, how: "end" }), {
      types: two,
      end: "ended",
    });
    assert.deepEqual(await read(createApi(), { type: "cut", lines: 1, where: "line" }), {
      types: ["ADDED a", "half a line"],
      end: "ECONNRESET",
    });
    // The decoder stumbles over half a character when the stream ends there.
    const halved = await read(createApi(), { type: "cut", where: "character", how: "end" });
    assert.deepEqual(halved.types, ["half a line"]);
  });

  it("end a watch with an ERROR event, fall silent, are behind, repeat and change the order", async () => {
    assert.deepEqual((await read(createApi(), { type: "error-event", code: 410, lines: 1 })).types, [
      "ADDED a",
      "ERROR 410",
    ]);
    assert.deepEqual(await read(createApi(), { type: "silence", lines: 1 }), {
      types: ["ADDED a"],
      end: "open",
    });
    assert.deepEqual((await read(createApi(), { type: "lag", seconds: 2 }, 5)).types, ["ADDED a", "ADDED b"]);
    assert.deepEqual((await read(createApi(), { type: "duplicate" })).types.slice(0, 3), [
      "ADDED a",
      "ADDED a",
      "ADDED b",
    ]);
    assert.deepEqual((await read(createApi(), { type: "reorder" })).types, ["ADDED b", "ADDED a", "ADDED c"]);
  });

  it("never answer, until the client goes away", async () => {
    const api = createApi();
    api.server.faults.inject({ verbs: ["list"], fault: { type: "silence" } });
    const gone = new AbortController();
    const asked = api.server.fetch(new Request(`https://a.test${MAPS}`, { signal: gone.signal }));
    let isAnswered = false;
    asked.then(() => isAnswered = true, () => {});
    await api.host.clock.advance(1000);
    assert.equal(isAnswered, false);
    gone.abort();
    await assert.rejects(asked, RESET);
  });

  it("answer something else", async () => {
    const api = createApi();
    const fault = { type: "answer", body: "<html>", contentType: "text/html", code: 502 } as const;
    api.server.faults.inject({ fault });
    const { code, body, headers } = await api.call("GET", MAPS);
    assert.deepEqual([code, body, headers.get("content-type")], [502, "<html>", "text/html"]);
  });
});

describe("restart()", () => {
  it("ends watches, breaks connections for a while, and keeps what was written", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, map("a"));
    const watch = await api.watch(`${MAPS}?watch=1`);
    const { resourceVersion } = api.server;
    api.server.restart({ downFor: 5, compact: true });
    await api.host.clock.settle();
    assert.equal(watch.ended, true);
    await assert.rejects(api.call("GET", "/version"), RESET);
    await api.host.clock.advance(5);
    assert.equal((await api.ok("GET", `${MAPS}/a`)).metadata.annotations.a, "ä");
    await api.ok("POST", MAPS, map("b"));
    const old = await api.watch(`${MAPS}?watch=1&resourceVersion=${Number(resourceVersion) - 1}`);
    assert.deepEqual(await old.take(), ["ERROR 410"]);
  });
});
