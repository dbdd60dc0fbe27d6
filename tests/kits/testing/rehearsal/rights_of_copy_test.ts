import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGranted, rolesFor } from "../../../../lib/kits/testing/rehearsal/rights_of_copy.ts";

const rule = (group: string, resource: string, ...verbs: string[]) => ({
  verbs,
  apiGroups: [group],
  resources: [resource],
});

const RIGHTS = {
  user: "system:serviceaccount:default:robot",
  cluster: [rule("apps", "*", "list"), { ...rule("", "secrets", "list"), resourceNames: ["one"] }],
  namespaces: { a: [rule("", "configmaps", "*")], b: [rule("*", "*", "get")] },
  isIncomplete: false,
};

describe("isGranted()", () => {
  it("tells where a right holds", () => {
    const where = (group: string, plural: string, verb = "list") =>
      isGranted(RIGHTS, { group, plural, verb });
    assert.equal(where("apps", "deployments"), "everywhere");
    assert.equal(where("apps", "deployments", "delete"), "nowhere");
    assert.deepEqual(where("", "configmaps"), ["a"]);
    assert.deepEqual(where("", "configmaps", "get"), ["a", "b"]);
    assert.equal(where("", "secrets"), "nowhere", "one name is not the kind");
  });
});

describe("rolesFor()", () => {
  it("gives the user the same rules, in the cluster and in namespaces", () => {
    const roles = rolesFor(RIGHTS).map(({ kind, metadata, rules }) => [kind, metadata.namespace, rules]);
    assert.deepEqual(roles, [
      ["ClusterRole", undefined, RIGHTS.cluster],
      ["ClusterRoleBinding", undefined, undefined],
      ["Role", "a", RIGHTS.namespaces.a],
      ["RoleBinding", "a", undefined],
      ["Role", "b", RIGHTS.namespaces.b],
      ["RoleBinding", "b", undefined],
    ]);
    const uids = rolesFor(RIGHTS).map(({ metadata }) => metadata.uid);
    assert.equal(new Set(uids).size, uids.length);
  });
});
