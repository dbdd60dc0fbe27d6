/** Breaks in how an operator runs and ends, which the scenarios of running, probes and others must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/running_test.ts"];
const probes = ["tests/scenarios/probes_test.ts"];
const embedding = ["tests/scenarios/embedding_test.ts"];
const faults = ["tests/scenarios/faults_test.ts"];

const LIFETIME = { file: "lib/operator/run.ts", tests };
const RUNNING = { file: "lib/operator/operator_run.ts", tests };
const PROBING = { file: "lib/engines/probing.ts", tests: probes };
const ACTIVITIES = { file: "lib/operator/activities.ts", tests: probes };

const mutants: Mutant[] = [
  // The end: without its reason, or an error; parts that fail are not noticed; streams and daemons go on; it waits for ever.
  {
    ...LIFETIME,
    in: "reportStop",
    replace: "isPlain ? {} : { reason: reason instanceof Error ? reason.message : reason },",
    by: "{},",
  },
  {
    ...LIFETIME,
    in: "reportStop",
    replace: 'const isPlain = reason instanceof DOMException && reason.name === "AbortError";',
    by: "const isPlain = false;",
  },
  { ...LIFETIME, in: "runOperator", replace: "if (failure !== undefined) throw failure.error;", by: "" },
  { ...RUNNING, in: "OperatorRun.serve", replace: "if (failed.aborted) throw failed.reason;", by: "" },
  {
    ...RUNNING,
    in: "OperatorRun.#stop",
    replace: "Promise.all([this.#watching.stop(), this.#peering.stopWatching()])",
    by: "Promise.all([this.#peering.stopWatching()])",
  },
  {
    ...RUNNING,
    in: "OperatorRun.#stop",
    replace: "drained(work, { clock, timeout: exitTimeout }), daemons.exit()]",
    by: "drained(work, { clock, timeout: exitTimeout })]",
  },
  {
    ...RUNNING,
    in: "OperatorRun.#stop",
    replace: "if (!isFinished) gates.stopHandlers();",
    by: "if (!isFinished) await clock.sleep(60);\n    if (!isFinished) gates.stopHandlers();",
  },
  {
    ...RUNNING,
    in: "OperatorRun.#stop",
    replace: 'logger.warn("Some handlers do not stop: they are left behind"',
    by: 'logger.debug("Some handlers do not stop: they are left behind"',
  },
  // Streams that end, and workers that crash, are not started again.
  {
    file: "lib/client/watch/watcher.ts",
    tests,
    in: "Watcher.#fail",
    replace: 'this.#apply({ is: "failed", how: failureOf(error) }, { error });',
    by:
      'this.#apply({ is: "failed", how: error instanceof ApiError ? "stop" : failureOf(error) }, { error });',
  },
  {
    file: "lib/client/watch/watcher.ts",
    tests,
    in: "Watcher.run",
    replace: "if (this.#pause === 0 || signal.aborted) continue;",
    by: "if (signal.aborted) continue;\n      this.#pause += 600;",
  },
  {
    file: "lib/engines/peering/peering_object.ts",
    tests,
    in: "PeeringScope.#keep",
    replace: "Math.min(RETRY, renewalPause(lifetime, random))",
    by: "3600",
  },
  {
    file: "lib/operator/operator.ts",
    tests,
    in: "Operator.#run",
    replace: "if (scope === undefined) warnOfScope(logger);",
    by: "",
  },
  {
    file: "lib/operator/operator.ts",
    tests,
    in: "Operator.#run",
    replace: "if (scope === undefined) warnOfScope(logger);",
    by: "warnOfScope(logger);",
  },
  // Handlers that fail.
  {
    file: "lib/execution/execute.ts",
    tests,
    in: "exceededLimit",
    replace: "handler.retries !== undefined && retry >= handler.retries",
    by: "handler.retries !== undefined && retry > handler.retries",
  },

  // Probes.
  { ...PROBING, in: "Probes.answer", replace: "status: 500, tellsReasons", by: "status: 503, tellsReasons" },
  {
    ...PROBING,
    in: "Probes.#current",
    replace: "this.#asking ??= probe().finally(() => this.#asking = undefined);",
    by: "this.#asking ??= probe();",
  },
  {
    ...PROBING,
    in: "Probes.answer",
    replace: "formatJson(Object.fromEntries(results))",
    by: "formatJson([...results.keys()])",
  },
  {
    ...ACTIVITIES,
    in: "Activities.#guard",
    replace: "throw new PermanentError(toError(error).message, { cause: error });",
    by: "throw error;",
  },
  {
    ...LIFETIME,
    tests: probes,
    in: "runOperator",
    replace: "if (liveness !== undefined) parseProbeAddress(liveness);",
    by: "",
  },

  // Two operators share what they have; lists that were cut count.
  {
    file: "lib/operator/operator.ts",
    tests: embedding,
    in: "Operator.run",
    replace: "registry: this.#registry.copy(),",
    by: "registry: (Registry.prototype as unknown as { shared: Registry }).shared ??= this.#registry.copy(),",
  },
  {
    file: "lib/operator/run_options.ts",
    tests: embedding,
    in: "checkRunOptions",
    replace: "if (scope.length === 0) {",
    by: "if (false) {",
  },
  {
    file: "lib/client/watch/watcher_state.ts",
    tests: faults,
    in: "whileListing",
    replace: 'case "ended":\n      return { state: again, pause: "grown", log: FAILED };',
    by: 'case "ended":\n      return { state: completeAt("1", "pages"), pause: "none", tell: "synced" };',
  },
  {
    file: "lib/client/watch/watcher.ts",
    tests: faults,
    in: "Watcher.#pauseAfter",
    replace: "return this.#status.expired(reconnectBackoff, error);",
    by: "return this.#status.expired(reconnectBackoff, error) + 60;",
  },
  {
    file: "lib/client/watch/watcher_state.ts",
    tests: faults,
    in: "transition",
    replace: 'if (input.is === "failed" && input.how === "expired") return expired(state);',
    by:
      'if (input.is === "failed" && input.how === "expired") return state.at === "listing" ? { state: { at: "ended" }, pause: "none" } : expired(state);',
  },
];

export default mutants;
