/**
 * Structural schemas out of JSON Schema: the schemas of custom resources that Kubernetes takes.
 *
 * Each value has one type, said once, outside of unions; unions only validate. What cannot be said so is collected with
 * its path and the reason, so that one run tells everything. Objects that allow no other keys lose that word: the API
 * server drops unknown fields anyway, and refuses them only in kubectl's strict mode.
 * Source: Kubernetes, "Extend the Kubernetes API with CustomResourceDefinitions", "Specifying a structural schema".
 */

import { getKey, isEmptyObject, isEqualJson, isObject, setKey } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatJson } from "../../runtime/json.ts";
import { type Complain, flatten } from "./flatten.ts";
import { UNREPRESENTABLE } from "./json_schema.ts";
import { toRe2 } from "./re2.ts";
import { mergeBranches } from "./unions.ts";

/** A keyword that cannot be said structurally. */
export interface SchemaProblem {
  /** Such as "spec.ports[].name"; "[*]" is any key of a map. */
  readonly path: string;
  readonly reason: string;
}

export interface StructuralOptions {
  /** The place of the schema: the first part of each problem's path, such as "spec". */
  readonly path: string;
  /** Called with each problem. */
  readonly onProblem: (problem: SchemaProblem) => void;
}

/** Makes a structural schema of JSON Schema. With problems, the result is not to be used. */
export function toStructural(schema: JsonObject, { path, onProblem }: StructuralOptions): JsonObject {
  const complain: Complain = (at, reason) => onProblem({ path: at, reason });
  return new Converter(schema, complain).node(schema, path, []);
}

/** Keywords that a structural schema never has, and that matter to validators alone. */
const REFUSED: Readonly<Record<string, string>> = {
  patternProperties:
    'keys by pattern ("patternProperties") cannot be told apart: take a map with one kind of value',
  if: '"if" is not known: write it as a rule in CEL',
  dependentSchemas: '"dependentSchemas" is not known: write it as a rule in CEL',
  dependentRequired: '"dependentRequired" is not known: write it as a rule in CEL',
  not: '"not" cannot be said of types: write it as a rule in CEL',
  contains: '"contains" is not known: write it as a rule in CEL',
  $dynamicRef: '"$dynamicRef" is not known',
};

const STRINGS = ["minLength", "maxLength"];
const NUMBERS = ["multipleOf"];

/** Formats that the API server checks by itself. Source: k8s.io/kube-openapi, pkg/validation/strfmt. */
const FORMATS = new Set(
  ("bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn " +
    "hexcolor rgbcolor byte password date duration datetime date-time int32 int64 float double").split(" "),
);

/** Kinds of unions that come from a validator. */
const JUNCTORS = ["anyOf", "oneOf"] as const;

class Converter {
  readonly #root: JsonObject;
  readonly #complain: Complain;

  constructor(root: JsonObject, complain: Complain) {
    this.#root = root;
    this.#complain = complain;
  }

  node(schema: unknown, path: string, via: readonly string[]): JsonObject {
    if (schema === true || schema === undefined) return anything();
    if (!isObject(schema)) return this.#refuse(path, "nothing is allowed there");
    const flat = flatten(schema, { root: this.#root, path, via, complain: this.#complain });
    const node = this.#flatNode(flat.schema, path, flat.via);
    copyTexts(flat.schema, node);
    if (flat.isNullable) {
      node.nullable = true;
      relaxEnum(node);
    }
    return node;
  }

  #flatNode(schema: JsonObject, path: string, via: readonly string[]): JsonObject {
    const marked = schema[UNREPRESENTABLE];
    if (typeof marked === "string") {
      return this.#refuse(path, `${marked} cannot be kept by the API server, which stores what was sent`);
    }
    for (const [keyword, reason] of Object.entries(REFUSED)) {
      if (Object.hasOwn(schema, keyword)) return this.#refuse(path, reason);
    }
    const junctor = JUNCTORS.find((key) => Array.isArray(schema[key]));
    if (junctor !== undefined) return this.#union(schema, { junctor, path, via });
    const type = typeOf(schema);
    switch (type) {
      case undefined:
        return anything();
      case "object":
        return this.#object(schema, path, via);
      case "array":
        return this.#array(schema, path, via);
      case "string":
        return this.#string(schema, path);
      case "integer":
      case "number":
        return this.#number(schema, type);
      case "boolean":
        return { type, ...enumOf(schema) };
      case "null":
        return this.#refuse(path, "only null is allowed there");
      default:
        return this.#refuse(path, "its values have several types");
    }
  }

  #union(
    schema: JsonObject,
    { junctor, path, via }: {
      readonly junctor: "anyOf" | "oneOf";
      readonly path: string;
      readonly via: readonly string[];
    },
  ): JsonObject {
    const { [junctor]: listed, ...rest } = schema;
    const branches = Array.isArray(listed) ? listed : [];
    if (branches.length === 1) return this.node({ ...rest, allOf: [branches[0]] }, path, via);
    const isBare = Object.keys(rest).every((key) => TEXTS.includes(key) || key.startsWith("x-kubernetes-"));
    const nodes = branches.map((branch) => this.node(isBare ? branch : { allOf: [rest, branch] }, path, via));
    return mergeBranches(nodes, {
      junctor,
      path,
      complain: this.#complain,
    });
  }

