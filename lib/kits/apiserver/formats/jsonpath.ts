/**
 * The part of Kubernetes' JSONPath that printer columns and selectable fields need.
 *
 * `.a.b`, `['a.b']`, `.a\.b`, `[0]`, `[-1]`, `[0:2]`, `[*]`, `.*`, `..a`, `[?(@.type=="Ready")]`, with or without `$` and
 * braces. Not: unions, and text between braces. Source: Kubernetes documentation, "JSONPath Support".
 */

import { isObject } from "../values.ts";

/** Returns the values that a path such as `.status.conditions[?(@.type=="Ready")].status` finds, in order. */
export type JsonPath = (value: unknown) => unknown[];

type Step = (value: unknown) => unknown[];

/**
 * Compiles a path.
 *
 * @throws {SyntaxError} If it is not one.
 */
export function compileJsonPath(path: string): JsonPath {
  const inner = path.startsWith("{") && path.endsWith("}") ? path.slice(1, -1) : path;
  const steps = parseSteps(inner.trim().replace(/^[$@]/, ""), path);
  return (value) => steps.reduce<unknown[]>((found, step) => found.flatMap(step), [value]);
}

function parseSteps(text: string, path: string): Step[] {
  const steps: Step[] = [];
  let rest = text;
  while (rest !== "" && rest !== ".") {
    const { step, length } = rest.startsWith("[") ? parseBracket(rest, path) : parseDotted(rest, path);
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps;
}

interface Parsed {
  readonly step: Step;
  readonly length: number;
}

function parseDotted(text: string, path: string): Parsed {
  const found = /^(\.\.?)?((?:\\.|[^.[\]\\])+)/.exec(text);
  // A first name may stand without its dot: kubectl allows it.
  if (found === null) throw wrong(path, `cannot read "${text}"`);
  const name = found[2]!.replace(/\\(.)/g, "$1");
  const step = name === "*" ? everything : (value: unknown) => child(value, name);
  const deep = found[1] === "..";
  return { step: deep ? (value) => everywhere(value).flatMap(step) : step, length: found[0].length };
}

function parseBracket(text: string, path: string): Parsed {
  const quoted = /^\[\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\s*\]/.exec(text);
  if (quoted !== null) {
    const name = (quoted[1] ?? quoted[2] ?? "").replace(/\\(.)/g, "$1");
    return { step: (value) => child(value, name), length: quoted[0].length };
  }
  const filter = /^\[\?\(((?:'[^']*'|"[^"]*"|[^'"])*?)\)\]/.exec(text);
  if (filter !== null) return { step: parseFilter(filter[1]!, path), length: filter[0].length };
  const plain = /^\[([^\]]*)\]/.exec(text);
  if (plain === null) throw wrong(path, "unterminated array");
  return { step: parseIndex(plain[1]!.trim(), path), length: plain[0].length };
}

function parseIndex(text: string, path: string): Step {
  if (text === "*") return everything;
  const found = /^(-?\d+)?(?:(:)(-?\d+)?(?::(-?\d+))?)?$/.exec(text);
  if (found === null || text === "") throw wrong(path, `invalid array index ${text}`);
  const from = found[1] === undefined ? undefined : Number(found[1]);
  if (found[2] === undefined) {
    return (value) => (Array.isArray(value) ? value.slice(from, from! + 1 || undefined) : []);
  }
  const to = found[3] === undefined ? undefined : Number(found[3]);
  const every = Number(found[4] ?? 1);
  return (
    value,
  ) => (Array.isArray(value) ? value.slice(from, to).filter((_, index) => index % every === 0) : []);
}

function parseFilter(text: string, path: string): Step {
  const found = /^\s*(@[^=!<>]*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?))?\s*$/.exec(text);
  if (found === null) throw wrong(path, `cannot read the filter "${text}"`);
  const left = compileJsonPath(found[1]!.slice(1));
  const operator = found[2];
  const right = operator === undefined ? () => [] : parseOperand(found[3]!, path);
  return (value) =>
    items(value).filter((item) => {
      const [a] = left(item);
      return operator === undefined ? left(item).length > 0 : compare(a, { operator, b: right(item)[0] });
    });
}

function parseOperand(text: string, path: string): Step {
  if (text.startsWith("@")) return compileJsonPath(text.slice(1));
  const quoted = /^(['"])(.*)\1$/.exec(text);
  if (quoted !== null) return () => [quoted[2]];
  if (/^-?\d+(\.\d+)?$/.test(text)) return () => [Number(text)];
  if (text === "true" || text === "false") return () => [text === "true"];
  throw wrong(path, `cannot read the value ${text}`);
}

function compare(a: unknown, { operator, b }: { operator: string; b: unknown }): boolean {
  if (a === undefined || typeof a !== typeof b) return operator === "!=" && a !== undefined;
  const [left, right] = [a as string | number, b as string | number]; // both of one type; of booleans only == is asked
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (operator === "<") return left < right;
  if (operator === "<=") return left <= right;
  return operator === ">" ? left > right : left >= right;
}

function child(value: unknown, name: string): unknown[] {
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function everything(value: unknown): unknown[] {
  return isObject(value) ? Object.values(value) : items(value);
}

function everywhere(value: unknown): unknown[] {
  return [value, ...everything(value).flatMap(everywhere)];
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function wrong(path: string, reason: string): SyntaxError {
  return new SyntaxError(`Cannot compile JSONPath "${path}": ${reason}`);
}
