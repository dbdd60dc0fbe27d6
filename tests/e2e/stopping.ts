/**
 * An operator with a daemon and a cleanup handler that waits; what happens to them goes into a trace file, which TRACE names.
 * The test starts this file with `lotse run`, and lets the cleanup go on by making the file GO.
 */

import { appendFileSync, existsSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Operator, operator } from "../../mod.ts";

const op: Operator = operator();

op.daemon("configmaps", { labels: { watched: "yes" } }, async function watch({ stopped }) {
  trace("daemon begins");
  while (!stopped.aborted) await stopped.wait(60);
  trace("daemon ends");
});

op.on.cleanup(async () => {
  trace("cleanup begins");
  // Real time: somebody else looks meanwhile.
  while (!existsSync(process.env["GO"] ?? "go")) await sleep(50);
  trace("cleanup ends");
});

/** Synchronous: it stands in the file, whatever becomes of the process. */
function trace(line: string): void {
  appendFileSync(process.env["TRACE"] ?? "trace.log", `${line}\n`);
}

export default op;
