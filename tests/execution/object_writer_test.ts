import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedObject } from "../../lib/client/cache/object_store.ts";
import type { Client, PatchRequest } from "../../lib/client/client.ts";
import { ApiError } from "../../lib/client/errors.ts";
import {
  ObjectWriter,
  type WritableState,
  type WriteRequest,
  type WriteResult,
} from "../../lib/execution/object_writer.ts";
import type { Observer, Written } from "../../lib/execution/observer.ts";
import { PendingWrite } from "../../lib/execution/pending_write.ts";
import { RefusedWrite } from "../../lib/execution/refused_write.ts";
import { applyMergePatch, Patch, type PatchFunction } from "../../lib/model/patch.ts";
import type { JsonObject, KubeObject, StatusBody } from "../../lib/model/object.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

const RESOURCE: Resource = {
  group: "lotse.test",
  version: "v1",
  plural: "examples",
  kind: "Example",
  singular: "example",
  shortcuts: [],
  categories: [],
  subresources: [],
  namespaced: true,
  preferred: true,
  verbs: [],
};

/** What the server does with one request; undefined: what it is asked for. */
type Answer = ((live: KubeObject) => KubeObject) | Error | undefined;

/** An object, a server that has it and answers as it is told to (then as it should), and a writer. */
function world(answers: readonly Answer[] = [], observer: Observer = {}) {
  const body: KubeObject = {
    apiVersion: "lotse.test/v1",
    kind: "Example",
    metadata: { name: "one", namespace: "default", uid: "u1", resourceVersion: "10" },
    spec: { a: 1 },
  };
  const requests: string[] = [];
  const left = [...answers];
  const server = { live: body };
  const answer = (request: string, make: () => KubeObject): Promise<KubeObject> => {
    requests.push(request);
    const given = left.shift();
    if (given instanceof Error) return Promise.reject(given);
    return Promise.resolve(server.live = given?.(server.live) ?? make());
  };
  // It is patched and read, and nothing else.
  const client = {
    patch: (_resource: unknown, _address: unknown, { type, body: content }: PatchRequest) =>
      answer(`${type} ${JSON.stringify(content)}`, () => {
        const { metadata } = server.live;
        const resourceVersion = String(Number(metadata.resourceVersion) + 1);
        const changes = type === "merge" ? content as JsonObject : {};
        return { ...applyMergePatch(server.live, changes), metadata: { ...metadata, resourceVersion } };
      }),
    get: () => answer("get", () => server.live),
    projectionOf: () => undefined,
  } as unknown as Client;
  const { clock } = virtualHost();
  const fence = new AbortController();
  const writer = new ObjectWriter({
    client,
    clock,
    observer,
    settings: { consistencyTimeout: 5, confidential: {} },
    fence: fence.signal,
  });
  const cached = new CachedObject(body);
  const state: WritableState = {
    key: "one",
    resource: RESOURCE,
    cached,
    get body() {
      return cached.object;
    },
  };
  const logs: LogRecord[] = [];
  const logger = createLogger({ level: "debug", write: (record) => logs.push(record) }, clock);
  const pending = new PendingWrite();
  const author = { kind: "reconcile", byEvent: false, concluded: false } as const;
  const write = (patch: Patch, more: Partial<WriteRequest> = {}): Promise<WriteResult> =>
    writer.write(state, { patch, pending, author, logger, ...more });
  return { writer, state, server, requests, pending, logs, fence, write };
}

function refusal(status: number, body: Omit<StatusBody, "kind" | "apiVersion"> = {}): ApiError {
  const whole: StatusBody = { kind: "Status", apiVersion: "v1", ...body };
  return new ApiError({ status, request: "PATCH /one", body: whole });
}

function withFunctions(...fns: PatchFunction[]): Patch {
  const patch = new Patch({ spec: { b: 2 } });
  patch.fns.push(...fns);
  return patch;
}

