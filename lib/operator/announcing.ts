/**
 * Kubernetes events that handlers post by themselves: who gets them, and whether they are wanted at all.
 *
 * Source: Kopf, docs/events; A §8.7; deviation D12 (`posting.enabled` counts for warnings, too).
 */

import type { Poster } from "../engines/posting/poster.ts";
import { objectReference, type Referable } from "../model/references.ts";
import { isLevelWanted, type LogLevel } from "../runtime/logging.ts";
import type { Backoffs, PostingSettings } from "../settings/settings.ts";

/** What an event can be about: an object, several, or none. */
export type Postable = Referable | null | undefined | Iterable<Postable>;

/** What an event says. */
export interface PostOptions {
  /** Why: one CamelCase word, such as "Provisioned". At most 128 characters count. */
  readonly reason: string;
  /** For readers. The middle of what is longer than 1024 characters is cut out. Default: none. */
  readonly message?: string;
  /** Pauses before it is posted again, should that fail. Default: `posting.defaultBackoffs`. */
  readonly backoffs?: Backoffs;
}

/** What an event of any type says. */
export interface EventPostOptions extends PostOptions {
  /** "Normal" or "Warning"; others only with `posting.api` "v1". */
  readonly type: string;
}

/** What an event about an error says besides the error's own message. */
export interface ExceptionPostOptions extends Partial<PostOptions> {}

/** What is posted, and from which level on. */
export interface Announcement extends EventPostOptions {
  /** Undefined: always. */
  readonly level?: LogLevel;
}

/** Queues one event per object, if such events are wanted. */
export function announce(
  objects: Postable,
  { level, ...content }: Announcement,
  options: { readonly poster: Poster; readonly settings: PostingSettings },
): void {
  const { poster, settings } = options;
  if (!settings.enabled || (level !== undefined && !isLevelWanted(level, settings.level))) return;
  const { type, reason, message = "", backoffs } = content;
  for (const object of flatten(objects)) {
    poster.post(objectReference(object), { type, reason, message }, backoffs);
  }
}

/** Gives what an event says about an error: its name, and its message behind that of the caller. */
export function describeError(error: unknown, options: ExceptionPostOptions): PostOptions {
  const { reason, message = "" } = options;
  const name = error instanceof Error ? error.name : "Error";
  const text = error instanceof Error ? error.message : String(error ?? "");
  return {
    ...options,
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
