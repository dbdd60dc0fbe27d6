/**
 * Draws texts that a regular expression matches: of the expressions that definitions have, which are Go's.
 *
 * Lookarounds and back-references are unknown to Go, and here. A text is checked before it is used; where none is found, some
 * texts of everyday are tried.
 */

import type { Random } from "../../../runtime/host.ts";

/** Texts that patterns of definitions often want. */
const EVERYDAY = [
  "a",
  "a-b",
  "1",
  "1.0",
  "1.2.3",
  "v1",
  "10Gi",
  "100m",
  "example.com",
  "a@example.com",
  "10s",
  "0 * * * *",
];

/** How many repeats "*" and "+" are worth. */
const MOST_REPEATS = 4;

/** Returns a text that the pattern matches; undefined if none was found. */
export function drawText(pattern: string, random: Random): string | undefined {
  const wanted = compiled(pattern);
  if (wanted === undefined) return undefined;
  for (let tries = 0; tries < 5; tries++) {
    const text = new Drawer(pattern, random).text();
    if (text !== undefined && wanted.test(text)) return text;
  }
  return EVERYDAY.find((text) => wanted.test(text));
}

function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  d: "0123456789",
  w: "abcxyzABC019_",
  s: " ",
  D: "ab-",
  W: "-.",
  S: "ab1",
};

/** Reads a pattern from left to right, and draws as it goes. */
class Drawer {
  readonly #pattern: string;
  readonly #random: Random;
  #at = 0;

  constructor(pattern: string, random: Random) {
    this.#pattern = pattern;
    this.#random = random;
  }

  text(): string | undefined {
    try {
      return this.#alternatives();
    } catch {
      return undefined;
    }
  }

  #alternatives(): string {
    const choices = [this.#sequence()];
    while (this.#pattern[this.#at] === "|") {
      this.#at++;
      choices.push(this.#sequence());
    }
    return choices[this.#upTo(choices.length)] ?? "";
  }

  #sequence(): string {
    let text = "";
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] ?? "")) {
      const from = this.#at;
      const first = this.#atom();
      const end = this.#at;
      const count = this.#repeats();
      const next = this.#at;
      if (count > 0) text += first;
      for (let again = 1; again < count; again++) {
        this.#at = from;
        text += this.#atom();
      }
      if (this.#at !== next && this.#at !== end) throw new SyntaxError("The pattern is not understood");
      this.#at = next;
    }
    return text;
  }

  #atom(): string {
    const character = this.#pattern[this.#at++] ?? "";
    switch (character) {
      case "^":
      case "$":
        return "";
      case ".":
        return "a";
      case "(": {
        if (this.#pattern.startsWith("?:", this.#at)) this.#at += 2;
        else if (this.#pattern[this.#at] === "?") throw new SyntaxError("Such groups are not understood");
        const text = this.#alternatives();
        this.#at++;
        return text;
      }
      case "[":
        return this.#set();
      case "\\":
        return this.#escape();
      default:
        return character;
    }
  }

  #escape(): string {
    const character = this.#pattern[this.#at++] ?? "";
    if ("bBAz".includes(character)) return "";
    const all = CLASSES[character];
    return all === undefined ? character : all[this.#upTo(all.length)] ?? "";
  }

  #set(): string {
    const isNegated = this.#pattern[this.#at] === "^";
    if (isNegated) this.#at++;
    let all = "";
    for (let isFirst = true; isFirst || this.#pattern[this.#at] !== "]"; isFirst = false) {
      if (this.#at >= this.#pattern.length) throw new SyntaxError("The pattern is not understood");
      const character = this.#pattern[this.#at++] ?? "";
      if (character === "\\") {
        const escaped = this.#pattern[this.#at++] ?? "";
        all += CLASSES[escaped] ?? escaped;
      } else if (this.#pattern[this.#at] === "-" && this.#pattern[this.#at + 1] !== "]") {
        all += between(character, this.#pattern[this.#at + 1] ?? "");
        this.#at += 2;
      } else all += character;
    }
    this.#at++;
    if (!isNegated) return all[this.#upTo(all.length)] ?? "";
    return [..."abcxyz019-_. "].find((each) => !all.includes(each)) ?? "~";
  }

  #repeats(): number {
    const character = this.#pattern[this.#at] ?? "";
    const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#pattern.slice(this.#at));
    const [least, most] = counted !== null
      ? [
        Number(counted[1]),
        counted[2] === undefined
          ? Number(counted[1])
          : Number(counted[3] || Number(counted[1]) + MOST_REPEATS),
      ]
      : character === "*"
      ? [0, MOST_REPEATS]
      : character === "+"
      ? [1, MOST_REPEATS]
      : character === "?"
      ? [0, 1]
      : [1, 1];
    if (counted !== null) this.#at += counted[0].length;
    else if ("*+?".includes(character) && character !== "") this.#at++;
    if (this.#pattern[this.#at] === "?") this.#at++;
    return least + this.#upTo(Math.min(most - least, 20) + 1);
  }

  #upTo(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }
}

/** All characters from one to another; of very many, the first. */
function between(from: string, to: string): string {
  const [first, last] = [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0];
  return String.fromCodePoint(
    ...Array.from({ length: Math.min(Math.max(last - first + 1, 0), 64) }, (_, index) => first + index),
  );
}
