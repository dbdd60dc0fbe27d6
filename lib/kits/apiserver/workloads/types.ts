/**
 * The fields that controllers read of the kinds that they care for. The server has checked the types when the objects were written.
 *
 * Source: Kubernetes API reference, "Workload Resources".
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly lastProbeTime?: string | null;
  readonly observedGeneration?: number;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly protocol?: string;
  }[];
}

export interface PodSpec extends JsonObject {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly restartPolicy?: "Always" | "OnFailure" | "Never";
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly schedulingGates?: readonly unknown[];
  readonly tolerations?: readonly Toleration[];
  readonly volumes?: readonly Volume[];
  readonly affinity?: JsonObject;
}

export interface Volume extends JsonObject {
  readonly name: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface PodStatus extends JsonObject {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly conditions?: readonly Condition[];
  readonly podIP?: string;
  readonly startTime?: string;
}

export type Pod = KubeObject<PodSpec, PodStatus>;

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec: PodSpec;
}

/** The fields of all that have Pods. */
interface Replicated extends JsonObject {
  readonly selector: JsonObject;
  readonly template: PodTemplate;
  readonly minReadySeconds?: number;
}

export interface ReplicaSetSpec extends Replicated {
  readonly replicas: number;
}

export interface ReplicaSetStatus extends JsonObject {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
}

export type ReplicaSet = KubeObject<ReplicaSetSpec, ReplicaSetStatus>;

export interface ReplicationControllerSpec extends JsonObject {
  readonly replicas: number;
  readonly selector?: Readonly<Record<string, string>>;
  readonly template: PodTemplate;
  readonly minReadySeconds?: number;
}

export type ReplicationController = KubeObject<ReplicationControllerSpec, ReplicaSetStatus>;

export interface DeploymentSpec extends Replicated {
  readonly replicas: number;
  readonly paused?: boolean;
  readonly revisionHistoryLimit: number;
  readonly progressDeadlineSeconds: number;
  readonly strategy: {
    readonly type: "RollingUpdate" | "Recreate";
    readonly rollingUpdate?: {
      readonly maxSurge?: number | string;
      readonly maxUnavailable?: number | string;
    };
  };
}

export type Deployment = KubeObject<
  DeploymentSpec,
  JsonObject & { readonly conditions?: readonly Condition[] }
>;

export interface StatefulSetSpec extends Replicated {
  readonly replicas: number;
  readonly serviceName?: string;
  readonly podManagementPolicy: "OrderedReady" | "Parallel";
  readonly ordinals?: { readonly start?: number };
  readonly updateStrategy: {
    readonly type: string;
    readonly rollingUpdate?: { readonly partition?: number };
  };
  readonly volumeClaimTemplates?: readonly KubeObject[];
  readonly persistentVolumeClaimRetentionPolicy?: {
    readonly whenDeleted?: string;
    readonly whenScaled?: string;
  };
}

export interface RevisionStatus extends JsonObject {
  readonly currentRevision?: string;
}

export type StatefulSet = KubeObject<StatefulSetSpec, RevisionStatus>;

export interface DaemonSetSpec extends Replicated {
  readonly updateStrategy: {
    readonly type: string;
    readonly rollingUpdate?: { readonly maxUnavailable?: number | string };
  };
}

export type DaemonSet = KubeObject<DaemonSetSpec, JsonObject>;

export interface JobSpec extends JsonObject {
  readonly selector: JsonObject;
  readonly template: PodTemplate;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: "NonIndexed" | "Indexed";
  readonly backoffLimit?: number;
  readonly suspend?: boolean;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
}

export interface JobStatus extends JsonObject {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly Condition[];
}

export type Job = KubeObject<JobSpec, JobStatus>;

export interface CronJobSpec extends JsonObject {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly suspend?: boolean;
  readonly concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  readonly startingDeadlineSeconds?: number;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate: {
    readonly metadata?: {
      readonly labels?: Record<string, string>;
      readonly annotations?: Record<string, string>;
    };
    readonly spec: JsonObject;
  };
}

export interface CronJobStatus extends JsonObject {
  readonly lastScheduleTime?: string;
}

export type CronJob = KubeObject<CronJobSpec, CronJobStatus>;

export type Node = KubeObject<
  JsonObject & {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  },
  JsonObject
>;