const change = (): Patch => new Patch({ spec: { b: 2 } });
const count: PatchFunction = (body) => void (body.spec = { ...body.spec, counted: true });
const conflict = refusal(409);
const aboutUid = { details: { causes: [{ field: "metadata.uid" }] } };
const aboutField = { details: { causes: [{ field: "spec.b" }] } };
const named = (name: string) => ({ details: { name } });
const finalizer = { name: "lotse.dev/finalizer", wanted: true };
const deleting = (live: KubeObject): KubeObject => ({
  ...live,
  metadata: { ...live.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
});
const namesake = (live: KubeObject): KubeObject => ({ ...live, metadata: { ...live.metadata, uid: "u2" } });

interface Row {
  readonly answers: string;
  readonly given?: readonly Answer[];
  readonly patch?: () => Patch;
  readonly more?: Partial<WriteRequest>;
  readonly result: WriteResult["kind"];
  /** How many functions are pending, besides the fields of `change()` ("patch") if they are. */
  readonly pending: "nothing" | "patch" | "functions";
  readonly requests?: number;
}

/** docs/architecture.md, "Writes". */
const TABLE: readonly Row[] = [
  { answers: "200", result: "written", pending: "nothing" },
  {
    answers: "(nothing differs)",
    patch: () => new Patch({ spec: { a: 1 } }),
    result: "unchanged",
    pending: "nothing",
    requests: 0,
  },
  {
    answers: "409 to a list of finalizers, five times",
    given: Array.from({ length: 10 }, (_, index) => index % 2 === 0 ? conflict : undefined),
    more: { finalizer },
    result: "written",
    pending: "nothing",
    requests: 11,
  },
  {
    answers: "409 to a list of finalizers, for ever",
    given: Array.from({ length: 20 }, (_, index) => index % 2 === 0 ? conflict : undefined),
    more: { finalizer },
    result: "kept",
    pending: "patch",
    requests: 11,
  },
  { answers: "409", given: [conflict], result: "kept", pending: "patch" },
  { answers: "409 about the uid", given: [refusal(409, aboutUid)], result: "gone", pending: "nothing" },
  { answers: "422 about the uid", given: [refusal(422, aboutUid)], result: "gone", pending: "nothing" },
  {
    answers: "409 that names a precondition",
    given: [refusal(409, { message: "Precondition failed: UID in precondition: u1" })],
    result: "gone",
    pending: "nothing",
  },
  { answers: "200 of another uid", given: [namesake], result: "gone", pending: "nothing" },
  { answers: "404 that names it", given: [refusal(404, named("one"))], result: "gone", pending: "nothing" },
  {
    answers: "404, but the server has the object",
    given: [refusal(404, named("another")), undefined],
    result: "kept",
    pending: "patch",
    requests: 2,
  },
  {
    answers: "404, twice",
    given: [refusal(404), refusal(404)],
    result: "gone",
    pending: "nothing",
    requests: 2,
  },
  {
    answers: "404, then a namesake",
    given: [refusal(404), namesake],
    result: "gone",
    pending: "nothing",
    requests: 2,
  },
  { answers: "200 of what waits for nothing", given: [deleting], result: "gone", pending: "nothing" },
  {
    answers: "409 to functions",
    given: [undefined, conflict],
    patch: () => withFunctions(count),
    result: "written",
    pending: "functions",
    requests: 2,
  },
  {
    answers: "422 to functions",
    given: [undefined, refusal(422)],
    patch: () => withFunctions(count),
    result: "written",
    pending: "functions",
    requests: 2,
  },
  {
    answers: "422 to functions, about a field",
    given: [undefined, refusal(422, aboutField)],
    patch: () => withFunctions(count),
    result: "dropped",
    pending: "nothing",
    requests: 2,
  },
  {
    answers: "422 to functions, about the version",
    given: [undefined, refusal(422, { details: { causes: [{ field: "metadata.resourceVersion" }] } })],
    patch: () => withFunctions(count),
    result: "written",
    pending: "functions",
    requests: 2,
  },
  {
    answers: "200, then a function throws",
    patch: () =>
      withFunctions(count, () => {
        throw new Error("no");
      }),
    result: "dropped",
    pending: "nothing",
  },
  { answers: "400", given: [refusal(400)], result: "dropped", pending: "nothing" },
  { answers: "422", given: [refusal(422)], result: "dropped", pending: "nothing" },
  { answers: "403", given: [refusal(403)], result: "kept", pending: "patch" },
  { answers: "500", given: [refusal(500)], result: "kept", pending: "patch" },
  { answers: "(no connection)", given: [new TypeError("reset")], result: "kept", pending: "patch" },
];

describe("ObjectWriter.write()", () => {
  for (const { answers, given, patch = change, more, result, pending, requests = 1 } of TABLE) {
    it(`${answers}: ${result}, ${pending} pending`, async () => {
      const { write, pending: left, requests: sent } = world(given);
      const written = await write(patch(), more);
      assert.equal(written.kind, result);
      const fields = left.patch?.toMergePatch() ?? {};
      assert.deepEqual(fields, pending === "patch" ? { spec: { b: 2 } } : {});
      assert.equal(left.patch?.fns.length ?? 0, pending === "functions" ? 1 : 0);
      assert.equal(sent.length, requests);
    });
  }

  it("takes the response for the object's newest state", async () => {
    const { write, state } = world();
    await write(change());
    assert.deepEqual([state.body.metadata.resourceVersion, state.body.spec], ["11", { a: 1, b: 2 }]);
  });

  it("takes what was written before a function threw, and keeps it in the patch for who signs records", async () => {
    const { write, state } = world();
    const patch = withFunctions(() => {
      throw new Error("no");
    });
    const result = await write(patch);
    assert.ok(result.kind === "dropped" && result.error instanceof Error && /no$/.test(result.error.message));
    assert.deepEqual(state.body.spec, { a: 1, b: 2 });
    assert.deepEqual([patch.toMergePatch(), patch.fns], [{ spec: { b: 2 } }, []]);
  });

  it("sends what is pending before what is new, and notes with it, which are never pending", async () => {
    const { write, requests, pending } = world([refusal(500)]);
    const notes = new Patch({ metadata: { annotations: { note: "1" } } });
    await write(new Patch({ spec: { a: 2, b: 2 } }), { notes });
    assert.deepEqual(pending.patch?.toMergePatch(), { spec: { a: 2, b: 2 } });
    await write(new Patch({ spec: { b: 3 } }));
    assert.deepEqual(requests, [
      'merge {"spec":{"a":2,"b":2},"metadata":{"annotations":{"note":"1"},"uid":"u1"}}',
      'merge {"spec":{"a":2,"b":3},"metadata":{"uid":"u1"}}',
    ]);
    assert.equal(pending.isEmpty, true);
  });

  it("writes functions five times at most that lose one race after the other", async () => {
    const { write, pending, requests } = world(Array.from({ length: 9 }, () => conflict));
    const fn: PatchFunction = (body) => void (body.status = { counted: true });
    const patch = new Patch();
    patch.fns.push(fn);
    const results = [await write(patch, { handlers: ["counter"] })];
    while (!pending.isEmpty) results.push(await write(new Patch()));
    assert.deepEqual(results.map(({ kind }) => kind), [
      "written",
      "written",
      "written",
      "written",
      "dropped",
    ]);
    assert.deepEqual([requests.length, pending.races], [5, 0]);
    const last = results.at(-1);
    assert.deepEqual(last?.kind === "dropped" && last.handlers, ["counter"]);
    assert.equal(last?.kind === "dropped" && last.error instanceof RefusedWrite, true);
  });

  it("says whose changes were refused, and which field", async () => {
    const { write } = world([refusal(500), refusal(422, aboutField)]);
    await write(change(), { handlers: ["early"] });
    const result = await write(new Patch({ spec: { c: 3 } }), { handlers: ["late", "early"] });
    assert.ok(result.kind === "dropped");
    assert.deepEqual(result.handlers, ["early", "late"]);
    assert.match(result.error.message, /^The server refuses what was written \(fields: spec\.b\): /);
    assert.ok(result.error.cause instanceof ApiError);
  });

  it("notes nothing as done whose functions have lost a race", async () => {
    const { write, requests } = world([undefined, conflict]);
    await write(withFunctions(count), {
      notes: new Patch({ metadata: { annotations: { note: "1" } } }),
      finalizer,
    });
    assert.equal(requests.some((line) => /note|finalizers/.test(line)), false);
  });

  it("clears a patch that is refused as invalid, and leaves it to others to say so", async () => {
    const { write, logs } = world([refusal(422)]);
    const patch = withFunctions(count);
    const result = await write(patch);
    assert.equal(patch.isEmpty, true);
    assert.equal(result.kind, "dropped");
    assert.deepEqual(logs, []);
  });

  it("reads the object first where it is told to, and writes what differs from that", async () => {
    const newer = (live: KubeObject): KubeObject => ({ ...live, spec: { a: 1, b: 2 } });
    const { write, requests } = world([newer]);
    assert.equal((await write(change(), { readsFirst: true })).kind, "unchanged");
    assert.deepEqual(requests, ["get"]);
    for (const absent of [refusal(404), namesake]) {
      const another = world([absent]);
      assert.equal((await another.write(change(), { readsFirst: true })).kind, "gone");
    }
    const failing = world([refusal(500)]);
    assert.equal((await failing.write(change(), { readsFirst: true })).kind, "kept");
    assert.deepEqual(failing.pending.patch?.toMergePatch(), { spec: { b: 2 } });
  });

  it("writes a finalizer alone", async () => {
    const { write, requests } = world();
    const finalizer = { name: "x/y", wanted: true };
    assert.equal((await write(new Patch(), { finalizer })).kind, "written");
    assert.equal(requests.length, 1);
  });

  it("tells observers what handlers have changed, not what the framework notes", async () => {
    const told: Written[] = [];
    const observer: Observer = { written: (_, written) => void told.push(written) };
    const { write } = world([refusal(500)], observer);
    const notes = new Patch({ metadata: { annotations: { note: "1" } } });
    await write(new Patch({ spec: { a: 1, b: 2 } }), { notes });
    assert.deepEqual(told, []);
    const author = { kind: "reconcile", byEvent: true, concluded: true } as const;
    await write(withFunctions((body) => void (body.status = { c: 3 })), { notes, author });
    assert.deepEqual(told, [
      {
        paths: ["spec.b"],
        writes: 3,
        version: "13",
        byEvent: true,
        concluded: true,
        finalizer: undefined,
      },
    ]);
    for (const wanted of [true, false]) {
      await write(new Patch(), { notes, author, finalizer: { name: "x/y", wanted } });
    }
    assert.deepEqual(told.slice(1).map(({ finalizer }) => finalizer), [true, undefined]);
  });

  it("tells observers nothing where nothing was sent, and of what functions did nothing of the metadata", async () => {
    const told: Written[] = [];
    const labelled = (live: KubeObject): KubeObject => ({
      ...live,
      metadata: { ...live.metadata, labels: { x: "y" }, resourceVersion: "11" },
      status: { c: 3 },
    });
    const { write } = world([labelled], { written: (_, written) => void told.push(written) });
    const idle = new Patch();
    idle.fns.push(() => {});
    await write(idle);
    assert.deepEqual(told, []);
    const busy = new Patch();
    busy.fns.push((body) => void (body.status = { c: 3 }));
    await write(busy);
    assert.deepEqual(told.map(({ paths }) => paths), [["status.c"]]);
  });

  it("tells observers which daemon or timer has written, and what", async () => {
    const told: Written[] = [];
    const { write, state } = world([], { written: (_, written) => void told.push(written) });
    const before = state.body;
    await write(change(), { author: { kind: "timer", handler: "tick", onChange: true } });
    const by = {
      handler: "tick",
      type: "timer",
      onChange: true,
      before,
      content: { spec: { b: 2 } },
      version: "11",
      order: state.cached.order,
    };
    const version = "11";
    assert.deepEqual(told, [{ paths: ["spec.b"], writes: 1, version, byEvent: false, concluded: false, by }]);
  });
});

describe("ObjectWriter.read()", () => {
  it("returns the object, nothing for another one of its name or none, and throws what else is answered", async () => {
    const { writer, state, server } = world([undefined, namesake, refusal(404), refusal(403)]);
    assert.equal(await writer.read(state), server.live);
    assert.equal(await writer.read(state), undefined);
    assert.equal(await writer.read(state), undefined);
    await assert.rejects(writer.read(state), { name: "ApiError", status: 403 });
  });
});

describe("ObjectWriter.isClosed", () => {
  it("is true once the fence has aborted", () => {
    const { writer, fence } = world();
    assert.equal(writer.isClosed, false);
    fence.abort();
    assert.equal(writer.isClosed, true);
  });
});
