/**
 * The facts that all handlers of one type share, as the registry and the tools that read it need them.
 *
 * Each manner of handlers has one constant of this type in its folder, and adds its handlers to the registry by it. So the
 * registry names no manner.
 */

import type { Handler } from "../execution/handler.ts";

/** One type of handlers. Its methods are asked about handlers of this type alone. */
export interface HandlerType<H extends Handler> {
  /** Such as "event". */
  readonly name: string;
  /**
   * "objects": handlers are called about objects that are watched. "related": objects are watched for the handlers of others.
   * "requests": handlers are called about requests to the API server. "operator": about the operator itself.
   */
  readonly about: "objects" | "related" | "requests" | "operator";
  /** Handlers of types with the same set must have different ids on one kind. Default: a set of its own. */
  readonly ids?: "turns";
  /** Whether progress is stored on objects under the ids, so that their stored forms must differ, too. Default: no. */
  readonly isStored?: true;
  /** Whether only the first of several declarations with one id on a kind counts. Default: all of them count. */
  readonly isFirstOnly?: true;
  /** Whether the fields of its filters stay outside the essence of objects. Default: they belong to it. */
  readonly isOutsideEssence?: true;
  /** Whether handlers are taken into account when a run begins, and not again. Default: they may be exchanged at any time. */
  readonly isFixed?: true;
  /** Returns the word for the handler's cause, such as "create". Default: the type's name. */
  causeOf?(handler: H): string;
  /** Whether a note or a finalizer is written onto objects for the handler. Default: no. */
  keepsNotes?(handler: H): boolean;
  /** Whether the handler has run by the time that a run serves: it cannot be exchanged. Default: no. */
  hasBegun?(handler: H): boolean;
  /** A handler from before goes on in the place of one that was declared anew. */
  keep?(before: H, now: H): void;
  /**
   * Whether the handler is among the others already, and is not to be added again. Only of handlers without a kind.
   *
   * @throws {TypeError} If another handler stands in its way.
   */
  isAmong?(others: readonly H[], handler: H): boolean;
}

/** A handler, with its type. */
export interface Registered {
  readonly type: HandlerType<never>;
  readonly handler: Handler;
}

/** Returns the word for the cause of a handler. */
export function causeOf({ type, handler }: Registered): string {
  // A handler is registered with its own type.
  return type.causeOf?.(handler as never) ?? type.name;
}
