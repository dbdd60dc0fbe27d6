/**
 * Scenarios of ValidatingAdmissionPolicies: expressions that refuse requests, bound to where they count.
 */

import assert from "node:assert/strict";
import { type Answer, APPLY, MERGE, type Session } from "../session.ts";
import { configMap, type Scenario } from "./scenario.ts";

export const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";

export function policy(name: string, spec: Answer): Answer {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [{
          apiGroups: [""],
          apiVersions: ["v1"],
          resources: ["configmaps"],
          operations: ["CREATE", "UPDATE"],
        }],
      },
      ...spec,
    },
  };
}

export function binding(name: string, namespace: string, spec: Answer = {}): Answer {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ["Deny"],
      matchResources: { namespaceSelector: { matchLabels: { scenario: namespace } } },
      ...spec,
    },
  };
}

export async function makeNamespace(api: Session, name: string): Promise<string> {
  await api.ok("POST", "/api/v1/namespaces", { metadata: { name, labels: { scenario: name } } });
  return `/api/v1/namespaces/${name}/configmaps`;
}

/** Waits until a policy is in force: the real server needs a moment. */
export async function untilRefused(api: Session, path: string, object: Answer): Promise<void> {
  await api.until(
    async () => (await api.peek("POST", `${path}?dryRun=All`, object)).code >= 400,
    "a refusal",
  );
}

/** What the real server finds out a moment later. */
export const LATER = [{
  line: /\.status\.(observedGeneration|typeChecking)/,
  because: "ours checks types at once",
}];

