/**
 * The evaluator of expressions: Kubernetes' functions, compiled programs, and errors in cel-go's form.
 *
 * It is loaded only where an expression is declared (see `loader.ts`), so that other servers do not pay for it.
 */

import { checkTypes } from "./checker.ts";
import { Environment } from "./environment.ts";
import { compileTree } from "./evaluator.ts";
import type { ExpressionError } from "./lexer.ts";
import { addAuthorizerLibrary } from "./library/authorizer.ts";
import { addFormatLibrary } from "./library/formats.ts";
import { addIpLibrary } from "./library/ip.ts";
import { addListLibrary } from "./library/lists.ts";
import { addOptionals } from "./library/optionals.ts";
import { addQuantityLibrary } from "./library/quantity.ts";
import { addSemverLibrary } from "./library/semver.ts";
import { addStandard } from "./library/standard.ts";
import { addTextLibrary } from "./library/texts.ts";
import { addTimes } from "./library/times.ts";
import { addUrlLibrary } from "./library/url.ts";
import { parseExpression } from "./parser.ts";
import type { Expression } from "./tree.ts";
import { printType, type Type } from "./type.ts";

export type { Environment, Expression };

/** An expression that was compiled. */
export interface Program {
  /** @throws {Error} If it cannot be evaluated; the message is one line. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
  /** Its checked tree. */
  readonly tree: Expression;
}

/** The outcome of compiling an expression: a program, or its errors in Kubernetes' words. */
export type Compiled =
  | { readonly program: Program; readonly error?: undefined }
  | { readonly program?: undefined; readonly error: string };

/** The type of an expression, or its errors in Kubernetes' words. */
export type Typed =
  | { readonly type: Type; readonly tree: Expression; readonly error?: undefined }
  | { readonly type?: undefined; readonly error: string };

export class Engine {
  readonly #cache = new WeakMap<object, Map<string, unknown>>();
  readonly #base = new Environment();

  constructor() {
    addStandard(this.#base);
    addTimes(this.#base);
    addTextLibrary(this.#base);
    addListLibrary(this.#base);
    addOptionals(this.#base);
    addUrlLibrary(this.#base);
    addIpLibrary(this.#base);
    addQuantityLibrary(this.#base);
    addSemverLibrary(this.#base);
    addFormatLibrary(this.#base);
    addAuthorizerLibrary(this.#base);
  }

  /** Returns the value that was made before for a stored object, which never changes, or makes it. */
  cached<T>(owner: object, key: string, make: () => T): T {
    let known = this.#cache.get(owner);
    if (known === undefined) this.#cache.set(owner, known = new Map());
    if (!known.has(key)) known.set(key, make());
    // The value under a key was made by the same caller.
    return known.get(key) as T;
  }

  /** Returns an environment without variables, which may be added. */
  environment(): Environment {
    return this.#base.clone();
  }

  /** Returns the type that an expression has, or its errors, in the words of compile(). */
  typeOf(environment: Environment, source: string): Typed {
    const { tree, errors } = parseExpression(source);
    if (tree === undefined) return failed(source, errors);
    const wrong = checkTypes(environment, tree);
    // The check has given it a type.
    return wrong.length === 0 ? { type: tree.type as Type, tree } : failed(source, wrong);
  }

  /** Compiles an expression, which must give one of the types, such as "bool"; an empty list takes any. */
  compile(environment: Environment, source: string, types: readonly string[]): Compiled {
    const { type, error, ...typed } = this.typeOf(environment, source);
    if (type === undefined || !("tree" in typed)) return { error: error ?? "" };
    const name = printType(type);
    if (types.length > 0 && !types.includes(name) && !(type.kind === "dyn" && types.includes("dyn"))) {
      return { error: `must evaluate to ${listed(types)} but got ${name}` };
    }
    const { tree } = typed;
    return { program: { evaluate: compileTree(environment, tree), tree } };
  }
}

function failed(source: string, errors: readonly ExpressionError[]): { readonly error: string } {
  return { error: `compilation failed: ${printErrors(source, errors)}` };
}

/** A result of any type is let pass, as its type is not known here, but the message does not offer that type. */
function listed(types: readonly string[]): string {
  const wanted = types.filter((type) => type !== "dyn").map((type) => type === "null" ? "null_type" : type);
  return wanted.length > 1 ? `one of [${wanted.join(" ")}]` : wanted.join("");
}

/** Returns errors in cel-go's form: where each is, the line, and an arrow. */
function printErrors(source: string, errors: readonly ExpressionError[]): string {
  const lines = source.split("\n");
  return errors.map(({ at, message }) => {
    const before = source.slice(0, at).split("\n");
    const column = [...before.at(-1) ?? ""].length;
    return { line: before.length, column, message };
  }).sort((a, b) => a.line - b.line || a.column - b.column).map(({ line, column, message }) =>
    `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${lines[line - 1] ?? ""}\n | ${".".repeat(column)}^`
  ).join("\n");
}
