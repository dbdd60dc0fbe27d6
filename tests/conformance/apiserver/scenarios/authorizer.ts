/**
 * Scenarios of expressions that ask who may do what: `authorizer`, in policies of both sorts and in match conditions.
 */

import type { Answer, Session } from "../session.ts";
import { binding, LATER, makeNamespace, policy, REGISTRATION } from "./policies.ts";
import { configMap, type Scenario } from "./scenario.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

const ALICE = { "impersonate-user": "alice.authorizer" };

function rule(verbs: string[], resources: string[], more: Answer = {}): Answer {
  return { apiGroups: [""], verbs, resources, ...more };
}

async function grant(
  api: Session,
  name: string,
  { subject, rules }: { subject: Answer; rules: Answer[] },
): Promise<void> {
  await api.ok("POST", `${RBAC}/clusterroles`, { metadata: { name }, rules });
  await api.ok("POST", `${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [subject],
  });
}

/** Lets a policy ask what does not hold for alice. NB: long lists of warnings are cut off. */
async function ask(api: Session, name: string, expressions: readonly string[]): Promise<void> {
  const validations = expressions.map((expression) => ({ expression, message: expression }));
  await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicies`, policy(name, { validations }));
  const bound = binding(name, "authorizer", { validationActions: ["Warn"] });
  await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicybindings`, bound);
  const path = "/api/v1/namespaces/authorizer/configmaps?dryRun=All";
  await api.until(
    async () => (await api.peek("POST", path, configMap("a"), ALICE)).headers.get("warning") !== null,
    "warnings",
  );
  await api.call("POST", path, configMap("a"), ALICE);
  await api.ok("DELETE", `${REGISTRATION}/validatingadmissionpolicybindings/${name}`);
  await api.until(
    async () => (await api.peek("POST", path, configMap("a"), ALICE)).headers.get("warning") === null,
    "no warnings",
  );
}

const ASKED = [
  "authorizer.group('').resource('pods').check('list').allowed()",
  "authorizer.group('').resource('pods').check('delete').allowed()",
  "authorizer.group('').resource('pods').namespace('a').name('b').check('list').allowed()",
  "authorizer.group('').resource('pods').subresource('status').check('list').allowed()",
  "authorizer.group('').resource('pods').subresource('log').check('get').allowed()",
  "authorizer.group('').resource('secrets').name('one').check('get').allowed()",
  "authorizer.group('').resource('secrets').name('two').check('get').allowed()",
  "authorizer.group('apps').resource('deployments').check('get').allowed()",
  "authorizer.requestResource.check('create').allowed()",
  "authorizer.requestResource.check('praise').allowed()",
  "authorizer.requestResource.check('get').allowed()",
  "authorizer.requestResource.name('x').namespace('').check('praise').allowed()",
  "authorizer.path('/metrics').check('get').allowed()",
  "authorizer.path('metrics').check('get').allowed()",
  "authorizer.path('/logs').check('get').allowed()",
  "authorizer.path(' ').check('get').allowed()",
  "authorizer.group('').resource(' ').check('get').allowed()",
  "authorizer.serviceAccount('default', 'robot').group('').resource('nodes').check('get').allowed()",
  "authorizer.serviceAccount('default', 'other').group('').resource('nodes').check('get').allowed()",
  "authorizer.serviceAccount('default', 'Not Valid').group('').resource('nodes').check('get').allowed()",
  "authorizer.serviceAccount('not.valid', 'robot').group('').resource('nodes').check('get').allowed()",
  "authorizer.group('').resource('pods').check('list').reason() == ''",
  "authorizer.group('').resource('pods').check('list').reason().startsWith('RBAC: allowed by ClusterRoleBinding')",
  "authorizer.group('').resource('pods').check('delete').reason() == ''",
  "authorizer.group('').resource('pods').check('delete').errored()",
  "authorizer.group('').resource('pods').check('delete').error() == ''",
  "authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('a in (').check('list').allowed()",
  "[authorizer.requestResource].all(r, r.check('praise').allowed())",
];

export const AUTHORIZER: readonly Scenario[] = [{
  name: "answers what expressions of policies ask the authorizer",
  accepted: LATER,
  async run(api) {
    await makeNamespace(api, "authorizer");
    await grant(api, "authorizer-alice", {
      subject: { kind: "User", name: "alice.authorizer" },
      rules: [
        rule(["create", "praise"], ["configmaps"]),
        rule(["list"], ["pods"]),
        rule(["get"], ["pods/log"]),
        rule(["get"], ["secrets"], { resourceNames: ["one"] }),
        { nonResourceURLs: ["/metrics"], verbs: ["get"] },
      ],
    });
    await grant(api, "authorizer-robot", {
      subject: { kind: "ServiceAccount", name: "robot", namespace: "default" },
      rules: [rule(["get"], ["nodes"])],
    });
    for (let first = 0; first < ASKED.length; first += 10) {
      await ask(api, `asks-${first}.lotse.dev`, ASKED.slice(first, first + 10));
    }
  },
}, {
  name: "refuses expressions that misuse the authorizer",
  async run(api) {
    const path = `${REGISTRATION}/validatingadmissionpolicies`;
    const refuse = async (validation: Answer) => {
      await api.refused(422, "POST", path, policy("misused.lotse.dev", { validations: [validation] }));
    };
    await refuse({ expression: "authorizer" });
    await refuse({ expression: "authorizer.group('').check('get').allowed()" });
    await refuse({ expression: "authorizer.path('/a').check('get')" });
    await refuse({ expression: "authorizer.group(1).resource('a').check('get').allowed()" });
    await refuse({ expression: "true", messageExpression: "authorizer.path('/a').check('get').reason()" });
  },
}, {
  name: "asks the authorizer in match conditions of policies and webhooks",
  accepted: LATER,
  async run(api) {
    const configMaps = await makeNamespace(api, "authorizer-conditions");
    await grant(api, "authorizer-conditions", {
      subject: { kind: "User", name: "bob.authorizer" },
      rules: [rule(["create", "pass"], ["configmaps"])],
    });
    await grant(api, "authorizer-others", {
      subject: { kind: "User", name: "alice.authorizer" },
      rules: [rule(["create"], ["configmaps"])],
    });
    const matchConditions = [{
      name: "others",
      expression: "!authorizer.group('').resource('configmaps').check('pass').allowed()",
    }];
    const validating = policy("conditions.authorizer.lotse.dev", {
      matchConditions,
      validations: [{ expression: "!('refused' in object.data)" }],
    });
    await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicies`, validating);
    const bound = binding("conditions.authorizer.lotse.dev", "authorizer-conditions");
    await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicybindings`, bound);
    const refused = configMap("refused", { refused: "1" });
    await api.until(
      async () => (await api.peek("POST", `${configMaps}?dryRun=All`, refused, ALICE)).code === 422,
      "a refusal",
    );
    const bob = { "impersonate-user": "bob.authorizer" };
    await api.call("POST", configMaps, refused, ALICE);
    await api.call("POST", configMaps, refused, bob);
    const asked: string[] = [];
    await using hook = await api.serveHook(({ request, apiVersion, kind }) => {
      asked.push(request.name);
      return { apiVersion, kind, response: { uid: request.uid, allowed: false, status: { message: "no" } } };
    });
    await api.ok("POST", `${REGISTRATION}/validatingwebhookconfigurations`, {
      metadata: { name: "authorizer.lotse.dev" },
      webhooks: [{
        name: "authorizer.lotse.dev",
        clientConfig: hook.config("/"),
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        namespaceSelector: { matchLabels: { scenario: "authorizer-conditions" } },
        matchConditions,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      }],
    });
    await api.until(
      async () => (await api.peek("POST", `${configMaps}?dryRun=All`, configMap("probe"), ALICE)).code >= 400,
      "a refusal of the webhook",
    );
    await api.call("POST", configMaps, configMap("a"), ALICE);
    await api.call("POST", configMaps, configMap("b"), bob);
    api.note("asked", asked.filter((name) => name !== "probe"));
  },
}];
