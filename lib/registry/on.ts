/**
 * The words with which handlers are declared: `op.on.<cause>(resource, options?, fn)`.
 *
 * *On this cause, of this resource, with these options, call this function.* Source: Kopf, docs/handlers.
 */

import type { JsonObject } from "../model/object.ts";
import { OnAdmission } from "./admission.ts";
import type {
  ChangeFilterArguments,
  ChangeHandlerArguments,
  Essence,
  EventFilterArguments,
  EventHandlerArguments,
  PlainMemo,
} from "./arguments.ts";
import { changeHandler, type ChangeHandlerCause, objectHandler, takeOptions } from "./declare.ts";
import type { ChangeFilterOptions, FilterOptions, HandlerOptions, RetryOptions } from "./options.ts";
import type { FieldOf, FieldValue } from "./field_paths.ts";
import type { Registry } from "./registry.ts";
import type { ResourceLike } from "./resource.ts";

/** A field of this kind: a dotted path, or a list of keys. */
export type FieldPathOf<Spec, Status> = FieldOf<Spec, Status> | readonly string[];

/** What handlers with this field see as `old` and `new`. */
export type Seen<Spec, Status, Field> = [Field] extends [undefined] ? Essence<Spec>
  : FieldValue<Spec, Status, Field>;

/** Filters of change handlers. */
export type ChangeFilters<Spec, Status, Field, Memo extends object = PlainMemo> = FilterOptions<
  ChangeFilterArguments<Spec, Status, Memo>,
  Field,
  FieldValue<Spec, Status, Field>
>;

/** Options of `on.create`. */
export type CreateOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & HandlerOptions<Param>
  & RetryOptions
  & ChangeFilters<Spec, Status, Field, Memo>;

/** Options of `on.update` and `on.field`. */
export type UpdateOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & CreateOptions<Spec, Status, Field, Param, Memo>
  & ChangeFilterOptions<ChangeFilterArguments<Spec, Status, Memo>, FieldValue<Spec, Status, Field>>;

/** Options of `on.delete`. */
export type DeleteOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & CreateOptions<Spec, Status, Field, Param, Memo>
  & {
    /** Do not hold objects back with a finalizer on account of this handler. Default: false. */
    readonly optional?: boolean;
  };

/** Options of `on.resume`. */
export type ResumeOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & CreateOptions<Spec, Status, Field, Param, Memo>
  & {
    /** Also for objects that are being deleted. Default: false. */
    readonly deleted?: boolean;
  };

/** Options of `on.event`. */
export type EventOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & HandlerOptions<Param>
  & FilterOptions<EventFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>;

/** A change handler. */
export type ChangeFn<Spec, Status, Field, Param, Memo extends object = PlainMemo> = (
  args: ChangeHandlerArguments<Spec, Status, Seen<Spec, Status, Field>, Param, Memo>,
) => unknown;

/** A raw event handler. */
export type EventFn<Spec, Status, Param, Memo extends object = PlainMemo> = (
  args: EventHandlerArguments<Spec, Status, Param, Memo>,
) => unknown;

/**
 * Registers handlers, one method per cause. Options may be left out.
 *
 * All methods throw a TypeError where options contradict each other, and where another function has the same id already.
 */
export class On<Memo extends object = PlainMemo> extends OnAdmission<Memo> {
  readonly #registry: Registry;

  /** Handlers go into this registry. */
  constructor(registry: Registry) {
    super(registry);
    this.#registry = registry;
  }

  /** Calls the function once for each new object, until it succeeds or fails for good. */
  create<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Spec, Status, undefined, undefined, Memo>,
  ): void;
  /** The same with options. */
  create<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: CreateOptions<Spec, Status, Field, Param, Memo>,
    fn: ChangeFn<Spec, Status, Field, Param, Memo>,
  ): void;
  create(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#add("create", resource, rest);
  }

  /** Calls the function when an object has changed since it was handled last: its essence, or the field. */
  update<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Spec, Status, undefined, undefined, Memo>,
  ): void;
  /** The same with options. */
  update<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: UpdateOptions<Spec, Status, Field, Param, Memo>,
    fn: ChangeFn<Spec, Status, Field, Param, Memo>,
  ): void;
  update(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#add("update", resource, rest);
  }

  /** Calls the function when an object is to be deleted, and holds the object back until it has succeeded. */
  delete<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Spec, Status, undefined, undefined, Memo>,
  ): void;
  /** The same with options. */
  delete<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: DeleteOptions<Spec, Status, Field, Param, Memo>,
    fn: ChangeFn<Spec, Status, Field, Param, Memo>,
  ): void;
  delete(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#add("delete", resource, rest);
  }

  /** Calls the function once per process for each object that was there before it, and had been handled. */
  resume<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Spec, Status, undefined, undefined, Memo>,
  ): void;
  /** The same with options. */
  resume<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: ResumeOptions<Spec, Status, Field, Param, Memo>,
    fn: ChangeFn<Spec, Status, Field, Param, Memo>,
  ): void;
  resume(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#add("resume", resource, rest);
  }

  /** Calls the function when the field changes, appears or disappears, for whatever cause; also on creation. */
  field<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
  >(
    resource: ResourceLike<Spec, Status>,
    field: Field,
    fn: ChangeFn<Spec, Status, Field, undefined, Memo>,
  ): void;
  /** The same with options. */
  field<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    field: Field,
    options: Omit<UpdateOptions<Spec, Status, Field, Param, Memo>, "field">,
    fn: ChangeFn<Spec, Status, Field, Param, Memo>,
  ): void;
  /** The same with the field among the options. */
  field<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> = FieldPathOf<Spec, Status>,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: UpdateOptions<Spec, Status, Field, Param, Memo> & { readonly field: Field },
    fn: ChangeFn<Spec, Status, Field, Param, Memo>,
  ): void;
  field(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    const [first, ...others] = rest;
    const isPath = typeof first === "string" || Array.isArray(first);
    const { options, fn } = takeOptions(isPath ? others : rest);
    this.#add("field", resource, [isPath ? { ...options, field: first } : options, fn]);
  }

  /** Calls the function for each raw event, in order: no progress is kept, and errors are not retried. */
  event<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: EventFn<Spec, Status, undefined, Memo>,
  ): void;
  /** The same with options. */
  event<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldPathOf<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: EventOptions<Spec, Status, Field, Param, Memo>,
    fn: EventFn<Spec, Status, Param, Memo>,
  ): void;
  event(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    const { options, fn } = takeOptions(rest);
    this.#registry.addEvent(objectHandler({ resource, options, fn, cause: "event" }));
  }

  #add(cause: ChangeHandlerCause, resource: ResourceLike<never, never>, rest: readonly unknown[]): void {
    const { options, fn } = takeOptions(rest);
    this.#registry.addChange(changeHandler({ resource, options, fn, cause }));
  }
}
