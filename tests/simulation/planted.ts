/**
 * Faults of the reactor, each planted as a small break of the code, that the simulation of everything.ts has to find: the twelve
 * that Lotse promises to find, and some that were hard to find.
 */

import type { Mutant } from "../mutants/mutant.ts";

/** A break, as `Mutant`, with a name. */
export interface Planted extends Omit<Mutant, "tests"> {
  readonly name: string;
}

/** All of them. */
export const PLANTED: readonly Planted[] = [
  {
    name: "a dropped event",
    file: "lib/controller/reconcile.ts",
    in: "reconcile",
    replace: "const byEvent = !patch.isEmpty;",
    by:
      `const byEvent = !patch.isEmpty;\n  if (why.events.some(({ event }) => event.type === "ADDED")) return { kind: "done" };`,
  },
  {
    // The result for an older state is noted for the newest one.
    name: "a stale write",
    file: "lib/handlers/change/change_part.ts",
    replace: "this.#note(cause.new, patch);",
    by: `const { state: { body }, run: { persistence } } = this.#turn;
    this.#note(persistence.progress.clear(persistence.diffBase.build(body)), patch);`,
  },
  {
    name: "a missing sweep",
    file: "lib/client/cache/object_store.ts",
    in: "ObjectStore.sweep",
    replace: "if (cached.generation === this.#generation) continue;",
    by: "if (cached.generation !== undefined) continue;",
  },
  {
    name: "a finalizer gone early",
    file: "lib/controller/reconcile.ts",
    in: "finalizerOfLeaving",
    replace: "|| (isRequired && isPending)",
    by: "",
  },
  {
    name: "a forgotten retry when an event brings nothing new",
    file: "lib/controller/work_queue.ts",
    in: "WorkQueue.#settle",
    replace: `case "unchanged":\n        return;`,
    by: `case "unchanged":\n        return this.#forgetPlan(state, item);`,
  },
  {
    name: "a lost wake-up of a parent",
    file: "lib/controller/triggers.ts",
    in: "Triggers.wake",
    replace: `if (records.length > 0) queue.add(state, "dependency");`,
    by: `if (records.length > 0 && reason.kind !== "owned") queue.add(state, "dependency");`,
  },
  {
    name: "a double leader",
    file: "lib/engines/replicas/session_state.ts",
    in: "afterTime",
    replace: "elapsedSince(state.since, now) < renewDeadline",
    by: "elapsedSince(state.since, now) < 100 * renewDeadline",
  },
  {
    name: "notes written before status",
    file: "lib/execution/write_requests.ts",
    in: "Writer.mergeAll",
    replace:
      `if (status !== undefined) await this.mergeStatus(status);\n    if (finalizer === undefined) await this.merge(main);\n    else await this.mergeWithFinalizer(main, finalizer);`,
    by:
      `if (finalizer === undefined) await this.merge(main);\n    else await this.mergeWithFinalizer(main, finalizer);\n    if (status !== undefined) await this.mergeStatus(status);`,
  },
  {
    name: "an own write believed to be news",
    file: "lib/controller/triggers.ts",
    in: "Triggers.#tell",
    replace: "if (isOwn?.(owner) === true) continue;",
    by: "",
  },
  {
    name: "a relist that resurrects",
    file: "lib/client/cache/informer.ts",
    in: "Informer.#complete",
    replace: "for (const cached of missing) this.#tellOf",
    by:
      "for (const cached of missing) this.store.put(cached.object);\n    for (const cached of missing) this.#tellOf",
  },
  {
    name: "a timer lost over a pause",
    file: "lib/controller/reconcile.ts",
    in: "restUntil",
    replace: `return { kind: "requeue", after: Math.max(0, (until - clock.now()) / 1000), wake: "retry" };`,
    by: `return until < clock.now() ? { kind: "requeue", after: 0, wake: "retry" } : { kind: "done" };`,
  },
  {
    name: "a gate left closed",
    file: "lib/controller/shard_turns.ts",
    in: "ShardTurns.#goOn",
    replace: "queue.reopen();",
    by: "void queue;",
  },
  {
    name: "an older state adopted",
    file: "lib/client/cache/object_store.ts",
    in: "CachedObject.adopt",
    replace: `if (order === "same" || order === "older") return order;`,
    by: `if (order === "same") return order;`,
  },
  {
    name: "two turns at once",
    file: "lib/controller/work_queue.ts",
    in: "WorkQueue.#start",
    replace: "item.isRunning || !this.#isDue(state, item)) return;",
    by: "!this.#isDue(state, item)) return;",
  },
];
