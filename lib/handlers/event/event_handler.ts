/**
 * How handlers of raw events are declared: `op.on.event`, and their arguments.
 *
 * Source: Kopf, docs/handlers "Event-watching handlers".
 */

import type { JsonObject, WatchEvent } from "../../model/object.ts";
import type { Conditions } from "../../registry/object_conditions.ts";
import type { DeepReadonly, FieldValue } from "../../registry/field_paths.ts";
import type { ObjectOf } from "../../registry/stanzas.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { type Declaration, declaring, objectHandler } from "../declare.ts";
import type { FilterOptions } from "../filters.ts";
import type { HandlerType } from "../handler_type.ts";
import type { HandlerOptions, ObjectHandler } from "../handlers.ts";
import { COMMON } from "../option_checks.ts";
import type { Registry } from "../registry.ts";

/** Options of `on.event`. */
export type EventOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & FilterOptions<EventFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>;

/** Arguments of filters of raw event handlers. */
export interface EventFilterArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo> {
  /** Null for objects of a listing. */
  readonly type: WatchEvent["type"];
  /** The event as it came. */
  readonly event: DeepReadonly<WatchEvent<ObjectOf<Spec, Status>>>;
}

/** Arguments of raw event handlers. */
export interface EventHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends EventFilterArguments<Spec, Status, Memo>, AttemptArguments<Param> {
  /** The conditions in the object's status. */
  readonly conditions: Conditions;
}

/** Called for every raw event. */
export interface EventHandler extends ObjectHandler {
  readonly type: "event";
}

/** Handlers of raw events. */
export const EVENT: HandlerType<EventHandler> = { name: "event", about: "objects" };

/** Returns `op.on.event`. */
export function declareEvents(registry: Registry): Record<"event", (...args: readonly unknown[]) => void> {
  return { event: declaring((declaration) => registry.add(EVENT, eventHandler(declaration))) };
}

/** Makes a handler of raw events. @throws {TypeError | RangeError} If an option is wrong. */
export function eventHandler(declaration: Declaration): EventHandler {
  return { ...objectHandler(declaration, { cause: "event", known: COMMON }), type: "event" };
}
