/**
 * The changes of handlers whose files were loaded anew, for runs that go on with the new code.
 *
 * Functions that were loaded anew are never the same ones, so their texts are compared, and the texts of their options. Where
 * no text has changed at all, code that handlers call has changed, so all of them count as changed.
 */

import { formatSelector, type Selector } from "../model/selector.ts";
import { causeOf, type Registered } from "./handler_type.ts";
import type { Handler } from "../execution/handler.ts";
import { IndexHandle } from "./index/index_handle.ts";

/** How a run goes on with handlers that were declared anew. */
export interface Exchange {
  /** In the order of their declaration. */
  readonly handlers: readonly Registered[];
  /** Whether a handler's own code has changed, or perhaps the code that it calls. */
  readonly hasChanged: (handler: Handler) => boolean;
}

/** Returns how to go on; undefined: a run with the new handlers has to begin from the start. */
export function exchangeOf(
  before: readonly Registered[],
  now: readonly Registered[],
): Exchange | undefined {
  const known = new Map(before.map((each) => [titleOf(each), each.handler]));
  const isSame = (each: Registered): boolean => isAlike(known.get(titleOf(each)), each.handler);
  const areSame = before.length === now.length && now.every(isSame);
  if (areSame && now.some(isFixed)) return undefined;
  const stay = now.filter(mustStay);
  if (stay.length !== before.filter(mustStay).length || !stay.every(isSame)) return undefined;
  const changed = new Set(now.filter((each) => areSame || !isSame(each)).map(({ handler }) => handler));
  const handlers = now.map((each) => isFixed(each) ? keep(known.get(titleOf(each)), each) : each);
  return { handlers, hasChanged: (handler) => changed.has(handler) };
}

function isFixed({ type }: Registered): boolean {
  return type.isFixed === true;
}

function mustStay({ type, handler }: Registered): boolean {
  // A handler is registered with its own type.
  return type.isFixed === true || type.hasBegun?.(handler as never) === true;
}

/** The handler from before goes on. */
function keep(before: Handler | undefined, now: Registered): Registered {
  if (before === undefined) return now;
  // Both have the type.
  now.type.keep?.(before as never, now.handler as never);
  return { type: now.type, handler: before };
}

/** Returns the name under which a handler is known again: one cause, kind and id have one function. */
function titleOf(registered: Registered): string {
  const { handler } = registered;
  const kind = "selector" in handler ? formatSelector(handler.selector as Selector) : "";
  return `${causeOf(registered)} ${kind} ${handler.id}`;
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
