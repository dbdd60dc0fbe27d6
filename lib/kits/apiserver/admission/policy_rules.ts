/**
 * Defaults and refusals of Kubernetes for ValidatingAdmissionPolicies and their bindings.
 *
 * Source: k8s.io/kubernetes, pkg/apis/admissionregistration/{v1/defaults.go,validation}. Expressions are
 * not held against the types of the kinds that they are about: the status says that this is done, without warnings.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, duplicate, forbidden, invalid, notSupported, required } from "../causes.ts";
import type { CelLoader } from "../cel/loader.ts";
import type { Engine } from "../cel/engine.ts";
import type { KindRules } from "../kinds.ts";
import { dnsSubdomainErrors, qualifiedNameErrors } from "../names.ts";
import { selectorCauses } from "../labels.ts";
import { equal, fill, isObject, objectAt, objectsIn } from "../values.ts";
import { conditionCauses, expressionCauses } from "./conditions.ts";
import { AUDITED } from "./policies.ts";
import { ruleCauses } from "./rule_causes.ts";

/** Returns the rules of ValidatingAdmissionPolicy. */
export function policyRules(cel: CelLoader): KindRules {
  return {
    prepare: () => cel.load(),
    normalize: normalizePolicy,
    settle(object, old, dryRun) {
      // NB: it is a controller that checks types, and a dry run never comes to it.
      if (dryRun === true) {
        if (old === undefined) object.status = {};
        return;
      }
      if (old !== undefined && equal(object.spec, old.spec)) return;
      object.status = {
        ...(isObject(object.status) ? object.status : {}),
        // It counts after this.
        observedGeneration: old === undefined ? 1 : (old.metadata.generation ?? 0) + 1,
        typeChecking: {},
      };
    },
    validate: ({ spec, metadata }) =>
      policyCauses(cel.engine, isObject(spec) ? spec : {}, metadata.name ?? ""),
  };
}

/** Returns the rules of ValidatingAdmissionPolicyBinding. */
export function bindingRules(): KindRules {
  return {
    normalize: normalizeBinding,
    validate: ({ spec }) => bindingCauses(isObject(spec) ? spec : {}),
  };
}

/** Fills in the defaults of a policy of either sort. */
export function normalizePolicy(object: KubeObject): string[] {
  const spec = objectAt(object, "spec") ?? {};
  fill(spec, { failurePolicy: "Fail" });
  defaultMatch(objectAt(spec, "matchConstraints"));
  return [];
}

/** Fills in the defaults of a binding of either sort. */
export function normalizeBinding(object: KubeObject): string[] {
  defaultMatch(objectAt(objectAt(object, "spec"), "matchResources"));
  return [];
}

function defaultMatch(match: JsonObject | undefined): void {
  if (match === undefined) return;
  fill(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} });
  for (const field of ["resourceRules", "excludeResourceRules"]) {
    for (const rule of objectsIn(match[field])) fill(rule, { scope: "*" });
  }
}

function policyCauses(engine: Engine, spec: JsonObject, name: string): Cause[] {
  const names = namesIn(spec);
  return [
    ...sharedCauses(engine, spec),
    ...validationCauses(engine, spec, names),
    ...annotationCauses(engine, spec, { name, ...names }),
  ];
}

/** The names that expressions of a policy can use. */
export function namesIn(spec: JsonObject): Names {
  const names = variableNames(spec);
  return { params: isObject(spec.paramKind), variables: names.length > 0 ? names : undefined };
}

function variableNames(spec: JsonObject): string[] {
  return objectsIn(spec.variables).map(({ name }) => String(name ?? ""));
}

/**
 * Returns the faults of the parts that policies of both sorts have, with the faults of the constraints that the caller has found
 * (`ofMatch`).
 */
