/**
 * Waits until discovery tells what CRDs have announced.
 *
 * A server says that a CRD is established, has changed or has gone before its discovery does, sometimes by seconds; and no event
 * comes when discovery has caught up. So it is asked again, with growing pauses; where it tells of the kind already, twice, since
 * it may still tell of its former scope or subresources (seen on 1.36).
 */

import type { Task, TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import type { Resource } from "../model/resource.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** The facts that a CRD says of its resource. */
export interface ExpectedResource {
  readonly group: string;
  readonly plural: string;
  /** False: it has gone. */
  readonly isServed: boolean;
}

export interface DiscoveryRetryOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tasks: TaskGroup;
  /** Called when discovery has caught up, and before that when it has taken long. */
  readonly onCaughtUp: () => Promise<void>;
}

/** Pauses between questions; after the last one it is left to the next event. */
const PAUSES: readonly Seconds[] = [0.5, 1, 2, 4, 8, 15, 30, 30];

/** When a kind that discovery tells of is looked at again. */
const SECOND_LOOKS: readonly Seconds[] = [1, 5];

/** After so many questions what discovery tells is believed, although it is not what was expected. */
const BELIEVED_AFTER = 2;

/** The resources of one operator that discovery does not know yet. */
export class DiscoveryRetry {
  readonly #options: DiscoveryRetryOptions;
  /** By what they ask for: kinds that discovery does not tell of yet, and groups that are looked at again. */
  readonly #tasks = new Map<string, Task>();
  /** Resources that are asked for at the moment. */
  readonly #doubted = new Set<string>();

  constructor(options: DiscoveryRetryOptions) {
    this.#options = options;
  }

  /** Looks whether what is expected is known, now or soon; what was expected for the kind before is forgotten. */
  async expect(expected: ExpectedResource): Promise<void> {
    await this.#tasks.get(titleOf(expected))?.stop();
    if (!await this.isDiscovered(expected)) this.ask(expected);
    else if (expected.isServed) {
      // One task for each group: definitions come in swarms.
      const { group } = expected;
      this.#restart(`look at ${group}`, (signal) => this.#look(group, signal));
    }
  }

  async #look(group: string, signal: AbortSignal): Promise<void> {
    const { clock, client: { discovery }, onCaughtUp } = this.#options;
    for (const pause of SECOND_LOOKS) {
      if (!await clock.sleep(pause, signal)) return;
      // Undefined: the server is away, and nothing is known to be other than before.
      const hasChanged = await discovery.group(group).then(async (before) =>
        JSON.stringify(await discovery.refresh(group)) !== JSON.stringify(before)
      ).catch(() => undefined);
      if (signal.aborted) return;
      if (hasChanged === true) await onCaughtUp();
    }
  }

  /** Asks until it is told, beginning soon; what was asked for the kind before is forgotten. */
  ask(expected: ExpectedResource): void {
    this.#restart(titleOf(expected), (signal) => this.#wait(expected, signal));
  }

  /** Starts a task in place of the one that asks for the same. */
  #restart(title: string, run: (signal: AbortSignal) => Promise<void>): void {
    void this.#tasks.get(title)?.stop();
    const task = this.#options.tasks.start(title, run);
    this.#tasks.set(title, task);
    void task.done.then(() => {
      if (this.#tasks.get(title) === task) this.#tasks.delete(title);
    });
  }

  async #wait(expected: ExpectedResource, signal: AbortSignal): Promise<void> {
    const { clock, client, onCaughtUp } = this.#options;
    let answers = 0;
    for (const pause of PAUSES) {
      await clock.sleep(pause, signal);
      if (signal.aborted) return;
      // Undefined: the server is away.
      const isDiscovered = await client.discovery.refresh(expected.group)
        .then(() => this.isDiscovered(expected))
        .catch(() => undefined);
      if (signal.aborted) return;
      if (isDiscovered === undefined) continue;
      answers++;
      if (isDiscovered || answers === BELIEVED_AFTER) await onCaughtUp();
      if (isDiscovered) return;
    }
  }

  /** The server knows nothing of a resource that discovery has told of: asks whether it is served in another version by now. */
  async doubt({ group, plural }: Resource): Promise<void> {
    const { client, onCaughtUp } = this.#options;
    const key = keyOf({ group, plural });
    if (this.#doubted.has(key)) return;
    this.#doubted.add(key);
    try {
      await client.discovery.refresh(group);
      // What is not told of at all is left to what becomes of its CRD.
      if (await this.isDiscovered({ group, plural, isServed: true })) await onCaughtUp();
    } finally {
      this.#doubted.delete(key);
    }
  }

  /** Whether discovery tells by now what was expected. */
  async isDiscovered({ group, plural, isServed }: ExpectedResource): Promise<boolean> {
    const kinds = await this.#options.client.discovery.group(group);
    return kinds.some((kind) => kind.plural === plural) === isServed;
  }
}

function keyOf({ group, plural }: Pick<ExpectedResource, "group" | "plural">): string {
  return `${plural}.${group}`;
}

function titleOf(expected: ExpectedResource): string {
  return `discovery of ${keyOf(expected)}`;
}
