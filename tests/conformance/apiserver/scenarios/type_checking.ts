/**
 * Scenarios of what the status of a ValidatingAdmissionPolicy says about the types in its expressions.
 */

import assert from "node:assert/strict";
import type { Answer, Session } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const PATH = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";

const DEPLOYMENTS = {
  apiGroups: ["apps"],
  apiVersions: ["v1"],
  resources: ["deployments"],
  operations: ["CREATE", "UPDATE"],
};

/** Creates a policy, and notes what its status says as soon as it says something. */
async function check(api: Session, name: string, spec: Answer): Promise<Answer> {
  const policy = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [DEPLOYMENTS] }, ...spec },
  };
  const created = await api.peek("POST", PATH, policy);
  assert.equal(created.code, 201, JSON.stringify(created.body));
  return await status(api, name);
}

async function status(api: Session, name: string): Promise<Answer> {
  let found: Answer;
  await api.until(async () => {
    const { body } = await api.peek("GET", `${PATH}/${name}`);
    found = body.status;
    return found?.observedGeneration === body.metadata.generation;
  }, "the types are checked");
  api.note(`status of ${name}`, found);
  return found;
}

const FITTING = [
  "object.spec.replicas <= 5",
  "object.metadata.labels['a'] == 'b' && object.metadata.labels.a == 'b'",
  "has(object.metadata.labels) && 'a' in object.metadata.labels",
  "oldObject == null || object.spec.replicas >= oldObject.spec.replicas",
  "object.spec.template.spec.containers.all(c, c.image.startsWith('x') && c.ports.exists(p, p.containerPort > 1))",
  "object.spec.template.spec.containers.all(c, !has(c.securityContext.privileged) || !c.securityContext.privileged)",
  "object.metadata.creationTimestamp < timestamp('2030-01-01T00:00:00Z')",
  "request.operation == 'CREATE' && request.userInfo.groups.exists(g, g == 'a')",
  "request.userInfo.extra['a'][0] == 'b' && request.resource.group == 'apps' && !request.dryRun",
  "namespaceObject.metadata.labels.env == 'prod' && namespaceObject.status.phase == 'Active'",
  "object.spec.strategy.rollingUpdate.maxSurge == 1",
  "object.spec.template.spec.volumes.filter(v, has(v.configMap)).map(v, v.configMap.name).size() == 1",
  "object.metadata.?annotations[?'a'].orValue('b') == 'b'",
  "object.spec.selector.matchLabels.all(k, object.spec.template.metadata.labels[k] == object.spec.selector.matchLabels[k])",
  "object.metadata.ownerReferences.exists_one(o, o.controller)",
  "object.spec == oldObject.spec && object.metadata.finalizers == oldObject.metadata.finalizers",
  "object.spec.template.spec.nodeSelector.size() == 0 && size(object.spec.template.spec.containers) == 1",
  "authorizer.group('apps').resource('deployments').check('get').allowed()",
  "object.metadata.name.matches('^a') && object.metadata.name + 'b' != object.kind",
];

const NOT_FITTING = [
  "object.replicas > 1",
  "object.spec.replicas > '1'",
  "object.spec.replicas == 'x'",
  "true || has(object.spec.foo)",
  "object.metadata.labels == null",
  "object.spec.template.spec.containers.all(c, c.imag == 'x')",
  "!object.metadata.name",
  "object.spec.selector.matchLabels.all(k, k > 1)",
  "object.spec.template.spec.containers[0].env[0].value == 1",
  "object.metadata.generation + object.metadata.name == 'x'",
  "object.metadata.creationTimestamp == 'x'",
  "request.name == '' || object.metadata.nam == ''",
  "'x' in object.spec.template.spec.containers.map(c, c.ports.map(p, p.containerPort))[0]",
];

const validationsOf = (expressions: readonly string[]) => expressions.map((expression) => ({ expression }));