export function sharedCauses(engine: Engine, spec: JsonObject, ofMatch: readonly Cause[] = []): Cause[] {
  const { params } = namesIn(spec);
  const match = objectAt(spec, "matchConstraints");
  const at = "spec.matchConstraints";
  const names = variableNames(spec);
  const supported = ["Fail", "Ignore"];
  return [
    ...(supported.includes(String(spec.failurePolicy))
      ? []
      : [notSupported("spec.failurePolicy", { value: spec.failurePolicy, supported })]),
    ...paramKindCauses(objectAt(spec, "paramKind")),
    ...(match === undefined ? [required(at)] : matchCauses(match, at)),
    ...(match !== undefined && objectsIn(match.resourceRules).length === 0
      ? [required(`${at}.resourceRules`)]
      : []),
    ...ofMatch,
    ...conditionCauses(engine, spec.matchConditions, { at: "spec.matchConditions", params }),
    ...objectsIn(spec.variables).flatMap((variable, index) =>
      variableCauses(engine, variable, {
        at: `spec.variables[${index}]`,
        params,
        variables: names.slice(0, index),
      })
    ),
  ];
}

function paramKindCauses(kind: JsonObject | undefined): Cause[] {
  if (kind === undefined) return [];
  return ["apiVersion", "kind"].filter((key) => (kind[key] ?? "") === "").map((key) =>
    required(`spec.paramKind.${key}`)
  );
}

export function matchCauses(match: JsonObject, at: string): Cause[] {
  const supported = ["Equivalent", "Exact"];
  return [
    ...(supported.includes(String(match.matchPolicy))
      ? []
      : [notSupported(`${at}.matchPolicy`, { value: match.matchPolicy, supported })]),
    ...selectorCauses(match.namespaceSelector, `${at}.namespaceSelector`),
    ...selectorCauses(match.objectSelector, `${at}.objectSelector`),
    ...["resourceRules", "excludeResourceRules"].flatMap((field) =>
      objectsIn(match[field]).flatMap((rule, index) => ruleCauses(rule, `${at}.${field}[${index}]`))
    ),
  ];
}

/** The names that expressions may use. */
export interface Names {
  readonly params: boolean;
  readonly variables: readonly string[] | undefined;
}

function variableCauses(
  engine: Engine,
  { name = "", expression = "" }: JsonObject,
  { at, ...names }: Names & { readonly at: string },
): Cause[] {
  const causes: Cause[] = [];
  if (String(name).trim() === "") causes.push(required(`${at}.name`, "name is not specified"));
  else if (!/^[A-Za-z_]\w*$/.test(String(name))) {
    causes.push(invalid(`${at}.name`, { value: name, detail: "must be a valid CEL identifier" }));
  }
  const source = String(expression);
  if (source.trim() === "") return [...causes, required(`${at}.expression`, "expression is not specified")];
  return [...causes, ...expressionCauses(engine, source, { at: `${at}.expression`, types: [], ...names })];
}

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function validationCauses(engine: Engine, spec: JsonObject, names: Names): Cause[] {
  const validations = objectsIn(spec.validations);
  const annotations = objectsIn(spec.auditAnnotations);
  if (validations.length === 0 && annotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return [required("spec.validations", detail), required("spec.auditAnnotations", detail)];
  }
  return [
    ...validations.flatMap((validation, index) => {
      const at = `spec.validations[${index}]`;
      const text = (key: string) => typeof validation[key] === "string" ? validation[key] : "";
      const refuse = (key: string, detail: string) => [invalid(`${at}.${key}`, { value: text(key), detail })];
      const isBlank = (key: string) => text(key) !== "" && text(key).trim() === "";
      const { reason } = validation;
      return [
        ...(text("expression").trim() === ""
          ? [required(`${at}.expression`, "expression is not specified")]
          : expressionCauses(engine, text("expression"), {
            at: `${at}.expression`,
            types: ["bool"],
            ...names,
          })),
        ...(isBlank("messageExpression")
          ? refuse("messageExpression", "must be non-empty if specified")
          : text("messageExpression") === ""
          ? []
          : expressionCauses(engine, text("messageExpression"), {
            at: `${at}.messageExpression`,
            types: ["string"],
            authorizer: false,
            ...names,
          })),
        ...(isBlank("message")
          ? refuse("message", "must be non-empty if specified")
          : text("message").trim().includes("\n")
          ? refuse("message", "must not contain line breaks")
          : []),
        ...(typeof reason === "string" && !REASONS.includes(reason)
          ? [notSupported(`${at}.reason`, { value: reason, supported: REASONS })]
          : []),
      ];
    }),
  ];
}

