/**
 * How one watch is doing: its phase, when the server was last heard, how often it has failed in a row, and why.
 *
 * Pauses between attempts follow from that. A stream that lived for a while is opened again at once; one that ends or fails
 * sooner is opened again after a pause that grows, with jitter, so that neither a broken server nor a broken version is asked
 * in a tight loop. A server that was away is asked again within half a minute of its return.
 */

import { growingPause } from "../../async/backoff.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import { ApiError, isUnready } from "../errors.ts";
import { stayAfter } from "../transport/retries.ts";

/** How long a stream must live to be called healthy. */
const HEALTHY_AFTER: Seconds = 1;

/** The longest pause between attempts, before jitter. */
const LONGEST_PAUSE: Seconds = 30;

/** The same after refusals for want of a right: rights come seldom, and an operator may be refused in many namespaces. */
const LONGEST_REFUSED: Seconds = 300;

/** How often in a row a kind may not be ready until that is a failure like any other. */
const BEGINNINGS = 5;

/** Pauses vary by half, so that the watches of one operator, and operators of one server, do not come back together. */
const JITTER = 0.5;

/** listing: the initial set is on its way. watching: a stream is open. waiting: the next attempt is due soon. */
export type WatchPhase = "listing" | "watching" | "waiting";

/** How a watch is doing. */
export interface WatchState {
  readonly phase: WatchPhase;
  /** When this phase began, on the monotonic clock. */
  readonly since: Seconds;
  /** When the server was last heard (a page, an event, a bookmark), on the monotonic clock; undefined before the first time. */
  readonly lastActivity: Seconds | undefined;
  /** Whether a listing was completed at least once. */
  readonly listed: boolean;
  /** How often a listing or stream had to be started again. */
  readonly restarts: number;
  /** How many attempts in a row have failed; 0 while all is well. */
  readonly failures: number;
  /** Why the latest attempt failed; undefined while all is well. */
  readonly lastError: unknown;
}

export interface WatchStatusOptions {
  readonly host: Host;
  /** Called whenever the phase changes, and when all is well again. */
  readonly onState?: (state: WatchState) => void;
}

/** The facts about a stream that has ended. */
export interface EndedStream {
  readonly lifetime: Seconds;
  /** Whether it brought events that were not known. */
  readonly hasNews: boolean;
}

/** The status of one watch, which the watch alone changes. */
export class WatchStatus implements Disposable {
  readonly #options: WatchStatusOptions;
  readonly #state: { -readonly [Key in keyof WatchState]: WatchState[Key] };
  #recovery: Disposable | undefined;
  /** Whether the version has expired since all was well. */
  #hasExpired = false;

  constructor(options: WatchStatusOptions) {
    this.#options = options;
    this.#state = {
      phase: "listing",
      since: options.host.clock.monotonic(),
      lastActivity: undefined,
      listed: false,
      restarts: 0,
      failures: 0,
      lastError: undefined,
    };
  }

  /** The state, live: always the same object. */
  get state(): WatchState {
    return this.#state;
  }

  /** Whether the kind was defined a moment ago, and is not ready. */
  get isBeginning(): boolean {
    return this.#state.failures <= BEGINNINGS && isUnready(this.#state.lastError);
  }

  enter(phase: WatchPhase): void {
    this.#state.phase = phase;
    this.#state.since = this.#options.host.clock.monotonic();
    this.#options.onState?.(this.#state);
  }

  /** The server was heard. */
  heard(): void {
    this.#state.lastActivity = this.#options.host.clock.monotonic();
  }

  /** A set is complete. */
  completed(): void {
    this.#state.listed = true;
  }

  /** A stream is open that needs only live on. */
  opened(): void {
    this.#recovery = this.#options.host.clock.after(HEALTHY_AFTER, () => {
      this.#hasExpired = false;
      if (this.#state.failures === 0 && this.#state.lastError === undefined) return;
      this.#state.failures = 0;
      this.#state.lastError = undefined;
      this.#options.onState?.(this.#state);
    });
    this.enter("watching");
  }

  /**
   * A stream has ended without an error. Returns how long to wait: not at all, if it was healthy.
   *
   * Nor does the pause grow while streams bring news, however short they are: a new kind's are ended again and again, and
   * its objects want to be handled all the same.
   */
  ended(reconnectBackoff: Seconds, { lifetime, hasNews }: EndedStream): Seconds {
    this.#recovery?.[Symbol.dispose]();
    this.#state.restarts += 1;
    if (hasNews) this.#state.failures = 0;
    return lifetime >= HEALTHY_AFTER ? 0 : this.#grow(reconnectBackoff);
  }

  /** An attempt has failed. Returns how long to wait; at least as long as the server asks. */
  failed(reconnectBackoff: Seconds, error: unknown): Seconds {
    const isForbidden = error instanceof ApiError && error.status === 403;
    const max = isForbidden ? LONGEST_REFUSED : LONGEST_PAUSE;
    return this.#fail(error, this.#grow(reconnectBackoff, { max }));
  }

  /**
   * The version has expired. Returns how long to wait.
   *
   * That is the first answer of a server that was away for long: then the wait is as short as it was at first, since it was
   * long already. Only the first time: a server may say that again and again.
   */
  expired(reconnectBackoff: Seconds, error: unknown): Seconds {
    const isAnswer = !this.#hasExpired;
    this.#hasExpired = true;
    return this.#fail(error, this.#grow(reconnectBackoff, { fromStart: isAnswer }));
  }

  [Symbol.dispose](): void {
    this.#recovery?.[Symbol.dispose]();
  }

  #fail(error: unknown, pause: Seconds): Seconds {
    this.#recovery?.[Symbol.dispose]();
    this.#state.restarts += 1;
    this.#state.lastError = error;
    const asked = error instanceof ApiError ? stayAfter(error) : undefined;
    return Math.max(asked ?? 0, pause);
  }

  #grow(initial: Seconds, { fromStart = false, max = LONGEST_PAUSE } = {}): Seconds {
    const { random } = this.#options.host;
    const attempt = this.#state.failures++;
    const jitter = { share: JITTER, random };
    return growingPause(fromStart ? 0 : attempt, { initial, max, jitter });
  }
}
