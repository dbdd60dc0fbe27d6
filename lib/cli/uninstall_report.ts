/** The texts of `uninstall`: the plan, and the report. */

import { type Footprint, titleOf, type UninstallReport } from "../kits/uninstall/mod.ts";
import type { Host } from "../runtime/host.ts";

/** How many objects of the plan are named. */
const MOST_NAMED = 10;

/** Where to print, and in which form. */
export interface Printing {
  readonly host: Host;
  readonly json: boolean;
}

/** The plan: a footprint, and the rights that are missing. */
export interface Plan {
  readonly footprint: Footprint;
  /** Sentences about rights that are missing. */
  readonly missing: readonly string[];
  /** Whether definitions go, too. */
  readonly crds: boolean;
  /** The Deployment, as "namespace/name". */
  readonly deployment: string;
}

/** Prints the plan. */
export function printPlan({ footprint, missing, crds, deployment }: Plan, { host, json }: Printing): void {
  const { marked, presence, definitions, doubts } = footprint;
  const belongings = [...footprint.belongings, ...crds ? definitions : []];
  const problems = [...footprint.problems, ...missing, ...doubts];
  if (json) {
    const objects = marked.map((each) => ({ object: titleOf(each), waits: each.isFinalized }));
    const things = belongings.map((each) => ({ object: titleOf(each), action: each.action }));
    const plan = { operator: presence, objects, things, problems };
    host.process.write("stdout", `${JSON.stringify(plan, undefined, 2)}\n`);
    return;
  }
  const lines: string[] = [];
  const waiting = marked.filter(({ isFinalized }) => isFinalized);
  const noted = marked.filter(({ isFinalized, isChild }) => !isFinalized && !isChild);
  const children = marked.filter(({ isChild }) => isChild);
  if (waiting.length > 0) {
    lines.push(
      `${waiting.length} objects wait for a cleanup (choose --delete or --waive):`,
      namesOf(waiting),
    );
  }
  if (noted.length > 0) lines.push(`${noted.length} objects have notes of the operator:`, namesOf(noted));
  if (children.length > 0) {
    lines.push(`${children.length} objects that it has made stay, without its labels:`, namesOf(children));
  }
  if (belongings.length > 0) {
    const things = belongings.map((each) =>
      `${titleOf(each)}: ${each.action}${each.objects === undefined ? "" : `, with ${each.objects} objects`}`
    );
    lines.push("To take away:", listOf(things));
  }
  if (problems.length > 0) lines.push("Problems:", listOf(problems));
  lines.push(
    lines.length === 0
      ? "Nothing of the operator is in the cluster."
      : "Nothing was changed: add --yes to do it.",
  );
  if (presence === "unknown") {
    lines.unshift(`There is no Deployment ${deployment}: if the operator runs elsewhere, stop it first.`);
  }
  host.process.write("stdout", `${lines.join("\n")}\n`);
}

/** Prints the report. */
export function printReport(report: UninstallReport, { host, json }: Printing): void {
  if (json) {
    host.process.write("stdout", `${JSON.stringify(report, undefined, 2)}\n`);
    return;
  }
  const { waived, released, removed } = report;
  const lines = [`Let go: ${released} objects`];
  if (waived.length > 0) lines.push(`Cleanups that did not run (${waived.length}):`, listOf(waived));
  if (removed.length > 0) lines.push("Taken away:", listOf(removed));
  host.process.write("stdout", `${lines.join("\n")}\n`);
}

function namesOf(marked: Footprint["marked"]): string {
  const names = marked.slice(0, MOST_NAMED).map(titleOf);
  return listOf(marked.length > MOST_NAMED ? [...names, `and ${marked.length - MOST_NAMED} more`] : names);
}

/** Returns indented lines. */
export function listOf(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}
