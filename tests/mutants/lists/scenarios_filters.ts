/** Breaks in which objects and kinds are handled, which the scenarios of filters and selectors must notice. */

import type { Mutant } from "../mutant.ts";

const filters = ["tests/scenarios/filters_test.ts", "tests/scenarios/writes_test.ts"];
const selectors = ["tests/scenarios/selectors_test.ts"];

const FILTERS = { file: "lib/handlers/filters.ts", tests: filters };
const DIFFBASE = { file: "lib/settings/persistence/diff_base.ts", tests: filters };
const OBSERVATION = { file: "lib/operator/watched_resources.ts", tests: selectors };

const mutants: Mutant[] = [
  // Handlers of all kinds are asked.
  {
    file: "lib/handlers/registry.ts",
    tests: filters,
    in: "Registry.#find",
    replace: "isWatching(each) && this.#isServed(each.handler, resource)",
    by: "isWatching(each)",
  },
  // A filter that throws: ends the cycle; counts as matching; is complained about each time, or never.
  {
    file: "lib/handlers/change/decide.ts",
    tests: filters,
    in: "prematch",
    replace: 'return { handler, mismatch: "error" };',
    by: "throw error;",
  },
  {
    file: "lib/handlers/change/decide.ts",
    tests: filters,
    in: "prematch",
    replace: 'return { handler, mismatch: "error" };',
    by: "return { handler, mismatch: undefined };",
  },
  { ...FILTERS, in: "findMismatch", replace: 'return "labels";', by: "{}" },
  { ...FILTERS, in: "findMismatch", replace: 'return "when";', by: "{}" },
  {
    ...FILTERS,
    in: "matchesField",
    replace: "values.some((each) => matchesValue(value ?? PRESENT, each, candidate))",
    by: "true",
  },
  // A field that was not counted before is news.
  {
    ...DIFFBASE,
    in: "align",
    replace: "const value = getField(isRecorded ? essence : body, path);",
    by: "const value = getField(essence, path);",
  },

  // An ambiguous selector serves all; is not told of; takes the others of its kinds with it.
  {
    ...OBSERVATION,
    in: "WatchedResources.#resolve",
    replace: "if (isSpecific(selector) && matching.length > 1) {",
    by: "if (false) {",
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.#resolve",
    replace: "if (isSpecific(selector) && matching.length > 1) {",
    by: "if (matching.length > 1) {",
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.#resolve",
    replace: 'this.#warn("The selector is ambiguous: its handlers are not served (name the group)"',
    by:
      'this.#options.logger.debug("The selector is ambiguous: its handlers are not served (name the group)"',
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.watched",
    replace: "registry.serveOnly((handler, resource) => kinds.get(handler)?.has(keyOf(resource)) === true);",
    by: "",
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.#resolve",
    replace: "if (matching.length === 0) {\n      this.#warn(",
    by: "if (matching.length === 0) {\n      ((...args: unknown[]) => args)(",
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.concerns",
    replace: "return this.#options.registry.ofObjects.some(",
    by: "return this.#options.registry.isEmpty && this.#options.registry.ofObjects.some(",
  },
  // Kinds are watched that cannot be; are handled that cannot be patched; or it is not said.
  {
    ...OBSERVATION,
    in: "WatchedResources.#isServable",
    replace: 'if (!resource.verbs.includes("list") || !resource.verbs.includes("watch")) {',
    by: 'if (!resource.verbs.includes("list")) {',
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.#isServable",
    replace: 'if (isStateful && !resource.verbs.includes("patch") && !isEnding(resource)) {',
    by: "if (false) {",
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.#isServable",
    replace: 'if (isStateful && !resource.verbs.includes("patch") && !isEnding(resource)) {',
    by: 'if (!resource.verbs.includes("patch") && !isEnding(resource)) {',
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.#isServable",
    replace: 'this.#warn("The kind cannot be watched',
    by: 'this.#options.logger.debug("The kind cannot be watched',
  },
  {
    ...OBSERVATION,
    in: "WatchedResources.#isServable",
    replace: 'this.#warn("The kind cannot be patched',
    by: 'this.#options.logger.debug("The kind cannot be patched',
  },
  // Streams of kinds that have gone go on.
  {
    file: "lib/operator/informers.ts",
    tests: selectors,
    in: "Informers.revise",
    replace: "!isSame(wanted.get(key)?.resource, target.resource)",
    by: "!isSame(wanted.get(key)?.resource ?? target.resource, target.resource)",
  },
  {
    file: "lib/operator/informers.ts",
    tests: selectors,
    in: "Informers.revise",
    replace: "await Promise.all(ended.map(([, { task }]) => task.stop()));",
    by:
      "const stopped = ended.length === 0 ? [] : [...this.#running.values(), ...ended.map(([, each]) => each)];\n    await Promise.all(stopped.map(({ task }) => task.stop()));",
  },
];

export default mutants;
