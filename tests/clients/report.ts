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
}

/** Reads the tests that have run from a report that ginkgo has written. */
export function readFindings(path: string): Finding[] {
  // The file is the report of ginkgo.
  const [suite] = JSON.parse(readFileSync(path, "utf8")) as readonly {
    readonly SpecReports: readonly Spec[];
  }[];
  return (suite?.SpecReports ?? [])
    .filter(({ State, LeafNodeType }) => LeafNodeType === "It" && State !== "skipped" && State !== "pending")
    .map(({ ContainerHierarchyTexts, LeafNodeText, State, RunTime, Failure }) => ({
      name: [...ContainerHierarchyTexts ?? [], LeafNodeText].join(" "),
      passed: State === "passed",
      seconds: RunTime / 1e9,
      why: Failure?.Message?.split("\n")[0] ?? State,
    }));
}

/** Counts findings, and prints each. */
export class Tally {
  readonly #known: Readonly<Record<string, string>>;
  #all = 0;
  #passed = 0;
  #red = 0;

  /** @param known Why tests do not pass, by part of a name, as a regular expression. */
  constructor(known: Readonly<Record<string, string>>) {
    this.#known = known;
  }

  /** Prints what became of a test. Returns false if the list says otherwise. */
  tell({ name, passed, seconds, why }: Finding): boolean {
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

  /** Prints the sum. Returns the exit code: 1 if anything was otherwise than the list says, or nothing has run. */
  end(): number {
    console.log(`${this.#passed} of ${this.#all} passed; ${this.#red} otherwise than the list says`);
    return this.#red === 0 && this.#all > 0 ? 0 : 1;
  }
}
