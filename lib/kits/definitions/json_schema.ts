/**
 * JSON Schema out of validators of any library, by Standard JSON Schema.
 *
 * The schema describes the values that users write (`input`), because defaults are then defaults and not required. Changes of a
 * validator beyond defaults, such as texts to dates, are no matter of a schema: the API server stores values as they were sent.
 */

import { messageOf } from "../../client/errors.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import type { SchemaLike } from "../../registry/schemas.ts";

/** Marks a place for which there is no JSON Schema; its value names the construct, such as "a transform". */
export const UNREPRESENTABLE = "x-lotse-unrepresentable";

/**
 * Makes JSON Schema (draft 2020-12) of a validator.
 *
 * @throws {TypeError} If its library cannot; the message has the library's words.
 */
export function toJsonSchema(schema: SchemaLike): JsonObject {
  // Users of plain JavaScript can pass anything.
  const standard: Partial<SchemaLike["~standard"]> | undefined = schema["~standard"];
  const { jsonSchema, vendor } = standard ?? {};
  if (jsonSchema === undefined) throw new TypeError(adviceFor(vendor));
  const libraryOptions = vendor === "zod"
    ? { unrepresentable: "any", override: markUnrepresentable }
    : undefined;
  try {
    return jsonSchema.input({ target: "draft-2020-12", libraryOptions });
  } catch (error) {
    throw new TypeError(messageOf(error), { cause: error });
  }
}

function adviceFor(vendor: string | undefined): string {
  const advice: Record<string, string> = {
    zod: "take zod 4.2 or newer",
    valibot: 'wrap it into toStandardJsonSchema() of "@valibot/to-json-schema"',
    arktype: "take ArkType 2.2 or newer",
  };
  const what = vendor === undefined ? "it is no schema" : `this version of ${vendor} makes no JSON Schema`;
  const known = vendor !== undefined && Object.hasOwn(advice, vendor) ? advice[vendor] : undefined;
  return `${what}; ${known ?? "take a library that follows Standard JSON Schema, such as zod"}`;
}

/** Names that zod gives to its types that change values, or have no JSON at all. */
const CHANGING = new Map([
  ["transform", "a transform"],
  ["date", "a Date (take z.iso.datetime())"],
  ["bigint", "a bigint (take z.int())"],
  ["symbol", "a symbol"],
  ["undefined", "undefined"],
  ["void", "undefined"],
  ["nan", "NaN"],
  ["map", "a Map (take z.record())"],
  ["set", "a Set (take z.array())"],
  ["function", "a function"],
  ["custom", "a check of one's own (take z.unknown(), or rules)"],
]);

/** Called by zod for each of its types, with the JSON Schema that it made. */
function markUnrepresentable(
  { zodSchema, jsonSchema }: { readonly zodSchema: unknown; readonly jsonSchema: JsonObject },
): void {
  const what = changingKind(zodSchema);
  if (what !== undefined) jsonSchema[UNREPRESENTABLE] = what;
}

function changingKind(schema: unknown): string | undefined {
  const def = isObject(schema) && isObject(schema._zod) ? schema._zod.def : undefined;
  if (!isObject(def)) return undefined;
  if (def.type === "pipe") {
    if (typeof def.transform === "function") return "a codec";
    return [def.in, def.out].map(changingKind).find((what) => what !== undefined);
  }
  return CHANGING.get(String(def.type));
}
