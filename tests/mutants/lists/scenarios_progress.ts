/** Breaks in how handlers' progress is kept, which the scenarios of progress and of sub-handlers must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/progress_test.ts"];
const subs = ["tests/scenarios/sub_handlers_test.ts"];

const PROGRESS = { file: "lib/handlers/change/progress.ts", tests };
const EXECUTE = { file: "lib/execution/execute.ts", tests };

const mutants: Mutant[] = [
  // A success is said before its write stands; a refusal has two lines, or a stack, or none of what was sent.
  {
    file: "lib/handlers/call.ts",
    tests: ["tests/scenarios/refusal_lines_test.ts"],
    in: "callHandler",
    replace: "if (hasSucceeded && isHeld && !isUnsaid) sayThatItSucceeded(logger, start);",
    by: "if (hasSucceeded && isHeld) sayThatItSucceeded(logger, start);",
  },
  {
    file: "lib/execution/execute.ts",
    tests: ["tests/scenarios/refusal_lines_test.ts"],
    in: "failAfterwards",
    replace: "markAsTold(error);",
    by: "",
  },
  {
    file: "lib/execution/execute.ts",
    tests: ["tests/scenarios/refusal_lines_test.ts"],
    in: "report",
    replace: " || thrown instanceof RefusedWrite;",
    by: ";",
  },
  {
    file: "lib/execution/refused_write.ts",
    tests: ["tests/execution/refused_write_test.ts"],
    in: "fieldsOf",
    replace: '.filter((field) => field !== "metadata.resourceVersion")',
    by: "",
  },
  // A wait is thrown into the author's function; a look at the children is the last one.
  {
    file: "lib/execution/waiting.ts",
    tests: ["tests/scenarios/waiting_test.ts"],
    in: "Waiting.end",
    replace: "return new Promise<never>(() => {});",
    by: "throw postponed;",
  },
  {
    file: "lib/execution/execute.ts",
    tests: ["tests/scenarios/waiting_test.ts"],
    in: "attemptOnce",
    replace: "if (postponed !== undefined) {",
    by: "if (Math.PI < 3 && postponed !== undefined) {",
  },
  {
    file: "lib/handlers/reconcile/reconcile_part.ts",
    tests: ["tests/scenarios/waiting_test.ts"],
    in: "ReconcilePart.#call",
    replace: 'if (outcome.kind === "children") record.isRunning = false;',
    by: "",
  },
  // Steps are called side by side; old results stay beside failures; a handler goes on after a failed step.
  {
    file: "lib/handlers/change/change_run.ts",
    tests: ["tests/scenarios/sub_outcomes_test.ts"],
    in: "ChangeRun.#runChildren",
    replace: "if (isOpen(handler)) break;",
    by: "",
  },
  {
    file: "lib/handlers/change/change_run.ts",
    tests: ["tests/scenarios/sub_outcomes_test.ts"],
    in: "ChangeRun.#runChildren",
    replace: "this.#dropStaleResults(selected, outcomes);",
    by: "",
  },
  {
    file: "lib/handlers/change/change_run.ts",
    tests: ["tests/scenarios/sub_outcomes_test.ts"],
    in: "ChangeRun.#call",
    replace: "await children.finish();",
    by: "await children.run();",
  },
  // Notes of other objects count as the object's own, records of other objects stay.
  {
    file: "lib/settings/persistence/identity.ts",
    tests: ["tests/scenarios/copies_test.ts"],
    in: "isOwnNote",
    replace: "of === own) return true;",
    by: "of !== null) return true;",
  },
  {
    file: "lib/settings/persistence/progress.ts",
    tests: ["tests/scenarios/copies_test.ts"],
    in: "ProgressNotes.sweep",
    replace: "if (isForeign) place.drop({ patch, body }, id);",
    by: "",
  },
  {
    file: "lib/settings/persistence/combined.ts",
    tests: ["tests/scenarios/copies_test.ts"],
    in: "CombinedDiffBase.fetch",
    replace: "isEnded() ? undefined : ",
    by: "",
  },
  {
    file: "lib/handlers/change/decide.ts",
    tests: ["tests/scenarios/copies_test.ts"],
    in: "detectCause",
    replace: '(state.firstSeen === "listing" || isRestored)',
    by: 'state.firstSeen === "listing"',
  },
  // Notes that another writer takes off are forgotten, or put back at once, each time.
  {
    file: "lib/handlers/change/notes.ts",
    tests: ["tests/scenarios/taken_notes_test.ts"],
    in: "lastHandled",
    replace: "kept ?? (slot.noted && handledEssence(persistence, slot.noted.object, options))",
    by: "kept",
  },
  // A state that comes while a turn goes on is judged as the answer to its write.
  {
    file: "lib/handlers/change/change_part.ts",
    tests: ["tests/scenarios/taken_notes_test.ts"],
    in: "ChangePart.written",
    replace: "? result.body : this.#turn.state.snapshot;",
    by: "? result.body : this.#turn.state.body;",
  },
  {
    file: "lib/handlers/change/notes.ts",
    tests: ["tests/scenarios/taken_notes_test.ts"],
    in: "keepTakenRecords",
    replace: "slot.unsaved = new Map([...lost, ...slot.unsaved]);",
    by: "",
  },
  {
    file: "lib/handlers/change/change_part.ts",
    tests: ["tests/scenarios/taken_notes_test.ts"],
    in: "ChangePart.#tidy",
    replace: "isAway ? taken.isDue : ",
    by: "isAway || ",
  },
  {
    file: "lib/handlers/change/change_part.ts",
    tests: ["tests/scenarios/taken_notes_test.ts"],
    in: "ChangePart.#putBack",
    replace:
      "for (const [id, record] of this.#records()) progress.store({ patch: notes, body, id, record });",
    by: "",
  },
  // What a handler saw does not matter; or records count for any purpose.
  {
    ...PROGRESS,
    in: "isValid",
    replace: "record.digest === undefined || isAsSigned(record.digest);",
    by: "true;",
  },
  {
    ...PROGRESS,
    in: "isOfOther",
    replace: "return record.purpose !== undefined && record.purpose !== purpose;",
    by: "return false;",
  },
  // Permanent errors are tried again; arbitrary ones sooner or later than the settings say.
  {
    ...EXECUTE,
    in: "judge",
    replace: 'if (error instanceof PermanentError) return { kind: "failure", error };',
    by: 'if (error instanceof PermanentError) return { kind: "retry", delay: 60, error };',
  },
  {
    ...EXECUTE,
    in: "backoffOf",
    replace: "pauseAfter(backoff ?? defaultBackoff, retry, random)",
    by: "pauseAfter(backoff ?? 60, retry, random)",
  },
  {
    ...EXECUTE,
    in: "exceededLimit",
    replace: "handler.retries !== undefined && retry >= handler.retries",
    by: "handler.retries !== undefined && retry > handler.retries",
  },
  {
    ...EXECUTE,
    in: "retryOrFail",
    replace: "const next = { retry: options.attempts.retry + 1,",
    by: "const next = { retry: options.attempts.retry + 2,",
  },
  {
    file: "lib/execution/invoke.ts",
    tests,
    in: "invokeWithin",
    replace: "controller.abort(error);",
    by: "",
  },
  {
    file: "lib/execution/invoke.ts",
    tests,
    in: "invokeWithin",
    replace: "using _timer = clock.after(remaining, () => {",
    by: "using _timer = clock.after(remaining * 2, () => {",
  },
  {
    ...PROGRESS,
    tests: subs,
    in: "Progress.#purge",
    replace: "for (const each of [id, ...subrefs]) storage",
    by: "for (const each of [id]) storage",
  },
  {
    ...EXECUTE,
    tests: subs,
    in: "judge",
    replace:
      'if (error instanceof Postponed) return { kind: "children", delay: error.delay, reason: error.message };',
    by: 'if (error instanceof Postponed) return { kind: "retry", delay: error.delay, error };',
  },
  {
    ...PROGRESS,
    tests: subs,
    in: "recordOf",
    replace: "retries: made,",
    by: "retries: attempts + 1,",
  },
  {
    ...PROGRESS,
    tests: subs,
    in: "Progress.awake",
    replace: "handler === undefined || isFinished(record)",
    by: "handler === undefined || record.failure",
  },
];

export default mutants;
