/**
 * The roles and bindings that each cluster has from the start.
 *
 * The roles of Kubernetes' own components are left out: none of them runs here. Source: k8s.io/kubernetes,
 * plugin/pkg/auth/authorizer/rbac/bootstrappolicy. A rule is one text: verbs, groups (`core` is the group without a name)
 * and resources; or verbs and paths.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { createObject } from "../writes/create.ts";

interface Role {
  readonly rules: readonly string[];
  /** The role that gathers this one's rules. */
  readonly into?: string;
  /** Gathers the rules of the roles that name it with `into`. */
  readonly from?: string;
}

const DEFAULTS: Readonly<Record<string, Role>> = {
  "admin": { from: "admin", rules: [] },
  "cluster-admin": {
    rules: [
      "* * *",
      "* *",
    ],
  },
  "edit": { into: "admin", from: "edit", rules: [] },
  "system:aggregate-to-admin": {
    into: "admin",
    rules: [
      "create authorization.k8s.io localsubjectaccessreviews",
      "create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io rolebindings,roles",
    ],
  },
  "system:aggregate-to-edit": {
    into: "edit",
    rules: [
      "get,list,watch core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy",
      "impersonate core serviceaccounts",
      "create,delete,deletecollection,patch,update core pods,pods/attach,pods/exec,pods/portforward,pods/proxy",
      "create core pods/eviction",
      "create,delete,deletecollection,patch,update core configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy",
      "create core serviceaccounts/token",
      "create,delete,deletecollection,patch,update core,events.k8s.io events",
      "create,delete,deletecollection,patch,update apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale",
      "create,delete,deletecollection,patch,update autoscaling horizontalpodautoscalers",
      "create,delete,deletecollection,patch,update batch cronjobs,jobs",
      "create,delete,deletecollection,patch,update extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale",
      "create,delete,deletecollection,patch,update policy poddisruptionbudgets",
      "create,delete,deletecollection,patch,update networking.k8s.io ingresses,networkpolicies",
      "create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases",
      "create,delete,deletecollection,patch,update resource.k8s.io resourceclaims,resourceclaimtemplates",
    ],
  },
  "system:aggregate-to-view": {
    into: "view",
    rules: [
      "get,list,watch core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status",
      "get,list,watch core bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status",
      "get,list,watch core namespaces",
      "get,list,watch core,events.k8s.io events",
      "get,list,watch discovery.k8s.io endpointslices",
      "get,list,watch apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status",
      "get,list,watch autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status",
      "get,list,watch batch cronjobs,cronjobs/status,jobs,jobs/status",
      "get,list,watch extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale",
      "get,list,watch policy poddisruptionbudgets,poddisruptionbudgets/status",
      "get,list,watch networking.k8s.io ingresses,ingresses/status,networkpolicies",
      "get,list,watch resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates",
    ],
  },
  "system:auth-delegator": {
    rules: [
      "create authentication.k8s.io tokenreviews",
      "create authorization.k8s.io subjectaccessreviews",
    ],
  },
  "system:basic-user": {
    rules: [
      "create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews",
      "create authentication.k8s.io selfsubjectreviews",
    ],
  },
  "system:discovery": {
    rules: [
      "get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/",
    ],
  },
  "system:monitoring": {
    rules: [
      "get /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz",
      "get core nodes/metrics",
    ],
  },
  "system:public-info-viewer": {
    rules: [
      "get /healthz,/livez,/readyz,/version,/version/",
    ],
  },
  "system:service-account-issuer-discovery": {
    rules: [
      "get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/",
    ],
  },
  "view": { into: "edit", from: "view", rules: [] },
};

/** By the name of the role, which is the binding's as well: the groups. */
const BINDINGS: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": ["system:masters"],
  "system:basic-user": ["system:authenticated"],
  "system:discovery": ["system:authenticated"],
  "system:monitoring": ["system:monitoring"],
  "system:public-info-viewer": ["system:authenticated", "system:unauthenticated"],
  "system:service-account-issuer-discovery": ["system:serviceaccounts"],
};

/** The group of roles and bindings. */
export const ROLES = "rbac.authorization.k8s.io";
const METADATA = {
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
};

/** Creates them. */
export function createDefaultRoles(cluster: Cluster): void {
  for (const [name, role] of Object.entries(DEFAULTS)) {
    create(cluster, "clusterroles", clusterRole(name, role));
  }
  for (const [name, groups] of Object.entries(BINDINGS)) {
    create(cluster, "clusterrolebindings", {
      metadata: { ...METADATA, name },
      roleRef: { apiGroup: ROLES, kind: "ClusterRole", name },
      subjects: groups.map((group) => ({ apiGroup: ROLES, kind: "Group", name: group })),
    });
  }
}

function create(cluster: Cluster, plural: string, object: KubeObject): void {
  const kind = cluster.kinds.at(`${ROLES}/v1`, plural);
  if (kind === undefined) throw new TypeError(`Cannot create default roles: there are no ${plural}`);
  if (kind.collection.get(object.metadata.name ?? "") !== undefined) return;
  createObject(cluster, { apiVersion: kind.apiVersion, kind: kind.kind, ...object }, { kind });
}

function clusterRole(name: string, { rules, into, from }: Role): KubeObject {
  const label = (role: string) => ({ [`${ROLES}/aggregate-to-${role}`]: "true" });
  const labels = { ...METADATA.labels, ...(into === undefined ? {} : label(into)) };
  return {
    metadata: { ...METADATA, labels, name },
    ...(from === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: label(from) }] } }),
    rules: rules.map(readRule),
  };
}

function readRule(text: string): JsonObject {
  const [verbs = "", groups = "", resources] = text.split(" ");
  if (resources === undefined) return { nonResourceURLs: groups.split(","), verbs: verbs.split(",") };
  const apiGroups = groups.split(",").map((group) => group === "core" ? "" : group);
  return { apiGroups, resources: resources.split(","), verbs: verbs.split(",") };
}
