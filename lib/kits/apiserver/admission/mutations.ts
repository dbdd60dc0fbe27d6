/**
 * MutatingAdmissionPolicies: changes by expressions, where bindings put them in force.
 *
 * Fields that they change get no owner, as with webhooks. Source: k8s.io/apiserver, pkg/admission/plugin/policy/mutating;
 * Kubernetes documentation, "Mutating Admission Policy".
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { typeFaults } from "../apply/checking.ts";
import { typeOfKey } from "../apply/comparison.ts";
import { merge } from "../apply/merging.ts";
import type { MergeType } from "../apply/merge_type.ts";
import { configurationOf, operationsOf } from "../cel/initializers.ts";
import { compileForRequest, requestValues } from "../cel/requests.ts";
import type { Cluster } from "../cluster.ts";
import { keptFrom, shownIn } from "../definitions/conversion.ts";
import { applyJsonPatch } from "../patches/json_patch.ts";
import type { Kind } from "../kinds.ts";
import type { Mutator } from "../parts.ts";
import { forbidden, Refusal } from "../refusal.ts";
import { clone, equal, isObject, objectAt, objectsIn } from "../values.ts";
import { type Attributes, shownName } from "./attributes.ts";
import { Conditions } from "./conditions.ts";
import { addVariables, factsOf, isExcluded, matchedBy, paramsFor } from "./policy_parts.ts";

const POLICIES = "mutatingadmissionpolicies.admissionregistration.k8s.io";
const BINDINGS = "mutatingadmissionpolicybindings.admissionregistration.k8s.io";

/** Whether any policy is in force. */
export function hasMutations({ store }: Cluster): boolean {
  return store.collection(BINDINGS).size > 0 && store.collection(POLICIES).size > 0;
}

/** Returns the policies that are in force, once for each of their bindings, in their order. */
export function mutationsOf(cluster: Cluster): Mutation[] {
  if (!hasMutations(cluster)) return [];
  const bindings = [...cluster.store.collection(BINDINGS).values()].map(({ object }) => object);
  return [...cluster.store.collection(POLICIES).values()].flatMap(({ object: policy }) =>
    bindings
      .filter((binding) => objectAt(binding, "spec")?.policyName === policy.metadata.name)
      .map((binding) => new Mutation(cluster, policy, binding))
  );
}

/** A policy, by one of its bindings. */
export class Mutation implements Mutator {
  readonly id: string;
  /** Whether it wants to be asked again if another policy or a webhook changes the object afterwards. */
  readonly isRepeatable: boolean;
  readonly #cluster: Cluster;
  readonly #policy: KubeObject;
  readonly #binding: KubeObject;
  readonly #spec: JsonObject;

  constructor(cluster: Cluster, policy: KubeObject, binding: KubeObject) {
    this.#cluster = cluster;
    this.#policy = policy;
    this.#binding = binding;
    this.#spec = objectAt(policy, "spec") ?? {};
    this.id = `policy ${policy.metadata.name}/${binding.metadata.name}`;
    this.isRepeatable = this.#spec.reinvocationPolicy === "IfNeeded";
  }

