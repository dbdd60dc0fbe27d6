/**
 * Refusals of where Pods shall run and with which rights: security contexts, affinity, constraints of spread.
 *
 * Source: k8s.io/kubernetes, pkg/apis/core/validation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { selectorCauses } from "../labels.ts";
import { labelValueErrors, qualifiedNameErrors } from "../names.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";

const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];
const IDS = ["runAsUser", "runAsGroup", "fsGroup"];
const MOST = 2 ** 31 - 1;

/** Returns the faults of the security context of a Pod or a container. */
export function securityCauses(context: unknown, path: string): Cause[] {
  if (!isObject(context)) return [];
  const causes = IDS.flatMap((field) => {
    const value = context[field];
    if (typeof value !== "number" || (value >= 0 && value <= MOST)) return [];
    return [invalid(`${path}.${field}`, { value, detail: `must be between 0 and ${MOST}, inclusive` })];
  });
  const profile = objectAt(context, "seccompProfile");
  return profile === undefined ? causes : [...causes, ...profileCauses(profile, `${path}.seccompProfile`)];
}

function profileCauses({ type = "", localhostProfile }: JsonObject, path: string): Cause[] {
  const causes: Cause[] = [];
  if (type === "") causes.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  else if (!PROFILES.includes(String(type))) {
    causes.push(notSupported(`${path}.type`, { value: type, supported: PROFILES }));
  }
  if (type === "Localhost" && localhostProfile === undefined) {
    causes.push(required(`${path}.localhostProfile`, "must be set when seccomp type is Localhost"));
  }
  return causes;
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

/** Returns the faults of the affinity of a Pod. */
export function affinityCauses(affinity: unknown, path: string): Cause[] {
  const nodes = objectAt(affinity, "nodeAffinity");
  const causes = nodes === undefined ? [] : nodeCauses(nodes, `${path}.nodeAffinity`);
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    const pods = objectAt(affinity, kind);
    const at = `${path}.${kind}`;
    causes.push(
      ...objectsIn(pods?.[REQUIRED]).flatMap((term, index) =>
        podTermCauses(term, `${at}.${REQUIRED}[${index}]`)
      ),
      ...objectsIn(pods?.[PREFERRED]).flatMap((weighted, index) => [
        ...weightCauses(weighted, `${at}.${PREFERRED}[${index}]`),
        ...podTermCauses(
          objectAt(weighted, "podAffinityTerm") ?? {},
          `${at}.${PREFERRED}[${index}].podAffinityTerm`,
        ),
      ]),
    );
  }
  return causes;
}

function weightCauses({ weight: value = 0 }: JsonObject, path: string): Cause[] {
  if (Number(value) > 0 && Number(value) <= 100) return [];
  return [invalid(`${path}.weight`, { value, detail: "must be in the range 1-100" })];
}

function podTermCauses(term: JsonObject, path: string): Cause[] {
  const { topologyKey: value = "" } = term;
  const field = `${path}.topologyKey`;
  return [
    ...selectorCauses(term.labelSelector, `${path}.labelSelector`),
    ...selectorCauses(term.namespaceSelector, `${path}.namespaceSelector`),
    ...(value === "" ? [required(field, "can not be empty")] : []),
    ...qualifiedNameErrors(String(value)).map((detail) => invalid(field, { value, detail })),
  ];
}

function nodeCauses(nodes: JsonObject, path: string): Cause[] {
  const needed = objectAt(nodes, REQUIRED);
  return [
    ...(needed === undefined ? [] : nodeSelectorCauses(needed, `${path}.${REQUIRED}`)),
    ...objectsIn(nodes[PREFERRED]).flatMap((weighted, index) => [
      ...weightCauses(weighted, `${path}.${PREFERRED}[${index}]`),
      ...nodeTermCauses(
        objectAt(weighted, "preference") ?? {},
        `${path}.${PREFERRED}[${index}].preference`,
        false,
      ),
    ]),
  ];
}

/** Returns the faults of a choice of nodes. */
export function nodeSelectorCauses({ nodeSelectorTerms }: JsonObject, path: string): Cause[] {
  const terms = objectsIn(nodeSelectorTerms);
  const at = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(at, "must have at least one node selector term")];
  return terms.flatMap((term, index) => nodeTermCauses(term, `${at}[${index}]`, true));
}

/** NB: of nodes that are only preferred, any value may be asked for. */
function nodeTermCauses(term: JsonObject, path: string, checksValues: boolean): Cause[] {
  return objectsIn(term.matchExpressions).flatMap((requirement, index) => {
    const field = `${path}.matchExpressions[${index}]`;
    const { key = "", operator = "" } = requirement;
    const values = Array.isArray(requirement.values) ? requirement.values : [];
    return [
      ...operatorCauses(operator, values, field),
      ...qualifiedNameErrors(String(key)).map((detail) => invalid(`${field}.key`, { value: key, detail })),
      ...(checksValues ? values : []).flatMap((value, i) =>
        labelValueErrors(String(value)).map((detail) => invalid(`${field}.values[${i}]`, { value, detail }))
      ),
    ];
  });
}

function operatorCauses(operator: unknown, values: readonly unknown[], path: string): Cause[] {
  const field = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      return values.length === 1
        ? []
        : [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, { value: operator, detail: "not a valid selector operator" })];
  }
}

const ACTIONS = ["DoNotSchedule", "ScheduleAnyway"];

/** Returns the faults of the constraints by which Pods are spread. */
export function spreadCauses(constraints: unknown, path: string): Cause[] {
  return objectsIn(constraints).flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const { maxSkew: value = 0, topologyKey = "", whenUnsatisfiable: action = "" } = constraint;
    return [
      ...(Number(value) > 0
        ? []
        : [invalid(`${at}.maxSkew`, { value, detail: "must be greater than zero" })]),
      ...(topologyKey === "" ? [required(`${at}.topologyKey`, "can not be empty")] : []),
      ...(ACTIONS.includes(String(action))
        ? []
        : [notSupported(`${at}.whenUnsatisfiable`, { value: action, supported: ACTIONS })]),
      ...selectorCauses(constraint.labelSelector, `${at}.labelSelector`),
    ];
  });
}
