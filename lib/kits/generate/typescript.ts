/**
 * TypeScript out of the schemas of strangers' definitions.
 *
 * Schemas come in all ages: structural ones, older ones that nobody ever checked, ones that leave things open, or refer
 * to themselves. What a schema does not say is `unknown`; what it says twice is said by the narrower one.
 */

import { getKey, isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatJson } from "../../runtime/json.ts";

/** How many nodes a schema may have: aliases in YAML can make few lines grow without end. */
const MOST_NODES = 200_000;

/** Of more branches, unions become too much for the compiler and for readers. */
const MOST_BRANCHES = 8;

/** Where a node stands. */
interface Place {
  /** Such as "spec.solvers[].dns01", for messages. */
  readonly path: string;
  /** Spaces at the beginning of lines. */
  readonly indent: string;
  /** The nodes around it. */
  readonly around: readonly JsonObject[];
}

/** Writes the types of one definition's version. */
export class TypeWriter {
  readonly #root: JsonObject;
  readonly #prefix: string;
  readonly #named = new Map<string, string>();
  readonly #declarations: string[] = [];
  #nodes = 0;

  /**
   * @param root The schema of whole objects, at which references begin.
   * @param prefix The beginning of the names of types, such as "Certificate".
   */
  constructor(root: JsonObject, prefix: string) {
    this.#root = root;
    this.#prefix = prefix;
  }

  /** Notes the meaning of a reference that has a type of its own already. */
  know(ref: string, name: string): void {
    this.#named.set(ref, name);
  }

  /** The types that references made necessary. */
  get declarations(): readonly string[] {
    return this.#declarations;
  }

  /**
   * Declares a type for a part of the objects.
   *
   * @throws {TypeError} If the schema refers to itself other than by "$ref", or is too large.
   */
  declare(name: string, schema: JsonObject, path: string): string {
    const text = this.#type(schema, { path, indent: "", around: [] });
    const comment = commentOf(schema, "");
    return isBlock(text)
      ? `${comment}export interface ${name} ${text}\n`
      : `${comment}export type ${name} = ${text};\n`;
  }

  /** The fields of whole objects beside those that all objects have, as the lines of a type. */
  others(names: readonly string[]): string {
    const properties = isObject(this.#root.properties) ? this.#root.properties : {};
    const picked = Object.fromEntries(names.map((name) => [name, getKey(properties, name)]));
    const { required } = this.#root;
    return this.#block({ properties: picked, required }, { path: "", indent: "", around: [] });
  }

  #type(schema: unknown, place: Place): string {
    if (!isObject(schema)) return "unknown";
    const { path, around } = place;
    if (around.includes(schema)) {
      throw new TypeError(`Cannot make types: the schema of "${path}" contains itself, without end`);
    }
    if (++this.#nodes > MOST_NODES) {
      throw new TypeError(`Cannot make types: the schema has more than ${MOST_NODES} nodes, at "${path}"`);
    }
    const inner = { ...place, around: [...around, schema] };
    const ref = getKey(schema, "$ref");
    if (typeof ref === "string") return this.#reference(ref, inner);
    const text = this.#plainType(schema, inner);
    return schema.nullable === true && !/(^|\| )null$|^unknown$/.test(text) ? `${text} | null` : text;
  }

