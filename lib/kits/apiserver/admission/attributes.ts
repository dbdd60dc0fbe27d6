/**
 * The question to admission: one request for one object.
 *
 * Source: k8s.io/apiserver, pkg/admission/attributes.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { User } from "../access/user.ts";
import type { Annotate } from "../audit/audit_record.ts";
import { AuthorizerValue } from "../cel/library/authorizer.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** The names of a kind that is no resource of its own, such as Scale. */
export interface Subject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Attributes {
  readonly kind: Kind;
  /** The kind of the objects, where they are not the resource's: of a scale, a binding, an eviction or a token. */
  readonly subject?: Subject;
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
  /** How long the client waits: a time in milliseconds since 1970. */
  readonly deadline: number;
  /** Adds a `Warning` to the response. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event. */
  readonly annotate: Annotate;
}

/** Returns the name that refusals tell. */
export function shownName({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || "Unknown";
}

/** Whether nobody is asked about objects of a kind: nobody could repair policies that refuse their own repair. */
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
