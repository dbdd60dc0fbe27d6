import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decide, type Decision, prematch, selectChanges } from "../../lib/controller/decide.ts";
import { causeOf } from "../../lib/controller/reconciliation.ts";
import type { Observer } from "../../lib/execution/observer.ts";
import { PODS } from "../../lib/model/kinds.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { EVERYTHING } from "../../lib/model/selector.ts";
import type { ChangeCause } from "../../lib/registry/causes.ts";
import { declareInto, type On } from "../../lib/registry/on.ts";
import { Registry } from "../../lib/registry/registry.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { type BenchHandler, type BenchOptions, handledBody, makeBench } from "./bench.ts";

const { finalizer } = defaultSettings().persistence;
const NOTHING = { isRequired: false, isPending: false };

function pod(
  metadata: Partial<KubeObject["metadata"]> = {},
  spec: KubeObject["spec"] = { a: 1 },
): KubeObject {
  return { metadata: { name: "one", namespace: "ns", uid: "u", resourceVersion: "1", ...metadata }, spec };
}

/** What is decided about an object, and what is said about it. */
function decided(
  options: BenchOptions,
  claim = NOTHING,
): Decision & { readonly bench: ReturnType<typeof makeBench> } {
  const bench = makeBench(options);
  return { ...decide(bench.r, claim), bench };
}

function selectedBy(
  body: KubeObject,
  handlers: readonly BenchHandler[],
  more: Partial<BenchOptions> = {},
): unknown {
  const decision = decided({ body, handlers, ...more });
  return decision.kind === "handle"
    ? [decision.purpose, ...decision.selected.map(({ id }) => id)]
    : decision.kind;
}

