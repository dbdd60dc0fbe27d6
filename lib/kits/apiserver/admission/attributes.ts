/**
 * The question to admission: one request for one object.
 *
 * Source: k8s.io/apiserver, pkg/admission/attributes.go.
 */

import { AuthorizerValue } from "../cel/library/authorizer.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import type { Attributes } from "../parts.ts";

export type { Attributes, Operation, Subject } from "../parts.ts";

/** Returns the name that refusals tell. */
export function shownName({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || "Unknown";
}

/** Whether objects of a kind are written without admission: a policy that refuses its own repair could not be repaired. */
export function isExempt({ group, kind }: Kind): boolean {
  return group === "admissionregistration.k8s.io" && /^(Valid|Mut)atingAdmission/.test(kind);
}

/** Whether webhooks are not asked about objects of a kind, for the same reason. Policies are. */
export function isExemptOfWebhooks(kind: Kind): boolean {
  return isExempt(kind) ||
    (kind.group === "admissionregistration.k8s.io" && /^(Valid|Mut)atingWebhook/.test(kind.kind));
}

/** Returns `authorizer`, as expressions about the request see it. */
export function authorizerFor({ gate }: Cluster, attributes: Attributes): AuthorizerValue {
  const { user, kind: { group, plural: resource }, subresource, namespace, name } = attributes;
  const decide = gate.decide.bind(gate);
  return new AuthorizerValue({ user, decide }, { group, resource, subresource, namespace, name });
}

/** Returns the labels of the namespace that the request is about; undefined if there is no such namespace. */
export function namespaceLabels(
  cluster: Cluster,
  attributes: Attributes,
): Record<string, string> | undefined {
  const { kind, operation, subresource, object, namespace } = attributes;
  const isNamespace = kind.group === "" && kind.plural === "namespaces" && subresource === "";
  if (isNamespace && operation !== "DELETE") return object?.metadata.labels ?? {};
  const stored = cluster.store.collection("namespaces").get(namespace);
  return stored === undefined ? undefined : stored.metadata.labels ?? {};
}
