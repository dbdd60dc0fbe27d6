/**
 * Whether work grows with its input as it should. Time is measured, but only its growth is judged, and only where it could
 * hurt: four times the input may take up to ten times as long; quadratic work takes sixteen times.
 */

import assert from "node:assert/strict";
import process from "node:process";

/** Below this, in milliseconds, nobody is hurt, and the noise of a busy machine is larger than what is measured. */
const HARMLESS = 60;

/** Fails if the work takes more than ten times as long for four times the input. */
export function assertLinear(
  prepare: (length: number) => () => void,
  { name, small = 5_000 }: { readonly name: string; readonly small?: number },
): void {
  const slow = fastest(prepare(4 * small), HARMLESS);
  if (slow < HARMLESS) return;
  const fast = fastest(prepare(small), 0);
  assert.ok(
    slow <= 10 * fast,
    `${name}: ${fast.toFixed(1)} ms for ${small}, ${slow.toFixed(1)} ms for four times that`,
  );
}

/** Returns the least processor time of eight runs, as others are busy on the machine, or the first one that is short enough. */
function fastest(work: () => void, enough: number): number {
  let best = Infinity;
  for (let round = 0; round < 8; round++) {
    const begun = process.cpuUsage();
    work();
    best = Math.min(best, process.cpuUsage(begun).user / 1000);
    if (best < enough) break;
  }
  return best;
}
