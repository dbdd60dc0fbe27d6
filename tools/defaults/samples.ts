/**
 * An object of each built-in kind that a server takes, so that its changes can be tried. Kinds that need no more than a name are not
 * named here.
 */

import type { JsonObject } from "../../lib/model/object.ts";

const labels = { app: "a" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i:1" }] } };
const selector = { matchLabels: labels };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkdmenVDOGNFejArSDdmL0xHQjRDenpYeW1tZWlRVUJsT3JUU3U5TXlXMEZaanpiSE11ODhLMnQ5Szl5CkQ0NEZIZGVhQnBnS21DL3cybDF0YTVqckhYcWdBREFLQmdncWhrak9QUVFEQWdOSUFEQkZBaUJYU3hnR1E4TGoKekpUMlplNE9CNTIxd3BhdnF5bU5zNVE4Vy9yWW5HRFlvZ0loQUxIZ0JlNGF5aitRM08ra2o3amRGeVBHTDdvQgpDYTd4QWVyOHJCS1pXNjlPCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
const policy = {
  matchConstraints: {
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nodes"] }],
  },
  failurePolicy: "Ignore",
};
const webhooks = [{
  name: "a.example.com",
  clientConfig: { url: "https://a.example.com" },
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  failurePolicy: "Ignore",
}];
const definition = {
  metadata: { name: "probes.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "probes", kind: "Probe" },
    scope: "Cluster",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const reference = { kind: "ConfigMap", name: "a", namespace: "default" };

/** By kind. */
export const SAMPLES: Readonly<Record<string, JsonObject>> = {
  "APIService": {
    metadata: { name: "v1.probe.example.com" },
    spec: { group: "probe.example.com", version: "v1", groupPriorityMinimum: 10, versionPriority: 10 },
  },
  "CSIDriver": { spec: { attachRequired: true } },
  "CSINode": { spec: { drivers: [{ name: "a.example.com", nodeID: "a" }] } },
  "CSIStorageCapacity": { storageClassName: "a" },
  "CertificateSigningRequest": {
    spec: { request, signerName: "example.com/signer", usages: ["client auth"] },
  },
  "ClusterRoleBinding": { roleRef },
  "ControllerRevision": { revision: 1, data: { a: "b" } },
  "CronJob": {
    spec: {
      schedule: "0 0 * * *",
      jobTemplate: {
        spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } },
      },
    },
  },
  "CustomResourceDefinition": definition,
  "DaemonSet": { spec: { selector, template } },
  "Deployment": { spec: { selector, template, replicas: 0 } },
  "DeviceClass": {},
  "EndpointSlice": { addressType: "IPv4", endpoints: [] },
  "Event": {
    involvedObject: reference,
    regarding: reference,
    reason: "A",
    action: "a",
    type: "Normal",
    eventTime: "2020-01-01T00:00:00.000000Z",
    reportingController: "example.com/a",
    reportingComponent: "example.com/a",
    reportingInstance: "a",
  },
  "FlowSchema": { spec: { priorityLevelConfiguration: { name: "exempt" }, matchingPrecedence: 500 } },
  "HorizontalPodAutoscaler": {
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, maxReplicas: 2 },
  },
  "IPAddress": {
    metadata: { name: "10.99.0.9" },
    spec: { parentRef: { resource: "services", namespace: "default", name: "a" } },
  },
  "Ingress": { spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } } },
  "IngressClass": { spec: { controller: "example.com/a" } },
  "Job": {
    spec: { parallelism: 0, template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } },
  },
  "LimitRange": { spec: { limits: [{ type: "Pod", max: { cpu: "1" } }] } },
  "MutatingAdmissionPolicy": {
    spec: {
      ...policy,
      reinvocationPolicy: "Never",
      mutations: [{
        patchType: "JSONPatch",
        jsonPatch: {
          expression:
            'has(object.metadata.labels) ? [] : [JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]',
        },
      }],
    },
  },
  "MutatingAdmissionPolicyBinding": { spec: { policyName: "a" } },
  "MutatingWebhookConfiguration": { webhooks },
  "NetworkPolicy": { spec: { podSelector: {} } },
  "PersistentVolume": {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
  },
  "PersistentVolumeClaim": {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  "Pod": { spec: template.spec },
  "PodDisruptionBudget": { spec: { minAvailable: 1, selector } },
  "PodTemplate": { template },
  "PriorityClass": { value: 5 },
  "PriorityLevelConfiguration": { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
  "ReplicaSet": { spec: { selector, template, replicas: 0 } },
  "ReplicationController": { spec: { selector: labels, template, replicas: 0 } },
  "ResourceClaim": {
    spec: { devices: { requests: [{ name: "a", exactly: { deviceClassName: "a.example.com" } }] } },
  },
  "ResourceClaimTemplate": {
    spec: { spec: { devices: { requests: [{ name: "a", exactly: { deviceClassName: "a.example.com" } }] } } },
  },
  "ResourceQuota": { spec: { hard: { pods: "1" } } },
  "ResourceSlice": {
    spec: {
      driver: "a.example.com",
      nodeName: "a",
      pool: { name: "a", generation: 1, resourceSliceCount: 1 },
    },
  },
  "RoleBinding": { roleRef },
  "RuntimeClass": { handler: "a" },
  "Secret": { type: "Opaque" },
  "Service": { spec: { ports: [{ port: 80 }] } },
  "ServiceCIDR": { spec: { cidrs: ["10.98.0.0/24"] } },
  "StatefulSet": { spec: { selector, template, replicas: 0, serviceName: "a" } },
  "StorageClass": { provisioner: "example.com/a" },
  "ValidatingAdmissionPolicy": { spec: { ...policy, validations: [{ expression: "true" }] } },
  "ValidatingAdmissionPolicyBinding": { spec: { policyName: "a", validationActions: ["Warn"] } },
  "ValidatingWebhookConfiguration": { webhooks },
  "VolumeAttachment": {
    spec: { attacher: "example.com", nodeName: "n", source: { persistentVolumeName: "v" } },
  },
  "VolumeAttributesClass": { driverName: "example.com", parameters: { a: "b" } },
};
