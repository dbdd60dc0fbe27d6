/**
 * Breaks in the reactor that the simulation of an operator with handlers of all manners finds in its first runs, beside the tests of
 * each part.
 */

import { breaksOf, type Mutant } from "../mutant.ts";

const tests = ["tests/simulation/operators_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/controller/reconcile.ts", [
    // A dropped event.
    [
      "reconcile",
      "const byEvent = !patch.isEmpty;",
      `const byEvent = !patch.isEmpty;\n  if (why.events.some(({ event }) => event.type === "ADDED")) return { kind: "done" };`,
    ],
    // A finalizer gone early.
    ["finalizerOfLeaving", "|| (isRequired && isPending)", ""],
  ], tests),
  ...breaksOf("lib/controller/work_queue.ts", [
    // A planned retry that is lost.
    [
      "WorkQueue.#plan",
      "this.#schedule.set(state, this.#options.clock.monotonic() + after);",
      "if (after < 12) this.#schedule.set(state, this.#options.clock.monotonic() + after);",
    ],
    // One object has two turns at once.
    [
      "WorkQueue.#start",
      "item.isRunning || !this.#isDue(state, item)) return;",
      "!this.#isDue(state, item)) return;",
    ],
  ], tests),
  // Notes are written before the status.
  ...breaksOf("lib/execution/write_requests.ts", [
    [
      `if (status !== undefined) await this.mergeStatus(status);\n    if (finalizer === undefined) await this.merge(main);\n    else await this.mergeWithFinalizer(main, finalizer);`,
      `if (finalizer === undefined) await this.merge(main);\n    else await this.mergeWithFinalizer(main, finalizer);\n    if (status !== undefined) await this.mergeStatus(status);`,
    ],
  ], tests),
];

export default mutants;
