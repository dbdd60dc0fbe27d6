/**
 * The operator that is started over many objects. Asked by a line on its standard input, it says what it has cost so far.
 *
 *   NOTES MEMORY     NOTES is "default", or "none" for a reconcile; MEMORY is `watching.memory`
 */

import { Buffer } from "node:buffer";
import { openSync, readSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { operator } from "../../mod.ts";
import { ParsedWindow } from "../../lib/client/cache/object_store.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { declareReady } from "../ready.ts";

/** What one process says of itself. */
export interface Told {
  readonly runtime: string;
  /** User and system time, in seconds. */
  readonly cpu: number;
  /** Resident, in MB. */
  readonly rss: number;
  /** The longest times for which the main thread has computed between two turns of its event loop, since it was asked last, in milliseconds. */
  readonly blocks: readonly number[];
  readonly calls: number;
  /** How often a packed object was parsed again. */
  readonly parses: number;
}

/** How often it is looked whether the event loop turns, in milliseconds. */
const LOOK = 10;

const [notes = "none", memory = "auto"] = process.argv.slice(2);
// The values are those of the setting.
const op = operator({ watching: { memory: memory as "auto" } });
const calls = declareReady(op, notes !== "none");

const windows = new Set<ParsedWindow>();
const { add } = ParsedWindow.prototype;
ParsedWindow.prototype.add = function (cached) {
  windows.add(this);
  add.call(this, cached);
};

const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
const digits = Buffer.alloc(64);
let gaps: number[] = [];
let looked = computed();
setInterval(() => {
  const now = computed();
  if (now - looked > LOOK) gaps.push(Math.round(now - looked));
  looked = now;
}, LOOK);

/**
 * Returns for how long the main thread has run so far, in milliseconds. NB: by a clock, a thread that has to wait for the processor looks
 * like one that computes.
 */
function computed(): number {
  const length = readSync(schedule, digits, 0, digits.length, 0);
  return parseInt(digits.toString("latin1", 0, length)) / 1e6;
}

createInterface({ input: process.stdin }).on("line", () => {
  const { user, system } = process.cpuUsage();
  const told: Told = {
    runtime: "Bun" in globalThis ? "bun" : "deno",
    cpu: (user + system) / 1e6,
    rss: process.memoryUsage.rss() / 1024 / 1024,
    blocks: gaps.toSorted((a, b) => b - a).slice(0, 8),
    calls: calls(),
    parses: [...windows].reduce((sum, { parses }) => sum + parses, 0),
  };
  gaps = [];
  console.log(JSON.stringify(told));
}).on("close", () => process.exit(0));

const namespace = process.env["PEERS_NAMESPACE"] ?? "default";
await op.run({
  scope: [namespace],
  standalone: true,
  logger: silentLogger(),
});