export const POLICIES: readonly Scenario[] = [{
  name: "refuses policies and bindings that are wrong",
  accepted: [{
    line: /overload for|undefined field|undeclared|compilation failed/,
    because: "words of parsers differ",
  }],
  async run(api) {
    const refuse = async (spec: Answer) => {
      await api.refused(422, "POST", `${REGISTRATION}/validatingadmissionpolicies`, policy("refused", spec));
    };
    const validations = [{ expression: "true" }];
    await refuse({ validations: [] });
    await refuse({ validations: [{ expression: "" }] });
    await refuse({ validations: [{ expression: "object." }] });
    await refuse({ validations: [{ expression: "nobody.knows" }] });
    await refuse({ validations: [{ expression: "1" }] });
    await refuse({ validations: [{ expression: "params.x == 1" }] });
    await refuse({ validations: [{ expression: "true", reason: "Odd" }] });
    await refuse({ validations: [{ expression: "true", message: " " }] });
    await refuse({ validations: [{ expression: "true", message: "a\nb" }] });
    await refuse({ validations: [{ expression: "true", messageExpression: "1" }] });
    await refuse({
      validations: [{ expression: "variables.x == 1" }],
      variables: [{ name: "y", expression: "1" }],
    });
    await refuse({ validations, variables: [{ name: "a b", expression: "1" }] });
    await refuse({ validations, variables: [{ name: "a", expression: "" }] });
    await refuse({ validations, failurePolicy: "Perhaps" });
    await refuse({ validations, matchConstraints: null });
    await refuse({ validations, matchConstraints: { resourceRules: [] } });
    await refuse({ validations, paramKind: {} });
    await refuse({ validations, matchConditions: [{ name: "a", expression: "1" }] });
    const refuseBinding = async (spec: Answer) => {
      const path = `${REGISTRATION}/validatingadmissionpolicybindings`;
      await api.refused(422, "POST", path, binding("refused", "nowhere", spec));
    };
    await refuseBinding({ policyName: "" });
    await refuseBinding({ validationActions: [] });
    await refuseBinding({ validationActions: ["Shout"] });
    await refuseBinding({ validationActions: ["Deny", "Deny"] });
    await refuseBinding({ validationActions: ["Deny", "Warn"] });
    await refuseBinding({ paramRef: { parameterNotFoundAction: "Deny" } });
    await refuseBinding({ paramRef: { name: "a" } });
    await refuseBinding({ paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Deny" } });
    await refuseBinding({ paramRef: { name: "a", parameterNotFoundAction: "Shout" } });
  },
}, {
  name: "refuses what policies refuse, where they are bound",
  accepted: LATER,
  async run(api) {
    const path = await makeNamespace(api, "policies-deny");
    const name = "deny.lotse.dev";
    await api.ok(
      "POST",
      `${REGISTRATION}/validatingadmissionpolicies`,
      policy(name, {
        matchConditions: [{ name: "named", expression: "object.metadata.name != 'spared'" }],
        variables: [
          { name: "a", expression: "has(object.data) && 'a' in object.data ? object.data.a : 'none'" },
          { name: "length", expression: "variables.a.size()" },
          { name: "isShort", expression: "variables.length < 100" },
        ],
        validations: [
          { expression: "variables.isShort" },
          { expression: "variables.length < 4" },
          { expression: "variables.a != 'bad'", message: "a is bad", reason: "Forbidden" },
          { expression: "variables.a != 'odd'", messageExpression: "'a is ' + variables.a" },
          { expression: "oldObject == null || object.data.a == oldObject.data.a", message: "a is fixed" },
          { expression: "object.data.a != 'err' || object.data.b == 'x'" },
          { expression: "object.data.a != 'nul' || oldObject.metadata.name == 'x'" },
          { expression: "object.data.a != 'has' || has(oldObject.metadata)" },
          { expression: "object.data.a != 'key' || oldObject['metadata'] == 1" },
          { expression: "object.data.a != 'txt' || object.metadata.name.x == 1" },
          { expression: "namespaceObject.metadata.name == 'policies-deny'", reason: "RequestEntityTooLarge" },
        ],
      }),
    );
    await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicybindings`, binding(name, "policies-deny"));
    await untilRefused(api, path, configMap("probe", { a: "long text" }));
    await api.ok("POST", path, configMap("fine"));
    await api.refused(422, "POST", path, configMap("one", { a: "long text" }));
    await api.refused(403, "POST", path, configMap("one", { a: "bad" }));
    await api.refused(422, "POST", path, configMap("one", { a: "odd" }));
    for (const a of ["err", "nul", "has", "key", "txt"]) {
      await api.refused(422, "POST", path, configMap("one", { a }));
    }
    await api.ok("POST", path, configMap("spared", { a: "bad" }));
    await api.refused(422, "PATCH", `${path}/fine`, { data: { a: "2" } }, MERGE);
    await api.ok("PATCH", `${path}/fine`, { data: { b: "2" } }, MERGE);
    await api.ok("DELETE", `${path}/fine`);
    await api.ok("POST", "/api/v1/namespaces/default/configmaps", configMap("unbound", { a: "long text" }));
    await api.ok("DELETE", "/api/v1/namespaces/default/configmaps/unbound");
  },
}, {
  name: "warns of what policies only warn of, and lets pass what they fail to judge if they say so",
  accepted: LATER,
  async run(api) {
    const path = await makeNamespace(api, "policies-warn");
    const name = "warn.lotse.dev";
    await api.ok(
      "POST",
      `${REGISTRATION}/validatingadmissionpolicies`,
      policy(name, {
        failurePolicy: "Ignore",
        validations: [{ expression: "object.data.a != 'bad'", message: "a is bad" }],
      }),
    );
    const warning = binding(name, "policies-warn", { validationActions: ["Warn", "Audit"] });
    await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicybindings`, warning);
    await api.until(async () => {
      const { headers } = await api.peek("POST", `${path}?dryRun=All`, configMap("probe", { a: "bad" }));
      return headers.get("warning") !== null;
    }, "a warning");
    await api.ok("POST", path, configMap("warned", { a: "bad" }));
    await api.ok("POST", path, configMap("unjudged", { b: "1" }));
  },
}, {
  name: "asks policies about each object of a collection that is deleted, without its name",
  accepted: LATER,
  async run(api) {
    const path = await makeNamespace(api, "policies-collection");
    const name = "collection.lotse.dev";
    const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["DELETE"] };
    await api.ok(
      "POST",
      `${REGISTRATION}/validatingadmissionpolicies`,
      policy(name, {
        matchConstraints: { resourceRules: [rule] },
        validations: [
          { expression: "oldObject.metadata.labels[?'keep'] != optional.of('yes')", message: "it is kept" },
          { expression: "has(request.name) || !has(oldObject.data)", message: "one at a time" },
        ],
      }),
    );
    await api.ok(
      "POST",
      `${REGISTRATION}/validatingadmissionpolicybindings`,
      binding(name, "policies-collection"),
    );
    const make = (own: string, more: Answer) =>
      api.ok("POST", path, { metadata: { name: own, labels: { keep: own } }, ...more });
    await make("yes", {});
    await make("plain", {});
    await make("filled", { data: { a: "1" } });
    await api.until(
      async () => (await api.peek("DELETE", `${path}/yes?dryRun=All`)).code >= 400,
      "a refusal",
    );
    await api.refused(422, "DELETE", `${path}/yes`);
    await api.refused(422, "DELETE", `${path}?labelSelector=keep%3Dyes`);
    await api.refused(422, "DELETE", `${path}?labelSelector=keep%3Dfilled`);
    await api.ok("DELETE", `${path}?labelSelector=keep%3Dplain`);
    await api.ok("DELETE", `${path}/filled`);
  },
}, {
  name: "asks policies about configurations of webhooks, and webhooks about none",
  accepted: LATER,
  async run(api) {
    const name = "guarding.lotse.dev";
    const rule = {
      apiGroups: ["admissionregistration.k8s.io"],
      apiVersions: ["v1"],
      resources: ["*"],
      operations: ["CREATE", "DELETE"],
    };
    const clientConfig = { url: "https://127.0.0.1:1/" };
    const asked = { name, clientConfig, rules: [rule], sideEffects: "None", admissionReviewVersions: ["v1"] };
    const configuration = (own: string) => ({ metadata: { name: own }, webhooks: [asked] });
    const hooks = `${REGISTRATION}/validatingwebhookconfigurations`;
    const policies = `${REGISTRATION}/validatingadmissionpolicies`;
    await api.ok("POST", hooks, configuration("guarding-first"));
    await api.ok(
      "POST",
      policies,
      policy(name, {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: "!object.metadata.name.startsWith('guarding-x')", message: "guarded" }],
        matchConditions: [{ name: "made", expression: "object != null" }],
      }),
    );
    const { spec: { matchResources: _all, ...spec } } = binding(name, "");
    const bindings = `${REGISTRATION}/validatingadmissionpolicybindings`;
    await api.ok("POST", bindings, { ...binding(name, ""), spec });
    await untilRefused(api, hooks, configuration("guarding-x"));
    await api.refused(422, "POST", hooks, configuration("guarding-x"));
    await api.ok("POST", policies, policy("guarding-x.lotse.dev", { validations: [{ expression: "true" }] }));
    for (const each of [`${bindings}/${name}`, `${policies}/${name}`, `${hooks}/guarding-first`]) {
      await api.ok("DELETE", each);
    }
  },
}, {
  name: "asks policies about scales, bindings, evictions and tokens",
  accepted: [...LATER, {
    line: /managedFields|generation|deployment|status|token/i,
    because: "controllers write",
  }],
  async run(api) {
    const space = "policies-parts";
    await makeNamespace(api, space);
    const name = "optional-parts.lotse.dev";
    const rule = (apiGroups: string[], operations: string[], ...resources: string[]) => ({
      apiGroups,
      apiVersions: ["v1"],
      operations,
      resources,
    });
    const shapes =
      "request.kind.kind + ' ' + request.resource.resource + '/' + request.subResource + ' ' + request.name";
    await api.ok(
      "POST",
      `${REGISTRATION}/validatingadmissionpolicies`,
      policy(name, {
        matchConstraints: {
          resourceRules: [
            rule(["apps"], ["UPDATE"], "deployments/scale"),
            rule([""], ["CREATE"], "pods/binding", "pods/eviction", "serviceaccounts/token"),
            rule([""], ["DELETE"], "pods"),
          ],
        },
        variables: [{
          name: "replicas",
          expression: "request.kind.kind == 'Scale' ? object.?spec.?replicas.orValue(0) : 9",
        }],
        validations: [
          { expression: "request.operation != 'DELETE'", message: "not deleted" },
          { expression: "variables.replicas < 3", messageExpression: shapes },
        ],
        matchConditions: [{ name: "kept", expression: "request.name != 'free'" }],
      }),
    );
    await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicybindings`, binding(name, space));
    const labels = { app: "scaled" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const apps = `/apis/apps/v1/namespaces/${space}/deployments`;
    await api.peek("POST", apps, {
      metadata: { name: "scaled" },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    });
    const scale = `${apps}/scaled/scale`;
    const to = (replicas: number) => ({ spec: { replicas } });
    await api.until(
      async () => (await api.peek("PATCH", `${scale}?dryRun=All`, to(5), MERGE)).code === 422,
      "a refusal",
    );
    await api.refused(422, "PATCH", scale, to(5), MERGE);
    const { body: found } = await api.peek("GET", scale);
    await api.refused(422, "PUT", scale, { ...found, ...to(4) });
    const applied = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "scaled" }, ...to(3) };
    await api.refused(409, "PATCH", `${scale}?fieldManager=one`, applied, APPLY);
    await api.refused(422, "PATCH", `${scale}?fieldManager=one&force=true`, applied, APPLY);
    assert.equal((await api.peek("PATCH", scale, to(0), MERGE)).code, 200);
    const path = `/api/v1/namespaces/${space}`;
    const account = `${path}/serviceaccounts`;
    await api.peek("POST", account, { metadata: { name: "kept" } });
    await api.refused(422, "POST", `${account}/kept/token`, { spec: {} });
    for (const own of ["kept", "free"]) {
      const metadata = { name: own, finalizers: ["lotse.dev/kept"] };
      assert.equal((await api.peek("POST", `${path}/pods`, { metadata, spec: template.spec })).code, 201);
      const target = { apiVersion: "v1", kind: "Node", name: "nowhere" };
      const bound = { apiVersion: "v1", kind: "Binding", metadata: { name: own }, target };
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: own } };
      if (own === "kept") {
        await api.refused(422, "POST", `${path}/pods/${own}/binding`, bound);
        await api.refused(422, "POST", `${path}/pods/${own}/eviction`, eviction);
        await api.refused(422, "DELETE", `${path}/pods/${own}`);
      } else {
        assert.equal((await api.peek("POST", `${path}/pods/${own}/eviction`, eviction)).code, 201);
        const { body } = await api.peek("GET", `${path}/pods/${own}`);
        const target = body.status.conditions.find(({ type }: Answer) => type === "DisruptionTarget");
        assert.equal(target.reason, "EvictionByEvictionAPI");
      }
    }
    await api.ok("DELETE", `${REGISTRATION}/validatingadmissionpolicybindings/${name}`);
    for (const own of ["kept", "free"]) {
      await api.peek("PATCH", `${path}/pods/${own}`, { metadata: { finalizers: null } }, MERGE);
    }
  },
}, {
  name: "takes the parameters of policies from objects",
  accepted: LATER,
  async run(api) {
    const path = await makeNamespace(api, "policies-params");
    const name = "params.lotse.dev";
    await api.ok(
      "POST",
      `${REGISTRATION}/validatingadmissionpolicies`,
      policy(name, {
        paramKind: { apiVersion: "v1", kind: "Secret" },
        matchConditions: [{ name: "tested", expression: "object.metadata.name.startsWith('tested')" }],
        validations: [{
          expression:
            "!has(params.metadata.annotations) || object.data.a != params.metadata.annotations.forbidden",
          messageExpression: "'forbidden by ' + params.metadata.name",
        }],
      }),
    );
    const secret = (own: string, forbidden: string) => ({
      metadata: { name: own, labels: { kind: "parameters" }, annotations: { forbidden } },
    });
    const secrets = "/api/v1/namespaces/policies-params/secrets";
    const bound = binding(name, "policies-params", {
      paramRef: { name: "one", parameterNotFoundAction: "Deny" },
    });
    await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicybindings`, bound);
    await untilRefused(api, path, configMap("tested-probe"));
    await api.refused(403, "POST", path, configMap("tested")).catch(() => {});
    await api.ok("POST", secrets, secret("one", "x"));
    await api.ok("POST", secrets, secret("two", "y"));
    await api.until(
      async () => (await api.peek("POST", `${path}?dryRun=All`, configMap("tested-probe"))).code < 400,
      "the parameters are known",
    );
    await api.refused(422, "POST", path, configMap("tested", { a: "x" }));
    await api.ok("POST", path, configMap("tested", { a: "y" }));
    const selecting = {
      paramRef: {
        selector: { matchLabels: { kind: "parameters" } },
        parameterNotFoundAction: "Allow",
        name: null,
      },
    };
    await api.ok(
      "PATCH",
      `${REGISTRATION}/validatingadmissionpolicybindings/${name}`,
      { spec: selecting },
      MERGE,
    );
    await untilRefused(api, path, configMap("tested-probe", { a: "y" }));
    await api.refused(422, "POST", path, configMap("tested-too", { a: "y" }));
  },
}];
