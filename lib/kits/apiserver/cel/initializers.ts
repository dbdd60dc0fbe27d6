/**
 * Initializers: `Object{spec: Object.spec{replicas: 3}}` and `JSONPatch{op: "add", path: "/spec"}`, by which expressions of
 * MutatingAdmissionPolicies make objects.
 *
 * The evaluator does not know them: in the text, they become calls of functions with a map. Source: k8s.io/apiserver,
 * pkg/cel/mutation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { setOwn } from "../values.ts";
import type { Environment } from "./engine.ts";
import { tokensOf } from "./source.ts";

const MAKE_OBJECT = "initialize__Object";
const MAKE_PATCH = "initialize__JSONPatch";
const KEEP_ENTRIES = "keep__entries";

/** An object that an initializer makes. The name of its type is the way to its place, such as "Object.spec". */
class MadeObject {
  readonly type: string;
  readonly fields: ReadonlyMap<string, unknown>;

  constructor(type: string, fields: ReadonlyMap<string, unknown>) {
    this.type = type;
    this.fields = fields;
  }
}

class MadePatch {
  readonly fields: ReadonlyMap<string, unknown>;

  constructor(fields: ReadonlyMap<string, unknown>) {
    this.fields = fields;
  }
}

class PatchNamespace {}

type Fields = ReadonlyMap<string, unknown> | Readonly<JsonObject>;

/** Adds what the rewritten text calls, and `jsonpatch.escapeKey()`. */
export function addInitializers(environment: Environment): void {
  environment.registerType("Object", MadeObject);
  environment.registerType("JSONPatch", MadePatch);
  environment.registerType("JsonPatchNamespace", PatchNamespace);
  environment.registerConstant("jsonpatch", "JsonPatchNamespace", new PatchNamespace());
  environment.registerFunction(
    `${MAKE_OBJECT}(string, map): Object`,
    (type: string, fields: Fields) => new MadeObject(type, mapOf(fields)),
  );
  environment.registerFunction(
    `${MAKE_PATCH}(map): JSONPatch`,
    (fields: Fields) => new MadePatch(mapOf(fields)),
  );
  environment.registerFunction(`${KEEP_ENTRIES}(map, list): map`, keepEntries);
  environment.registerFunction(
    "JsonPatchNamespace.escapeKey(string): string",
    (_: PatchNamespace, key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
  );
}

interface Optional {
  hasValue(): boolean;
  value(): unknown;
}

/** Leaves optional entries out that have no value. @throws {TypeError} If one is no optional. */
function keepEntries(fields: Fields, optional: readonly unknown[]): ReadonlyMap<string, unknown> {
  const kept = new Map(mapOf(fields));
  for (const key of optional.map(String)) {
    const value = kept.get(key);
    if (!isOptional(value)) {
      throw new TypeError(`cannot initialize optional entry '${key}' from non-optional`);
    }
    if (value.hasValue()) kept.set(key, value.value());
    else kept.delete(key);
  }
  return kept;
}

function isOptional(value: unknown): value is Optional {
  return typeof value === "object" && value !== null && "hasValue" in value && "value" in value;
}

function mapOf(fields: Fields): ReadonlyMap<string, unknown> {
  return fields instanceof Map ? fields : new Map(Object.entries(fields));
}

/** A bracket that is open. */
interface Open {
  readonly kind: "initializer" | "map" | "other";
  /** Which part of the text it is. */
  readonly part: number;
  /** The keys of its optional entries, as texts of the language. */
  readonly optional: string[];
}

/** Returns the text with calls in place of initializers, and of maps with optional entries (`?key: …`). */
export function rewriteInitializers(source: string): string {
  const tokens = tokensOf(source);
  const parts: string[] = [];
  const open: Open[] = [];
  let isEntryNext = false;
  let last = "";
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const inner: Open | undefined = open.at(-1);
    const isField: boolean = isEntryNext && inner?.kind === "initializer";
    const found: ReturnType<typeof initializerAt> = last === "." || isField
      ? undefined
      : initializerAt(tokens, at);
    if (found !== undefined || "{[(".includes(token)) {
      const kind: Open["kind"] = found !== undefined ? "initializer" : token === "{" ? "map" : "other";
      open.push({ kind, part: parts.length, optional: [] });
      parts.push(found?.call ?? token);
      at = found?.end ?? at;
      isEntryNext = kind !== "other";
    } else if (isEntryNext && token === "?" && inner !== undefined) {
      const key = tokens.slice(at + 1, tokens.indexOf(":", at)).join("").trim();
      inner.optional.push(isField ? JSON.stringify(key) : key);
    } else if ("}])".includes(token)) {
      parts.push(inner === undefined ? token : closing(parts, inner, token));
      open.pop();
      isEntryNext = false;
    } else {
      parts.push(isField && /^[A-Za-z_]\w*$/.test(token) ? JSON.stringify(token) : token);
      if (!isBlank(token)) isEntryNext = token === "," && inner !== undefined && inner.kind !== "other";
    }
    if (!isBlank(token)) last = tokens[at] ?? "";
  }
  return parts.join("");
}

