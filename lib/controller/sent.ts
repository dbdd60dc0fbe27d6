/**
 * Whether the server has made something else of a write than what was sent: by defaults, by webhooks, or because somebody else
 * had written before.
 */

import { isEqualJson, isObject } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";

/** The server's own notes, which change with each write: keys of the metadata. */
const NOISE: ReadonlySet<string> = new Set([
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
  /** The object, or the patch, that was sent; undefined if it says nothing of what is to be. */
  readonly sent: unknown;
  readonly answer: KubeObject;
}

/** Tells whether the answer differs from the earlier state in anything else than what was sent, or from what was sent. */
export function differsFromSent({ before, sent, answer }: SentOptions): boolean {
  if (!isObject(sent)) return false;
  const { metadata: old, ...rest } = before ?? { metadata: {} };
  const { metadata, ...others } = answer;
  const { metadata: wanted = {}, apiVersion: _, kind: __, ...content } = sent;
  const { apiVersion: ___, kind: ____, ...known } = rest as JsonObject;
  return differs({ before: quiet(old), sent: wanted, after: quiet(metadata) }) ||
    differs({ before: known, sent: content, after: { ...others, apiVersion: undefined, kind: undefined } });
}

interface Place {
  readonly before: unknown;
  readonly sent: unknown;
  readonly after: unknown;
}

/** Tells whether something that was sent is not there, or something that was not sent is not as it was. */
function differs({ before, sent, after }: Place): boolean {
  if (sent === undefined) return !isEqualJson(before, after);
  if (!isObject(sent) || !isObject(after)) return !isEqualJson(sent, after);
  const old = isObject(before) ? before : {};
  const keys = new Set([...Object.keys(old), ...Object.keys(sent), ...Object.keys(after)]);
  return [...keys].some((key) =>
    differs({ before: own(old, key), sent: own(sent, key), after: own(after, key) })
  );
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function quiet(metadata: unknown): JsonObject {
  if (!isObject(metadata)) return {};
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !NOISE.has(key)));
}
