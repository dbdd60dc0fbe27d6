/**
 * Priorities of Pods: the classes that each cluster has, the faults of a class, and the priority that a Pod gets by its class.
 *
 * The classes of the system count from the start; they are made when a client asks for any, as most clients never look.
 * Source: k8s.io/kubernetes, plugin/pkg/admission/priority and pkg/apis/scheduling/validation.
 */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, forbidden as forbiddenField, notSupported } from "../../causes.ts";
import type { Cluster } from "../../cluster.ts";
import type { KindRules } from "../../kinds.ts";
import { forbidden } from "../../refusal.ts";
import type { Collection } from "../../storage/collection.ts";
import type { SealedField } from "../../types/served.ts";
import { fill, objectAt } from "../../values.ts";
import { createObject } from "../../writes/create.ts";
import { ageOf, numberCell, row, textCell, valueCell } from "../cells.ts";
import { sealedCauses } from "../sealed.ts";

/** The name of the collection of classes. */
export const PRIORITY_CLASSES = "priorityclasses.scheduling.k8s.io";
const NAMES = { group: "scheduling.k8s.io", plural: "priorityclasses", kind: "PriorityClass" };
const PODS = { group: "", plural: "pods", kind: "Pod" };
const HIGHEST = 1_000_000_000;
const POLICIES = ["PreemptLowerPriority", "Never"];

/** By name: value and description. */
const SYSTEM: ReadonlyMap<unknown, readonly [value: number, description: string]> = new Map([
  ["system-node-critical", [
    2_000_001_000,
    "Used for system critical pods that must not be moved from their current node.",
  ]],
  ["system-cluster-critical", [
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ]],
]);

/** Returns the rules of PriorityClasses; others are in the collection. */
export function priorityClassRules(classes: Collection, fields: readonly SealedField[] = []): KindRules {
  return {
    normalize: () => [],
    validate(object, { old }) {
      const sealed = old === undefined ? [] : sealedCauses(fields, object, old);
      const causes = [...sealed, ...classCauses(object)];
      if (causes.length === 0 && object.globalDefault === true) refuseSecondDefault(object, classes);
      return causes;
    },
    lasts: ({ metadata }) =>
      SYSTEM.has(metadata.name) ? "this is a system priority class and cannot be deleted" : undefined,
    cells: row(
      numberCell("value"),
      valueCell("globalDefault", false),
      ageOf,
      textCell("preemptionPolicy"),
    ),
  };
}

/** Makes the classes of the system, unless they are there. */
export function createSystemClasses(cluster: Cluster): void {
  const kind = cluster.kinds.at("scheduling.k8s.io/v1", "priorityclasses");
  if (kind === undefined) return;
  for (const [name, [value, description]] of SYSTEM) {
    if (kind.collection.get(String(name)) !== undefined) continue;
    const { apiVersion } = kind;
    const object = { apiVersion, kind: kind.kind, metadata: { name: String(name) }, value, description };
    createObject(cluster, object, { kind, writer: { manager: "kube-apiserver" } });
  }
}

function classCauses({ metadata, value, globalDefault = false, preemptionPolicy }: KubeObject): Cause[] {
  const name = metadata.name ?? "";
  const causes: Cause[] = [];
  const system = SYSTEM.get(name);
  if (name.startsWith("system-")) {
    const error = system === undefined
      ? `${name} is not a known system priority class`
      : value !== system[0]
      ? `value of ${name} PriorityClass must be ${system[0]}`
      : globalDefault === true
      ? `globalDefault of ${name} PriorityClass must be false`
      : undefined;
    const start = "priority class names with 'system-' prefix are reserved for system use only. error: ";
    if (error !== undefined) causes.push(forbiddenField("metadata.name", start + error));
  } else if (Number(value ?? 0) > HIGHEST) {
    causes.push(forbiddenField("value", `maximum allowed value of a user defined priority is ${HIGHEST}`));
  }
  if (POLICIES.includes(String(preemptionPolicy))) return causes;
  return [...causes, notSupported("preemptionPolicy", { value: preemptionPolicy, supported: POLICIES })];
}

/** @throws {Refusal} 403 */
function refuseSecondDefault({ metadata }: KubeObject, classes: Collection): void {
  const name = defaultOf(classes)?.metadata.name;
  if (name === undefined || name === metadata.name) return;
  const reason = `PriorityClass ${name} is already marked as default. Only one default can exist`;
  throw forbidden(NAMES, metadata.name ?? "", reason);
}

/** The class of Pods that name none: of several, the one with the lowest value. */
function defaultOf(classes: Collection): KubeObject | undefined {
  const found = [...classes.values()].map(({ object }) => object).filter((one) => one.globalDefault === true);
  return found.sort((a, b) => Number(a.value ?? 0) - Number(b.value ?? 0))[0];
}

/**
 * Sets a new Pod's priority to the value of its class; on an update, it stays.
 *
 * @throws {Refusal} 403 if there is no such class, or the Pod says another priority.
 */
export function setPriority(pod: KubeObject, old: KubeObject | undefined, classes: Collection): void {
  const spec = objectAt(pod, "spec");
  if (spec === undefined) return;
  if (old !== undefined) {
    for (const field of ["preemptionPolicy", "priority"]) {
      if (old.spec?.[field] !== undefined) fill(spec, { [field]: old.spec[field] });
    }
    return;
  }
  const refuse = (reason: string) => {
    const { name = "", generateName = name } = pod.metadata;
    return forbidden(PODS, generateName, reason);
  };
  const given = classOf(spec, classes);
  if (given === undefined) throw refuse(`no PriorityClass with name ${spec.priorityClassName} was found`);
  const { name, priority, preemptionPolicy } = given;
  const end = "from the given PriorityClass name";
  const isOther = (field: string, value: unknown) => (spec[field] ?? value) !== value;
  if (isOther("priority", priority)) {
    const start = `the integer value of priority (${spec.priority}) must not be provided in pod spec`;
    throw refuse(`${start}; priority admission controller computed ${priority} ${end}`);
  }
  if (isOther("preemptionPolicy", preemptionPolicy)) {
    const start =
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec`;
    throw refuse(`${start}; priority admission controller computed ${preemptionPolicy} ${end}`);
  }
  if (name !== "") spec.priorityClassName = name;
  Object.assign(spec, { priority, preemptionPolicy });
}

interface Priority {
  readonly name: string;
  readonly priority: number;
  readonly preemptionPolicy: string;
}

function classOf({ priorityClassName }: JsonObject, classes: Collection): Priority | undefined {
  const preemptionPolicy = "PreemptLowerPriority";
  const named = typeof priorityClassName === "string" && priorityClassName !== "";
  const found = named ? classes.get(priorityClassName)?.object : defaultOf(classes);
  if (found !== undefined) {
    const policy = String(found.preemptionPolicy ?? preemptionPolicy);
    return { name: found.metadata.name ?? "", priority: Number(found.value ?? 0), preemptionPolicy: policy };
  }
  if (!named) return { name: "", priority: 0, preemptionPolicy };
  const system = SYSTEM.get(priorityClassName);
  return system && { name: priorityClassName, priority: system[0], preemptionPolicy };
}
