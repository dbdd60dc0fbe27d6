/**
 * JSON in and out, with whole numbers of any size: numbers beyond 2^53, which a number would round, are bigints.
 *
 * Texts without a long row of digits, which is nearly all of them, are read and written by the engine alone. Others are
 * read by a loop of our own: the engines' way (a reviver with the source of each value) is no faster, and ends some
 * thousand levels before objects do, which may be nested as deep as API servers take them.
 */

/** As many as 2^53 has: numbers of fewer digits are exact. */
const DIGITS = 16;
const WHOLE = /^-?[0-9]+$/;

/** Levels of nesting that are written: API servers take 10,000, and a list or request may be around them. */
const DEEPEST = 11_000;

/**
 * Returns the value of a JSON text. Whole numbers that are not safe integers are bigints.
 *
 * @param bits Of how many bits bigints are at most; larger ones are rounded. Default: no limit.
 * @throws {SyntaxError} If it is not JSON.
 */
export function parseJson(text: string, bits = Infinity): unknown {
  const rounded: unknown = JSON.parse(text);
  return hasLongNumber(text) ? new Reader(text, bits).read() : rounded;
}

/**
 * Whether a row of digits may be a number that was rounded. A row that only looks like one, in a text say, only costs time.
 * It reads one character in sixteen, which costs a fiftieth of parsing; any regular expression costs a tenth.
 */
function hasLongNumber(text: string): boolean {
  for (let at = DIGITS - 1; at < text.length; at += DIGITS) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end - start >= DIGITS && (start === 0 || STARTS.includes(text[start - 1] ?? ""))) return true;
    at = end;
  }
  return false;
}

/**
 * Returns the function that reads a JSON text in these bytes: {@linkcode parseJson}, or the engine alone where no number in them can
 * be one that it rounds. Bytes are looked at in a third of the time of characters, and all lines of a chunk at once.
 */
export function parserFor(bytes: Uint8Array): (text: string) => unknown {
  for (let at = DIGITS - 1; at < bytes.length; at += DIGITS) {
    const code = bytes[at] ?? 0;
    if (code < 0x30 || code > 0x39) continue;
    let start = at;
    while (isDigit(bytes[start - 1] ?? 0)) start--;
    let end = at + 1;
    while (isDigit(bytes[end] ?? 0)) end++;
    if (end - start >= DIGITS) return parseJson;
    at = end;
  }
  return parseAlone;
}

function parseAlone(text: string): unknown {
  return JSON.parse(text);
}

/** NB: NaN, which stands beyond both ends of a text, is none. */
function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** An object or list that is being read. */
interface Open {
  readonly value: unknown[] | Record<string, unknown>;
  /** Of an object: the key whose value comes next. */
  key: string | undefined;
}

/** Reads a text that is known to be JSON, with a stack of its own. */
class Reader {
  readonly #text: string;
  readonly #bits: number;
  readonly #open: Open[] = [];
  #root: unknown;

  constructor(text: string, bits: number) {
    this.#text = text;
    this.#bits = bits;
  }

  read(): unknown {
    const text = this.#text;
    for (let at = 0; at < text.length;) {
      const char = text[at] ?? "";
      if (char === '"') at = this.#string(at);
      else if (char === "{" || char === "[") at = this.#begin(char, at);
      else if (char === "}" || char === "]") at = this.#end(at);
      else if (SEPARATORS.includes(char)) at++;
      else at = this.#literal(at);
    }
    return this.#root;
  }

  #string(start: number): number {
    const text = this.#text;
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    const raw = text.slice(start, end + 1);
    const value = raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
    const level = this.#open.at(-1);
    if (level === undefined || Array.isArray(level.value) || level.key !== undefined) this.#put(value);
    else level.key = value;
    return end + 1;
  }

  #begin(char: string, at: number): number {
    const value = char === "[" ? [] : {};
    this.#put(value);
    this.#open.push({ value, key: undefined });
    return at + 1;
  }

  #end(at: number): number {
    this.#open.pop();
    return at + 1;
  }

  /** A number, true, false or null. */
  #literal(start: number): number {
    const text = this.#text;
    let end = start + 1;
    while (end < text.length && !ENDS.includes(text[end] ?? "")) end++;
    const source = text.slice(start, end);
    const value: unknown = JSON.parse(source);
    const isRounded = typeof value === "number" && !Number.isSafeInteger(value) && WHOLE.test(source);
    this.#put(isRounded ? this.#exact(source, value) : value);
    return end;
  }

  #exact(source: string, rounded: number): number | bigint {
    const exact = BigInt(source);
    return this.#bits === Infinity || BigInt.asIntN(this.#bits, exact) === exact ? exact : rounded;
  }

  #put(value: unknown): void {
    const level = this.#open.at(-1);
    if (level === undefined) this.#root = value;
    else if (Array.isArray(level.value)) level.value.push(value);
    else if (level.key !== undefined) {
      // NB: a plain assignment to "__proto__" would change the prototype.
      if (level.key !== "__proto__") level.value[level.key] = value;
      else {Object.defineProperty(level.value, level.key, {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });}
      level.key = undefined;
    }
  }
}

