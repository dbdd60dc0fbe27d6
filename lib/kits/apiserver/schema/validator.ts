/**
 * Checking a value against a schema.
 *
 * A node of a schema is read when a value first comes to it, so that a large definition only costs the parts that its objects
 * use. Findings have the order of the real server, but for the fields of an object, which it walks through in random order; of
 * the branches of `anyOf` and `oneOf`, the one with the most checks passed is told. Source: k8s.io/kube-openapi,
 * pkg/validation/validate; k8s.io/apiextensions-apiserver, pkg/apiserver/validation/ratcheting.go.
 */

import type { Cause } from "../causes.ts";
import { equal, isObject } from "../values.ts";
import type { Correlation } from "./correlation.ts";
import { formatCheck } from "./formats.ts";
import { compilePattern, type Pattern } from "./patterns.ts";
import { isSet, own, type Schema, schemaList, subSchema } from "./structural.ts";
import { type Finding, type Place, typeName, wordsFor } from "./wording.ts";

/** The findings about a value, or about a branch. */
class Run {
  readonly findings: Finding[] = [];
  /** How many checks there were: of several branches, that with the most is the best. */
  count = 0;

  add(finding: Finding): void {
    this.findings.push(finding);
  }

  merge({ findings, count }: Run): void {
    this.findings.push(...findings);
    this.count += count;
  }
}

/** The facts besides the value. */
export interface ValidatorOptions {
  /** Its past, in an update: a fault that was there before is let pass where the value has not changed. */
  readonly history?: Correlation;
  /** The field that it is. Default: "", a whole object. */
  readonly field?: string;
}

/** Checks values against a schema. */
export class Validator {
  readonly #root: SchemaNode;

  constructor(schema: Schema) {
    this.#root = new SchemaNode(schema);
  }

  /** Returns the faults of a value. */
  validate(value: unknown, { history, field = "" }: ValidatorOptions = {}): Cause[] {
    const run = new Run();
    this.#root.check(value, { place: undefined, run, history, isRoot: field === "" });
    const seen = new Set<string>();
    return run.findings.map((finding) => wordsFor(finding, field)).filter((cause) => {
      const text = `${cause.field}: ${cause.message}`;
      return !seen.has(text) && seen.add(text);
    });
  }
}

interface Check {
  readonly place: Place | undefined;
  readonly run: Run;
  readonly history?: Correlation | undefined;
  /** The value is a whole object. */
  readonly isRoot?: boolean;
}

/** The formats of numbers. */
const NUMBERS = new Set(["int32", "int64", "float", "double"]);

class SchemaNode {
  readonly #schema: Schema;
  readonly #types: readonly string[];
  readonly #format: string | undefined;
  readonly #enum: readonly unknown[] | undefined;
  readonly #required: readonly string[];
  readonly #properties: Schema | undefined;
  readonly #fields = new Map<string, SchemaNode | undefined>();
  readonly #branches: Branches | undefined;
  #items: SchemaNode | undefined;
  #additional: SchemaNode | undefined;
  #pattern: Pattern | undefined;

  constructor(schema: Schema) {
    const [type, list, required] = [own(schema, "type"), own(schema, "enum"), own(schema, "required")];
    this.#schema = schema;
    this.#types = isSet(schema, "x-kubernetes-int-or-string")
      ? ["integer", "string"]
      : typeof type === "string" && type !== ""
      ? [type]
      : [];
    this.#format = knownFormat(own(schema, "format"));
    this.#enum = Array.isArray(list) && list.length > 0 ? list : undefined;
    this.#required = Array.isArray(required) ? required.map(String) : [];
    this.#properties = subSchema(schema, "properties");
    this.#branches = branchesOf(schema);
  }

  /** NB: an unchanged value is let pass, however wrong. */
  check(value: unknown, check: Check): void {
    const { run, history } = check;
    const before = run.findings.length;
    this.#checkAll(value, check);
    if (run.findings.length > before && history?.isUnchanged === true) run.findings.length = before;
  }

