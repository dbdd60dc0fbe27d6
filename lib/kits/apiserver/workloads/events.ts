/**
 * Events about Pods: the scheduler, kubelets and controllers tell of a Pod's life, as authors and `kubectl describe` read it.
 *
 * Source of reasons and messages: k8s.io/kubernetes, pkg/scheduler/schedule_one.go, pkg/kubelet and pkg/controller. Repetitions are not
 * counted: an Event is written together with the state of its Pod, once for each change.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Agent, ControlError, PLACES, type World } from "./world.ts";

/** The content of an Event. */
export interface Told {
  readonly reason: string;
  readonly message: string;
  /** Default: "Normal". */
  readonly type?: "Normal" | "Warning";
  /** Such as "kubelet", or "replicaset-controller". */
  readonly component: string;
  /** The container that it is about, if it is one. */
  readonly container?: string;
  /** The program that writes it. Default: "kube-controller-manager". */
  readonly as?: Agent;
}

/** Writes an Event about an object of a kind; none where none can be written, such as in a namespace that ends. */
export async function tell(
  world: World,
  { apiVersion, kind, object }: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly object: KubeObject<JsonObject, JsonObject>;
  },
  { reason, message, type = "Normal", component, container, as }: Told,
): Promise<void> {
  const { namespace, name = "", uid, resourceVersion } = object.metadata;
  const suffix = Math.floor(world.random.next() * 2 ** 48).toString(16).padStart(16, "0");
  const fieldPath = container === undefined ? {} : { fieldPath: `spec.containers{${container}}` };
  const host = as === "kubelet" ? { host: String(object.spec?.nodeName ?? "") } : {};
  try {
    await world.create(PLACES.events, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name}.${suffix}`, namespace },
      involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion, ...fieldPath },
      reason,
      message,
      type,
      source: { component, ...host },
      reportingComponent: component,
      reportingInstance: host.host ?? "",
      count: 1,
      firstTimestamp: world.now,
      lastTimestamp: world.now,
    }, { as });
  } catch (error) {
    // Controllers go on without the Event.
    if (!(error instanceof ControlError)) throw error;
  }
}