export const TYPE_CHECKING: readonly Scenario[] = [{
  name: "tells in the status of policies which expressions do not fit the types",
  async run(api) {
    const fits = await check(api, "fits.lotse.dev", { validations: validationsOf(FITTING) });
    assert.equal(fits.typeChecking?.expressionWarnings, undefined);
    const fails = await check(api, "fails.lotse.dev", { validations: validationsOf(NOT_FITTING) });
    assert.equal(fails.typeChecking.expressionWarnings.length, NOT_FITTING.length);
  },
}, {
  name: "checks types with parameters, variables and messages, and for several kinds",
  async run(api) {
    const name = "parts.lotse.dev";
    await check(api, name, {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: {
        resourceRules: [{ ...DEPLOYMENTS, resources: ["deployments", "statefulsets", "replicasets"] }, {
          ...DEPLOYMENTS,
          apiGroups: [""],
          resources: ["pods", "nobody"],
        }],
      },
      variables: [
        { name: "replicas", expression: "object.spec.replicas" },
        { name: "names", expression: "object.spec.template.spec.containers.map(c, c.name)" },
        { name: "spec", expression: "object.spec" },
        { name: "more", expression: "variables.replicas + 1" },
      ],
      validations: [
        { expression: "variables.replicas > 'x'", messageExpression: "'at most ' + variables.replicas" },
        { expression: "variables.names[0] == 1" },
        { expression: "variables.spec.anything == 1" },
        { expression: "params.data.most > 1", messageExpression: "string(params.data.most > 1)" },
        { expression: "params.daten.most == ''" },
      ],
    });
    const fixed = { spec: { variables: [], paramKind: null, validations: [{ expression: "true" }] } };
    await api.peek("PATCH", `${PATH}/${name}`, fixed, { "content-type": "application/merge-patch+json" });
    assert.equal((await status(api, name)).typeChecking?.expressionWarnings, undefined);
  },
}, {
  name: "checks the types of no kinds that wildcards name",
  async run(api) {
    const rule = (change: Answer) => ({
      matchConstraints: { resourceRules: [{ ...DEPLOYMENTS, ...change }] },
    });
    const validations = [{ expression: "object.nowhere == 1" }];
    await check(api, "any-group.lotse.dev", { validations, ...rule({ apiGroups: ["*"] }) });
    await check(api, "any-version.lotse.dev", { validations, ...rule({ apiVersions: ["*"] }) });
    await check(api, "any-resource.lotse.dev", { validations, ...rule({ resources: ["*"] }) });
    await check(api, "scale.lotse.dev", { validations, ...rule({ resources: ["deployments/scale"] }) });
    await check(api, "nobody.lotse.dev", { validations, ...rule({ resources: ["nobody"] }) });
  },
}, {
  name: "checks types of custom kinds",
  async run(api) {
    const group = "types.lotse.dev";
    const schema = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            size: { type: "integer" },
            name: { type: "string" },
            parts: { type: "array", items: { type: "object", properties: { weight: { type: "number" } } } },
            sizes: { type: "object", additionalProperties: { type: "integer" } },
            any: { "x-kubernetes-int-or-string": true },
            "odd-name": { type: "boolean" },
            loose: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      },
    };
    await api.peek("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    // The real server publishes schemas a moment after it serves them.
    await api.until(
      async () =>
        JSON.stringify((await api.peek("GET", `/openapi/v3/apis/${group}/v1`)).body).includes("weight"),
      "the schema is published",
    );
    await check(api, "custom.lotse.dev", {
      matchConstraints: {
        resourceRules: [{ ...DEPLOYMENTS, apiGroups: [group], resources: ["things"] }],
      },
      validations: validationsOf([
        "object.spec.size > 1 && object.spec.any == 1 && object.spec.any == 'x' && object.spec.odd__dash__name",
        "object.spec.parts.all(p, p.weight > 1.0) && object.spec.sizes['a'] == 1 && object.metadata.name != ''",
        "object.metadata.labels.a == 'b' && object.metadata.annotations.size() == 1",
        "object.spec.size == 'x'",
        "object.spec.siz == 1",
        "object.spec.parts[0].weight == 'x'",
        "object.spec.sizes.a == 'x'",
        "object.spec.loose.a == 'x'",
        "object.status.a == 'x'",
      ]),
    });
  },
}];
