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
  environment.registerFunction(
    "JsonPatchNamespace.escapeKey(string): string",
    (_: PatchNamespace, key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
  );
}

function mapOf(fields: Fields): ReadonlyMap<string, unknown> {
  return fields instanceof Map ? fields : new Map(Object.entries(fields));
}

/**
 * Returns the text with calls in place of initializers.
 *
 * @throws {SyntaxError} For optional fields (`?name: …`), which are not there.
 */
export function rewriteInitializers(source: string): string {
  const tokens = tokensOf(source);
  const open: ("initializer" | "other")[] = [];
  let text = "";
  let isFieldNext = false;
  let last = "";
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const found = last === "." || isFieldNext ? undefined : initializerAt(tokens, at);
    if (found !== undefined) {
      text += found.call;
      at = found.end;
      open.push("initializer");
      isFieldNext = true;
    } else if (isFieldNext && /^[A-Za-z_]\w*$/.test(token)) {
      text += JSON.stringify(token);
      isFieldNext = false;
    } else if (isFieldNext && token === "?") {
      throw new SyntaxError("optional fields of initializers are not supported: see docs/apiserver.md");
    } else {
      if ("{[(".includes(token)) open.push("other");
      const closed = "}])".includes(token) ? open.pop() : undefined;
      if (closed === "initializer") isFieldNext = false;
      text += closed === "initializer" ? "})" : token;
      if (token === "," && open.at(-1) === "initializer") isFieldNext = true;
    }
    if (token.trim() !== "") last = tokens[at] ?? "";
  }
  return text;
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
