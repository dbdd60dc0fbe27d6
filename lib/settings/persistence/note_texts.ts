/**
 * Texts of notes: reading one that may be anything, and writing one as Python would.
 *
 * Anybody who may edit an object may edit its notes. So no text makes reading fail: one that is not understood counts as
 * absent, and is reported.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { parseJson, writeJson } from "../../runtime/json.ts";
import type { FetchOptions } from "./storage.ts";

/** Notes that are nested deeper are not ours: API servers take no such objects. */
const DEPTH_LIMIT = 10_000;

/** Returns the object that a JSON text holds; undefined if there is none, or it is garbage. */
export function parseNote(
  text: unknown,
  where: string,
  { onUnreadable }: FetchOptions = {},
): JsonObject | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string") {
    onUnreadable?.({ where, reason: "it is not a text" });
    return undefined;
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    onUnreadable?.({ where, reason: "it is not JSON" });
    return undefined;
  }
  if (value === null) return undefined;
  if (isObject(value) && !isTooDeep(text, value)) return value;
  onUnreadable?.({ where, reason: isObject(value) ? "it is nested too deeply" : "it is not a JSON object" });
  return undefined;
}

/**
 * Returns the JSON text of a JSON value as Python writes it, byte for byte: `json.dumps(value, separators=(",", ":"))`.
 * Members that are undefined are left out.
 *
 * Two things differ from JavaScript's: all but ASCII is escaped, and small numbers look otherwise. Large ones do not: the API
 * server sends whole numbers below 1e21 with all their digits, which both then keep.
 */
export function toPythonJson(value: unknown): string {
  return writeJson(value, { formatNumber }).replace(/[\x7f-\uffff]/g, escape);
}

/** Python takes the exponent from 1e-5 on downwards, and gives it two digits. */
function formatNumber(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1e-4;
  return isSmall ? value.toExponential().replace(/e-(\d)$/, "e-0$1") : JSON.stringify(value);
}

function escape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Only a text with very many brackets can be too deep, so that no other value is walked. */
function isTooDeep(text: string, value: unknown): boolean {
  if (text.length <= DEPTH_LIMIT) return false;
  let brackets = 0;
  for (let index = 0; index < text.length && brackets <= DEPTH_LIMIT; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x7b || code === 0x5b) brackets++;
  }
  return brackets > DEPTH_LIMIT && depthExceeds(value, DEPTH_LIMIT);
}

function depthExceeds(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each === "object" && each !== null) {
        for (const child of Object.values(each)) next.push(child);
      }
    }
    level = next;
  }
  return false;
}
