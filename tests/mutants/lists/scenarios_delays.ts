/** Breaks in when objects are reconciled, which the scenarios of delays must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/delays_test.ts"];

const PROGRESS = { file: "lib/handlers/change/progress.ts", tests };

const mutants: Mutant[] = [
  // Short delays count for nothing; all count twice; or not beyond ten minutes, as in Kopf.
  {
    ...PROGRESS,
    in: "Progress.awake",
    replace: "this.#rest(id, record, now) > ROUNDING)",
    by: "this.#rest(id, record, now) > 60)",
  },
  {
    ...PROGRESS,
    in: "Progress.delay",
    replace: "Math.min(...pending.map(",
    by: "2 * Math.min(...pending.map(",
  },
  {
    file: "lib/client/watch/watcher.ts",
    tests,
    in: "Watcher.#digest",
    replace: "this.#advance(event.version);",
    by:
      'items.push({ type: "event", event: { type: "MODIFIED", object: { metadata: { name: "mark" } } as never } });',
  },
];

export default mutants;
