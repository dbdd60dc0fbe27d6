/**
 * The form of progress records in notes: Kopf's (its docs/continuity; scenarios A139–A164), and ours, which is the same with
 * other timestamps and a digest.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatKopfTimestamp, formatTimestamp, parseTimestamp } from "../../model/timestamps.ts";
import type { FetchOptions, ProgressRecord } from "./storage.ts";

/** Whose form it is. */
export type RecordForm = "lotse" | "kopf";

/** Longer messages are cut: notes share 256 KiB with all other annotations. */
const MESSAGE_LIMIT = 1000;

const PURPOSES: readonly unknown[] = ["create", "update", "delete", "resume"];

/** Returns the record as it is written, with null for members that it does not have; in Kopf's order. */
export function encodeRecord(record: ProgressRecord, form: RecordForm): JsonObject {
  const encoded: JsonObject = {
    started: encodeTime(record.started, form),
    stopped: encodeTime(record.stopped, form),
    delayed: encodeTime(record.delayed, form),
    purpose: record.purpose ?? null,
    retries: form === "kopf" ? record.retries + (record.waits ?? 0) : record.retries,
    success: record.success,
    failure: record.failure,
    message: encodeMessage(record, form),
    subrefs: record.subrefs === undefined || record.subrefs.length === 0 ? null : [...record.subrefs],
  };
  if (form === "lotse") {
    encoded.digest = record.digest ?? null;
    encoded.delay = record.delay ?? null;
  }
  return encoded;
}

/** Returns the record that was written; parts that are not understood are left out, and reported. */
export function decodeRecord(
  raw: unknown,
  { where, onUnreadable }: FetchOptions & { readonly where: string },
): ProgressRecord | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (!isObject(raw)) {
    onUnreadable?.({ where, reason: "it is not an object" });
    return undefined;
  }
  const purpose = raw.purpose ?? undefined;
  if (purpose !== undefined && !PURPOSES.includes(purpose)) {
    // A record must not count for another cause than its own.
    onUnreadable?.({ where, reason: 'its "purpose" is unknown' });
    return undefined;
  }
  const reader = new Reader(raw, (reason) => onUnreadable?.({ where, reason }));
  const record: ProgressRecord = {
    started: reader.time("started"),
    stopped: reader.time("stopped"),
    delayed: reader.time("delayed"),
    delay: reader.seconds("delay"),
    purpose: purpose as ProgressRecord["purpose"], // just checked
    retries: reader.count("retries"),
    success: reader.flag("success"),
    failure: reader.flag("failure"),
    message: reader.text("message"),
    subrefs: reader.texts("subrefs"),
    digest: reader.text("digest"),
  };
  // Absent members are not there at all, so that records compare as their authors expect.
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as unknown as ProgressRecord;
}

/** Tells whether two records say the same, once written. */
export function isSameRecord(a: ProgressRecord, b: ProgressRecord, form: RecordForm): boolean {
  return JSON.stringify(encodeRecord(a, form)) === JSON.stringify(encodeRecord(b, form));
}

function encodeTime(text: string | undefined, form: RecordForm): string | null {
  const time = parseTimestamp(text);
  if (time === undefined) return null;
  return form === "kopf" ? formatKopfTimestamp(time) : formatTimestamp(time);
}

/** Returns the message to note. Kopf's note of a handler that waits for its sub-handlers is the text of Python's None. */
function encodeMessage(
  { message, waits, success, failure }: ProgressRecord,
  form: RecordForm,
): string | null {
  if (message !== undefined) return cut(message);
  return form === "kopf" && waits !== undefined && !success && !failure ? "None" : null;
}

function cut(message: string): string {
  if (message.length <= MESSAGE_LIMIT) return message;
  const half = Math.floor((MESSAGE_LIMIT - 3) / 2);
  return `${message.slice(0, half)}...${message.slice(-half)}`;
}

class Reader {
  readonly #raw: JsonObject;
  readonly #complain: (reason: string) => void;

  constructor(raw: JsonObject, complain: (reason: string) => void) {
    this.#raw = raw;
    this.#complain = complain;
  }

  time(name: string): string | undefined {
    const text = this.text(name);
    const time = parseTimestamp(text);
    if (text !== undefined && time === undefined) this.#complain(`its "${name}" is not a timestamp`);
    return time === undefined ? undefined : formatTimestamp(time);
  }

  count(name: string): number {
    const value = this.#get(name);
    if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
    if (value !== undefined) this.#complain(`its "${name}" is not a count`);
    return 0;
  }

  seconds(name: string): number | undefined {
    const value = this.#get(name);
    if (value === undefined || (typeof value === "number" && value >= 0)) return value;
    this.#complain(`its "${name}" is not a time in seconds`);
    return undefined;
  }

  flag(name: string): boolean {
    const value = this.#get(name);
    if (value !== undefined && typeof value !== "boolean") {
      this.#complain(`its "${name}" is neither true nor false`);
    }
    return value === true;
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "string") return value;
    this.#complain(`its "${name}" is not a text`);
    return undefined;
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
    this.#complain(`its "${name}" is not a list of texts`);
    return undefined;
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.#raw, name) ? this.#raw[name] ?? undefined : undefined;
  }
}
