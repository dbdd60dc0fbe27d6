import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../lib/client/errors.ts";
import { TemporaryError } from "../../lib/execution/errors.ts";
import { changesOf } from "../../lib/handlers/change/change_slot.ts";
import { reconcile } from "../../lib/controller/reconcile.ts";
import type { Turn as Occasion } from "../../lib/controller/work_queue.ts";
import type { WriteRequest, WriteResult } from "../../lib/execution/object_writer.ts";
import type { KubeObject, WatchEvent } from "../../lib/model/object.ts";
import { ABSENT } from "../../lib/handlers/filters.ts";
import { isEqualJson } from "../../lib/model/json.ts";
import { applyMergePatch, Patch } from "../../lib/model/patch.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { type Bench, type BenchHandler, handledBody, makeBench } from "../handlers/bench.ts";

function pod(version = 1): KubeObject {
  return {
    metadata: { name: "one", namespace: "ns", uid: "u", resourceVersion: String(version) },
    spec: { a: 1 },
  };
}

function why({ state }: Bench, type?: WatchEvent["type"], more: Partial<Occasion> = {}): Occasion {
  const event = type === undefined ? [] : [{ type, object: state.body }];
  const events = event.map((event) => ({
    cached: state.cached,
    event,
    adoption: "newer" as const,
    origin: "server" as const,
  }));
  return { wake: "event", events, failures: 0, waited: 0, isUrgent: false, ...more };
}

const HANDLERS: readonly BenchHandler[] = [{ on: "event" }, { on: "create" }, { on: "update" }];

