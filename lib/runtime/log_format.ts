/**
 * The forms of a log line: plain for people at a terminal, full for people who read files, JSON for machines.
 *
 * The three are Kopf's formats (docs/configuration, "Logging formats and levels"). Our messages are constant and their
 * variables are fields, so plain and full lines end with `key=value` pairs, and JSON lines have them as keys.
 */

import { errorText, partsOf } from "./error_text.ts";
import {
  isLevelWanted,
  type LogFields,
  type LogLevel,
  type LogRecord,
  type LogReference,
  type LogSink,
} from "./logging.ts";

/** The names of the formats. */
export type LogFormat = "plain" | "full" | "json";

/** How lines are written. */
export interface TextSinkOptions {
  readonly format: LogFormat;
  /** The least level that is written. */
  readonly level: LogLevel;
  /** Takes whole lines, each with its line break. */
  readonly write: (text: string) => void;
  /** JSON: the key of the object that a line is about. Default: "object". */
  readonly refkey?: string;
  /** Whether `[namespace/name] ` (with the kind, where there are several) stands before messages about an object. Default: true, but not in JSON. */
  readonly prefix?: boolean;
  /** Plain and full: whether levels are shown by colours. Default: false. */
  readonly color?: boolean;
  /** Which lines with an Error show its stack. Default: "errors", lines of level error. */
  readonly stacks?: "always" | "errors" | "never";
}

/** Makes a sink that writes lines of text. */
export function textSink(options: TextSinkOptions): LogSink {
  const { format, level, write } = options;
  const toLine = format === "json" ? toJson : format === "full" ? toFull : toPlain;
  return {
    level,
    write(record) {
      if (isLevelWanted(record.level, level)) write(`${toLine(record, options)}\n`);
    },
  };
}

function toPlain(record: LogRecord, options: TextSinkOptions): string {
  return paint(toText(record, options), record.level, options);
}

function toFull(record: LogRecord, options: TextSinkOptions): string {
  const head = `[${toLocalTime(record.time)}] ${pad(toOneLine(record.logger), 20)} [${
    pad(LEVEL_NAMES[record.level], 8)
  }]`;
  return `${paint(head, record.level, options)} ${toText(record, options)}`;
}

function toText(record: LogRecord, options: TextSinkOptions): string {
  const { fields } = record;
  const prefix = options.prefix ?? true ? toOneLine(toPrefix(record)) : "";
  let pairs = "";
  for (const key of Object.keys(fields)) {
    if (key !== "error" && !isHint(key, fields[key])) pairs += toPair(key, fields[key]);
  }
  const failure = Object.hasOwn(fields, "error") ? `: ${toOneLine(describe(fields["error"]))}` : "";
  return `${prefix}${toOneLine(record.message)}${failure}${pairs}${
    isMore(record) ? toStack(record, options) : ""
  }`;
}

/** Whether the stack says more than the line: some errors have no frames, as our own would not help their reader. */
function isMore({ fields: { error } }: LogRecord): boolean {
  if (!(error instanceof Error)) return false;
  return error.cause !== undefined || partsOf(error).length > 0 || error.stack?.includes("\n") === true;
}

/** A `stack` that is true or false is about the error, and no field of its own. */
function isHint(key: string, value: unknown): boolean {
  return key === "stack" && typeof value === "boolean";
}

function toPair(key: string, value: unknown): string {
  if (value === undefined) return "";
  const isPlain = typeof value === "string" && value !== "" && !/[\s"=]/u.test(value) &&
    !HIDDEN.test(value);
  return ` ${toOneLine(key)}=${escapeHidden(cut(isPlain ? value : toJsonText(value)))}`;
}

/** An error in one line: its name, its message, the errors in it, and its causes. */
function describe(error: unknown): string {
  return errorText(error, toJsonText);
}

/** An error, the errors in it, and its causes, outer ones first; so many at most, as they may go in circles. */
function* insideOf(error: Error): Generator<readonly [title: string, each: unknown]> {
  const waiting: (readonly [string, unknown])[] = [["", error]];
  for (let count = 0; count < MOST_STACKS; count++) {
    const next = waiting.shift();
    if (next === undefined) return;
    yield next;
    const [, each] = next;
    if (!(each instanceof Error)) continue;
    waiting.push(...partsOf(each).slice(0, MOST_STACKS).map((part) => ["Among its errors: ", part] as const));
    if (each.cause !== undefined) waiting.push(["Caused by: ", each.cause]);
  }
}

function toStack(record: LogRecord, { stacks = "errors" }: TextSinkOptions): string {
  const { error, stack } = record.fields;
  const isWanted = stacks === "always" ||
    (stacks === "errors" && record.level === "error" && stack !== false);
  if (!(error instanceof Error) || !isWanted) return "";
  const parts = [...insideOf(error)].map(([title, each]) =>
    title + (each instanceof Error && each.stack ? each.stack : describe(each))
  );
  const lines = cut(parts.join("\n")).split(/\r?\n/);
  return lines.map((line) => `\n  ${escapeHidden(line)}`).join("");
}

function toJson(record: LogRecord, options: TextSinkOptions): string {
  const { message, level, time, logger, reference, fields, context } = record;
  const prefix = options.prefix ?? false ? toPrefix(record) : "";
  const line: Record<string, unknown> = Object.create(null);
  line.message = prefix + message;
  if (reference) line[options.refkey ?? "object"] = toReference(reference);
  line.timestamp = new Date(time).toISOString().replace("Z", "+00:00");
  line.severity = level;
  line.logger = logger;
  if (context !== undefined) Object.assign(line, context);
  addFields(line, fields);
  const stack = toStack(record, options).trim();
  if (stack) line.exception = stack;
  // One by one: a field that JSON cannot hold costs itself only.
  const pairs = Object.keys(line).filter((key) => line[key] !== undefined)
    .map((key) => `${JSON.stringify(cut(key))}:${toCappedJson(line[key])}`);
  return escapeHidden(`{${pairs.join(",")}}`);
}

/** Fields become keys of their own; fields whose names are taken go under "fields". An explicit severity wins. */
function addFields(line: Record<string, unknown>, fields: LogFields): void {
  const taken: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(fields)) {
    const value = fields[key] instanceof Error ? describe(fields[key]) : fields[key];
    if (isHint(key, value)) continue;
    if (key === "severity") line.severity = value;
    else if (key in line || key === "fields" || key === "exception") taken[key] = value;
    else line[key] = value;
  }
  if (Object.keys(taken).length > 0) line.fields = taken;
}

