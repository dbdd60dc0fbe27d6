/**
 * Scenarios that run side by side.
 */

import process from "node:process";
import { currentHost } from "../../lib/runtime/current_host.ts";

/** How many run at once. LOTSE_AT_ONCE=1 runs each alone when its turn comes, such as to look for a fault. */
const AT_ONCE = Number(process.env["LOTSE_AT_ONCE"] ?? 4);

/** How long one may take, in seconds of real time. */
const PATIENCE = 120;

interface Entry {
  readonly run: () => Promise<void>;
  result?: Promise<void>;
}

/** Runs what was added as soon as the first result is wanted, and tells the results when all have ended. */
export class SideBySide {
  readonly #entries: Entry[] = [];
  #ended: Promise<void> | undefined;

  /** Returns what waits for the result. NB: while the scenarios run nothing else does: no test sees another's doings. */
  add(run: () => Promise<void>): () => Promise<void> {
    const entry: Entry = { run };
    this.#entries.push(entry);
    return async () => {
      if (AT_ONCE === 1) return await run();
      this.#ended ??= this.#runAll();
      await this.#ended;
      await entry.result;
    };
  }

  async #runAll(): Promise<void> {
    const waiting = this.#entries.values();
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (const entry of waiting) {
        entry.result = withinPatience(entry.run());
        await entry.result.catch(() => {});
      }
    }));
  }
}

async function withinPatience(result: Promise<void>): Promise<void> {
  const controller = new AbortController();
  const late = currentHost().clock.sleep(PATIENCE, controller.signal).then((passed) => {
    if (passed) throw new Error(`The scenario has not ended after ${PATIENCE} s`);
  });
  late.catch(() => {});
  try {
    await Promise.race([result, late]);
  } finally {
    controller.abort();
  }
}
