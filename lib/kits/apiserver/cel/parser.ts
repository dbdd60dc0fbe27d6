/**
 * From the text of an expression to its tree.
 *
 * Source: cel-spec, doc/langdef.md, "Syntax"; cel-go, parser/parser.go, for where errors point. Syntax errors have
 * the real server's words where one word is too much or missing; it words others by the state of its parser.
 */

import { ExpressionError, type Token, wordsOf } from "./lexer.ts";
import { expandMacro } from "./macros.ts";
import type { Expression, FieldEntry, MapEntry } from "./tree.ts";
import { UnsignedInteger } from "./values.ts";

const RESERVED = new Set(
  "as break const continue else for function if import let loop package namespace return var void while"
    .split(" "),
);
const RELATIONS = ["<", "<=", ">", ">=", "==", "!=", "in"];
const BEGINNINGS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
/** How deep an expression may go. */
const DEEPEST = 250;

/** An expression's tree, or the errors in its text. */
export type Parsed =
  | { readonly tree: Expression; readonly errors?: undefined }
  | { readonly tree?: undefined; readonly errors: readonly ExpressionError[] };

/** Parses an expression. */
export function parseExpression(source: string): Parsed {
  const found: ExpressionError[] = [];
  try {
    const { words, errors } = wordsOf(source);
    found.push(...errors);
    const tree = new Parser(words).parse();
    if (found.length === 0) return { tree };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    found.push(error);
  }
  return { errors: found };
}