const MOST_ANNOTATIONS = 20;
const LONGEST_VALUE = 5 * 1024;

function annotationCauses(
  engine: Engine,
  { validations, auditAnnotations }: JsonObject,
  { name, ...names }: Names & { readonly name: string },
): Cause[] {
  const annotations = objectsIn(auditAnnotations);
  if (annotations.length === 0 && objectsIn(validations).length === 0) return [];
  const path = "spec.auditAnnotations";
  const detail = `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`;
  const causes = annotations.length > MOST_ANNOTATIONS
    ? [invalid(path, { value: auditAnnotations, detail })]
    : [];
  const keys = new Set<string>();
  for (const [index, annotation] of annotations.entries()) {
    const at = `${path}[${index}]`;
    const [key, text] = [String(annotation.key ?? ""), String(annotation.valueExpression ?? "")];
    const [value, source] = [`${name}/${key}`, text.trim()];
    causes.push(...qualifiedNameErrors(value).map((detail) => invalid(`${at}.key`, { value, detail })));
    const place = `${at}.valueExpression`;
    if (source === "") causes.push(required(place, "valueExpression is not specified"));
    else if (new TextEncoder().encode(source).length > LONGEST_VALUE) {
      causes.push(required(place, `must not exceed ${LONGEST_VALUE} bytes in length`));
    } else causes.push(...expressionCauses(engine, source, { at: place, types: AUDITED, ...names }));
    if (keys.has(key)) causes.push(duplicate(`${at}.key`, key));
    keys.add(key);
  }
  return causes;
}

const ACTIONS = ["Audit", "Deny", "Warn"];

function bindingCauses(spec: JsonObject): Cause[] {
  const actions = Array.isArray(spec.validationActions) ? spec.validationActions.map(String) : [];
  const at = "spec.validationActions";
  const causes = referenceCauses(spec);
  const match = objectAt(spec, "matchResources");
  if (match !== undefined) causes.push(...matchCauses(match, "spec.matchResouces"));
  for (const [index, value] of actions.entries()) {
    if (!ACTIONS.includes(value)) causes.push(notSupported(`${at}[${index}]`, { value, supported: ACTIONS }));
    if (actions.indexOf(value) < index) causes.push(duplicate(`${at}[${index}]`, value));
  }
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const detail =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    causes.push(invalid(at, { value: actions, detail }));
  }
  return actions.length > 0
    ? causes
    : [...causes, required(at, "at least one validation action is required")];
}

/** Returns the faults of a binding's references: to its policy, and to the parameters. */
export function referenceCauses({ policyName, paramRef }: JsonObject): Cause[] {
  const value = String(policyName ?? "");
  const causes = value === ""
    ? [required("spec.policyName")]
    : dnsSubdomainErrors(value).map((detail) => invalid("spec.policyName", { value, detail }));
  return [...causes, ...paramRefCauses(isObject(paramRef) ? paramRef : undefined)];
}

function paramRefCauses(reference: JsonObject | undefined): Cause[] {
  if (reference === undefined) return [];
  const at = "spec.paramRef";
  const [name, selector] = [String(reference.name ?? ""), objectAt(reference, "selector")];
  const causes: Cause[] = [];
  if (name !== "" && selector !== undefined) {
    causes.push(forbidden(`${at}.name`, "name and selector are mutually exclusive"));
    causes.push(forbidden(`${at}.selector`, "name and selector are mutually exclusive"));
  }
  if (name === "" && selector === undefined) {
    causes.push(required(at, "one of name or selector must be specified"));
  }
  const action = reference.parameterNotFoundAction ?? undefined;
  if (action === undefined) causes.push(required(`${at}.parameterNotFoundAction`));
  else if (action !== "Deny" && action !== "Allow") {
    causes.push(
      notSupported(`${at}.parameterNotFoundAction`, { value: action, supported: ["Deny", "Allow"] }),
    );
  }
  return [...causes, ...selectorCauses(selector, `${at}.selector`)];
}
