/**
 * Which test files run on which runtimes, and when.
 *
 * A change waits for what `deno task test` runs: every file on Deno, and on Bun and Node the files whose outcome may depend on
 * the runtime. The stories on virtual hosts run on Bun, too, but afterwards (`--rest`, in CI): the virtual host takes no network,
 * no files and no clock from the runtime.
 */

import type { RuntimeName } from "./tools.ts";

/** The part of all runs that is wanted: what a change waits for, what is left for afterwards, or both. */
export type Part = "first" | "rest" | "all";

/** These run on Node as well: the host's tests, and some of whole operators. */
const ON_NODE = [
  "tests/conformance/host/",
  "tests/e2e/copies_test.ts",
  "tests/e2e/rotation_test.ts",
  "tests/e2e/stray_errors_test.ts",
  "tests/scenarios/deep_objects_test.ts",
  "tests/e2e/stopping_test.ts",
];

/** These use Deno's own tools, or start each runtime themselves: their outcome cannot depend on the runtime. */
const ON_DENO_ONLY = [
  "tests/architecture/",
  "tests/package/",
  "tests/clients/",
  "tests/e2e/examples_test.ts",
];

/** Stories on virtual hosts. */
const STORIES = ["tests/scenarios/", "tests/simulation/", "tests/oracle/", "tests/examples/"];

/** What is tried is a program that another runtime has built, whichever runs the test. */
const PROGRAMS = ["tests/cli/build_test.ts"];

/** Stories that depend on the runtime all the same: on its stack, its numbers, its streams and its network. */
const STORIES_OF_RUNTIMES = [
  "tests/scenarios/admission_server_test.ts",
  "tests/scenarios/deep_objects_test.ts",
  "tests/scenarios/large_numbers_test.ts",
  "tests/scenarios/streams_test.ts",
];

/** Returns whether the file runs on the runtime in that part. */
export function runsOn(runtime: RuntimeName, file: string, part: Part): boolean {
  if (!canRun(runtime, file)) return false;
  if (part === "all") return true;
  return isLeft(runtime, file) === (part === "rest");
}

function canRun(runtime: RuntimeName, file: string): boolean {
  if (isIn(ON_DENO_ONLY, file)) return runtime === "deno";
  return runtime !== "node" || isIn(ON_NODE, file);
}

function isLeft(runtime: RuntimeName, file: string): boolean {
  return runtime === "bun" && isIn([...STORIES, ...PROGRAMS], file) && !isIn(STORIES_OF_RUNTIMES, file);
}

function isIn(places: readonly string[], file: string): boolean {
  return places.some((place) => file.startsWith(place));
}
