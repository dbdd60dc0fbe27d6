/**
 * HorizontalPodAutoscalers under their two versions: stored as `autoscaling/v2`, also served as `autoscaling/v1`, which has a share of
 * the CPU and no other metric.
 *
 * NB: the real server keeps other metrics and the behavior in annotations of v1; here v1 does not show them, and an object that is
 * written in v1 has none of them.
 */

import type { JsonObject } from "../../../../model/object.ts";
import type { Conversion } from "../../kinds.ts";
import { isObject, objectAt, objectsIn } from "../../values.ts";

export const AUTOSCALER_CONVERSION: Conversion = {
  toServed(stored) {
    const { scaleTargetRef, minReplicas, maxReplicas, metrics } = objectAt(stored, "spec") ?? {};
    const spec = { scaleTargetRef, minReplicas, maxReplicas };
    const share = shareIn(metrics, "target");
    return compact({
      ...stored,
      apiVersion: "autoscaling/v1",
      spec: compact({ ...spec, targetCPUUtilizationPercentage: share }),
      status: isObject(stored.status) ? oldStatus(stored.status) : undefined,
    });
  },

  toStored(served) {
    const { targetCPUUtilizationPercentage: share, ...spec } = objectAt(served, "spec") ?? {};
    const target = { type: "Utilization", averageUtilization: share ?? 80 };
    const metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    return compact({
      ...served,
      apiVersion: "autoscaling/v2",
      spec: { ...spec, metrics },
      status: isObject(served.status) ? newStatus(served.status) : undefined,
    });
  },
};

/** Returns the share of the CPU that metrics want, or have. */
function shareIn(metrics: unknown, side: "target" | "current"): unknown {
  const cpu = objectsIn(metrics).map(({ resource }) => isObject(resource) ? resource : {})
    .find((resource) => resource.name === "cpu");
  return objectAt(cpu, side)?.averageUtilization;
}

/** NB: this version always shows how many replicas there are. */
function oldStatus({ currentMetrics, conditions: _dropped, ...kept }: JsonObject): JsonObject {
  const share = shareIn(currentMetrics, "current");
  return compact({ currentReplicas: 0, ...kept, currentCPUUtilizationPercentage: share });
}

function newStatus({ currentCPUUtilizationPercentage: share, ...kept }: JsonObject): JsonObject {
  const current = { averageUtilization: share };
  const isKnown = share !== undefined && share !== null;
  const currentMetrics = [{ type: "Resource", resource: { name: "cpu", current } }];
  return isKnown ? { ...kept, currentMetrics } : kept;
}

/** Leaves out undefined members. */
function compact(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, found]) => found !== undefined));
}
