/**
 * Scenarios of who may do what: users, roles and bindings, service accounts and their tokens, and questions about all that.
 *
 * The tests are the administrator, who acts as others by the headers of impersonation.
 */

import assert from "node:assert/strict";
import { type Answer, MERGE, type Session } from "../session.ts";
import { configMap, type Scenario } from "./scenario.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const ACCESS = "/apis/authorization.k8s.io/v1";

function as(user: string, ...groups: string[]): Record<string, string> {
  // NB: the real server takes one header for each group, which a record cannot hold.
  return { "impersonate-user": user, ...(groups[0] === undefined ? {} : { "impersonate-group": groups[0] }) };
}

function role(name: string, rules: Answer[], more: Answer = {}): Answer {
  return { metadata: { name, ...more.metadata }, rules, ...more };
}

function rule(verbs: string[], resources: string[], more: Answer = {}): Answer {
  return { apiGroups: [""], verbs, resources, ...more };
}

function bindingOf(name: string, roleRef: Answer, subjects: Answer[]): Answer {
  return { metadata: { name }, roleRef: { apiGroup: "rbac.authorization.k8s.io", ...roleRef }, subjects };
}

const user = (name: string) => ({ kind: "User", name });

async function makeNamespace(api: Session, name: string): Promise<string> {
  await api.namespace(name);
  return `/api/v1/namespaces/${name}`;
}

/** Waits until a user may do something: the real server learns of roles after a moment. */
async function untilAllowed(api: Session, path: string, headers: Record<string, string>): Promise<void> {
  await api.until(
    async () => (await api.peek("GET", path, undefined, headers)).code !== 403,
    `access to ${path}`,
  );
}

