/**
 * Kinds that every cluster has, as they would be discovered: the kinds that the framework itself needs, and the ones that operators
 * make most often. No discovery is needed to talk to the API server about them.
 *
 * Source: Kubernetes API reference, 1.30 and newer.
 */

import type { Resource } from "./resource.ts";

const VERBS: readonly string[] = Object.freeze([
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
]);

/** Namespaces. */
export const NAMESPACES: Resource = define("v1", "Namespace", {
  namespaced: false,
  shortcuts: ["ns"],
  status: true,
});
/** Events of the core group. */
export const EVENTS: Resource = define("v1", "Event", { shortcuts: ["ev"] });
/** Pods. */
export const PODS: Resource = define("v1", "Pod", { shortcuts: ["po"], status: true });
/** Services. */
export const SERVICES: Resource = define("v1", "Service", { shortcuts: ["svc"], status: true });
/** ConfigMaps. */
export const CONFIG_MAPS: Resource = define("v1", "ConfigMap", { shortcuts: ["cm"] });
/** Secrets. */
export const SECRETS: Resource = define("v1", "Secret");
/** ServiceAccounts. */
export const SERVICE_ACCOUNTS: Resource = define("v1", "ServiceAccount", { shortcuts: ["sa"] });
/** PersistentVolumeClaims. */
export const PERSISTENT_VOLUME_CLAIMS: Resource = define("v1", "PersistentVolumeClaim", {
  shortcuts: ["pvc"],
  status: true,
});
/** Deployments. */
export const DEPLOYMENTS: Resource = define("apps/v1", "Deployment", { shortcuts: ["deploy"], status: true });
/** StatefulSets. */
export const STATEFUL_SETS: Resource = define("apps/v1", "StatefulSet", { shortcuts: ["sts"], status: true });
/** DaemonSets. */
export const DAEMON_SETS: Resource = define("apps/v1", "DaemonSet", { shortcuts: ["ds"], status: true });
/** ReplicaSets. */
export const REPLICA_SETS: Resource = define("apps/v1", "ReplicaSet", { shortcuts: ["rs"], status: true });
/** Jobs. */
export const JOBS: Resource = define("batch/v1", "Job", { status: true });
/** CronJobs. */
export const CRON_JOBS: Resource = define("batch/v1", "CronJob", { shortcuts: ["cj"], status: true });
/** Ingresses. */
export const INGRESSES: Resource = define("networking.k8s.io/v1", "Ingress", {
  plural: "ingresses",
  shortcuts: ["ing"],
  status: true,
});
/** Leases. */
export const LEASES: Resource = define("coordination.k8s.io/v1", "Lease");
/** CustomResourceDefinitions. */
export const CUSTOM_RESOURCE_DEFINITIONS: Resource = define(
  "apiextensions.k8s.io/v1",
  "CustomResourceDefinition",
  {
    namespaced: false,
    shortcuts: ["crd", "crds"],
    status: true,
  },
);
/** ValidatingWebhookConfigurations. */
export const VALIDATING_WEBHOOK_CONFIGURATIONS: Resource = define(
  "admissionregistration.k8s.io/v1",
  "ValidatingWebhookConfiguration",
  { namespaced: false },
);
/** MutatingWebhookConfigurations. */
export const MUTATING_WEBHOOK_CONFIGURATIONS: Resource = define(
  "admissionregistration.k8s.io/v1",
  "MutatingWebhookConfiguration",
  { namespaced: false },
);

/** Kopf's peering objects of one namespace. They exist only where their CRDs were applied. */
export const KOPF_PEERINGS: Resource = define("kopf.dev/v1", "KopfPeering");
/** Kopf's peering objects of the cluster. */
export const CLUSTER_KOPF_PEERINGS: Resource = define("kopf.dev/v1", "ClusterKopfPeering", {
  namespaced: false,
});

/** All of them, by kind, such as "StatefulSet". */
export const KINDS: ReadonlyMap<string, Resource> = new Map(
  [
    NAMESPACES,
    EVENTS,
    PODS,
    SERVICES,
    CONFIG_MAPS,
    SECRETS,
    SERVICE_ACCOUNTS,
    PERSISTENT_VOLUME_CLAIMS,
    DEPLOYMENTS,
    STATEFUL_SETS,
    DAEMON_SETS,
    REPLICA_SETS,
    JOBS,
    CRON_JOBS,
    INGRESSES,
    LEASES,
    CUSTOM_RESOURCE_DEFINITIONS,
    VALIDATING_WEBHOOK_CONFIGURATIONS,
    MUTATING_WEBHOOK_CONFIGURATIONS,
    KOPF_PEERINGS,
    CLUSTER_KOPF_PEERINGS,
  ].map((resource) => [resource.kind, resource]),
);

/** Whether a kind is known to have no definition in the cluster. */
export function isBuiltIn({ group, plural }: Pick<Resource, "group" | "plural">): boolean {
  if (!group.includes(".")) return true;
  return [...KINDS.values()].some((kind) => kind.group === group && kind.plural === plural);
}

interface Details {
  readonly namespaced?: boolean;
  /** Default: the kind in lower case, and "s". */
  readonly plural?: string;
  readonly shortcuts?: readonly string[];
  /** Whether status is a subresource. */
  readonly status?: boolean;
}

function define(apiVersion: string, kind: string, details: Details = {}): Resource {
  const { namespaced = true, plural = `${kind.toLowerCase()}s`, shortcuts = [], status = false } = details;
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return Object.freeze({
    group,
    version,
    plural,
    kind,
    singular: kind.toLowerCase(),
    shortcuts,
    categories: [],
    subresources: status ? ["status"] : [],
    namespaced,
    preferred: true,
    verbs: VERBS,
  });
}
