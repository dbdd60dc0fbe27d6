import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type KeptApiServer, openApiServer, StateError } from "../../../../lib/kits/apiserver/mod.ts";
import { type VirtualHost, virtualHost } from "../../../../lib/runtime/virtual/host.ts";
import { type Answer, database, databaseDefinition, DATABASES } from "../api.ts";

const MAPS = "/api/v1/namespaces/default/secrets";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const DATA = "/state";
let starts = 0;

interface Kept {
  readonly host: VirtualHost;
  readonly server: KeptApiServer;
  call(method: string, path: string, body?: object): Promise<{ code: number; body: Answer }>;
}

/** A process of its own, with the files of another one. */
async function start(files: Record<string, string> = {}): Promise<Kept> {
  const host = virtualHost({ files, start: Date.UTC(2026, 0, 1) + 3_600_000 * ++starts });
  const server = await openApiServer({ host, data: DATA });
  await host.clock.settle();
  return {
    host,
    server,
    async call(method, path, body) {
      const response = await server.fetch(
        new Request(`https://api.test${path}`, {
          method,
          headers: { "content-type": "application/json" },
          body: body && JSON.stringify(body),
        }),
      );
      return { code: response.status, body: await response.json() };
    },
  };
}

/** What is in the folder now: what a process leaves behind that is killed. */
async function filesOf({ host }: Kept): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await host.files.list(DATA)) {
    found[`${DATA}/${name}`] = await host.files.readText(`${DATA}/${name}`);
  }
  return found;
}

function nameOf(files: Record<string, string>, what: string): string {
  return Object.keys(files).find((path) => path.includes(what)) ?? assert.fail(`There is no ${what}`);
}

async function filled(): Promise<Kept> {
  const kept = await start();
  await kept.call("POST", DEFINITIONS, databaseDefinition());
  await kept.host.clock.advance(1);
  assert.equal((await kept.call("POST", DATABASES, database("d"))).code, 201);
  for (const name of ["a", "b"]) {
    await kept.call("POST", MAPS, { metadata: { name, annotations: { text: "größer\n" } } });
  }
  await kept.call("DELETE", `${MAPS}/a`);
  return kept;
}

