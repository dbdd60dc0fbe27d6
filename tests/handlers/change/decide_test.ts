import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHANGE } from "../../../lib/handlers/change/change_handler.ts";
import { changesOf } from "../../../lib/handlers/change/change_slot.ts";
import { detectCause, prematch, selectChanges } from "../../../lib/handlers/change/decide.ts";
import { causeOf } from "../../../lib/handlers/turn.ts";
import type { Observer } from "../../../lib/execution/observer.ts";
import { PODS } from "../../../lib/model/kinds.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { EVERYTHING } from "../../../lib/model/selector.ts";
import type { ChangeCause } from "../../../lib/handlers/change/change_cause.ts";
import { declareInto, type On } from "../../../lib/handlers/on.ts";
import { Registry } from "../../../lib/handlers/registry.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import { type BenchHandler, type BenchOptions, handledBody, makeBench } from "../bench.ts";

const { finalizer } = defaultSettings().persistence;

function pod(
  metadata: Partial<KubeObject["metadata"]> = {},
  spec: KubeObject["spec"] = { a: 1 },
): KubeObject {
  return { metadata: { name: "one", namespace: "ns", uid: "u", resourceVersion: "1", ...metadata }, spec };
}

/** What is found out about an object: its cause, and the handlers that it calls. */
function decided(
  options: BenchOptions,
): { readonly cause: ChangeCause; readonly selected: readonly string[] } {
  const { turn } = makeBench(options);
  const cause = detectCause(turn, changesOf(turn.state));
  const prematched = prematch(turn, { cause, handlers: turn.kind.handlers.of(CHANGE) });
  const selected = selectChanges(turn, { cause, prematched, observer: options.observer });
  return { cause, selected: selected.map(({ id }) => id) };
}

function selectedBy(
  body: KubeObject,
  handlers: readonly BenchHandler[],
  more: Partial<BenchOptions> = {},
): readonly string[] {
  const { cause, selected } = decided({ body, handlers, ...more });
  return [cause.reason, ...selected];
}

describe("detectCause()", () => {
  it("reads the cause off the object, for the handlers that it calls", () => {
    const handlers = (["create", "update", "resume", "delete"] as const).map((on) => ({ on }));
    const [create, update, resume] = handlers as [BenchHandler, BenchHandler, BenchHandler];
    const listed = { firstSeen: "listing" } as const;
    assert.deepEqual(selectedBy(pod(), [create, update]), ["create", "create"]);
    const handled = handledBody(pod());
    assert.deepEqual(selectedBy(handled, [create, update]), ["noop"]);
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
    const { cause } = decided({ body, handlers: [{ on: "update" }] });
    assert.deepEqual([cause.old?.spec, cause.new.spec, cause.diff.map(({ path }) => path)], [
      { a: 1 },
      { a: 2 },
      [["spec", "a"]],
    ]);
  });
});

/** Returns the handlers of pods that the cause of a new object, with the label a=b, calls. */
function select(
  declare: (on: On) => void,
  changes: Partial<ChangeCause> = {},
  observer?: Observer,
): string[] {
  const { turn } = makeBench({ body: pod() });
  const registry = new Registry();
  declare(declareInto(registry).on);
  const cause: ChangeCause = {
    ...causeOf(turn),
    body: pod({ labels: { a: "b" } }),
    reason: "create",
    initial: false,
    old: undefined,
    new: { spec: { a: 1 } },
    diff: [],
    ...changes,
  };
  const prematched = prematch(turn, { cause, handlers: registry.of(PODS).of(CHANGE) });
  return selectChanges(turn, { cause, prematched, observer }).map(({ id }) => id);
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
