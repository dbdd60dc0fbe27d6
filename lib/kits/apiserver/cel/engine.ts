/**
 * The evaluator of expressions: the package, Kubernetes' functions, and errors in cel-go's form.
 *
 * It is loaded only where an expression is declared (see `loader.ts`), so that nobody else pays for it.
 */

import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { Budget, countedLoops, SPEND } from "./budget.ts";
import { addIpLibrary } from "./library/ip.ts";
import { addListLibrary } from "./library/lists.ts";
import { addOptionalMacros } from "./library/optionals.ts";
import { addQuantityLibrary } from "./library/quantity.ts";
import { addTextLibrary } from "./library/texts.ts";
import { addUrlLibrary } from "./library/url.ts";
import { mapIdentifiers } from "./source.ts";

export type { ASTNode, Environment };

/** An expression that was compiled. */
export interface Program {
  /** @throws {Error} If it cannot be evaluated; the message is one line. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
  /** Its parsed form. */
  readonly ast: ASTNode;
}

/** The outcome of compiling an expression: a program, or Kubernetes' words for what is wrong with it. */
export type Compiled =
  | { readonly program: Program; readonly error?: undefined }
  | { readonly program?: undefined; readonly error: string };

export class Engine {
  readonly #cache = new WeakMap<object, Map<string, unknown>>();
  readonly #base: Environment;
  readonly #budget = new Budget();
  readonly #some: (variables: { readonly value: unknown }) => unknown;
  readonly #toDuration: (variables: { readonly value: string }) => unknown;

  constructor() {
    // NB: Kubernetes lets lists mix types only in arguments of `format`; the package cannot tell these apart.
    const base = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
    addTextLibrary(base);
    addListLibrary(base);
    addUrlLibrary(base);
    addIpLibrary(base);
    addQuantityLibrary(base);
    addOptionalMacros(base);
    base.registerFunction(`${SPEND}(A): A`, (value: unknown) => this.#budget.spend(value));
    this.#base = base;
    const loose = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true });
    this.#some = loose.parse("optional.of(value)");
    this.#toDuration = loose.parse("duration(value)");
  }

  /** Returns what was made before for a stored object, which never changes, or makes it. */
  cached<T>(owner: object, key: string, make: () => T): T {
    let known = this.#cache.get(owner);
    if (known === undefined) this.#cache.set(owner, known = new Map());
    if (!known.has(key)) known.set(key, make());
    // What is under a key was made by the same caller.
    return known.get(key) as T;
  }

  /** Returns an environment without variables, which may be added. */
  environment(): Environment {
    return this.#base.clone();
  }

  /** Returns `optional.of(value)`, or `optional.none()` for undefined. */
  optional(value: unknown): unknown {
    return value === undefined ? this.#base.evaluate("optional.none()") : this.#some({ value });
  }

  /** Returns a text such as "1h30m" as a duration; the text itself if it is none. */
  duration(text: string): unknown {
    try {
      return this.#toDuration({ value: text });
    } catch {
      return text;
    }
  }

  /**
   * Compiles an expression, which must give one of the types, such as "bool"; an empty list takes any.
   *
   * NB: the package's own `matches` is JavaScript's; ours has a name of the same length, so that positions stay.
   */
  compile(environment: Environment, source: string, types: readonly string[]): Compiled {
    const text = mapIdentifiers(source, (name) => name === "matches" ? "re2like" : name);
    try {
      const parsed = environment.parse(text);
      const checked = parsed.check();
      if (!checked.valid) return { error: compileError(environment, source, checked.error) };
      const type = checked.type ?? "dyn";
      if (types.length > 0 && !types.includes(type)) {
        return { error: `must evaluate to ${types.join(" or ")} but got ${type}` };
      }
      const loops = countedLoops(text);
      const counted = loops === undefined ? parsed : environment.parse(loops);
      const run = (variables: Readonly<Record<string, unknown>>) => {
        this.#budget.renew();
        return evaluate(counted, variables);
      };
      return { program: { evaluate: run, ast: parsed.ast } };
    } catch (error) {
      return { error: compileError(environment, source, error) };
    }
  }
}