class Parser {
  readonly #words: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(words: readonly Token[]) {
    this.#words = words;
  }

  parse(): Expression {
    const expression = this.#expression();
    const word = this.#peek();
    if (word.kind !== "end") {
      const rest = this.#words[this.#next + 1]?.kind === "end" ? "extraneous" : "mismatched";
      throw new ExpressionError(`Syntax error: ${rest} input '${word.text}' expecting <EOF>`, word.at);
    }
    return expression;
  }

  #peek(): Token {
    // The last word marks the end, and is never passed.
    return this.#words[this.#next]!;
  }

  #take(): Token {
    const word = this.#peek();
    if (word.kind !== "end") this.#next++;
    return word;
  }

  /** Takes an operator, if it is one of these. */
  #takeIf(...operators: readonly string[]): Token | undefined {
    const word = this.#peek();
    return word.kind === "operator" && operators.includes(word.text) ? this.#take() : undefined;
  }

  #expect(operator: string): Token {
    const found = this.#takeIf(operator);
    if (found !== undefined) return found;
    const word = this.#peek();
    throw new ExpressionError(
      word.kind === "end"
        ? `Syntax error: missing '${operator}' at '<EOF>'`
        : `Syntax error: mismatched input '${word.text}' expecting '${operator}'`,
      word.at,
    );
  }

  #expression(): Expression {
    if (++this.#depth > DEEPEST) {
      throw new ExpressionError(`expression recursion limit exceeded: ${DEEPEST}`, this.#peek().at);
    }
    const condition = this.#logic("_||_", "||", () => this.#logic("_&&_", "&&", () => this.#relation()));
    const mark = this.#takeIf("?");
    let expression = condition;
    if (mark !== undefined) {
      const yes = this.#logic("_||_", "||", () => this.#logic("_&&_", "&&", () => this.#relation()));
      this.#expect(":");
      expression = { op: "call", name: "_?_:_", args: [condition, yes, this.#expression()], at: mark.at };
    }
    this.#depth--;
    return expression;
  }

  /** NB: chains become balanced trees, so that long ones are not deep. */
  #logic(name: string, operator: string, part: () => Expression): Expression {
    const parts = [part()];
    const places: number[] = [];
    for (let word = this.#takeIf(operator); word !== undefined; word = this.#takeIf(operator)) {
      places.push(word.at);
      parts.push(part());
    }
    return balanced({ name, parts, places }, 0, places.length - 1);
  }

  #relation(): Expression {
    let left = this.#sum();
    for (let word = this.#takeIf(...RELATIONS); word !== undefined; word = this.#takeIf(...RELATIONS)) {
      const name = word.text === "in" ? "@in" : `_${word.text}_`;
      left = { op: "call", name, args: [left, this.#sum()], at: word.at };
    }
    return left;
  }

  #sum(): Expression {
    let left = this.#product();
    for (let word = this.#takeIf("+", "-"); word !== undefined; word = this.#takeIf("+", "-")) {
      left = { op: "call", name: `_${word.text}_`, args: [left, this.#product()], at: word.at };
    }
    return left;
  }

  #product(): Expression {
    let left = this.#unary();
    for (let word = this.#takeIf("*", "/", "%"); word !== undefined; word = this.#takeIf("*", "/", "%")) {
      left = { op: "call", name: `_${word.text}_`, args: [left, this.#unary()], at: word.at };
    }
    return left;
  }

  #unary(): Expression {
    const first = this.#peek();
    if (first.text === "-" && first.kind === "operator") {
      const number = this.#words[this.#next + 1];
      if (number?.kind === "literal" && ["bigint", "number"].includes(typeof number.value)) {
        this.#next++;
        return this.#members(negated(this.#take(), first.at));
      }
    }
    const operator = this.#takeIf("!", "-");
    if (operator === undefined) return this.#members(this.#primary());
    let count = 1;
    while (this.#takeIf(operator.text) !== undefined) count++;
    const operand = this.#members(this.#primary());
    if (count % 2 === 0) return operand;
    return { op: "call", name: operator.text === "!" ? "!_" : "-_", args: [operand], at: operator.at };
  }

  #members(start: Expression): Expression {
    let left = start;
    for (;;) {
      const dot = this.#takeIf(".");
      if (dot !== undefined) {
        left = this.#member(left, dot);
        continue;
      }
      const bracket = this.#takeIf("[");
      if (bracket === undefined) return left;
      const name = this.#takeIf("?") === undefined ? "_[_]" : "_[?_]";
      const index = this.#expression();
      this.#expect("]");
      left = { op: "call", name, args: [left, index], at: bracket.at };
    }
  }

  #member(operand: Expression, dot: Token): Expression {
    const isOptional = this.#takeIf("?") !== undefined;
    const word = this.#take();
    if (word.kind !== "identifier") {
      const found = word.kind === "end" ? "<EOF>" : word.text;
      throw new ExpressionError(
        `Syntax error: ${word.kind === "end" ? "mismatched" : "no viable alternative at"} input '${
          word.kind === "end" ? found : `.${found}`
        }'${word.kind === "end" ? " expecting IDENTIFIER" : ""}`,
        word.at,
      );
    }
    if (isOptional) {
      const field: Expression = { op: "literal", value: word.text, at: word.at };
      return { op: "call", name: "_?._", args: [operand, field], at: dot.at };
    }
    const open = this.#takeIf("(");
    if (open === undefined) return { op: "select", operand, field: word.text, isTest: false, at: dot.at };
    return this.#call({ name: word.text, target: operand, args: this.#args(), at: open.at });
  }

  #call(
    call: {
      readonly name: string;
      readonly target?: Expression;
      readonly args: Expression[];
      readonly at: number;
    },
  ): Expression {
    return expandMacro(call) ?? { op: "call", ...call };
  }

  #args(): Expression[] {
    const args: Expression[] = [];
    if (this.#takeIf(")") !== undefined) return args;
    do args.push(this.#expression()); while (this.#takeIf(",") !== undefined);
    this.#expect(")");
    return args;
  }

  #primary(): Expression {
    const word = this.#take();
    if (word.kind === "literal") {
      if (typeof word.value === "bigint" && word.value === 2n ** 63n) {
        throw new ExpressionError("invalid int literal", word.at);
      }
      return { op: "literal", value: word.value, at: word.at };
    }
    if (word.kind === "identifier") return this.#named(word, "");
    if (word.kind === "operator") {
      if (word.text === "(") {
        const inner = this.#expression();
        this.#expect(")");
        return inner;
      }
      if (word.text === "[") return this.#list(word.at);
      if (word.text === "{") return { op: "map", entries: this.#entries(), at: word.at };
      if (word.text === "." && this.#peek().kind === "identifier") return this.#named(this.#take(), ".");
    }
    throw new ExpressionError(
      `Syntax error: mismatched input '${word.text}' expecting ${BEGINNINGS}`,
      word.at,
    );
  }

  #named(word: Token, leading: string): Expression {
    const struct = this.#struct(word);
    if (struct !== undefined) return struct;
    const open = this.#takeIf("(");
    if (RESERVED.has(word.text)) {
      throw new ExpressionError(`reserved identifier: ${word.text}`, word.at);
    }
    if (open !== undefined) return this.#call({ name: word.text, args: this.#args(), at: open.at });
    return { op: "ident", name: leading === "" ? word.text : word.text, at: word.at };
  }

  /** `Name.of.type{…}`, if a brace follows. */
  #struct(first: Token): Expression | undefined {
    let end = this.#next;
    let name = first.text;
    while (this.#words[end]?.text === "." && this.#words[end + 1]?.kind === "identifier") {
      name += `.${this.#words[end + 1]?.text}`;
      end += 2;
    }
    const brace = this.#words[end];
    if (brace?.kind !== "operator" || brace.text !== "{") return undefined;
    this.#next = end + 1;
    const fields: FieldEntry[] = [];
    while (this.#takeIf("}") === undefined) {
      const isOptional = this.#takeIf("?") !== undefined;
      const field = this.#take();
      if (field.kind !== "identifier") {
        throw new ExpressionError(
          `Syntax error: mismatched input '${field.text}' expecting IDENTIFIER`,
          field.at,
        );
      }
      const { at } = this.#expect(":");
      fields.push({ field: field.text, value: this.#expression(), isOptional, at });
      if (this.#takeIf(",") === undefined) {
        this.#expect("}");
        break;
      }
    }
    return { op: "struct", name, fields, at: brace.at };
  }

  #list(at: number): Expression {
    const items: Expression[] = [];
    const optional = new Set<number>();
    while (this.#takeIf("]") === undefined) {
      if (this.#takeIf("?") !== undefined) optional.add(items.length);
      items.push(this.#expression());
      if (this.#takeIf(",") === undefined) {
        this.#expect("]");
        break;
      }
    }
    return { op: "list", items, optional, at };
  }

  #entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    while (this.#takeIf("}") === undefined) {
      const isOptional = this.#takeIf("?") !== undefined;
      const key = this.#expression();
      this.#expect(":");
      entries.push({ key, value: this.#expression(), isOptional });
      if (this.#takeIf(",") === undefined) {
        this.#expect("}");
        break;
      }
    }
    return entries;
  }
}

function negated({ value }: Token, at: number): Expression {
  if (value instanceof UnsignedInteger) throw new ExpressionError("invalid uint literal", at);
  // A number, as the caller has seen.
  return { op: "literal", value: typeof value === "bigint" ? -value : -(value as number), at };
}

interface Chain {
  readonly name: string;
  readonly parts: readonly Expression[];
  readonly places: readonly number[];
}

function balanced(chain: Chain, low: number, high: number): Expression {
  const { name, parts, places } = chain;
  if (places.length === 0) return parts[0]!;
  const middle = Math.floor((low + high + 1) / 2);
  const left = middle === low ? parts[middle]! : balanced(chain, low, middle - 1);
  const right = middle === high ? parts[middle + 1]! : balanced(chain, middle + 1, high);
  return { op: "call", name, args: [left, right], at: places[middle] ?? 0 };
}
