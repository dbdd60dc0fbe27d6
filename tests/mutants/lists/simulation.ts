/**
 * Breaks in the reactor that the simulation of an operator with handlers of all manners is to find, beside the tests of each part:
 * RUNS=400 SECONDS=60 deno task mutants --fast simulation/operators
 */

import { breaksOf, type Mutant } from "../mutant.ts";

const tests = ["tests/simulation/operators_test.ts"];

const mutants: Mutant[] = [
  // A dropped event.
  ...breaksOf("lib/controller/reconcile.ts", [
    [
      "reconcile",
      "const byEvent = !patch.isEmpty;",
      `const byEvent = !patch.isEmpty;\n  if (why.events.some(({ event }) => event.type === "ADDED")) return { kind: "done" };`,
    ],
    // A finalizer gone early.
    ["finalizerOfLeaving", "|| (isRequired && isPending)", ""],
  ], tests),
  ...breaksOf("lib/client/cache/object_store.ts", [
    // A stale state is taken.
    [
      "CachedObject.adopt",
      `if (order === "same" || order === "older") return order;`,
      `if (order === "same") return order;`,
    ],
    // A missing sweep.
    ["ObjectStore.sweep", "if (cached.generation === this.#generation) continue;", "continue;"],
  ], tests),
  // An object that has gone comes back.
  ...breaksOf("lib/client/cache/caches.ts", [
    ["Caches.answer", "(accepts(object) && !store.hasPassed(object))", "accepts(object)"],
  ], tests),
  ...breaksOf("lib/controller/work_queue.ts", [
    // A forgotten retry when an event brings nothing new.
    [
      "WorkQueue.addEvent",
      "    item.events.push(event);",
      "    item.events.push(event);\n    this.#forgetPlan(state, item);",
    ],
    // A retry that comes too late.
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
  ...breaksOf("lib/controller/controller.ts", [
    // A failure that is not tried again.
    [
      "retryLater",
      `return { kind: pause === undefined ? "requeue" : "throttle", after, wake: "error", failed: true };`,
      `return { kind: "done", failed: true };`,
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
