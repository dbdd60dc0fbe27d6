/**
 * Kubernetes events that handlers post by themselves: on which objects, and whether posting is enabled for their level.
 *
 * `posting.enabled` counts for warnings, too. Source: Kopf, docs/events.
 */

import type { Poster } from "../engines/posting/poster.ts";
import { currentPermit } from "../execution/invoke.ts";
import { objectReference, type Referable } from "../model/references.ts";
import { errorMessage } from "../runtime/error_text.ts";
import { calledFrom } from "../runtime/call_site.ts";
import { isLevelWanted, type LogLevel } from "../runtime/logging.ts";
import type { Backoffs, PostingSettings } from "../settings/settings.ts";

/** The subject of an event: an object, several, or none. */
export type Postable = Referable | null | undefined | Iterable<Postable>;

/** The content of an event. */
export interface PostOptions {
  /** Why: one CamelCase word, such as "Provisioned". At most 128 characters count. */
  readonly reason: string;
  /** For readers. The middle of a longer message than 1024 characters is cut out. Default: none. */
  readonly message?: string;
  /** Pauses before it is posted again, should that fail. Default: `posting.defaultBackoffs`. */
  readonly backoffs?: Backoffs;
}

/** The content of an event of any type. */
export interface TypedPostOptions extends PostOptions {
  /** "Normal" or "Warning"; others only with `posting.api` "v1". */
  readonly type: string;
}

/**
 * Posts Kubernetes events about objects, in the background; while the operator runs.
 *
 * All throw a ReferenceError where the operator does not run.
 *
 * @example
 * ```ts
 * import { operator } from "@lotse/lotse";
 *
 * const op = operator();
 * op.on.create("ferries.example.com", ({ body }) => op.events.normal(body, { reason: "Launched", message: "She floats" }));
 * ```
 */
export interface Events {
  /** Posts an event of type "Normal", if `posting.level` is "info" or lower. */
  readonly normal: (objects: Postable, options: PostOptions) => void;
  /** Posts an event of type "Warning", if `posting.level` is "warn" or lower. */
  readonly warning: (objects: Postable, options: PostOptions) => void;
  /** Posts an event about an error: the reason is its name (unless one is given), the message ends with its own. */
  readonly error: (objects: Postable, error: unknown, options?: Partial<PostOptions>) => void;
  /** Posts an event of any type, whatever `posting.level` is. */
  readonly post: (objects: Postable, options: TypedPostOptions) => void;
}

/** The poster, and whether it is wanted. */
export interface Posting {
  readonly poster: Poster;
  readonly settings: PostingSettings;
}

/** Returns the functions that post events. @param posting Is called for each; undefined while the operator does not run. */
export function createEvents(posting: () => Posting | undefined): Events {
  function post(objects: Postable, options: TypedPostOptions, level?: LogLevel): void {
    const now = posting();
    if (now === undefined) {
      throw new ReferenceError(
        "Cannot post events: the operator is not running (call it from handlers only)",
      );
    }
    const { poster, settings } = now;
    if (!settings.enabled || (level !== undefined && !isLevelWanted(level, settings.level))) return;
    const { type, reason, message = "", backoffs } = options;
    for (const object of flatten(objects)) {
      poster.post(objectReference(object), { type, reason, message }, { backoffs, permit: currentPermit() });
    }
  }
  return {
    normal: calledFrom((objects, options) => post(objects, { ...options, type: "Normal" }, "info")),
    warning: calledFrom((objects, options) => post(objects, { ...options, type: "Warning" }, "warn")),
    error: calledFrom((objects: Postable, error: unknown, options?: Partial<PostOptions>) =>
      post(objects, { ...describeError(error, options), type: "Error" }, "error")
    ),
    post: calledFrom((objects, options) => post(objects, options)),
  };
}

/** Returns reason and message of an event about an error: the error's name, and its message behind the caller's. */
function describeError(error: unknown, options: Partial<PostOptions> = {}): PostOptions {
  const { reason, message = "", backoffs } = options;
  const name = error instanceof Error ? error.name : "Error";
  const text = error instanceof Error ? errorMessage(error) : String(error ?? "");
  return {
    backoffs,
    reason: reason || name,
    message: [message, text].filter((part) => part !== "").join(" "),
  };
}

function* flatten(objects: Postable): Generator<Referable> {
  if (objects === null || objects === undefined) return;
  if (!isIterable(objects)) yield objects;
  else for (const each of objects) yield* flatten(each);
}

function isIterable(objects: Referable | Iterable<Postable>): objects is Iterable<Postable> {
  return typeof (objects as Partial<Iterable<Postable>>)[Symbol.iterator] === "function";
}
