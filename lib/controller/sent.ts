/**
 * Whether the state after a write differs from the content that was sent: by defaults, by webhooks, or because another client
 * had written before.
 */

import { isEqualJson, isObject } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";

/** Keys of the metadata that belong to the server: its notes, which change with each write, and fields that never change. */
const NOISE: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "resourceVersion",
  "managedFields",
  "generation",
  "creationTimestamp",
  "uid",
  "selfLink",
]);

export interface SentOptions {
  /** The object as it was known before; undefined: it was not. */
  readonly before: KubeObject | undefined;
  /** The object, or the patch, that was sent; undefined if the request does not say which state it wants. */
  readonly sent: unknown;
  readonly answer: KubeObject;
}

/**
 * Tells whether the answer differs from the content that was sent, or differs from the earlier state in a field that was not
 * sent.
 */
export function differsFromSent({ before, sent, answer }: SentOptions): boolean {
  if (!isObject(sent)) return false;
  return differsIn({ before: before?.metadata, sent: sent.metadata ?? {}, after: answer.metadata }, NOISE) ||
    differsIn({ before, sent, after: answer }, HEAD);
}

/** Keys of the object: its type, and the metadata, which is compared by itself. */
const HEAD: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const NONE: ReadonlySet<string> = new Set();

interface Place {
  readonly before: unknown;
  readonly sent: unknown;
  readonly after: unknown;
}

/** Tells whether a field that was sent is missing or different, or a field that was not sent has changed. */
function differsIn({ before, sent, after }: Place, skipped: ReadonlySet<string>): boolean {
  if (!isObject(sent) || !isObject(after)) return !isEqualJson(sent, after);
  const level = { old: isObject(before) ? before : {}, sent, after };
  // No list of all keys is made: it would cost as much as the comparison, which is made for each write.
  for (const key in after) {
    if (skipped.has(key) || !Object.hasOwn(after, key)) continue;
    if (differsAt(level, key)) return true;
  }
  for (const key in sent) {
    if (skipped.has(key) || !Object.hasOwn(sent, key) || Object.hasOwn(after, key)) continue;
    if (differsAt(level, key)) return true;
  }
  for (const key in level.old) {
    if (skipped.has(key) || !Object.hasOwn(level.old, key) || Object.hasOwn(after, key)) continue;
    if (differsAt(level, key)) return true;
  }
  return false;
}

/** A {@link Place} where there are objects. */
interface Level {
  readonly old: JsonObject;
  readonly sent: JsonObject;
  readonly after: JsonObject;
}

function differsAt({ old, sent, after }: Level, key: string): boolean {
  const [wanted, now] = [own(sent, key), own(after, key)];
  if (wanted === undefined) return !isEqualJson(own(old, key), now);
  return wanted !== now && differsIn({ before: own(old, key), sent: wanted, after: now }, NONE);
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
