/**
 * The order of a search: the ordinary run first, then all runs with one thing out of the ordinary (a fault, a message that overtakes
 * another one, an edit), then with two, and so on; of as many, those with fewer faults come first. So the first counter-example is short.
 */

import type { Faults, Point, Verdict } from "./run_choices.ts";

/** The beginning of a run that waits to be tried. */
interface Beginning {
  readonly choices: readonly string[];
  readonly faults: number;
  /** How many things are out of the ordinary, faults among them. */
  readonly turns: number;
}

/** Bounds of a search. */
export interface SearchOptions {
  /** How many choices a run has at most. */
  readonly depth: number;
}

/** A search. */
export class Search {
  readonly #options: SearchOptions;
  /** By turns, and then by faults. */
  readonly #waiting: Beginning[][][] = [[[{ choices: [], faults: 0, turns: 0 }]]];
  /** The faults with which each state was entered; the fewest. */
  readonly #seen = new Map<string, Faults[]>();
  #current: Beginning = { choices: [], faults: 0, turns: 0 };
  /** The states of the current run so far. */
  #path = new Set<string>();
  /** How many runs were cut at the depth. */
  cut = 0;
  /** How many choices the longest run had. */
  deepest = 0;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** How many states there are. */
  get states(): number {
    return this.#seen.size;
  }

  /** How many beginnings wait. */
  get waiting(): number {
    return this.#waiting.reduce(
      (sum, rows) => sum + rows.reduce((count, { length }) => count + length, 0),
      0,
    );
  }

  /** Returns the choices of the next run; undefined: there is none. */
  next(): readonly string[] | undefined {
    for (const rows of this.#waiting) {
      for (const row of rows ?? []) {
        const beginning = row?.shift();
        if (beginning === undefined) continue;
        this.#current = beginning;
        this.#path = new Set();
        return beginning.choices;
      }
    }
  }

  /** Takes a point of the current run, after its beginning. */
  visit({ choices, options, used, key }: Point): Verdict {
    this.deepest = Math.max(this.deepest, choices.length);
    if (choices.length >= this.#options.depth) {
      this.cut += 1;
      return "end";
    }
    const state = key();
    // A run that comes back to a state of its own may never end: it is looked whether it comes to rest.
    if (this.#path.has(state)) return "end";
    this.#path.add(state);
    if (this.#isSeen(state, used)) return "cut";
    for (const option of options.slice(1)) {
      this.#push({
        choices: [...choices, option.label],
        faults: this.#current.faults + (option.fault === undefined ? 0 : 1),
        turns: this.#current.turns + (option.isTurn || option.fault !== undefined ? 1 : 0),
      });
    }
    return "go";
  }

  #push(beginning: Beginning): void {
    const rows = this.#waiting[beginning.turns] ??= [];
    (rows[beginning.faults] ??= []).push(beginning);
  }

  /** Whether a state was entered with as few faults, or fewer. */
  #isSeen(state: string, used: Faults): boolean {
    const before = this.#seen.get(state) ?? [];
    if (before.some((each) => isLess(each, used))) return true;
    this.#seen.set(state, [...before.filter((each) => !isLess(used, each)), used]);
    return false;
  }
}

function isLess(one: Faults, other: Faults): boolean {
  return one.kills <= other.kills && one.losses <= other.losses && one.delays <= other.delays;
}