function isBlank(token: string): boolean {
  return token.trim() === "" || token.startsWith("//");
}

/** Returns what ends a bracket. A map with optional entries becomes a call, too. */
function closing(parts: string[], { kind, part, optional }: Open, token: string): string {
  const end = kind === "initializer" ? "})" : token;
  if (optional.length === 0) return end;
  parts[part] = `${parts[part]?.slice(0, -1)}${KEEP_ENTRIES}({`;
  return `}, [${optional.join(", ")}]${end.replace("}", ")")}`;
}

/** An initializer that begins at a token: the call that takes its place, and where its brace is. */
function initializerAt(
  tokens: readonly string[],
  start: number,
): { readonly call: string; readonly end: number } | undefined {
  if (tokens[start] !== "Object" && tokens[start] !== "JSONPatch") return undefined;
  let name = "";
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    if (token === "{") {
      const call = name === "JSONPatch" ? `${MAKE_PATCH}({` : `${MAKE_OBJECT}(${JSON.stringify(name)}, {`;
      return { call, end: at };
    }
    if (token.trim() !== "" && token !== "." && !/^\w+$/.test(token)) return undefined;
    name += token.trim();
  }
  return undefined;
}

/**
 * Returns what an expression has made as JSON.
 *
 * @throws {TypeError} If an initializer stands where another one belongs, or it is no JSON.
 */
export function configurationOf(value: unknown): JsonObject {
  if (!(value instanceof MadeObject)) throw new TypeError("the expression does not evaluate to an Object");
  // An initializer makes an object.
  return toJson(value, "Object") as JsonObject;
}

/**
 * Returns the operations of a JSON patch.
 *
 * @throws {TypeError} As above.
 */
export function operationsOf(value: unknown): JsonObject[] {
  const list = Array.isArray(value) ? value : [];
  return list.map((item) => {
    if (!(item instanceof MadePatch)) {
      throw new TypeError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
    }
    const operation: JsonObject = {};
    for (const [key, field] of item.fields) {
      if (!["op", "path", "from", "value"].includes(key)) {
        throw new TypeError(`unexpected JSONPatchType field: ${key}`);
      }
      operation[key] = toJson(field, undefined);
    }
    return operation;
  });
}

/** NB: below a patch's path, nobody knows which type belongs there. */
function toJson(value: unknown, type: string | undefined): unknown {
  if (value instanceof MadeObject) {
    if (type !== undefined && value.type !== type) {
      throw new TypeError(
        `type mismatch: unexpected type name ${JSON.stringify(value.type)}, expected ${
          JSON.stringify(type)
        }, which matches field name path from root Object type`,
      );
    }
    return fieldsToJson(value.fields, value.type);
  }
  if (value instanceof Map) return fieldsToJson(value, type);
  if (Array.isArray(value)) return value.map((item) => toJson(item, type));
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString().replace(".000Z", "Z");
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value));
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  if (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype) {
    return fieldsToJson(new Map(Object.entries(value)), type);
  }
  throw new TypeError(`unsupported value: ${value}`);
}

function fieldsToJson(fields: ReadonlyMap<unknown, unknown>, type: string | undefined): JsonObject {
  const found: JsonObject = {};
  for (const [key, field] of fields) {
    const name = String(key);
    setOwn(found, name, toJson(field, type === undefined ? undefined : `${type}.${name}`));
  }
  return found;
}
