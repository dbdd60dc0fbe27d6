import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AuditPolicy } from "../../../../lib/kits/apiserver/audit/audit_policy.ts";

const HEAD = { apiVersion: "audit.k8s.io/v1", kind: "Policy" };
const ALICE = { username: "alice", groups: ["staff"] };
const wish = (more: object = {}) => ({
  verb: "get",
  group: "",
  resource: "pods",
  subresource: "",
  name: "a",
  namespace: "default",
  ...more,
});

describe("AuditPolicy", () => {
  it("takes the first rule that is about the request, and tells nothing without one", () => {
    const policy = new AuditPolicy({
      ...HEAD,
      omitStages: ["RequestReceived"],
      omitManagedFields: true,
      rules: [
        { level: "None", users: ["robot"] },
        { level: "Request", userGroups: ["staff"], verbs: ["create"], omitStages: ["Panic"] },
        { level: "RequestResponse", resources: [{ group: "", resources: ["pods/log", "secrets/*"] }] },
        { level: "Metadata", resources: [{ group: "apps" }], omitManagedFields: false },
        { level: "Metadata", resources: [{ group: "*", resources: ["*/scale"] }] },
        { level: "Request", resources: [{ resources: ["nodes"], resourceNames: ["one"] }] },
        { level: "Metadata", nonResourceURLs: ["/version", "/healthz*"] },
        { level: "Metadata", namespaces: ["told"] },
      ],
    });
    const levelOf = (asked: Parameters<AuditPolicy["wishFor"]>[0], user = ALICE) =>
      policy.wishFor(asked, user).level;
    assert.equal(levelOf(wish(), { username: "robot", groups: [] }), "None");
    assert.equal(levelOf(wish({ verb: "create" })), "Request");
    assert.equal(levelOf(wish({ verb: "create" }), { username: "bob", groups: [] }), "None");
    assert.equal(levelOf(wish()), "None");
    assert.equal(levelOf(wish({ subresource: "log" })), "RequestResponse");
    assert.equal(levelOf(wish({ resource: "secrets" })), "RequestResponse");
    assert.equal(levelOf(wish({ group: "apps", resource: "deployments" })), "Metadata");
    assert.equal(levelOf(wish({ group: "x", resource: "y", subresource: "scale" })), "Metadata");
    assert.equal(levelOf(wish({ resource: "nodes", name: "one" })), "Request");
    assert.equal(levelOf(wish({ resource: "nodes", name: "two" })), "None");
    assert.equal(levelOf({ verb: "get", path: "/healthz/ping" }), "Metadata");
    assert.equal(levelOf({ verb: "get", path: "/metrics" }), "None");
    assert.equal(levelOf(wish({ namespace: "told" })), "Metadata");
    assert.deepEqual(policy.wishFor(wish({ verb: "create" }), ALICE), {
      level: "Request",
      omitStages: ["RequestReceived", "Panic"],
      omitManagedFields: true,
    });
    const ofApps = policy.wishFor(wish({ group: "apps", resource: "deployments" }), ALICE);
    assert.equal(ofApps.omitManagedFields, false);
  });

  it("says what is wrong with it", () => {
    const refuse = (policy: unknown, message: RegExp) => {
      assert.throws(() => new AuditPolicy(policy), { name: "TypeError", message });
    };
    const rule = (more: object) => ({ ...HEAD, rules: [{ level: "None", ...more }] });
    refuse(undefined, /it is no object/);
    refuse({ ...HEAD, apiVersion: "audit.k8s.io/v1beta1", rules: [{ level: "None" }] }, /v1beta1/);
    refuse(HEAD, /it has no rules/);
    refuse({ ...HEAD, rules: [{}] }, /rules\[0\]\.level is none of None, Metadata/);
    refuse({ ...rule({}), omitStages: ["Later"] }, /omitStages\[0\] is none of RequestReceived/);
    refuse(rule({ omitStages: ["Later"] }), /rules\[0\]\.omitStages\[0\]/);
    refuse(rule({ nonResourceURLs: ["/a*b"] }), /"\/a\*b" does not begin with "\/", or has a "\*"/);
    refuse(rule({ nonResourceURLs: ["/a"], namespaces: ["b"] }), /both regular resources and non-resource/);
    refuse(rule({ resources: [{ resourceNames: ["a"] }] }), /resourceNames requires at least one resource/);
  });
});
