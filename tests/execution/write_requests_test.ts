import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type Applied, type ApplyOptions, applyPatch } from "../../lib/execution/write_requests.ts";
import { ApiError } from "../../lib/client/errors.ts";
import { applyMergePatch, Patch } from "../../lib/model/patch.ts";
import type { Resource } from "../../lib/model/resource.ts";
import type { JsonObject, KubeObject } from "../../lib/model/object.ts";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { createClient } from "../../lib/client/object_client.ts";
import { type Projection, projectionOf } from "../../lib/client/projection.ts";
import { Transport } from "../../lib/client/transport/transport.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";

const plain: Resource = {
  group: "lotse.test",
  version: "v1",
  plural: "plains",
  kind: "Plain",
  singular: "",
  shortcuts: [],
  categories: [],
  namespaced: true,
  preferred: true,
  verbs: [],
  subresources: [],
};
const withStatus = { ...plain, plural: "examples", subresources: ["status"] };
const body: KubeObject = {
  apiVersion: "lotse.test/v1",
  kind: "Example",
  metadata: { name: "one", namespace: "default", resourceVersion: "10" },
  spec: { a: 1 },
};

/** One request, as "method path type", and what it said. */
interface Sent {
  readonly line: string;
  readonly content: unknown;
}

type Wanted = Omit<ApplyOptions, "content" | "fns" | "notes"> & {
  readonly patch: Patch;
  readonly notes?: Patch;
};

/** Applies patches as handlers make them. */
function applyWanted({ patch, notes, ...rest }: Wanted): Promise<Applied> {
  const { fns } = patch;
  return applyPatch({ ...rest, content: patch.toMergePatch(), fns, notes: notes?.toMergePatch() });
}

