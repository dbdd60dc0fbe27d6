/**
 * Functions of texts: regular expressions in Go's dialect, and cel-go's extension of strings.
 *
 * Source: Kubernetes documentation, "Kubernetes regex library"; cel-go, ext/strings.
 */

import type { Environment } from "../environment.ts";
import { compilePattern } from "../../schema/patterns.ts";
import { Failure } from "../values.ts";
import { textOf } from "./standard.ts";

/** Adds them. */
export function addTextLibrary(environment: Environment): void {
  const add = (signature: string, call: (...values: never[]) => unknown) =>
    environment.member(signature, call);
  add(
    "string.find(string): string",
    (text: string, pattern: string) => compilePattern(pattern).findAll(text).next().value ?? "",
  );
  add("string.findAll(string): list<string>", (text: string, pattern: string) => findAll(text, pattern));
  add(
    "string.findAll(string, int): list<string>",
    (text: string, pattern: string, limit: bigint) =>
      limit < 0n ? findAll(text, pattern) : findAll(text, pattern).slice(0, Number(limit)),
  );
  add("string.charAt(int): string", (text: string, index: bigint) => {
    const characters = [...text];
    if (index < 0n || index > characters.length) throw new Failure(`index out of range: ${index}`);
    return characters[Number(index)] ?? "";
  });
  add("string.indexOf(string): int", (text: string, part: string) => BigInt(indexIn(text, part, 0)));
  add(
    "string.indexOf(string, int): int",
    (text: string, part: string, from: bigint) => BigInt(indexIn(text, part, offset(text, from))),
  );
  add("string.lastIndexOf(string): int", (text: string, part: string) => BigInt(lastIndexIn(text, part)));
  add(
    "string.lastIndexOf(string, int): int",
    (text: string, part: string, from: bigint) => BigInt(lastIndexIn(text, part, offset(text, from))),
  );
  add("string.lowerAscii(): string", (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()));
  add("string.upperAscii(): string", (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()));
  add(
    "string.replace(string, string): string",
    (text: string, old: string, by: string) => text.replaceAll(old, () => by),
  );
  add(
    "string.replace(string, string, int): string",
    (text: string, old: string, by: string, limit: bigint) =>
      replaceSome(text, { old, by, limit: Number(limit) }),
  );
  add("string.split(string): list<string>", (text: string, separator: string) => split(text, separator, -1n));
  add("string.split(string, int): list<string>", split);
  add(
    "string.substring(int): string",
    (text: string, start: bigint) => substring(text, start, BigInt([...text].length)),
  );
  add("string.substring(int, int): string", substring);
  add("string.trim(): string", (text: string) => text.replace(/^\s+|\s+$/gu, ""));
  add("string.format(list<dyn>): string", format);
  add("list<string>.join(): string", (list: readonly string[]) => list.join(""));
  add(
    "list<string>.join(string): string",
    (list: readonly string[], separator: string) => list.join(separator),
  );
  environment.function("strings.quote(string): string", (text: string) => JSON.stringify(text));
}

function offset(text: string, from: bigint): number {
  if (from < 0n || from > BigInt([...text].length)) throw new Failure(`index out of range: ${from}`);
  return Number(from);
}

/** NB: places are counted in code points. */
function indexIn(text: string, part: string, from: number): number {
  const [characters, wanted] = [[...text], [...part]];
  if (wanted.length === 0) return from;
  for (let at = from; at + wanted.length <= characters.length; at++) {
    if (wanted.every((character, index) => characters[at + index] === character)) return at;
  }
  return -1;
}

function lastIndexIn(text: string, part: string, from?: number): number {
  const [characters, wanted] = [[...text], [...part]];
  const last = characters.length - wanted.length;
  if (wanted.length === 0) return from ?? characters.length;
  for (let at = Math.min(from ?? last, last); at >= 0; at--) {
    if (wanted.every((character, index) => characters[at + index] === character)) return at;
  }
  return -1;
}

function split(text: string, separator: string, limit: bigint): string[] {
  if (limit === 0n) return [];
  const parts = separator === "" ? [...text] : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const kept = Number(limit) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)];
}

function substring(text: string, start: bigint, end: bigint): string {
  const characters = [...text];
  const length = BigInt(characters.length);
  if (start > end) throw new Failure(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > length) throw new Failure(`index out of range: ${start}`);
  if (end < 0n || end > length) throw new Failure(`index out of range: ${end}`);
  return characters.slice(Number(start), Number(end)).join("");
}

function findAll(text: string, pattern: string): string[] {
  return [...compilePattern(pattern).findAll(text)];
}

function replaceSome(
  text: string,
  { old, by, limit }: { readonly old: string; readonly by: string; readonly limit: number },
): string {
  if (limit < 0) return text.replaceAll(old, () => by);
  let left = limit;
  return text.replaceAll(old, (found) => left-- > 0 ? by : found);
}

/** The clauses of cel-go's `format`: %s, %d, %f, %e, %b, %o, %x, %X and %%. */
function format(text: string, values: readonly unknown[]): string {
  let next = 0;
  return text.replace(
    /%(?:\.(\d+))?([sdfebxXo%])/g,
    (clause, precision: string | undefined, verb: string) => {
      if (verb === "%") return "%";
      if (next >= values.length) throw new Failure(`index ${next} out of range`);
      const value = values[next++];
      const digits = precision === undefined ? 6 : Number(precision);
      switch (verb) {
        case "s":
        case "d":
          return show(value);
        case "f":
          return Number(value).toFixed(digits);
        case "e":
          return Number(value).toExponential(digits);
        case "b":
          return numberIn(value, 2);
        case "o":
          return numberIn(value, 8);
        case "x":
          return numberIn(value, 16);
        case "X":
          return numberIn(value, 16).toUpperCase();
        default:
          return clause;
      }
    },
  );
}

function numberIn(value: unknown, base: number): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "bigint") return value.toString(base);
  return [...new TextEncoder().encode(String(value))].map((byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

function show(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, entry]) => `${show(key)}: ${show(entry)}`).sort().join(", ")}}`;
  }
  return value === null ? "null" : textOf(value);
}
