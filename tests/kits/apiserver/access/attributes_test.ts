import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { forbiddenWish, wishOf } from "../../../../lib/kits/apiserver/access/attributes.ts";

function read(method: string, path: string) {
  return wishOf(new Request(`https://api.test${path}`, { method }));
}

const core = { group: "", subresource: "", name: "", namespace: "" };

describe("wishOf()", () => {
  it("tells verbs apart", () => {
    const path = "/api/v1/namespaces/a/pods";
    const pods = { ...core, resource: "pods", namespace: "a" };
    assert.deepEqual(read("GET", path), { ...pods, verb: "list" });
    assert.deepEqual(read("GET", `${path}?watch=1`), { ...pods, verb: "watch" });
    assert.deepEqual(read("GET", `${path}?fieldSelector=metadata.name%3Dx`), {
      ...pods,
      verb: "list",
      name: "x",
    });
    assert.deepEqual(read("POST", path), { ...pods, verb: "create" });
    assert.deepEqual(read("DELETE", path), { ...pods, verb: "deletecollection" });
    assert.deepEqual(read("DELETE", `${path}/x`), { ...pods, verb: "delete", name: "x" });
    assert.deepEqual(read("PATCH", `${path}/x/status`), {
      ...pods,
      verb: "patch",
      name: "x",
      subresource: "status",
    });
  });

  it("puts a namespace into itself", () => {
    const namespaces = { ...core, resource: "namespaces" };
    assert.deepEqual(read("GET", "/api/v1/namespaces"), { ...namespaces, verb: "list" });
    assert.deepEqual(read("GET", "/api/v1/namespaces/a"), {
      ...namespaces,
      verb: "get",
      name: "a",
      namespace: "a",
    });
  });

  it("takes what is no resource as a path", () => {
    assert.deepEqual(read("GET", "/apis/apps/v1"), { verb: "get", path: "/apis/apps/v1" });
    assert.deepEqual(read("POST", "/metrics"), { verb: "post", path: "/metrics" });
  });
});

describe("forbiddenWish()", () => {
  it("says who cannot do what, and why", () => {
    const user = { username: "alice", groups: [] };
    const wish = { ...core, verb: "get", group: "apps", resource: "deployments", name: "x", namespace: "a" };
    assert.equal(
      forbiddenWish(user, wish, "RBAC: no").message,
      'deployments.apps "x" is forbidden: User "alice" cannot get resource "deployments" in API group "apps" in the namespace "a": RBAC: no',
    );
    assert.equal(
      forbiddenWish(user, { verb: "get", path: "/metrics" }).message,
      'forbidden: User "alice" cannot get path "/metrics"',
    );
  });
});
