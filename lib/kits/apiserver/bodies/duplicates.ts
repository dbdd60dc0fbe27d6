/**
 * Keys that stand twice in an object: JSON.parse() keeps the last one in silence.
 *
 * The text was parsed before, so that it is known to be JSON.
 */

/** Returns the paths of the keys that stand more than once in their object, such as `spec.ports[0].name`. */
export function duplicateKeys(text: string): string[] {
  return scan(text, NONE).map(({ path }) => path);
}

/** A key that a strict decoder does not take. */
export interface KeyFault {
  readonly path: string;
  readonly is: "unknown" | "duplicate";
}

/**
 * Returns the keys that stand more than once, and the unknown ones, in the order in which Go's decoder comes to them.
 *
 * Unknown ones are told once, and their values are not looked into.
 */
export function keyFaults(text: string, unknown: readonly string[]): KeyFault[] {
  if (unknown.length === 0) return scan(text, NONE);
  const found = scan(text, new Set(unknown));
  const told = new Set(found.map(({ path }) => path));
  const others = unknown.filter((path) => !told.has(path));
  return [...found, ...others.map((path) => ({ path, is: "unknown" as const }))];
}

const NONE: ReadonlySet<string> = new Set();

function scan(text: string, unknown: ReadonlySet<string>): KeyFault[] {
  return new Scanner(text, unknown).run();
}

interface Level {
  /** Of an object: the keys so far; undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** It is below an unknown key. */
  readonly hidden: boolean;
  /** Of an object: its newest key; of a list: the index of its newest item. */
  at: string | number;
}

class Scanner {
  readonly #text: string;
  readonly #unknown: ReadonlySet<string>;
  /** By path. */
  readonly #found = new Map<string, KeyFault>();
  readonly #levels: Level[] = [];

  constructor(text: string, unknown: ReadonlySet<string>) {
    this.#text = text;
    this.#unknown = unknown;
  }

  run(): KeyFault[] {
    const text = this.#text;
    for (let i = 0; i < text.length; i++) {
      const char = text.charCodeAt(i);
      if (char === 0x22) i = this.#string(i);
      else if (char === 0x7b || char === 0x5b) this.#open(char === 0x7b);
      else if (char === 0x7d || char === 0x5d) this.#levels.pop();
      else if (char === 0x2c) this.#next();
    }
    return [...this.#found.values()];
  }

  /** Passes a text, which is a key if a colon follows; returns where it ends. */
  #string(start: number): number {
    const text = this.#text;
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    const level = this.#levels.at(-1);
    if (level?.keys === undefined || !isColonAfter(text, end)) return end;
    const raw = text.slice(start + 1, end);
    // A text in JSON is one for JSON.parse, too.
    const key = raw.includes("\\") ? JSON.parse(`"${raw}"`) as string : raw;
    level.at = key;
    if (!level.hidden) this.#check(level.keys.has(key));
    level.keys.add(key);
    return end;
  }

  #check(isRepeated: boolean): void {
    const isUnknown = this.#isUnknown();
    if (!isUnknown && !isRepeated) return;
    const path = this.#path();
    if (!this.#found.has(path)) this.#found.set(path, { path, is: isUnknown ? "unknown" : "duplicate" });
  }

  /** NB: in most bodies all keys are known, and their places are not asked for. */
  #isUnknown(): boolean {
    return this.#unknown.size > 0 && this.#unknown.has(this.#path());
  }

  /** Returns where the newest value is. */
  #path(): string {
    let path = "";
    for (const { at } of this.#levels) {
      path += typeof at === "number" ? `[${at}]` : path === "" ? at : `.${at}`;
    }
    return path;
  }

  #open(isObject: boolean): void {
    const hidden = this.#levels.at(-1)?.hidden === true || this.#isUnknown();
    this.#levels.push(
      isObject ? { keys: new Set(), hidden, at: "" } : { keys: undefined, hidden, at: 0 },
    );
  }

  #next(): void {
    const level = this.#levels.at(-1);
    if (typeof level?.at === "number") level.at++;
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
