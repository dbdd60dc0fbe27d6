/**
 * Keys that stand twice in an object: JSON.parse() keeps the last one and says nothing.
 *
 * The text was parsed before, so that it is known to be JSON.
 */

/** Returns the paths of the keys that stand more than once in their object, such as `spec.ports[0].name`. */
export function duplicateKeys(text: string): string[] {
  return new Scanner(text).run();
}

interface Level {
  /** Of an object: the keys so far; undefined for a list. */
  readonly keys: Set<string> | undefined;
  readonly path: string;
  /** Of an object: where its newest value is; of a list: the index. */
  at: string;
  index: number;
}

class Scanner {
  readonly #text: string;
  readonly #found: string[] = [];
  readonly #levels: Level[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): string[] {
    const text = this.#text;
    for (let i = 0; i < text.length; i++) {
      const char = text.charCodeAt(i);
      if (char === 0x22) i = this.#string(i);
      else if (char === 0x7b || char === 0x5b) this.#open(char === 0x7b);
      else if (char === 0x7d || char === 0x5d) this.#levels.pop();
      else if (char === 0x2c) this.#next();
    }
    return this.#found;
  }

  /** Passes a text, which is a key if a colon follows; returns where it ends. */
  #string(start: number): number {
    const text = this.#text;
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    const level = this.#levels.at(-1);
    if (level?.keys === undefined || !isColonAfter(text, end)) return end;
    const raw = text.slice(start, end + 1);
    // A text in JSON is one for JSON.parse, too.
    const key = raw.includes("\\") ? JSON.parse(raw) as string : raw.slice(1, -1);
    level.at = level.path === "" ? key : `${level.path}.${key}`;
    if (level.keys.has(key) && !this.#found.includes(level.at)) this.#found.push(level.at);
    level.keys.add(key);
    return end;
  }

  #open(isObject: boolean): void {
    const level = this.#levels.at(-1);
    const path = level === undefined
      ? ""
      : level.keys === undefined
      ? `${level.path}[${level.index}]`
      : level.at;
    this.#levels.push({ keys: isObject ? new Set() : undefined, path, at: path, index: 0 });
  }

  #next(): void {
    const level = this.#levels.at(-1);
    if (level !== undefined && level.keys === undefined) level.index++;
  }
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

function isColonAfter(text: string, end: number): boolean {
  let i = end + 1;
  while (text.charCodeAt(i) <= 0x20) i++;
  return text.charCodeAt(i) === 0x3a;
}
