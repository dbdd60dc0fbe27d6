/**
 * The changes of handlers whose files were loaded anew, for runs that go on with the new code.
 *
 * Functions that were loaded anew are never the same ones, so their texts are compared, and the texts of their options. Where
 * no text has changed at all, code that handlers call has changed, so all of them count as changed.
 */

import { formatSelector } from "../model/selector.ts";
import type { CacheHandler } from "./cache.ts";
import type { ChildHandler, SourceHandler } from "./child/related.ts";
import type {
  ActivityHandler,
  AdmissionHandler,
  BackgroundHandler,
  ChangeHandler,
  EventHandler,
} from "./handlers.ts";
import { IndexHandle, type IndexHandler } from "./index/index_handle.ts";
import type { ReconcileHandler } from "./reconcile/reconcile_handler.ts";
import type { TaskHandler } from "./task/task_handler.ts";

/** All that can be registered. */
type RegisteredHandler =
  | ActivityHandler
  | AdmissionHandler
  | BackgroundHandler
  | CacheHandler
  | ChangeHandler
  | ChildHandler
  | EventHandler
  | IndexHandler
  | ReconcileHandler
  | SourceHandler
  | TaskHandler;

/** How a run goes on with handlers that were declared anew. */
export interface Exchange {
  /** In the order of their declaration. */
  readonly handlers: readonly RegisteredHandler[];
  /** Whether its own code has changed, or perhaps the code that it calls. */
  readonly hasChanged: (handler: RegisteredHandler) => boolean;
}

/** Types whose handlers are taken into account when a run begins, and not again. */
const FIXED: readonly RegisteredHandler["type"][] = ["index", "admission", "task"];

/** Returns how to go on; undefined: a run with the new handlers has to begin from the start. */
export function exchangeOf(
  before: readonly RegisteredHandler[],
  now: readonly RegisteredHandler[],
): Exchange | undefined {
  const known = new Map(before.map((handler) => [titleOf(handler), handler]));
  const isSame = (handler: RegisteredHandler): boolean => isAlike(known.get(titleOf(handler)), handler);
  const areSame = before.length === now.length && now.every(isSame);
  const isFixed = ({ type }: RegisteredHandler): boolean => FIXED.includes(type);
  if (areSame && now.some(isFixed)) return undefined;
  const mustStay = (handler: RegisteredHandler): boolean => isFixed(handler) || isBeginning(handler);
  const stay = now.filter(mustStay);
  if (stay.length !== before.filter(mustStay).length || !stay.every(isSame)) return undefined;
  const handlers = now.map((handler) =>
    isFixed(handler) ? keep(known.get(titleOf(handler)), handler) : handler
  );
  return { handlers, hasChanged: (handler) => areSame || !isSame(handler) };
}

/** Startup and login handlers have run. */
function isBeginning(handler: RegisteredHandler): boolean {
  return handler.type === "activity" && (handler.activity === "startup" || handler.activity === "login");
}

/** The handler from before goes on, and a holder of the new index handle sees the old index. */
function keep(before: RegisteredHandler | undefined, now: RegisteredHandler): RegisteredHandler {
  if (before?.type === "index" && now.type === "index") IndexHandle.attach(now.handle, before.handle);
  return before ?? now;
}

/** Returns the name under which a handler is known again: one type, kind and id have one function. */
function titleOf(handler: RegisteredHandler): string {
  switch (handler.type) {
    case "activity":
      return `${handler.activity} ${handler.id}`;
    case "task":
      return `task ${handler.id}`;
    case "change":
      return `change ${handler.reason} ${handler.initial} ${formatSelector(handler.selector)} ${handler.id}`;
    case "admission":
      return `${handler.cause} ${formatSelector(handler.selector)} ${handler.id}`;
    default:
      return `${handler.type} ${formatSelector(handler.selector)} ${handler.id}`;
  }
}

/** Whether two values have the same text, functions included. A value without a text, such as a circle, is not like any other. */
export function isAlike(one: unknown, other: unknown): boolean {
  try {
    return textOf(one) === textOf(other);
  } catch {
    return false;
  }
}

function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof IndexHandle) return undefined;
    if (typeof each === "function" || typeof each === "symbol" || each instanceof RegExp) return String(each);
    if (each instanceof Map || each instanceof Set) return [...each];
    return each === Infinity || typeof each === "bigint" ? String(each) : each;
  });
}
