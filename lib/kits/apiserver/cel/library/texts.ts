/**
 * Functions of texts: regular expressions in Go's dialect, and cel-go's extension of strings.
 *
 * Source: Kubernetes documentation, "Kubernetes regex library"; cel-go, ext/strings.
 */

import type { Environment } from "@marcbachmann/cel-js";
import { compilePattern } from "../../schema/patterns.ts";

class Strings {}

/** Adds them. `matches` is called `re2like` here: see `engine.ts`. */
export function addTextLibrary(environment: Environment): void {
  const matches = (text: string, pattern: string) => compilePattern(pattern).test(text);
  environment.registerFunction("string.re2like(string): bool", matches);
  environment.registerFunction("re2like(string, string): bool", matches);
  environment.registerFunction(
    "string.find(string): string",
    (text: string, pattern: string) => compilePattern(pattern).findAll(text).next().value ?? "",
  );
  environment.registerFunction(
    "string.findAll(string): list<string>",
    (text: string, pattern: string) => findAll(text, pattern),
  );
  environment.registerFunction(
    "string.findAll(string, int): list<string>",
    (text: string, pattern: string, limit: bigint) =>
      limit < 0n ? findAll(text, pattern) : findAll(text, pattern).slice(0, Number(limit)),
  );
  environment.registerFunction("string.charAt(int): string", (text: string, index: bigint) => {
    const characters = [...text];
    if (index < 0n || index > characters.length) throw new RangeError(`index out of range: ${index}`);
    return characters[Number(index)] ?? "";
  });
  environment.registerFunction(
    "string.replace(string, string): string",
    (text: string, old: string, by: string) => text.replaceAll(old, () => by),
  );
  environment.registerFunction(
    "string.replace(string, string, int): string",
    (text: string, old: string, by: string, limit: bigint) =>
      replaceSome(text, { old, by, limit: Number(limit) }),
  );
  environment.registerFunction("string.reverse(): string", (text: string) => [...text].reverse().join(""));
  environment.registerFunction("string.format(list): string", format);
  environment.registerType("StringsNamespace", Strings);
  environment.registerConstant("strings", "StringsNamespace", new Strings());
  environment.registerFunction(
    "StringsNamespace.quote(string): string",
    (_: Strings, text: string) => JSON.stringify(text),
  );
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
      if (next >= values.length) throw new RangeError(`index ${next} out of range`);
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
  return value instanceof Date ? value.toISOString().replace(".000Z", "Z") : String(value);
}
