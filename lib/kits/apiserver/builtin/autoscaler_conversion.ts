/**
 * HorizontalPodAutoscalers under their two versions: stored as `autoscaling/v2`, also served as `autoscaling/v1`, which keeps
 * in annotations what it has no fields for.
 *
 * Source: k8s.io/kubernetes, pkg/apis/autoscaling/v1/conversion.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Conversion } from "../kinds.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";

const PREFIX = "autoscaling.alpha.kubernetes.io/";
const NOTES = ["metrics", "current-metrics", "behavior", "conditions"] as const;

type Note = typeof NOTES[number];

export const AUTOSCALER_CONVERSION: Conversion = {
  toServed(stored) {
    const spec = objectAt(stored, "spec") ?? {};
    const status = objectAt(stored, "status");
    const metrics = objectsIn(spec.metrics);
    const others = metrics.filter((metric) => !isCpu(metric)).map((metric) => toOld(metric, "target"));
    const current = objectsIn(status?.currentMetrics).map((metric) => toOld(metric, "current"));
    const { scaleTargetRef, minReplicas, maxReplicas } = spec;
    return compact({
      ...stored,
      apiVersion: "autoscaling/v1",
      metadata: withNotes(stored.metadata, {
        "metrics": others,
        "current-metrics": current,
        "behavior": isObject(spec.behavior) ? namedInGo(spec.behavior) : undefined,
        "conditions": objectsIn(status?.conditions),
      }),
      spec: compact({
        scaleTargetRef,
        minReplicas,
        maxReplicas,
        targetCPUUtilizationPercentage: utilization(metrics.find(isCpu), "target"),
      }),
      status: status && oldStatus(status),
    });
  },

  toStored(served) {
    const spec = objectAt(served, "spec") ?? {};
    const notes = notesOf(served.metadata);
    const { scaleTargetRef, minReplicas, maxReplicas, targetCPUUtilizationPercentage: share } = spec;
    const metrics = [
      ...objectsIn(notes.get("metrics")).map((metric) => fromOld(metric, "target")),
      ...(share === undefined || share === null ? [] : [cpuMetric(share)]),
    ];
    const behavior = notes.get("behavior");
    const status = objectAt(served, "status");
    return compact({
      ...served,
      apiVersion: "autoscaling/v2",
      metadata: withNotes(served.metadata, {}),
      spec: compact({
        scaleTargetRef,
        minReplicas,
        maxReplicas,
        metrics: metrics.length > 0 ? metrics : [cpuMetric(80)],
        behavior: isObject(behavior) ? namedInJson(behavior) : undefined,
      }),
      status: status && newStatus(status, notes),
    });
  },
};

/** In metrics, what is wanted; in their statuses, what is. */
type Side = "target" | "current";

function isCpu({ type, resource }: JsonObject): boolean {
  return type === "Resource" && isObject(resource) && resource.name === "cpu" &&
    utilization({ resource }, "target") !== undefined;
}

function utilization(metric: JsonObject | undefined, side: Side): unknown {
  return objectAt(objectAt(metric, "resource"), side)?.averageUtilization;
}

function cpuMetric(share: unknown): JsonObject {
  const target = { type: "Utilization", averageUtilization: share };
  return { type: "Resource", resource: { name: "cpu", target } };
}

function oldStatus(status: JsonObject): JsonObject {
  const { currentMetrics, conditions: _noted, ...kept } = status;
  const cpu = objectsIn(currentMetrics).findLast((metric) =>
    objectAt(metric, "resource")?.name === "cpu" && utilization(metric, "current") !== undefined
  );
  // NB: this version always shows how many there are.
  return compact({
    currentReplicas: 0,
    ...kept,
    currentCPUUtilizationPercentage: utilization(cpu, "current"),
  });
}

function newStatus(status: JsonObject, notes: ReadonlyMap<Note, unknown>): JsonObject {
  const { currentCPUUtilizationPercentage: share, ...kept } = status;
  const noted = notes.get("current-metrics");
  const current = { averageUtilization: share };
  const known = share === undefined || share === null
    ? undefined
    : [{ type: "Resource", resource: { name: "cpu", current } }];
  const currentMetrics = Array.isArray(noted)
    ? objectsIn(noted).map((metric) => fromOld(metric, "current"))
    : known;
  return compact({ ...kept, currentMetrics, conditions: notes.get("conditions") });
}