function toReference({ apiVersion, kind, name, uid, namespace }: LogReference): Record<string, unknown> {
  return { apiVersion, kind, name, uid, namespace: namespace ?? null };
}

/** "[default/db] ", "[node-1] "; with the kind, "[Database default/db] ". */
function toPrefix({ reference, namesKind }: LogRecord): string {
  if (reference?.name === undefined) return "";
  const { kind, namespace, name } = reference;
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return namesKind && kind !== undefined ? `[${kind} ${place}] ` : `[${place}] `;
}

/** JSON of anything: a value that JSON cannot hold becomes a string, and never an exception. */
function toJsonText(value: unknown): string {
  const plain = (_key: string, item: unknown): unknown => {
    if (typeof item === "bigint") return String(item);
    if (typeof item === "function" || typeof item === "symbol") return String(item);
    if (item instanceof Error) return describe(item);
    if (item instanceof Map) return Object.fromEntries(item);
    if (item instanceof Set) return [...item];
    return item;
  };
  try {
    return JSON.stringify(value, plain) ?? "null";
  } catch (error) {
    return JSON.stringify(
      `not representable: ${error instanceof Error ? error.message.split("\n")[0] : error}`,
    );
  }
}

/** JSON that stays JSON: of a text that is too long, the beginning is kept as a string. */
function toCappedJson(value: unknown): string {
  const json = toJsonText(typeof value === "string" ? cut(value) : value);
  return json.length <= 2 * MAX_LENGTH ? json : JSON.stringify(cut(json));
}

function toOneLine(text: string): string {
  const short = cut(text);
  // Nearly all texts are fine as they are, and looking is cheaper than replacing.
  if (!HIDDEN.test(short)) return short;
  // NB: linear, as texts come from strangers: a pattern that eats blanks on both sides of a line break is not.
  const lines = short.split(/[\r\n]+/);
  const last = lines.length - 1;
  const trimmed = lines.map((line, index) => {
    const begun = index === 0 ? line : line.trimStart();
    return index === last ? begun : begun.trimEnd();
  });
  return escapeHidden(
    trimmed.filter((line, index) => line !== "" || index === 0 || index === last).join(" "),
  );
}

/** Returns the beginning of a text that is too long, and how much was left out. */
function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, "")}… and ${text.length - MAX_LENGTH} more`;
}

/** Names and messages come from strangers: whatever a terminal obeys or a reader cannot see is written as its code. */
function escapeHidden(text: string): string {
  if (!HIDDEN.test(text)) return text;
  return text.replace(ALL_HIDDEN, (found) => {
    const units = Array.from({ length: found.length }, (_, index) => found.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

function toLocalTime(time: number): string {
  const date = new Date(time);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const rest = date.getMilliseconds();
  return `${day} ${clock},${rest < 100 ? "0" : ""}${two(rest)}`;
}

/** With two digits, at least. */
function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

function pad(text: string, width: number): string {
  return text.slice(0, width).padEnd(width);
}

/** How many stacks are written for one error. */
const MOST_STACKS = 9;

/** No text in a line is longer, in UTF-16 units: whoever may create an object must not fill the disk. */
const MAX_LENGTH = 8192;

/**
 * Controls, line and paragraph separators, lone surrogates, and characters that change the direction of a text or are not seen at all;
 * but for the joiners, which emoji and some scripts are written with.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200C\u200D])\p{Cf}/u;
const ALL_HIDDEN = new RegExp(HIDDEN.source, "gu");

const LEVEL_NAMES: Readonly<Record<LogLevel, string>> = {
  debug: "DEBUG",
  info: "INFO",
  warn: "WARNING",
  error: "ERROR",
};

const COLORS: Readonly<Record<LogLevel, string>> = {
  debug: "\x1b[2m",
  info: "",
  warn: "\x1b[33m",
  error: "\x1b[31m",
};

function paint(text: string, level: LogLevel, { color = false }: TextSinkOptions): string {
  return color && COLORS[level] ? `${COLORS[level]}${text}\x1b[0m` : text;
}
