/** Breaks in when objects are looked at, which the scenarios of delays must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/delays_test.ts"];

const QUEUEING = { file: "lib/operator/queueing.ts", tests };
const PROGRESS = { file: "lib/execution/progress.ts", tests };
const PROCESSING = { file: "lib/operator/processing.ts", tests };

const mutants: Mutant[] = [
  // Short delays count for nothing; all count twice; or not beyond ten minutes, as in Kopf.
  { ...PROGRESS, replace: "delayedUntil(record) <= now)", by: "delayedUntil(record) <= now + 60_000)" },
  {
    ...PROGRESS,
    replace:
      "return Math.max(0, Math.min(...pending.map(({ record }) => delayedUntil(record))) - now) / 1000;",
    by: "return Math.max(0, Math.min(...pending.map(({ record }) => delayedUntil(record))) - now) / 500;",
  },
  {
    ...QUEUEING,
    replace: "this.#schedule.set(key, clock.now() + next.after * 1000);",
    by: "this.#schedule.set(key, clock.now() + Math.min(600, next.after) * 1000 + 500);",
  },
  // Whatever is to be looked at at once is forgotten.
  { ...QUEUEING, replace: 'else worker.wake = next.wake ?? "retry";', by: "" },
  // An event takes back what was planned.
  {
    ...QUEUEING,
    replace: "observer.queued?.(memory, event.type);",
    by: "this.#cancel(memory.key);",
  },
  // Pauses after errors: always the first one; never anew; none at all.
  {
    ...PROCESSING,
    replace: "const pause = delays[Math.min(memory.failures, delays.length - 1)];",
    by: "const pause = delays[memory.failures];",
  },
  { ...PROCESSING, replace: "pass.memory.failures = 0;", by: "" },
  {
    ...PROCESSING,
    replace: 'return { after, wake: "error", paused: pause !== undefined };',
    by: 'return { after, wake: "error" };',
  },
  // Events of one object are handled side by side; or those of all objects one after the other.
  { ...QUEUEING, replace: "if (worker.running || worker.paused) return;", by: "if (worker.paused) return;" },
  {
    ...QUEUEING,
    replace: "const known = this.#workers.get(memory.key);",
    by: "const known = [...this.#workers.values()][0];",
  },
  // Raw events replace each other while one is handled.
  {
    ...QUEUEING,
    replace: 'last.type !== "DELETED" && !keepsAll',
    by: 'last.type !== "DELETED"',
  },
  {
    file: "lib/client/watch/watcher.ts",
    tests,
    replace: "this.#advance(event.version);",
    by:
      'items.push({ type: "event", event: { type: "MODIFIED", object: { metadata: { name: "mark" } } as never } });',
  },
  // Handlers that fail write nothing.
  {
    file: "lib/operator/batches.ts",
    tests,
    replace: "this.#ran.add(active.id);",
    by: 'if (outcome.kind !== "success") this.#pass.patch.clear();',
  },
  // Lifecycles are not asked; or know nothing of the cause.
  {
    file: "lib/operator/batches.ts",
    tests,
    replace: "if (picked.has(each.id) && !await",
    by: "if (!await",
  },
  {
    file: "lib/operator/batches.ts",
    tests,
    replace: "{ ...this.#cause, random: host.random }",
    by: "{ random: host.random }",
  },
  {
    file: "lib/operator/batches.ts",
    tests,
    replace: "{ ...this.#cause, random: host.random }",
    by: "{ ...this.#cause, random: undefined as never }",
  },
  // Results replace what is there, or are not written.
  {
    file: "lib/operator/outcomes.ts",
    tests,
    replace: "if (result === undefined || result === null) return;",
    by: "if (result === undefined) return;",
  },
  {
    file: "lib/operator/outcomes.ts",
    tests,
    replace: "patch.merge({ status: { [id]: isObject(value) ? { ...value } : value } });",
    by: "patch.status[id] = value;",
  },
];

export default mutants;