/** Returns a metric in the words of v1: there, each kind of metric has fields of its own. */
function toOld(metric: JsonObject, side: Side): JsonObject {
  const old: JsonObject = { type: metric.type };
  for (const [kind, part] of parts(metric)) {
    const { value, averageValue, averageUtilization } = objectAt(part, side) ?? {};
    const { name: metricName, selector } = objectAt(part, "metric") ?? {};
    const isCurrent = side === "current";
    // NB: quantities that are no pointers in Go cannot be left out.
    const always = (quantity: unknown) => quantity ?? "0";
    const average = isCurrent ? always(averageValue) : averageValue;
    const forms: Readonly<Partial<Record<typeof kind, JsonObject>>> = {
      object: {
        target: inGoOrder(objectAt(part, "describedObject") ?? {}),
        metricName,
        [`${side}Value`]: always(value),
        selector,
        averageValue,
      },
      pods: { metricName, [`${side}AverageValue`]: always(averageValue), selector },
      external: {
        metricName,
        metricSelector: selector,
        [`${side}Value`]: isCurrent ? always(value) : value,
        [`${side}AverageValue`]: averageValue,
      },
    };
    old[kind] = compact(
      forms[kind] ?? {
        name: part.name,
        [`${side}AverageUtilization`]: averageUtilization,
        [`${side}AverageValue`]: average,
        container: part.container,
      },
    );
  }
  return old;
}

/** NB: an annotation has its fields in the order of the Go type. */
function inGoOrder({ kind, name, apiVersion }: JsonObject): JsonObject {
  return compact({ kind, name, apiVersion });
}

function fromOld(metric: JsonObject, side: Side): JsonObject {
  const found: JsonObject = { type: metric.type };
  for (const [kind, part] of parts(metric)) {
    const value = part[`${side}Value`];
    const averageValue = kind === "object" ? part.averageValue : part[`${side}AverageValue`];
    const averageUtilization = part[`${side}AverageUtilization`];
    const isAverage = averageValue !== undefined && (kind === "object" || value === undefined);
    // NB: v1 cannot leave the value out, and so says 0.
    const isSaid = kind === "external" || (kind === "object" && !(isAverage && value === "0"));
    const type = averageUtilization !== undefined ? "Utilization" : isAverage ? "AverageValue" : "Value";
    const metricName = { name: part.metricName, selector: part.selector ?? part.metricSelector };
    found[kind] = compact({
      describedObject: part.target,
      name: part.name,
      container: part.container,
      metric: part.metricName === undefined ? undefined : compact(metricName),
      [side]: compact({
        type: side === "target" ? type : undefined,
        value: isSaid ? value : undefined,
        averageValue,
        averageUtilization,
      }),
    });
  }
  return found;
}

const METRIC_KINDS = ["object", "pods", "resource", "containerResource", "external"] as const;

/** The kind of a metric, and what it says. */
function parts(metric: JsonObject): [typeof METRIC_KINDS[number], JsonObject][] {
  return METRIC_KINDS.flatMap((kind) => {
    const part = objectAt(metric, kind);
    return part === undefined ? [] : [[kind, part]];
  });
}

function withNotes(metadata: unknown, notes: Readonly<Partial<Record<Note, unknown>>>): JsonObject {
  const known: JsonObject = isObject(metadata) ? { ...metadata } : {};
  const annotations: JsonObject = { ...objectAt(known, "annotations") };
  for (const note of NOTES) {
    delete annotations[PREFIX + note];
    const value = notes[note];
    const isThere = Array.isArray(value) ? value.length > 0 : value !== undefined;
    if (isThere) annotations[PREFIX + note] = JSON.stringify(value);
  }
  if (Object.keys(annotations).length > 0) return { ...known, annotations };
  delete known.annotations;
  return known;
}

/** NB: an annotation that is no JSON says nothing. */
function notesOf(metadata: unknown): ReadonlyMap<Note, unknown> {
  const annotations = isObject(metadata) ? objectAt(metadata, "annotations") : undefined;
  return new Map(NOTES.flatMap((note) => {
    const text = annotations?.[PREFIX + note];
    try {
      return typeof text === "string" ? [[note, JSON.parse(text)] as const] : [];
    } catch {
      return [];
    }
  }));
}

const RULE_FIELDS = ["stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance"];

/** NB: v1 writes the behavior by the names of its Go fields, what is missing as null. */
function namedInGo(behavior: JsonObject): JsonObject {
  const rules = (of: unknown) =>
    isObject(of)
      ? Object.fromEntries(RULE_FIELDS.map((field) => [upper(field), policiesOf(of[field])]))
      : null;
  return { ScaleUp: rules(behavior.scaleUp), ScaleDown: rules(behavior.scaleDown) };
}

function policiesOf(value: unknown): unknown {
  return Array.isArray(value) ? objectsIn(value).map((policy) => rename(policy, upper)) : value ?? null;
}

function namedInJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(namedInJson);
  if (!isObject(value)) return value;
  const known = Object.entries(value).filter(([, found]) => found !== null);
  return rename(Object.fromEntries(known.map(([key, found]) => [key, namedInJson(found)])), lower);
}

function rename(value: JsonObject, to: (key: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, found]) => [to(key), found]));
}

function upper(key: string): string {
  return key.slice(0, 1).toUpperCase() + key.slice(1);
}

function lower(key: string): string {
  return key.slice(0, 1).toLowerCase() + key.slice(1);
}

/** Leaves out what is undefined. */
function compact(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, found]) => found !== undefined));
}
