/**
 * Waits until discovery tells what definitions have promised.
 *
 * A server says that a definition is established, or has gone, before its discovery does, sometimes by seconds; and no
 * event comes when discovery has caught up. So it is asked again, with growing pauses.
 */

import type { Task, TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import type { Resource } from "../model/resource.ts";
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
  /** Called when discovery has caught up, and before that when it has taken long. */
  readonly onCaughtUp: () => Promise<void>;
}

/** Pauses between questions; after the last one it is left to the next event. */
const PAUSES: readonly Seconds[] = [0.5, 1, 2, 4, 8, 15, 30, 30];

/** After so many questions what discovery tells is believed, although it is not what was promised. */
const LONG = 2;

/** The definitions of one operator that discovery does not know yet. */
export class Lagging {
  readonly #options: LaggingOptions;
  readonly #tasks = new Map<string, Task>();
  /** Kinds that are asked for at the moment. */
  readonly #doubted = new Set<string>();

  constructor(options: LaggingOptions) {
    this.#options = options;
  }

  /** Looks whether what is promised is known, now or soon; what was promised for the kind before is forgotten. */
  async expect(promised: Promised): Promise<void> {
    const key = `${promised.plural}.${promised.group}`;
    await this.#tasks.get(key)?.stop();
    if (await this.isKept(promised)) return;
    const task = this.#options.tasks.start(`discovery of ${key}`, (signal) => this.#wait(promised, signal));
    this.#tasks.set(key, task);
    void task.done.then(() => {
      if (this.#tasks.get(key) === task) this.#tasks.delete(key);
    });
  }

  async #wait(promised: Promised, signal: AbortSignal): Promise<void> {
    const { clock, client, onCaughtUp } = this.#options;
    for (const [asked, pause] of PAUSES.entries()) {
      await clock.sleep(pause, signal);
      if (signal.aborted) return;
      await client.discovery.refresh(promised.group);
      const isKept = await this.isKept(promised);
      if (signal.aborted) return;
      if (isKept || asked + 1 === LONG) await onCaughtUp();
      if (isKept) return;
    }
  }

  /** The server knows nothing of a kind that discovery has told of: asks whether it is served in another version by now. */
  async doubt({ group, plural }: Resource): Promise<void> {
    const { client, onCaughtUp } = this.#options;
    const key = `${plural}.${group}`;
    if (this.#doubted.has(key)) return;
    this.#doubted.add(key);
    try {
      await client.discovery.refresh(group);
      // What is not told of at all is left to what becomes of its definition.
      if (await this.isKept({ group, plural, isServed: true })) await onCaughtUp();
    } finally {
      this.#doubted.delete(key);
    }
  }

  /** Whether discovery tells by now what was promised. */
  async isKept({ group, plural, isServed }: Promised): Promise<boolean> {
    const kinds = await this.#options.client.discovery.group(group);
    return kinds.some((kind) => kind.plural === plural) === isServed;
  }
}