describe("applyPatch()", () => {
  let sent: Sent[];
  let live: KubeObject;
  let refuse: (line: string) => number | { readonly code: number; readonly details?: object } | undefined;
  let projection: Projection | undefined;
  let client: ReturnType<typeof createClient>;

  beforeEach(() => {
    sent = [];
    refuse = () => undefined;
    projection = undefined;
    const host = virtualHost();
    live = body;
    let version = 10;
    host.network.route("https://api.test", async (request) => {
      const isRead = request.method === "GET";
      const content = isRead ? undefined : await request.json();
      const type = request.headers.get("content-type")?.replace(/^application\/|-patch\+json$/g, "");
      const path = new URL(request.url).pathname.split("/").slice(6).join("/");
      const line = `${isRead ? "get" : type} ${path}`;
      sent.push({ line, content });
      const refusal = refuse(line);
      const headers = { "content-type": "application/json" };
      if (refusal !== undefined) {
        const status = typeof refusal === "number" ? { code: refusal } : refusal;
        return new Response(JSON.stringify({ kind: "Status", message: "refused on purpose", ...status }), {
          status: status.code,
          headers,
        });
      }
      if (isRead) return new Response(JSON.stringify(live), { headers });
      live = applyMergePatch(live, {
        ...(type === "merge" ? content : {}),
        metadata: { ...content.metadata, uid: undefined, resourceVersion: `${++version}` },
      });
      return new Response(JSON.stringify(live), { headers });
    });
    const networking = { ...defaultSettings().networking, errorBackoffs: [] };
    const credentials = fixedCredentials({ server: "https://api.test" });
    client = createClient(new Transport({ host, credentials, networking, logger: silentLogger() }), {
      projectionOf: () => projection,
    });
  });

  const lines = (): string[] => sent.map(({ line }) => line);

  it("[A207] sends nothing for an empty patch, for what is there already, and for functions without effect", async () => {
    const patch = new Patch();
    assert.equal((await applyWanted({ client, resource: withStatus, body, patch })).body, body);
    patch.spec.a = 1;
    patch.spec.gone = null;
    assert.equal((await applyWanted({ client, resource: withStatus, body, patch })).body, body);
    patch.fns.push((object) => void Object.assign(object.spec as object, { a: 1 }));
    const applied = await applyWanted({ client, resource: withStatus, body, patch });
    assert.deepEqual([lines(), applied.writes, applied.body], [[], 0, body]);
    const finalized = { ...body, metadata: { ...body.metadata, finalizers: ["a/b"] }, status: { c: 1 } };
    for (const finalizer of [{ name: "a/b", wanted: true }, { name: "x/y", wanted: false }]) {
      const same = new Patch({ spec: { a: 1 }, status: { c: 1 } });
      const applied = await applyWanted({
        client,
        resource: withStatus,
        body: finalized,
        patch: same,
        finalizer,
      });
      assert.equal(applied.body, finalized);
    }
    assert.deepEqual(lines(), []);
  });

  it("[A208] sends what is of the status to its subresource, and the rest to the object", async () => {
    const patch = new Patch({ spec: { b: 2 }, status: { c: 3 } });
    await applyWanted({ client, resource: withStatus, body, patch });
    assert.deepEqual(sent, [
      // The version is a guard: nothing must land on another object that has taken the name.
      {
        line: "merge examples/one/status",
        content: { status: { c: 3 }, metadata: { resourceVersion: "10" } },
      },
      { line: "merge examples/one", content: { spec: { b: 2 } } },
    ]);
  });

  it("sends no note before the changes that it says are made, and as few requests as that takes", async () => {
    const moving = { metadata: { annotations: { old: null } }, status: { noted: true } };
    const cases: readonly [patch: JsonObject, notes: JsonObject, expected: readonly string[]][] = [
      [{ status: { c: 3 } }, { status: { noted: true } }, ["/status c,noted"]],
      [{ spec: { b: 2 } }, { status: { noted: true } }, [" spec", "/status noted"]],
      [{ spec: { b: 2 }, status: { c: 3 } }, { status: { noted: true } }, [" spec", "/status c,noted"]],
      [{ spec: { b: 2 }, status: { c: 3 } }, moving, [" spec", "/status c,noted", " metadata"]],
      [{ status: { c: 3 } }, moving, ["/status c,noted", " metadata"]],
      [{ spec: { b: 2 }, status: { c: 3 } }, { metadata: { annotations: { noted: "1" } } }, [
        "/status c",
        " metadata,spec",
      ]],
    ];
    for (const [patch, notes, expected] of cases) {
      sent = [];
      live = { ...body, metadata: { ...body.metadata, annotations: { old: "1" } } };
      await applyWanted({
        client,
        resource: withStatus,
        body: live,
        patch: new Patch(patch),
        notes: new Patch(notes),
      });
      const told = sent.map(({ line, content }) => {
        const { status, metadata: { resourceVersion: _, ...metadata } = {}, ...rest } = content as
          & JsonObject
          & {
            metadata?: JsonObject;
          };
        const others = Object.keys(metadata).some((key) => key !== "uid") ? ["metadata"] : [];
        const parts = typeof status === "object" && status !== null
          ? Object.keys(status)
          : [...others, ...Object.keys(rest)];
        return `${line.replace(/^merge examples\/one/, "")} ${parts.sort().join()}`;
      });
      assert.deepEqual(told, expected, JSON.stringify(patch));
    }
  });

  it("[A209] sends both in one request where the status is no subresource", async () => {
    const patch = new Patch({ spec: { b: 2 }, status: { c: 3 } });
    const applied = await applyWanted({ client, resource: plain, body, patch });
    assert.deepEqual(sent, [{ line: "merge plains/one", content: { spec: { b: 2 }, status: { c: 3 } } }]);
    assert.equal(applied.writes, 1);
  });

  it("[A210] sends what functions change as two JSON patches, each with a test of the version", async () => {
    const patch = new Patch();
    patch.fns.push((object) => {
      object.metadata.labels = { x: "y" };
      object.status = { c: 3 };
    });
    await applyWanted({ client, resource: withStatus, body, patch });
    const test = (value: string) => ({ op: "test", path: "/metadata/resourceVersion", value });
    assert.deepEqual(sent, [
      {
        line: "json examples/one",
        content: [test("10"), { op: "add", path: "/metadata/labels", value: { x: "y" } }],
      },
      {
        line: "json examples/one/status",
        content: [test("11"), { op: "add", path: "/status", value: { c: 3 } }],
      },
    ]);
  });

  it("sends what functions change as one JSON patch where the status is no subresource", async () => {
    const patch = new Patch();
    patch.fns.push((object) => void Object.assign(object, { data: {}, status: { c: 3 } }));
    const applied = await applyWanted({ client, resource: plain, body, patch });
    assert.deepEqual([lines(), applied.writes], [["json plains/one"], 1]);
  });

  it("makes a list of finalizers anew from the newest state when somebody else was faster, but not for ever", async () => {
    const foreign = { ...body, metadata: { ...body.metadata, resourceVersion: "20", finalizers: ["x/y"] } };
    let conflicts = 1;
    refuse = (line) => {
      if (line.startsWith("get") || conflicts-- <= 0) return undefined;
      live = foreign;
      return 409;
    };
    const finalizer = { name: "a/b", wanted: true };
    const apply = () =>
      applyWanted({ client, resource: plain, body, patch: new Patch({ spec: { b: 2 } }), finalizer });
    const applied = await apply();
    const content = { spec: { b: 2 }, metadata: { finalizers: ["x/y", "a/b"], resourceVersion: "20" } };
    assert.deepEqual(sent.slice(1), [{ line: "get plains/one", content: undefined }, {
      line: "merge plains/one",
      content,
    }]);
    assert.deepEqual(applied.body?.metadata.finalizers, ["x/y", "a/b"]);
    [conflicts, sent] = [Infinity, []];
    await assert.rejects(apply(), (error) => error instanceof ApiError && error.status === 409);
    assert.equal(lines().filter((line) => line.startsWith("merge")).length, 6);
  });

  it("puts ours on the list of finalizers that a handler wants, and takes it off that one", async () => {
    const held = { ...body, metadata: { ...body.metadata, finalizers: ["x/y", "a/b"] } };
    const lists: [wanted: readonly string[] | null, isOurs: boolean, sent: readonly string[] | null][] = [
      [["a/b"], false, null],
      [["a/b", "new/one"], false, ["new/one"]],
      [["x/y"], true, ["x/y", "a/b"]],
      [null, true, ["a/b"]],
      [null, false, null],
    ];
    for (const [finalizers, isOurs, list] of lists) {
      sent = [];
      const patch = new Patch({ metadata: { finalizers } });
      await applyWanted({
        client,
        resource: plain,
        body: held,
        patch,
        finalizer: { name: "a/b", wanted: isOurs },
      });
      assert.deepEqual(sent.map(({ content }) => (content as KubeObject).metadata.finalizers), [list]);
    }
  });

  it("[A211] sends all parts in one order: the status, the object, functions; each on what came back before", async () => {
    const patch = new Patch({ spec: { b: 2 }, status: { c: 3 } });
    patch.fns.push((object) => {
      Object.assign(object.spec as object, { b: (object.spec as { b: number }).b + 1 });
      object.status = { ...object.status as object, d: 4 };
    });
    await applyWanted({ client, resource: withStatus, body, patch });
    assert.deepEqual(lines(), [
      "merge examples/one/status",
      "merge examples/one",
      "json examples/one",
      "json examples/one/status",
    ]);
    const versions = sent.slice(2).map(({ content }) => (content as { value: string }[])[0]?.value);
    assert.deepEqual(versions, ["12", "13"]);
    assert.deepEqual((sent[2]?.content as unknown[])[1], { op: "replace", path: "/spec/b", value: 3 });
  });

  it("[A212] gives all functions back when a JSON patch has lost a race, and nothing else", async () => {
    refuse = (line) => line.startsWith("json") ? 422 : undefined;
    const patch = new Patch({ spec: { b: 2 } });
    patch.fns.push((object) => void Object.assign(object.spec as object, { z: 1 }), () => {});
    const applied = await applyWanted({ client, resource: withStatus, body, patch });
    assert.deepEqual(applied.remaining, patch.fns);
    assert.equal(applied.writes, 1);
    assert.deepEqual(applied.body?.spec, { a: 1, b: 2 });
  });

  it("[A214] passes quietly over an object that has gone, whichever request finds out", async () => {
    const requests = [
      "merge examples/one/status",
      "merge examples/one",
      "json examples/one",
      "json examples/one/status",
    ];
    for (const [index, at] of requests.entries()) {
      sent = [];
      refuse = (line) => line === at ? { code: 404, details: { name: "one", kind: "examples" } } : undefined;
      const patch = new Patch({ spec: { b: index }, status: { c: index } });
      patch.fns.push((object) => {
        Object.assign(object.spec as object, { z: index });
        Object.assign(object.status as object, { z: index });
      });
      const applied = await applyWanted({ client, resource: withStatus, body, patch });
      assert.deepEqual([applied.body, applied.remaining], [undefined, []], at);
      assert.deepEqual(lines(), requests.slice(0, index + 1), "nothing is sent any more");
    }
  });

  it("[P2] believes a 404 that does not name the object only if the server has no such object, when asked", async () => {
    const patch = () => new Patch({ spec: { b: 2 } });
    for (const details of [undefined, { name: "another" }]) {
      sent = [];
      refuse = (line) => line.startsWith("merge") ? { code: 404, details } : undefined;
      await assert.rejects(applyWanted({ client, resource: plain, body, patch: patch() }), { status: 404 });
      assert.deepEqual(lines(), ["merge plains/one", "get plains/one"]);
      refuse = () => ({ code: 404, details });
      assert.equal((await applyWanted({ client, resource: plain, body, patch: patch() })).body, undefined);
      refuse = (line) => ({ code: line.startsWith("merge") ? 404 : 403, details });
      await assert.rejects(applyWanted({ client, resource: plain, body, patch: patch() }), { status: 404 });
    }
    live = { ...body, metadata: { ...body.metadata, uid: "another" } };
    refuse = (line) => line.startsWith("merge") ? 404 : undefined;
    const mine = { ...body, metadata: { ...body.metadata, uid: "mine" } };
    const { body: left } = await applyWanted({ client, resource: plain, body: mine, patch: patch() });
    assert.equal(left, undefined, "another object has its name");
  });

  it("writes notes and finalizers after functions, and not at all if those were refused", async () => {
    const notes = new Patch({ metadata: { annotations: { note: "1" } }, status: { noted: true } });
    const finalizer = { name: "f", wanted: true };
    const patch = () => {
      const made = new Patch({ spec: { b: 2 } });
      made.fns.push((object) => void Object.assign(object.spec as object, { z: 1 }));
      return made;
    };
    await applyWanted({ client, resource: withStatus, body, patch: patch(), notes, finalizer });
    assert.deepEqual(lines(), [
      "merge examples/one",
      "json examples/one",
      "merge examples/one/status",
      "merge examples/one",
    ]);
    assert.deepEqual((sent[3]?.content as KubeObject).metadata.finalizers, ["f"]);
    sent = [];
    live = body;
    refuse = (line) => line.startsWith("json") ? 409 : undefined;
    const applied = await applyWanted({
      client,
      resource: withStatus,
      body,
      patch: patch(),
      notes,
      finalizer,
    });
    assert.deepEqual([lines(), applied.refusal?.status], [["merge examples/one", "json examples/one"], 409]);
  });

  it("takes an object for gone where the answer is about another one of that name, and says which one it means", async () => {
    const mine = { ...body, metadata: { ...body.metadata, uid: "mine" } };
    const patch = new Patch({ spec: { b: 2 } });
    patch.fns.push(() => assert.fail("it is not for that object"));
    const applied = await applyWanted({ client, resource: plain, body: mine, patch });
    assert.deepEqual([applied.body, applied.remaining], [undefined, []]);
    assert.deepEqual(sent, [{
      line: "merge plains/one",
      content: { spec: { b: 2 }, metadata: { uid: "mine" } },
    }]);
  });

  it("takes an object for gone where the server says that its uid is another one, and nothing else", async () => {
    const causes = (field: string) => ({ causes: [{ reason: "FieldValueInvalid", field }] });
    const message = "Precondition failed: UID in precondition: a, UID in object meta: b";
    const refusals: [{ code: number; details?: object; message?: string }, isGone: boolean][] = [
      [{ code: 422, details: causes("metadata.uid") }, true],
      [{ code: 409, message }, true],
      [{ code: 422, details: causes("spec.a") }, false],
      [{ code: 409 }, false],
      [{ code: 400, message }, false],
    ];
    for (const [refusal, isGone] of refusals) {
      refuse = () => refusal;
      const applying = applyWanted({ client, resource: plain, body, patch: new Patch({ spec: { b: 2 } }) });
      if (isGone) assert.equal((await applying).body, undefined);
      else {await assert.rejects(applying, (error) =>
          error instanceof ApiError && error.status === refusal.code);}
    }
  });

  it("reads an object whole before it writes what is not remembered of it, and nothing that is there", async () => {
    projection = projectionOf(plain, { metadataOnly: true, logger: silentLogger() });
    const remembered = projection?.project(body) ?? body;
    const labels = new Patch({ metadata: { labels: { x: "y" } } });
    const same = new Patch({ spec: { a: 1 } });
    const changing = new Patch();
    changing.fns.push((object) => void Object.assign(object.spec as object, { a: 1 }));
    for (
      const [patch, expected] of [
        [labels, ["merge plains/one"]],
        [same, ["get plains/one"]],
        [changing, ["get plains/one"]],
      ] as const
    ) {
      sent = [];
      const applied = await applyWanted({ client, resource: plain, body: remembered, patch });
      assert.deepEqual(lines(), expected);
      assert.equal(applied.body?.spec, undefined);
    }
  });

  it("reads nothing where all that is wanted is remembered, and there already", async () => {
    const transforms = [(object: KubeObject) => void delete object.status];
    projection = projectionOf(plain, { transforms, logger: silentLogger() });
    const remembered = projection?.project(body) ?? body;
    const patch = new Patch({ spec: { a: 1 } });
    const applied = await applyWanted({ client, resource: plain, body: remembered, patch });
    assert.deepEqual([lines(), applied.body], [[], remembered]);
  });

  it("[A215] throws what else the server answers", async () => {
    for (const code of [400, 403, 500]) {
      refuse = () => code;
      const patch = new Patch({ spec: { b: 2 } });
      await assert.rejects(
        applyWanted({ client, resource: withStatus, body, patch }),
        (error) => error instanceof ApiError && error.status === code,
      );
    }
  });
});