describe("A state folder", () => {
  it("keeps objects, kinds and versions over a restart, orderly or not", async () => {
    for (const orderly of [true, false]) {
      const first = await filled();
      const before = (await first.call("GET", `${MAPS}/b`)).body;
      const { resourceVersion } = first.server;
      if (orderly) await first.server[Symbol.asyncDispose]();
      const files = await filesOf(first);
      assert.equal(Object.keys(files).some((path) => path.endsWith("lock")), !orderly);
      const second = await start(files);
      assert.deepEqual((await second.call("GET", `${MAPS}/b`)).body, before);
      assert.equal((await second.call("GET", `${MAPS}/a`)).code, 404);
      assert.equal((await second.call("GET", `${DATABASES}/d`)).body.spec.replicas, 1);
      assert.equal(second.server.resourceVersion, resourceVersion);
      const { body } = await second.call("POST", MAPS, { metadata: { name: "c" } });
      assert.equal(Number(body.metadata.resourceVersion), Number(resourceVersion) + 1);
      assert.equal(
        (await second.call("GET", `${MAPS}?resourceVersion=5&resourceVersionMatch=Exact`)).code,
        410,
      );
      const third = await start(await filesOf(second));
      assert.equal((await third.call("GET", MAPS)).body.items.length, 2);
    }
  });

  it("has what evaluates the expressions that it keeps, from the first request on", async () => {
    const admission = "/apis/admissionregistration.k8s.io/v1";
    const maps = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] };
    const policy = {
      metadata: { name: "named" },
      spec: {
        matchConstraints: { resourceRules: [maps] },
        validations: [{ expression: "object.metadata.name == 'a'", message: "must be a" }],
      },
    };
    const binding = {
      metadata: { name: "named" },
      spec: { policyName: "named", validationActions: ["Deny"] },
    };
    const hooks = {
      metadata: { name: "never" },
      webhooks: [{
        name: "never.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { url: "https://127.0.0.1:1/" },
        rules: [maps],
        matchConditions: [{ name: "no", expression: "request.name == 'b'" }],
      }],
    };
    const stored = [
      ["validatingadmissionpolicies", policy],
      ["validatingadmissionpolicybindings", binding],
      ["validatingwebhookconfigurations", hooks],
    ] as const;
    for (const kept of [stored.slice(0, 2), stored.slice(2)]) {
      const first = await start();
      for (const [plural, object] of kept) {
        assert.equal((await first.call("POST", `${admission}/${plural}`, object)).code, 201);
      }
      const second = await start(await filesOf(first));
      assert.equal((await second.call("POST", MAPS, { metadata: { name: "a" } })).code, 201);
      const refused = await second.call("POST", MAPS, { metadata: { name: "b" } });
      assert.match(
        refused.body.message,
        kept.length > 1 ? /denied request: must be a/ : /failed calling webhook/,
      );
    }
  });

  it("has the rules of the kinds that it keeps, from the first request on", async () => {
    const first = await start();
    const definition = databaseDefinition();
    const spec = definition.spec as { versions: { schema: { openAPIV3Schema: Record<string, unknown> } }[] };
    const rules = [{ rule: "self.metadata.name.startsWith('d')", message: "must begin with d" }];
    for (const { schema } of spec.versions) schema.openAPIV3Schema["x-kubernetes-validations"] = rules;
    const { code } = await first.call("POST", DEFINITIONS, definition);
    assert.equal(code, 201);
    const second = await start(await filesOf(first));
    assert.equal((await second.call("POST", DATABASES, database("d"))).code, 201);
    assert.match((await second.call("POST", DATABASES, database("e"))).body.message, /must begin with d/);
  });

  it("keeps whole numbers as they are, however large they are", async () => {
    const first = await start();
    const path = `${MAPS.replace("/api/v1", "/apis/apps/v1").replace("secrets", "controllerrevisions")}`;
    const exact = "1234567890123456789";
    const body = `{"metadata":{"name":"a"},"revision":${exact},"data":{"number":${exact}}}`;
    const headers = { "content-type": "application/json" };
    const post = new Request(`https://api.test${path}`, { method: "POST", headers, body });
    assert.equal((await first.server.fetch(post)).status, 201);
    const second = await start(await filesOf(first));
    const text = await (await second.server.fetch(new Request(`https://api.test${path}/a`))).text();
    assert.ok(text.includes(`"revision":${exact}`), text);
    assert.ok(text.includes(`"number":${exact}`), text);
  });

  it("has a write in the journal when it is answered", async () => {
    const kept = await start();
    await kept.call("POST", MAPS, { metadata: { name: "a" } });
    const files = await filesOf(kept);
    assert.match(files[nameOf(files, "journal")] ?? "", /"k":"default\/a"/);
  });

  it("goes on with the files that it finds, and writes none of them anew", async () => {
    const first = await filled();
    const files = await filesOf(first);
    const next = await start(files);
    assert.deepEqual(await filesOf(next), {
      ...files,
      [`${DATA}/lock`]: (await filesOf(next))[`${DATA}/lock`],
    });
    await next.call("POST", MAPS, { metadata: { name: "more" } });
    const third = await start(await filesOf(next));
    assert.equal((await third.call("GET", MAPS)).body.items.length, 2);
  });

  it("drops half a line at the end of the journal: nobody was told that it was written", async () => {
    const kept = await filled();
    const files = await filesOf(kept);
    const journal = nameOf(files, "journal");
    for (const cut of [1, 10]) {
      const torn = { ...files, [journal]: files[journal]?.slice(0, -cut) ?? "" };
      const next = await start(torn);
      // The last line was the deletion.
      assert.equal((await next.call("GET", MAPS)).body.items.length, 2);
      await next.call("POST", MAPS, { metadata: { name: "more" } });
      assert.equal((await (await start(await filesOf(next))).call("GET", MAPS)).body.items.length, 3);
    }
  });

  it("is refused, and left as it is, if it is cut off, damaged, of a later version, or half there", async () => {
    const first = await filled();
    await first.server[Symbol.asyncDispose]();
    // The second start goes on with the journal.
    const kept = await start(await filesOf(first));
    await kept.call("POST", MAPS, { metadata: { name: "last" } });
    await kept.call("POST", MAPS, { metadata: { name: "very-last" } });
    await kept.server[Symbol.asyncDispose]();
    const files = await filesOf(kept);
    const [snapshot, journal] = [nameOf(files, "snapshot"), nameOf(files, "journal")];
    const text = files[snapshot] ?? "";
    const lines = (files[journal] ?? "").split("\n");
    const cases: [Record<string, string>, RegExp][] = [
      [{ ...files, [snapshot]: text.slice(0, text.length >> 1) }, /cut off or damaged in line \d+/],
      [{ ...files, [snapshot]: text.replace(/\{"end".*\n/, "") }, /cut off or damaged/],
      [{ ...files, [snapshot]: "" }, /cut off or damaged in line 1/],
      [{ ...files, [snapshot]: text.replace('"format":1', '"format":7') }, /later version \(format 7/],
      [{ ...files, [journal]: ["garbage", ...lines.slice(1)].join("\n") }, /cut off or damaged in line 1/],
      [{ [journal]: files[journal] ?? "" }, /no snapshot/],
    ];
    for (const [broken, message] of cases) {
      const host = virtualHost({ files: broken });
      await assert.rejects(openApiServer({ host, data: DATA }), (error: Error) => {
        assert.ok(error instanceof StateError);
        assert.match(error.message, message);
        return true;
      });
      for (const [path, content] of Object.entries(broken)) {
        assert.equal(await host.files.readText(path), content);
      }
      assert.equal(await host.files.exists(`${DATA}/lock`), false);
    }
  });

  it("belongs to one process at a time, and is taken over from one that has died", async () => {
    const host = virtualHost();
    const first = await openApiServer({ host, data: DATA });
    await assert.rejects(openApiServer({ host, data: DATA }), /process 1 on virtual uses it/);
    await first[Symbol.asyncDispose]();
    const lock = (pid: number, hostname = "virtual") =>
      host.files.writeText(`${DATA}/lock`, JSON.stringify({ pid, hostname, started: 1 }));
    await lock(77);
    host.process.others.add(77);
    await assert.rejects(openApiServer({ host, data: DATA }), /process 77 on virtual uses it/);
    host.process.others.delete(77);
    await (await openApiServer({ host, data: DATA }))[Symbol.asyncDispose]();
    // The same number, but another start: a container that was started anew.
    await lock(1);
    await (await openApiServer({ host, data: DATA }))[Symbol.asyncDispose]();
    await lock(77, "elsewhere");
    await assert.rejects(openApiServer({ host, data: DATA }), /process 77 on elsewhere uses it/);
    await host.files.writeText(`${DATA}/lock`, "{");
    await (await openApiServer({ host, data: DATA }))[Symbol.asyncDispose]();
  });

  it("says which folder it cannot use, and why", async () => {
    for (const broken of ["createText", "list", "appendText"] as const) {
      const host = virtualHost();
      const refuse = () => Promise.reject(new Error("EROFS: read-only file system"));
      Object.assign(host.files, { [broken]: refuse });
      await assert.rejects(openApiServer({ host, data: DATA }), (error) => {
        assert.ok(error instanceof StateError, broken);
        assert.equal(error.message, 'Cannot use the folder "/state": EROFS: read-only file system');
        return true;
      });
    }
  });

  it("shows a write to nobody before it stands in the journal", async () => {
    const host = virtualHost();
    const append = host.files.appendText.bind(host.files);
    let release: (() => void) | undefined;
    let isSlow = false;
    Object.assign(host.files, {
      appendText: async (path: string, text: string) => {
        if (isSlow) await new Promise<void>((resolve) => release = resolve);
        await append(path, text);
      },
    });
    const server = await openApiServer({ host, data: DATA });
    const ask = (method: string, path: string, body?: string) =>
      server.fetch(
        new Request(`https://a.test${path}`, {
          method,
          headers: { "content-type": "application/json" },
          body,
        }),
      );
    const post = (name: string) => ask("POST", MAPS, `{"metadata":{"name":"${name}"}}`);
    assert.equal((await post("a")).status, 201);
    const reader = (await ask("GET", `${MAPS}?watch=true&allowWatchBookmarks=true`)).body?.getReader();
    assert.ok(reader);
    const seen: string[] = [];
    const decoder = new TextDecoder();
    const read = async () => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        for (const line of decoder.decode(value).trim().split("\n")) {
          const { type, object } = JSON.parse(line);
          seen.push(`${type} ${object.metadata.name ?? ""}`);
        }
      }
    };
    const reading = read();
    await host.clock.settle();
    assert.deepEqual(seen, ["ADDED a", "BOOKMARK "]);
    isSlow = true;
    let answered = 0;
    const note = async (answer: Promise<Response>) => {
      await answer;
      answered++;
    };
    const written = note(post("b"));
    await host.clock.settle();
    const asked = [written, note(ask("GET", `${MAPS}/b`)), note(ask("GET", MAPS))];
    // A bookmark is due after a minute.
    await host.clock.advance(90);
    assert.deepEqual([seen.splice(0), answered], [["ADDED a", "BOOKMARK "], 0]);
    isSlow = false;
    release?.();
    await Promise.all(asked);
    await host.clock.advance(60);
    assert.deepEqual([seen, answered], [["ADDED b", "BOOKMARK "], 3]);
    await reader.cancel();
    await reading;
  });

  it("answers no write that it cannot keep", async () => {
    const host = virtualHost();
    let isFull = false;
    const append = host.files.appendText.bind(host.files);
    Object.assign(host.files, {
      appendText: (path: string, text: string) =>
        isFull ? Promise.reject(new Error("ENOSPC: no space left")) : append(path, text),
    });
    const server = await openApiServer({ host, data: DATA });
    const post = (name: string) =>
      server.fetch(
        new Request(`https://a.test${MAPS}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ metadata: { name } }),
        }),
      );
    assert.equal((await post("a")).status, 201);
    isFull = true;
    const refused = await post("b");
    assert.equal(refused.status, 500);
    assert.match((await refused.json()).message, /Cannot keep the state in "\/state": ENOSPC/);
    assert.equal((await server.fetch(new Request(`https://a.test${MAPS}/a`))).status, 200);
    await assert.rejects(async () => await server[Symbol.asyncDispose](), /ENOSPC/);
    assert.equal(await host.files.exists(`${DATA}/lock`), false);
  });

  it("replaces a long journal by a snapshot, and loses nothing while it does", async () => {
    const kept = await start();
    const text = "x".repeat(900_000);
    for (let i = 0; i < 45; i++) {
      const method = i === 0 ? "POST" : "PUT";
      const path = i === 0 ? MAPS : `${MAPS}/big`;
      const { code } = await kept.call(method, path, {
        metadata: { name: "big", annotations: { count: String(i) } },
        data: { text },
      });
      assert.ok(code < 300);
    }
    await kept.server[Symbol.asyncDispose]();
    const files = await filesOf(kept);
    const length = Object.values(files).reduce((sum, content) => sum + content.length, 0);
    assert.ok(length < 20e6, `${length} characters`);
    assert.equal(
      (await (await start(files)).call("GET", `${MAPS}/big`)).body.metadata.annotations.count,
      "44",
    );
  });
});
