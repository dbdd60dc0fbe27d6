/**
 * How handlers of causes are declared: `op.on.create`, `update`, `delete`, `resume` and `field`, and their arguments.
 *
 * Source: Kopf, docs/handlers, docs/kwargs.
 */

import type { Diff } from "../../model/diff.ts";
import type { JsonObject } from "../../model/object.ts";
import type { Children } from "../../registry/children.ts";
import type { Conditions } from "../../registry/object_conditions.ts";
import type { DeepReadonly, FieldPathOf, FieldValue } from "../../registry/field_paths.ts";
import type { ResourceLike } from "../../registry/resource.ts";
import type { StanzasOf } from "../../registry/stanzas.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { type Declaration, declaring, objectHandler, takeDeclaration, takeOptions } from "../declare.ts";
import type { ChangeFilterOptions, FilterOptions } from "../filters.ts";
import type { HandlerType } from "../handler_type.ts";
import type { HandlerOptions, ObjectHandler, RetryOptions } from "../handlers.ts";
import { acceptAny, checkBoolean, COMMON, type OptionChecks, RETRY, show } from "../option_checks.ts";
import type { Registry } from "../registry.ts";
import type { Reason } from "./change_cause.ts";

/** The causes of change handlers; "field" is any cause in which the field changes. */
export type ChangeHandlerCause = "create" | "update" | "delete" | "resume" | "field";

/** Options that only handlers of one cause have. */
export interface OptionsOfCause<Spec, Status, Field, Memo extends object = PlainMemo> {
  /** None. */
  create: unknown;
  /** Filters by the field's values before and now. */
  update: ChangeFilterOptions<ChangeFilterArguments<Spec, Status, Memo>, FieldValue<Spec, Status, Field>>;
  /** As of updates. */
  field: ChangeFilterOptions<ChangeFilterArguments<Spec, Status, Memo>, FieldValue<Spec, Status, Field>>;
  /**
   * `optional`: do not hold objects back with a finalizer on account of this handler. Default: false. `onFailure`: whether the
   * object goes when the handler has failed for good ("release", the default), or stays until a user changes it, and the
   * handler is called again ("keep").
   */
  delete: { readonly optional?: boolean; readonly onFailure?: "release" | "keep" };
  /** `deleted`: also for objects that are being deleted. Default: false. */
  resume: { readonly deleted?: boolean };
}

/** Options of `on.create`, `on.update`, `on.delete`, `on.resume` and `on.field`. */
export type ChangeOptions<
  Cause extends ChangeHandlerCause,
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & RetryOptions
  & FilterOptions<ChangeFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & OptionsOfCause<Spec, Status, Field, Memo>[Cause];

/** The part of an object that change detection looks at. Source: Kopf, docs/continuity. */
export type Essence<Spec> = DeepReadonly<StanzasOf<Spec>> & {
  readonly spec?: DeepReadonly<Spec>;
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [stanza: string]: unknown;
};

/** Arguments of filters of change handlers: all arguments about the object, and none about attempts. */
export interface ChangeFilterArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo> {
  /** The cause: the sort of change that has happened to the object. */
  readonly reason: Reason;
  /** The essence that was handled last; undefined if there is none. */
  readonly old: Essence<Spec> | undefined;
  /** The essence as it is now. */
  readonly new: Essence<Spec>;
  /** From old to new. */
  readonly diff: Diff;
}

/** Arguments of change handlers. For handlers with a field, `old` and `new` are the field's values. */
export interface ChangeHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Old = Essence<Spec> | undefined,
  New = Essence<Spec>,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo>, AttemptArguments<Param> {
  /** Why the handler is called. */
  readonly reason: Exclude<Reason, "noop" | "free">;
  /** Before: undefined on creation, and on an update the essence (or the field) that was handled last. */
  readonly old: Old;
  /** Now. */
  readonly new: New;
  /** From old to new; for handlers with a field, relative to it. */
  readonly diff: Diff;
  /** Declares parts of the handler's work that are retried on their own. */
  readonly sub: Sub<Spec, Status, Memo>;
  /** The conditions in the object's status. */
  readonly conditions: Conditions;
  /** Brings the children of the object about, all at once. */
  readonly children: Children;
}

/**
 * The state that was handled before, by cause. A deletion may be the first event of an object; resuming may be mixed into it.
 */
export interface Before<Spec> {
  /** Undefined: there was no state before. */
  create: undefined;
  /** The essence that was handled last. */
  update: Essence<Spec>;
  /** The same, unless the object was never handled. */
  delete: Essence<Spec> | undefined;
  /** The same. */
  resume: Essence<Spec> | undefined;
  /** The same. */
  field: Essence<Spec> | undefined;
}

