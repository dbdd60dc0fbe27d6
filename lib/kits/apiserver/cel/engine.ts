/**
 * The evaluator of expressions: the package, Kubernetes' functions, and errors in cel-go's form.
 *
 * It is loaded only where an expression is declared (see `loader.ts`), so that nobody else pays for it.
 */

import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { Budget, countedLoops, SPEND } from "./budget.ts";
import { addAuthorizerLibrary } from "./library/authorizer.ts";
import { addIpLibrary } from "./library/ip.ts";
import { addListLibrary } from "./library/lists.ts";
import { addOptionals } from "./library/optionals.ts";
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

/** NB: the package's own `matches` is JavaScript's. Ours has a name of the same length, so that positions stay. */
const EVALUATED: ReadonlyMap<string, string> = new Map([["matches", "re2like"], [".matches", "re2like"]]);

/** NB: the package's `has` takes any field for one that there is; a function that is told the field does not. */
const HAS = "hAs";
const CHECKED: ReadonlyMap<string, string> = new Map([...EVALUATED, ["has", HAS]]);

type Checked =
  | {
    readonly parsed: ReturnType<Environment["parse"]>;
    readonly type: string;
    readonly error?: undefined;
  }
  | { readonly parsed?: undefined; readonly type?: undefined; readonly error: string };

/** The type of an expression, or Kubernetes' words for what is wrong with it. */
export type Typed =
  | { readonly type: string; readonly error?: undefined }
  | { readonly type?: undefined; readonly error: string };

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
    addAuthorizerLibrary(base);
    addOptionals(base);
    base.registerFunction(`${HAS}(dyn): bool`, () => true);
    base.registerFunction(`${SPEND}(): bool`, () => this.#budget.spend());
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

  /** Returns the type that an expression has, or what is wrong with it, in the words of compile(). */
  typeOf(environment: Environment, source: string): Typed {
    const { type, error } = this.#check(environment, source);
    return error === undefined ? { type } : { error };
  }

  /** Compiles an expression, which must give one of the types, such as "bool"; an empty list takes any. */
  compile(environment: Environment, source: string, types: readonly string[]): Compiled {
    const { parsed, type, error } = this.#check(environment, source);
    if (error !== undefined) return { error };
    if (types.length > 0 && !types.includes(type)) {
      return { error: `must evaluate to ${listed(types)} but got ${type}` };
    }
    const loops = countedLoops(renamed(source, EVALUATED));
    let counted = parsed;
    try {
      if (loops !== undefined) counted = environment.parse(loops);
    } catch (error) {
      return { error: compileError(environment, source, error) };
    }
    const run = (variables: Readonly<Record<string, unknown>>) => {
      this.#budget.renew();
      return evaluate(counted, variables);
    };
    return { program: { evaluate: run, ast: parsed.ast } };
  }

  #check(environment: Environment, source: string): Checked {
    const [text, asked] = [renamed(source, EVALUATED), renamed(source, CHECKED)];
    try {
      const parsed = environment.parse(text);
      let type = "dyn";
      for (const each of asked === text ? [parsed] : [environment.parse(asked), parsed]) {
        const checked = each.check();
        if (!checked.valid) return { error: compileError(environment, source, checked.error) };
        type = checked.type ?? "dyn";
      }
      return { parsed, type };
    } catch (error) {
      return { error: compileError(environment, source, error) };
    }
  }
}

/** NB: what may be of any type is so because its type is not known here; nobody was promised that. */
function listed(types: readonly string[]): string {
  const wanted = types.filter((type) => type !== "dyn").map((type) => type === "null" ? "null_type" : type);
  return wanted.length > 1 ? `one of [${wanted.join(" ")}]` : wanted.join("");
}

function renamed(source: string, names: ReadonlyMap<string, string>): string {
  return mapIdentifiers(source, (name, isMember) => names.get(isMember ? `.${name}` : name) ?? name);
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
  [/^Unknown variable: (.*)$/, "no such attribute(s): $1"],
];

function runtimeWords(summary: string): string {
  for (const [words, ours] of RUNTIME_WORDS) if (words.test(summary)) return summary.replace(words, ours);
  return summary;
}

/** The package's names of types, and cel-go's. */
const TYPE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/google\.protobuf\.Timestamp/g, "timestamp"],
  [/google\.protobuf\.Duration/g, "duration"],
];

function typeWords(words: string): string {
  let text = TYPE_WORDS.reduce((known, [from, to]) => known.replace(from, to), words);
  // From the inside out.
  for (let next = ""; next !== text;) {
    next = text;
    text = text.replace(/\b(list|map|optional)<([^<>]*)>/g, "$1($2)");
  }
  return text;
}

const COMPILE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^No such key: (.*)$/, "undefined field '$1'"],
  [/^Unknown variable: (.*)$/, "undeclared reference to '$1' (in container '')"],
  [/^no such overload: (.+) in (.+)$/, "found no matching overload for '@in' applied to '($1, $2)'"],
  [/^no such overload: ([!-])(\S.*)$/, "found no matching overload for '$1_' applied to '($2)'"],
  [
    /^no such overload: (\S+|map<.*>) (\S+) (\S+|map<.*>)$/,
    "found no matching overload for '_$2_' applied to '($1, $3)'",
  ],
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
  const summary = summaryOf(error).replaceAll("re2like", "matches").replaceAll(HAS, "has");
  const found = COMPILE_WORDS.find(([words]) => words.test(summary));
  const words = unknownFunction(environment, summary) ??
    (found === undefined ? summary : typeWords(summary.replace(found[0], found[1])));
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
  const { range, node } = error as {
    readonly range?: { readonly start: number };
    readonly node?: Node;
  };
  const start = range?.start ?? 0;
  // The field that `has` is asked about is the macro's: that points at its parenthesis.
  const begin = node?.start ?? start;
  const asked = /\bhas(\(\s*)$/.exec(source.slice(0, begin))?.[1];
  if (asked !== undefined && /^\s*\)/.test(source.slice(node?.end))) return begin - asked.length;
  const args = Array.isArray(node?.args) ? node.args as readonly (Node | string)[] : [];
  const [first, second] = args;
  const isCall = node?.op === "call" || node?.op === "rcall";
  const inner = isCall ? second : first;
  const after = typeof inner === "object" && typeof inner.end === "number" ? inner.end : start;
  const sign = isCall ? "(" : typeof node?.op === "string" && args.length > 1 ? node.op : "";
  const found = sign === "" ? -1 : source.indexOf(sign, after);
  return found < 0 ? start : found;
}
