/**
 * The error of a write that the server has refused: it says the fields, and what was sent for them.
 *
 * A success that is refused is a failed attempt, and its line in the log is the one that tells of the refusal. Where no attempt is
 * to blame (it had failed by itself, and left its changes), the refusal has a line of its own.
 */

import type { ApiError } from "../client/errors.ts";
import { isObject } from "../model/json.ts";
import type { JsonObject } from "../model/object.ts";
import type { Logger } from "../runtime/logging.ts";

/** The server has refused what handlers have written. */
export class RefusedWrite extends Error {
  /** Whether the log tells of it: as the failure of an attempt. */
  isTold = false;
  /** The values that were sent for the fields, by their names; undefined: they are confidential, or the server names no field. */
  readonly sent: Readonly<Record<string, unknown>> | undefined;

  constructor(refusal: ApiError, sent?: JsonObject) {
    const fields = fieldsOf(refusal);
    const unnamed = fields.filter((field) => !refusal.message.includes(field));
    const named = unnamed.length === 0 ? "" : ` (fields: ${unnamed.join(", ")})`;
    super(`The server refuses what was written${named}: ${refusal.message}`, { cause: refusal });
    this.sent = sent && valuesOf(sent, fields);
  }
}

/** A function of the patch threw: that is the user's fault, and would happen again. The cause is the function's error. */
export class FunctionFailure extends Error {
  override readonly name: string = "FunctionFailure";
  /** Whether the log tells of it: as the failure of an attempt. */
  isTold = false;
}

/** The log tells of the failed write, as the failure of an attempt. */
export function markAsTold(error: Error): void {
  if (error instanceof RefusedWrite || error instanceof FunctionFailure) error.isTold = true;
}

/** Tells of a write that has failed for good, if no failure of an attempt has told of it. */
export function tellOfDropped(error: Error, logger: Logger): void {
  if (error instanceof FunctionFailure && !error.isTold) {
    logger.error("Cannot apply the functions of the patch: all of them are dropped", { error: error.cause });
  }
  if (error instanceof RefusedWrite && !error.isTold) {
    const message = "The server refuses the patch as invalid: it is dropped (mend the handler or the schema)";
    logger.error(message, { error: error.cause, stack: false, sent: error.sent });
  }
}

/** Returns the fields that a refusal is about; the version of the object is not one of them. */
export function fieldsOf({ details }: ApiError): string[] {
  const fields = (details?.causes ?? []).flatMap(({ field }) => field === undefined ? [] : [field]);
  return [...new Set(fields)].filter((field) => field !== "metadata.resourceVersion");
}

/** Returns the values at fields as servers spell them: "spec.ports[0].port", "metadata.labels[a]"; of one that is not there, of what holds it. */
function valuesOf(content: JsonObject, fields: readonly string[]): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = Object.create(null);
  for (const field of fields) {
    let value: unknown = content;
    for (const key of field.split(/[.[\]]+/)) {
      const next = stepInto(value, key);
      if (next === undefined) break;
      value = next;
    }
    if (value !== content) values[field] = value;
  }
  return Object.keys(values).length === 0 ? undefined : values;
}

function stepInto(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
