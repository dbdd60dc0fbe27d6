/** HorizontalPodAutoscalers. Source: k8s.io/kubernetes, pkg/apis/autoscaling/validation. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../../causes.ts";
import { isObject, objectAt, objectsIn } from "../../values.ts";
import { ageOf, at, listAt, numberCell, row, textAt, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const AUTOSCALER: KindModule = {
  status: { currentMetrics: null, desiredReplicas: 0 },
  causes: autoscalerCauses,
  cells: row(
    (object) =>
      `${textAt(object, "spec", "scaleTargetRef", "kind")}/${
        textAt(object, "spec", "scaleTargetRef", "name")
      }`,
    metricsText,
    textCell("spec.minReplicas", "<unset>"),
    numberCell("spec.maxReplicas"),
    numberCell("status.currentReplicas"),
    ageOf,
  ),
};

/** Returns the faults of a HorizontalPodAutoscaler. */
function autoscalerCauses(object: KubeObject): Cause[] {
  const spec = objectAt(object, "spec") ?? {};
  const [least, most] = [Number(spec.minReplicas ?? 1), Number(spec.maxReplicas ?? 0)];
  const causes: Cause[] = [];
  if (least < 1) {
    const detail = "must be greater than or equal to 1";
    causes.push(invalid("spec.minReplicas", { value: least, detail }));
  }
  if (most < least) {
    const detail = "must be greater than or equal to `minReplicas`";
    causes.push(invalid("spec.maxReplicas", { value: most, detail }));
  }
  if (most < 1) causes.push(required("spec.maxReplicas", "must be set and greater than 0"));
  const { apiVersion = "", kind = "", name = "" } = objectAt(spec, "scaleTargetRef") ?? {};
  const isOld = apiVersion === "v1" && kind === "ReplicationController";
  if (!String(apiVersion).includes("/") && !isOld) {
    const detail = "apiVersion must specify API group";
    causes.push(invalid("spec.scaleTargetRef.apiVersion", { value: apiVersion, detail }));
  }
  if (kind === "") causes.push(required("spec.scaleTargetRef.kind"));
  if (name === "") causes.push(required("spec.scaleTargetRef.name"));
  return [
    ...causes,
    ...objectsIn(spec.metrics).flatMap((each, i) => metricCauses(each, `spec.metrics[${i}]`)),
    ...["scaleUp", "scaleDown"].flatMap((direction) => policyCauses(objectAt(spec, "behavior"), direction)),
  ];
}

/** An empty list of policies gets no default. */
function policyCauses(behavior: JsonObject | undefined, direction: string): Cause[] {
  const rules = objectAt(behavior, direction);
  if (rules === undefined || objectsIn(rules.policies).length > 0) return [];
  return [required(`spec.behavior.${direction}.policies`, "must specify at least one Policy")];
}

/** By type: the field that says more. */
const METRICS: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

/** In the order in which the real server looks at them. */
const SOURCES = ["object", "external", "pods", "resource", "containerResource"];

function metricCauses(metric: JsonObject, path: string): Cause[] {
  const { type = "" } = metric;
  const field = `${path}.type`;
  const isKnown = Object.hasOwn(METRICS, String(type));
  const present = SOURCES.filter((source) => isObject(metric[source]));
  const [first] = present;
  const causes: Cause[] = type === "" ? [required(field, "must specify a metric source type")] : [];
  if (!isKnown) causes.push(notSupported(field, { value: type, supported: Object.keys(METRICS) }));
  if (first !== undefined) {
    causes.push(...sourceCauses(objectAt(metric, first) ?? {}, first, `${path}.${first}`));
  }
  const expected = isKnown ? METRICS[String(type)] : undefined;
  if (expected !== undefined && !isObject(metric[expected])) {
    causes.push(required(`${path}.${expected}`, "must populate information for the given metric source"));
  }
  // NB: the real server says so twice.
  if (!isKnown) causes.push(notSupported(field, { value: type, supported: Object.keys(METRICS) }));
  if (present.length === 1) return causes;
  const others = present.filter((source) => source !== expected);
  const detail = "must populate the given metric source only";
  return [...causes, ...others.map((source) => forbidden(`${path}.${source}`, detail))];
}

const TARGETS = ["Utilization", "Value", "AverageValue"];

/** The target of a metric; of resources, its name, too. */
function sourceCauses(source: JsonObject, kind: string, path: string): Cause[] {
  const isResource = kind === "resource" || kind === "containerResource";
  const causes: Cause[] = isResource && (source.name ?? "") === ""
    ? [required(`${path}.name`, "must specify a resource name")]
    : [];
  const { type = "", averageUtilization: value, averageValue } = objectAt(source, "target") ?? {};
  const at = `${path}.target`;
  if (type === "") causes.push(required(`${at}.type`, "must specify a metric target type"));
  if (!TARGETS.includes(String(type))) {
    const detail = "must be either Utilization, Value, or AverageValue";
    causes.push(invalid(`${at}.type`, { value: type, detail }));
  }
  if (typeof value === "number" && value < 1) {
    causes.push(invalid(`${at}.averageUtilization`, { value, detail: "must be greater than 0" }));
  }
  return kind === "resource" ? [...causes, ...amountCauses(value, averageValue, at)] : causes;
}

function amountCauses(utilization: unknown, amount: unknown, path: string): Cause[] {
  const count = [utilization, amount].filter((each) => each !== undefined).length;
  if (count === 1) return [];
  return count === 0
    ? [required(`${path}.averageUtilization`, "must set either a target raw value or a target utilization")]
    : [forbidden(`${path}.averageValue`, "may not set both a target raw value and a target utilization")];
}

/** NB: version 1 knows the CPU only. */
function metricsText(object: KubeObject): string {
  const share = at(object, "spec", "targetCPUUtilizationPercentage");
  const cpu = { type: "Resource", resource: { name: "cpu", target: { averageUtilization: share } } };
  const metrics = share === undefined ? listAt(object, "spec", "metrics") : [cpu];
  if (metrics.length === 0) return "<none>";
  const measured = listAt(object, "status", "currentMetrics");
  const known = at(object, "status", "currentCPUUtilizationPercentage");
  const states = known === undefined ? measured : [{ resource: { current: { averageUtilization: known } } }];
  const shown = metrics.slice(0, 2).map((metric, index) => metricText(metric, states[index])).join(", ");
  return metrics.length > 2 ? `${shown} + ${metrics.length - 2} more...` : shown;
}

function metricText(metric: unknown, state: unknown): string {
  const type = textAt(metric, "type");
  const field = type.slice(0, 1).toLowerCase() + type.slice(1);
  const [source, current] = [at(metric, field), at(state, field, "current")];
  if (!isObject(source)) return "<unknown type>";
  const average = textAt(source, "target", "averageValue");
  const name = type === "Resource" || type === "ContainerResource" ? textAt(source, "name") : undefined;
  if (name !== undefined && average === "") {
    const [now, wanted] = [current, at(source, "target")].map((one) => textAt(one, "averageUtilization"));
    return `${name}: ${now ? `${now}%` : "<unknown>"}/${wanted ? `${wanted}%` : "<auto>"}`;
  }
  const wanted = average || textAt(source, "target", "value");
  const now = textAt(current, average === "" ? "value" : "averageValue") || "<unknown>";
  if (name !== undefined) return `${name}: ${now}/${wanted}`;
  return `${now}/${wanted}${average === "" || type === "Pods" ? "" : " (avg)"}`;
}
