/**
 * Fields of built-in kinds that cannot be changed once they are there.
 *
 * NB: where the real server prints what differs, as Go prints it, this one says only that something does.
 * Source: k8s.io/kubernetes, pkg/apis/{core,apps,batch,storage,scheduling}/validation.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid } from "../causes.ts";
import type { ObjectPart } from "../paths.ts";
import { equal, objectAt, objectsIn } from "../values.ts";
import { sourcesOf } from "./storage_checks.ts";

const SEALED = "field is immutable when `immutable` is set";
const IMMUTABLE = "field is immutable";
const SELECTING = ["Deployment", "DaemonSet", "ReplicaSet", "Job"];

/** An object, and how it was. */
export interface Revision {
  readonly object: KubeObject;
  readonly old: KubeObject;
  readonly part?: ObjectPart;
}

/** Says which fields were changed that must not be. */
export function immutableCauses(kind: string, { object, old, part }: Revision): Cause[] {
  const [now, before] = [object.spec ?? {}, old.spec ?? {}];
  const selector = SELECTING.includes(kind) ? sameField("spec.selector", now.selector, before.selector) : [];
  switch (kind) {
    case "ConfigMap":
    case "Secret":
      return dataCauses(kind, object, old);
    case "Pod":
      return part === "binding" ? [] : podCauses(now, before, part);
    case "StatefulSet":
      return restCauses(now, before, STATEFUL_SET);
    case "Job":
      return [...selector, ...jobCauses(now, before)];
    case "PersistentVolumeClaim":
      return claimCauses(object, old);
    case "PersistentVolume":
      return volumeCauses(now, before);
    case "Service":
      return serviceCauses(now, before);
    case "ResourceQuota":
      return equal(sortedTexts(now.scopes), sortedTexts(before.scopes))
        ? []
        : [invalid("spec.scopes", { value: now.scopes ?? null, detail: IMMUTABLE })];
    case "PriorityClass":
      return [
        ...(object.value === old.value ? [] : [forbidden("value", "may not be changed in an update.")]),
        ...sameField("preemptionPolicy", object.preemptionPolicy, old.preemptionPolicy),
      ];
    case "StorageClass":
      return storageClassCauses(object, old);
    case "ControllerRevision":
      return sameField("data", object.data, old.data);
    default:
      return selector;
  }
}

function sortedTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String).sort() : [];
}

function sameField(field: string, value: unknown, before: unknown): Cause[] {
  return equal(value, before) ? [] : [invalid(field, { value, detail: IMMUTABLE })];
}

function dataCauses(kind: string, object: KubeObject, old: KubeObject): Cause[] {
  const causes: Cause[] = kind === "Secret" ? sameField("type", object.type, old.type) : [];
  if (old.immutable !== true) return causes;
  for (const field of ["immutable", "data", "binaryData"]) {
    if (!equal(object[field] ?? {}, old[field] ?? {})) causes.push(forbidden(field, SEALED));
  }
  return causes;
}

const POD =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

function podCauses(now: JsonObject, before: JsonObject, part: ObjectPart | undefined): Cause[] {
  if (part === "ephemeralcontainers") return debuggingCauses(now, before);
  for (const field of ["containers", "initContainers"]) {
    if (objectsIn(now[field]).length !== objectsIn(before[field]).length) {
      return [forbidden(`spec.${field}`, "pod updates may not add or remove containers")];
    }
  }
  const tolerations = objectsIn(now.tolerations);
  const timeless = ({ tolerationSeconds: _seconds, ...toleration }: JsonObject) => toleration;
  const isDropped = objectsIn(before.tolerations).some((old) =>
    !tolerations.some((one) => equal(timeless(one), timeless(old)))
  );
  const gates = objectsIn(before.schedulingGates);
  const isGated = objectsIn(now.schedulingGates).some((gate) => !gates.some((one) => equal(one, gate)));
  const deadlines = [...deadlineCauses(now, before), ...(gates.length > 0 ? placeCauses(now, before) : [])];
  // NB: what may be said of its place while it is gated is no change of the rest.
  const rest = gates.length > 0 ? placedAs(now, before) : now;
  if (isDropped) {
    const detail = "existing toleration can not be modified except its tolerationSeconds";
    return [...deadlines, forbidden("spec.tolerations", detail)];
  }
  if (!isGated && equal(withoutChangeable(rest), withoutChangeable(before))) return deadlines;
  return [...deadlines, forbidden("spec", POD)];
}

