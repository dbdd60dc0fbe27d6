/**
 * Differences that are known, each with its reason. What is on this list counts as different, and is not told.
 */

import type { Difference } from "./comparison.ts";

/** A difference with a reason. */
export interface KnownDifference {
  readonly reason: string;
  matches(difference: Difference): boolean;
}

/** Of refusals that name the same causes. */
export const ORDER = "the real server walks through the fields of an object in random order";

export const KNOWN: readonly KnownDifference[] = [];