const SEPARATORS = ",: \n\r\t";
const STARTS = ":[,- \n\r\t";
const ENDS = ",]} \n\r\t";

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text[quote - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/**
 * Returns the JSON text of a value, as `JSON.stringify` does, with bigints as whole numbers. A value without JSON is null.
 *
 * @param indent By how many blanks each level is indented. Default: 0, everything in one line.
 * @throws {TypeError} If the value is a circle.
 */
export function formatJson(value: unknown, indent = 0): string {
  // NB: programs may have given bigints a `toJSON` of their own, which makes strings of them.
  if (!("toJSON" in BigInt.prototype)) {
    try {
      // V8 takes twice as long where an indent is given, even if it is 0.
      return (indent === 0 ? JSON.stringify(value) : JSON.stringify(value, undefined, indent)) ?? "null";
    } catch (error) {
      // A bigint is in it, or it is nested too deeply for the engine.
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    }
  }
  return writeJson(value, { indent });
}

/** Options of {@linkcode writeJson}. */
export interface WriteJsonOptions {
  /** By how many blanks each level is indented. Default: 0, everything in one line. */
  readonly indent?: number;
  /** How numbers are written. Default: as `JSON.stringify` does. */
  readonly formatNumber?: (value: number) => string;
}

/**
 * Returns the JSON text of a value without the engine's help: slower, but with numbers in any form.
 *
 * @throws {TypeError} If the value is a circle.
 */
export function writeJson(value: unknown, options: WriteJsonOptions = {}): string {
  return new Writer(options).write(value);
}

/** An object or list that is being written. */
interface Level {
  readonly value: Readonly<Record<string, unknown>>;
  readonly keys: readonly string[];
  readonly isList: boolean;
  at: number;
  isEmpty: boolean;
}

/** Writes JSON with a stack of its own. */
class Writer {
  readonly #indent: number;
  readonly #formatNumber: (value: number) => string;
  readonly #pieces: string[] = [];
  readonly #open: Level[] = [];

  constructor({ indent = 0, formatNumber = JSON.stringify }: WriteJsonOptions) {
    this.#indent = indent;
    this.#formatNumber = formatNumber;
  }

  write(root: unknown): string {
    if (!this.#begin(toPlain(root, ""))) return "null";
    for (let level = this.#open.at(-1); level !== undefined; level = this.#open.at(-1)) {
      const key = level.keys[level.at++];
      if (key === undefined) this.#end(level);
      else this.#member(level, key);
    }
    return this.#pieces.join("");
  }

  #member(level: Level, key: string): void {
    const value = toPlain(level.value[key], key);
    if (!level.isList && !hasJson(value)) return;
    if (!level.isEmpty) this.#pieces.push(",");
    level.isEmpty = false;
    this.#break(this.#open.length);
    if (!level.isList) this.#pieces.push(JSON.stringify(key), this.#indent > 0 ? ": " : ":");
    if (!this.#begin(value)) this.#pieces.push("null");
  }

  /** Writes a scalar, or the beginning of an object or list; false if the value has no JSON. */
  #begin(value: unknown): boolean {
    if (!hasJson(value)) return false;
    if (typeof value !== "object" || value === null) {
      this.#pieces.push(this.#scalar(value));
      return true;
    }
    if (this.#open.length >= DEEPEST) {
      throw new TypeError("Cannot write JSON: it is a circle, or nested too deeply");
    }
    const isList = Array.isArray(value);
    // Any object may be asked for its own keys; the keys of a list are its indices, and holes are null.
    const keys = isList ? Array.from(value, (_, index) => String(index)) : Object.keys(value);
    this.#pieces.push(isList ? "[" : "{");
    this.#open.push({ value: value as Record<string, unknown>, keys, isList, at: 0, isEmpty: true });
    return true;
  }

  #scalar(value: unknown): string {
    if (typeof value === "bigint") return String(value);
    return typeof value === "number" ? this.#formatNumber(value) : JSON.stringify(value);
  }

  #end({ isList, isEmpty }: Level): void {
    this.#open.pop();
    if (!isEmpty) this.#break(this.#open.length);
    this.#pieces.push(isList ? "]" : "}");
  }

  #break(levels: number): void {
    if (this.#indent > 0) this.#pieces.push("\n", " ".repeat(this.#indent * levels));
  }
}

function toPlain(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !("toJSON" in value)) return value;
  return typeof value.toJSON === "function" ? value.toJSON(key) : value;
}

function hasJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}
