/**
 * Tells a run with a finding: in at most twelve lines, and as a test to paste.
 */

import type { Journal, Line } from "./journal.ts";
import type { Plan } from "./plan.ts";

/** How many lines a story has at most. */
export const MOST_LINES = 12;

/** The order in which lines are given up where there are too many. */
const PRIORITIES: readonly Line["sort"][] = [
  "finding",
  "step",
  "fault",
  "order",
  "process",
  "call",
  "request",
];

/** Returns the lines of the story, numbered. */
export function tellStory({ lines }: Pick<Journal, "lines">): string[] {
  const end = lines.findIndex(({ sort }) => sort === "finding");
  const told: (Line & { readonly words: string })[] = [];
  for (const line of end < 0 ? lines : lines.slice(0, end + 1)) {
    const words = line.sort === "finding" ? line.text : line.words;
    // Of the same again and again, the first and the last are told.
    if (words !== undefined && told.slice(-2).every((each) => each.words !== words)) {
      told.push({ ...line, words });
    }
  }
  const kept = told.map((line, index) => ({ line, index, rank: PRIORITIES.indexOf(line.sort) }))
    // Of lines of one sort, the last ones are nearest to the finding.
    .sort((a, b) => a.rank - b.rank || b.index - a.index)
    .slice(0, MOST_LINES)
    .sort((a, b) => a.index - b.index);
  return kept.map(({ line }, index) => `${index + 1}. ${line.words}.`);
}

/** Returns a test of the plan. */
export function testOf(plan: Plan, rule: string): string {
  return [
    `it("keeps the rule \\"${rule}\\" in the run that a simulation has found", async () => {`,
    `  await simulate(makeOperator, { manifests, plan: ${JSON.stringify(plan)} });`,
    "});",
  ].join("\n");
}