  #object(schema: JsonObject, path: string, via: readonly string[]): JsonObject {
    const node: JsonObject = { type: "object" };
    const properties: JsonObject = {};
    for (const [key, value] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      setKey(properties, key, this.node(value, join(path, key), via));
    }
    this.#keys(schema, { node, properties, path, via });
    if (!isEmptyObject(properties)) {
      node.properties = properties;
      if (node.additionalProperties !== undefined) {
        this.#complain(
          path,
          "it has named fields and others of a type of their own: only one of them is possible",
        );
      }
    }
    const required = Array.isArray(schema.required) ? schema.required : [];
    if (required.length > 0) node.required = required;
    copy(schema, node, ["minProperties", "maxProperties"]);
    return node;
  }

  /** Returns the schema of keys that are not named. */
  #keys(schema: JsonObject, { node, properties, path, via }: {
    readonly node: JsonObject;
    readonly properties: JsonObject;
    readonly path: string;
    readonly via: readonly string[];
  }): void {
    const others = schema.additionalProperties;
    if (others === undefined || others === false) return;
    const names = isObject(schema.propertyNames) ? schema.propertyNames : {};
    const value = this.node(others, `${path}[*]`, via);
    if (Array.isArray(names.enum)) {
      for (const name of names.enum) setKey(properties, String(name), value);
      return;
    }
    const rules = this.#keyRules(names, path);
    if (isAnything(value) && rules.length === 0) {
      node["x-kubernetes-preserve-unknown-fields"] = true;
      return;
    }
    node.additionalProperties = value;
    if (rules.length > 0) node["x-kubernetes-validations"] = rules;
  }

  /** Keys of maps can be checked by rules alone. */
  #keyRules(names: JsonObject, path: string): JsonObject[] {
    const rules: JsonObject[] = [];
    const add = (test: string, message: string): void =>
      void rules.push({ rule: `self.all(key, ${test})`, message });
    if (typeof names.pattern === "string") {
      const found = toRe2(names.pattern);
      if ("reason" in found) this.#complain(path, `the pattern of its keys is not for RE2: ${found.reason}`);
      else add(`key.matches(${JSON.stringify(found.pattern)})`, `keys must match ${found.pattern}`);
    }
    const { minLength, maxLength } = names;
    if (typeof minLength === "number") add(`size(key) >= ${minLength}`, `keys need ${minLength} characters`);
    if (typeof maxLength === "number") {
      add(`size(key) <= ${maxLength}`, `keys have ${maxLength} characters at most`);
    }
    return rules;
  }

  #array(schema: JsonObject, path: string, via: readonly string[]): JsonObject {
    const node: JsonObject = { type: "array" };
    const { prefixItems } = schema;
    if (Array.isArray(prefixItems)) {
      const [first] = prefixItems;
      if (!prefixItems.every((each) => isEqualJson(each, first))) {
        return this.#refuse(path, "it is a tuple of different types: take an object");
      }
      node.items = this.node(first, `${path}[]`, via);
    } else {
      node.items = this.node(schema.items, `${path}[]`, via);
    }
    copy(schema, node, ["minItems", "maxItems"]);
    if (schema.uniqueItems === true) {
      const isScalar = isObject(node.items) && !["object", "array"].includes(String(node.items.type)) &&
        !isAnything(node.items);
      if (!isScalar) {
        return this.#refuse(path, "items that are objects cannot be required to be unique: take a rule");
      }
      node["x-kubernetes-list-type"] = "set";
    }
    return node;
  }

  #string(schema: JsonObject, path: string): JsonObject {
    const node: JsonObject = { type: "string", ...enumOf(schema) };
    const format = schema.contentEncoding === "base64" ? "byte" : schema.format;
    const isKnown = typeof format === "string" && FORMATS.has(format);
    if (isKnown) node.format = format;
    copy(schema, node, STRINGS);
    if (typeof schema.pattern !== "string") return node;
    const found = toRe2(schema.pattern);
    if ("pattern" in found) node.pattern = found.pattern;
    else if (!isKnown) {
      this.#complain(path, `its pattern is not for RE2, which the API server uses: ${found.reason}`);
    }
    return node;
  }

  #number(schema: JsonObject, type: "integer" | "number"): JsonObject {
    const node: JsonObject = { type, ...enumOf(schema) };
    if (typeof schema.format === "string" && FORMATS.has(schema.format)) node.format = schema.format;
    copy(schema, node, NUMBERS);
    for (
      const [limit, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const
    ) {
      const [value, bound] = [schema[limit], schema[exclusive]];
      if (typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER) node[limit] = value;
      if (typeof bound === "number") {
        const isTighter = typeof node[limit] !== "number" ||
          (limit === "minimum" ? bound >= node[limit] : bound <= node[limit]);
        if (!isTighter) continue;
        node[limit] = bound;
        node[exclusive] = true;
      } else if (bound === true && node[limit] !== undefined) node[exclusive] = true;
    }
    return node;
  }

  #refuse(path: string, reason: string): JsonObject {
    this.#complain(path, reason);
    return anything();
  }
}

