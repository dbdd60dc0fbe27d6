/**
 * What handlers leave behind besides their patch: results, and filters that throw.
 */

import { isObject, toJson } from "../model/json.ts";
import type { Garbage } from "../settings/persistence/storage.ts";
import type { ObjectHandler } from "../registry/handlers.ts";
import type { Pass } from "./pass.ts";

/**
 * Puts a handler's result under its id into the status: objects are merged into what is there, anything else replaces it.
 *
 * Source: Kopf, docs/results; A §5.7. A result that JSON cannot express is logged and dropped: it must not undo the success.
 */
export function deliver(
  { patch, logger }: Pick<Pass, "patch" | "logger">,
  id: string,
  result: unknown,
): void {
  if (result === undefined || result === null) return;
  try {
    const value = toJson(result, `result of "${id}"`);
    patch.merge({ status: { [id]: isObject(value) ? { ...value } : value } });
  } catch (error) {
    logger.error("Cannot store the handler's result in the status: it is dropped", { handler: id, error });
  }
}

/** Says once per object and handler that its filter throws; the handler then counts as not matching. */
export function complainOnce({ memory, logger }: Pass, handler: ObjectHandler, error: unknown): void {
  if (memory.complaints.has(handler.id)) return;
  memory.complaints.add(handler.id);
  logger.error("Filter failed: the handler counts as not matching", { handler: handler.id, error });
}

/** Says once per object that a note of ours cannot be read, and what that means. */
export function reportGarbage({ memory, logger }: Pass): (garbage: Garbage) => void {
  return ({ where, reason }) => {
    if (memory.complaints.has(where)) return;
    memory.complaints.add(where);
    logger.warn("Cannot read a note on the object: it counts as absent", { note: where, reason });
  };
}

const LOSSES = {
  part:
    "The object is too large for its state to be noted whole: handlers of changes will not know what large fields were " +
    "before (leave such fields out by `ignoredFields`, or keep notes elsewhere)",
  all:
    "There is no room for notes in the object's annotations: they are kept in memory, and the next start takes the object " +
    "for a new one (make room, or keep notes elsewhere)",
} as const;

/** Says once per object that its state cannot be noted as it should be, what that means, and what to do. */
export function reportLoss({ memory, logger }: Pass): (what: keyof typeof LOSSES) => void {
  return (what) => {
    const message = LOSSES[what];
    if (memory.complaints.has(message)) return;
    memory.complaints.add(message);
    logger.warn(message);
  };
}
