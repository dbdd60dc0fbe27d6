/**
 * Refusals of Kubernetes for the rules of a schema, when the definition is written.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/validation/validation.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { formatPlain, type Printed } from "../formats/go_format.ts";
import { defaultsIn } from "../schema/default_rules.ts";
import { goRule } from "../schema/printed.ts";
import { isSet, own, type Schema, schemaEntries, schemaList, subSchema } from "../schema/structural.ts";
import { objectsIn } from "../values.ts";
import type { Engine } from "./engine.ts";
import { fieldOfRule } from "./field_path.ts";
import { LARGEST_REQUEST } from "./sizes.ts";
import { compileRules, hasRules, Validations } from "./validations.ts";

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

interface Place {
  readonly node: Schema;
  readonly path: string;
  readonly isResource: boolean;
  /** The nearest list or map above whose items cannot be matched with the items before the update. */
  readonly uncorrelatable?: string;
  /** How often it can be there in one object; undefined where no maximum limits it. */
  readonly copies: number | undefined;
}

/** The most that one rule may cost, and all rules of a schema. */
const RULE_LIMIT = 10_000_000;
const SCHEMA_LIMIT = 100_000_000;

interface RuleCost {
  readonly at: string;
  readonly cost: number;
}

/**
 * Returns the faults of the rules in a schema; first the faults of their form, and only without any of these the faults of their
 * expressions.
 */
export function validationCauses(engine: Engine, schema: Schema, path: string): Cause[] {
  const places = [...placesIn(schema, { node: schema, path, isResource: true, copies: 1 })];
  const form = places.flatMap(({ rules, place }) => formCauses(rules, place));
  if (form.length > 0) return form;
  const costs: RuleCost[] = [];
  const causes = places.flatMap(({ rules, place }) => expressionCauses(engine, rules, { place, costs }));
  return [...causes, ...totalCauses(costs, path)];
}

/** Says which rules the defaults in a schema break. */
export function defaultRuleCauses(engine: Engine, schema: Schema, path: string): Cause[] {
  return defaultsIn(schema, path).filter((found) => hasRules(found.schema)).flatMap((found) =>
    new Validations(engine, found.schema).validateDefault(found.value, found.path)
  );
}

function totalCauses(costs: readonly RuleCost[], path: string): Cause[] {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total <= SCHEMA_LIMIT) return [];
  const expensive = costs.filter(({ cost }) => cost >= SCHEMA_LIMIT / 100).sort((a, b) => b.cost - a.cost);
  const detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...expensive.slice(0, 4).map(({ at }) => forbidden(at, detail)),
    forbidden(path, tooExpensive(what, total / SCHEMA_LIMIT)),
  ];
}