const TEXTS = ["title", "description", "default"];

/** Copies descriptions, defaults, and Kubernetes' own keywords. */
function copyTexts(from: JsonObject, to: JsonObject): void {
  copy(from, to, TEXTS);
  for (const [key, value] of Object.entries(from)) {
    if (!key.startsWith("x-kubernetes-")) continue;
    const before = to[key];
    const isList = key === "x-kubernetes-validations" && Array.isArray(before) && Array.isArray(value);
    to[key] = isList && !isEqualJson(before, value) ? [...before, ...value] : value;
  }
  if (to["x-kubernetes-int-or-string"] === true) {
    delete to.type;
    delete to["x-kubernetes-preserve-unknown-fields"];
  }
}

function copy(from: JsonObject, to: JsonObject, keys: readonly string[]): void {
  for (const key of keys) {
    const value = getKey(from, key);
    if (value !== undefined) to[key] = value;
  }
}

/**
 * Writes a rule that names the values.
 *
 * NB: the API server compares null with an enum, and finds that it differs even from the enum's own null; rules are not
 * asked about null. Tried on 1.36.
 */
function relaxEnum(node: JsonObject): void {
  if (!Array.isArray(node.enum)) return;
  const values = node.enum.map((value) => formatJson(value)).join(", ");
  node["x-kubernetes-validations"] = [{
    rule: `self in [${values}]`,
    message: `must be null or one of ${values}`,
  }];
  delete node.enum;
}

function enumOf(schema: JsonObject): JsonObject {
  return Array.isArray(schema.enum) ? { enum: schema.enum } : {};
}

/** The type that a schema says or, if it says none, that its keywords are about. */
function typeOf(schema: JsonObject): string | undefined {
  if (typeof schema.type === "string") return schema.type;
  const has = (...keys: string[]): boolean => keys.some((key) => Object.hasOwn(schema, key));
  if (Array.isArray(schema.enum)) {
    const types = new Set(schema.enum.map((value) => typeof value));
    if (types.size !== 1) return "several";
    const [type = "several"] = types;
    return type === "number" && schema.enum.every(Number.isInteger) ? "integer" : type;
  }
  if (has("properties", "required", "additionalProperties")) return "object";
  if (has("items", "prefixItems", "minItems", "maxItems")) return "array";
  if (has("pattern", "minLength", "maxLength", "contentEncoding")) return "string";
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return "number";
  return undefined;
}

function anything(): JsonObject {
  return { "x-kubernetes-preserve-unknown-fields": true };
}

/** Whether a node takes any value. */
function isAnything(node: JsonObject): boolean {
  return node["x-kubernetes-preserve-unknown-fields"] === true && node.type === undefined;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
