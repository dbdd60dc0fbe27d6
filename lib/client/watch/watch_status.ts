/**
 * How a watch is doing, and how long it waits before it tries again.
 *
 * A stream is healthy once it has been open for a second; until then its end counts as a failure, whatever the reason, and
 * each failure doubles the pause. So a server that closes each stream at once is not asked a thousand times a second, and
 * one that closes them every few minutes is asked again at once.
 */

import { exponentialBackoff } from "../../async/backoff.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import { ApiError } from "../errors.ts";
import type { WatchPhase, WatchState } from "./watch_types.ts";

/** How long a stream must live to be called healthy. */
const HEALTHY_AFTER: Seconds = 1;

/** The longest pause between attempts, before jitter. */
const LONGEST_PAUSE: Seconds = 30;

/** Pauses vary by half, so that the watches of one operator, and operators of one server, do not come back together. */
const JITTER = 0.5;

export interface WatchHealthOptions {
  readonly host: Host;
  readonly onState?: (state: WatchState) => void;
}

/** What is known of a stream that has ended. */
export interface EndedStream {
  readonly lifetime: Seconds;
  /** Whether it brought events that were not known. */
  readonly hasNews: boolean;
}

/** The live state of one watch. */
export class WatchHealth implements WatchState, Disposable {
  phase: WatchPhase = "listing";
  since: number;
  lastActivity: number | undefined;
  listed = false;
  restarts = 0;
  failures = 0;
  lastError: unknown;
  readonly #options: WatchHealthOptions;
  #recovery: Disposable | undefined;
  /** Whether the version has expired since all was well. */
  #hasExpired = false;

  constructor(options: WatchHealthOptions) {
    this.#options = options;
    this.since = options.host.clock.now();
  }

  enter(phase: WatchPhase): void {
    this.phase = phase;
    this.since = this.#options.host.clock.now();
    this.#options.onState?.(this);
  }

  /** The server was heard. */
  heard(): void {
    this.lastActivity = this.#options.host.clock.now();
  }

  /** A stream is open that needs only live on. */
  opened(): void {
    this.#recovery = this.#options.host.clock.after(HEALTHY_AFTER, () => {
      this.#hasExpired = false;
      if (this.failures === 0 && this.lastError === undefined) return;
      this.failures = 0;
      this.lastError = undefined;
      this.#options.onState?.(this);
    });
    this.enter("watching");
  }

  /**
   * A stream has ended without an error. Gives how long to wait: not at all, if it was healthy.
   *
   * Nor does the pause grow while streams bring news, however short they are: a new kind's are ended again and again, and
   * its objects want to be handled all the same.
   */
  ended(reconnectBackoff: Seconds, { lifetime, hasNews }: EndedStream): Seconds {
    this.#recovery?.[Symbol.dispose]();
    this.restarts += 1;
    if (hasNews) this.failures = 0;
    return lifetime >= HEALTHY_AFTER ? 0 : this.#grow(reconnectBackoff);
  }

  /**
   * An attempt has failed. Gives how long to wait; at least as long as the server asks.
   *
   * A version that has expired is the first answer of a server that was away for long: then the wait is as short as it was
   * at first, since it was long already. Only the first time: a server may say that again and again.
   */
  failed(reconnectBackoff: Seconds, error: unknown): Seconds {
    this.#recovery?.[Symbol.dispose]();
    this.restarts += 1;
    this.lastError = error;
    const { status, retryAfter = 0 } = error instanceof ApiError ? error : {};
    const isAnswer = status === 410 && !this.#hasExpired;
    this.#hasExpired ||= isAnswer;
    return Math.max(retryAfter, this.#grow(reconnectBackoff, { fromStart: isAnswer }));
  }

  [Symbol.dispose](): void {
    this.#recovery?.[Symbol.dispose]();
  }

  #grow(initial: Seconds, { fromStart = false } = {}): Seconds {
    const { random } = this.#options.host;
    const backoff = exponentialBackoff({ initial, max: LONGEST_PAUSE, jitter: JITTER, random });
    const attempt = this.failures++;
    return backoff(fromStart ? 0 : attempt) ?? LONGEST_PAUSE;
  }
}
