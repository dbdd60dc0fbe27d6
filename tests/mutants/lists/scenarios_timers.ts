/** Breaks in timers, which their scenarios must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/timers_test.ts"];

const PAUSES = { file: "lib/engines/daemons/pauses.ts", tests };
const COMPANION = { file: "lib/engines/daemons/companion.ts", tests };
const RECORD = { file: "lib/engines/daemons/record.ts", tests };
const DELIVERY = { file: "lib/engines/daemons/delivery.ts", tests };
const DAEMONS = { file: "lib/engines/daemons/daemons.ts", tests };

const mutants: Mutant[] = [
  // The interval: all timers are sharp; none is; sharp ones overlap; the initial delay comes each time, or never.
  {
    ...PAUSES,
    replace: "if (sharp !== true || interval === 0) return now + interval;",
    by: "if (interval === 0) return now + interval;",
  },
  {
    ...PAUSES,
    replace: "if (sharp !== true || interval === 0) return now + interval;",
    by: "return now + interval;",
  },
  {
    ...PAUSES,
    replace: "return due + (passed + 1) * interval;",
    by: "return due + Math.max(interval, now - due);",
  },
  {
    ...PAUSES,
    replace: "if (handler.interval !== undefined) return { due: afterInterval(handler, run) };",
    by:
      "if (handler.interval !== undefined) return { due: afterInterval(handler, run) + Number(handler.initialDelay ?? 0) };",
  },
  {
    ...COMPANION,
    replace: "this.#plan(this.#world.clock.monotonic() + delay);",
    by: "this.#plan(this.#world.clock.monotonic());",
  },
  { ...PAUSES, replace: 'return handler.idle === undefined ? "end" : "change";', by: 'return "change";' },
  {
    ...PAUSES,
    replace: 'return handler.idle === undefined ? "end" : "change";',
    by: 'return handler.idle === undefined ? "end" : { due: now + 60 };',
  },
  { ...DAEMONS, replace: "matching.some(({ id }) => !record.hasFinished(id))", by: "matching.length > 0" },
  // Idling: begins anew with each event, or never; what is due does not look at it; changes bring nothing, or twice as much.
  {
    ...RECORD,
    replace: "if (before === undefined || before === essence) return;",
    by: "if (before === undefined) return;",
  },
  { ...RECORD, replace: "this.idleSince = now;\n    this.changes++;", by: "this.changes++;" },
  { ...RECORD, replace: "for (const companion of this.companions) companion.onChange();", by: "" },
  {
    ...COMPANION,
    replace: "if (isDue && this.#idleEnd() > now) return this.#plan(this.#idleEnd());",
    by: "",
  },
  {
    ...COMPANION,
    replace: "this.#plan(this.record.changes > this.#seen ? this.#idleEnd() : Infinity);",
    by: "this.#plan(Infinity);",
  },
  // A timer that waits for a change does not stop; or holds its object until it is polled.
  {
    ...COMPANION,
    replace: 'if (this.#state === "waiting") this.#end();',
    by: 'if (this.#state === "waiting" && this.#due !== Infinity) this.#end();',
  },
  {
    ...COMPANION,
    replace: 'if (this.#state === "waiting") this.#end();',
    by: 'if (this.#state === "waiting" && this.#due === Infinity) this.#end();',
  },
  // Failures: another pause than was asked for; the same numbers for ever; no end; an end for good, or where none was wanted.
  {
    ...PAUSES,
    replace: "return { due: now + outcome.delay };",
    by: 'return { due: now + (handler.type === "timer" ? handler.interval ?? 0 : outcome.delay) };',
  },
  { ...COMPANION, replace: 'if (outcome.kind !== "retry") this.#attempts = undefined;', by: "" },
  {
    ...PAUSES,
    replace: 'if (outcome.kind === "failure" && handler.keepSchedule !== true) return "end";',
    by:
      'if (outcome.kind === "failure" && handler.keepSchedule !== true && handler.interval !== 1) return "end";',
  },
  {
    ...PAUSES,
    replace: 'if (outcome.kind === "failure" && handler.keepSchedule !== true) return "end";',
    by: 'if (outcome.kind === "failure") return "end";',
  },
  {
    ...COMPANION,
    replace: "mayReturn ? essenceOf(record.subject, record.body) : undefined",
    by: "undefined",
  },
  // A write that fails: ends the timer; is not logged; is not tried again, or only with the next run.
  { ...DELIVERY, replace: "return keep(outgoing, { ...options, error });", by: "throw error;" },
  {
    ...DELIVERY,
    replace: 'logger.error("Cannot write the patch: it is kept, and tried again"',
    by: 'logger.debug("Cannot write the patch: it is kept, and tried again"',
  },
  {
    ...DELIVERY,
    replace: "const retryIn = errorDelays[Math.min(failures, errorDelays.length) - 1] ?? 60;",
    by: "const retryIn = 3600;",
  },
  {
    ...DELIVERY,
    replace: 'logger.error(\n        "The server refuses the patch as invalid',
    by: 'logger.debug(\n        "The server refuses the patch as invalid',
  },
  // Results: are not written, or only the first.
  { ...COMPANION, replace: "await this.#send(patch, logger);\n", by: "{}\n" },
];

export default mutants;