describe("decide()", () => {
  it("leaves alone what no handler could want", () => {
    assert.equal(decided({ body: pod() }).kind, "ignore");
    const handlers: BenchHandler[] = [{ on: "create", options: { labels: { app: "db" } } }];
    assert.equal(decided({ body: pod(), handlers }).kind, "ignore");
  });

  it("reads the cause off the object, and selects the handlers that it calls", () => {
    const handlers = (["create", "update", "resume", "delete"] as const).map((on) => ({ on }));
    const [create, update, resume] = handlers as [BenchHandler, BenchHandler, BenchHandler];
    const listed = { firstSeen: "listing" } as const;
    assert.deepEqual(selectedBy(pod(), [create, update]), ["create", "create"]);
    const handled = handledBody(pod());
    assert.deepEqual(selectedBy(handled, [create, update]), "tidy");
    assert.deepEqual(selectedBy({ ...handled, spec: { a: 2 } }, [create, update]), ["update", "update"]);
    assert.deepEqual(selectedBy(handled, [create, resume], listed), ["resume", "resume"]);
    assert.deepEqual(selectedBy({ ...handled, spec: { a: 2 } }, [update, resume], listed), [
      "update",
      "update",
      "resume",
    ]);
    const held = pod({ finalizers: [finalizer], deletionTimestamp: "2026-01-01T00:00:00Z" });
    assert.deepEqual(selectedBy(held, handlers), ["delete", "delete"]);
  });

  it("shows the cause what changed", () => {
    const body = { ...handledBody(pod()), spec: { a: 2 } };
    const decision = decided({ body, handlers: [{ on: "update" }] });
    assert.ok(decision.kind === "handle");
    const { old, diff } = decision.cause;
    assert.deepEqual([old?.spec, decision.cause.new.spec, diff.map(({ path }) => path)], [
      { a: 1 },
      { a: 2 },
      [["spec", "a"]],
    ]);
  });

  it("puts the finalizer on before anything else, and takes it off when nothing requires it", () => {
    const handlers: BenchHandler[] = [{ on: "create" }, { on: "delete" }];
    const { bench: _bench, ...added } = decided({ body: pod(), handlers });
    assert.deepEqual(added, {
      kind: "finalizer",
      change: { name: finalizer, wanted: true },
      optionalDeletes: undefined,
    });
    const held = pod({ finalizers: [finalizer] });
    const removed = decided({ body: held, handlers: [{ on: "create" }] });
    assert.deepEqual(removed.kind === "finalizer" && removed.change, { name: finalizer, wanted: false });
    const claimed = decided({ body: held, handlers: [{ on: "create" }] }, {
      isRequired: true,
      isPending: false,
    });
    assert.equal(claimed.kind, "handle");
  });

  it("keeps a deleted object as long as daemons are stopping", () => {
    const body = pod({ finalizers: [finalizer], deletionTimestamp: "2026-01-01T00:00:00Z" });
    const pending = { isRequired: true, isPending: true };
    const waiting = decided({ body, handlers: [{ on: "delete" }] }, pending);
    assert.ok(waiting.kind === "handle" && waiting.isPending);
    const others: BenchHandler[] = [{ on: "create", options: { labels: { a: "b" } } }];
    assert.equal(decided({ body, handlers: others }, pending).kind, "ignore");
    const over = decided({ body, handlers: [{ on: "create", options: { labels: { a: "b" } } }] }, {
      isRequired: true,
      isPending: false,
    });
    assert.deepEqual(over.kind === "finalizer" && over.change, { name: finalizer, wanted: false });
  });

  it("has optional deletion handlers called once, when nothing holds the object for them", () => {
    const body = pod({ finalizers: ["other"], deletionTimestamp: "2026-01-01T00:00:00Z" });
    const handlers: BenchHandler[] = [{ on: "delete", options: { optional: true } }];
    const decision = decided({ body, handlers });
    assert.deepEqual(decision.optionalDeletes?.handlers.map(({ id }) => id), ["delete"]);
    assert.equal(decision.optionalDeletes?.cause.reason, "delete");
    decision.bench.state.hasRunOptionalDeletes = true;
    assert.equal(decide(decision.bench.r, NOTHING).optionalDeletes, undefined);
  });

  it("decides about the state that the reconcile began with", () => {
    const bench = makeBench({ body: pod(), handlers: [{ on: "create" }, { on: "delete" }] });
    bench.state.begin(0);
    bench.state.cached.adopt(pod({ resourceVersion: "2", finalizers: [finalizer] }), { from: "watch" });
    assert.equal(decide(bench.r, NOTHING).kind, "finalizer");
    bench.state.begin(0);
    assert.equal(decide(bench.r, NOTHING).kind, "handle");
  });

  it("waits a minute before it speaks of an object that our finalizer holds, though no handler is for it", () => {
    const deletionTimestamp = new Date(0).toISOString();
    const handlers: BenchHandler[] = [{ on: "event" }];
    const bench = makeBench({ body: pod({ finalizers: [finalizer], deletionTimestamp }), handlers });
    bench.state.begin(100);
    const r = { ...bench.r, clock: { ...bench.r.clock, monotonic: () => 145 } };
    assert.deepEqual(decide(r, NOTHING), { kind: "stuck", sayAfter: 15 });
  });

  it("takes a filter that throws for one that does not match, and says so once", () => {
    const when = (): boolean => {
      throw new Error("no");
    };
    const bench = makeBench({ body: pod(), handlers: [{ on: "create", options: { when } }] });
    assert.deepEqual([decide(bench.r, NOTHING).kind, decide(bench.r, NOTHING).kind], ["ignore", "ignore"]);
    assert.deepEqual(bench.messages, ["Filter failed: the handler counts as not matching"]);
  });
});

/** Returns the handlers of pods that the cause of a new object, with the label a=b, calls. */
function select(
  declare: (on: On) => void,
  changes: Partial<ChangeCause> = {},
  observer?: Observer,
): string[] {
  const { r } = makeBench({ body: pod() });
  const registry = new Registry();
  declare(declareInto(registry).on);
  const cause: ChangeCause = {
    ...causeOf(r),
    body: pod({ labels: { a: "b" } }),
    reason: "create",
    initial: false,
    old: undefined,
    new: { spec: { a: 1 } },
    diff: [],
    ...changes,
  };
  const prematched = prematch(r, { cause, handlers: registry.of(PODS).changes });
  return selectChanges(r, { cause, prematched, observer }).map(({ id }) => id);
}

