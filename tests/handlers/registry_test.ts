import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACTIVITY } from "../../lib/handlers/activity/activity_handler.ts";
import { BACKGROUND } from "../../lib/handlers/background/background_handler.ts";
import { CHILD } from "../../lib/handlers/child/child_handler.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { EVERYTHING } from "../../lib/model/selector.ts";
import { declareInto, type On } from "../../lib/handlers/on.ts";
import { Registry } from "../../lib/handlers/registry.ts";
import { resource } from "../../lib/registry/resource.ts";

const KIND: Resource = {
  ...{ group: "example.com", version: "v1", plural: "databases", kind: "Database", singular: "database" },
  ...{ namespaced: true, preferred: true, verbs: [], shortcuts: [], categories: [], subresources: [] },
};
const Kind = resource({ group: "example.com", version: "v1", plural: "databases" });

describe("Registry", () => {
  it("serves several kinds where handlers name two, or a group of them", () => {
    const Other = resource({ group: "example.com", version: "v1", plural: "backups" });
    const serves = (declare: (on: On) => void): boolean => {
      const registry = new Registry();
      declare(declareInto(registry).on);
      return registry.servesSeveral;
    };
    const nothing = (): void => {};
    assert.equal(serves(() => {}), false);
    assert.equal(serves((on) => on.create(Kind, nothing)), false);
    assert.equal(serves((on) => [on.create(Kind, nothing), on.event(Kind, nothing)]), false);
    assert.equal(serves((on) => [on.create(Kind, nothing), on.event(Other, nothing)]), true);
    assert.equal(serves((on) => on.event(EVERYTHING, nothing)), true);
    assert.equal(serves((on) => on.event(() => true, nothing)), true);
  });

  it("takes a function again where it is the same handler, and once where it is called once", () => {
    const registry = new Registry();
    const declare = declareInto(registry);
    function same(): void {}
    declare.on.startup(same);
    declare.on.startup(same);
    assert.equal(registry.all(ACTIVITY).length, 1);
    assert.throws(() => declare.on.startup({ id: "same" }, () => {}), /two handlers of "startup"/);
    declare.daemon(Kind, same);
    declare.timer(Kind, same);
    declare.on.child(Kind, "pods", same);
    declare.on.child(Kind, "pods", same);
    const ofKind = registry.of(KIND);
    assert.deepEqual([ofKind.of(BACKGROUND).length, ofKind.of(CHILD).length], [2, 1]);
    assert.deepEqual([ofKind.hasTurns, ofKind.isLookedUp], [true, false]);
  });

  it("refuses one id for handlers of several types that are called in turns, also of one function", () => {
    function same(): void {}
    const { on, reconcile, daemon } = declareInto(new Registry());
    on.create(Kind, same);
    on.resume(Kind, same);
    daemon(Kind, same);
    assert.throws(() => reconcile(Kind, same), /two handlers with the id "same"/);
    assert.throws(() => on.child(Kind, "pods", { id: "same" }, same), /two handlers with the id "same"/);
  });

  it("knows which fields belong to the essence: none of an index", () => {
    const registry = new Registry();
    const { on, index } = declareInto(registry);
    on.event(Kind, { field: "spec.a" }, () => {});
    index(Kind, { id: "i", field: "spec.b" }, () => null);
    assert.deepEqual(registry.of(KIND).fields, [["spec", "a"]]);
    assert.deepEqual(registry.statefulHandlers, []);
    on.update(Kind, () => {});
    assert.equal(registry.statefulHandlers.length, 1);
  });
});
