import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../lib/model/object.ts";
import {
  ABSENT,
  all,
  any,
  type Candidate,
  type Filters,
  matches,
  matchesChange,
  none,
  not,
  PRESENT,
} from "../../lib/handlers/filters.ts";
import { declareInto, type On } from "../../lib/handlers/on.ts";
import { Registry } from "../../lib/handlers/registry.ts";

function body(content: Partial<KubeObject> = {}): KubeObject {
  return { metadata: {}, ...content };
}

function hasLabels(filters: Filters["labels"], labels: Record<string, string>): boolean {
  return matches({ labels: filters }, { body: body({ metadata: { labels } }), args: () => ({}) });
}

/** Whether the handler that is declared wants this. */
function declared(declare: (on: On) => void, candidate: Partial<Candidate>): boolean {
  const registry = new Registry();
  declare(declareInto(registry).on);
  const [handler] = registry.objectHandlers;
  assert.ok(handler !== undefined);
  const whole = { body: body(), args: () => ({}), ...candidate };
  return matches(handler, whole) && matchesChange(handler, whole);
}

/** Whether an `on.update` with these filters wants this change. */
function wants(filters: object, old: unknown, now: unknown): boolean {
  return declared((on) => on.update("examples", filters, () => {}), { change: { old, new: now } });
}

/** Whether an `on.create` with these filters wants this new object. */
function wantsNew(filters: object, now: unknown): boolean {
  return declared((on) => on.create("examples", filters, () => {}), { change: { old: undefined, new: now } });
}