function evaluate(
  parsed: (context: Record<string, unknown>) => unknown,
  variables: Readonly<Record<string, unknown>>,
): unknown {
  try {
    return parsed(variables);
  } catch (error) {
    throw new Error(runtimeWords(summaryOf(error)), { cause: error });
  }
}

function summaryOf(error: unknown): string {
  if (
    typeof error === "object" && error !== null && "summary" in error && typeof error.summary === "string"
  ) {
    return error.summary;
  }
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
}

/** The package's words, and cel-go's. */
const RUNTIME_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^No such key: index out of bounds, index (-?\d+).*$/, "index out of bounds: $1"],
  [/^No such key: (.*)$/, "no such key: $1"],
  [/^found no matching overload for .*$/, "no such overload"],
  [/^no such overload: .*$/, "no such overload"],
  [/^integer overflow: .*$/, "integer overflow"],
  [/^modulo by zero$/, "modulus by zero"],
];

function runtimeWords(summary: string): string {
  for (const [words, ours] of RUNTIME_WORDS) if (words.test(summary)) return summary.replace(words, ours);
  return summary;
}

const COMPILE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^No such key: (.*)$/, "undefined field '$1'"],
  [/^Unknown variable: (.*)$/, "undeclared reference to '$1' (in container '')"],
  [/^no such overload: (\S+) (\S+) (\S+)$/, "found no matching overload for '_$2_' applied to '($1, $3)'"],
  [
    /^found no matching overload for '([^.']+)\((.*)\)'$/,
    "found no matching overload for '$1' applied to '($2)'",
  ],
  [
    /^found no matching overload for '([^']+)\.(\w+)\((.*)\)'$/,
    "found no matching overload for '$2' applied to '$1.($3)'",
  ],
];

/** In cel-go's form: where it is, the line, and an arrow. */
function compileError(environment: Environment, source: string, error: unknown): string {
  const summary = summaryOf(error).replaceAll("re2like", "matches");
  const found = COMPILE_WORDS.find(([words]) => words.test(summary));
  const words = unknownFunction(environment, summary) ??
    (found === undefined ? summary : summary.replace(found[0], found[1]));
  const isSyntax = error instanceof Error && error.name === "ParseError";
  const message = isSyntax ? `Syntax error: ${words}` : words;
  const start = placeOf(error, source);
  const before = source.slice(0, start).split("\n");
  const column = [...before.at(-1) ?? ""].length;
  const line = source.split("\n")[before.length - 1] ?? "";
  return `compilation failed: ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${
    ".".repeat(column)
  }^`;
}

function unknownFunction(environment: Environment, summary: string): string | undefined {
  const name = /^found no matching overload for '(?:.*\.)?(\w+)\(/.exec(summary)?.[1];
  if (name === undefined || name === "matches") return undefined;
  const isKnown = environment.getDefinitions().functions.some((definition) => definition.name === name);
  return isKnown ? undefined : `undeclared reference to '${name}' (in container '')`;
}

interface Node {
  readonly op?: unknown;
  readonly args?: unknown;
  readonly start?: number;
  readonly end?: number;
}

/** NB: cel-go points at operators, dots and parentheses, the package at where an operation begins. */
function placeOf(error: unknown, source: string): number {
  if (typeof error !== "object" || error === null || !("range" in error)) return 0;
  // A range or nothing, as the package declares; and the node that it blames.
  const { range, node } = error as { readonly range?: { readonly start: number }; readonly node?: Node };
  const start = range?.start ?? 0;
  const args = Array.isArray(node?.args) ? node.args as readonly (Node | string)[] : [];
  const [first, second] = args;
  const isCall = node?.op === "call" || node?.op === "rcall";
  const inner = isCall ? second : first;
  const after = typeof inner === "object" && typeof inner.end === "number" ? inner.end : start;
  const sign = isCall ? "(" : typeof node?.op === "string" && args.length > 1 ? node.op : "";
  const found = sign === "" ? -1 : source.indexOf(sign, after);
  return found < 0 ? start : found;
}
