/**
 * A replica that fails to take shards again and again says that it cannot work for a minute, so that others get its share: its
 * rights may be missing, or its way to the server broken for writes.
 */

import { messageOf } from "../../client/errors.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";

export interface WithdrawalOptions {
  readonly monotonic: () => Seconds;
  readonly logger: Logger;
}

/** After how many failures in a row it begins, and how long it lasts. */
const MOST_FAILURES = 3;
const LENGTH: Seconds = 60;
/** How long until the next attempt after one that has failed, and after one for which another replica was faster. */
const PAUSE: Seconds = 1;
const SHORT_PAUSE: Seconds = 0.1;

/** The withdrawal of one replica. */
export class Withdrawal {
  readonly #options: WithdrawalOptions;
  #failures = 0;
  #until: Seconds = 0;
  #reason: string | undefined;
  #triedUntil: Seconds = 0;

  constructor(options: WithdrawalOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#options.monotonic() < this.#until;
  }

  /** Whether a shard may be tried to be taken now. */
  get mayTry(): boolean {
    return !this.isOn && this.#options.monotonic() >= this.#triedUntil;
  }

  /** Why this replica takes no shards; undefined while no withdrawal is on. */
  get reason(): string | undefined {
    return this.isOn ? this.#reason : undefined;
  }

  /** When it ends, on the monotonic clock; Infinity if there is none. */
  get due(): Seconds {
    const { monotonic } = this.#options;
    const now = monotonic();
    return Math.min(...[this.#until, this.#triedUntil].filter((time) => time > now));
  }

  /** A shard was taken. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Another replica was faster. */
  lostRace(): void {
    this.#triedUntil = this.#options.monotonic() + SHORT_PAUSE;
  }

  /** The server has refused, or not answered. */
  failed(error: unknown): void {
    const { monotonic, logger } = this.#options;
    this.#failures += 1;
    this.#triedUntil = monotonic() + PAUSE;
    if (this.#failures === 1) logger.warn("Cannot take a shard: it is tried again", { error });
    if (this.#failures < MOST_FAILURES) return;
    this.#failures = 0;
    this.#until = monotonic() + LENGTH;
    this.#reason = `shards cannot be taken, others are to try for a minute: ${messageOf(error)}`;
    logger.warn("Cannot take shards again and again: others are to try for a minute", { error });
  }
}
