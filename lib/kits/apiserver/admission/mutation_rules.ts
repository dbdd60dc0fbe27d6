/**
 * Defaults and refusals of Kubernetes for MutatingAdmissionPolicies and their bindings.
 *
 * Source: k8s.io/kubernetes, pkg/apis/admissionregistration/{v1/defaults.go,validation}.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, invalid, notSupported, required } from "../causes.ts";
import type { Engine } from "../cel/engine.ts";
import type { CelLoader } from "../cel/loader.ts";
import type { KindRules } from "../kinds.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";
import { expressionCauses } from "./conditions.ts";
import { APPLIED, PATCHES } from "./mutations.ts";
import {
  matchCauses,
  namesIn,
  normalizeBinding,
  normalizePolicy,
  referenceCauses,
  sharedCauses,
} from "./policy_rules.ts";

/** Returns the rules of MutatingAdmissionPolicy. */
export function mutationRules(cel: CelLoader): KindRules {
  return {
    prepare: () => cel.load(),
    normalize: normalizePolicy,
    validate: ({ spec }) => policyCauses(cel.engine, isObject(spec) ? spec : {}),
  };
}

/** Returns the rules of MutatingAdmissionPolicyBinding. */
export function mutationBindingRules(): KindRules {
  return {
    normalize: normalizeBinding,
    validate: ({ spec }) => bindingCauses(isObject(spec) ? spec : {}),
  };
}

const REINVOCATION_POLICIES = ["IfNeeded", "Never"];
const OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];

function policyCauses(engine: Engine, spec: JsonObject): Cause[] {
  const mutations = objectsIn(spec.mutations);
  return [
    ...sharedCauses(
      engine,
      spec,
      operationCauses(objectAt(spec, "matchConstraints"), "spec.matchConstraints"),
    ),
    ...(mutations.length > 0 ? [] : [required("spec.mutations", "mutations must contain at least one item")]),
    ...mutations.flatMap((mutation, index) =>
      mutationCauses(engine, mutation, { at: `spec.mutations[${index}]`, ...namesIn(spec) })
    ),
    ...reinvocationCauses(spec.reinvocationPolicy),
  ];
}

function reinvocationCauses(value: unknown): Cause[] {
  const at = "spec.reinvocationPolicy";
  if (value === undefined || value === "") return [required(at)];
  if (REINVOCATION_POLICIES.includes(String(value))) return [];
  return [notSupported(at, { value, supported: REINVOCATION_POLICIES })];
}

/** Only created or updated objects can be changed. */
function operationCauses(match: JsonObject | undefined, at: string): Cause[] {
  const operations = objectsIn(match?.resourceRules).flatMap((rule) =>
    Array.isArray(rule.operations) ? rule.operations : []
  );
  return operations.filter((value) => !OPERATIONS.includes(String(value))).map((value) =>
    notSupported(`${at}.resourceRules.operations`, { value, supported: OPERATIONS })
  );
}

interface MutationPlace {
  readonly at: string;
  readonly params: boolean;
  readonly variables: readonly string[] | undefined;
}

/** By type of patch: its field, and the types that its expression may have. */
const PARTS = {
  JSONPatch: { field: "jsonPatch", other: "applyConfiguration", types: PATCHES },
  ApplyConfiguration: { field: "applyConfiguration", other: "jsonPatch", types: APPLIED },
} as const;

function mutationCauses(engine: Engine, mutation: JsonObject, place: MutationPlace): Cause[] {
  const { at, ...names } = place;
  const { patchType } = mutation;
  if (patchType === undefined || patchType === "") return [required(`${at}.patchType`)];
  if (patchType !== "JSONPatch" && patchType !== "ApplyConfiguration") {
    return [notSupported(`${at}.patchType`, { value: patchType, supported: Object.keys(PARTS).sort() })];
  }
  const { field, other, types } = PARTS[patchType];
  const part = objectAt(mutation, field);
  const path = `${at}.${field}`;
  const source = String(part?.expression ?? "").trim();
  const detail = `must not be specified when patchType is ${patchType}`;
  return [
    ...(part === undefined
      ? [required(path, `must be specified when patchType is ${patchType}`)]
      : source === ""
      ? [required(`${path}.expression`)]
      : expressionCauses(engine, source, { at: `${path}.expression`, types, patches: true, ...names })),
    ...(objectAt(mutation, other) === undefined
      ? []
      : [invalid(`${at}.${other}`, { value: `{${other}}`, detail })]),
  ];
}

function bindingCauses(spec: JsonObject): Cause[] {
  const match = objectAt(spec, "matchResources");
  return [
    ...referenceCauses(spec),
    ...(match === undefined ? [] : matchCauses(match, "spec.matchResources")),
    ...operationCauses(match, "spec.matchResources"),
  ];
}
