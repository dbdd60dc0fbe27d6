/**
 * Fields of built-in kinds that cannot be changed once they are there, as a table says that was recorded from a real server.
 *
 * NB: where the real server prints the difference, as Go prints it, this one says only that there is one.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid } from "../causes.ts";
import type { SealedField } from "../types/served.ts";
import { equal, objectAt } from "../values.ts";

/** Returns the refusals of changes of these fields. */
export function sealedCauses(fields: readonly SealedField[], object: JsonObject, old: JsonObject): Cause[] {
  return fields.flatMap(({ field, detail, forbidden: isForbidden, paths = [field] }) => {
    if (paths.every((path) => equal(valueAt(object, path), valueAt(old, path)))) return [];
    return [
      isForbidden ? forbidden(field, detail) : invalid(field, { value: valueAt(object, field), detail }),
    ];
  });
}

/** Returns the refusal of a change of one field, if there is one. */
export function sameField(field: string, value: unknown, before: unknown): Cause[] {
  return equal(value, before) ? [] : [invalid(field, { value, detail: "field is immutable" })];
}

function valueAt(object: JsonObject, path: string): unknown {
  const steps = path.split(".");
  const holder = steps.slice(0, -1).reduce<JsonObject | undefined>((at, step) => objectAt(at, step), object);
  return holder?.[steps.at(-1) ?? ""];
}
