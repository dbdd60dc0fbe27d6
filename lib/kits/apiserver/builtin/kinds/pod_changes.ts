/** The fields of a Pod that can be changed: few, and more of them while its scheduling is held back. */

import type { JsonObject } from "../../../../model/object.ts";
import { type Cause, forbidden, invalid } from "../../causes.ts";
import type { ObjectPart } from "../../paths.ts";
import { equal, objectAt, objectsIn } from "../../values.ts";

export function sealedPodCauses(now: JsonObject, before: JsonObject, part: ObjectPart | undefined): Cause[] {
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
  // NB: a gated Pod may be bound to fewer nodes; that is no change of the rest.
  const rest = gates.length > 0 ? placedAs(now, before) : now;
  if (isDropped) {
    const detail = "existing toleration can not be modified except its tolerationSeconds";
    return [...deadlines, forbidden("spec.tolerations", detail)];
  }
  if (!isGated && equal(withoutChangeable(rest), withoutChangeable(before))) return deadlines;
  return [...deadlines, forbidden("spec", POD)];
}

const POD =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

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
