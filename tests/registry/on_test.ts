import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT, defaultOperator, operator, PRESENT, resource } from "../../mod.ts";
import type { ChangeHandler } from "../../lib/registry/handlers.ts";
import { indexWord } from "../../lib/registry/indexes.ts";
import { On } from "../../lib/registry/on.ts";
import { Registry } from "../../lib/registry/registry.ts";

const Kind = resource({ group: "example.com", version: "v1", plural: "databases" });
const Other = resource({ group: "example.com", version: "v1", plural: "others" });

function declared(declare: (on: On) => void): readonly ChangeHandler[] {
  const registry = new Registry();
  declare(new On(registry));
  return registry.changeHandlers;
}

function only(declare: (on: On) => void): ChangeHandler {
  const [handler, ...rest] = declared(declare);
  assert.ok(handler !== undefined && rest.length === 0);
  return handler;
}

describe("On", () => {
  it("[A1] takes the function's name as the id", () => {
    function fn(): void {}
    assert.equal(only((on) => on.create(Kind, fn)).id, "fn");
  });

  it("[A2] appends the field to the function's name", () => {
    function fn(): void {}
    assert.equal(only((on) => on.update(Kind, { field: "spec.a.b" }, fn)).id, "fn/spec.a.b");
  });

  it("[A3] appends the field to an explicit id", () => {
    const handler = only((on) => on.field(Kind, { id: "x", field: ["spec", "a"] }, function fn() {}));
    assert.equal(handler.id, "x/spec.a");
  });

  it("[A4] appends no field to the name of an index", () => {
    const registry = new Registry();
    indexWord(registry)(Kind, { field: "spec.a" }, function fn() {});
    assert.deepEqual(registry.indexHandlers.map(({ id, field }) => [id, field]), [["fn", ["spec", "a"]]]);
  });

  it("[A5] takes the name of the function that a bound one calls", () => {
    function fn(): void {}
    assert.equal(only((on) => on.create(Kind, fn.bind(undefined).bind(undefined))).id, "fn");
  });

  it("takes the cause's name for a function without a name", () => {
    assert.equal(only((on) => on.create(Kind, () => {})).id, "create");
    assert.equal(only((on) => on.field(Kind, "spec.a", () => {})).id, "field/spec.a");
  });

  it("[A7] refuses a field handler without a field", () => {
    // @ts-expect-error The compiler refuses it as well.
    assert.throws(() => declared((on) => on.field(Kind, {}, () => {})), /TypeError: .*its field is missing/);
    assert.throws(() => declared((on) => on.field(Kind, { field: [] }, () => {})), /its field is missing/);
  });

  it("[A8] refuses a value without a field, for any cause", () => {
    const options = { value: "v" };
    const op = operator();
    const attempts = [
      ...(["create", "update", "delete", "resume", "event", "validate", "mutate"] as const)
        .map((cause) => () => Reflect.apply(op.on[cause], op.on, [Kind, options, () => {}])),
      () => op.index(Kind, options, () => {}),
      () => op.daemon(Kind, options, () => {}),
      () => op.timer(Kind, { ...options, interval: 1 }, () => {}),
    ];
    const error = { name: "TypeError", message: /needs a field/ };
    for (const attempt of attempts) assert.throws(attempt, error, `${attempt}`);
  });

  it("[A9] refuses a value together with old or new", () => {
    for (const name of ["old", "new"]) {
      const options = { field: "spec.a", value: "v", [name]: "x" };
      const error = { name: "TypeError", message: new RegExp(`by "value" and "${name}"`) };
      assert.throws(() => declared((on) => on.update(Kind, options, () => {})), error, name);
      assert.throws(() => declared((on) => on.field(Kind, options, () => {})), error, name);
    }
  });

  it("[A10] refuses null as a label's or annotation's value", () => {
    for (const name of ["labels", "annotations"]) {
      const options = { [name]: { key: null } } as object;
      const error = { name: "TypeError", message: /take PRESENT or ABSENT/ };
      assert.throws(() => declared((on) => on.create(Kind, options, () => {})), error, name);
      assert.throws(() => new On(new Registry()).event(Kind, options, () => {}), error, name);
    }
  });

  it("refuses old and new where there is no such thing", () => {
    // @ts-expect-error The compiler refuses it as well.
    assert.throws(() => declared((on) => on.create(Kind, { field: "spec.a", old: 1 }, () => {})), TypeError);
  });

  it("refuses unknown options, and names those that are known", () => {
    const options = { retrys: 3 } as object;
    assert.throws(() => declared((on) => on.create(Kind, options, () => {})), /"retrys".*retries/);
  });

  it("refuses to register without a function", () => {
    // @ts-expect-error The compiler refuses it as well.
    assert.throws(() => declared((on) => on.create(Kind, { id: "x" })), TypeError);
  });

  it("[A15] refuses a second function under the same id on the same kind", () => {
    const on = new On(new Registry());
    on.create(Kind, { id: "same" }, () => {});
    assert.throws(() => on.update(Kind, { id: "same" }, () => {}), /two handlers with the id "same"/);
    on.create(Other, { id: "same" }, () => {});
  });

  it("refuses ids whose progress would be stored under one name", () => {
    const op = operator();
    op.on.create(Kind, { id: "a/b" }, () => {});
    assert.throws(() => op.on.create(Kind, { id: "a.b" }, () => {}), /under one name/);
  });

  it("[A17] keeps the handlers of operators apart", () => {
    const [one, two] = [operator(), operator()];
    one.on.create(Kind, () => {});
    assert.deepEqual([one.isEmpty, two.isEmpty, defaultOperator.isEmpty], [false, true, true]);
  });

  it("takes all forms of kinds", () => {
    const on = new On(new Registry());
    for (const kind of ["databases", "databases.example.com", "databases.example.com/v1", "db"]) {
      on.create(kind, () => {});
    }
    on.create((each) => each.group === "example.com", () => {});
    assert.throws(() => on.create("", () => {}), TypeError);
  });

  it("takes markers and predicates as filters", () => {
    const handler = only((on) =>
      on.update(Kind, { labels: { a: PRESENT, b: ABSENT, c: (value) => value === "x" } }, () => {})
    );
    assert.equal(handler.labels?.a, PRESENT);
  });
});

describe("Operator", () => {
  it("[A19] goes back to `asap` when its lifecycle is set to null", () => {
    const op = operator();
    const initial = op.lifecycle;
    op.lifecycle = (handlers) => handlers;
    assert.notEqual(op.lifecycle, initial);
    op.lifecycle = null;
    assert.equal(op.lifecycle, initial);
    assert.equal(op.lifecycle.name, "asap");
  });
});
