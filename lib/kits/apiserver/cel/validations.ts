/**
 * `x-kubernetes-validations`: rules of a schema, compiled when it is declared and evaluated when objects are written.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/cel; Kubernetes documentation, "Validation rules".
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, type CauseReason, NO_FIELD } from "../causes.ts";
import { formatValue } from "../formats/go_format.ts";
import { Correlation, KeyedItems } from "../schema/correlation.ts";
import { isSet, own, type Schema, schemaEntries, schemaList, subSchema } from "../schema/structural.ts";
import { isObject, objectsIn } from "../values.ts";
import { costOf } from "./costs.ts";
import type { Engine, Program } from "./engine.ts";
import { TOO_LONG } from "./evaluator.ts";
import { fieldOfRule } from "./field_path.ts";
import { sizedBy } from "./sizes.ts";
import { type CelType, declareType } from "./schema_types.ts";
import { usesVariable } from "./tree.ts";
import { optionalOf } from "./type.ts";
import { Optional } from "./values.ts";

/** A rule that was compiled, or its faults. */
export interface CompiledRule {
  readonly spec: JsonObject;
  readonly usesOld: boolean;
  readonly program?: Program;
  readonly message?: Program;
  /** Kubernetes' words, of the rule and of its messageExpression. */
  readonly error?: string;
  readonly messageError?: string;
  /** The most that they cost. */
  readonly cost: number;
  readonly messageCost: number;
}

/** The rules of one node. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  readonly type: CelType;
  /** The fewest bytes of a value's JSON. */
  readonly least: number;
}

/** Tells whether there is any rule in a schema. */
export function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(([key, value]) =>
    key === "x-kubernetes-validations" ? objectsIn(value).length > 0 : hasRules(value)
  );
}

/** Compiles the rules of one node; `node` is the schema that its values have. */
export function compileRules(
  engine: Engine,
  rules: readonly JsonObject[],
  { node, isResource }: { readonly node: Schema; readonly isResource: boolean },
): CompiledRules | undefined {
  const environment = engine.environment();
  const type = declareType(node, { environment, isResource });
  if (type === undefined) return undefined;
  environment.variable("self", type.type);
  const plain = environment.clone().variable("oldSelf", type.type);
  const optional = environment.clone().variable("oldSelf", optionalOf(type.type));
  const sized = sizedBy(node, isResource);
  const costing = (program: Program | undefined) => program === undefined ? 0 : costOf(program.tree, sized);
  const compiled = rules.map((spec): CompiledRule => {
    const own = spec.optionalOldSelf === true ? optional : plain;
    const text = String(spec.rule ?? "");
    const { program, error } = engine.compile(own, text, ["bool"]);
    const messageExpression = String(spec.messageExpression ?? "");
    const message = messageExpression === "" ? undefined : engine.compile(own, messageExpression, ["string"]);
    return {
      spec,
      usesOld: program !== undefined && usesVariable(program.tree, "oldSelf"),
      cost: costing(program),
      messageCost: costing(message?.program),
      ...(program === undefined ? {} : { program }),
      ...(error === undefined ? {} : { error: worded(error, "cel expression must evaluate to a bool") }),
      ...(message?.program === undefined ? {} : { message: message.program }),
      ...(message?.error === undefined ? {} : { messageError: messageWords(message.error) }),
    };
  });
  return { rules: compiled, type, least: sized.least };
}

function worded(error: string, wrongType: string): string {
  return error.startsWith("must evaluate") ? wrongType : error;
}

function messageWords(error: string): string {
  const text = worded(error, "messageExpression must evaluate to a string");
  return text.startsWith("compilation failed") ? `messageExpression ${text}` : text;
}

/** The facts besides the object with which rules are evaluated. */
export interface RuleOptions {
  /** The object as it was, on an update. */
  readonly old?: JsonObject;
  readonly warn?: (text: string) => void;
}

/** The rules of a whole schema. */
export class Validations {
  readonly #engine: Engine;
  readonly #schema: Schema;
  /** By the schema that holds the rules. */
  readonly #compiled = new Map<Schema, CompiledRules | undefined>();

  constructor(engine: Engine, schema: Schema) {
    this.#engine = engine;
    this.#schema = schema;
  }

