/**
 * Sub-handlers: parts of a handler's work that succeed, fail and are retried each on its own.
 *
 * Source: Kopf, docs/handlers "Sub-handlers".
 */

import { changeHandler, type RawOptions, takeOptions } from "./declare.ts";
import type { ChangeHandler } from "./handlers.ts";
import type { ChangeHandlerCause } from "./options.ts";

export interface SubDeclaration {
  readonly parent: ChangeHandler;
  /** What was passed to `sub`. */
  readonly args: readonly unknown[];
}

/**
 * Makes a handler of what was passed to `sub`.
 *
 * @throws {TypeError} As for `op.on`; and if `old` or `new` are given where the parent is not about a change.
 */
export function subHandler({ parent, args }: SubDeclaration): ChangeHandler {
  const [first, ...others] = args;
  const { options, fn } = takeOptions(typeof first === "string" ? others : args);
  const named: RawOptions = typeof first === "string" ? { ...options, id: first } : options;
  const cause: ChangeHandlerCause = parent.needsChange === true ? "field" : "create";
  const resource = { options: {}, selector: parent.selector };
  const handler = changeHandler({ cause, resource, options: named, fn, isSub: true });
  return {
    ...handler,
    id: `${parent.id}/${handler.id}`,
    reason: undefined,
    initial: false,
    isMixedIn: parent.isMixedIn,
    deleted: false,
    // NB: ids of sub-handlers may hold anything, also names of objects: they are no label of a metric.
    family: parent.family ?? `${parent.id}/*`,
    requiresFinalizer: false,
    needsChange: parent.needsChange === true && handler.field !== undefined,
  };
}
