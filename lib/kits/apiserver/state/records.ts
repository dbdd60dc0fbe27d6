/**
 * The lines of a state folder's files: snapshots of everything, and journals of the writes since.
 *
 * A snapshot begins with a header and ends with a mark, so that one that was cut off is known. A journal may end in the
 * middle of a line: that write was never answered, and is not missed.
 */

import type { KubeObject } from "../../../model/object.ts";
import { formatJson, parseJson } from "../../../runtime/json.ts";
import { isObject } from "../values.ts";

/** The form of the files; a later one is not read. */
export const FORMAT = 1;

/** A state folder that cannot be used; the message says why, and what to do. The folder was not changed. */
export class StateError extends Error {
  /** Always "StateError". */
  override readonly name = "StateError";
}

/** One object as it is after a write, or was before it went. */
export interface StateRecord {
  readonly version: number;
  readonly collection: string;
  readonly key: string;
  /** Absent if it is gone. */
  readonly object: KubeObject | undefined;
}

/** A whole state. */
export interface State {
  readonly version: number;
  readonly records: readonly StateRecord[];
}

/** A journal that may be gone on with: its last line is whole. */
export interface OpenJournal {
  /** Of its file. */
  readonly name: string;
  /** In characters. */
  readonly length: number;
}

export function formatHeader(version: number): string {
  return `${JSON.stringify({ format: FORMAT, version })}\n`;
}

export function formatEnd(count: number): string {
  return `${JSON.stringify({ end: count })}\n`;
}

export function formatRecord({ version, collection, key, object }: StateRecord): string {
  return `${
    formatJson({ v: version, c: collection, k: key, ...(object === undefined ? {} : { o: object }) })
  }\n`;
}

/** @throws {StateError} If the snapshot is not whole, or of a later form. */
export function readSnapshot(text: string, path: string): State {
  const lines = text.split("\n");
  const header = parse(lines[0] ?? "");
  if (header === undefined || typeof header.format !== "number" || typeof header.version !== "number") {
    throw broken(path, 1);
  }
  if (header.format > FORMAT) {
    throw new StateError(
      `Cannot read "${path}": it was written by a later version (format ${header.format}, and this one reads up to ${FORMAT}): use that version, or another folder`,
    );
  }
  const records: StateRecord[] = [];
  for (let i = 1; i < lines.length; i++) {
    const value = parse(lines[i] ?? "");
    if (value !== undefined && value.end === records.length) return { version: header.version, records };
    const record = value === undefined ? undefined : toRecord(value);
    if (record === undefined) throw broken(path, i + 1);
    records.push(record);
  }
  throw broken(path, lines.length);
}

/** @throws {StateError} If a line is broken that is not the last one, or if not even that may be. */
export function readJournal(
  text: string,
  { path, mayBeTorn }: { readonly path: string; readonly mayBeTorn: boolean },
): StateRecord[] {
  const lines = text.split("\n");
  const records: StateRecord[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === "" && index === lines.length - 1) break;
    const value = parse(line);
    const record = value === undefined ? undefined : toRecord(value);
    const isLast = index === lines.length - 1;
    // NB: a line without its end was not written to its end, although it may be read.
    if (isLast && mayBeTorn) break;
    if (record === undefined || isLast) throw broken(path, index + 1);
    records.push(record);
  }
  return records;
}

function parse(line: string): { [key: string]: unknown } | undefined {
  try {
    const value = parseJson(line, 64);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toRecord({ v, c, k, o }: { readonly [key: string]: unknown }): StateRecord | undefined {
  if (typeof v !== "number" || typeof c !== "string" || typeof k !== "string") return undefined;
  if (o === undefined) return { version: v, collection: c, key: k, object: undefined };
  if (!isObject(o) || !isObject(o.metadata)) return undefined;
  // An entry of a snapshot was an object when it was written.
  return { version: v, collection: c, key: k, object: o as KubeObject };
}

function broken(path: string, line: number): StateError {
  return new StateError(
    `Cannot read "${path}": it is cut off or damaged in line ${line}: put the folder back from a copy, or use another one (nothing was changed)`,
  );
}