/** A deadline may come nearer, and not go away. */
function deadlineCauses(now: JsonObject, before: JsonObject): Cause[] {
  const field = "spec.activeDeadlineSeconds";
  const [value, old] = [now.activeDeadlineSeconds, before.activeDeadlineSeconds];
  if (typeof value === "number" && value < 0) {
    return [invalid(field, { value, detail: "must be between 0 and 2147483647, inclusive" })];
  }
  if (typeof old !== "number" || value === old) return [];
  if (typeof value !== "number") {
    return [invalid(field, { value: null, detail: "must not update from a positive integer to nil value" })];
  }
  const detail = "must be less than or equal to previous value";
  return value > old ? [invalid(field, { value, detail })] : [];
}

const NODE_TERMS =
  "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
const ADDED = "only additions are allowed (no mutations or deletions)";

/** A Pod whose scheduling is held back may be bound to fewer nodes, and to no others. */
function placeCauses(now: JsonObject, before: JsonObject): Cause[] {
  const causes: Cause[] = [];
  const [selector, old] = [objectAt(now, "nodeSelector") ?? {}, objectAt(before, "nodeSelector") ?? {}];
  if (Object.keys(old).some((key) => selector[key] !== old[key])) {
    const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    causes.push(invalid("spec.nodeSelector", { value: now.nodeSelector ?? null, detail }));
  }
  const [terms, oldTerms] = [nodeTerms(now), nodeTerms(before)];
  if (oldTerms.length > 0 && terms.length !== oldTerms.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [
      ...causes,
      invalid(NODE_TERMS, { value: terms.length > 0 ? terms.map(shownTerm) : null, detail }),
    ];
  }
  for (const [index, term] of oldTerms.entries()) {
    const now = terms[index] ?? {};
    if (addsTo(now, term)) continue;
    causes.push(invalid(`${NODE_TERMS}[${index}]`, { value: shownTerm(now), detail: ADDED }));
  }
  return causes;
}

function nodeTerms(spec: JsonObject): JsonObject[] {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  return objectsIn(
    objectAt(objectAt(objectAt(spec, "affinity"), "nodeAffinity"), required)?.nodeSelectorTerms,
  );
}

/** As Go prints it: the names of its fields happen to be in the order of the alphabet. */
function shownTerm(term: JsonObject): JsonObject {
  const shown = (list: unknown) =>
    Array.isArray(list)
      ? objectsIn(list).map(({ key, operator, values = null }) => ({
        Key: key,
        Operator: operator,
        Values: values,
      }))
      : null;
  return { MatchExpressions: shown(term.matchExpressions), MatchFields: shown(term.matchFields) };
}

function addsTo(term: JsonObject, old: JsonObject): boolean {
  const parts = ["matchExpressions", "matchFields"].map((
    part,
  ) => [objectsIn(term[part]), objectsIn(old[part])]);
  const isEmpty = parts.every(([, before = []]) => before.length === 0);
  if (isEmpty) return parts.every(([now = []]) => now.length === 0);
  return parts.every(([now = [], before = []]) => equal(now.slice(0, before.length), before));
}

/** The spec with the node selector and the node affinity of another one. */
function placedAs(spec: JsonObject, other: JsonObject): JsonObject {
  const { nodeAffinity: _affinity, ...rest } = objectAt(spec, "affinity") ?? {};
  const old = objectAt(other, "affinity");
  const nodeAffinity = objectAt(old, "nodeAffinity");
  const affinity = { ...rest, ...(nodeAffinity && { nodeAffinity }) };
  const { nodeSelector } = other;
  const isNone = old === undefined && Object.keys(affinity).length === 0;
  return { ...spec, nodeSelector, affinity: isNone ? undefined : affinity };
}

