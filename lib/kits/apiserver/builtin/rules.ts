/**
 * The rules of built-in kinds when they are written: the rules that all have, by recorded tables, and the module of each kind that has
 * one.
 *
 * Types and unknown fields are a matter of decoding (`bodies/typed_decode.ts`); of the values, only some are checked.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { KindRules } from "../kinds.ts";
import type { SealedField } from "../types/served.ts";
import { objectAt } from "../values.ts";
import { defaultContainers } from "./defaults.ts";
import type { KindContext, KindModule } from "./kind_module.ts";
import { API_SERVICE } from "./kinds/api_service.ts";
import { AUTOSCALER } from "./kinds/autoscaler.ts";
import { CERTIFICATE_SIGNING_REQUEST } from "./kinds/certificate_signing_request.ts";
import { CONFIG_MAP } from "./kinds/config_map.ts";
import { CONTROLLER_REVISION } from "./kinds/controller_revision.ts";
import { CRON_JOB } from "./kinds/cron_job.ts";
import { CSI_DRIVER, CSI_NODE, VOLUME_ATTACHMENT, VOLUME_ATTRIBUTES_CLASS } from "./kinds/csi.ts";
import { DAEMON_SET } from "./kinds/daemon_set.ts";
import { DEPLOYMENT } from "./kinds/deployment.ts";
import { ENDPOINT_SLICE } from "./kinds/endpoint_slice.ts";
import { ENDPOINTS } from "./kinds/endpoints.ts";
import { eventModule } from "./kinds/event.ts";
import { FLOW_SCHEMA, PRIORITY_LEVEL } from "./kinds/flow_control.ts";
import { INGRESS } from "./kinds/ingress.ts";
import { INGRESS_CLASS } from "./kinds/ingress_class.ts";
import { IP_ADDRESS } from "./kinds/ip_address.ts";
import { JOB } from "./kinds/job.ts";
import { LEASE } from "./kinds/lease.ts";
import { LIMIT_RANGE } from "./kinds/limit_range.ts";
import { NAMESPACE } from "./kinds/namespace.ts";
import { NETWORK_POLICY } from "./kinds/network_policy.ts";
import { nodeModule } from "./kinds/node.ts";
import { persistentVolumeModule } from "./kinds/persistent_volume.ts";
import { PERSISTENT_VOLUME_CLAIM } from "./kinds/persistent_volume_claim.ts";
import { DEVICE_CLASS, SERVICE_ACCOUNT, SERVICE_CIDR } from "./kinds/plain.ts";
import { podModule } from "./kinds/pod.ts";
import { POD_DISRUPTION_BUDGET } from "./kinds/pod_disruption_budget.ts";
import { POD_TEMPLATE } from "./kinds/pod_template.ts";
import { REPLICA_SET } from "./kinds/replica_set.ts";
import { REPLICATION_CONTROLLER } from "./kinds/replication_controller.ts";
import { RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE } from "./kinds/resource_claim.ts";
import { RESOURCE_QUOTA } from "./kinds/resource_quota.ts";
import { resourceSliceModule } from "./kinds/resource_slice.ts";
import { RUNTIME_CLASS } from "./kinds/runtime_class.ts";
import { SECRET } from "./kinds/secret.ts";
import { STATEFUL_SET } from "./kinds/stateful_set.ts";
import { STORAGE_CLASS } from "./kinds/storage_class.ts";
import { sealedCauses } from "./sealed.ts";

/** The particulars of each kind that has any. */
const MODULES: Readonly<Record<string, (context: KindContext) => KindModule>> = Object.assign(
  Object.create(null),
  {
    APIService: () => API_SERVICE,
    CertificateSigningRequest: () => CERTIFICATE_SIGNING_REQUEST,
    ConfigMap: () => CONFIG_MAP,
    ControllerRevision: () => CONTROLLER_REVISION,
    CronJob: () => CRON_JOB,
    CSIDriver: () => CSI_DRIVER,
    CSINode: () => CSI_NODE,
    DaemonSet: () => DAEMON_SET,
    Deployment: () => DEPLOYMENT,
    DeviceClass: () => DEVICE_CLASS,
    Endpoints: () => ENDPOINTS,
    EndpointSlice: () => ENDPOINT_SLICE,
    Event: eventModule,
    FlowSchema: () => FLOW_SCHEMA,
    HorizontalPodAutoscaler: () => AUTOSCALER,
    Ingress: () => INGRESS,
    IngressClass: () => INGRESS_CLASS,
    IPAddress: () => IP_ADDRESS,
    Job: () => JOB,
    Lease: () => LEASE,
    LimitRange: () => LIMIT_RANGE,
    Namespace: () => NAMESPACE,
    NetworkPolicy: () => NETWORK_POLICY,
    Node: nodeModule,
    PersistentVolume: persistentVolumeModule,
    PersistentVolumeClaim: () => PERSISTENT_VOLUME_CLAIM,
    Pod: podModule,
    PodDisruptionBudget: () => POD_DISRUPTION_BUDGET,
    PodTemplate: () => POD_TEMPLATE,
    PriorityLevelConfiguration: () => PRIORITY_LEVEL,
    ReplicaSet: () => REPLICA_SET,
    ReplicationController: () => REPLICATION_CONTROLLER,
    ResourceClaim: () => RESOURCE_CLAIM,
    ResourceClaimTemplate: () => RESOURCE_CLAIM_TEMPLATE,
    ResourceQuota: () => RESOURCE_QUOTA,
    ResourceSlice: resourceSliceModule,
    RuntimeClass: () => RUNTIME_CLASS,
    Secret: () => SECRET,
    ServiceAccount: () => SERVICE_ACCOUNT,
    ServiceCIDR: () => SERVICE_CIDR,
    StatefulSet: () => STATEFUL_SET,
    StorageClass: () => STORAGE_CLASS,
    VolumeAttachment: () => VOLUME_ATTACHMENT,
    VolumeAttributesClass: () => VOLUME_ATTRIBUTES_CLASS,
  },
);

/** Returns the rules of a built-in kind, with the fields that cannot be changed. */
export function builtinRules(
  kind: string,
  context: KindContext,
  fields: readonly SealedField[] = [],
): KindRules {
  const { complete, finish, causes, settle, sealed, mayChange, status, template, ...others } =
    MODULES[kind]?.(context) ??
      {};
  return {
    ...others,
    normalize(object) {
      complete?.(object);
      if (template !== undefined) defaultContainers(podSpecAt(object, template));
      finish?.(object);
      return [];
    },
    settle(object, old, dryRun) {
      if (old === undefined && status !== undefined) object.status = structuredClone(status);
      settle?.(object, old, dryRun);
    },
    validate(object, change) {
      const { old, part } = change;
      if (part === "status") return [];
      const found = causes?.(object, change) ?? [];
      if (old === undefined) return found;
      const closed = fields.filter(({ field }) => mayChange?.(field, object, old) !== true);
      return [...found, ...sealed?.(object, old, part) ?? sealedCauses(closed, object, old)];
    },
  };
}

/** Returns the spec of the Pods of a template at a dotted path; "" is a Pod itself. */
function podSpecAt(object: KubeObject, path: string): JsonObject {
  const steps = path === "" ? ["spec"] : [...path.split("."), "spec"];
  return steps.reduce<JsonObject | undefined>((at, step) => objectAt(at, step), object) ?? {};
}
