/** Breaks in timers, which their scenarios must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/timers_test.ts"];

const NEXT_RUN = { file: "lib/handlers/background/next_run.ts", tests };
const TASK = { file: "lib/handlers/background/daemon_task.ts", tests };
const OBJECT = { file: "lib/handlers/background/object_daemons.ts", tests };
const WRITER = { file: "lib/execution/object_writer.ts", tests };
const DAEMONS = { file: "lib/handlers/background/daemons.ts", tests };

const mutants: Mutant[] = [
  // The interval: all timers are sharp; none is; sharp ones overlap; the initial delay comes each time, or never.
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: "if (sharp !== true) return { due: now + interval };",
    by: "",
  },
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: "if (sharp !== true) return { due: now + interval };",
    by: "return { due: now + interval };",
  },
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: "return { due: due + (passed + 1) * interval };",
    by: "return { due: due + Math.max(interval, now - due) };",
  },
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: "if (sharp !== true) return { due: now + interval };",
    by: "if (sharp !== true) return { due: now + interval + Number(handler.initialDelay ?? 0) };",
  },
  {
    ...TASK,
    in: "DaemonTask.start",
    replace: "this.#plan(this.#context.clock.monotonic() + delay);",
    by: "this.#plan(this.#context.clock.monotonic());",
  },
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: 'return idle === undefined ? "end" : "change";',
    by: 'return "change";',
  },
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: 'return idle === undefined ? "end" : "change";',
    by: 'return idle === undefined ? "end" : { due: now + 60 };',
  },
  {
    ...DAEMONS,
    in: "Daemons.claimOf",
    replace: "matching.some(({ id }) => object?.hasFinished(id) !== true)",
    by: "matching.length > 0",
  },
  // Idling: begins anew with each event, or never; what is due does not look at it; changes bring nothing, or twice as much.
  {
    ...OBJECT,
    in: "ObjectDaemons.notice",
    replace: "if (before === undefined || before === essence) return;",
    by: "if (before === undefined) return;",
  },
  {
    ...OBJECT,
    in: "ObjectDaemons.notice",
    replace: "this.idleSince = now;\n    this.changes++;",
    by: "this.changes++;",
  },
  {
    ...OBJECT,
    in: "ObjectDaemons.notice",
    replace: "for (const task of this.#tasks) task.onChange();",
    by: "",
  },
  {
    ...TASK,
    in: "DaemonTask.wake",
    replace: "if (isDue && this.#idleEnd() > now) return this.#plan(this.#idleEnd());",
    by: "",
  },
  {
    ...TASK,
    in: "DaemonTask.#planNext",
    replace: "this.siblings.changes > seen ? this.#idleEnd() : Infinity",
    by: "Infinity",
  },
  // A timer that waits for a change does not stop; or holds its object until it is polled.
  {
    ...TASK,
    in: "DaemonTask.stop",
    replace: 'if (phase.kind === "waiting") this.#end();',
    by: 'if (phase.kind === "waiting" && this.#due !== Infinity) this.#end();',
  },
  {
    ...TASK,
    in: "DaemonTask.stop",
    replace: 'if (phase.kind === "waiting") this.#end();',
    by: 'if (phase.kind === "waiting" && this.#due === Infinity) this.#end();',
  },
  // Failures: another pause than was asked for; the same numbers for ever; no end; an end for good, or where none was wanted.
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: "return { due: retry.due };",
    by: 'return { due: handler.type === "timer" ? now + (handler.interval ?? 0) : retry.due };',
  },
  {
    ...TASK,
    in: "DaemonTask.#run",
    replace: "this.#retry = after(retry, outcome, clock.monotonic());",
    by:
      'const next = after(retry, outcome, clock.monotonic()); this.#retry = outcome.kind === "retry" ? next : { ...next, attempts: retry.attempts };',
  },
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: 'if (hasFailed(retry) && handler.keepSchedule !== true) return "end";',
    by:
      'if (outcome.kind === "failure" && handler.keepSchedule !== true && handler.interval !== 1) return "end";',
  },
  {
    ...NEXT_RUN,
    in: "nextRun",
    replace: 'if (hasFailed(retry) && handler.keepSchedule !== true) return "end";',
    by: 'if (outcome.kind === "failure") return "end";',
  },
  {
    ...TASK,
    in: "DaemonTask.#end",
    replace: "mayReturn ? essenceOf(state, state.body) : undefined",
    by: "undefined",
  },
  // A write that fails: ends the timer; is not logged; is not tried again, or only with the next run.
  {
    ...WRITER,
    in: "ObjectWriter.#write",
    replace: "return settleRefused(told, request, told === error ? wanted.content : undefined);",
    by: "throw error;",
  },
  {
    ...TASK,
    in: "DaemonTask.#resendAfter",
    replace: 'logger.error("Cannot write the patch: it is kept, and tried again"',
    by: 'logger.debug("Cannot write the patch: it is kept, and tried again"',
  },
  {
    ...TASK,
    in: "DaemonTask.#resendAfter",
    replace: "const retryIn = delays[Math.min(attempt, delays.length) - 1] ?? 60;",
    by: "const retryIn = 3600;",
  },
  // Results: are not written, or only the first.
  {
    ...TASK,
    in: "DaemonTask.#run",
    replace: "await this.#write(patch, { logger, permit, ended: succeeded });\n",
    by: "{}\n",
  },
];

export default mutants;
