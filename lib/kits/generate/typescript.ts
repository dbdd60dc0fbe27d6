/**
 * TypeScript out of the schemas of other authors' definitions.
 *
 * Schemas come in all ages: structural ones, older ones that no server ever checked, ones that leave fields open, or refer to
 * themselves. A field without a type is `unknown`; of two types for a field, the narrower one counts. Lists are `readonly`, as
 * handlers get them: helpers take both a handler's `spec` and an object that the author makes.
 */

import { getKey, isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatJson } from "../../runtime/json.ts";
import type { Shapes } from "./shapes.ts";

/** How many nodes a schema may have: aliases in YAML can make few lines grow without end. */
const MOST_NODES = 200_000;

/** Of more branches, unions become too much for the compiler and for readers. */
const MOST_BRANCHES = 8;

/** Where a node stands. */
interface Place {
  /** Such as "spec.solvers[].dns01", for messages. */
  readonly path: string;
  /** The nodes around it. */
  readonly around: readonly JsonObject[];
}

/** Whom types are for: readers find the fields that have a default, writers may leave them out. */
export type Side = "read" | "sent";

export interface TypeWriterOptions {
  /** The schema of whole objects, at which references begin. */
  readonly root: JsonObject;
  /** The beginning of the names of types, such as "Certificate". */
  readonly prefix: string;
  readonly side: Side;
  /** The blocks of the module. */
  readonly shapes: Shapes;
}

/** Writes the types of one definition's version. */
export class TypeWriter {
  readonly #root: JsonObject;
  readonly #prefix: string;
  readonly #side: Side;
  readonly #shapes: Shapes;
  readonly #named = new Map<string, string>();
  readonly #declarations: string[] = [];
  #nodes = 0;

  constructor({ root, prefix, side, shapes }: TypeWriterOptions) {
    this.#root = root;
    this.#prefix = prefix;
    this.#side = side;
    this.#shapes = shapes;
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
    const found = this.#shapes.name(this.typeOf(schema, path), name);
    const comment = commentOf(schema, "");
    return "body" in found
      ? `${comment}export interface ${name} ${found.body}\n`
      : `${comment}export type ${name} = ${found.alias};\n`;
  }

  /** Returns the type of a part of the objects; it has signs for blocks. */
  typeOf(schema: JsonObject, path: string): string {
    return this.#type(schema, { path, around: [] });
  }

  /** The fields of whole objects beside the fields that all objects have, as the lines of a type. */
  others(names: readonly string[]): string {
    const properties = isObject(this.#root.properties) ? this.#root.properties : {};
    const picked = Object.fromEntries(names.map((name) => [name, getKey(properties, name)]));
    const { required } = this.#root;
    return this.#block({ properties: picked, required }, { path: "", around: [] });
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
        return `readonly ${group(this.#type(schema.items, { ...place, path: `${place.path}[]` }))}[]`;
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

  #block(schema: JsonObject, { path, around }: Place): string {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
    const declared = isObject(schema.properties) ? schema.properties : {};
    const properties: JsonObject = isEmbedded ? { ...OF_ALL_OBJECTS, ...declared } : declared;
    const isTemplate = isEmbedded || Object.hasOwn(properties, "spec");
    const lines: string[] = [];
    for (const [key, property] of Object.entries(properties)) {
      const at = path === "" ? key : `${path}.${key}`;
      const text = key === "metadata" && isMetadata(property, isTemplate)
        ? "DeepReadonly<ObjectMeta>"
        : this.#type(property, { path: at, around });
      const isThere = required.includes(key) || (this.#side === "read" && hasDefault(property));
      lines.push(`${commentOf(property, INDENT)}${INDENT}${toKey(key)}${isThere ? "" : "?"}: ${text};\n`);
    }
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true ||
      isObject(schema.additionalProperties) || isEmbedded;
    if (isOpen) lines.push(`${INDENT}[key: string]: unknown;\n`);
    return this.#shapes.add(`{\n${lines.join("")}}`, hintOf(path));
  }

  /** The branches of a union of objects: the fields that each requires, and which values its fields have. */
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
        const isThere = [...required, ...always].includes(name) ||
          (this.#side === "read" && hasDefault(properties[name]));
        return `${toKey(name)}${isThere ? "" : "?"}: ${text}`;
      });
      return fields.length === 0 ? undefined : `{ ${fields.join("; ")} }`;
    });
    // A branch without fields allows all of them.
    return variants.every((variant) => variant !== undefined) ? variants : [];
  }
}

const INDENT = "  ";

/** Fields of embedded objects that their schemas need not name. Source: Kubernetes, structural schemas, "x-kubernetes-embedded-resource". */
const OF_ALL_OBJECTS = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object" },
};

/** Whether it is the metadata of an embedded object, which definitions made by controller-gen leave open. */
function isMetadata(schema: unknown, isTemplate: boolean): boolean {
  if (!isObject(schema) || schema.type !== "object" || isObject(schema.additionalProperties)) return false;
  if (isObject(schema.properties) && Object.keys(schema.properties).length > 0) return false;
  return isTemplate || schema["x-kubernetes-preserve-unknown-fields"] !== true;
}

/** A default of null is none: the server drops it. */
function hasDefault(schema: unknown): boolean {
  return isObject(schema) && (getKey(schema, "default") ?? null) !== null;
}

/** Words that say too little by themselves. */
const PLAIN = ["spec", "status", "metadata", "items", "data", "template", "config"];

/** The name of a block by its place: "Container" of "spec.containers[]", "TemplateSpec" of "spec.template.spec". */
function hintOf(path: string): string {
  const keys = path.split(".");
  const last = keys.at(-1) ?? "";
  const words = PLAIN.includes(last) ? keys.slice(-2) : [last];
  return words.map((word) => toPascal(word.endsWith("[]") ? singular(word.slice(0, -2)) : word)).join("");
}

function singular(word: string): string {
  if (/(ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(sses|xes|ches|shes)$/.test(word) ? word.slice(0, -2) : word.replace(/s$/, "");
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
  // Comments and texts first: they may hold brackets. Then nested types, from the inside out.
  let bare = type.replace(/\/\*[^]*?\*\/|"(?:[^"\\]|\\.)*"/g, "");
  for (let before = ""; before !== bare;) {
    before = bare;
    bare = bare.replace(/\{[^{}]*\}|<[^<>]*>|\([^()]*\)/g, "");
  }
  return /[|&]|^readonly /.test(bare) ? `(${type})` : type;
}

/** A key as it stands in a type. */
function toKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/** "my-kind.x" as "MyKindX". */
export function toPascal(text: string): string {
  return text.split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** Signs of blocks are made of such characters. */
const CONTROLS = /[^\P{Cc}\t\r\n]/gu;

function commentOf(schema: unknown, indent: string): string {
  const description = isObject(schema) ? schema.description : undefined;
  const text = typeof description === "string"
    ? description.trim().replace(CONTROLS, "").replaceAll("*/", "*\\/")
    : "";
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
