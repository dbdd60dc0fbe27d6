/**
 * Which files in lib have tests: those with a mirror image in tests/, the parts of those (files of the same layer that a
 * tested file imports by itself), and what stands in the list.
 *
 * Modules of types alone need none: `deno check` tests them.
 */

import type { Module } from "./graph.ts";
import { layerOf } from "./layers.ts";

/** Files (or all that begin so) without a test of their own, where their tests are, and why there. */
const ELSEWHERE: readonly (readonly [place: string, tests: string, why: string])[] = [
  ["lib/runtime/node/", "tests/conformance/host/", "one suite tests each host as a whole"],
  ["lib/runtime/deno.ts", "tests/conformance/host/", "one suite tests each host as a whole"],
  ["lib/runtime/bun.ts", "tests/conformance/host/", "one suite tests each host as a whole"],
  ["lib/runtime/current_host.ts", "tests/conformance/host/", "one suite tests each host as a whole"],
  ["lib/kits/apiserver/", "tests/conformance/apiserver/", "one suite compares it with a real kube-apiserver"],
  ["lib/client/", "tests/conformance/client/", "one suite tests the client against a server as a whole"],
  ["lib/operator/", "tests/scenarios/", "scenarios tell what the parts do together"],
  ["lib/engines/", "tests/scenarios/", "scenarios tell what the parts do together"],
  ["lib/handlers/", "tests/scenarios/", "scenarios tell what the parts do together"],
  ["lib/kits/testing/mod.ts", "tests/kits/testing/", "it only exports what is tested there"],
  [
    "lib/kits/testing/rehearsal/",
    "tests/kits/testing/rehearsal/",
    "play_test.ts rehearses as the command does",
  ],
  [
    "lib/kits/testing/control_plane/",
    "tests/kits/testing/",
    "real_cluster_test.ts starts a real one, and looks for executables",
  ],
  [
    "lib/kits/testing/exploration/",
    "tests/kits/testing/exploration/",
    "explore_test.ts explores with all parts",
  ],
  [
    "lib/kits/testing/sizing/",
    "tests/kits/testing/sizing/",
    "measure_size_test.ts plans and measures with all parts",
  ],
  [
    "lib/kits/testing/simulation/",
    "tests/kits/testing/simulation/",
    "simulate_test.ts simulates with all parts",
  ],
  ["lib/runtime/virtual/chance.ts", "tests/kits/testing/simulation/", "simulate_test.ts has it name calls"],
  ["lib/kits/generate/mod.ts", "tests/kits/generate/", "it only exports what is tested there"],
  ["lib/kits/definitions/mod.ts", "tests/kits/definitions/", "it only exports what is tested there"],
  [
    "lib/kits/definitions/start.ts",
    "tests/operator/",
    "self_check_test.ts and scenarios run an operator with it",
  ],
  ["lib/kits/definitions/field_check.ts", "tests/operator/", "self_check_test.ts runs an operator with it"],
  [
    "lib/kits/rights/calls_in_code.ts",
    "tests/kits/rights/",
    "rbac_test.ts makes roles of handlers with calls",
  ],
  ["lib/kits/rights/missing.ts", "tests/operator/", "self_check_test.ts runs an operator with it"],
  ["lib/kits/rights/mod.ts", "tests/kits/rights/", "it only exports what is tested there"],
  ["lib/kits/rights/self_check.ts", "tests/operator/", "self_check_test.ts runs an operator with it"],
  ["lib/kits/uninstall/mod.ts", "tests/kits/uninstall/", "it only exports what is tested there"],
  ["lib/kits/uninstall/open_cluster.ts", "tests/cli/", "uninstall_test.ts logs in by it"],
  ["lib/model/labels.ts", "tests/kits/generate/", "manifests are compared with their labels"],
  ["lib/public/", "tests/architecture/", "files of re-exports, whose names are compared with a list"],
  ["lib/cli/", "tests/cli/", "commands are tested as processes"],
];

/** The path of the test that mirrors a file in lib. */
export function testFor(source: string): string {
  return source.replace(/^lib\//, "tests/").replace(/\.ts$/, "_test.ts");
}

/** The modules of lib that no test is there for. */
export function findUntested(modules: readonly Module[], tests: ReadonlySet<string>): string[] {
  const tested = (path: string) => tests.has(testFor(path));
  const covered = new Set<string>();
  for (const { path, imports } of modules) {
    if (!tested(path)) continue;
    for (const { target } of [{ target: path }, ...imports]) {
      if (layerOf(target) === layerOf(path)) covered.add(target);
    }
  }
  const inLib = modules.map(({ path }) => path).filter((path) => layerOf(path) !== undefined);
  return inLib.filter((path) => !covered.has(path) && !ELSEWHERE.some(([place]) => path.startsWith(place)));
}

/** The folders that the list names. */
export function placesElsewhere(): string[] {
  return ELSEWHERE.map(([, tests]) => tests);
}
