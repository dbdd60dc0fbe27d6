/**
 * The words with which handlers are declared: `op.on.<cause>(resource, options?, fn)`.
 *
 * *On this cause, of this resource, with these options, call this function.* Source: Kopf, docs/handlers.
 */

import type { Seconds } from "../runtime/host.ts";
import type { ErrorsMode } from "../execution/errors.ts";
import type { JsonObject } from "../model/object.ts";
import type {
  ChangeFilterArguments,
  ChangeHandlerArguments,
  Essence,
  EventFilterArguments,
  EventHandlerArguments,
} from "./arguments.ts";
import { changeHandler, type ChangeHandlerCause, objectHandler, takeOptions } from "./declare.ts";
import type { MetaFilter, ValueFilter } from "./filters.ts";
import type { FieldOf, FieldValue } from "./paths.ts";
import type { Registry } from "./registry.ts";
import type { ResourceLike } from "./resource.ts";

/** Options of all handlers. */
export interface HandlerOptions<Param = unknown> {
  /** Under which progress and results are kept on objects. Default: the function's name, else the cause's. */
  readonly id?: string;
  /** Handed to the function as it is. */
  readonly param?: Param;
}

/** Limits of handlers that are retried. */
export interface RetryOptions {
  /** What errors mean that are neither temporary nor permanent. Default: "temporary". */
  readonly errors?: ErrorsMode;
  /** For all attempts together, counted from the first; a running attempt is aborted. Default: none. */
  readonly timeout?: Seconds;
  /** How often the function is called at most; 3 means three calls in all. Default: no limit. */
  readonly retries?: number;
  /** Wait after an error that is neither temporary nor permanent. Default: `execution.defaultBackoff` (60). */
  readonly backoff?: Seconds;
}

/** Filters by what an object is. All must match. */
export interface FilterOptions<Args, Field, Value> {
  /** Per label: its value, PRESENT, ABSENT or a predicate. */
  readonly labels?: Readonly<Record<string, MetaFilter<Args>>>;
  /** Per annotation: its value, PRESENT, ABSENT or a predicate. */
  readonly annotations?: Readonly<Record<string, MetaFilter<Args>>>;
  /** A dotted path, or a list of keys where keys have dots in them. */
  readonly field?: Field;
  /** The field's value; of change handlers: on either side. */
  readonly value?: ValueFilter<Value, Args>;
  /** Asked last. */
  readonly when?: (args: Args) => boolean;
}

/** Filters by what has changed. */
export interface ChangeFilterOptions<Args, Value> {
  /** The field's value before. Not together with `value`. */
  readonly old?: ValueFilter<Value, Args>;
  /** The field's value now. Not together with `value`. */
  readonly new?: ValueFilter<Value, Args>;
}

type Path<Spec, Status> = FieldOf<Spec, Status> | readonly string[];

/** What handlers with this field see as `old` and `new`. */
type Seen<Spec, Status, Field> = [Field] extends [undefined] ? Essence<Spec>
  : FieldValue<Spec, Status, Field>;

type ChangeFilters<Spec, Status, Field> = FilterOptions<
  ChangeFilterArguments<Spec, Status>,
  Field,
  FieldValue<Spec, Status, Field>
>;

/** Options of `on.create`. */
export type CreateOptions<Spec, Status, Field, Param> =
  & HandlerOptions<Param>
  & RetryOptions
  & ChangeFilters<Spec, Status, Field>;

/** Options of `on.update` and `on.field`. */
export type UpdateOptions<Spec, Status, Field, Param> =
  & CreateOptions<Spec, Status, Field, Param>
  & ChangeFilterOptions<ChangeFilterArguments<Spec, Status>, FieldValue<Spec, Status, Field>>;

/** Options of `on.delete`. */
export type DeleteOptions<Spec, Status, Field, Param> = CreateOptions<Spec, Status, Field, Param> & {
  /** Do not hold objects back with a finalizer on account of this handler. Default: false. */
  readonly optional?: boolean;
};

/** Options of `on.resume`. */
export type ResumeOptions<Spec, Status, Field, Param> = CreateOptions<Spec, Status, Field, Param> & {
  /** Also for objects that are being deleted. Default: false. */
  readonly deleted?: boolean;
};

/** Options of `on.event`. */
export type EventOptions<Spec, Status, Field, Param> =
  & HandlerOptions<Param>
  & FilterOptions<EventFilterArguments<Spec, Status>, Field, FieldValue<Spec, Status, Field>>;

type ChangeFn<Spec, Status, Field, Param> = (
  args: ChangeHandlerArguments<Spec, Status, Seen<Spec, Status, Field>, Param>,
) => unknown;

type EventFn<Spec, Status, Param> = (args: EventHandlerArguments<Spec, Status, Param>) => unknown;

/**
 * Registers handlers, one method per cause. Options may be left out.
 *
 * All methods throw a TypeError where options contradict each other, and where another function has the same id already.
 */
export class On {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Calls the function once for each new object, until it succeeds or fails for good. */
  create<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Spec, Status, undefined, undefined>,
  ): void;
  create<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends Path<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: CreateOptions<Spec, Status, Field, Param>,
    fn: ChangeFn<Spec, Status, Field, Param>,
  ): void;
  create(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#add("create", resource, rest);
  }

  /** Calls the function when an object has changed since it was handled last: its essence, or the field. */
  update<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Spec, Status, undefined, undefined>,
  ): void;
  update<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends Path<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: UpdateOptions<Spec, Status, Field, Param>,
    fn: ChangeFn<Spec, Status, Field, Param>,
  ): void;
  update(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#add("update", resource, rest);
  }

  /** Calls the function when an object is to be deleted, and holds the object back until it has succeeded. */
  delete<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Spec, Status, undefined, undefined>,
  ): void;
  delete<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends Path<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: DeleteOptions<Spec, Status, Field, Param>,
    fn: ChangeFn<Spec, Status, Field, Param>,
  ): void;
  delete(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#add("delete", resource, rest);
  }

  /** Calls the function once per process for each object that was there before it, and had been handled. */
  resume<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: ChangeFn<Spec, Status, undefined, undefined>,
  ): void;
  resume<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends Path<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: ResumeOptions<Spec, Status, Field, Param>,
    fn: ChangeFn<Spec, Status, Field, Param>,
  ): void;
  resume(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#add("resume", resource, rest);
  }

  /** Calls the function when the field changes, appears or disappears, for whatever cause; also on creation. */
  field<Spec = JsonObject, Status = JsonObject, const Field extends Path<Spec, Status> = Path<Spec, Status>>(
    resource: ResourceLike<Spec, Status>,
    field: Field,
    fn: ChangeFn<Spec, Status, Field, undefined>,
  ): void;
  field<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends Path<Spec, Status> = Path<Spec, Status>,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    field: Field,
    options: Omit<UpdateOptions<Spec, Status, Field, Param>, "field">,
    fn: ChangeFn<Spec, Status, Field, Param>,
  ): void;
  field<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends Path<Spec, Status> = Path<Spec, Status>,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: UpdateOptions<Spec, Status, Field, Param> & { readonly field: Field },
    fn: ChangeFn<Spec, Status, Field, Param>,
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
    fn: EventFn<Spec, Status, undefined>,
  ): void;
  event<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends Path<Spec, Status> | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: EventOptions<Spec, Status, Field, Param>,
    fn: EventFn<Spec, Status, Param>,
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