  #checkAll(value: unknown, check: Check): void {
    const { run, place } = check;
    const tell = (keyword: string, limit?: unknown) => run.add({ keyword, place, value, limit });
    if (value === null || value === undefined) {
      if (this.#types.length > 0 && !isSet(this.#schema, "nullable")) this.#tellType(value, check);
      else run.count++;
      if (this.#enum !== undefined) tell("enum", this.#enum);
      return;
    }
    if (this.#types.length > 0 || this.#format !== undefined) {
      if (this.#fitsType(value)) run.count++;
      else this.#tellType(value, check);
      run.count++;
    }
    if (this.#branches !== undefined) checkBranches(this.#branches, value, check);
    run.count += 2;
    if (typeof value === "string") this.#checkText(value, tell, run);
    else if (typeof value === "number" || typeof value === "bigint") this.#checkNumber(value, tell, run);
    else if (Array.isArray(value)) this.#checkList(value, check);
    if (this.#enum !== undefined && !this.#enum.some((each) => isAlike(each, value))) {
      tell("enum", this.#enum);
    }
    run.count += 2;
    if (isObject(value)) this.#checkObject(value, check);
  }

  #tellType(value: unknown, { run, place }: Check): void {
    run.add({ keyword: "type", place, value, limit: this.#types, format: this.#format });
  }

  #fitsType(value: unknown): boolean {
    const type = typeName(value);
    if (this.#types.includes(type)) return true;
    if (type === "integer" && this.#types.includes("number")) return true;
    const isNumeric = this.#types.includes("number") || this.#types.includes("integer");
    // NB: of texts and lists with a format, only the format is looked at.
    return this.#format !== undefined && !isNumeric && (type === "string" || type === "array");
  }

  #checkText(value: string, tell: (keyword: string, limit?: unknown) => void, run: Run): void {
    this.#checkLength(value, tell);
    run.count++;
    const check = this.#format === undefined || NUMBERS.has(this.#format)
      ? undefined
      : formatCheck(this.#format);
    if (check === undefined) return;
    if (!check(value)) tell("format", this.#format);
    run.count++;
  }

  /** NB: only the first of these is told. */
  #checkLength(value: string, tell: (keyword: string, limit?: unknown) => void): void {
    const { maxLength, minLength, pattern } = this.#schema;
    if (typeof maxLength === "number" && value.length > maxLength && [...value].length > maxLength) {
      return tell("maxLength", maxLength);
    }
    if (typeof minLength === "number" && [...value].length < minLength) return tell("minLength", minLength);
    if (typeof pattern !== "string" || pattern === "") return;
    this.#pattern ??= patternOf(pattern);
    if (!this.#pattern.test(value)) tell("pattern", pattern);
  }

  #checkNumber(
    value: number | bigint,
    tell: (keyword: string, limit?: unknown) => void,
    run: Run,
  ): void {
    const { multipleOf, minimum, maximum } = this.#schema;
    const [type, other] = this.#types;
    // NB: a limit that the type cannot hold is a fault of each value.
    const checkRange = (number: number | bigint, word: string) => {
      if (other === undefined && !isInRange(number, type, this.#format)) {
        tell("range", [type, this.#format, word]);
      }
    };
    checkRange(value, "Checked");
    const number = Number(value);
    if (typeof multipleOf === "number") {
      checkRange(multipleOf, "MultipleOf");
      if (!Number.isInteger(number / multipleOf)) tell("multipleOf", multipleOf);
    }
    if (typeof minimum === "number") {
      checkRange(minimum, "Minimum boundary");
      const isExclusive = isSet(this.#schema, "exclusiveMinimum");
      if (number < minimum || isExclusive && number === minimum) {
        tell(isExclusive ? "exclusiveMinimum" : "minimum", minimum);
      }
    }
    if (typeof maximum === "number") {
      checkRange(maximum, "Maximum boundary");
      const isExclusive = isSet(this.#schema, "exclusiveMaximum");
      if (number > maximum || isExclusive && number === maximum) {
        tell(isExclusive ? "exclusiveMaximum" : "maximum", maximum);
      }
    }
    run.count += 2;
  }

  #checkList(value: readonly unknown[], { place, run, history }: Check): void {
    const items = this.#itemNode();
    if (items !== undefined) {
      for (let index = 0; index < value.length; index++) {
        items.check(value[index], {
          place: { above: place, step: `[${index}]` },
          run,
          history: history?.index(index),
        });
      }
    }
    const { minItems, maxItems } = this.#schema;
    if (typeof minItems === "number" && value.length < minItems) {
      run.add({ keyword: "minItems", place, value, limit: minItems });
    }
    if (typeof maxItems === "number" && value.length > maxItems) {
      run.add({ keyword: "maxItems", place, value, limit: maxItems });
    }
    run.count += 2;
  }

  #checkObject(value: Readonly<Record<string, unknown>>, { place, run, history, isRoot }: Check): void {
    const keys = Object.keys(value);
    const { minProperties, maxProperties } = this.#schema;
    if (typeof minProperties === "number" && keys.length < minProperties) {
      run.add({ keyword: "minProperties", place, value, limit: minProperties });
    }
    if (typeof maxProperties === "number" && keys.length > maxProperties) {
      run.add({ keyword: "maxProperties", place, value, limit: maxProperties });
    }
    const isClosed = own(this.#schema, "additionalProperties") === false;
    for (const key of keys) {
      const node = this.#fieldNode(key);
      if (node === undefined) {
        if (isClosed) run.add({ keyword: "additionalProperties", place, value, limit: key });
        continue;
      }
      // Both states have been made the same version: a change of these cannot be seen.
      const isVersion = isRoot === true && (key === "apiVersion" || key === "kind");
      const before = isVersion ? undefined : history?.key(key);
      node.check(value[key], { place: { above: place, step: key }, run, history: before });
    }
    for (const key of this.#required) {
      if (!Object.hasOwn(value, key) || value[key] === undefined) {
        run.add({
          keyword: "required",
          place: { above: place, step: key },
          value: undefined,
          limit: undefined,
        });
      }
    }
    run.count++;
  }

  #itemNode(): SchemaNode | undefined {
    if (this.#items === undefined) {
      const schema = subSchema(this.#schema, "items");
      if (schema !== undefined) this.#items = new SchemaNode(schema);
    }
    return this.#items;
  }

  /** The node for a field: its own, or the one of all others. */
  #fieldNode(key: string): SchemaNode | undefined {
    const schema = subSchema(this.#properties, key);
    if (schema !== undefined) {
      let node = this.#fields.get(key);
      if (node === undefined) this.#fields.set(key, node = new SchemaNode(schema));
      return node;
    }
    if (this.#additional === undefined) {
      const additional = subSchema(this.#schema, "additionalProperties");
      if (additional !== undefined) this.#additional = new SchemaNode(additional);
    }
    return this.#additional;
  }
}

/** The schemas that a value must fit besides a node's own words. */
interface Branches {
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly allOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
}

function branchesOf(schema: Schema): Branches | undefined {
  const [anyOf, oneOf, allOf] = ["anyOf", "oneOf", "allOf"].map((key) =>
    schemaList(schema, key).map((branch) => new SchemaNode(branch))
  );
  const not = subSchema(schema, "not");
  if (anyOf?.length === 0 && oneOf?.length === 0 && allOf?.length === 0 && not === undefined) {
    return undefined;
  }
  return {
    anyOf: anyOf ?? [],
    oneOf: oneOf ?? [],
    allOf: allOf ?? [],
    not: not === undefined ? undefined : new SchemaNode(not),
  };
}

/** NB: inside of branches, values are not compared with their past. */
function checkBranches({ anyOf, oneOf, allOf, not }: Branches, value: unknown, { place, run }: Check): void {
  const tell = (keyword: string, limit?: unknown) => run.add({ keyword, place, value, limit });
  const tried = (node: SchemaNode): Run => {
    const result = new Run();
    node.check(value, { place, run: result });
    return result;
  };
  if (anyOf.length > 0) checkAnyOf(anyOf, { tried, tell, run });
  if (oneOf.length > 0) {
    const results = oneOf.map(tried);
    const valid = results.filter(({ findings }) => findings.length === 0);
    if (valid.length !== 1) tell("oneOf", valid.length);
    const told = valid.length === 1 ? valid[0] : valid.length === 0 ? bestOf(results) : undefined;
    if (told !== undefined) run.merge(told);
  }
  if (allOf.length > 0) {
    const results = allOf.map(tried);
    for (const result of results) run.merge(result);
    const valid = results.filter(({ findings }) => findings.length === 0).length;
    if (valid !== results.length) tell("allOf", valid);
  }
  if (not !== undefined && tried(not).findings.length === 0) tell("not");
}

function checkAnyOf(
  anyOf: readonly SchemaNode[],
  { tried, tell, run }: {
    readonly tried: (node: SchemaNode) => Run;
    readonly tell: (keyword: string) => void;
    readonly run: Run;
  },
): void {
  const failed: Run[] = [];
  for (const node of anyOf) {
    const result = tried(node);
    if (result.findings.length === 0) return run.merge(result);
    failed.push(result);
  }
  tell("anyOf");
  const best = bestOf(failed);
  if (best !== undefined) run.merge(best);
}

/** The first of the results with the most checks passed. */
function bestOf(results: readonly Run[]): Run | undefined {
  return results.reduce<Run | undefined>(
    (best, result) => best === undefined || result.count > best.count ? result : best,
    undefined,
  );
}

/** Returns the format of a node, if Kubernetes knows it. */
function knownFormat(format: unknown): string | undefined {
  if (typeof format !== "string") return undefined;
  return NUMBERS.has(format) || formatCheck(format) !== undefined ? format : undefined;
}

function isInRange(value: number | bigint, type: string | undefined, format: string | undefined): boolean {
  const number = Number(value);
  if (type === "integer") {
    if (typeof value === "number" && !Number.isInteger(value)) return false;
    const bits = format === "int32" ? 31 : 63;
    return number >= -(2 ** bits) && number < 2 ** bits;
  }
  return type !== "number" || format !== "float" || Number.isFinite(Math.fround(number));
}

function isAlike(one: unknown, other: unknown): boolean {
  // NB: a bigint and a number are compared by their worth.
  // deno-lint-ignore eqeqeq
  return equal(one, other) ||
    typeof one !== typeof other && typeof one !== "string" && typeof other !== "string" && one == other;
}

/** A pattern that does not compile fits no text. */
function patternOf(pattern: string): Pattern {
  try {
    return compilePattern(pattern);
  } catch {
    return { test: () => false, findAll: function* () {} };
  }
}