  /**
   * Returns the object as the policy wants it; the same one if it is not meant, or is as the policy wants it.
   *
   * @throws {Refusal} If it cannot be evaluated, and its failure policy is "Fail".
   */
  async change(attributes: Attributes): Promise<KubeObject | undefined> {
    const binding = objectAt(this.#binding, "spec") ?? {};
    const { object, namespace } = attributes;
    const kind = matchedBy(this.#cluster, this.#spec.matchConstraints, attributes);
    if (object === undefined || kind === undefined || isExcluded(this.#cluster, binding, attributes)) {
      return object;
    }
    const params = paramsFor(this.#cluster, binding, { policy: this.#spec, namespace });
    if (typeof params === "string") {
      this.#fail(attributes, `failed to configure binding: ${params}`);
      return object;
    }
    let current = object;
    for (const param of params) {
      current = await this.#changeWith({ ...attributes, object: current }, { kind, param });
    }
    return equal(current, object) ? object : current;
  }

  /** NB: where failures are ignored, a mutation that fails is left out, and the others are applied. */
  async #changeWith(
    attributes: Attributes & { readonly object: KubeObject },
    on: { readonly kind: Kind; readonly param: KubeObject | undefined },
  ): Promise<KubeObject> {
    const { kind } = on;
    const engine = this.#cluster.cel.engine;
    const params = isObject(this.#spec.paramKind);
    try {
      const conditions = new Conditions(engine, objectsIn(this.#spec.matchConditions), { params });
      if (!conditions.hold(await factsOf(this.#cluster, attributes, on))) return attributes.object;
    } catch (error) {
      this.#fail(attributes, messageOf(error));
      return attributes.object;
    }
    let { object } = attributes;
    for (const mutation of objectsIn(this.#spec.mutations)) {
      try {
        const values = requestValues(await factsOf(this.#cluster, { ...attributes, object }, on));
        if (attributes.subject !== undefined) {
          object = this.#patch(object, { kind, values, mutation });
          continue;
        }
        // An object is shown as an object.
        const shown = await shownIn(object, kind) as KubeObject;
        const patched = this.#patch(shown, { kind, values, mutation });
        kind.rules.normalize(patched);
        object = await keptFrom(patched, kind, object.apiVersion);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        this.#fail(attributes, messageOf(error));
      }
    }
    return object;
  }

  #patch(
    shown: KubeObject,
    { kind, values, mutation }: {
      readonly kind: Kind;
      readonly values: Record<string, unknown>;
      readonly mutation: JsonObject;
    },
  ): KubeObject {
    const isApplied = mutation.patchType === "ApplyConfiguration";
    const part = objectAt(mutation, isApplied ? "applyConfiguration" : "jsonPatch") ?? {};
    const source = String(part.expression ?? "").trim();
    const value = this.#evaluate(source, { values, owner: mutation, types: isApplied ? APPLIED : PATCHES });
    if (isApplied) return merged(shown, configurationOf(value), this.#cluster.ownership.typeOf(kind));
    return patchedBy(shown, operationsOf(value));
  }

  #evaluate(
    source: string,
    { values, owner, types }: {
      readonly values: Record<string, unknown>;
      readonly owner: JsonObject;
      readonly types: readonly string[];
    },
  ): unknown {
    const engine = this.#cluster.cel.engine;
    const params = isObject(this.#spec.paramKind);
    const names = objectsIn(this.#spec.variables).map(({ name }) => String(name));
    const errors = addVariables(engine, values, { params, variables: this.#spec.variables });
    const variables = names.length > 0 ? { variables: names } : {};
    const options = { params, owner, types, patches: true, ...variables };
    const { program, error } = compileForRequest(engine, source, options);
    if (program === undefined) throw new SyntaxError(error);
    try {
      return program.evaluate(values);
    } catch (error) {
      const why = messageOf(error);
      const cause = errors.get(/^no such key: (\w+)$/.exec(why)?.[1] ?? "") ?? why;
      throw new TypeError(`expression '${source}' resulted in error: ${cause}`, { cause: error });
    }
  }

  #fail(attributes: Attributes, why: string): void {
    if (this.#spec.failurePolicy === "Ignore") return;
    const text =
      `policy '${this.#policy.metadata.name}' with binding '${this.#binding.metadata.name}' denied request: ${why}`;
    const { status } = forbidden(attributes.kind, shownName(attributes), text);
    const isSetUp = why.startsWith("failed to configure");
    const details = { ...status.details, causes: [{ message: text }] };
    throw new Refusal({ ...status, ...(isSetUp ? {} : { reason: "Invalid" }), message: text, details });
  }
}

/** The types that expressions of the two sorts may have. */
export const APPLIED: readonly string[] = ["Object"];
export const PATCHES: readonly string[] = ["list(JSONPatch)", "list(dyn)"];

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @throws {TypeError} If the configuration does not fit, or would replace an atomic value. */
function merged(shown: KubeObject, fields: JsonObject, type: MergeType): KubeObject {
  const config = { ...fields, apiVersion: shown.apiVersion, kind: shown.kind };
  const fault = typeFaults(config, type);
  if (fault !== undefined) {
    throw new TypeError(`error applying patch: failed to convert patch object to typed object: ${fault}`);
  }
  const atomics = atomicsIn(config, type, "");
  if (atomics.length > 0) {
    const list = atomics.join(", ");
    throw new TypeError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${list}`,
    );
  }
  // An object merged with a configuration is an object. Parts are shared, and later mutations work in place.
  return clone(merge({ live: shown, config }, type)) as KubeObject;
}

/** The places of values that would be replaced as a whole, although only a part of them may be meant. */
function atomicsIn(value: unknown, type: MergeType, at: string): string[] {
  if (Array.isArray(value)) {
    const { list } = type;
    if (list === undefined) return [];
    const below = value.flatMap((item, index) => atomicsIn(item, list.items(), `${at}[${index}]`));
    return list.relation === "atomic" ? [at, ...below] : below;
  }
  const { map } = type;
  if (!isObject(value) || map === undefined) return [];
  const below = Object.entries(value).filter(([key]) => map.fields.has(key)).flatMap(([key, field]) =>
    atomicsIn(field, typeOfKey(map, key), `${at}.${key}`)
  );
  return map.atomic ? [at, ...below] : below;
}

/** NB: a test that fails takes the whole patch back, and is no error. */
function patchedBy(shown: KubeObject, operations: readonly JsonObject[]): KubeObject {
  try {
    // Of an object, a patch leaves one; its metadata is judged by the rules that come next.
    const patched = applyJsonPatch(clone(shown), operations);
    if (isObject(patched) && isObject(patched.metadata)) return patched as KubeObject;
  } catch (error) {
    if (error instanceof Error && error.name === "TEST_OPERATION_FAILED") return clone(shown);
    throw new TypeError(`JSON Patch: ${messageOf(error)}`, { cause: error });
  }
  throw new TypeError("JSON Patch: it leaves no object");
}
