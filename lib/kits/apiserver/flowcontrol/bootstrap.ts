/**
 * The priority levels and flow schemas that each cluster has from the start.
 *
 * Source: k8s.io/apiserver, pkg/apis/flowcontrol/bootstrap.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";

/** By the level's name: shares, percents that may be lent, and, where requests would wait: queues and hand size. */
const LEVELS: Readonly<Record<string, readonly number[]>> = {
  "catch-all": [5, 0],
  "exempt": [0, 0],
  "global-default": [20, 50, 128, 6],
  "leader-election": [10, 0, 16, 4],
  "node-high": [40, 25, 64, 6],
  "system": [30, 33, 64, 6],
  "workload-high": [40, 50, 128, 6],
  "workload-low": [100, 90, 128, 6],
};
const QUEUE_LENGTH = 50;

const EVERYONE = groups("system:unauthenticated", "system:authenticated");
const NODES = groups("system:nodes");
const CONTROLLERS = users("system:kube-controller-manager");
const SCHEDULER = users("system:kube-scheduler");
const KUBE_SYSTEM = [{ kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } }];

const EVERYTHING = {
  resourceRules: [onResources({ resources: ["*"] })],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const PROBES = { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] };
const LEASES = {
  resourceRules: [
    onResources({ verbs: ["get", "create", "update"], group: "coordination.k8s.io", resources: ["leases"] }),
  ],
};
const NODE_HEALTH = {
  resourceRules: [
    onResources({ group: "", resources: ["nodes", "nodes/status"], clusterScope: true }),
    onResources({ group: "coordination.k8s.io", resources: ["leases"] }),
  ],
};

type Schema = readonly [
  level: string,
  precedence: number,
  by: string,
  subjects: unknown[],
  rules: JsonObject,
];

/** By the schema's name. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  "exempt": ["exempt", 1, "", groups("system:masters"), EVERYTHING],
  "probes": ["exempt", 2, "", EVERYONE, PROBES],
  "system-leader-election": [
    "leader-election",
    100,
    "ByUser",
    [...CONTROLLERS, ...SCHEDULER, ...KUBE_SYSTEM],
    LEASES,
  ],
  "system-node-high": ["node-high", 400, "ByUser", NODES, NODE_HEALTH],
  "system-nodes": ["system", 500, "ByUser", NODES, EVERYTHING],
  "kube-controller-manager": ["workload-high", 800, "ByNamespace", CONTROLLERS, EVERYTHING],
  "kube-scheduler": ["workload-high", 800, "ByNamespace", SCHEDULER, EVERYTHING],
  "kube-system-service-accounts": ["workload-high", 900, "ByNamespace", KUBE_SYSTEM, EVERYTHING],
  "service-accounts": ["workload-low", 9000, "ByUser", groups("system:serviceaccounts"), EVERYTHING],
  "global-default": ["global-default", 9900, "ByUser", EVERYONE, EVERYTHING],
  "catch-all": ["catch-all", 10000, "ByUser", EVERYONE, EVERYTHING],
};

/** Returns them: new objects, without `apiVersion` and `kind`. */
export function defaultLevels(): KubeObject[] {
  return Object.entries(LEVELS).map(([name, numbers]) => withName(name, levelSpec(name, numbers)));
}

export function defaultSchemas(): KubeObject[] {
  return Object.entries(SCHEMAS).map(([name, [level, matchingPrecedence, by, subjects, rules]]) =>
    withName(name, {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(by === "" ? {} : { distinguisherMethod: { type: by } }),
      rules: [{ subjects, ...rules }],
    })
  );
}

function levelSpec(
  name: string,
  [nominalConcurrencyShares, lendablePercent, queues, handSize]: readonly number[],
): JsonObject {
  const share = { nominalConcurrencyShares, lendablePercent };
  if (name === "exempt") return { type: "Exempt", exempt: share };
  const limitResponse = queues === undefined
    ? { type: "Reject" }
    : { type: "Queue", queuing: { queues, handSize, queueLengthLimit: QUEUE_LENGTH } };
  return { type: "Limited", limited: { ...share, limitResponse } };
}

function withName(name: string, spec: JsonObject): KubeObject {
  return structuredClone({
    metadata: { name, annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } },
    spec,
  });
}

function groups(...names: string[]): JsonObject[] {
  return names.map((name) => ({ kind: "Group", group: { name } }));
}

function users(...names: string[]): JsonObject[] {
  return names.map((name) => ({ kind: "User", user: { name } }));
}

interface Resources {
  readonly verbs?: readonly string[];
  readonly group?: string;
  readonly resources: readonly string[];
  readonly clusterScope?: boolean;
}

function onResources({ verbs = ["*"], group = "*", resources, clusterScope }: Resources): JsonObject {
  const isAll = clusterScope ?? group === "*";
  return {
    verbs,
    apiGroups: [group],
    resources,
    namespaces: ["*"],
    ...(isAll ? { clusterScope: true } : {}),
  };
}
