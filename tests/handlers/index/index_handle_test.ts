import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { INDEX } from "../../../lib/handlers/index/index_handler.ts";
import { IndexHandle } from "../../../lib/handlers/index/index_handle.ts";
import { declareInto } from "../../../lib/handlers/on.ts";
import { Registry } from "../../../lib/handlers/registry.ts";

describe("op.index()", () => {
  it("registers the function, and gives the handle that goes with it", () => {
    const registry = new Registry();
    const { index } = declareInto(registry);
    const byName = index("pods", { field: "spec.nodeName" }, function byName({ name }) {
      return { [name]: 1 };
    });
    const [handler, ...rest] = registry.all(INDEX);
    assert.equal(rest.length, 0);
    assert.deepEqual([handler?.id, handler?.field], ["byName", ["spec", "nodeName"]]);
    assert.equal(handler?.handle, byName);
  });

  it("gives a handle that shows what is attached, for as long as it is", () => {
    const handle = declareInto(new Registry()).index("pods", function all() {});
    assert.ok(handle instanceof IndexHandle);
    assert.equal(handle.size, 0);
    const attached = IndexHandle.attach(handle, new Map([["a", [1]]]));
    assert.deepEqual([...handle], [["a", [1]]]);
    attached[Symbol.dispose]();
    assert.equal(handle.size, 0);
  });

  it("refuses a second function under the same id", () => {
    const { index } = declareInto(new Registry());
    index("pods", { id: "a" }, () => {});
    assert.throws(() => index("pods", { id: "a" }, () => {}), TypeError);
  });
});
