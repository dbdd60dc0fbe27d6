/**
 * A handler as the execution layer knows it: its id, the function to call, and its limits.
 *
 * The registry knows what a handler was declared for (a cause, a kind, filters). To run it, that is not needed.
 */

import type { CallSite } from "../runtime/call_site.ts";
import type { Seconds } from "../runtime/host.ts";
import type { HandlerBackoff } from "./handler_backoff.ts";
import type { ErrorsMode } from "./errors.ts";

/** A function with an id and limits; `Args` is the one argument object that it takes. */
export interface Handler<Args = never> {
  /** Stable across deploys: records and results on objects are kept under it. */
  readonly id: string;
  readonly fn: (args: Args) => unknown;
  /** Where the author has declared it. Default: unknown. */
  readonly site?: CallSite;
  /** Under which handlers are counted whose ids are made up as they run. Default: the id. */
  readonly family?: string;
  /** Given to the function as `param`. */
  readonly param?: unknown;
  /** Default: the mode of the kind of handler ("temporary" for change handlers). */
  readonly errors?: ErrorsMode;
  /** For all attempts together, counted from the first. In seconds; default: none. */
  readonly timeout?: Seconds;
  /** How often the function is called at most. Default: no limit. */
  readonly retries?: number;
  /** For each attempt on its own. In seconds; default: none. */
  readonly attemptTimeout?: Seconds;
  /** Wait after an error that is neither temporary nor permanent. In seconds; default: `execution.defaultBackoff`. */
  readonly backoff?: HandlerBackoff;
}

/** How an attempt ended. */
export type Outcome =
  /** `isIgnored`: it has failed with an error that is ignored. */
  | { readonly kind: "success"; readonly result?: unknown; readonly isIgnored?: true }
  | { readonly kind: "failure"; readonly error: Error }
  | { readonly kind: "retry"; readonly delay: Seconds; readonly error: Error }
  /** The handler itself is fine, but waits: sub-handlers are unfinished, or children not ready, as the reason says. */
  | { readonly kind: "children"; readonly delay: Seconds; readonly reason?: string };
