import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHANGE } from "../../lib/handlers/change/change_handler.ts";
import { isAlike } from "../../lib/handlers/exchange.ts";
import { INDEX } from "../../lib/handlers/index/index_handler.ts";
import { type Declarations, declareInto } from "../../lib/handlers/on.ts";
import { Registry } from "../../lib/handlers/registry.ts";

/** A registry as a file makes one that is loaded: its functions are never the ones of an earlier load. */
function loaded(declare: (declarations: Declarations) => void): Registry {
  const registry = new Registry();
  declare(declareInto(registry));
  return registry;
}

// Running operators are in tests/scenarios/exchange_test.ts.
describe("Registry.exchange()", () => {
  const create = ({ on }: Declarations, fn: () => unknown = () => 1): void =>
    on.create("pods", { id: "make" }, fn);
  const index = ({ index }: Declarations): unknown => index("pods", { id: "names" }, ({ name }) => name);

  it("takes the new handlers, and says which have changed", () => {
    const registry = loaded((declare) => (create(declare), declare.daemon("pods", { id: "d" }, () => {})));
    const next = loaded((declare) => (
      create(declare, () => 2), declare.daemon("pods", { id: "d" }, () => {})
    ));
    const exchange = registry.exchange(next);
    const changed = registry.objectHandlers.map((handler) => [handler.id, exchange?.hasChanged(handler)]);
    assert.deepEqual(changed, [["make", true], ["d", false]]);
  });

  it("counts all handlers as changed where no text differs: code that they call has changed", () => {
    const registry = loaded(create);
    const exchange = registry.exchange(loaded(create));
    assert.deepEqual(registry.all(CHANGE).map((each) => exchange?.hasChanged(each)), [true]);
  });

  it("keeps what a run begins with, and takes another run where that differs, or may", () => {
    const both = (declare: Declarations): void => (create(declare), void index(declare));
    const registry = loaded(both);
    const [kept] = registry.all(INDEX);
    const exchange = registry.exchange(loaded((declare) => (index(declare), create(declare, () => 2))));
    assert.deepEqual(registry.all(INDEX), [kept]);
    assert.equal(kept !== undefined && exchange?.hasChanged(kept), false);
    assert.equal(loaded(both).exchange(loaded(both)), undefined, "the index may call code that has changed");
    assert.equal(loaded(create).exchange(loaded(both)), undefined, "an index more");
    const starting = (fn: () => unknown) => loaded(({ on }) => on.startup({ id: "s" }, fn));
    assert.equal(starting(() => 1).exchange(starting(() => 2)), undefined, "it has run");
  });
});

describe("isAlike()", () => {
  it("compares texts, those of functions, patterns and collections included", () => {
    const make = () => ({
      fn: () => 1,
      when: /a/,
      on: new Map([["a", 1]]),
      never: Infinity,
      is: Symbol("x"),
    });
    assert.equal(isAlike(make(), make()), true);
    assert.equal(isAlike(make(), { ...make(), fn: () => 2 }), false);
    assert.equal(isAlike(make(), { ...make(), when: /b/ }), false);
    assert.equal(isAlike(make(), { ...make(), on: new Map([["a", 2]]) }), false);
    assert.equal(isAlike(make(), { ...make(), never: 1 }), false);
    assert.equal(isAlike(undefined, make()), false);
  });

  it("takes what has no text for something else", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    assert.equal(isAlike(circle, circle), false);
  });
});