describe("reconcile()", () => {
  it("goes its way in one order: read if in doubt, raw events, daemons, handlers, one write", async () => {
    const handlers: BenchHandler[] = [...HANDLERS, { on: "daemon" }, {
      on: "create",
      options: { id: "two" },
      fn: () => 2,
    }];
    const bench = makeBench({ body: pod(), handlers });
    bench.state.distrust("conflict");
    assert.deepEqual(await reconcile(bench.turn, why(bench, "ADDED")), { kind: "done" });
    assert.deepEqual(bench.calls, ["read", "event", "daemons", "create", "two", "write"]);
    const [{ patch, notes, author }] = bench.requests as [WriteRequest];
    assert.deepEqual(patch.toMergePatch(), { status: { two: 2 } });
    assert.equal(notes?.isEmpty, false);
    assert.deepEqual(author, { kind: "reconcile", byEvent: false, concluded: true });
  });

  it("does nothing where nothing has happened, but goes on for every other reason", async () => {
    const bench = makeBench({ body: handledBody(pod()), handlers: HANDLERS });
    bench.state.begin(0);
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "unchanged" });
    assert.deepEqual(bench.calls, []);
    assert.deepEqual(await reconcile(bench.turn, why(bench, undefined, { wake: "retry" })), { kind: "done" });
    assert.deepEqual(await reconcile(bench.turn, why(bench, undefined, { failures: 1 })), { kind: "done" });
    bench.state.pending.keep(new Patch({ status: { a: 1 } }));
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "done" });
    assert.deepEqual(bench.calls, ["write", "write", "write"]);
  });

  it("tells raw event handlers of a deletion, stops daemons, and writes nothing", async () => {
    const bench = makeBench({ body: pod(), handlers: HANDLERS });
    assert.deepEqual(await reconcile(bench.turn, why(bench, "DELETED")), { kind: "gone" });
    assert.deepEqual(bench.calls, ["event", "forget RESOURCE_DELETED"]);
  });

  it("goes on at once with what its write has made of the object", async () => {
    const bench = makeBench({
      body: pod(),
      handlers: HANDLERS,
      write(_request, { cached }) {
        cached.adopt(pod(2), { from: "write", until: 0 });
        return { kind: "written", body: pod(2), writes: 1, outgoing: { content: {}, fns: [] }, lost: [] };
      },
    });
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "requeue", after: 0, wake: "write" });
    assert.equal(changesOf(bench.state).hasHandledCause, true);
  });

  describe("after its own write", () => {
    const write =
      (change: (body: KubeObject) => KubeObject = (body) => body) =>
      ({ notes }: WriteRequest, { cached }: Bench["state"]): WriteResult => {
        const { metadata, ...rest } = applyMergePatch(cached.object, notes?.toMergePatch() ?? {});
        const body = change({
          ...rest,
          metadata: { ...metadata, resourceVersion: "2" },
          status: { state: "made" },
        });
        cached.adopt(body, { from: "write", until: 0 });
        return { kind: "written", body, writes: 1, outgoing: { content: {}, fns: [] }, lost: [] };
      };
    const AGAIN = { kind: "requeue", after: 0, wake: "write" };
    const create: BenchHandler = { on: "create" };

    it("is done with an object that is as it was, but for its notes and what nobody looks at", async () => {
      const bench = makeBench({ body: pod(), handlers: [create], write: write() });
      assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "done" });
      assert.equal(bench.state.hasNews, false);
      assert.equal(bench.state.snapshot.metadata.resourceVersion, "2");
      assert.equal(
        bench.state.settledFor,
        bench.turn.kind.handlers,
        "nor do changes of others there need a turn",
      );
      assert.equal(changesOf(bench.state).lastHandled, undefined);
    });

    it("looks at it again if it is another one: by somebody else, without our notes, or about to go", async () => {
      const changes: ((body: KubeObject) => KubeObject)[] = [
        (body) => ({ ...body, spec: { a: 2 } }),
        (body) => ({ ...body, metadata: { ...body.metadata, labels: { a: "b" } } }),
        (body) => ({ ...body, metadata: { ...body.metadata, annotations: {} } }),
        (body) => ({ ...body, metadata: { ...body.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      ];
      for (const change of changes) {
        const bench = makeBench({ body: pod(), handlers: [create], write: write(change) });
        assert.deepEqual(await reconcile(bench.turn, why(bench)), AGAIN, String(change));
        assert.equal(bench.state.settledFor, undefined);
      }
    });

    it("looks at it again where there was no room for the note, so that it is known in memory", async () => {
      const { metadata, ...rest } = pod();
      const body = { ...rest, metadata: { ...metadata, annotations: { big: "x".repeat(262_100) } } };
      const bench = makeBench({ body, handlers: [create], write: write() });
      assert.deepEqual(await reconcile(bench.turn, why(bench)), AGAIN);
      assert.notEqual(changesOf(bench.state).lastHandled, undefined);
    });

    it("looks at it again if something newer came, a handler is to be called again, or anything may matter", async () => {
      const newer = ({ notes }: WriteRequest, state: Bench["state"]): WriteResult => {
        const result = write()({ notes } as WriteRequest, state);
        state.cached.adopt(pod(3), { from: "watch" });
        return result;
      };
      const fails = (): void => {
        throw new TemporaryError("again", { delay: 7 });
      };
      const cases: (readonly [BenchHandler, ReturnType<typeof write>])[] = [
        [create, newer],
        [create, (request, state) => write()({ ...request, notes: undefined }, state)],
        [{ on: "create", fn: fails }, write()],
        [{ on: "create", options: { when: () => true } }, write()],
        [{ on: "create", options: { annotations: { "lotse.dev/other": ABSENT } } }, write()],
        [{ on: "create", options: { field: "status.state" } }, write()],
      ];
      for (const [index, [handler, answer]] of cases.entries()) {
        const bench = makeBench({
          body: pod(),
          handlers: [{ on: "create", options: { id: "x" } }, handler],
          write: answer,
        });
        assert.deepEqual(await reconcile(bench.turn, why(bench)), AGAIN, `case ${index}`);
      }
    });
  });

  it("waits for a handler that wants to be tried again", async () => {
    const fn = (): void => {
      throw new Error("not yet");
    };
    const bench = makeBench({ body: pod(), handlers: [{ on: "create", options: { backoff: 7 }, fn }] });
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "requeue", after: 7, wake: "retry" });
    assert.equal(changesOf(bench.state).hasHandledCause, false);
  });

  it("lets handlers that only ask to be retried at once wait longer and longer, until one gets somewhere", async () => {
    let isDone = false;
    const times: number[] = [];
    const fn = (): void => {
      times.push(bench.host.clock.monotonic());
      if (!isDone) throw new TemporaryError("again", { delay: 0 });
    };
    const bench = makeBench({
      body: pod(),
      handlers: [{ on: "create", fn }],
      write({ notes }, { cached }) {
        const version = String(Number(cached.object.metadata.resourceVersion) + 1);
        const written = applyMergePatch(cached.object, notes?.toMergePatch() ?? {});
        if (isEqualJson(written, cached.object)) return { kind: "unchanged" };
        const body = { ...written, metadata: { ...written.metadata, resourceVersion: version } };
        cached.adopt(body, { from: "write", until: 0 });
        return { kind: "written", body, writes: 1, outgoing: { content: {}, fns: [] }, lost: [] };
      },
    });
    const { clock } = bench.host;
    const next = async (): Promise<unknown> => {
      const result = await reconcile(
        bench.turn,
        why(bench, undefined, { wake: "retry" }),
      );
      if ("after" in result) await clock.advance(result.after);
      return "after" in result ? result.after : result.kind;
    };
    while (times.length < 20) await next();
    const waits = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) * 1000));
    assert.deepEqual(waits.slice(0, 6), [0, 0, 0, 5, 10, 20]);
    assert.equal(waits.at(-1), 1000);
    isDone = true;
    while (times.length < 21) await next();
    assert.equal(bench.state.hasNews, false, "the last write has made nothing of it that is to be looked at");
  });

  it("fails with its write, keeps the records of what has succeeded, and reads after a conflict", async () => {
    const error = new ApiError({ status: 409, request: "PATCH /" });
    const answers: WriteResult[] = [{ kind: "kept", error }, { kind: "dropped", error, handlers: [] }];
    for (const answer of answers) {
      const bench = makeBench({ body: pod(), handlers: HANDLERS, write: () => answer });
      await assert.rejects(reconcile(bench.turn, why(bench)), error);
      assert.deepEqual([...changesOf(bench.state).unsaved.keys()], ["create"]);
      assert.equal(bench.state.doubt, answer.kind === "kept" ? "conflict" : undefined);
    }
  });

  it("[P1] notes in its next turn that attempts have failed whose write was refused, and of no other handler", async () => {
    const error = new Error("spec.a: too long");
    const write = ({ handlers = [] }: WriteRequest): WriteResult =>
      bench.requests.length === 1 ? { kind: "dropped", error, handlers } : { kind: "unchanged" };
    const bench = makeBench({
      body: pod(),
      handlers: [
        { on: "create", options: { id: "quiet" } },
        { on: "create", options: { id: "wrong", backoff: 7 }, fn: () => ({ big: 1 }) },
        { on: "create", options: { id: "late" } },
      ],
      write,
    });
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "requeue", after: 0, wake: "error" });
    const next = await reconcile(bench.turn, why(bench, undefined, { wake: "error" }));
    assert.deepEqual(next, { kind: "requeue", after: 7, wake: "retry" });
    assert.deepEqual(bench.calls, ["quiet", "wrong", "late", "write", "write"]);
    assert.deepEqual(bench.messages.filter((message) => /failed/.test(message)), [
      "Handler failed temporarily",
    ]);
    const notes = JSON.stringify(bench.requests[1]?.notes?.toMergePatch());
    assert.match(notes, /spec\.a: too long/);
    assert.equal(changesOf(bench.state).hasHandledCause, false);
  });

  it("[P1] fails a handler for good whose writes were refused as often as it may be tried", async () => {
    const error = new Error("no");
    const bench = makeBench({
      body: pod(),
      handlers: [{ on: "create", options: { id: "wrong", retries: 1 }, fn: () => 1 }],
      write: ({ handlers = [] }) =>
        handlers.length > 0 ? { kind: "dropped", error, handlers } : { kind: "unchanged" },
    });
    await reconcile(bench.turn, why(bench));
    assert.deepEqual(await reconcile(bench.turn, why(bench, undefined, { wake: "error" })), { kind: "done" });
    assert.deepEqual(bench.calls, ["wrong", "write", "write"]);
    assert.equal(changesOf(bench.state).hasHandledCause, true);
  });

  it("notes nothing as handled whose functions have lost a race", async () => {
    const bench = makeBench({
      body: pod(),
      handlers: HANDLERS,
      write: (_request, { pending }) => {
        pending.keepLost([() => {}]);
        return {
          kind: "written",
          body: pod(2),
          writes: 1,
          outgoing: { content: {}, fns: [] },
          lost: [() => {}],
        };
      },
    });
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "requeue", after: 0, wake: "write" });
    assert.deepEqual([...changesOf(bench.state).unsaved.keys()], ["create"]);
    assert.deepEqual([changesOf(bench.state).hasHandledCause, bench.state.doubt], [false, "conflict"]);
  });

  it("sends functions that lost a race before handlers run", async () => {
    const bench = makeBench({ body: pod(), handlers: HANDLERS });
    const record = { purpose: "create", retries: 1, success: true, failure: false } as const;
    changesOf(bench.state).unsaved = new Map([["create", {
      ...record,
      started: "2026-01-01T00:00:00.000Z",
    }]]);
    bench.state.pending.keepLost([() => {}]);
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "requeue", after: 0, wake: "retry" });
    assert.deepEqual(bench.calls, ["write"]);
    assert.deepEqual([...changesOf(bench.state).unsaved.keys()], ["create"], "it is not repeated");
  });

  it("does nothing with an object that has gone, and asks again when there is news of it", async () => {
    const server: { live?: KubeObject } = {};
    const bench = makeBench({
      body: pod(),
      handlers: HANDLERS,
      read: () => server.live,
      write: () => ({ kind: "gone" }),
    });
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "done" });
    assert.deepEqual(await reconcile(bench.turn, why(bench, undefined, { wake: "dependency" })), {
      kind: "unchanged",
    });
    bench.state.cached.adopt(pod(2), { from: "watch" });
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "unchanged" });
    server.live = pod(3);
    bench.state.cached.adopt(server.live, { from: "watch" });
    await reconcile(bench.turn, why(bench));
    assert.deepEqual(bench.calls, ["create", "write", "read", "read", "create", "write"]);
  });

  it("tells observers of changes by others, not of what its own write has made", async () => {
    const changes: unknown[] = [];
    const adopted = (_subject: unknown, { after }: { readonly after: KubeObject }): void => {
      changes.push(after.metadata.resourceVersion);
    };
    const bench = makeBench({ body: pod(), handlers: [{ on: "event" }], observer: { adopted } });
    await reconcile(bench.turn, why(bench));
    bench.state.cached.adopt(pod(2), { from: "write", until: 0 });
    await reconcile(bench.turn, why(bench, undefined, { wake: "write" }));
    bench.state.cached.adopt(pod(3), { from: "watch" });
    await reconcile(bench.turn, why(bench, "MODIFIED"));
    assert.deepEqual(changes, ["3"]);
  });
});

