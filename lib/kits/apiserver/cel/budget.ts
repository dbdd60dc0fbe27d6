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
/** Those whose rounds give true or false, and which go on after an error: a round must not begin once there were too many. */
const CHOICES = new Set(["all", "exists", "exists_one", "existsOne", "filter"]);
const LOOPS = new Set([...CHOICES, "map"]);

/** The words of an expression that took too long. */
export const TOO_LONG = "operation cancelled: actual cost limit exceeded";

export class Budget {
  #rounds = 0;
  /** NB: loops go on after an error, which may be thrown a hundred thousand times; making one each time would take longest. */
  readonly #error = new RangeError(TOO_LONG);

  /** Counts a round, and gives back what it was given. @throws {RangeError} If there have been too many. */
  spend(value: unknown = true): unknown {
    if (++this.#rounds > ROUNDS) throw this.#error;
    return value;
  }

  /** To be called before each evaluation. */
  renew(): void {
    this.#rounds = 0;
  }
}

/** A bracket that is open, and how much of the loop that it belongs to has been seen. */
interface Place {
  readonly of?: "choice" | "map" | undefined;
  at: "other" | "variable" | "body" | "rest";
}

/** Returns the text with loops that count; undefined if there are none. */
export function countedLoops(source: string): string | undefined {
  const tokens = tokensOf(source);
  const open: Place[] = [];
  let [text, last, isCounted] = ["", "", false];
  let loop: "choice" | "map" | undefined;
  for (const token of tokens) {
    if (token.trim() === "" || token.startsWith("//")) {
      text += token;
      continue;
    }
    if (token === "(") open.push({ of: loop, at: loop === undefined ? "other" : "variable" });
    else if (token === "[" || token === "{") open.push({ at: "other" });
    const isEnd = token === "," || token === ")";
    const place = open.at(-1);
    if (isEnd && place?.at === "body") text += place.of === "map" ? ")" : ") : false";
    if (token === ")" || token === "]" || token === "}") open.pop();
    text += token;
    if (token === "," && place?.at === "variable") {
      text += place.of === "map" ? `${SPEND}(` : `${SPEND}() ? (`;
      place.at = "body";
      isCounted = true;
    } else if (token === "," && place?.at === "body") place.at = "rest";
    const isLoop = LOOPS.has(token) && last === ".";
    loop = !isLoop ? undefined : CHOICES.has(token) ? "choice" : "map";
    last = token;
  }
  return isCounted ? text : undefined;
}
