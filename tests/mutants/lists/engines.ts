/** Breaks in lib/engines, for the tests of single engines. */

import { breaksOf, type Mutant } from "../mutant.ts";

const METRICS = ["tests/scenarios/metrics_test.ts"];
const DAEMONS = ["tests/engines/daemons/daemons_test.ts"];
const TASKS = ["tests/engines/daemons/daemon_task_test.ts"];
const POSTING = ["tests/engines/posting/poster_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/engines/activities.ts", [
    [
      "failures.set(handler.id, outcome.error);",
      "failures.size > 0 || failures.set(handler.id, outcome.error);",
    ],
    [", { cause: error });", ");"],
    ["Math.max(outcome.delay, leastPause(progress.retry))", "1"],
    [
      "const runtime = (): Seconds => clock.monotonic() - begun;",
      "const runtime = (): Seconds => (clock.now() - started.getTime()) / 1000;",
    ],
  ]),
  ...breaksOf("lib/engines/probing.ts", [
    ["- this.#results.at < CACHED", "- this.#results.at <= CACHED"],
    ["this.#asking ??= probe()", "this.#asking = probe()"],
    [`if (request.method === "GET")`, `if (request.method !== "HEAD")`],
  ]),
  ...breaksOf("lib/engines/daemons/daemons.ts", [
    [`"OPERATOR_PAUSING"`, `"OPERATOR_EXITING"`],
    ["this.#isPaused = false;", ""],
    ["if (this.#isPaused || this.#isExiting) return;", "if (this.#isExiting) return;"],
    ["for (const state of this.#objects.keys()) this.#options.wake(state);", ""],
    [
      "tasks.filter((each) => !each.wasTold(reason));",
      "tasks.filter((each) => !each.wasTold(reason)).slice(0, 2);",
    ],
    [
      "if (tasks.some((each) => each.isStopping && !each.isReleased)) return;\n    this.#options.wake(state);",
      "",
    ],
  ]),
  ...breaksOf("lib/engines/daemons/daemon_task.ts", [
    ["    if (!wasAsked) {", "    if (true) {"],
  ], DAEMONS),
  ...breaksOf("lib/engines/daemons/next_run.ts", [
    ["const toCancel = since + backoff;", "const toCancel = since;"],
    ["if (timeout !== undefined && isBefore(now, toCancel + timeout)) {", "if (false) {"],
  ], DAEMONS),
  ...breaksOf("lib/engines/daemons/daemon_task.ts", [
    ["readsFirst: !pending.isEmpty", "readsFirst: false"],
    ["this.#wakeAt(Math.min(this.#due, this.#writes?.resendAt ?? Infinity));", "this.#wakeAt(this.#due);"],
    ["if (writes.pending.failures === 0) writes.resendAt", "if (false) writes.resendAt"],
    ["if (writes === undefined || writes.pending.isEmpty) return this.#end();", "return this.#end();"],
    ["if (this.#lastOutcome === undefined) this.#plan(this.#due);", "if (true) this.#plan(this.#due);"],
    ["    if (writer.isClosed) {", "    if (false) {"],
    [
      'if (refusal !== undefined && outcome.kind === "success") {',
      "if (refusal !== undefined) {",
    ],
    ["if (refusal !== undefined) return this.#failLastRun(refusal, logger);", ""],
    ["    attempts.retry++;\n    const run", "    const run"],
    ["if ((this.#writes?.pending.failures ?? 0) > 0) {", "if (false) {"],
    ["Math.max(due, this.#writes?.brakedUntil ?? -Infinity)", "due"],
    [
      'if (phase.kind === "flushing") this.#phase = { kind: "stopping", run: undefined };',
      "if (phase.kind === 'flushing') this.#end();",
    ],
    [
      'if (this.#isIn("abandoned") && !isExiting()) {',
      'if (this.#isIn("abandoned")) {',
    ],
  ], [...DAEMONS, ...TASKS]),
  // A refused attempt counts as a success; one that is none counts for nothing.
  ...breaksOf("lib/engines/daemons/daemon_task.ts", [["succeeded.clear();", ""]], METRICS),
  ...breaksOf("lib/controller/reconcile.ts", [["r.succeeded.delete(end);", "void end;"]], METRICS),
  ...breaksOf("lib/controller/controller.ts", [
    ["for (const end of r.succeeded) observer.attemptCounts?.(state, end);", ""],
  ], METRICS),
  ...breaksOf("lib/engines/daemons/object_daemons.ts", [
    ["if (before === undefined || before === essence) return;", "if (before === undefined) return;"],
    ["failed !== undefined && failed !== essence", "failed !== essence"],
    ["this.#tasks = this.#tasks.filter(", "this.#tasks.filter("],
  ]),
  ...breaksOf("lib/engines/posting/event.ts", [
    [`return kind === "Event" && EVENTS`, `return kind === "Event" || EVENTS`],
    ["const EVENTS = /^(v1|events\\.k8s\\.io\\/.*)$/;", "const EVENTS = /^v1$/;"],
    ["return reference.namespace ?? defaultNamespace;", `return reference.namespace ?? "default";`],
  ], POSTING),
  ...breaksOf("lib/engines/posting/poster.ts", [
    ["if (this.#isClosing || isEvent(reference)) return;", "if (this.#isClosing) return;"],
    ["if (this.#dropped++ === 0) {", "if (true) {"],
    ["return uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;", "return kind;"],
    ["backoffs: backoffs ?? defaultBackoffs,", "backoffs: defaultBackoffs,"],
    ["if (!signal.aborted) this.#drop(posting.reference, error);", "throw error;"],
  ]),
  ...breaksOf("lib/engines/admission/webhook_configuration.ts", [
    [`.replaceAll("_", "-")`, ""],
    [".replace(/[!'()*]/g, (character) => `%${hexOf(character).toUpperCase()}`)", ""],
    [`handler.sideEffects ? "NoneOnDryRun" : "None"`, `"None"`],
    [`operations: operations === undefined ? ["*"] : [...operations],`, `operations: ["*"],`],
    [`operator: "Exists"`, `operator: "In"`],
    [
      "    if (persistentOnly === true",
      "    if (resources.length === 0) return [];\n    if (persistentOnly === true",
    ],
  ]),
];

export default mutants;
