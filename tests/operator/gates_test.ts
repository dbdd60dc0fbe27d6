import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Gates, informerKey } from "../../lib/operator/gates.ts";
import { widget, WIDGETS } from "../client/fake_server.ts";

const object = { resource: WIDGETS, body: widget("a", 1) };

describe("Gates", () => {
  it("hold nothing at first", () => {
    const gates = new Gates();
    assert.deepEqual([gates.holds(object), gates.isPaused], [false, false]);
    assert.deepEqual([gates.handlers.aborted, gates.fence.aborted], [false, false]);
  });

  it("hold wakes while any peer is in the way", () => {
    const gates = new Gates();
    const [one, other] = [gates.peering.add(false), gates.peering.add(false)];
    assert.deepEqual([gates.holds(object), gates.isPaused], [true, true]);
    one.open();
    assert.equal(gates.holds(object), true);
    other.open();
    assert.equal(gates.holds(object), false);
  });

  it("hold wakes of the objects of an informer that is stale, whatever it is in charge of, and of no others", () => {
    for (const scope of ["ns", "", "*"]) {
      const gates = new Gates();
      gates.markStale(informerKey(WIDGETS, scope));
      assert.equal(gates.holds(object), true, scope);
      const body = { metadata: { name: "a", namespace: "elsewhere" } };
      assert.equal(gates.holds({ resource: WIDGETS, body }), scope !== "ns");
      assert.equal(gates.holds({ ...object, resource: { ...WIDGETS, plural: "gadgets" } }), false);
      assert.equal(gates.markCurrent(informerKey(WIDGETS, scope)), true);
      assert.equal(gates.holds(object), false);
      assert.equal(gates.markCurrent(informerKey(WIDGETS, scope)), false);
    }
  });

  it("end handlers and writes apart", () => {
    const gates = new Gates();
    gates.stopHandlers();
    assert.deepEqual([gates.handlers.aborted, gates.fence.aborted], [true, false]);
    gates.stopWrites();
    assert.equal(gates.fence.aborted, true);
  });
});
