/**
 * How long the long stories are: short for each change, whole in the nightly run, which sets `STORY_SIZE=full`.
 *
 * The short ones tell the same story. A number that only shows a fault when it is large belongs into the full size alone.
 */

import process from "node:process";

/** Returns the one that is wanted. */
export function sized<T>({ short, full }: { readonly short: T; readonly full: T }): T {
  return process.env["STORY_SIZE"] === "full" ? full : short;
}
