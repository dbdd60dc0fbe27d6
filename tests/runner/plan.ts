/**
 * Which test files run on which runtimes, and when.
 *
 * A change waits for what `deno task test` runs: nearly every file on Deno, and on Bun the files that are about the runtime: its
 * network, files, processes, clocks, numbers, parsers and regular expressions. All other files run on Bun and Node, too, but
 * afterwards (`--rest`, in CI), and so do comparisons with other programs and the longest stories.
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
  "tests/e2e/uninstall_test.ts",
  "tests/types/compiled_test.ts",
];

/** A change waits for these on Bun as well. */
const FIRST_ON_BUN = [
  "tests/async/",
  "tests/client/",
  "tests/conformance/client/",
  "tests/conformance/host/",
  "tests/e2e/engines_test.ts",
  "tests/kits/apiserver/cel/",
  "tests/kits/apiserver/formats/",
  "tests/kits/apiserver/protobuf/",
  "tests/kits/apiserver/schema/",
  "tests/model/",
  "tests/runtime/",
  "tests/scenarios/admission_server_test.ts",
  "tests/scenarios/deep_objects_test.ts",
  "tests/scenarios/large_numbers_test.ts",
  "tests/scenarios/streams_test.ts",
];

/**
 * A change waits for these on no runtime: comparisons with Kopf and of both API servers, executables, new projects with each package
 * manager, the real control plane's own tests, the compiler beside `dev`, whole simulations and rehearsals, and the stories that take longest. Whoever changes one of these places asks for them by
 * name.
 */
const LATER = [
  "tests/architecture/patterns_test.ts",
  "tests/cli/build_test.ts",
  "tests/cli/explore_test.ts",
  "tests/cli/rehearse_test.ts",
  "tests/conformance/apiserver/",
  "tests/control_plane/",
  "tests/e2e/database_test.ts",
  "tests/e2e/dev_types_test.ts",
  "tests/e2e/generated_rights_test.ts",
  "tests/e2e/kept_request_test.ts",
  "tests/e2e/overload_test.ts",
  "tests/e2e/rehearsal_test.ts",
  "tests/e2e/replicas_test.ts",
  "tests/e2e/shared_objects_test.ts",
  "tests/e2e/uninstall_test.ts",
  "tests/e2e/webhooks_test.ts",
  "tests/examples/rehearsing_test.ts",
  "tests/kits/testing/exploration/",
  "tests/kits/testing/simulation/simulate_test.ts",
  "tests/oracle/",
  "tests/package/stranger_test.ts",
  "tests/package/tutorial_test.ts",
  "tests/simulation/generated_test.ts",
  "tests/simulation/leaks_test.ts",
  "tests/simulation/memory_test.ts",
  "tests/simulation/mutants_test.ts",
  "tests/simulation/replay_test.ts",
];

/** These mostly wait, for half a minute: they begin early, so that no core is idle at the end. */
const WAITING = ["tests/conformance/host/", "tests/cli/dev_test.ts"];

/** Files here share processes with their neighbours: they leave nothing behind in theirs (`plan_test.ts` looks). */
const TOGETHER = [
  "tests/async/",
  "tests/client/",
  "tests/controller/",
  "tests/engines/",
  "tests/execution/",
  "tests/handlers/",
  "tests/kits/",
  "tests/messages/",
  "tests/model/",
  "tests/operator/",
  "tests/registry/",
  "tests/runtime/",
  "tests/scenarios/",
  "tests/settings/",
  "tests/simulation/",
];

/** Returns whether the file may run in one process with others, if it starts no control plane. */
export function sharesProcess(file: string): boolean {
  return isIn(TOGETHER, file);
}

/** Returns whether the file takes long without much to compute, and so begins before others. */
export function mostlyWaits(file: string): boolean {
  return isIn(WAITING, file);
}

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
  if (isIn(LATER, file)) return true;
  return runtime === "node"
    ? !file.startsWith("tests/conformance/")
    : runtime === "bun" && !isIn(FIRST_ON_BUN, file);
}

function isIn(places: readonly string[], file: string): boolean {
  return places.some((place) => file.startsWith(place));
}
