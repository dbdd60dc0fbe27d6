/** Breaks in lib/operator and lib/client, for the tests of single modules. */

import { breaksOf, type Mutant } from "../mutant.ts";

const DISCOVERY = ["tests/client/discovery_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/client/watch/watcher_state.ts", [
    ["if (silent >= MOST_SILENT) {", "if (silent > MOST_SILENT) {"],
    ["if (broken >= MOST_BROKEN) {", "if (broken > MOST_BROKEN) {"],
    ["const silent = input.heard ? 0 : faults.silent + 1;", "const silent = faults.silent + 1;"],
    ["version: input.version, faults: NO_FAULTS, isOpen }", "version: input.version, faults, isOpen }"],
    ['by === "stream" && isOpen ? unstreamed(again)', 'by === "stream" ? unstreamed(again)'],
    ["state.lostTokens + 1 : 0", "state.lostTokens : 0"],
    ['const isSuspicious = how === "rejected" || how === "garbled";', "const isSuspicious = true;"],
    ['const pause = isOpen ? "byLifetime" : "grown";', 'const pause = "byLifetime";'],
  ]),
  ...breaksOf("lib/client/cache/informer.ts", [
    ["if (signal.aborted) return undefined;", ""],
    ["return this.store.beginListing();", "return;"],
    ["if (isSetBack) {", "if (missing.length > 0) {"],
    ['this.#phase = "stale";', ""],
    ["if (crash === undefined) return;", ""],
  ], ["tests/client/cache/informer_test.ts", "tests/client/watch/watcher_test.ts"]),
  ...breaksOf("lib/client/watch/optional_watch.ts", [
    ["refusals += 1;", ""],
    ["        refusals = 0;\n", ""],
    ["max: LONGEST_PAUSE });", "max: 1e9 });"],
    ['answer === "later" ? "stop" : answer', '"stop"'],
    ["      store,\n      host,", "      host,"],
  ]),
  ...breaksOf("lib/client/watch/stream_order.ts", [
    [
      "last === undefined ? this.#store.get(object)?.shown : versionAfter(last)",
      "this.#store.get(object)?.shown",
    ],
    ["this.#disorders.length >= MOST_DISORDERS", "false"],
  ]),
  ...breaksOf("lib/operator/informers.ts", [
    ["if (key !== undefined) stores.get(key)?.take(cached);", "if (key !== undefined) continue;"],
    ["for (const cached of dropped[number]!) informer", "for (const cached of []) informer"],
    ["gates.markStale(key);", ""],
    ["if (gates.markCurrent(key)) queue.release();", "gates.markCurrent(key);"],
  ]),
  ...breaksOf("lib/operator/stray_errors.ts", [
    ["    onException(error);", ""],
    ['if (kind === "rejection") {', "if (kind.length > 20) {"],
    ["observer.strayError?.(kind);", ""],
    ["handler: currentHandler(), ...currentObject(), error", "error"],
  ]),
  ...breaksOf("lib/operator/gates.ts", [
    [`if (this.isPaused) return "wakes";`, ""],
    ["if (this.#stale.size === 0) return undefined;", "return undefined;"],
    ['["*", namespace, ""]', '[namespace, ""]'],
  ]),
  ...breaksOf("lib/operator/revisions.ts", [
    ["this.#latest.then(revise, revise)", "revise()"],
    ['if (await this.#revise?.() === "partial") this.#plan();', "await this.#revise?.();"],
    ["if (this.#isPlanned || !repeats) return;", "if (!repeats) return;"],
    ["if (this.#isPlanned || !repeats) return;", "if (this.#isPlanned) return;"],
    ["if (!signal.aborted) await this.request();", "await this.request();"],
  ]),
  ...breaksOf("lib/operator/watched_resources.ts", [
    [
      "const handlers = registry.objectHandlers;",
      "const handlers = [...registry.objectHandlers, ...registry.admissionHandlers];",
    ],
    ["new Map(registry.admissionHandlers.map((each) => [each, this.#resolve(each, served)]))", "new Map()"],
  ]),
  ...breaksOf("lib/client/discovery_formats.ts", [
    [
      `singular: toText(entry["singularName"]) || kind.toLowerCase()`,
      `singular: toText(entry["singularName"])`,
    ],
    [`singular: toText(entry["singularResource"]) || kind.toLowerCase()`, `singular: kind`],
  ], DISCOVERY),
  ...breaksOf("lib/client/discovery.ts", [
    [
      "if (error instanceof ApiError && error.status === 404) this.#mend(name);",
      "if (false) this.#mend(name);",
    ],
    ["    else this.#warn(name, error);\n    return [];", "    return [];"],
    [
      "await Promise.all([...new Set(groups)].map((group) => this.group(group)));",
      "[await this.all(), groups];",
    ],
    ["const groups = parseGroups(answer);", "const groups = parseGroups(answer).slice(1);"],
  ]),
];

export default mutants;
