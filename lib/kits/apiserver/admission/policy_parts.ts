/**
 * The parts that policies of both sorts share: the requests that they are for, and the variables of their expressions.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/policy/generic.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Engine } from "../cel/engine.ts";
import { compileForRequest, type RequestFacts } from "../cel/requests.ts";
import type { Cluster } from "../cluster.ts";
import { shownIn } from "../definitions/conversion.ts";
import { keyFor, type Kind } from "../kinds.ts";
import { selects } from "../selectors/selector.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";
import { type Attributes, authorizerFor } from "./attributes.ts";
import { matchedKind } from "./matching.ts";
import { admissionRequest } from "./review.ts";

/** Returns the version of the kind in which the object shall be shown; undefined if the request is not meant. */
export function matchedBy(cluster: Cluster, match: unknown, attributes: Attributes): Kind | undefined {
  const { resourceRules, excludeResourceRules, ...rest } = isObject(match) ? match : {};
  // A binding without rules is for all that its policy is for.
  const everything = { apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], operations: ["*"] };
  const rules = objectsIn(resourceRules).length === 0 ? [everything] : resourceRules;
  return matchedKind(cluster, { ...rest, rules, excludeRules: excludeResourceRules }, attributes);
}

/** Whether a binding is not for the request although its policy is. */
export function isExcluded(
  cluster: Cluster,
  { matchResources }: JsonObject,
  attributes: Attributes,
): boolean {
  return matchResources !== undefined && matchedBy(cluster, matchResources, attributes) === undefined;
}

/** Returns the parameters that a binding means, or why there are none. */
export function paramsFor(
  cluster: Cluster,
  { paramRef }: JsonObject,
  of: { readonly policy: JsonObject; readonly namespace: string },
): readonly (KubeObject | undefined)[] | string {
  const wanted = objectAt(of.policy, "paramKind");
  if (wanted === undefined || !isObject(paramRef)) return [undefined];
  const kind = cluster.kinds.named(String(wanted.apiVersion), String(wanted.kind));
  if (kind === undefined || kind.apiVersion !== wanted.apiVersion) {
    return `failed to find resource referenced by paramKind: '${
      String(wanted.apiVersion).replace(/^(v\w+)$/, "/$1")
    }, Kind=${wanted.kind}'`;
  }
  const namespace = String(paramRef.namespace ?? of.namespace);
  if (kind.namespaced && namespace === "") {
    return "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  }
  if (!kind.namespaced && paramRef.namespace !== undefined) {
    return "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
  }
  const found = paramsOf(kind, { namespace, reference: paramRef });
  if (found.length > 0 || paramRef.parameterNotFoundAction === "Allow") return found;
  return "no params found for policy binding with `Deny` parameterNotFoundAction";
}

function paramsOf(
  kind: Kind,
  { namespace, reference }: { readonly namespace: string; readonly reference: JsonObject },
): KubeObject[] {
  if (typeof reference.name === "string" && reference.name !== "") {
    const found = kind.collection.get(keyFor(kind, { namespace, name: reference.name }));
    return found === undefined ? [] : [named(found.object, kind)];
  }
  const prefix = kind.namespaced ? `${namespace}/` : "";
  return [...kind.collection.values(prefix)]
    .filter(({ object }) => selects(reference.selector, object.metadata.labels))
    .map(({ object }) => named(object, kind));
}

function named(object: KubeObject, kind: Kind): KubeObject {
  return { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
}

/** Returns the variables of expressions about a request. */
export async function factsOf(
  cluster: Cluster,
  attributes: Attributes,
  { kind, param }: { readonly kind: Kind; readonly param: KubeObject | undefined },
): Promise<RequestFacts> {
  const { object, oldObject, namespace } = attributes;
  const show = (state: KubeObject | undefined) =>
    state === undefined || attributes.subject !== undefined ? state : shownIn(state, kind);
  const shown = { kind, object: await show(object), oldObject: await show(oldObject) };
  const isNamespace = attributes.kind.kind === "Namespace" && attributes.kind.group === "";
  const namespaceObject = namespace === "" || isNamespace
    ? undefined
    : cluster.store.collection("namespaces").get(namespace)?.object;
  return {
    ...shown,
    request: admissionRequest(attributes, kind),
    namespaceObject,
    params: param,
    authorizer: authorizerFor(cluster, attributes),
  };
}

/** Evaluates the variables of a policy in their order, into `values`; returns why some could not be. */
export function addVariables(
  engine: Engine,
  values: Record<string, unknown>,
  { params, variables }: { readonly params: boolean; readonly variables: unknown },
): ReadonlyMap<string, string> {
  const found = new Map<string, unknown>();
  const errors = new Map<string, string>();
  values.variables = found;
  const names: string[] = [];
  for (const variable of objectsIn(variables)) {
    const key = String(variable.name);
    const options = { params, variables: [...names], types: [], owner: variable };
    const { program } = compileForRequest(engine, String(variable.expression ?? ""), options);
    try {
      found.set(key, program?.evaluate(values));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      errors.set(key, `composited variable ${JSON.stringify(key)} fails to evaluate: ${why}`);
    }
    names.push(key);
  }
  return errors;
}
