import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  allows,
  type PolicyRule,
  printRule,
  uncovered,
} from "../../../../lib/kits/apiserver/access/rules.ts";

const wish = { verb: "get", group: "", resource: "pods", subresource: "", name: "a", namespace: "default" };
const rule: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

describe("allows()", () => {
  it("compares verbs, groups, resources and names", () => {
    assert.equal(allows(rule, wish), true);
    assert.equal(allows(rule, { ...wish, verb: "list" }), false);
    assert.equal(allows(rule, { ...wish, group: "apps" }), false);
    assert.equal(allows(rule, { ...wish, resource: "nodes" }), false);
    assert.equal(allows({ ...rule, resourceNames: ["b"] }, wish), false);
    assert.equal(allows({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, wish), true);
  });

  it("keeps subresources apart", () => {
    const log = { ...wish, subresource: "log" };
    assert.equal(allows(rule, log), false);
    for (const resource of ["pods/log", "*/log", "*"]) {
      assert.equal(allows({ ...rule, resources: [resource] }, log), true);
    }
    assert.equal(allows({ ...rule, resources: ["pods/log"] }, wish), false);
  });

  it("compares paths", () => {
    const paths = { verbs: ["get"], nonResourceURLs: ["/healthz", "/api/*"] };
    assert.equal(allows(paths, { verb: "get", path: "/healthz" }), true);
    assert.equal(allows(paths, { verb: "get", path: "/healthz/etcd" }), false);
    assert.equal(allows(paths, { verb: "get", path: "/api/v1" }), true);
    assert.equal(allows(rule, { verb: "get", path: "/api/v1" }), false);
  });
});

describe("uncovered()", () => {
  it("gives what the holder lacks, by group and resource", () => {
    const wanted = { verbs: ["get", "list", "delete"], apiGroups: [""], resources: ["pods", "secrets"] };
    assert.deepEqual(uncovered([wanted], [rule, { ...rule, verbs: ["*"], resources: ["secrets"] }]), [
      { verbs: ["list", "delete"], apiGroups: [""], resources: ["pods"] },
    ]);
  });

  it("lets nobody drop names", () => {
    const named = { ...rule, resourceNames: ["a"] };
    assert.deepEqual(uncovered([rule], [named]), [rule]);
    assert.deepEqual(uncovered([named], [rule]), []);
    assert.deepEqual(uncovered([{ ...rule, resourceNames: ["a", "b"] }], [named]), [{
      ...rule,
      resourceNames: ["b"],
    }]);
  });

  it("looks at paths as well", () => {
    const held = [{ verbs: ["get"], nonResourceURLs: ["/api/*"] }];
    assert.deepEqual(uncovered([{ verbs: ["get"], nonResourceURLs: ["/api/v1", "/version"] }], held), [
      { verbs: ["get"], nonResourceURLs: ["/version"] },
    ]);
  });
});

describe("printRule()", () => {
  it("prints as Kubernetes does", () => {
    assert.equal(
      printRule({ ...rule, resourceNames: ["a", "b"] }),
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a" "b"], Verbs:["get"]}',
    );
  });
});