/** The type of `old` and `new`: of the whole object, or of the handler's field if it has one. */
export type SeenBy<Field, Spec, Status, Whole> = [Field] extends [undefined] ? Whole
  : FieldValue<Spec, Status, Field> | undefined;

/** The arguments of handlers of one cause, as the cause and the handler's field make them. */
export type ChangeArguments<
  Cause extends ChangeHandlerCause,
  Spec,
  Status,
  Field,
  Param,
  Memo extends object = PlainMemo,
> = ChangeHandlerArguments<
  Spec,
  Status,
  SeenBy<Field, Spec, Status, Before<Spec>[Cause]>,
  SeenBy<Field, Spec, Status, Essence<Spec>>,
  Param,
  Memo
>;

/** Options of sub-handlers: as of handlers, but the kind and the cause are the parent's. */
export type SubOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & HandlerOptions<Param>
  & RetryOptions
  & FilterOptions<ChangeFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & ChangeFilterOptions<ChangeFilterArguments<Spec, Status, Memo>, FieldValue<Spec, Status, Field>>
  & SubRunOptions;

/** How parts of a handler's work depend on each other. */
export interface SubRunOptions {
  /**
   * "stop": a step of a sequence. The parts that are declared after it are not called before it has succeeded, and not at all if it
   * has failed for good. Default: each part is called, whatever becomes of the others.
   */
  readonly onFailure?: "stop";
}

/** How a part of a handler's work has ended. */
export type SubOutcome =
  & {
    /** As it was declared: without the parent's id. */
    readonly id: string;
  }
  & (
    | { readonly kind: "success" }
    /** It has failed for good. */
    | { readonly kind: "failure"; readonly error: Error }
    /** It was not called: its filters do not hold, or an earlier step has failed. */
    | { readonly kind: "skipped" }
  );

/** A sub-handler. */
export type SubFn<Spec, Status, Field, Param, Memo extends object = PlainMemo> = (
  args: ChangeHandlerArguments<
    Spec,
    Status,
    SeenBy<Field, Spec, Status, Essence<Spec> | undefined>,
    SeenBy<Field, Spec, Status, Essence<Spec>>,
    Param,
    Memo
  >,
) => unknown;

/**
 * Declares a part of the running handler's work. It runs when the handler returns, or when `run()` is called.
 *
 * The id is the parent's, a slash, and the one given here (or the function's name). The handler is called again until all
 * parts have finished, and must declare the same ones each time; parts that have finished are not repeated. A part that
 * fails for good has finished: `run()` returns how each part has ended. Its result of an earlier cause is removed from the status.
 */
export interface Sub<Spec = JsonObject, Status = JsonObject, Memo extends object = PlainMemo> {
  (id: string, fn: SubFn<Spec, Status, undefined, undefined, Memo>): void;
  <const Field extends FieldPathOf<Spec, Status> | undefined = undefined, Param = undefined>(
    id: string,
    options: SubOptions<Spec, Status, Field, Param, Memo>,
    fn: SubFn<Spec, Status, Field, Param, Memo>,
  ): void;
  (fn: SubFn<Spec, Status, undefined, undefined, Memo>): void;
  /**
   * Runs the parts declared since the last call, and resolves when all have finished: with the outcome of each, in the order of
   * their declarations. `{ onFailure: "stop" }`: one after the other, up to the first that fails for good.
   *
   * While one is unfinished, this attempt of the handler ends here, and the handler is called again: no line after the call runs,
   * nor does a `catch` or `finally` around it.
   */
  run(options?: SubRunOptions): Promise<readonly SubOutcome[]>;
}

/** Declares handlers of one field. It may stand before the options, or among them. */
export interface DeclareField<Memo extends object = PlainMemo> {
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
  >(
    resource: ResourceLike<Spec, Status>,
    field: Field,
    fn: (args: ChangeArguments<"field", Spec, Status, Field, undefined, Memo>) => unknown,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    field: Field,
    options: Omit<ChangeOptions<"field", Spec, Status, Field, Param, Memo>, "field">,
    fn: (args: ChangeArguments<"field", Spec, Status, Field, Param, Memo>) => unknown,
  ): void;
  <
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: ChangeOptions<"field", Spec, Status, Field, Param, Memo> & { readonly field: Field },
    fn: (args: ChangeArguments<"field", Spec, Status, Field, Param, Memo>) => unknown,
  ): void;
}

