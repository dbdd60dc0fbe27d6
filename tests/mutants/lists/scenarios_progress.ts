/** Breaks in how handlers' progress is kept, which the scenarios of progress and of sub-handlers must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/progress_test.ts"];
const subs = ["tests/scenarios/sub_handlers_test.ts"];

const PROGRESS = { file: "lib/handlers/change/progress.ts", tests };
const EXECUTE = { file: "lib/execution/execute.ts", tests };

const mutants: Mutant[] = [
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
    replace: 'if (error instanceof Postponed) return { kind: "children", delay: error.delay };',
    by: 'if (error instanceof Postponed) return { kind: "retry", delay: error.delay, error };',
  },
  {
    ...PROGRESS,
    tests: subs,
    in: "afterOutcome",
    replace: "next.retries = record.retries;",
    by: "",
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
