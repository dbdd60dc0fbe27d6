/**
 * Pausing an operator while others are in its way, and going on.
 *
 * While it is paused streams are closed, daemons and timers are stopped, and what was planned is held back; what runs goes on
 * to its end. After the pause everything is listed anew, and only then what was held back goes on, with objects as they are
 * by then. Source: Kopf, B §4.6, §1.11.
 */

import type { Passage } from "../async/gate.ts";
import type { Client } from "../client/client.ts";
import type { Daemons } from "../engines/daemons/daemons.ts";
import { Peering } from "../engines/peering/peering.ts";
import type { Check } from "../engines/probing.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";

export interface PausingOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly identity: string;
  /** Which namespaces are served; undefined: the whole cluster. */
  readonly namespaces: () => readonly string[] | undefined;
  readonly daemons: Pick<Daemons, "pause" | "resume">;
}

/** Whether one operator may work now. */
export class Pausing {
  readonly #daemons: Pick<Daemons, "pause" | "resume">;
  readonly peering: Peering;

  constructor({ daemons, logger, ...options }: PausingOptions) {
    this.#daemons = daemons;
    this.peering = new Peering({ ...options, logger: logger.child({ name: "lotse.peering" }) });
  }

  /** Open while the operator may work. */
  get passage(): Passage {
    return this.peering.passage;
  }

  get isPaused(): boolean {
    return !this.passage.isOpen;
  }

  /** Pauses and resumes daemons and timers until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    while (await this.passage.closed(signal)) {
      await this.#daemons.pause();
      if (!await this.passage.opened(signal)) return;
      this.#daemons.resume();
    }
  }

  /** A pause is no fault: who waits for others is ready to take over. */
  checks(): readonly Check[] {
    const { isActive, problem, blockers } = this.peering;
    if (!isActive) return [];
    const names = [
      ...new Set(blockers.map(({ identity, priority }) => `${identity} (priority ${priority})`)),
    ];
    return [{
      name: "peering",
      problem,
      note: this.isPaused ? `paused for ${names.join(", ")}` : undefined,
    }];
  }
}