/** Called for causes: creation, update, deletion, resumption, or any of them where a field changes. */
export interface ChangeHandler extends ObjectHandler {
  readonly type: "change";
  /** Sub-handlers: the id of the handler that they are parts of. */
  readonly parent?: string;
  /** Undefined: any. */
  readonly reason: "create" | "update" | "delete" | undefined;
  /** Resume handlers: only for objects that were there before the operator. */
  readonly initial: boolean;
  /** Resume handlers and their sub-handlers: whether they take part in other causes, and go on when the cause changes. */
  readonly isMixedIn: boolean;
  /** Resume handlers: also for objects that are being deleted. */
  readonly deleted: boolean;
  /** Whether objects must not go before this handler has run. */
  readonly requiresFinalizer: boolean;
  /**
   * Deletion handlers: whether the object goes when the handler has failed for good. Default: "release". Sub-handlers: whether the
   * ones after it depend on its success ("stop").
   */
  readonly onFailure?: "release" | "keep" | "stop";
}

/** Handlers of causes. */
export const CHANGE: HandlerType<ChangeHandler> = {
  name: "change",
  about: "objects",
  ids: "turns",
  isStored: true,
  causeOf: ({ reason, initial }) => reason ?? (initial ? "resume" : "change"),
  keepsNotes: () => true,
};

const SHARED: OptionChecks = { ...COMMON, ...RETRY };
const OF_CHANGES: OptionChecks = { ...SHARED, old: acceptAny, new: acceptAny };
const KNOWN: Readonly<Record<ChangeHandlerCause, OptionChecks>> = {
  create: SHARED,
  update: OF_CHANGES,
  field: OF_CHANGES,
  delete: { ...SHARED, optional: checkBoolean, onFailure: checkOnFailure },
  resume: { ...SHARED, deleted: checkBoolean },
};

/** Returns `op.on.create`, `update`, `delete`, `resume` and `field`. */
export function declareChanges(
  registry: Registry,
): Record<ChangeHandlerCause, (...args: readonly unknown[]) => void> {
  const add = (cause: ChangeHandlerCause) => (declaration: Declaration): void =>
    registry.add(CHANGE, changeHandler(declaration, { cause }));
  return {
    create: declaring(add("create")),
    update: declaring(add("update")),
    delete: declaring(add("delete")),
    resume: declaring(add("resume")),
    field: declaring(add("field"), takeFieldDeclaration),
  };
}

/** Takes `resource, field, options?, fn` apart, too. */
function takeFieldDeclaration(args: readonly unknown[]): Declaration {
  const [resource, field, ...rest] = args;
  if (typeof field !== "string" && !Array.isArray(field)) return takeDeclaration(args);
  const { options, fn } = takeOptions(rest);
  return takeDeclaration([resource, { ...options, field }, fn]);
}

/** Options of {@linkcode changeHandler}. */
export interface ChangeDeclarationOptions {
  readonly cause: ChangeHandlerCause;
  /** Whether it is a sub-handler: it needs no field where its parent has none. Default: no. */
  readonly isSub?: boolean;
}

/** Makes a change handler. @throws {TypeError | RangeError} If an option is wrong, or if a field handler has no field. */
export function changeHandler(
  declaration: Declaration,
  { cause, isSub = false }: ChangeDeclarationOptions,
): ChangeHandler {
  const { options } = declaration;
  const known = isSub ? { ...KNOWN[cause], onFailure: checkStop } : KNOWN[cause];
  const handler = objectHandler(declaration, { cause, known, hasPlainId: isSub });
  if (cause === "field" && handler.field === undefined && !isSub) {
    throw new TypeError(`Cannot register field handler "${handler.id}": its field is missing`);
  }
  if (options.optional === true && options.onFailure === "keep") {
    throw new TypeError(
      `Cannot register "${handler.id}" with "optional" and "onFailure": an optional handler keeps nothing back`,
    );
  }
  return {
    ...handler,
    type: "change",
    reason: cause === "field" || cause === "resume" ? undefined : cause,
    initial: cause === "resume",
    isMixedIn: cause === "resume",
    deleted: options.deleted === true,
    requiresFinalizer: cause === "delete" && options.optional !== true,
    needsChange: cause === "update" || cause === "field",
  };
}

/** @throws {TypeError} If it is neither "stop" nor undefined. */
export function checkStop(_name: string, value: unknown): void {
  if (value === undefined || value === "stop") return;
  throw new TypeError(
    `Cannot take ${show(value)} for "onFailure" of sub-handlers: take "stop", or leave it out`,
  );
}

function checkOnFailure(_name: string, value: unknown): void {
  if (value === "release" || value === "keep") return;
  throw new TypeError(`Cannot take ${show(value)} for "onFailure": take "release" or "keep"`);
}