/** One turn of an object: which change of the finalizer is written, and what is called. */
async function turnOf(
  options: Parameters<typeof makeBench>[0],
): Promise<
  { readonly wanted: boolean | undefined; readonly calls: readonly string[]; readonly bench: Bench }
> {
  const bench = makeBench(options);
  await reconcile(bench.turn, why(bench));
  const calls = bench.calls.filter((call) => call !== "write" && call !== "daemons");
  return { wanted: bench.requests[0]?.finalizer?.wanted, calls, bench };
}

describe("the finalizer", () => {
  const { finalizer } = defaultSettings().persistence;
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const [NOTHING, REQUIRED, PENDING] = [[false, false], [true, false], [true, true]].map((
    [isRequired = false, isPending = false],
  ) => ({ isRequired, isPending }));

  function podWith(metadata: Partial<KubeObject["metadata"]>): KubeObject {
    return { ...pod(), metadata: { ...pod().metadata, ...metadata } };
  }

  const create: BenchHandler = { on: "create" };
  const remove: BenchHandler = { on: "delete" };
  const optional: BenchHandler = { on: "delete", options: { optional: true } };
  const daemon: BenchHandler = { on: "daemon" };
  const other: BenchHandler = { on: "create", options: { labels: { a: "b" } } };
  const free = podWith({});
  const held = podWith({ finalizers: [finalizer] });
  const leaving = podWith({ finalizers: [finalizer], deletionTimestamp });
  const unheld = podWith({ finalizers: ["other"], deletionTimestamp });

  const cases:
    readonly (readonly [string, Parameters<typeof makeBench>[0], boolean | undefined, string[]])[] = [
      ["goes on alone, before handlers", { body: free, handlers: [create, remove] }, true, []],
      ["goes on for daemons", { body: free, handlers: [create, daemon], claim: REQUIRED }, true, []],
      ["comes off alone, when no part requires it", { body: held, handlers: [create] }, false, []],
      [
        "stays where a part requires it",
        { body: held, handlers: [create, daemon], claim: REQUIRED },
        undefined,
        ["create"],
      ],
      [
        "is left alone where no handler could want the object",
        { body: free, handlers: [other] },
        undefined,
        [],
      ],
      ["comes off with the notes, when deletion is handled", { body: leaving, handlers: [remove] }, false, [
        "delete",
      ]],
      [
        "waits for daemons that stop",
        { body: leaving, handlers: [remove, daemon], claim: PENDING },
        undefined,
        ["delete"],
      ],
      [
        "waits for daemons alone",
        { body: leaving, handlers: [other, daemon], claim: PENDING },
        undefined,
        [],
      ],
      [
        "comes off when daemons have stopped",
        { body: leaving, handlers: [other, daemon], claim: REQUIRED },
        false,
        [],
      ],
      [
        "comes off of what is released",
        { body: leaving, handlers: [create, daemon], claim: NOTHING },
        false,
        [],
      ],
      ["does not hold optional handlers up", { body: unheld, handlers: [optional] }, undefined, ["delete"]],
      ["comes off after optional handlers", { body: leaving, handlers: [optional] }, false, ["delete"]],
      [
        "waits for optional handlers beside others",
        { body: leaving, handlers: [optional, daemon], claim: PENDING },
        undefined,
        [
          "delete",
        ],
      ],
    ];
  for (const [title, options, wanted, calls] of cases) {
    it(title, async () => {
      const turn = await turnOf(options);
      assert.deepEqual([turn.wanted, turn.calls], [wanted, calls]);
    });
  }

  it("lets optional handlers have one call", async () => {
    const { bench } = await turnOf({ body: unheld, handlers: [optional] });
    await reconcile(bench.turn, why(bench, undefined, { wake: "retry" }));
    assert.deepEqual(bench.calls.filter((call) => call === "delete"), ["delete"]);
  });

  it("is decided about by the state that the turn began with", async () => {
    const { bench, wanted } = await turnOf({ body: free, handlers: [create, remove] });
    assert.equal(wanted, true);
    bench.state.cached.adopt(podWith({ resourceVersion: "2", finalizers: [finalizer] }), { from: "watch" });
    await reconcile(bench.turn, why(bench));
    assert.deepEqual(bench.calls, ["write", "create", "write"]);
  });

  it("is spoken of after a minute, where it holds an object though no handler is for it", async () => {
    const bench = makeBench({ body: leaving, handlers: [{ on: "event" }] });
    assert.deepEqual(await reconcile(bench.turn, why(bench)), { kind: "requeue", after: 60, wake: "retry" });
    await bench.host.clock.advance(45);
    const again = why(bench, undefined, { wake: "retry" });
    assert.deepEqual(await reconcile(bench.turn, again), { kind: "requeue", after: 15, wake: "retry" });
    await bench.host.clock.advance(15);
    assert.deepEqual(await reconcile(bench.turn, again), { kind: "done" });
    assert.equal(bench.messages.length, 1);
  });
});

describe("filters that throw", () => {
  it("count as not matching, which is said once", async () => {
    const when = (): boolean => {
      throw new Error("no");
    };
    const bench = makeBench({ body: pod(), handlers: [{ on: "create", options: { when } }] });
    await reconcile(bench.turn, why(bench));
    await reconcile(bench.turn, why(bench, undefined, { wake: "retry" }));
    assert.deepEqual(bench.calls.filter((call) => call === "create"), []);
    assert.deepEqual(bench.messages, ["Filter failed: the handler counts as not matching"]);
  });
});