describe("matches()", () => {
  it("[A51] takes objects with the label's value, whatever other labels they have", () => {
    assert.equal(hasLabels({ k: "v" }, { k: "v", more: "x" }), true);
  });

  it("[A52] leaves objects with another value or without the label", () => {
    assert.equal(hasLabels({ k: "v" }, { k: "other" }), false);
    assert.equal(hasLabels({ k: "v" }, {}), false);
    assert.equal(matches({ labels: { k: "v" } }, { body: body(), args: () => ({}) }), false);
  });

  it("[A53] takes any value, also an empty one, where the label must be present", () => {
    assert.equal(hasLabels({ k: PRESENT }, { k: "" }), true);
    assert.equal(hasLabels({ k: PRESENT }, {}), false);
  });

  it("[A54] takes objects without the label where it must be absent", () => {
    assert.equal(hasLabels({ k: ABSENT }, {}), true);
    assert.equal(hasLabels({ k: ABSENT }, { k: "" }), false);
  });

  it("[A55] asks predicates about absent labels with undefined", () => {
    const seen: unknown[] = [];
    hasLabels({ k: (value) => seen.push(value) > 0 }, {});
    assert.deepEqual(seen, [undefined]);
  });

  it("does not take inherited names for labels", () => {
    assert.equal(hasLabels({ toString: PRESENT } as never, {}), false);
    assert.equal(hasLabels({ ["__proto__"]: PRESENT }, {}), false);
  });

  it("[A56] wants all criteria to hold", () => {
    const filters = { labels: { k: "v" }, annotations: { k: "v" } };
    const has = (label: string, annotation: string): boolean => {
      const metadata = { labels: { k: label }, annotations: { k: annotation } };
      return matches(filters, { body: body({ metadata }), args: () => ({}) });
    };
    assert.deepEqual([has("v", "v"), has("v", "other"), has("other", "v")], [true, false, false]);
  });

  it("asks `when` last, and only if everything else has matched", () => {
    let asked = 0;
    const when = (): boolean => ++asked > 0;
    assert.equal(matches({ labels: { k: "v" }, when }, { body: body(), args: () => ({}) }), false);
    assert.equal(asked, 0);
    assert.equal(matches({ when }, { body: body(), args: () => ({}) }), true);
    assert.equal(asked, 1);
  });

  it("[A68] leaves objects for which `when` says no", () => {
    assert.equal(matches({ when: () => false }, { body: body(), args: () => ({}) }), false);
  });

  it("[A60] takes a field that was changed, added or removed", () => {
    const filters = { field: ["f"] };
    assert.equal(wants(filters, { f: 1 }, { f: 2 }), true);
    assert.equal(wants(filters, {}, { f: 2 }), true);
    assert.equal(wants(filters, { f: 1 }, {}), true);
  });

  it("[A61] leaves changes of other fields", () => {
    assert.equal(wants({ field: ["f"] }, { f: 1, g: 1 }, { f: 1, g: 2 }), false);
  });

  it("[A62] takes a value on either side of the change", () => {
    const filters = { field: ["f"], value: "x" };
    assert.equal(wants(filters, { f: "x" }, { f: "y" }), true);
    assert.equal(wants(filters, { f: "y" }, { f: "x" }), true);
    assert.equal(wants(filters, { f: "y" }, { f: "z" }), false);
  });

  it("[A63] takes the new value on its side only", () => {
    const filters = { field: ["f"], new: "x" };
    assert.equal(wants(filters, { f: "y" }, { f: "x" }), true);
    assert.equal(wants(filters, { f: "x" }, { f: "y" }), false);
  });

  it("[A64] tells added fields from edited ones", () => {
    const filters = { field: ["f"], old: ABSENT, new: PRESENT };
    assert.equal(wants(filters, {}, { f: 1 }), true);
    assert.equal(wants(filters, { f: 1 }, { f: 2 }), false);
  });

  it("[A65] recognises removed fields", () => {
    const filters = { field: ["f"], old: PRESENT, new: ABSENT };
    assert.equal(wants(filters, { f: 1 }, {}), true);
    assert.equal(wants(filters, { f: 1 }, { f: 2 }), false);
  });

  it("[A66] sees a field vanish when its parent turns into a scalar, and appear when it turns back", () => {
    const filters = { field: ["a", "b", "c"] };
    assert.equal(wants(filters, { a: { b: { c: 1 } } }, { a: { b: "scalar" } }), true);
    assert.equal(wants(filters, { a: { b: "scalar" } }, { a: { b: { c: 1 } } }), true);
  });

  it("[A67] sees no field behind a scalar on both sides", () => {
    assert.equal(wants({ field: ["a", "b", "c"] }, { a: { b: "x" } }, { a: { b: "y" } }), false);
  });

  it("[A71] asks predicates about absent values with undefined", () => {
    const seen: unknown[] = [];
    wants({ field: ["f"], value: (value: unknown) => seen.push(value) > 2 }, {}, {});
    assert.deepEqual(seen, [undefined, undefined]);
  });

  it("[A58] takes objects that have the field, where no value is named", () => {
    assert.equal(wantsNew({ field: ["f"] }, { f: 1 }), true);
    assert.equal(wantsNew({ field: ["f"] }, {}), false);
  });

  it("[A59] takes new objects without the field, where it must be absent", () => {
    assert.equal(wantsNew({ field: ["f"], value: ABSENT }, {}), true);
  });

  it("[A74] looks at the current object where there is no change", () => {
    const filters = { field: ["spec", "f"], value: "x" };
    const wants = (f: string): boolean =>
      declared((on) => on.event("examples", filters, () => {}), { body: body({ spec: { f } }) });
    assert.deepEqual([wants("x"), wants("y")], [true, false]);
  });

  it("refuses async filters", () => {
    const when = (() => Promise.resolve(false)) as unknown as () => boolean;
    assert.throws(() => matches({ when }, { body: body(), args: () => ({}) }), TypeError);
  });
});

describe("combinators", () => {
  it("[A69] give the truth table, also of nothing", () => {
    const yes = (): boolean => true;
    const no = (): boolean => false;
    assert.deepEqual([not(yes)(), not(no)()], [false, true]);
    assert.deepEqual([all([])(), all([yes, yes])(), all([yes, no])()], [true, true, false]);
    assert.deepEqual([any([])(), any([no, yes])(), any([no, no])()], [false, true, false]);
    assert.deepEqual([none([])(), none([no, no])(), none([no, yes])()], [true, true, false]);
  });

  it("hand their arguments on", () => {
    const isX = (value: string | undefined, _args: object): boolean => value === "x";
    assert.equal(hasLabels({ k: all([isX, not(not(isX))]) }, { k: "x" }), true);
  });
});
