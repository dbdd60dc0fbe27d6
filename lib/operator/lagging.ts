/**
 * Waits until discovery tells what definitions have promised.
 *
 * A server says that a definition is established, or has gone, before its discovery does, sometimes by seconds; and no
 * event comes when discovery has caught up. So it is asked again, with growing pauses.
 */

import type { Task, TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** What a definition says of its kind. */
export interface Promised {
  readonly group: string;
  readonly plural: string;
  /** False: it has gone. */
  readonly isServed: boolean;
}

export interface LaggingOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tasks: TaskGroup;
  /** Called when discovery has caught up. */
  readonly onCaughtUp: () => Promise<void>;
}

/** Pauses between questions; after the last one it is left to the next event. */
const PAUSES: readonly Seconds[] = [0.5, 1, 2, 4, 8, 15, 30, 30];

/** The definitions of one operator that discovery does not know yet. */
export class Lagging {
  readonly #options: LaggingOptions;
  readonly #tasks = new Map<string, Task>();

  constructor(options: LaggingOptions) {
    this.#options = options;
  }

  /** Looks whether what is promised is known, now or soon; what was promised for the kind before is forgotten. */
  async expect(promised: Promised): Promise<void> {
    const key = `${promised.plural}.${promised.group}`;
    await this.#tasks.get(key)?.stop();
    if (await this.#isKept(promised)) return;
    const task = this.#options.tasks.start(`discovery of ${key}`, (signal) => this.#wait(promised, signal));
    this.#tasks.set(key, task);
    void task.done.then(() => {
      if (this.#tasks.get(key) === task) this.#tasks.delete(key);
    });
  }

  async #wait(promised: Promised, signal: AbortSignal): Promise<void> {
    const { clock, client, onCaughtUp } = this.#options;
    for (const pause of PAUSES) {
      await clock.sleep(pause, signal);
      if (signal.aborted) return;
      await client.discovery.refresh(promised.group);
      if (await this.#isKept(promised)) return signal.aborted ? undefined : await onCaughtUp();
    }
  }

  async #isKept({ group, plural, isServed }: Promised): Promise<boolean> {
    const kinds = await this.#options.client.discovery.group(group);
    return kinds.some((kind) => kind.plural === plural) === isServed;
  }
}
