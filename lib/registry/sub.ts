/**
 * Sub-handlers: parts of a handler's work that succeed, fail and are retried each on its own.
 *
 * Source: Kopf, docs/handlers "Sub-handlers"; A §2.8; deviations G7, 232.
 */

import type { JsonObject } from "../model/object.ts";
import type { ChangeFilterArguments, ChangeHandlerArguments, Essence } from "./arguments.ts";
import { changeHandler, type ChangeHandlerCause, type RawOptions, takeOptions } from "./declare.ts";
import type { ChangeHandler } from "./handlers.ts";
import type { ChangeFilterOptions, FilterOptions, RetryOptions } from "./on.ts";
import type { FieldOf, FieldValue } from "./paths.ts";

/** Options of sub-handlers: as of handlers, but the kind and the cause are the parent's. */
export type SubOptions<Spec, Status, Field, Param> =
  & { readonly id?: string; readonly param?: Param }
  & RetryOptions
  & FilterOptions<ChangeFilterArguments<Spec, Status>, Field, FieldValue<Spec, Status, Field>>
  & ChangeFilterOptions<ChangeFilterArguments<Spec, Status>, FieldValue<Spec, Status, Field>>;

type SubField<Spec, Status> = FieldOf<Spec, Status> | readonly string[] | undefined;

type SubValue<Spec, Status, Field> = [Field] extends [undefined] ? Essence<Spec>
  : FieldValue<Spec, Status, Field>;

type SubFn<Spec, Status, Field, Param> = (
  args: ChangeHandlerArguments<Spec, Status, SubValue<Spec, Status, Field>, Param>,
) => unknown;

/**
 * Declares a part of the running handler's work. It runs when the handler returns, or when `run()` is called.
 *
 * The id is the parent's, a slash, and the one given here (or the function's name). The handler is called again until all
 * parts have finished, and must declare the same ones each time; parts that have finished are not repeated. A part that
 * fails for good has finished.
 */
export interface Sub<Spec = JsonObject, Status = JsonObject> {
  (id: string, fn: SubFn<Spec, Status, undefined, undefined>): void;
  <const Field extends SubField<Spec, Status> = undefined, Param = undefined>(
    id: string,
    options: SubOptions<Spec, Status, Field, Param>,
    fn: SubFn<Spec, Status, Field, Param>,
  ): void;
  (fn: SubFn<Spec, Status, undefined, undefined>): void;
  /**
   * Runs the parts declared so far, and resolves when all have finished.
   *
   * While one is unfinished it throws, to end this attempt of the handler: let it pass.
   */
  run(): Promise<void>;
}

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
  const handler = changeHandler({ cause, resource: parent.selector, options: named, fn, isSub: true });
  return {
    ...handler,
    id: `${parent.id}/${handler.id}`,
    reason: undefined,
    initial: false,
    deleted: false,
    requiresFinalizer: false,
    needsChange: parent.needsChange === true && handler.field !== undefined,
  };
}
