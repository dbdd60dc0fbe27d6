/**
 * The words of an expression.
 *
 * Source: cel-spec, doc/langdef.md, "Syntax".
 */

import { UnsignedInteger } from "./values.ts";

/** A word. It has a value if it is a literal. */
export interface Token {
  readonly kind: "identifier" | "literal" | "operator" | "end";
  readonly text: string;
  readonly at: number;
  readonly value?: unknown;
}

/** A fault in an expression, and its place. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const BLANK = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;
const IDENTIFIER = /[A-Za-z_]\w*/y;
/** An identifier in back quotes, which Kubernetes does not allow. */
const QUOTED = /`[\w./ -]+`/y;
const NUMBER =
  /0x([0-9a-fA-F]+)(u|U)?|(\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(\d+)(u|U)?/y;
const TEXT = /([rR]?[bB]?|[bB][rR])("""|'''|"|')/y;
const OPERATOR = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;

/** The words of a text, the last of which marks the end, and the errors where no word could be read. */
export interface Words {
  readonly words: readonly Token[];
  readonly errors: readonly ExpressionError[];
}

/** Returns the words of a text. Unreadable parts are left out of them. @throws {ExpressionError} If a literal has no value. */
export function wordsOf(source: string): Words {
  const words: Token[] = [];
  const errors: ExpressionError[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  while (at < source.length) {
    const blank = take(BLANK);
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const quoted = plainWord("identifier", at, take(QUOTED));
    if (quoted !== undefined) errors.push(new ExpressionError("unsupported syntax: '`'", at));
    const word = quoted ?? textWord(source, at, take(TEXT)) ?? numberWord(at, take(NUMBER)) ??
      plainWord("identifier", at, take(IDENTIFIER)) ?? plainWord("operator", at, take(OPERATOR)) ??
      // NB: half an operator takes the next character with it.
      unreadable(source, at, at + ("=&|".includes(source[at] ?? "") ? 2 : 1));
    if (word.kind !== "unreadable") words.push(word);
    else {
      const shown = word.text.replaceAll("\n", "\\n");
      errors.push(new ExpressionError(`Syntax error: token recognition error at: '${shown}'`, at));
    }
    at += word.text.length;
  }
  words.push({ kind: "end", text: "<EOF>", at });
  return { words, errors };
}

/** A part of a text that is no word. */
interface Unreadable {
  readonly kind: "unreadable";
  readonly at: number;
  readonly text: string;
}

function unreadable(source: string, at: number, end: number): Unreadable {
  return { kind: "unreadable", at, text: source.slice(at, end) };
}

function plainWord(kind: Token["kind"], at: number, found: RegExpExecArray | null): Token | undefined {
  if (found === null) return undefined;
  const [text] = found;
  if (text === "true" || text === "false") return { kind: "literal", text, at, value: text === "true" };
  if (text === "null") return { kind: "literal", text, at, value: null };
  return { kind: text === "in" ? "operator" : kind, text, at };
}

const LARGEST = 2n ** 64n - 1n;

function numberWord(at: number, found: RegExpExecArray | null): Token | undefined {
  if (found === null) return undefined;
  const [text, hex, hexUnsigned, double, digits, unsigned] = found;
  if (double !== undefined) {
    const value = Number(double);
    if (!Number.isFinite(value)) throw new ExpressionError("invalid double literal", at);
    return { kind: "literal", text, at, value };
  }
  const number = hex === undefined ? BigInt(digits ?? "0") : BigInt(`0x${hex}`);
  if (unsigned === undefined && hexUnsigned === undefined) {
    // NB: the least integer is written with its sign, which is not part of the word.
    if (number > 2n ** 63n) throw new ExpressionError("invalid int literal", at);
    return { kind: "literal", text, at, value: number };
  }
  if (number > LARGEST) throw new ExpressionError("invalid uint literal", at);
  return { kind: "literal", text, at, value: new UnsignedInteger(number) };
}

const WRITTEN_ESCAPE =
  /\\(?:[abfnrtv\\?"'`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;

function textWord(source: string, at: number, found: RegExpExecArray | null): Token | Unreadable | undefined {
  if (found === null) return undefined;
  const [opening, prefix = "", quote = ""] = found;
  const isRaw = /r/i.test(prefix);
  let end = at + opening.length;
  while (!source.startsWith(quote, end)) {
    if (end >= source.length || quote.length === 1 && source[end] === "\n") {
      return unreadable(source, at, end + 1);
    }
    if (source[end] !== "\\" || isRaw) end++;
    else {
      WRITTEN_ESCAPE.lastIndex = end;
      const escape = WRITTEN_ESCAPE.exec(source);
      if (escape === null) return unreadable(source, at, end + 2);
      end += escape[0].length;
    }
  }
  const body = source.slice(at + opening.length, end);
  const text = source.slice(at, end + quote.length);
  const isBytes = /b/i.test(prefix);
  const value = isBytes ? bytesOf(body, isRaw, at) : isRaw ? body : unescaped(body, at);
  return { kind: "literal", text, at, value };
}

const ESCAPE =
  /\\(?:([abfnrtv\\?"'`])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]?))/g;
const SHORT: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

function unescaped(body: string, at: number): string {
  return body.replace(
    ESCAPE,
    (all, short?: string, hex?: string, four?: string, eight?: string, octal?: string) => {
      if (short !== undefined) return SHORT[short] ?? short;
      const code = octal === undefined
        ? Number.parseInt(hex ?? four ?? eight ?? "", 16)
        : Number.parseInt(octal, 8);
      if (Number.isNaN(code) || code > 0x10ffff) {
        throw new ExpressionError(
          `invalid escape sequence ${all}`,
          at,
        );
      }
      return String.fromCodePoint(code);
    },
  );
}

/** In bytes, `\x` and octal escapes are bytes, and everything else is UTF-8. */
function bytesOf(body: string, isRaw: boolean, at: number): Uint8Array {
  if (isRaw) return new TextEncoder().encode(body);
  const bytes: number[] = [];
  for (const part of body.match(/\\(?:[xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|[^])|[^\\]+/g) ?? []) {
    const [, hex, octal] = /^\\(?:[xX]([0-9a-fA-F]{2})|([0-3][0-7]{2}))$/.exec(part) ?? [];
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(unescaped(part, at)));
  }
  return Uint8Array.from(bytes);
}