  /** Says which rules an object breaks. A rule that an unchanged value broke before is only told to `warn`. */
  validate(object: JsonObject, { old, warn }: RuleOptions = {}): Cause[] {
    const place = { rules: this.#schema, node: this.#schema, isResource: true };
    const now = old === undefined ? undefined : new Correlation(object, old, this.#schema);
    return this.#walk(place, { path: "", value: object, old, history: { now }, warn });
  }

  /** Says which rules a default breaks: on an object that gets it, and on one that has it already. */
  validateDefault(value: unknown, path: string): Cause[] {
    const place = { rules: this.#schema, node: this.#schema, isResource: isSet(this.#schema, EMBEDDED) };
    const kept = this.#walk(place, { path, value, old: value, history: {} });
    return kept.length > 0 ? kept : this.#walk(place, { path, value, old: undefined, history: {} });
  }

  #walk(place: Place, values: Values): Cause[] {
    const { value, history } = values;
    if (value === undefined || value === null) return [];
    const causes = this.#evaluate(place, values);
    for (const rules of schemaList(place.rules, "allOf")) {
      // NB: a part of allOf is let pass if the parent of the value is unchanged, not if the value itself is.
      causes.push(...this.#walk({ ...place, rules }, { ...values, history: { above: history.above } }));
    }
    if (Array.isArray(value)) return [...causes, ...this.#walkItems(place, { ...values, value })];
    if (isObject(value)) causes.push(...this.#walkFields(place, { ...values, value }));
    return causes;
  }

  #walkItems(
    { rules, node }: Place,
    { path, value, old, history, warn }: Values & { readonly value: unknown[] },
  ): Cause[] {
    const [itemRules, item] = [subSchema(rules, "items"), subSchema(node, "items")];
    if (itemRules === undefined || item === undefined) return [];
    const before = new KeyedItems(old, node);
    const isTyped = own(node, "type") === "array";
    return value.flatMap((entry, index) =>
      this.#walk({ rules: itemRules, node: item, isResource: isSet(item, EMBEDDED), isTyped }, {
        path: `${path}[${index}]`,
        value: entry,
        old: before.get(entry),
        history: historyBelow(history, (now) => now.index(index)),
        warn,
      })
    );
  }

  #walkFields(
    { rules, node }: Place,
    { path, value, old, history, warn }: Values & { readonly value: JsonObject },
  ): Cause[] {
    const additional = [
      subSchema(rules, "additionalProperties"),
      subSchema(node, "additionalProperties"),
    ] as const;
    const known = new Map(schemaEntries(rules, "properties"));
    return Object.entries(value).flatMap(([key, child]) => {
      const property = known.get(key);
      const childRules = property ?? additional[0];
      const childNode = property === undefined
        ? additional[1]
        : subSchema(subSchema(node, "properties"), key);
      if (childRules === undefined || childNode === undefined) return [];
      const at = property !== undefined ? (path === "" ? key : `${path}.${key}`) : `${path}[${key}]`;
      // Both states have been made the same version: a change of these cannot be seen.
      const isVersion = history.above === undefined && (key === "apiVersion" || key === "kind");
      return this.#walk({ rules: childRules, node: childNode, isResource: isSet(childNode, EMBEDDED) }, {
        path: at,
        value: child,
        old: own(old, key),
        history: isVersion ? {} : historyBelow(history, (now) => now.key(key)),
        warn,
      });
    });
  }

  #evaluate(place: Place, { path, value, old, history, warn }: Values): Cause[] {
    const specs = objectsIn(own(place.rules, "x-kubernetes-validations"));
    if (specs.length === 0) return [];
    if (place.isTyped === false) return [untyped(path, place.node)];
    if (!this.#compiled.has(place.rules)) {
      this.#compiled.set(place.rules, compileRules(this.#engine, specs, place));
    }
    const compiled = this.#compiled.get(place.rules);
    if (compiled === undefined) return [];
    const self = compiled.type.convert(value);
    const oldSelf = old === undefined || old === null ? undefined : compiled.type.convert(old);
    return compiled.rules.flatMap((rule) => {
      if (rule.program === undefined) return [];
      const isOptional = rule.spec.optionalOldSelf === true;
      if (rule.usesOld && oldSelf === undefined && !isOptional) return [];
      const variables = {
        self,
        oldSelf: isOptional ? oldSelf === undefined ? Optional.NONE : new Optional(oldSelf) : oldSelf,
      };
      const found = broken(rule, { program: rule.program, variables, path, value, node: place.node });
      if (found === undefined) return [];
      // A value that was wrong before and is unchanged does not stand in the way.
      const isUnchanged = (history.now ?? history.above)?.isUnchanged ?? false;
      if (rule.usesOld || found.failed || !isUnchanged) return [found.cause];
      warn?.(`${found.cause.field}: ${found.cause.message}`);
      return [];
    });
  }
}

