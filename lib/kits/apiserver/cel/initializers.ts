/**
 * Initializers: `Object{spec: Object.spec{replicas: 3}}` and `JSONPatch{op: "add", path: "/spec"}`, by which expressions of
 * MutatingAdmissionPolicies make objects.
 *
 * Source: k8s.io/apiserver, pkg/cel/mutation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { setOwn } from "../values.ts";
import type { Environment } from "./environment.ts";
import { DYN, STRING, type Type } from "./type.ts";
import { isSame, type LibraryValue } from "./values.ts";

/** An object that an initializer makes. The name of its type is the way to its place, such as "Object.spec". */
class MadeObject implements LibraryValue {
  readonly typeName: string;
  readonly values: ReadonlyMap<string, unknown>;

  constructor(typeName: string, values: ReadonlyMap<string, unknown>) {
    this.typeName = typeName;
    this.values = values;
  }

  equals(other: unknown): boolean {
    return other instanceof MadeObject && other.typeName === this.typeName &&
      isSame(this.values, other.values);
  }
}

class MadePatch extends MadeObject {}

const PATCH_FIELDS: Readonly<Record<string, Type>> = { op: STRING, path: STRING, from: STRING, value: DYN };

/** Adds them, and `jsonpatch.escapeKey()`. */
export function addInitializers(environment: Environment): void {
  environment.struct(/^Object(\.|$)/, {
    fieldType: () => DYN,
    make: (name, values) => new MadeObject(name, values),
  });
  environment.struct(/^JSONPatch$/, {
    fieldType: (_name, field) => Object.hasOwn(PATCH_FIELDS, field) ? PATCH_FIELDS[field] : undefined,
    make: (name, values) => new MadePatch(name, values),
  });
  environment.function(
    "jsonpatch.escapeKey(string): string",
    (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
  );
}

/**
 * Returns the object that an expression has made as JSON.
 *
 * @throws {TypeError} If an initializer stands where another one belongs, or it is no JSON.
 */
export function configurationOf(value: unknown): JsonObject {
  if (!(value instanceof MadeObject) || value instanceof MadePatch) {
    throw new TypeError("the expression does not evaluate to an Object");
  }
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
    for (const [key, field] of item.values) {
      operation[key] = toJson(field, undefined);
    }
    return operation;
  });
}

/** Without a `type`, as below a patch's path, initializers of any type are taken. */
function toJson(value: unknown, type: string | undefined): unknown {
  if (value instanceof MadeObject) {
    if (type !== undefined && value.typeName !== type) {
      throw new TypeError(
        `type mismatch: unexpected type name ${JSON.stringify(value.typeName)}, expected ${
          JSON.stringify(type)
        }, which matches field name path from root Object type`,
      );
    }
    return fieldsToJson(value.values, value.typeName);
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
