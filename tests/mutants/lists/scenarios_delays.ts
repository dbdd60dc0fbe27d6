/** Breaks in when objects are looked at, which the scenarios of delays must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/delays_test.ts"];

const PROGRESS = { file: "lib/execution/progress.ts", tests };

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
    file: "lib/client/watch/watcher.ts",
    tests,
    replace: "this.#advance(event.version);",
    by:
      'items.push({ type: "event", event: { type: "MODIFIED", object: { metadata: { name: "mark" } } as never } });',
  },
];

export default mutants;
