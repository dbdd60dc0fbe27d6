/**
 * The question to admission: one request for one object.
 *
 * Source: k8s.io/apiserver, pkg/admission/attributes.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { User } from "../access/user.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE";

export interface Attributes {
  readonly kind: Kind;
  readonly subresource: string;
  /** Of a namespace's own requests: its name. "" for other objects without one. */
  readonly namespace: string;
  /** "" where the server is yet to choose it, and where a collection is deleted. */
  readonly name: string;
  readonly operation: Operation;
  /** In the version of the request; undefined on DELETE. */
  readonly object?: KubeObject;
  /** In the version of the request; undefined on CREATE. */
  readonly oldObject?: KubeObject;
  readonly dryRun: boolean;
  /** Such as CreateOptions. */
  readonly options: JsonObject;
  readonly user: User;
  /** Adds a `Warning` to the response. */
  readonly warn: (text: string) => void;
}

/** Returns the name that refusals tell. */
export function shownName({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || "Unknown";
}

/** Those that configure admission are not themselves admitted: nobody could repair them. */
export function isExempt({ group, kind }: Kind): boolean {
  return group === "admissionregistration.k8s.io" && /^(Valid|Mut)ating(Webhook|Admission)/.test(kind);
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
