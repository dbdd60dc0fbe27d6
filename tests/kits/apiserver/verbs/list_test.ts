import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setImmediate } from "node:timers";
import { type Answer, type Api, createApi, MERGE } from "../api.ts";

const SECRETS = "/api/v1/namespaces/default/secrets";

function names(list: Answer): string[] {
  return list.items.map(({ metadata }: Answer) => metadata.name);
}

async function fill(api: Api, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await api.ok("POST", SECRETS, { metadata: { name: `m${i}`, labels: { even: String(i % 2 === 0) } } });
  }
}

describe("A long list", () => {
  it("lets others have their turn between its pieces", async () => {
    const api = createApi();
    const text = "x".repeat(500_000);
    for (let i = 0; i < 4; i++) {
      await api.ok("POST", SECRETS, { metadata: { name: `m${i}` }, data: { text } });
    }
    const { body } = await api.server.fetch(new Request(`https://api.test${SECRETS}`));
    assert.ok(body);
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    turn();
    for await (const _ of body);
    isOver = true;
    assert.ok(turns >= 4, `${turns} turns`);
  });
});

describe("A list of thousands", () => {
  const count = 1200;
  let api: Api;
  before(async () => {
    api = createApi();
    // What each namespace has is made first, so that no write comes between two lists.
    await api.host.clock.settle();
    for (let i = 0; i < count; i++) {
      const metadata = { name: `s${String(i).padStart(4, "0")}` };
      const secret = { metadata, type: i % 1000 === 7 ? "rare" : "common", data: { text: "A".repeat(900) } };
      await api.ok("POST", SECRETS, secret);
    }
  });
  const fetch = (query = "", headers = {}) =>
    api.server.fetch(new Request(`https://api.test${SECRETS}${query}`, { headers }));

  for (
    const [form, accept] of [
      ["objects", "application/json"],
      ["metadata", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"],
      ["a table", "application/json;as=Table;g=meta.k8s.io;v=v1"],
    ] as const
  ) {
    it(`comes in pieces as ${form}, which are the same as the whole`, async () => {
      const response = await fetch("", { accept });
      const pieces: Uint8Array[] = [];
      for await (const piece of response.body ?? []) pieces.push(piece);
      assert.ok(pieces.length > 1, `${pieces.length} pieces`);
      const whole = await (await fetch("?pretty=1", { accept })).json();
      assert.deepEqual(await new Response(new Blob(pieces as BlobPart[])).json(), whole);
    });
  }

  it("is searched by a field selector in pieces, and shows what was there when it was asked for", async () => {
    const ends: string[] = [];
    const search = fetch("?fieldSelector=type=rare").then((response) => {
      ends.push("search");
      return response.json();
    });
    await api.ok("DELETE", `${SECRETS}/s1007`);
    ends.push("deletion");
    assert.deepEqual(names(await search), ["s0007", "s1007"]);
    assert.deepEqual(ends, ["deletion", "search"]);
    assert.deepEqual(names(await (await fetch("?fieldSelector=type=rare")).json()), ["s0007"]);
  });

  it("is searched page by page", async () => {
    const first = await (await fetch("?fieldSelector=type=common&limit=2")).json();
    assert.deepEqual(names(first), ["s0000", "s0001"]);
    const next = `?fieldSelector=type=common&limit=700&continue=${first.metadata.continue}`;
    const second = await (await fetch(next)).json();
    assert.deepEqual([second.items.length, second.items[0].metadata.name], [700, "s0002"]);
    const third = await (await fetch(next.replace(/continue=.*/, `continue=${second.metadata.continue}`)))
      .json();
    assert.deepEqual([names(third).at(-1), third.metadata.continue], ["s1199", undefined]);
    assert.equal(2 + 700 + third.items.length, count - 2);
  });
});

describe("A list in pages", () => {
  it("shows the version of its first page, whatever happens meanwhile", async () => {
    const api = createApi();
    await fill(api, 5);
    const first = await api.ok("GET", `${SECRETS}?limit=2`);
    assert.deepEqual(names(first), ["m0", "m1"]);
    assert.equal(first.metadata.remainingItemCount, 3);
    await api.ok("DELETE", `${SECRETS}/m2`);
    await api.ok("POST", SECRETS, { metadata: { name: "m2a" } });
    await api.ok("PATCH", `${SECRETS}/m3`, { data: { later: "eWVz" } }, MERGE);
    const second = await api.ok("GET", `${SECRETS}?limit=2&continue=${first.metadata.continue}`);
    assert.deepEqual(names(second), ["m2", "m3"]);
    assert.equal(second.items[1].data, undefined, "m3 as it was");
    assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
    const third = await api.ok("GET", `${SECRETS}?limit=2&continue=${second.metadata.continue}`);
    assert.deepEqual(names(third), ["m4"]);
    assert.equal(third.metadata.continue, undefined);
    assert.deepEqual(names(await api.ok("GET", SECRETS)), ["m0", "m1", "m2a", "m3", "m4"]);
  });

  it("fills pages with what a selector selects, and then does not count the rest", async () => {
    const api = createApi();
    await fill(api, 5);
    const first = await api.ok("GET", `${SECRETS}?limit=2&labelSelector=even%3Dtrue`);
    assert.deepEqual(names(first), ["m0", "m2"]);
    assert.equal(first.metadata.remainingItemCount, undefined);
    const rest = await api.ok(
      "GET",
      `${SECRETS}?limit=2&labelSelector=even%3Dtrue&continue=${first.metadata.continue}`,
    );
    assert.deepEqual([names(rest), rest.metadata.continue], [["m4"], undefined]);
  });

  it("comes whole from the cache, when resourceVersion=0 asks for that", async () => {
    const api = createApi();
    await fill(api, 3);
    assert.equal((await api.ok("GET", `${SECRETS}?limit=1&resourceVersion=0`)).items.length, 3);
  });

  it("forgets versions by itself after five minutes of many changes", async () => {
    const api = createApi();
    await fill(api, 3);
    const { metadata } = await api.ok("GET", `${SECRETS}?limit=1`);
    await api.ok("PATCH", `${SECRETS}/m0`, { data: { i: "YmVm" } }, MERGE);
    await api.host.clock.advance(301);
    for (let i = 0; i < 110; i++) {
      await api.ok("PATCH", `${SECRETS}/m0`, { data: { i: btoa(String(i)) } }, MERGE);
    }
    const { code, body } = await api.call("GET", `${SECRETS}?limit=1&continue=${metadata.continue}`);
    assert.deepEqual([code, body.reason], [410, "Expired"]);
  });
});

describe("A list", () => {
  it("at an exact version shows the past", async () => {
    const api = createApi();
    await fill(api, 2);
    const then = api.server.resourceVersion;
    await api.ok("DELETE", `${SECRETS}/m0`);
    const query = `resourceVersion=${then}&resourceVersionMatch=Exact`;
    assert.deepEqual(names(await api.ok("GET", `${SECRETS}?${query}`)), ["m0", "m1"]);
  });

  it("of the future is refused with 504", async () => {
    const api = createApi();
    const { code, body } = await api.call("GET", `${SECRETS}?resourceVersion=99999`);
    assert.deepEqual([code, body.reason], [504, "Timeout"]);
  });

  it("of many objects is sent in pieces, and is whole", { timeout: 30_000 }, async () => {
    const api = createApi();
    const annotations = { text: "ü".repeat(2000) };
    for (let i = 0; i < 600; i++) {
      await api.ok("POST", SECRETS, { metadata: { name: `m${1000 + i}`, annotations } });
    }
    const response = await api.server.fetch(new Request(`https://api.test${SECRETS}`));
    let pieces = 0;
    let text = "";
    const decoder = new TextDecoder();
    assert.ok(response.body);
    for await (const piece of response.body) {
      pieces++;
      text += decoder.decode(piece, { stream: true });
    }
    assert.ok(pieces > 1, `${pieces} pieces`);
    const list = JSON.parse(text);
    assert.equal(list.items.length, 600);
    assert.equal(list.items[599].metadata.annotations.text, annotations.text);
  });

  it("of a built-in kind leaves apiVersion and kind out of the items", async () => {
    const api = createApi();
    await fill(api, 1);
    const { kind, items } = await api.ok("GET", SECRETS);
    assert.deepEqual([kind, items[0].kind], ["SecretList", undefined]);
  });
});