export const ACCESS_SCENARIOS: readonly Scenario[] = [{
  name: "refuses what a user may not do",
  async run(api) {
    const path = await makeNamespace(api, "access-refused");
    const alice = as("alice");
    const refuse = (method: string, to: string, body?: Answer, headers: Record<string, string> = {}) =>
      api.refused(403, method, to, body, { ...alice, ...headers });
    await refuse("GET", `${path}/configmaps`);
    await refuse("GET", `${path}/configmaps?watch=true`);
    await refuse("GET", `${path}/configmaps/one`);
    await refuse("GET", `${path}/configmaps?fieldSelector=metadata.name%3Done`);
    await refuse("POST", `${path}/configmaps`, configMap("one"));
    await refuse("PUT", `${path}/configmaps/one`, configMap("one"));
    await refuse("PATCH", `${path}/configmaps/one`, {}, MERGE);
    await refuse("DELETE", `${path}/configmaps/one`);
    await refuse("DELETE", `${path}/configmaps`);
    await refuse("GET", `${path}/pods/one/status`);
    await refuse("GET", "/api/v1/configmaps");
    await refuse("GET", "/api/v1/nodes");
    await refuse("GET", path);
    await refuse("GET", "/apis/apps/v1/namespaces/default/deployments/one");
    await refuse("GET", "/apis/nowhere.example.com/v1/things");
    await refuse("GET", "/metrics");
    await refuse("POST", "/apis");
    assert.equal((await api.peek("GET", "/apis/apps/v1", undefined, alice)).code, 200);
    assert.equal((await api.peek("GET", "/version", undefined, alice)).code, 200);
    assert.equal(
      (await api.peek("GET", "/api/v1/namespaces", undefined, { authorization: "Bearer garbage" })).code,
      401,
    );
    await api.refused(401, "GET", "/version", undefined, { authorization: "Bearer garbage" });
    await api.refused(403, "GET", "/api/v1/namespaces", undefined, as("system:anonymous"));
  },
}, {
  name: "lets users do what roles and bindings allow",
  async run(api) {
    const path = await makeNamespace(api, "access-allowed");
    const roles = `${RBAC}/namespaces/access-allowed/roles`;
    const bindings = `${RBAC}/namespaces/access-allowed/rolebindings`;
    const bob = as("bob");
    await api.ok("POST", roles, role("reader", [rule(["get", "list"], ["configmaps", "pods/status"])]));
    await api.ok(
      "POST",
      roles,
      role("named", [rule(["update", "patch", "delete"], ["configmaps"], { resourceNames: ["one"] })]),
    );
    await api.ok("POST", bindings, bindingOf("reader", { kind: "Role", name: "reader" }, [user("bob")]));
    await api.ok("POST", bindings, bindingOf("named", { kind: "Role", name: "named" }, [user("bob")]));
    await api.ok("POST", `${path}/configmaps`, configMap("one"));
    await api.ok("POST", `${path}/configmaps`, configMap("two"));
    await untilAllowed(api, `${path}/configmaps`, bob);
    await api.ok("GET", `${path}/configmaps/one`, undefined, bob);
    await api.ok("PATCH", `${path}/configmaps/one`, { data: { b: "1" } }, { ...MERGE, ...bob });
    await api.refused(403, "PATCH", `${path}/configmaps/two`, { data: { b: "1" } }, { ...MERGE, ...bob });
    await api.refused(403, "GET", `${path}/configmaps?watch=true`, undefined, bob);
    await api.refused(403, "GET", `${path}/pods/one`, undefined, bob);
    await api.refused(404, "GET", `${path}/pods/one/status`, undefined, bob);
    await api.refused(403, "GET", "/api/v1/namespaces/default/configmaps/x", undefined, bob);
    // A cluster's role counts in the namespace of its binding alone.
    await api.ok(
      "POST",
      bindings,
      bindingOf("viewers", { kind: "ClusterRole", name: "view" }, [{ kind: "Group", name: "watchers" }]),
    );
    const carol = as("carol", "watchers");
    await untilAllowed(api, `${path}/pods`, carol);
    await api.ok("GET", `${path}/pods`, undefined, carol);
    await api.refused(403, "GET", `${path}/secrets`, undefined, carol);
    await api.refused(403, "GET", "/api/v1/pods", undefined, carol);
    // A binding to a role that does not exist is told.
    await api.ok("POST", bindings, bindingOf("broken", { kind: "Role", name: "nowhere" }, [user("dave")]));
    await api.until(async () => {
      const { body } = await api.peek("GET", `${path}/pods`, undefined, as("dave"));
      return body.message.includes("not found");
    }, "the binding is known");
    await api.refused(403, "GET", `${path}/pods`, undefined, as("dave"));
    await api.ok("DELETE", `${bindings}/reader`);
    await api.until(
      async () => (await api.peek("GET", `${path}/configmaps`, undefined, bob)).code === 403,
      "the binding is gone",
    );
  },
}, {
  name: "refuses wrong roles and bindings, and completes the others",
  async run(api) {
    const roles = `${RBAC}/namespaces/default/roles`;
    const bindings = `${RBAC}/namespaces/default/rolebindings`;
    const refuse = (to: string, body: Answer) => api.refused(422, "POST", to, body);
    await refuse(roles, role("x", [{ apiGroups: [""], resources: ["pods"] }]));
    await refuse(roles, role("x", [{ verbs: ["get"], resources: ["pods"] }]));
    await refuse(roles, role("x", [{ verbs: ["get"], apiGroups: [""] }]));
    await refuse(roles, role("x", [{ verbs: ["get"], nonResourceURLs: ["/a"] }]));
    await refuse(
      `${RBAC}/clusterroles`,
      role("x", [{ verbs: ["get"], nonResourceURLs: ["/a"], apiGroups: [""], resources: ["pods"] }]),
    );
    await refuse(`${RBAC}/clusterroles`, role("x", [], { aggregationRule: {} }));
    await refuse(roles, role("a/b", []));
    const good = { kind: "Role", name: "x" };
    await refuse(bindings, bindingOf("x", { kind: "Roll", name: "x" }, []));
    await refuse(bindings, bindingOf("x", { kind: "Role", name: "" }, []));
    await refuse(bindings, bindingOf("x", { ...good, apiGroup: "other" }, []));
    await refuse(bindings, bindingOf("x", good, [{ kind: "Dog", name: "x" }]));
    await refuse(bindings, bindingOf("x", good, [{ kind: "User", name: "" }]));
    await refuse(bindings, bindingOf("x", good, [{ kind: "User", name: "x", apiGroup: "other" }]));
    await refuse(bindings, bindingOf("x", good, [{ kind: "ServiceAccount", name: "A B" }]));
    await refuse(`${RBAC}/clusterrolebindings`, bindingOf("x", { kind: "Role", name: "x" }, []));
    await refuse(
      `${RBAC}/clusterrolebindings`,
      bindingOf("x", { kind: "ClusterRole", name: "x" }, [{ kind: "ServiceAccount", name: "x" }]),
    );
    await api.ok(
      "POST",
      bindings,
      bindingOf("immutable", good, [user("x"), { kind: "ServiceAccount", name: "y", namespace: "default" }]),
    );
    await api.refused(422, "PATCH", `${bindings}/immutable`, { roleRef: { name: "y" } }, MERGE);
    await api.ok("DELETE", `${bindings}/immutable`);
  },
}, {
  name: "lets nobody grant what they do not have",
  async run(api) {
    await makeNamespace(api, "access-escalation");
    const roles = `${RBAC}/namespaces/access-escalation/roles`;
    const bindings = `${RBAC}/namespaces/access-escalation/rolebindings`;
    const eve = as("eve");
    const rbac = (verbs: string[], resources: string[], more: Answer = {}) =>
      rule(verbs, resources, { apiGroups: ["rbac.authorization.k8s.io"], ...more });
    await api.ok(
      "POST",
      roles,
      role("writer", [
        rbac(["create", "get", "update", "patch"], ["roles", "rolebindings"]),
        rule(["get", "list"], ["configmaps"]),
      ]),
    );
    await api.ok("POST", roles, role("secrets", [rule(["get"], ["secrets"])]));
    await api.ok("POST", bindings, bindingOf("writer", { kind: "Role", name: "writer" }, [user("eve")]));
    await untilAllowed(api, `${roles}/writer`, eve);
    await api.refused(
      403,
      "POST",
      roles,
      role("more", [rule(["get", "delete"], ["configmaps", "secrets"])]),
      eve,
    );
    await api.refused(403, "POST", roles, role("all", [rule(["*"], ["*"], { apiGroups: ["*"] })]), eve);
    await api.ok("POST", roles, role("same", [rule(["get"], ["configmaps"])]), eve);
    await api.ok("POST", roles, role("less", [rule(["get"], ["configmaps"], { resourceNames: ["a"] })]), eve);
    await api.refused(403, "PATCH", `${roles}/same`, { rules: [rule(["create"], ["configmaps"])] }, {
      ...MERGE,
      ...eve,
    });
    await api.ok("PATCH", `${roles}/same`, { metadata: { finalizers: ["a.b/c"] } }, { ...MERGE, ...eve });
    await api.ok("PATCH", `${roles}/same`, { metadata: { finalizers: null } }, { ...MERGE, ...eve });
    await api.refused(
      403,
      "POST",
      bindings,
      bindingOf("more", { kind: "Role", name: "secrets" }, [user("eve")]),
      eve,
    );
    await api.refused(
      403,
      "POST",
      bindings,
      bindingOf("more", { kind: "ClusterRole", name: "cluster-admin" }, [user("eve")]),
      eve,
    );
    await api.refused(
      404,
      "POST",
      bindings,
      bindingOf("more", { kind: "Role", name: "nowhere" }, [user("eve")]),
      eve,
    );
    await api.ok("POST", bindings, bindingOf("same", { kind: "Role", name: "same" }, [user("frank")]), eve);
    // Who may escalate or bind may.
    await api.ok(
      "POST",
      roles,
      role("special", [
        rbac(["escalate"], ["roles"]),
        rbac(["bind"], ["roles"], { resourceNames: ["secrets"] }),
      ]),
    );
    await api.ok("POST", bindings, bindingOf("special", { kind: "Role", name: "special" }, [user("eve")]));
    await api.until(async () => {
      const more = role("more", [rule(["delete"], ["configmaps"])]);
      return (await api.peek("POST", `${roles}?dryRun=All`, more, eve)).code === 201;
    }, "eve may escalate");
    await api.ok("POST", roles, role("more", [rule(["delete"], ["configmaps"])]), eve);
    await api.ok("POST", bindings, bindingOf("more", { kind: "Role", name: "secrets" }, [user("eve")]), eve);
  },
}, {
  name: "gathers the rules of aggregated roles",
  async run(api) {
    const roles = `${RBAC}/clusterroles`;
    const label = { "aggregate.lotse.dev/all": "true" };
    await api.ok("POST", roles, {
      metadata: { name: "gathered.lotse.dev" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: label }] },
    });
    await api.ok(
      "POST",
      roles,
      role("part-a.lotse.dev", [rule(["get"], ["pods"])], {
        metadata: { name: "part-a.lotse.dev", labels: label },
      }),
    );
    await api.ok(
      "POST",
      roles,
      role("part-b.lotse.dev", [rule(["get"], ["pods"]), rule(["list"], ["secrets"])], {
        metadata: { name: "part-b.lotse.dev", labels: label },
      }),
    );
    const rules = async () => (await api.peek("GET", `${roles}/gathered.lotse.dev`)).body.rules ?? [];
    await api.until(async () => (await rules()).length === 2, "two rules");
    api.note("gathered", await rules());
    await api.ok("DELETE", `${roles}/part-b.lotse.dev`);
    await api.until(async () => (await rules()).length === 1, "one rule");
    const names = async (name: string) =>
      (await api.peek("GET", `${roles}/${name}`)).body.rules.some((found: Answer) =>
        found.resources?.includes("configmaps")
      );
    assert.ok(await names("edit") && await names("view"));
    await api.ok("DELETE", `${roles}/part-a.lotse.dev`);
    await api.ok("DELETE", `${roles}/gathered.lotse.dev`);
  },
}, {
  name: "answers who may do what",
  accepted: [{ line: /metadata\.(managedFields|creationTimestamp)/, because: "questions are not stored" }],
  async run(api) {
    const path = await makeNamespace(api, "access-reviews");
    const bindings = `${RBAC}/namespaces/access-reviews/rolebindings`;
    await api.ok(
      "POST",
      `${RBAC}/namespaces/access-reviews/roles`,
      role("reader", [rule(["get"], ["configmaps"])]),
    );
    await api.ok("POST", bindings, bindingOf("reader", { kind: "Role", name: "reader" }, [user("grace")]));
    await untilAllowed(api, `${path}/configmaps/x`, as("grace"));
    const reading = { verb: "get", resource: "configmaps", namespace: "access-reviews" };
    const review = (kind: string, spec: Answer, headers?: Record<string, string>, place = "") =>
      api.call("POST", `${ACCESS}${place}/${kind.toLowerCase()}s`, { spec }, headers);
    await review("SelfSubjectAccessReview", { resourceAttributes: reading }, as("grace"));
    await review(
      "SelfSubjectAccessReview",
      { resourceAttributes: { ...reading, verb: "list" } },
      as("grace"),
    );
    await review(
      "SelfSubjectAccessReview",
      // One role alone grants this path: where several do, the real server names any of them.
      { nonResourceAttributes: { verb: "get", path: "/api" } },
      as("grace"),
    );
    await review("SubjectAccessReview", { resourceAttributes: reading, user: "grace" });
    await review("SubjectAccessReview", { resourceAttributes: reading, user: "heidi" });
    await review("SubjectAccessReview", {
      resourceAttributes: reading,
      user: "heidi",
      groups: ["system:masters"],
    });
    await review("SubjectAccessReview", { resourceAttributes: reading });
    await review("SubjectAccessReview", { user: "grace" });
    await review("SubjectAccessReview", {
      user: "grace",
      resourceAttributes: reading,
      nonResourceAttributes: { path: "/" },
    });
    await review(
      "LocalSubjectAccessReview",
      { resourceAttributes: reading, user: "grace" },
      undefined,
      "/namespaces/access-reviews",
    );
    await review("SelfSubjectAccessReview", { resourceAttributes: reading });
    await api.refused(403, "POST", `${ACCESS}/subjectaccessreviews`, {
      spec: { user: "x", resourceAttributes: reading },
    }, as("grace"));
    const rules = await api.peek("POST", `${ACCESS}/selfsubjectrulesreviews`, {
      spec: { namespace: "access-reviews" },
    }, as("grace"));
    assert.equal(rules.code, 201);
    assert.ok(
      rules.body.status.resourceRules.some(({ resources }: Answer) => resources.includes("configmaps")),
    );
    await api.refused(400, "POST", `${ACCESS}/selfsubjectrulesreviews`, { spec: {} }, as("grace"));
    await api.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, as("grace", "painters"));
    const extra = { ...as("grace"), "impersonate-uid": "u1", "impersonate-extra-scopes": "view" };
    await api.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, extra);
  },
}, {
  name: "lets only those act as others who may",
  accepted: [{
    line: /GET \/version \.body/,
    because: "the real server has tried constrained impersonation last",
  }],
  async run(api) {
    const subject = { kind: "User", name: "ivan" };
    const impersonator = role("impersonator.lotse.dev", [
      rule(["impersonate"], ["users"], { resourceNames: ["judy"] }),
    ]);
    await api.ok("POST", `${RBAC}/clusterroles`, impersonator);
    await api.ok(
      "POST",
      `${RBAC}/clusterrolebindings`,
      bindingOf("impersonator.lotse.dev", { kind: "ClusterRole", name: "impersonator.lotse.dev" }, [subject]),
    );
    const token = "/api/v1/namespaces/default/serviceaccounts/default/token";
    await api.until(async () => (await api.peek("POST", token, {})).code === 201, "the service account");
    const { body } = await api.peek("POST", token, {});
    const account = { authorization: `Bearer ${body.status.token}` };
    await api.refused(403, "GET", "/version", undefined, { ...account, ...as("judy") });
    await api.refused(403, "GET", "/version", undefined, {
      ...account,
      ...as("system:serviceaccount:default:other"),
    });
    await api.ok("DELETE", `${RBAC}/clusterrolebindings/impersonator.lotse.dev`);
    await api.ok("DELETE", `${RBAC}/clusterroles/impersonator.lotse.dev`);
  },
}, {
  name: "gives service accounts tokens, and knows them again",
  async run(api) {
    const path = await makeNamespace(api, "access-tokens");
    await api.until(
      async () => (await api.peek("GET", `${path}/serviceaccounts/default`)).code === 200,
      "the default account",
    );
    await api.until(
      async () => (await api.peek("GET", `${path}/configmaps/kube-root-ca.crt`)).code === 200,
      "the authority",
    );
    await api.ok("POST", `${path}/serviceaccounts`, { metadata: { name: "robot" } });
    const token = await api.peek("POST", `${path}/serviceaccounts/robot/token`, {
      spec: { expirationSeconds: 1200 },
    });
    assert.equal(token.code, 201);
    assert.equal(token.body.kind, "TokenRequest");
    assert.equal(token.body.spec.expirationSeconds, 1200);
    const [, claims] = token.body.status.token.split(".");
    assert.equal(
      JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))).sub,
      "system:serviceaccount:access-tokens:robot",
    );
    const robot = { authorization: `Bearer ${token.body.status.token}` };
    const me = await api.peek("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, robot);
    assert.equal(me.body.status.userInfo.username, "system:serviceaccount:access-tokens:robot");
    api.note("groups", me.body.status.userInfo.groups);
    await api.refused(403, "GET", `${path}/configmaps`, undefined, robot);
    const bindings = `${RBAC}/namespaces/access-tokens/rolebindings`;
    await api.ok(
      "POST",
      bindings,
      bindingOf("robot", { kind: "ClusterRole", name: "view" }, [{
        kind: "ServiceAccount",
        name: "robot",
        namespace: "access-tokens",
      }]),
    );
    await untilAllowed(api, `${path}/configmaps`, robot);
    const known = await api.peek("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token: token.body.status.token },
    });
    assert.equal(known.body.status.authenticated, true);
    const unknown = await api.peek("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token: "garbage" },
    });
    assert.equal(unknown.body.status.authenticated, undefined);
    await api.refused(404, "POST", `${path}/serviceaccounts/nobody/token`, {});
    await api.refused(422, "POST", `${path}/serviceaccounts/robot/token`, {
      spec: { expirationSeconds: 60 },
    });
    await api.ok("DELETE", `${path}/serviceaccounts/robot`);
    await api.until(
      async () => (await api.peek("GET", `${path}/configmaps`, undefined, robot)).code === 401,
      "the token is void",
    );
    await api.ok("DELETE", `${path}/serviceaccounts/default`);
    await api.until(
      async () => (await api.peek("GET", `${path}/serviceaccounts/default`)).code === 200,
      "a new default account",
    );
  },
}];
