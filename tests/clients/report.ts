/** What suites of others have found, told against a list of what is known not to pass. */

import { readFileSync } from "node:fs";

/** One test of ginkgo's report, as far as it is read here. */
interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string };
}

/** What became of one test. */
export interface Finding {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** What it says of its failure. */
  readonly why?: string;
  /** Why it was not run, in its own words. */
  readonly skipped?: string;
}

/** Reads the tests that have run, or have skipped themselves, from a report that ginkgo has written. */
export function readFindings(path: string): Finding[] {
  // The file is the report of ginkgo.
  const [suite] = JSON.parse(readFileSync(path, "utf8")) as readonly {
    readonly SpecReports: readonly Spec[];
  }[];
  return (suite?.SpecReports ?? [])
    // NB: tests that were not asked for are skipped, too. They have no message.
    .filter(({ State, LeafNodeType, Failure }) =>
      LeafNodeType === "It" && State !== "pending" && (State !== "skipped" || Boolean(Failure?.Message))
    )
    .map(({ ContainerHierarchyTexts, LeafNodeText, State, RunTime, Failure }) => {
      const why = Failure?.Message?.split("\n")[0] || State;
      return {
        name: [...ContainerHierarchyTexts ?? [], LeafNodeText].join(" "),
        passed: State === "passed",
        seconds: RunTime / 1e9,
        why,
        ...State === "skipped" && { skipped: why },
      };
    });
}

/** What a tally holds findings against. */
export interface TallyOptions {
  /** Why tests do not pass, by part of a name, as a regular expression. */
  readonly known: Readonly<Record<string, string>>;
  /** How many tests must have run. Skipped tests do not count. Default: 1. */
  readonly fewest?: number;
}

/** Counts findings, and prints each. */
export class Tally {
  readonly #known: Readonly<Record<string, string>>;
  readonly #fewest: number;
  readonly #skipped = new Map<string, string[]>();
  #all = 0;
  #passed = 0;
  #red = 0;

  constructor({ known, fewest = 1 }: TallyOptions) {
    this.#known = known;
    this.#fewest = fewest;
  }

  /** Prints what became of a test. Returns false if the list says otherwise. */
  tell({ name, passed, seconds, why, skipped }: Finding): boolean {
    if (skipped !== undefined) {
      this.#skipped.set(skipped, [...this.#skipped.get(skipped) ?? [], name]);
      return true;
    }
    const reason = Object.entries(this.#known).find(([part]) => new RegExp(part).test(name))?.[1];
    const isExpected = passed === (reason === undefined);
    this.#all++;
    if (passed) this.#passed++;
    if (!isExpected) this.#red++;
    const because = passed
      ? reason === undefined ? "" : " (known not to pass: take it off the list)"
      : ` (${reason === undefined ? "" : `known: ${reason}; `}${why ?? "no reason is given"})`;
    console.log(`${passed ? "passed" : "FAILED"} ${seconds.toFixed(1)} s ${name}${because}`);
    return isExpected;
  }

  /**
   * Prints the tests that did not run, by their reasons, and the sum. Returns the exit code: 1 if anything was otherwise than the
   * list says, or too few tests have run.
   */
  end(): number {
    for (const [reason, names] of this.#skipped) {
      console.log([`not run, or not counted: ${reason}`, ...names.toSorted()].join("\n  "));
    }
    const skipped = [...this.#skipped.values()].flat().length;
    console.log(
      `${this.#passed} of ${this.#all} passed; ${skipped} not run; ${this.#red} otherwise than the list says`,
    );
    const isEnough = this.#all >= this.#fewest;
    if (!isEnough) console.log(`Only ${this.#all} tests ran: there have been ${this.#fewest}`);
    return this.#red === 0 && isEnough ? 0 : 1;
  }
}
