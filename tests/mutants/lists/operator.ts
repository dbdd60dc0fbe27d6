/** Breaks in lib/operator and lib/client, for the tests of single modules. */

import { breaksOf, type Mutant } from "../mutant.ts";

const DISCOVERY = ["tests/client/discovery_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/client/watch/watcher_state.ts", [
    ["whileWatching", "if (silent >= MOST_SILENT) {", "if (silent > MOST_SILENT) {"],
    ["brokenStream", "if (broken >= MOST_BROKEN) {", "if (broken > MOST_BROKEN) {"],
    [
      "whileWatching",
      "const silent = input.heard ? 0 : faults.silent + 1;",
      "const silent = faults.silent + 1;",
    ],
    [
      "whileWatching",
      "version: input.version, faults: NO_FAULTS, isOpen }",
      "version: input.version, faults, isOpen }",
    ],
    ["whileListing", 'by === "stream" && isOpen ? unstreamed(again)', 'by === "stream" ? unstreamed(again)'],
    ["expired", "state.lostTokens + 1 : 0", "state.lostTokens : 0"],
    ["transition", 'by: state.isPaged ? "pages" : input.by', "by: input.by"],
    ["whileListing", 'if (by === "stream" && input.how === "behind") return behind(again);', ""],
    [
      "brokenStream",
      'const isSuspicious = how === "rejected" || how === "garbled" || how === "behind";',
      "const isSuspicious = true;",
    ],
    ["whileWatching", 'const pause = isOpen ? "byLifetime" : "grown";', 'const pause = "byLifetime";'],
  ]),
  ...breaksOf("lib/client/cache/informer.ts", [
    ["Informer.#follow", "if (signal.aborted) return undefined;", ""],
    ["Informer.#follow", "if (turning !== undefined) await turning;", ""],
    ["Informer.#take", "return this.store.beginListing();", "return;"],
    ["Informer.#complete", "if (isSetBack) {", "if (missing.length > 0) {"],
    ["Informer.run", 'this.#phase = "stale";', ""],
    ["Informer.run", "if (crash === undefined) return;", ""],
  ], ["tests/client/cache/informer_test.ts", "tests/client/watch/watcher_test.ts"]),
  ...breaksOf("lib/client/watch/optional_watch.ts", [
    ["watchOptional", "refusals += 1;", ""],
    ["watchOptional", "        refusals = 0;\n", ""],
    ["refusedPause", "max: LONGEST_PAUSE });", "max: 1e9 });"],
    ["watchOptional", 'refusals === 0 ? "warn" : "debug"', '"warn"'],
    ["watchOptional", "      store,\n      host,", "      host,"],
  ]),
  ...breaksOf("lib/client/watch/stream_order.ts", [
    [
      "StreamOrder.placeOf",
      "last === undefined ? this.#store.get(object)?.shown : versionAfter(last)",
      "this.#store.get(object)?.shown",
    ],
    ["StreamOrder.complain", "this.#disorders.length >= MOST_DISORDERS", "false"],
  ]),
  ...breaksOf("lib/operator/informers.ts", [
    [
      "Informers.#transfer",
      "if (key !== undefined) stores.get(key)?.take(cached);",
      "if (key !== undefined) continue;",
    ],
    [
      "Informers.revise",
      "for (const cached of dropped[number]!) informer",
      "for (const cached of []) informer",
    ],
    ["Informers.#start", "gates.markStale(key);", ""],
    ["Informers.#relisted", "if (gates.markCurrent(key)) queue.release();", "gates.markCurrent(key);"],
  ]),
  ...breaksOf("lib/operator/stray_errors.ts", [
    ["handleStrayErrors", "    onException(error);", ""],
    ["handleStrayErrors", 'if (kind === "rejection") {', "if (kind.length > 20) {"],
    ["handleStrayErrors", "observer.strayError?.(kind);", ""],
    ["handleStrayErrors", "const fields = { ...who, error };", "const fields = { error };"],
    ["RecentCalls.suspect", "named.length === 1", "named.length > 0"],
    ["RecentCalls.suspect", "until > now - REMEMBERED", "until <= now"],
    ["RecentCalls.attemptEnds", "this.#running.delete(start);", ""],
  ]),
  ...breaksOf("lib/operator/gates.ts", [
    ["Gates.holds", "if (this.isPaused) return true;", ""],
    ["Gates.holds", "if (this.#stale.size === 0) return false;", "return false;"],
    ["keysFor", '["*", namespace, ""]', '[namespace, ""]'],
  ]),
  ...breaksOf("lib/operator/revisions.ts", [
    ["Revisions.run", "this.#latest.then(revise, revise)", "revise()"],
    ["Revisions.run", 'if (await this.#revise?.() === "partial") this.#plan();', "await this.#revise?.();"],
    ["Revisions.#plan", "if (this.#isPlanned || !repeats) return;", "if (!repeats) return;"],
    ["Revisions.#plan", "if (this.#isPlanned || !repeats) return;", "if (this.#isPlanned) return;"],
    ["Revisions.#plan", "if (!signal.aborted) await this.request();", "await this.request();"],
  ]),
  ...breaksOf("lib/operator/watched_resources.ts", [
    [
      "WatchedResources.watched",
      "const handlers = registry.objectHandlers;",
      "const handlers = [...registry.objectHandlers, ...registry.all(ADMISSION)];",
    ],
    [
      "WatchedResources.watched",
      "new Map(admission.map((each) => [each, this.#resolve(each, served)]))",
      "new Map()",
    ],
  ]),
  ...breaksOf("lib/client/discovery_formats.ts", [
    [
      "parseResources",
      `singular: toText(entry["singularName"]) || kind.toLowerCase()`,
      `singular: toText(entry["singularName"])`,
    ],
    [
      "parseAggregatedResource",
      `singular: toText(entry["singularResource"]) || kind.toLowerCase()`,
      `singular: kind`,
    ],
  ], DISCOVERY),
  ...breaksOf("lib/client/discovery.ts", [
    [
      "Discovery.#leaveOut",
      "if (error instanceof ApiError && error.status === 404) this.#mend(name);",
      "if (false) this.#mend(name);",
    ],
    ["Discovery.#leaveOut", "    else this.#warn(name, error);\n    return [];", "    return [];"],
    [
      "Discovery.groups",
      "await Promise.all(asked.map((group) => this.group(group)));",
      "[await this.all(), groups];",
    ],
    [
      "Discovery.#loadNamedGroups",
      "const groups = parseGroups(answer);",
      "const groups = parseGroups(answer).slice(1);",
    ],
  ]),
];

export default mutants;
