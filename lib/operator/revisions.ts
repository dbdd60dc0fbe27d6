/**
 * Requests to find out anew which resources are to be watched: by CRDs that come and go, namespaces, rights, and broken API
 * groups.
 *
 * Built before the parts that request revisions; `start()` is given the function that revises, when all parts are there. One at
 * a time: CRDs come in swarms.
 */

import type { TaskGroup } from "../async/tasks.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";

/** How long until a revision is repeated that has failed, or has left out API groups that are broken. */
const RETRY_PAUSE: Seconds = 30;

/** The outcome of a revision. partial: some API groups are broken, and were left out. */
export type Revised = "whole" | "partial";

export interface RevisionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tasks: TaskGroup;
  /** Whether revisions are repeated. */
  readonly repeats: boolean;
}

/** The revisions of one run. */
export class Revisions {
  readonly #options: RevisionsOptions;
  #revise: (() => Promise<Revised>) | undefined;
  #latest: Promise<void> = Promise.resolve();
  #isPlanned = false;

  constructor(options: RevisionsOptions) {
    this.#options = options;
  }

  /** Sets the function that revises. Earlier requests are not made up for: the first revision finds all resources. */
  start(revise: () => Promise<Revised>): void {
    this.#revise = revise;
  }

  /** Revises, after the revisions that are under way. @throws The revision's error. */
  run(): Promise<void> {
    const revise = async (): Promise<void> => {
      if (await this.#revise?.() === "partial") this.#plan();
    };
    return this.#latest = this.#latest.then(revise, revise);
  }

  /** Revises; a revision that fails is tried again later. */
  async request(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.#options.logger.warn("Cannot find out what to watch: it is tried again", { error });
      this.#plan();
    }
  }

  #plan(): void {
    const { tasks, clock, repeats } = this.#options;
    if (this.#isPlanned || !repeats) return;
    this.#isPlanned = true;
    tasks.start("retry discovery", async (signal) => {
      await clock.sleep(RETRY_PAUSE, signal);
      this.#isPlanned = false;
      if (!signal.aborted) await this.request();
    });
  }
}
