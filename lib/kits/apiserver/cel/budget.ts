/**
 * How long an expression may take: its loops count their rounds, and end when there are too many.
 *
 * The evaluator does not count; so that the text of the loops is made to. A round is taken to cost five units of the
 * million that the real server allows, which counts each step. Source: k8s.io/apiserver, pkg/apis/cel/config.go.
 */

import { tokensOf } from "./source.ts";

/** The function that the text of counted loops calls. */
export const SPEND = "spend__round";
const ROUNDS = 200_000;
const LOOPS = new Set(["all", "exists", "exists_one", "existsOne", "map", "filter"]);

/** The words of an expression that took too long. */
export const TOO_LONG = "operation cancelled: actual cost limit exceeded";

export class Budget {
  #rounds = 0;
  /** NB: loops go on after an error, which may be thrown a hundred thousand times; making one each time would take longest. */
  readonly #error = new RangeError(TOO_LONG);

  /** Counts a round, and gives back what it was given. @throws {RangeError} If there have been too many. */
  spend(value: unknown): unknown {
    if (++this.#rounds > ROUNDS) throw this.#error;
    return value;
  }

  /** To be called before each evaluation. */
  renew(): void {
    this.#rounds = 0;
  }
}

/** Returns the text with loops that count; undefined if there are none. */
export function countedLoops(source: string): string | undefined {
  const tokens = tokensOf(source);
  /** For each bracket that is open: whether it is a loop's, and how much of it has been seen. */
  const open: ("other" | "variable" | "body" | "rest")[] = [];
  let [text, last, isCounted] = ["", "", false];
  let isLoop = false;
  for (const token of tokens) {
    if (token.trim() === "" || token.startsWith("//")) {
      text += token;
      continue;
    }
    if (token === "(") open.push(isLoop ? "variable" : "other");
    else if (token === "[" || token === "{") open.push("other");
    const isEnd = token === "," || token === ")";
    const place = open.at(-1);
    if (isEnd && place === "body") text += ")";
    if (token === ")" || token === "]" || token === "}") open.pop();
    text += token;
    if (token === "," && place === "variable") {
      text += `${SPEND}(`;
      open[open.length - 1] = "body";
      isCounted = true;
    } else if (token === "," && place === "body") {
      open[open.length - 1] = "rest";
    }
    isLoop = LOOPS.has(token) && last === ".";
    last = token;
  }
  return isCounted ? text : undefined;
}
