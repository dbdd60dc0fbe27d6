/**
 * The values of a built-in kind's object before anything is written into it.
 *
 * The real server compares a new object with the zero value of a Go struct, which has more in it than nothing: whoever
 * creates a Deployment does not own `spec`, because that is there anyway. Source: the json tags in k8s.io/api.
 */

import type { JsonObject } from "../../../model/object.ts";

const TEMPLATE = { metadata: {}, spec: { containers: null } };
const NAMES = { plural: "", kind: "" };

/** By kind; of the others, only metadata is there. */
const ZERO: Readonly<Record<string, JsonObject>> = {
  APIService: { spec: { groupPriorityMinimum: 0, versionPriority: 0 }, status: {} },
  CSIDriver: { spec: {} },
  CSINode: { spec: { drivers: null } },
  CSIStorageCapacity: { storageClassName: "" },
  CertificateSigningRequest: { spec: { request: null, signerName: "" }, status: {} },
  ClusterRole: { rules: null },
  ClusterRoleBinding: { roleRef: { apiGroup: "", kind: "", name: "" } },
  ControllerRevision: { revision: 0 },
  CronJob: {
    spec: { schedule: "", jobTemplate: { metadata: {}, spec: { template: TEMPLATE } } },
    status: {},
  },
  CustomResourceDefinition: {
    spec: { group: "", names: NAMES, scope: "", versions: null },
    status: { conditions: null, acceptedNames: NAMES, storedVersions: null },
  },
  DaemonSet: {
    spec: { selector: null, template: TEMPLATE, updateStrategy: {} },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  },
  Deployment: { spec: { selector: null, template: TEMPLATE, strategy: {} }, status: {} },
  DeviceClass: { spec: {} },
  EndpointSlice: { addressType: "", endpoints: null, ports: null },
  FlowSchema: { spec: { priorityLevelConfiguration: { name: "" }, matchingPrecedence: 0 }, status: {} },
  HorizontalPodAutoscaler: {
    spec: { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 },
    status: { desiredReplicas: 0 },
  },
  IPAddress: { spec: {} },
  Ingress: { spec: {}, status: { loadBalancer: {} } },
  IngressClass: { spec: {} },
  Job: { spec: { template: TEMPLATE }, status: {} },
  Lease: { spec: {} },
  LimitRange: { spec: { limits: null } },
  MutatingAdmissionPolicy: { spec: {} },
  MutatingAdmissionPolicyBinding: { spec: {} },
  Namespace: { spec: {}, status: {} },
  NetworkPolicy: { spec: { podSelector: {} } },
  Node: { spec: {}, status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: {} } },
  PersistentVolume: { spec: {}, status: {} },
  PersistentVolumeClaim: { spec: { resources: {} }, status: {} },
  Pod: { spec: { containers: null }, status: {} },
  PodDisruptionBudget: {
    spec: {},
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
  PodTemplate: { template: TEMPLATE },
  PriorityClass: { value: 0 },
  PriorityLevelConfiguration: { spec: { type: "" }, status: {} },
  ReplicaSet: { spec: { selector: null, template: TEMPLATE }, status: { replicas: 0 } },
  ReplicationController: { spec: {}, status: { replicas: 0 } },
  ResourceClaim: { spec: { devices: {} }, status: {} },
  ResourceClaimTemplate: { spec: { metadata: {}, spec: { devices: {} } } },
  ResourceQuota: { spec: {}, status: {} },
  ResourceSlice: { spec: { driver: "", pool: { name: "", generation: 0, resourceSliceCount: 0 } } },
  Role: { rules: null },
  RoleBinding: { roleRef: { apiGroup: "", kind: "", name: "" } },
  RuntimeClass: { handler: "" },
  Service: { spec: {}, status: { loadBalancer: {} } },
  ServiceCIDR: { spec: { cidrs: null }, status: {} },
  StorageClass: { provisioner: "" },
  ValidatingAdmissionPolicy: { spec: {}, status: {} },
  ValidatingAdmissionPolicyBinding: { spec: {} },
  StatefulSet: {
    spec: { selector: null, template: TEMPLATE, updateStrategy: {} },
    status: { replicas: 0, availableReplicas: 0 },
  },
  VolumeAttachment: { spec: { attacher: "", source: {}, nodeName: "" }, status: { attached: false } },
};

/** Of Events, which two groups show with different fields. */
const EVENTS: Readonly<Record<string, JsonObject>> = {
  "v1": {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  },
  "events.k8s.io/v1": {
    eventTime: null,
    regarding: {},
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  },
};

/** Returns the zero value of a kind. Custom kinds have nothing in it. */
export function zeroValue(
  kind: { readonly apiVersion: string; readonly kind: string; readonly custom: boolean },
): JsonObject {
  const { apiVersion, kind: name, custom } = kind;
  if (custom) return { metadata: {} };
  const table = name === "Event" ? EVENTS[apiVersion] : Object.hasOwn(ZERO, name) ? ZERO[name] : undefined;
  return { metadata: {}, ...table };
}