function tooExpensive(what: string, factor: number): string {
  const times = factor > 100 ? "more than 100" : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  return `${what} exceeds budget by factor of ${times}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

interface Found {
  readonly rules: readonly JsonObject[];
  readonly place: Place;
}

function* placesIn(rules: Schema, place: Place): Generator<Found> {
  const { node, path, uncorrelatable } = place;
  const most = copiesBelow(node);
  const copies = place.copies === undefined || most === undefined ? undefined : place.copies * most;
  const list = objectsIn(own(rules, "x-kubernetes-validations"));
  if (list.length > 0) yield { rules: list, place };
  for (const [index, part] of schemaList(rules, "allOf").entries()) {
    yield* placesIn(part, { ...place, path: `${path}.allOf[${index}]` });
  }
  for (const [key, child] of schemaEntries(rules, "properties")) {
    const childNode = subSchema(subSchema(node, "properties"), key);
    if (childNode !== undefined) {
      yield* placesIn(
        child,
        placeBelow(childNode, `${path}.properties[${key}]`, { uncorrelatable, copies }),
      );
    }
  }
  for (const key of ["additionalProperties", "items"]) {
    const [child, childNode] = [subSchema(rules, key), subSchema(node, key)];
    if (child === undefined || childNode === undefined) continue;
    const isUnordered = key === "items" && own(node, "x-kubernetes-list-type") !== "map";
    yield* placesIn(
      child,
      placeBelow(childNode, `${path}.${key}`, {
        uncorrelatable: uncorrelatable ?? (isUnordered ? path : undefined),
        copies,
      }),
    );
  }
}

function placeBelow(
  node: Schema,
  path: string,
  above: { readonly uncorrelatable: string | undefined; readonly copies: number | undefined },
): Place {
  return { node, path, isResource: isSet(node, "x-kubernetes-embedded-resource"), ...above };
}

/** How many values a list or a map can have; undefined if it does not say. */
function copiesBelow(node: Schema): number | undefined {
  const isMap = own(node, "type") === "object" && subSchema(node, "additionalProperties") !== undefined;
  if (!isMap && own(node, "type") !== "array") return 1;
  const most = own(node, isMap ? "maxProperties" : "maxItems");
  return typeof most === "number" ? most : undefined;
}

function formCauses(rules: readonly JsonObject[], { node, path }: Place): Cause[] {
  return rules.flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const causes: Cause[] = [];
    const text = (key: string) => typeof rule[key] === "string" ? rule[key] : "";
    const refuse = (key: string, detail: string) =>
      causes.push(invalid(`${at}.${key}`, { value: rule[key], detail }));
    const isBlank = (key: string) => text(key) !== "" && text(key).trim() === "";
    if (text("rule").trim() === "") causes.push(required(`${at}.rule`, "rule is not specified"));
    else if (isBlank("message")) refuse("message", "must be non-empty if specified");
    else if (text("message").trim().includes("\n")) refuse("message", "must not contain line breaks");
    else if (text("rule").trim().includes("\n") && text("message") === "") {
      causes.push(required(`${at}.message`, "message must be specified if rule contains line breaks"));
    }
    if (isBlank("messageExpression")) {
      causes.push(required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"));
    }
    const { reason } = rule;
    if (typeof reason === "string" && !REASONS.includes(reason)) {
      causes.push(notSupported(`${at}.reason`, { value: reason, supported: REASONS }));
    }
    if (isBlank("fieldPath")) refuse("fieldPath", "must be non-empty if specified");
    if (text("fieldPath").includes("\n")) refuse("fieldPath", "must not contain line breaks");
    if (text("fieldPath") !== "" && fieldOfRule(rule.fieldPath, node) === undefined) {
      refuse("fieldPath", "must be a valid path");
    }
    return causes;
  });
}

function expressionCauses(
  engine: Engine,
  rules: readonly JsonObject[],
  { place, costs }: { readonly place: Place; readonly costs: RuleCost[] },
): Cause[] {
  const { path, uncorrelatable } = place;
  const compiled = compileRules(engine, rules, place);
  if (compiled === undefined) {
    const detail = "rules can only be checked where the schema says what the value is";
    return [invalid(`${path}.x-kubernetes-validations`, { value: "", detail })];
  }
  // Without a limit, it is there as often as it fits into a request.
  const copies = place.copies ?? Math.floor(LARGEST_REQUEST / (compiled.least + 1));
  return compiled.rules.flatMap(({ spec, usesOld, error, messageError, ...rule }, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const value = new PrintedRule(spec);
    if (error !== undefined) return [invalid(`${at}.rule`, { value, detail: error })];
    const causes = costCauses(at, { cost: rule.cost * copies, messageCost: rule.messageCost });
    costs.push({ at: `${at}.rule`, cost: rule.cost * copies });
    costs.push({ at: `${at}.messageExpression`, cost: rule.messageCost });
    if (messageError !== undefined) {
      causes.push(invalid(`${at}.messageExpression`, { value, detail: messageError }));
    }
    if (usesOld && uncorrelatable !== undefined) {
      const detail =
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      causes.push(invalid(`${at}.rule`, { value: spec.rule, detail }));
    }
    if (!usesOld && typeof spec.optionalOldSelf === "boolean") {
      const detail = "may not be set if oldSelf is not used in rule";
      causes.push(invalid(`${at}.optionalOldSelf`, { value: spec.optionalOldSelf, detail }));
    }
    return causes;
  });
}

function costCauses(
  at: string,
  { cost, messageCost }: { readonly cost: number; readonly messageCost: number },
): Cause[] {
  const parts = [["rule", "estimated rule cost", cost], [
    "messageExpression",
    "estimated messageExpression cost",
    messageCost,
  ]] as const;
  return parts.filter(([, , total]) => total > RULE_LIMIT).map(([field, what, total]) =>
    forbidden(`${at}.${field}`, tooExpensive(what, total / RULE_LIMIT))
  );
}

/** A rule as Kubernetes prints it: by the names of its Go fields. */
class PrintedRule implements Printed {
  readonly #rule: JsonObject;

  constructor(rule: JsonObject) {
    this.#rule = rule;
  }

  print(): string {
    return formatPlain(goRule(this.#rule));
  }
}
