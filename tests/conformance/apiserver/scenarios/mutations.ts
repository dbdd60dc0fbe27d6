/**
 * Scenarios of MutatingAdmissionPolicies: expressions that change what is written, bound to where they count.
 */

import assert from "node:assert/strict";
import { type Answer, MERGE, type Session } from "../session.ts";
import { configMap, type Scenario } from "./scenario.ts";

const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";

const CONFIG_MAPS = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const PODS = { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };

const applied = (expression: string): Answer => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patched = (expression: string): Answer => ({ patchType: "JSONPatch", jsonPatch: { expression } });

function policy(name: string, spec: Answer): Answer {
  const resourceRules = [{ ...CONFIG_MAPS, operations: ["CREATE", "UPDATE"] }];
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicy",
    metadata: { name },
    spec: { matchConstraints: { resourceRules }, reinvocationPolicy: "Never", ...spec },
  };
}

function binding(name: string, namespace: string, spec: Answer = {}): Answer {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name },
    spec: {
      policyName: name,
      matchResources: { namespaceSelector: { matchLabels: { scenario: namespace } } },
      ...spec,
    },
  };
}

/** Puts a policy in force in a namespace of its own, and waits until it is: the real server needs a moment. */
async function bind(
  api: Session,
  name: string,
  { policy: spec, binding: bound = {}, probe, plural = "configmaps" }: {
    readonly policy: Answer;
    readonly binding?: Answer;
    /** An object that the policy changes or refuses. */
    readonly probe: Answer;
    readonly plural?: string;
  },
): Promise<string> {
  await api.ok("POST", "/api/v1/namespaces", { metadata: { name, labels: { scenario: name } } });
  const path = `/api/v1/namespaces/${name}/${plural}`;
  await api.ok("POST", `${REGISTRATION}/mutatingadmissionpolicies`, policy(`${name}.lotse.dev`, spec));
  await api.ok(
    "POST",
    `${REGISTRATION}/mutatingadmissionpolicybindings`,
    binding(`${name}.lotse.dev`, name, bound),
  );
  const before = JSON.stringify([probe.data, probe.metadata.labels, probe.spec?.containers?.length]);
  await api.until(async () => {
    const { code, body } = await api.peek("POST", `${path}?dryRun=All`, probe);
    if (code >= 400) return true;
    return JSON.stringify([body.data, body.metadata.labels, body.spec?.containers?.length]) !== before;
  }, "the policy is in force");
  return path;
}

