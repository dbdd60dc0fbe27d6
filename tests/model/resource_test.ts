import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiVersionOf, keyOf, pathOf } from "../../lib/model/resource.ts";

const core = { group: "", version: "v1", plural: "pods", namespaced: true };
const crd = { group: "example.com", version: "v1", plural: "databases", namespaced: true };
const cluster = { ...crd, namespaced: false };

describe("apiVersionOf() and keyOf()", () => {
  it("leave the core group out", () => {
    assert.deepEqual([apiVersionOf(core), keyOf(core)], ["v1", "pods.v1"]);
    assert.deepEqual([apiVersionOf(crd), keyOf(crd)], ["example.com/v1", "databases.v1.example.com"]);
  });
});

describe("pathOf()", () => {
  it("addresses kinds, objects and subresources", () => {
    assert.equal(pathOf(core), "/api/v1/pods");
    assert.equal(pathOf(core, { namespace: "ns", name: "a" }), "/api/v1/namespaces/ns/pods/a");
    assert.equal(pathOf(crd, { namespace: "ns" }), "/apis/example.com/v1/namespaces/ns/databases");
    assert.equal(
      pathOf(cluster, { name: "a", subresource: "status" }),
      "/apis/example.com/v1/databases/a/status",
    );
  });

  it("escapes names, so that they cannot lead elsewhere", () => {
    assert.equal(pathOf(cluster, { name: "../a?b" }), "/apis/example.com/v1/databases/..%2Fa%3Fb");
  });

  it("refuses addresses that cannot be", () => {
    assert.throws(() => pathOf(cluster, { namespace: "ns" }), TypeError);
    assert.throws(() => pathOf(crd, { name: "a" }), TypeError);
    assert.throws(() => pathOf(crd, { namespace: "ns", subresource: "status" }), TypeError);
  });
});