describe("selectChanges()", () => {
  it("[A13] gives one handler for a function that was registered twice under one id", () => {
    const verdicts: (string | undefined)[] = [];
    const observer: Observer = { judged: (_subject, { mismatch }) => void verdicts.push(mismatch) };
    function fn(): void {}
    const declare = (on: On): void => {
      on.create("pods", fn);
      on.create("pods", fn);
      on.resume("pods", fn);
    };
    assert.deepEqual(select(declare, { initial: true }, observer), ["fn"]);
    assert.deepEqual(verdicts, [undefined, "id", "id"]);
  });

  it("[A14] gives two handlers for a function under two ids", () => {
    function fn(): void {}
    assert.deepEqual(
      select((on) => {
        on.create("pods", { id: "a" }, fn);
        on.create("pods", { id: "b" }, fn);
      }),
      ["a", "b"],
    );
  });

  it("[A16] gives the relevant ones, in the order of registration", () => {
    assert.deepEqual(
      select((on) => {
        on.create("pods", { id: "first" }, () => {});
        on.update("pods", { id: "no1" }, () => {});
        on.create("pods.v1", { id: "second", labels: { a: "b" } }, () => {});
        on.create("others.example.com", { id: "no2" }, () => {});
        on.create("pod", { id: "by name" }, () => {});
        on.create(EVERYTHING, { id: "for all" }, () => {});
        on.field("pods", "spec.a", { id: "third" }, () => {});
        on.create("pods", { id: "last" }, () => {});
      }),
      ["first", "second", "by name", "for all", "third/spec.a", "last"],
    );
  });
});

describe("filters of change handlers", () => {
  /** What is said of the handlers of an object whose `spec.a` was 1 and is 2. */
  function verdictsOn(handlers: readonly BenchHandler[]): Record<string, string | undefined> {
    const verdicts: Record<string, string | undefined> = {};
    const observer: Observer = {
      judged: (_subject, { handler, mismatch }) => void (verdicts[handler] = mismatch),
    };
    const body = { ...handledBody(pod()), spec: { a: 2 } };
    decided({ body, handlers: [...handlers, { on: "update", options: { id: "any" } }], observer });
    return verdicts;
  }

  it("are asked once for each handler in a reconcile, `when` too", () => {
    let asked = 0;
    const when = (): boolean => ++asked > 0;
    assert.equal(verdictsOn([{ on: "update", options: { when } }])["update"], undefined);
    assert.equal(asked, 1);
  });

  it("are named by the first that does not hold, in the order: reason, labels, field, change, when", () => {
    const no = (): boolean => false;
    const field = "spec.b";
    const verdicts = verdictsOn([
      { on: "create", options: { labels: { app: "db" } } },
      { on: "update", options: { id: "labels", labels: { app: "db" }, field, when: no } },
      { on: "update", options: { id: "field", field, when: no } },
      { on: "field", options: { id: "change", field: "metadata.labels", value: no, when: no } },
      { on: "update", options: { id: "old", field: "spec.a", old: 5, when: no } },
      { on: "update", options: { id: "when", when: no } },
      { on: "update", options: { id: "field and when", field: "spec.a", when: no } },
    ]);
    assert.deepEqual(verdicts, {
      create: "reason",
      "labels/spec.b": "labels",
      "field/spec.b": "field",
      "change/metadata.labels": "field",
      "old/spec.a": "change",
      when: "when",
      "field and when/spec.a": "when",
      any: undefined,
    });
  });

  it("that throw are named, also if the field has not changed", () => {
    const fail = (): boolean => {
      throw new Error("no");
    };
    assert.deepEqual(
      verdictsOn([
        { on: "update", options: { id: "when", field: "spec.a", old: 5, when: fail } },
        { on: "update", options: { id: "old", field: "spec.a", old: fail } },
      ]),
      { "when/spec.a": "error", "old/spec.a": "error", any: undefined },
    );
  });
});