function withoutChangeable(spec: JsonObject): JsonObject {
  const bare = (list: unknown) => objectsIn(list).map(({ image: _image, ...container }) => container);
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    schedulingGates: _gates,
    containers,
    initContainers,
    ...rest
  } = spec;
  const grace = Number(rest.terminationGracePeriodSeconds ?? 0);
  return {
    ...rest,
    terminationGracePeriodSeconds: grace < 0 ? 1 : rest.terminationGracePeriodSeconds,
    containers: bare(containers),
    initContainers: bare(initContainers),
  };
}

function debuggingCauses(now: JsonObject, before: JsonObject): Cause[] {
  const field = "spec.ephemeralContainers";
  const there = objectsIn(now.ephemeralContainers);
  return objectsIn(before.ephemeralContainers).flatMap((old) => {
    const found = there.find(({ name }) => name === old.name);
    if (found === undefined) {
      return [
        forbidden(field, `existing ephemeral containers ${JSON.stringify(old.name)} may not be removed\n`),
      ];
    }
    const message = `existing ephemeral containers ${JSON.stringify(old.name)} may not be changed\n`;
    return equal(found, old) ? [] : [forbidden(field, message)];
  });
}

const STATEFUL_SET = {
  changeable: [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
  ],
  detail:
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
};

function restCauses(
  now: JsonObject,
  before: JsonObject,
  { changeable, detail }: { readonly changeable: readonly string[]; readonly detail: string },
): Cause[] {
  const rest = (spec: JsonObject) =>
    Object.fromEntries(Object.entries(spec).filter(([field]) => !changeable.includes(field)));
  return equal(rest(now), rest(before)) ? [] : [forbidden("spec", detail)];
}

/** A Job that is suspended and has not begun may still be told where its Pods shall run. */
function jobCauses(now: JsonObject, before: JsonObject): Cause[] {
  const causes = sameField("spec.completionMode", now.completionMode, before.completionMode);
  const isIndexed = now.completionMode === "Indexed" && now.completions === now.parallelism;
  if (!isIndexed) causes.push(...sameField("spec.completions", now.completions, before.completions));
  if (before.suspend === true) return causes;
  return [...causes, ...sameField("spec.template", now.template, before.template)];
}

const CLAIM =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function claimCauses(object: KubeObject, old: KubeObject): Cause[] {
  const { volumeName: bound = "" } = old.spec ?? {};
  const rest = (spec: JsonObject = {}): JsonObject => {
    const { volumeName, storageClassName, resources, volumeAttributesClassName, ...others } = spec;
    // NB: what the binding fills in, and what a bound claim may ask for.
    return {
      ...others,
      ...(bound === "" ? { resources } : { volumeName }),
      ...(old.spec?.storageClassName === undefined ? {} : { storageClassName }),
      ...(bound === "" ? { volumeAttributesClassName } : {}),
    };
  };
  return equal(rest(object.spec), rest(old.spec)) ? [] : [forbidden("spec", CLAIM)];
}

function volumeCauses(now: JsonObject, before: JsonObject): Cause[] {
  const causes = equal(sourcesOf(now), sourcesOf(before)) ? [] : [
    forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"),
  ];
  return [...causes, ...sameField("spec.volumeMode", now.volumeMode, before.volumeMode)];
}

function serviceCauses(now: JsonObject, before: JsonObject): Cause[] {
  const isFree = [now, before].some(({ type }) => type === "ExternalName");
  const [value, old] = [now.clusterIP, before.clusterIP];
  const detail = "may not change once set";
  const causes = isFree || old === undefined || old === "" || value === old
    ? []
    : [invalid("spec.clusterIPs[0]", { value: [value ?? ""], detail })];
  const isBalanced = [now, before].every(({ type }) => type === "LoadBalancer");
  if (!isBalanced || now.loadBalancerClass === before.loadBalancerClass) return causes;
  return [...causes, invalid("spec.loadBalancerClass", { value: now.loadBalancerClass ?? null, detail })];
}

function storageClassCauses(object: KubeObject, old: KubeObject): Cause[] {
  return ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((field) =>
    sameField(field, object[field], old[field])
  );
}
