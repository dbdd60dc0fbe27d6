/**
 * The kinds that every cluster has, as constants for handlers: to be watched, and to be made and changed by `op.api`.
 *
 * Their specs and statuses have the types of the official client, which are imported as types only: nothing of it is
 * there at run time. Kinds without a spec (ConfigMap, Secret, Event, ServiceAccount) stay as they are; so does
 * CustomResourceDefinition, whose schemas the official types spell otherwise than the API does.
 */

import type * as models from "@kubernetes/client-node";
import { KINDS } from "../model/kinds.ts";
import type { JsonObject } from "../model/object.ts";
import { resource, type ResourceType } from "./resource.ts";

/** A type of the official client as the API sends it: times are texts (RFC 3339), not Dates. */
export type JsonOf<T> = T extends Date ? string
  : T extends (infer Item)[] ? JsonOf<Item>[]
  : T extends object ? { [Key in keyof T]: JsonOf<T[Key]> }
  : T;

/** What the official client calls "V1<Name>", as the API sends it: `Model<"PodSpec">`. */
export type Model<Name extends string> = `V1${Name}` extends keyof typeof models
  ? JsonOf<InstanceType<typeof models[`V1${Name}`]>>
  : JsonObject;

/** A built-in kind with the types of the official client. */
export type BuiltinType<Kind extends string> = ResourceType<Model<`${Kind}Spec`>, Model<`${Kind}Status`>>;

/** Built-in kinds by name. */
export interface Kinds {
  /** Kind "ConfigMap". */
  readonly ConfigMap: ResourceType;
  /** Kind "CronJob". */
  readonly CronJob: BuiltinType<"CronJob">;
  /** Kind "CustomResourceDefinition". */
  readonly CustomResourceDefinition: ResourceType;
  /** Kind "DaemonSet". */
  readonly DaemonSet: BuiltinType<"DaemonSet">;
  /** Kind "Deployment". */
  readonly Deployment: BuiltinType<"Deployment">;
  /** Kind "Event". */
  readonly Event: ResourceType;
  /** Kind "Ingress". */
  readonly Ingress: BuiltinType<"Ingress">;
  /** Kind "Job". */
  readonly Job: BuiltinType<"Job">;
  /** Kind "Lease". */
  readonly Lease: BuiltinType<"Lease">;
  /** Kind "Namespace". */
  readonly Namespace: BuiltinType<"Namespace">;
  /** Kind "PersistentVolumeClaim". */
  readonly PersistentVolumeClaim: BuiltinType<"PersistentVolumeClaim">;
  /** Kind "Pod". */
  readonly Pod: BuiltinType<"Pod">;
  /** Kind "ReplicaSet". */
  readonly ReplicaSet: BuiltinType<"ReplicaSet">;
  /** Kind "Secret". */
  readonly Secret: ResourceType;
  /** Kind "Service". */
  readonly Service: BuiltinType<"Service">;
  /** Kind "ServiceAccount". */
  readonly ServiceAccount: ResourceType;
  /** Kind "StatefulSet". */
  readonly StatefulSet: BuiltinType<"StatefulSet">;
}

/**
 * Built-in kinds.
 *
 * @example
 * ```ts
 * import { kinds, operator } from "@lotse/lotse";
 *
 * const op = operator();
 * op.on.event(kinds.Pod, ({ type, status, logger }) => logger.info("Pod", { type, phase: status.phase }));
 * ```
 */
export const kinds: Kinds = Object.freeze<Kinds>({
  ConfigMap: declare("ConfigMap"),
  CronJob: declare("CronJob"),
  CustomResourceDefinition: declare("CustomResourceDefinition"),
  DaemonSet: declare("DaemonSet"),
  Deployment: declare("Deployment"),
  Event: declare("Event"),
  Ingress: declare("Ingress"),
  Job: declare("Job"),
  Lease: declare("Lease"),
  Namespace: declare("Namespace"),
  PersistentVolumeClaim: declare("PersistentVolumeClaim"),
  Pod: declare("Pod"),
  ReplicaSet: declare("ReplicaSet"),
  Secret: declare("Secret"),
  Service: declare("Service"),
  ServiceAccount: declare("ServiceAccount"),
  StatefulSet: declare("StatefulSet"),
});

/** The types are what `Kinds` says of the kind. */
function declare<Spec = JsonObject, Status = JsonObject>(kind: keyof Kinds): ResourceType<Spec, Status> {
  const found = KINDS.get(kind);
  if (found === undefined) throw new TypeError(`Cannot declare "${kind}": it is no built-in kind`);
  const { group, version, plural, namespaced } = found;
  return resource({ group, version, plural, kind, namespaced });
}