  #reference(ref: string, { path }: Place): string {
    const known = this.#named.get(ref);
    if (known !== undefined) return known;
    const target = ref.startsWith("#") ? lookUp(this.#root, ref.slice(1)) : undefined;
    if (target === undefined) {
      throw new TypeError(`Cannot make types: "${path}" refers to "${ref}", which is not in the definition`);
    }
    const base = this.#prefix + (ref === "#" ? "Object" : toPascal(ref.split("/").at(-1) ?? ""));
    const taken = new Set(this.#named.values());
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
    this.#named.set(ref, name);
    this.#declarations.push(this.declare(name, target, path));
    return name;
  }

  #plainType(schema: JsonObject, place: Place): string {
    const { type } = schema;
    if (Array.isArray(schema.enum) && schema.enum.length > 0) {
      return [...new Set(schema.enum.map((value) => formatJson(value)))].join(" | ");
    }
    if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") {
      return "number | string";
    }
    if (Array.isArray(type)) return unionOf(type.map((each) => this.#typed(schema, String(each), place)));
    if (typeof type === "string") return this.#typed(schema, type, place);
    const branches = branchesOf(schema);
    if (branches.length > 0 && branches.some((branch) => saysType(branch))) {
      return unionOf(branches.map((branch) => this.#type(branch, place)));
    }
    if (Array.isArray(schema.allOf) && schema.allOf.some(saysType)) {
      return schema.allOf.filter(saysType).map((part) => group(this.#type(part, place))).join(" & ");
    }
    if (isObject(schema.properties) || isObject(schema.additionalProperties)) {
      return this.#typed(schema, "object", place);
    }
    return isObject(schema.items) ? this.#typed(schema, "array", place) : "unknown";
  }

  #typed(schema: JsonObject, type: string, place: Place): string {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
        return type;
      case "integer":
      case "number":
        return "number";
      case "array":
        return `${group(this.#type(schema.items, { ...place, path: `${place.path}[]` }))}[]`;
      case "object":
        return this.#object(schema, place);
      default:
        return "unknown";
    }
  }

  #object(schema: JsonObject, place: Place): string {
    const { properties, additionalProperties } = schema;
    if (!isObject(properties) || Object.keys(properties).length === 0) {
      if (isObject(additionalProperties)) {
        return `Record<string, ${this.#type(additionalProperties, { ...place, path: `${place.path}[*]` })}>`;
      }
      return "Record<string, unknown>";
    }
    const block = this.#block(schema, place);
    const variants = this.#variants(schema, place);
    return variants.length === 0 ? block : `${block} & (${variants.join(" | ")})`;
  }

  #block(schema: JsonObject, { path, indent, around }: Place): string {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const deeper = `${indent}  `;
    const lines: string[] = [];
    for (const [key, property] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      const at = path === "" ? key : `${path}.${key}`;
      const text = this.#type(property, { path: at, indent: deeper, around });
      const mark = required.includes(key) ? "" : "?";
      lines.push(`${commentOf(property, deeper)}${deeper}${toKey(key)}${mark}: ${text};\n`);
    }
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true ||
      isObject(schema.additionalProperties) ||
      schema["x-kubernetes-embedded-resource"] === true;
    if (isOpen) lines.push(`${deeper}[key: string]: unknown;\n`);
    return `{\n${lines.join("")}${indent}}`;
  }

  /** The branches of a union of objects: what each requires, and which values its fields have. */
  #variants(schema: JsonObject, place: Place): string[] {
    const branches = branchesOf(schema);
    if (branches.length < 2 || branches.length > MOST_BRANCHES) return [];
    const properties = isObject(schema.properties) ? schema.properties : {};
    const variants = branches.map((branch) => {
      const narrowed = isObject(branch.properties) ? branch.properties : {};
      const required = Array.isArray(branch.required) ? branch.required.map(String) : [];
      const names = new Set([...Object.keys(narrowed).filter((key) => isEnum(narrowed[key])), ...required]);
      const always = Array.isArray(schema.required) ? schema.required.map(String) : [];
      const fields = [...names].filter((name) => Object.hasOwn(properties, name)).map((name) => {
        const own = getKey(narrowed, name);
        const text = this.#type(isEnum(own) ? own : properties[name], {
          ...place,
          path: `${place.path}.${name}`,
        });
        return `${toKey(name)}${required.includes(name) || always.includes(name) ? "" : "?"}: ${text}`;
      });
      return fields.length === 0 ? undefined : `{ ${fields.join("; ")} }`;
    });
    // A branch that says nothing of fields allows all of them.
    return variants.every((variant) => variant !== undefined) ? variants : [];
  }
}

function isEnum(value: unknown): value is JsonObject {
  return isObject(value) && Array.isArray(value.enum);
}

function branchesOf(schema: JsonObject): JsonObject[] {
  for (const branches of [schema.oneOf, schema.anyOf]) {
    if (Array.isArray(branches) && branches.length > 0) return branches.filter(isObject);
  }
  return [];
}

function saysType(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return ["type", "$ref", "enum", "properties", "items"].some((key) => Object.hasOwn(schema, key));
}

function unionOf(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

/** In brackets, if it is made of several. */
function group(type: string): string {
  // Comments and texts first: they may hold brackets. Then what is nested, from the inside out.
  let bare = type.replace(/\/\*[^]*?\*\/|"(?:[^"\\]|\\.)*"/g, "");
  for (let before = ""; before !== bare;) {
    before = bare;
    bare = bare.replace(/\{[^{}]*\}|<[^<>]*>|\([^()]*\)/g, "");
  }
  return /[|&]/.test(bare) ? `(${type})` : type;
}

/** Whether a type is braces alone, and can be an interface. */
function isBlock(text: string): boolean {
  return text.startsWith("{\n") && text.indexOf("\n}") === text.length - 2;
}

/** A key as it stands in a type. */
function toKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/** "my-kind.x" as "MyKindX". */
export function toPascal(text: string): string {
  return text.split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function commentOf(schema: unknown, indent: string): string {
  const description = isObject(schema) ? schema.description : undefined;
  const text = typeof description === "string" ? description.trim().replaceAll("*/", "*\\/") : "";
  const value = isObject(schema) ? getKey(schema, "default") : undefined;
  const hint = value === undefined ? "" : `Default: ${formatJson(value).replaceAll("*/", "*\\/")}`;
  const lines = [...text === "" ? [] : text.split(/\r?\n/), ...hint === "" ? [] : [hint]].map((line) =>
    line.trimEnd()
  );
  const [first = ""] = lines;
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${first} */\n`;
  return `${indent}/**\n${
    lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")
  }${indent} */\n`;
}

function lookUp(root: JsonObject, pointer: string): JsonObject | undefined {
  let found: unknown = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) ? getKey(found, key) : undefined;
  }
  return isObject(found) ? found : undefined;
}
