/** Breaks in daemons, which their scenarios must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/daemons_test.ts"];
const stopping = ["tests/scenarios/daemons_stopping_test.ts"];

const DAEMONS = { file: "lib/handlers/background/daemons.ts", tests };
const TASK = { file: "lib/handlers/background/daemon_task.ts", tests };
const STOPPING = { ...TASK, tests: stopping };
const CALL = { file: "lib/handlers/background/daemon_call.ts", tests };
const STAGES = { file: "lib/handlers/background/next_run.ts", tests: stopping };
const PENDING = { file: "lib/execution/pending_write.ts", tests };

const mutants: Mutant[] = [
  // They start: only for objects that are there already; twice; for what is being deleted; again after their end.
  {
    ...DAEMONS,
    in: "Daemons.match",
    replace: "this.#spawn(object, matching);",
    by: "if (handlers.length === 0) this.#spawn(object, matching);",
  },
  {
    ...DAEMONS,
    in: "Daemons.#spawn",
    replace: "if (isThere || object.hasFinished(handler.id)) continue;",
    by: "if (object.hasFinished(handler.id)) continue;",
  },
  {
    ...DAEMONS,
    in: "Daemons.match",
    replace: "if (isDeleting) {",
    by: "if (isDeleting && object.tasks.length > 0) {",
  },
  {
    ...DAEMONS,
    in: "Daemons.claimOf",
    replace: "matching.some(({ id }) => object?.hasFinished(id) !== true)",
    by: "matching.length > 0",
  },
  {
    ...TASK,
    in: "DaemonTask.#end",
    replace: 'const mayReturn = handler.type === "timer" && hasFailed(this.#retry);',
    by: "const mayReturn = true;",
  },
  {
    ...DAEMONS,
    in: "Daemons.claimOf",
    replace: "matching.some(({ id }) => object?.hasFinished(id) !== true)",
    by: "false",
  },
  // When they begin.
  {
    ...TASK,
    in: "DaemonTask.start",
    replace: "this.#plan(this.#context.clock.monotonic() + delay);",
    by: "this.#plan(this.#context.clock.monotonic());",
  },
  {
    ...TASK,
    in: "DaemonTask.start",
    replace: ": askInitialDelay(this.#owner(this.#logger), initialDelay);",
    by: ": 0;",
  },
  { ...TASK, in: "DaemonTask.stop", replace: 'if (phase.kind === "waiting") this.#end();', by: "" },
  // When they are tried again, and how often.
  {
    file: "lib/handlers/retry.ts",
    tests,
    in: "after",
    replace: "due: now + pauseOf(delay, attempts)",
    by: "due: now + Math.ceil(delay)",
  },
  {
    file: "lib/handlers/background/next_run.ts",
    tests,
    in: "nextRun",
    replace: "if (retry.due !== Infinity) return { due: retry.due };",
    by: "",
  },
  {
    file: "lib/execution/errors.ts",
    tests,
    in: "delayOf",
    replace: "options.delay === undefined ? 60 :",
    by: "options.delay === undefined ? 0.5 :",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    in: "backoffOf",
    replace: "pauseAfter(backoff ?? defaultBackoff, retry, random)",
    by: "pauseAfter(defaultBackoff, retry, random)",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    in: "backoffOf",
    replace: "pauseAfter(backoff ?? defaultBackoff, retry, random)",
    by: "pauseAfter(backoff ?? 1, retry, random)",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    in: "judge",
    replace: "switch (handler.errors ?? errors) {",
    by: "switch (errors) {",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    in: "exceededLimit",
    replace: "handler.retries !== undefined && retry >= handler.retries",
    by: "handler.retries !== undefined && retry > handler.retries",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    in: "retryOrFail",
    replace: "runtime: options.spent + delay };",
    by: "runtime: options.spent };",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    in: "judge",
    replace: 'if (error instanceof PermanentError) return { kind: "failure", error };',
    by: "",
  },
  // What they see and share, and what becomes of what they leave behind.
  {
    ...TASK,
    in: "DaemonTask.#run",
    replace: "if (!patch.isEmpty || this.#writes?.pending.isEmpty === false) {",
    by: 'if (outcome.kind === "success" || attempts.retry > 2) {',
  },
  {
    ...CALL,
    in: "argsOf",
    replace: "const newest = () => state.body;",
    by: "const { body } = state;\n  const newest = () => body;",
  },
  {
    ...CALL,
    in: "argsOf",
    replace: "const { resource, memo } = state;",
    by: "const { resource } = state;\n  const memo = {};",
  },
  {
    ...CALL,
    in: "callOnce",
    replace: "keepsResult: true",
    by: "keepsResult: false",
  },
  {
    ...TASK,
    in: "DaemonTask.#run",
    replace: "patch.fns.push(...this.#writes?.pending.takeLost() ?? []);",
    by: "",
  },
  { ...PENDING, in: "PendingWrite.keepLost", replace: "patch.fns.push(...fns);", by: "" },
  {
    file: "lib/execution/write_requests.ts",
    tests,
    in: "Writer.hasGone",
    replace: "if (namesObject(error, this.body)) return true;",
    by: "return false;",
  },
  {
    file: "lib/execution/write_requests.ts",
    tests,
    in: "split",
    replace: "    ? splitStatus(content)\n    : { main: content, status: undefined };",
    by: "    ? { main: content, status: undefined }\n    : { main: content, status: undefined };",
  },
  // Filters.
  {
    ...DAEMONS,
    in: "Daemons.match",
    replace: "object.tasks.filter(({ handler }) => !wanted.has(handler.id)),",
    by: "[],",
  },
  {
    ...DAEMONS,
    in: "Daemons.match",
    replace: "object.tasks.filter(({ handler }) => !wanted.has(handler.id)),",
    by: "wanted.size === 0 ? object.tasks : [],",
  },
  { ...DAEMONS, in: "Daemons.match", replace: '"FILTERS_MISMATCH",', by: '"RESOURCE_DELETED",' },
  { ...TASK, in: "DaemonTask.#end", replace: "if (!wasAsked) {", by: "{" },
  {
    file: "lib/handlers/filters.ts",
    tests,
    in: "matchesField",
    replace: "[getField(candidate.body, field)]",
    by: "[undefined]",
  },

  // Deletion: nobody is told; all wait for the polling; nobody is waited for.
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.match",
    replace: 'await this.#stop(object.tasks, "RESOURCE_DELETED");\n    } else',
    by: "} else",
  },
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.match",
    replace: 'await this.#stop(object.tasks, "RESOURCE_DELETED");\n    } else',
    by: 'await this.#stop(object.tasks, "FILTERS_MISMATCH");\n    } else',
  },
  { ...DAEMONS, tests: stopping, in: "Daemons.#stop", replace: "await this.#grace(told);", by: "" },
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.#grace",
    replace: "turn < (instantExitZeroTimeCycles ?? 0) &&",
    by: "turn < 1 &&",
  },
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.#grace",
    replace: "using _timer = clock.after(instantExitTimeout, () => controller.abort());",
    by: "controller.abort();",
  },
  { ...DAEMONS, tests: stopping, replace: "    this.#options.wake(state);\n  }\n}", by: "  }\n}" },
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.claimOf",
    replace: "const isPending = object?.tasks.some((each) => each.isStopping && !each.isReleased) === true;",
    by: "const isPending = false;",
  },
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.forget",
    replace: "await this.#stop(object.tasks, reason);",
    by: "",
  },
  // The stages of stopping.
  { ...STOPPING, in: "DaemonTask.advance", replace: 'this.#flagged.set("DAEMON_SIGNALLED");', by: "" },
  { ...STAGES, in: "stopStage", replace: "const toCancel = since + backoff;", by: "const toCancel = since;" },
  {
    ...STAGES,
    in: "stopStage",
    replace: "if (timeout !== undefined && isBefore(now, toCancel + timeout)) {",
    by: "if (timeout !== undefined && isBefore(now, toCancel)) {",
  },
  {
    ...STAGES,
    in: "stopStage",
    replace: 'return { kind: "cancelled", until: toCancel + timeout };',
    by: 'return { kind: "cancelled", until: now + timeout * 2 };',
  },
  {
    ...STAGES,
    in: "stopStage",
    replace: 'if (timeout !== undefined || isExiting) return { kind: "abandoned" };',
    by: 'return { kind: "abandoned" };',
  },
  {
    ...STAGES,
    in: "stopStage",
    replace: 'if (timeout !== undefined || isExiting) return { kind: "abandoned" };',
    by: 'if (isExiting) return { kind: "abandoned" };',
  },
  {
    ...STAGES,
    in: "stopStage",
    replace: 'return { kind: "awaited", until: now + interval };',
    by: 'return { kind: "awaited", until: now + 60 };',
  },
  {
    ...STAGES,
    in: "stopStage",
    replace: 'return { kind: "awaited", until: now + interval };',
    by: 'return { kind: "awaited", until: Infinity };',
  },
  {
    ...STOPPING,
    in: "DaemonTask.#cancel",
    replace: "this.#phase.run?.controller.abort(new DOMException",
    by: "void (new DOMException",
  },
  { ...STOPPING, in: "DaemonTask.#abandon", replace: 'this.#cancel("DAEMON_ABANDONED");', by: "" },
  {
    ...STOPPING,
    in: "DaemonTask.#abandon",
    replace: "did not exit in time: it is left behind",
    by: "is left behind",
  },
  {
    ...STOPPING,
    in: "DaemonTask.#run",
    replace: 'if (this.#isIn("abandoned") && !isExiting()) {',
    by: "if (false) {",
  },
  { ...STOPPING, in: "DaemonTask.#end", replace: 'this.#flag?.set("DONE");', by: "" },
  // The operator's end.
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.exit",
    replace: 'await this.#stop([...this.#live], "OPERATOR_EXITING");',
    by: "",
  },
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.exit",
    replace: 'await this.#stop([...this.#live], "OPERATOR_EXITING");',
    by: 'await this.#stop([...this.#live], "RESOURCE_DELETED");',
  },
  {
    ...DAEMONS,
    tests: stopping,
    in: "Daemons.exit",
    replace: "while (this.#live.size > 0) await this.#ends.wait();",
    by: "",
  },
];

export default mutants;
