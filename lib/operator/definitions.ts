/**
 * Follows the definitions of kinds while the operator runs: which come, which go, and which are served in another version.
 *
 * Source: Kopf, B §5.4.
 */

import type { TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import type { Resource } from "../model/resource.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";
import { Lagging, type Promised } from "./lagging.ts";
import { watchDefinitions } from "./scanning.ts";

export interface DefinitionsOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly tasks: TaskGroup;
  /** Whether anything of a group matters. */
  readonly concerns: (group: string) => boolean;
  /** Looks what is to be watched. */
  readonly revise: () => Promise<void>;
  /** The same; what fails is tried again later. */
  readonly reviseSurely: () => Promise<void>;
}

/** The definitions of one operator. */
export class Definitions {
  readonly #options: DefinitionsOptions;
  readonly #lagging: Lagging;

  constructor(options: DefinitionsOptions) {
    const { client, host: { clock }, tasks, reviseSurely: onCaughtUp } = options;
    this.#options = options;
    this.#lagging = new Lagging({ client, clock, tasks, onCaughtUp });
  }

  /** Begins to follow them, unless the settings say that kinds neither come nor go. */
  follow(): void {
    const { client, host, logger, settings, tasks, concerns } = this.#options;
    if (settings.scanning.disabled) return;
    tasks.start("watch definitions", (signal) =>
      watchDefinitions({
        ...{ client, host, logger, settings: settings.watching, signal },
        onChange: (group, promised) => this.#look(group, promised),
        isServed: async (group, plural) => {
          if (!concerns(group)) return true;
          return (await client.discovery.group(group)).some((kind) => kind.plural === plural);
        },
      }));
  }

  /** The server does not know a kind that is watched. NB: what cannot be found out now is asked with the next failure. */
  doubt(resource: Resource): void {
    const { settings, tasks } = this.#options;
    if (settings.scanning.disabled) return;
    tasks.start("doubt a kind", () => this.#lagging.doubt(resource).catch(() => {}));
  }

  async #look(group: string, promised: Promised | undefined): Promise<void> {
    const { client, concerns, revise } = this.#options;
    if (!concerns(group)) return;
    await client.discovery.refresh(group);
    // A definition whose kind is not there at all: soon it is, perhaps in another version.
    const isComing = promised?.isServed === true && !await this.#lagging.isKept(promised);
    if (!isComing) await revise();
    if (promised !== undefined) await this.#lagging.expect(promised);
  }
}