const EMBEDDED = "x-kubernetes-embedded-resource";

interface Place {
  /** Where rules are read: the node itself, or a part of its `allOf`. */
  readonly rules: Schema;
  /** The schema of the value. */
  readonly node: Schema;
  readonly isResource: boolean;
  /** Whether rules know the type of the value: not for items below a value that is no list. Default: true. */
  readonly isTyped?: boolean;
}

function untyped(field: string, node: Schema): Cause {
  const why = "rule compiler initialization error: failed to convert to declType for CEL validation rules";
  const type = formatValue(String(own(node, "type") ?? ""));
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${type}: ${why}` };
}

interface Values {
  readonly path: string;
  readonly value: unknown;
  /** The value before; undefined where none corresponds. */
  readonly old: unknown;
  readonly history: History;
  readonly warn?: (text: string) => void;
}

/** The past of a value, as far as that can be told. */
interface History {
  /** The value itself, if a value before corresponds to it. */
  readonly now?: Correlation;
  /** The nearest value around it to which a value before corresponds. */
  readonly above?: Correlation;
}

/** Returns the history of a part. */
function historyBelow(
  history: History,
  part: (now: Correlation) => Correlation | undefined,
): History {
  const { now } = history;
  return now === undefined ? history : { now: part(now), above: now };
}

interface Evaluation {
  readonly program: Program;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly value: unknown;
  readonly node: Schema;
}

/** A rule that does not hold, or could not be evaluated. */
interface Broken {
  readonly cause: Cause;
  readonly failed: boolean;
}

function broken(
  rule: CompiledRule,
  { program, variables, path, value, node }: Evaluation,
): Broken | undefined {
  const { spec } = rule;
  const shown = String(spec.message ?? "") === "" ? String(spec.rule ?? "") : String(spec.message);
  const field = path === "" ? NO_FIELD : path;
  const type = String(own(node, "type") ?? "");
  let result: unknown;
  try {
    result = program.evaluate(variables);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const detail = why.startsWith("no such overload")
      ? `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${shown.trim()}`
      : why === TOO_LONG
      ? `'${why}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown.trim()}`
      : `${why} evaluating rule: ${shown.trim()}`;
    const message = `Invalid value: ${formatValue(type)}: ${detail}`;
    return { cause: { reason: "FieldValueInvalid", field, message }, failed: true };
  }
  if (result === true) return undefined;
  const detail = evaluatedMessage(rule, variables) ??
    (String(spec.message ?? "") === "" ? `failed rule: ${shown.trim()}` : shown.trim());
  const below = fieldOfRule(spec.fieldPath, node);
  const at = below === undefined ? field : path === "" ? below : `${path}.${below}`;
  const isWhole = type === "object" || type === "array";
  return { cause: refusalFor(spec.reason, { field: at, detail, value, isWhole }), failed: false };
}

/** NB: a message that cannot be made does not hide that the rule is broken. */
function evaluatedMessage(
  { message }: CompiledRule,
  variables: Readonly<Record<string, unknown>>,
): string | undefined {
  if (message === undefined) return undefined;
  try {
    const text = String(message.evaluate(variables)).trim();
    return text === "" || text.includes("\n") || text.length > 5 * 1024 ? undefined : text;
  } catch {
    return undefined;
  }
}

interface BrokenField {
  readonly field: string;
  readonly detail: string;
  readonly value: unknown;
  /** Objects and lists are not shown. */
  readonly isWhole: boolean;
}

function refusalFor(reason: unknown, { field, detail, value, isWhole }: BrokenField): Cause {
  const shown = isWhole ? "" : `: ${formatValue(value)}`;
  const messages: Readonly<Record<string, string>> = {
    FieldValueForbidden: `Forbidden: ${detail}`,
    FieldValueRequired: `Required value: ${detail}`,
    FieldValueDuplicate: `Duplicate value${shown}`,
  };
  const known = String(reason);
  if (!Object.hasOwn(messages, known)) {
    return { reason: "FieldValueInvalid", field, message: `Invalid value${shown}: ${detail}` };
  }
  // The keys above are such reasons.
  return { reason: known as CauseReason, field, message: messages[known]! };
}
