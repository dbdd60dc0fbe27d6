import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileJsonPath } from "../../../../lib/kits/apiserver/formats/jsonpath.ts";

const OBJECT = {
  metadata: { annotations: { "x.y/z": "dotted", plain: "p" } },
  spec: { ports: [{ name: "a", port: 1 }, { name: "b", port: 2 }, { name: "c", port: 3 }] },
  status: { conditions: [{ type: "Ready", status: "True" }, { type: "Done", status: "False" }] },
};

function find(path: string): unknown[] {
  return compileJsonPath(path)(OBJECT);
}

describe("compileJsonPath()", () => {
  it("walks names", () => {
    assert.deepEqual(find(".metadata.annotations.plain"), ["p"]);
    assert.deepEqual(find("{.metadata.annotations.plain}"), ["p"]);
    assert.deepEqual(find("$.metadata.annotations.plain"), ["p"]);
    assert.deepEqual(find(".nothing.here"), []);
  });

  it("reads names with dots, quoted or escaped", () => {
    for (const path of [String.raw`.metadata.annotations.x\.y/z`, ".metadata.annotations['x.y/z']"]) {
      assert.deepEqual(find(path), ["dotted"]);
    }
    assert.deepEqual(find('.metadata.annotations["x.y/z"]'), ["dotted"]);
    assert.deepEqual(find(String.raw`.metadata.annotations['x\.y/z']`), ["dotted"]);
  });

  it("takes items by index, from the end, by range and all of them", () => {
    assert.deepEqual(find(".spec.ports[0].name"), ["a"]);
    assert.deepEqual(find(".spec.ports[-1].name"), ["c"]);
    assert.deepEqual(find(".spec.ports[0:2].name"), ["a", "b"]);
    assert.deepEqual(find(".spec.ports[*].port"), [1, 2, 3]);
    assert.deepEqual(find(".spec.ports[9].name"), []);
  });

  it("filters items", () => {
    assert.deepEqual(find('.status.conditions[?(@.type=="Ready")].status'), ["True"]);
    assert.deepEqual(find(".status.conditions[?(@.type == 'Done')].status"), ["False"]);
    assert.deepEqual(find(".spec.ports[?(@.port>=2)].name"), ["b", "c"]);
    assert.deepEqual(find(".spec.ports[?(@.name)].port"), [1, 2, 3]);
    assert.deepEqual(find('.status.conditions[?(@.type!="Ready")].type'), ["Done"]);
  });

  it("finds names at any depth", () => {
    assert.deepEqual(find("..port"), [1, 2, 3]);
  });

  it("does not look into prototypes", () => {
    assert.deepEqual(find(".metadata.constructor.name"), []);
    assert.deepEqual(find(".__proto__"), []);
  });

  it("throws on what is no path", () => {
    assert.throws(() => compileJsonPath(".a[?(x)]"), SyntaxError);
    assert.throws(() => compileJsonPath(".a[b]"), /invalid array index b/);
    assert.throws(() => compileJsonPath(".a["), SyntaxError);
  });
});
