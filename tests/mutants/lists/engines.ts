/** Breaks in lib/engines, for the tests of single engines. */

import { breaksOf, type Mutant } from "../mutant.ts";

const METRICS = ["tests/scenarios/metrics_test.ts"];
const DAEMONS = ["tests/handlers/background/daemons_test.ts"];
const TASKS = ["tests/handlers/background/daemon_task_test.ts"];
const POSTING = ["tests/engines/posting/poster_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/handlers/activity/activity_run.ts", [
    [
      "resultsOf",
      "failures.set(handler.id, outcome.error);",
      "failures.size > 0 || failures.set(handler.id, outcome.error);",
    ],
    ["ActivityError.constructor", ", { cause: error });", ");"],
    [
      "attempt",
      "after(called.retry, outcome, clock.monotonic())",
      "{ ...called.retry, due: clock.monotonic() + 1 }",
    ],
    ["activityArgs", "return clock.monotonic() - begun;", "return (clock.now() - started) / 1000;"],
  ]),
  ...breaksOf("lib/engines/probing.ts", [
    ["Probes.#current", "- this.#results.at < CACHED", "- this.#results.at <= CACHED"],
    ["Probes.#current", "this.#asking ??= probe()", "this.#asking = probe()"],
    ["probingApp", `app.on(["GET", "HEAD"], path`, `app.on(["GET", "HEAD", "POST"], path`],
  ]),
  ...breaksOf("lib/handlers/background/daemons.ts", [
    ["Daemons.pause", `"OPERATOR_PAUSING"`, `"OPERATOR_EXITING"`],
    ["Daemons.resume", "this.#isPaused = false;", ""],
    ["Daemons.#spawn", "if (this.#isPaused || this.#isExiting) return;", "if (this.#isExiting) return;"],
    ["Daemons.resume", "for (const state of this.#objects.keys()) this.#options.wake(state);", ""],
    [
      "Daemons.#stop",
      "tasks.filter((each) => !each.wasTold(reason));",
      "tasks.filter((each) => !each.wasTold(reason)).slice(0, 2);",
    ],
    [
      "Daemons.#release",
      "if (tasks.some((each) => each.isStopping && !each.isReleased)) return;\n    this.#options.wake(state);",
      "",
    ],
  ]),
  ...breaksOf("lib/handlers/background/daemon_task.ts", [
    ["DaemonTask.#end", "    if (!wasAsked) {", "    if (true) {"],
  ], DAEMONS),
  ...breaksOf("lib/handlers/background/next_run.ts", [
    ["stopStage", "const toCancel = since + backoff;", "const toCancel = since;"],
    ["stopStage", "if (timeout !== undefined && isBefore(now, toCancel + timeout)) {", "if (false) {"],
  ], DAEMONS),
  ...breaksOf("lib/handlers/background/daemon_task.ts", [
    ["DaemonTask.#write", "readsFirst: !pending.isEmpty", "readsFirst: false"],
    [
      "DaemonTask.#plan",
      "this.#wakeAt(Math.min(this.#due, this.#writes?.resendAt ?? Infinity));",
      "this.#wakeAt(this.#due);",
    ],
    [
      "DaemonTask.#finish",
      "if (writes.pending.failures === 0) writes.resendAt",
      "if (false) writes.resendAt",
    ],
    [
      "DaemonTask.#finish",
      "if (writes === undefined || writes.pending.isEmpty) return this.#end();",
      "return this.#end();",
    ],
    [
      "DaemonTask.#flush",
      "if (this.#isLast) this.#finish();",
      "if (false) this.#finish();",
    ],
    ["DaemonTask.#resendAfter", "    if (writer.isClosed) {", "    if (false) {"],
    ["DaemonTask.#flush", "if (hasFailedBy) return", "if (false) return"],
    ["DaemonTask.#write", "return refused?.error !== undefined;", "return true;"],
    ["DaemonTask.#write", "this.#retry = refused ?? this.#retry;", ""],
    ["DaemonTask.#write", "if (pending.isEmpty) this.#retry = decided(this.#retry);", ""],
    ["DaemonTask.#end", "if ((this.#writes?.pending.failures ?? 0) > 0) {", "if (false) {"],
    ["DaemonTask.#plan", "Math.max(due, this.#writes?.brakedUntil ?? -Infinity)", "due"],
    [
      "DaemonTask.stop",
      'if (phase.kind === "flushing") this.#phase = { kind: "stopping", run: undefined };',
      "if (phase.kind === 'flushing') this.#end();",
    ],
    [
      "DaemonTask.#run",
      'if (this.#isIn("abandoned") && !isExiting()) {',
      'if (this.#isIn("abandoned")) {',
    ],
  ], [...DAEMONS, ...TASKS]),
  // A refused attempt counts as a success; one that is none counts for nothing.
  ...breaksOf("lib/handlers/background/daemon_task.ts", [
    ["DaemonTask.#write", 'if (result.kind !== "dropped") this.#count', "this.#count"],
  ], METRICS),
  // What is kept is counted when it is written or refused, and not before.
  ...breaksOf("lib/execution/pending_write.ts", [
    ["PendingWrite.drop", "this.#undecided = NO_ATTEMPTS;", ""],
    ["PendingWrite.decide", "fresh.filter(isOpen)", "fresh.filter(() => false)"],
    ["PendingWrite.abandon", "return left;", "return NO_ATTEMPTS;"],
  ], METRICS),
  ...breaksOf("lib/controller/reconcile.ts", [["write", "succeeded.delete(end);", "void end;"]], METRICS),
  ...breaksOf("lib/handlers/turn.ts", [
    [
      "decideSuccesses",
      "countSuccesses(state.pending.decide(succeeded), { observed: { observer, subject: state }, logger });",
      "",
    ],
  ], METRICS),
  ...breaksOf("lib/handlers/background/object_daemons.ts", [
    [
      "ObjectDaemons.notice",
      "if (before === undefined || before === essence) return;",
      "if (before === undefined) return;",
    ],
    ["ObjectDaemons.notice", "failed !== undefined && failed !== essence", "failed !== essence"],
    ["ObjectDaemons.remove", "this.#tasks = this.#tasks.filter(", "this.#tasks.filter("],
  ]),
  ...breaksOf("lib/engines/posting/event.ts", [
    ["isEvent", `return kind === "Event" && EVENTS`, `return kind === "Event" || EVENTS`],
    ["const EVENTS = /^(v1|events\\.k8s\\.io\\/.*)$/;", "const EVENTS = /^v1$/;"],
    [
      "namespaceOf",
      "return reference.namespace ?? defaultNamespace;",
      `return reference.namespace ?? "default";`,
    ],
  ], POSTING),
  ...breaksOf("lib/engines/posting/poster.ts", [
    ["Poster.post", "if (this.#isClosing || isEvent(reference)) return;", "if (this.#isClosing) return;"],
    ["Poster.#drop", "if (this.#dropped++ === 0) {", "if (true) {"],
    ["keyOf", "return uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;", "return kind;"],
    [
      "Poster.post",
      "lane.queue.push({ reference, content, backoffs, permit, times: 1 });",
      "lane.queue.push({ reference, content, backoffs: this.#options.settings.defaultBackoffs, permit, times: 1 });",
    ],
    ["Poster.#next", "if (!signal.aborted) this.#drop(posting.reference, error);", "throw error;"],
  ]),
  ...breaksOf("lib/handlers/admission/webhook_configuration.ts", [
    ["spell", `.replaceAll("_", "-")`, ""],
    ["webhookPath", `.filter((part) => part !== "")`, ""],
    ["checkWebhookNames", "if (other !== id) {", "if (false) {"],
    ["checkWebhookNames", "length <= LONGEST_NAME", "true"],
    ["webhooksFor", `handler.sideEffects ? "NoneOnDryRun" : "None"`, `"None"`],
    ["ruleFor", `operations: operations === undefined ? ["*"] : [...operations],`, `operations: ["*"],`],
    ["selectorFor", `operator: "Exists"`, `operator: "In"`],
    [
      "webhooksFor",
      "    if (persistentOnly === true",
      "    if (resources.length === 0) return [];\n    if (persistentOnly === true",
    ],
  ]),
];

export default mutants;