export const MUTATIONS: readonly Scenario[] = [{
  name: "refuses mutating policies and bindings that are wrong",
  accepted: [{
    line: /overload for|undefined field|undeclared|compilation failed|must evaluate/,
    because: "words of parsers differ",
  }],
  async run(api) {
    const refuse = async (spec: Answer) => {
      await api.refused(422, "POST", `${REGISTRATION}/mutatingadmissionpolicies`, policy("refused", spec));
    };
    const mutations = [applied('Object{data: {"a": "b"}}')];
    await refuse({ mutations: [] });
    await refuse({ mutations: [{ patchType: "Odd" }] });
    await refuse({ mutations: [{ patchType: "JSONPatch" }] });
    await refuse({ mutations: [{ ...applied("Object{}"), patchType: "JSONPatch" }] });
    await refuse({ mutations: [applied(" ")] });
    await refuse({ mutations: [applied("1")] });
    await refuse({ mutations: [applied("Object{data: nobody}")] });
    await refuse({ mutations: [applied("Object{")] });
    await refuse({ mutations: [patched("Object{}")] });
    await refuse({ mutations, reinvocationPolicy: "" });
    await refuse({ mutations, reinvocationPolicy: "Often" });
    await refuse({ mutations, failurePolicy: "Perhaps" });
    await refuse({ mutations, matchConstraints: null });
    await refuse({
      mutations,
      matchConstraints: { resourceRules: [{ ...CONFIG_MAPS, operations: ["DELETE"] }] },
    });
    await refuse({ mutations, matchConditions: [{ name: "a", expression: "1" }] });
    const refuseBinding = async (spec: Answer) => {
      const path = `${REGISTRATION}/mutatingadmissionpolicybindings`;
      await api.refused(422, "POST", path, binding("refused", "nowhere", spec));
    };
    await refuseBinding({ policyName: "" });
    await refuseBinding({ paramRef: { parameterNotFoundAction: "Deny" } });
  },
}, {
  name: "merges what policies apply, with variables and conditions",
  async run(api) {
    const path = await bind(api, "mutations-apply", {
      policy: {
        matchConditions: [{ name: "named", expression: "object.metadata.name != 'spared'" }],
        variables: [{ name: "size", expression: "has(object.data) ? object.data.size() : 0" }],
        mutations: [
          applied(
            `Object{
              metadata: Object.metadata{labels: {"size": string(variables.size)}},
              data: {"a": object.metadata.name + "!"}
            }`,
          ),
          applied('Object{data: {"b": object.data.a}}'),
        ],
      },
      probe: configMap("probe", { x: "1" }),
    });
    const created = await api.ok("POST", path, configMap("one", { x: "1" }));
    assert.deepEqual(created.data, { a: "one!", b: "one!", x: "1" });
    assert.equal(created.metadata.labels.size, "1");
    await api.ok("POST", path, configMap("spared", { x: "1" }));
    const changed = await api.ok("PATCH", `${path}/one`, { data: { a: "mine", y: "2" } }, MERGE);
    assert.equal(changed.data.a, "one!");
    await api.ok("GET", `${path}/one`);
  },
}, {
  name: "leaves out what optional fields of mutations do not hold",
  async run(api) {
    const path = await bind(api, "mutations-optional", {
      policy: {
        mutations: [
          applied(
            `Object{
              metadata: Object.metadata{?labels: has(object.data) ? optional.of({"size": "some"}) : optional.none()},
              ?data: optional.of({?"b": object.?data.?a, ?"c": object.?data.?nothing, "d": dyn("e")})
            }`,
          ),
          patched(
            `[JSONPatch{op: "add", path: "/metadata/annotations", value: {?"f": object.?data.?g, "h": dyn("i")}}]`,
          ),
        ],
      },
      probe: configMap("probe", { x: "1" }),
    });
    const created = await api.ok("POST", path, configMap("one", { a: "1" }));
    assert.deepEqual(created.data, { a: "1", b: "1", d: "e" });
    assert.deepEqual(created.metadata.annotations, { h: "i" });
    const { data: _data, ...bare } = configMap("bare");
    await api.ok("POST", path, bare);
  },
}, {
  name: "patches what policies patch, and takes a patch whose test fails back",
  async run(api) {
    const path = await bind(api, "mutations-patch", {
      policy: {
        mutations: [
          patched(
            `[
              JSONPatch{op: "test", path: "/data/state", value: "raw"},
              JSONPatch{op: "replace", path: "/data/state", value: "done"},
              JSONPatch{op: "add", path: "/metadata/annotations", value: {"a/b": "c"}},
              JSONPatch{op: "replace", path: "/metadata/annotations/" + jsonpatch.escapeKey("a/b"), value: "d"},
              JSONPatch{op: "add", path: "/metadata/labels", value: {"from": "policy"}}
            ]`,
          ),
          patched('object.metadata.name == "bare" ? [JSONPatch{op: "remove", path: "/data/state"}] : []'),
        ],
      },
      probe: configMap("probe", { state: "raw" }),
    });
    const created = await api.ok("POST", path, configMap("one", { state: "raw" }));
    assert.equal(created.data.state, "done");
    const other = await api.ok("POST", path, configMap("two", { state: "other" }));
    assert.equal(other.data.state, "other");
    await api.ok("POST", path, configMap("bare", { state: "other", kept: "1" }));
  },
}, {
  name: "merges lists of a Pod by their keys, and sets defaults afterwards",
  async run(api) {
    const container = { name: "c", image: "i" };
    const path = await bind(api, "mutations-pods", {
      plural: "pods",
      policy: {
        matchConstraints: { resourceRules: [{ ...PODS, operations: ["CREATE"] }] },
        mutations: [applied(
          `Object{spec: Object.spec{containers: [
            Object.spec.containers{name: "c", env: [Object.spec.containers.env{name: "A", value: "1"}]},
            Object.spec.containers{name: "side", image: "s"}
          ]}}`,
        )],
      },
      probe: { metadata: { name: "probe" }, spec: { containers: [container] } },
    });
    const pod = await api.ok("POST", path, {
      metadata: { name: "one" },
      spec: { automountServiceAccountToken: false, containers: [container] },
    });
    assert.deepEqual(pod.spec.containers.map(({ name }: Answer) => name), ["c", "side"]);
    assert.deepEqual(pod.spec.containers[0].env, [{ name: "A", value: "1" }]);
    assert.equal(pod.spec.containers[1].terminationMessagePath, "/dev/termination-log");
  },
}, {
  name: "refuses what a mutating policy cannot make of an object",
  accepted: [{ line: /no such key|resulted in error/, because: "words of evaluators differ" }],
  async run(api) {
    const broken = await bind(api, "mutations-broken", {
      policy: {
        mutations: [
          applied(
            'object.metadata.name == "wrong" ? Object{data: Object.spec{a: "b"}} : ' +
              'object.metadata.name == "odd" ? Object{nothing: 1} : Object{data: {"a": object.data.b}}',
          ),
        ],
      },
      probe: configMap("probe", { x: "1" }),
    });
    await api.refused(403, "POST", broken, configMap("bad", { x: "1" }));
    await api.refused(403, "POST", broken, configMap("wrong", { x: "1" }));
    await api.refused(403, "POST", broken, configMap("odd", { x: "1" }));
    await api.ok("POST", broken, configMap("good", { b: "1" }));
  },
}, {
  name: "lets objects be where failures of a mutating policy are ignored",
  async run(api) {
    const path = await bind(api, "mutations-ignored", {
      policy: {
        failurePolicy: "Ignore",
        mutations: [
          applied('Object{data: {"a": object.data.b}}'),
          applied('Object{metadata: Object.metadata{labels: {"seen": "yes"}}}'),
        ],
      },
      probe: configMap("probe", { x: "1" }),
    });
    const created = await api.ok("POST", path, configMap("one", { x: "1" }));
    assert.deepEqual([created.data, created.metadata.labels.seen], [{ x: "1" }, "yes"]);
  },
}, {
  name: "refuses to replace a list that is one value",
  async run(api) {
    const path = await bind(api, "mutations-atomic", {
      plural: "pods",
      policy: {
        matchConstraints: { resourceRules: [{ ...PODS, operations: ["CREATE"] }] },
        mutations: [
          applied('Object{spec: Object.spec{containers: [Object.spec.containers{name: "c", args: ["x"]}]}}'),
        ],
      },
      probe: { metadata: { name: "probe" }, spec: { containers: [{ name: "c", image: "i" }] } },
    });
    const spec = { containers: [{ name: "c", image: "i" }] };
    await api.refused(403, "POST", path, { metadata: { name: "one" }, spec });
  },
}, {
  name: "gives parameters to a mutating policy",
  async run(api) {
    const params = configMap("params", { color: "red" });
    const paramRef = { name: "params", namespace: "default", parameterNotFoundAction: "Deny" };
    await api.ok("POST", "/api/v1/namespaces/default/configmaps", params);
    const path = await bind(api, "mutations-params", {
      policy: {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        mutations: [applied('Object{metadata: Object.metadata{labels: {"color": params.data.color}}}')],
      },
      binding: { paramRef },
      probe: configMap("probe", { x: "1" }),
    });
    const created = await api.ok("POST", path, configMap("one", {}));
    assert.equal(created.metadata.labels.color, "red");
    await api.ok("DELETE", "/api/v1/namespaces/default/configmaps/params");
    await api.until(
      async () => (await api.peek("POST", `${path}?dryRun=All`, configMap("two"))).code === 403,
      "the parameters are missed",
    );
    await api.refused(403, "POST", path, configMap("two"));
  },
}];
