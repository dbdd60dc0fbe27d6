/**
 * Waits until discovery shows the kinds that CRDs have announced.
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

/** After so many questions the answer of discovery is believed, although another one was expected. */
const BELIEVED_AFTER = 2;

/** The resources of one operator that discovery does not know yet. */
export class DiscoveryRetry {
  readonly #options: DiscoveryRetryOptions;
  /** Tasks by their titles: one for each kind that discovery does not show yet, and for each group that is looked at again. */
  readonly #tasks = new Map<string, Task>();
  /** Resources that are asked for at the moment. */
  readonly #doubted = new Set<string>();

  constructor(options: DiscoveryRetryOptions) {
    this.#options = options;
  }

  /** Looks whether discovery shows the expected resource, now or soon; an earlier expectation for the kind is forgotten. */
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
      // Undefined: the server is away, and no change is known.
      const hasChanged = await discovery.group(group).then(async (before) =>
        JSON.stringify(await discovery.refresh(group)) !== JSON.stringify(before)
      ).catch(() => undefined);
      if (signal.aborted) return;
      if (hasChanged === true) await onCaughtUp();
    }
  }

  /** Asks discovery until it shows the expected resource, beginning soon; an earlier question about the kind is forgotten. */
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

  /** The server does not know a resource that discovery has shown: asks whether it is served in another version by now. */
  async doubt({ group, plural }: Resource): Promise<void> {
    const { client, onCaughtUp } = this.#options;
    const key = keyOf({ group, plural });
    if (this.#doubted.has(key)) return;
    this.#doubted.add(key);
    try {
      await client.discovery.refresh(group);
      // A resource that discovery does not show at all is left to the events of its CRD.
      if (await this.isDiscovered({ group, plural, isServed: true })) await onCaughtUp();
    } finally {
      this.#doubted.delete(key);
    }
  }

  /** Whether discovery shows the expected resource by now, or no longer shows a resource that was to go. */
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
