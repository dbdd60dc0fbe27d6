/** Breaks in daemons, which their scenarios must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/daemons_test.ts"];
const stopping = ["tests/scenarios/daemons_stopping_test.ts"];

const DAEMONS = { file: "lib/engines/daemons/daemons.ts", tests };
const COMPANION = { file: "lib/engines/daemons/companion.ts", tests };
const STOPPING = { ...COMPANION, tests: stopping };
const ATTEMPTS = { file: "lib/engines/daemons/attempts.ts", tests };
const STAGES = { file: "lib/engines/daemons/stopping.ts", tests: stopping };
const DELIVERY = { file: "lib/engines/daemons/delivery.ts", tests };

const mutants: Mutant[] = [
  // They start: only for objects that are there already; twice; for what is being deleted; again after their end.
  {
    ...DAEMONS,
    replace: "this.#spawn(record, matching);",
    by: "if (handlers.length === 0) this.#spawn(record, matching);",
  },
  {
    ...DAEMONS,
    replace: "if (isThere || record.hasFinished(handler.id)) continue;",
    by: "if (record.hasFinished(handler.id)) continue;",
  },
  { ...DAEMONS, replace: "if (isDeleting) {", by: "if (isDeleting && record.companions.length > 0) {" },
  {
    ...DAEMONS,
    replace: "matching.some(({ id }) => !record.hasFinished(id))",
    by: "matching.length > 0",
  },
  {
    ...COMPANION,
    replace: 'const mayReturn = handler.type === "timer" && this.#outcome?.kind === "failure";',
    by: "const mayReturn = true;",
  },
  {
    ...DAEMONS,
    replace: "matching.some(({ id }) => !record.hasFinished(id))",
    by: "false",
  },
  // When they begin.
  {
    ...COMPANION,
    replace: "this.#plan(this.#world.clock.monotonic() + delay);",
    by: "this.#plan(this.#world.clock.monotonic());",
  },
  {
    ...COMPANION,
    replace: ": initialDelayOf(this.#caller(), initialDelay);",
    by: ": 0;",
  },
  { ...COMPANION, replace: 'if (this.#state === "waiting") this.#end();', by: "" },
  // When they are tried again, and how often.
  {
    file: "lib/engines/daemons/pauses.ts",
    tests,
    replace:
      'if (outcome.kind === "retry" || outcome.kind === "children") return { due: now + outcome.delay };',
    by:
      'if (outcome.kind === "retry" || outcome.kind === "children") return { due: now + Math.ceil(outcome.delay) };',
  },
  {
    file: "lib/engines/daemons/pauses.ts",
    tests,
    replace:
      'if (outcome.kind === "retry" || outcome.kind === "children") return { due: now + outcome.delay };',
    by: "",
  },
  {
    file: "lib/execution/errors.ts",
    tests,
    replace: "options.delay === undefined ? 60 :",
    by: "options.delay === undefined ? 0.5 :",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    replace: "handler.backoff ?? options.defaultBackoff",
    by: "options.defaultBackoff",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    replace: "handler.backoff ?? options.defaultBackoff",
    by: "handler.backoff ?? 1",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    replace: "switch (handler.errors ?? errors) {",
    by: "switch (errors) {",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    replace: "handler.retries !== undefined && retry >= handler.retries",
    by: "handler.retries !== undefined && retry > handler.retries",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    replace: "runtime: options.spent + delay };",
    by: "runtime: options.spent };",
  },
  {
    file: "lib/execution/execute.ts",
    tests,
    replace: 'if (error instanceof PermanentError) return { kind: "failure", error };',
    by: "",
  },
  // What they see and share, and what becomes of what they leave behind.
  {
    ...COMPANION,
    replace: "if (!patch.isEmpty || this.#outbox?.hasBacklog === true) await this.#send(patch, logger);",
    by: 'if (outcome.kind === "success" || attempts.retry > 2) await this.#send(patch, logger);',
  },
  { ...ATTEMPTS, replace: "newest: () => record.body,", by: "" },
  {
    ...ATTEMPTS,
    replace: "const { resource, memo } = record.subject;",
    by: "const { resource } = record.subject;\n  const memo = {};",
  },
  {
    ...COMPANION,
    replace: 'if (outcome.kind === "success") deliver({ patch, logger }, this.handler.id, outcome.result);',
    by: "",
  },
  { ...COMPANION, replace: "patch.fns.push(...this.#outbox?.lost ?? []);", by: "" },
  {
    ...DELIVERY,
    replace: "return { unsent: undefined, lost: outgoing.fns, failures: 0, retryIn: 0 };",
    by: "return { unsent: outgoing, lost: outgoing.fns, failures: 0, retryIn: 0 };",
  },
  {
    file: "lib/execution/write_requests.ts",
    tests,
    replace: "if ((error instanceof ApiError && error.status === 404) || isReplaced(error)) {",
    by: "if (isReplaced(error)) {",
  },
  {
    file: "lib/execution/write_requests.ts",
    tests,
    replace: "    ? splitStatus(content)\n    : { main: content, status: undefined };",
    by: "    ? { main: content, status: undefined }\n    : { main: content, status: undefined };",
  },
  // Filters.
  { ...DAEMONS, replace: "record.companions.filter(({ handler }) => !wanted.has(handler.id)),", by: "[]," },
  {
    ...DAEMONS,
    replace: "record.companions.filter(({ handler }) => !wanted.has(handler.id)),",
    by: "wanted.size === 0 ? record.companions : [],",
  },
  { ...DAEMONS, replace: '"FILTERS_MISMATCH",', by: '"RESOURCE_DELETED",' },
  { ...COMPANION, replace: "if (!wasAsked) {", by: "{" },
  { file: "lib/registry/filters.ts", tests, replace: "[getField(candidate.body, field)]", by: "[undefined]" },

  // Deletion: nobody is told; all wait for the polling; nobody is waited for.
  {
    ...DAEMONS,
    tests: stopping,
    replace: 'await this.#stop(record.companions, "RESOURCE_DELETED");\n    } else',
    by: "} else",
  },
  {
    ...DAEMONS,
    tests: stopping,
    replace: 'await this.#stop(record.companions, "RESOURCE_DELETED");\n    } else',
    by: 'await this.#stop(record.companions, "FILTERS_MISMATCH");\n    } else',
  },
  { ...DAEMONS, tests: stopping, replace: "await this.#grace(told);", by: "" },
  { ...DAEMONS, tests: stopping, replace: "turn < (instantExitZeroTimeCycles ?? 0) &&", by: "turn < 1 &&" },
  {
    ...DAEMONS,
    tests: stopping,
    replace: "using _timer = clock.after(instantExitTimeout, () => controller.abort());",
    by: "controller.abort();",
  },
  { ...DAEMONS, tests: stopping, replace: "    this.#options.wake(subject);\n  }\n}", by: "  }\n}" },
  {
    ...DAEMONS,
    tests: stopping,
    replace: "const isPending = record.companions.some((each) => each.isStopping && !each.isReleased);",
    by: "const isPending = false;",
  },
  { ...DAEMONS, tests: stopping, replace: "await this.#stop(record.companions, reason);", by: "" },
  {
    file: "lib/operator/processing.ts",
    tests: stopping,
    replace: 'await pass.daemons.forget(memory, hasLeft ? "FILTERS_MISMATCH" : "RESOURCE_DELETED");',
    by: "await handleBackground(pass);",
  },
  // The stages of stopping.
  { ...STOPPING, replace: 'this.#flagged.set("DAEMON_SIGNALLED");', by: "" },
  { ...STAGES, replace: "const toCancel = since + backoff;", by: "const toCancel = since;" },
  {
    ...STAGES,
    replace: "if (timeout !== undefined && isBefore(now, toCancel + timeout)) {",
    by: "if (timeout !== undefined && isBefore(now, toCancel)) {",
  },
  {
    ...STAGES,
    replace: 'return { kind: "cancelled", until: toCancel + timeout };',
    by: 'return { kind: "cancelled", until: now + timeout * 2 };',
  },
  {
    ...STAGES,
    replace: 'if (timeout !== undefined || isExiting) return { kind: "abandoned" };',
    by: 'return { kind: "abandoned" };',
  },
  {
    ...STAGES,
    replace: 'if (timeout !== undefined || isExiting) return { kind: "abandoned" };',
    by: 'if (isExiting) return { kind: "abandoned" };',
  },
  {
    ...STAGES,
    replace: 'return { kind: "awaited", until: now + interval };',
    by: 'return { kind: "awaited", until: now + 60 };',
  },
  {
    ...STAGES,
    replace: 'return { kind: "awaited", until: now + interval };',
    by: 'return { kind: "awaited", until: Infinity };',
  },
  { ...STOPPING, replace: "this.#controller?.abort(new DOMException", by: "void (new DOMException" },
  { ...STOPPING, replace: 'this.#cancel("DAEMON_ABANDONED");', by: "" },
  { ...STOPPING, replace: "did not exit in time: it is left behind", by: "is left behind" },
  {
    ...STOPPING,
    replace: 'if (this.#state === "abandoned" && !isExiting()) return this.#end();',
    by: "",
  },
  { ...STOPPING, replace: 'this.#flag?.set("DONE");', by: "" },
  // Optional handlers are not called where daemons hold the object; and what was done is done twice.
  {
    file: "lib/operator/changes.ts",
    tests: stopping,
    replace: "const isRequired = claim.isRequired || relevant",
    by: "const isRequired = relevant",
  },
  {
    file: "lib/operator/handling.ts",
    tests: stopping,
    replace:
      'if (!progress.isDone || (reason === "delete" && isPending)) return unfinished(pass, batches, batch);',
    by:
      'if (!progress.isDone) return unfinished(pass, batches, batch);\n  if (reason === "delete" && isPending) return {};',
  },
  // The operator's end.
  { ...DAEMONS, tests: stopping, replace: 'await this.#stop([...this.#live], "OPERATOR_EXITING");', by: "" },
  {
    ...DAEMONS,
    tests: stopping,
    replace: 'await this.#stop([...this.#live], "OPERATOR_EXITING");',
    by: 'await this.#stop([...this.#live], "RESOURCE_DELETED");',
  },
  { ...DAEMONS, tests: stopping, replace: "while (this.#live.size > 0) await this.#ends.wait();", by: "" },
];

export default mutants;
