/** Breaks in what a watch makes of its streams: `lib/client/watch`. */

import { breaksOf, type Mutant } from "../mutant.ts";

const WATCHER = ["watcher", "watch_stream", "watch_status", "stream_order"].map((name) =>
  `tests/client/watch/${name}_test.ts`
);
const STREAM = ["tests/client/watch/watch_stream_test.ts"];
const STATUS = ["tests/client/watch/watch_status_test.ts"];
const ORDER = ["tests/client/watch/stream_order_test.ts"];
const STATES = ["tests/client/watch/watcher_state_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/client/watch/watch_stream.ts", [
    ["StreamLimits.heard", "this.#waitingSince = undefined;", ""],
    ["StreamLimits.#checkSilence", "- this.#waitingSince;", "- this.#waitingSince - 1;"],
    ["StreamLimits.opened", "this.#connecting?.[Symbol.dispose]();", ""],
    ["StreamLimits.constructor", "if (clientTimeout !== null)", "if (false)"],
    ["openStream", "if (limits.end !== undefined && !signal.aborted) return limits.end;", ""],
  ], STREAM),
  ...breaksOf("lib/client/watch/watch_stream.ts", [
    ["toStreamError", 'typeof body?.code === "number" ? body.code : 500', "500"],
    ["failureOf", 'if (error.status === 410) return "expired";', ""],
    ["failureOf", 'reason === "ResourceVersionTooLarge"', "false"],
    ["readBookmark", '?.[INITIAL_END] === "true"', "?.[INITIAL_END] !== undefined && false"],
  ], WATCHER),
  ...breaksOf("lib/client/watch/stream_order.ts", [
    ["StreamOrder.placeOf", 'place === "same" ? "new" : "misplaced"', '"new"'],
    [
      "StreamOrder.isBackwards",
      'compare(bookmark, version) === "older"',
      'compare(bookmark, version) === "same"',
    ],
    ["StreamOrder.restart", "this.#newest = version ?? this.#newest;", ""],
    ["StreamOrder.complain", "now - at < MEMORY", "true"],
    ["isSameObject", "return a.uid === b.uid;", "return a.name === b.name;"],
  ], ORDER),
  ...breaksOf("lib/client/watch/watch_status.ts", [
    ["WatchStatus.ended", "if (hasNews) this.#state.failures = 0;", ""],
    ["WatchStatus.ended", "lifetime >= HEALTHY_AFTER ? 0 :", "false ? 0 :"],
    ["WatchStatus.expired", "this.#hasExpired = true;", ""],
    ["WatchStatus.failed", "isForbidden ? LONGEST_REFUSED : LONGEST_PAUSE", "LONGEST_PAUSE"],
    ["WatchStatus.#fail", "Math.max(asked ?? 0, pause)", "pause"],
  ], STATUS),
  ...breaksOf("lib/client/watch/watcher_state.ts", [
    ["completeAt", 'if (by === "pages") return { at: "synced", version, faults: NO_FAULTS };', ""],
    ["behind", "isPaged: true", "isPaged: undefined"],
    ["brokenStream", 'if (how === "disorder") {', "if (false) {"],
  ], STATES),
  ...breaksOf("lib/client/watch/watcher.ts", [
    ["Watcher.#digest", 'if (place === "repeated") break;', ""],
    ["Watcher.#digest", "this.#order.isBackwards(event.version, version)", "false"],
    ["Watcher.#digest", 'event.type === "ADDED" && version === undefined ? null : event.type', "event.type"],
    ["Watcher.#fail", "if (error instanceof DisorderError) this.#order.complain();", ""],
    ["Watcher.#chooseListing", "this.#status.state.failures < STREAMED_ATTEMPTS &&", ""],
  ], WATCHER),
  ...breaksOf("lib/client/watch/watcher.ts", [
    ["Watcher.#list", "lostTokens < MOST_LOST_TOKENS ? settings.chunkSize : null", "settings.chunkSize"],
  ], ["tests/scenarios/faults_test.ts"]),
];

export default mutants;
