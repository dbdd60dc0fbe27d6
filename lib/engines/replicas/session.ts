/**
 * The session of a replica under one identity: its member Lease, kept alive by renewals.
 *
 * The loop of the machine in `session_state.ts`. Where the replica holds the Lease of a set of one shard, that Lease is renewed
 * with the member Lease, and a renewal counts only when both were answered: the session is as old as the older of the two.
 */

import type { Clock, Random, Seconds } from "../../runtime/host.ts";
import { ANNOTATIONS, type LeaseRecord, memberLeaseName, toLease } from "./lease.ts";
import { isConflict, type LeaseRequests } from "./lease_requests.ts";
import type { Moments } from "./moments.ts";
import type { ObservedLeases } from "./observed_leases.ts";
import {
  elapsedSince,
  type FoundRecord,
  type Moment,
  type SessionInput,
  type SessionState,
  type SessionTransition,
  sessionTransition,
} from "./session_state.ts";

export interface SessionOptions {
  readonly identity: string;
  /** The operator's name. */
  readonly operator: string;
  readonly namespace: string;
  readonly leaseDuration: Seconds;
  readonly renewDeadline: Seconds;
  readonly retryPeriod: Seconds;
  readonly clock: Clock;
  readonly random: Random;
  readonly moments: Moments;
  readonly requests: LeaseRequests;
  readonly observed: ObservedLeases;
  /** Returns the annotations of the member Lease: the state of the replica. Called for each renewal. */
  readonly annotations: () => Readonly<Record<string, string | null>>;
  /**
   * Returns the renewal of another Lease that is renewed with the member Lease; undefined if there is none. It throws if the
   * server refuses, or does not answer.
   */
  readonly otherRenewal: () => (() => Promise<void>) | undefined;
  /** Told of the consequence of each transition, in the same moment in which the state changes. */
  readonly onTransition: (then: SessionTransition["then"]) => void;
  /** Told of each renewal that failed, and with undefined of the first one that succeeds. */
  readonly onFailure: (error: unknown) => void;
  /** Told of each answered renewal, and of when it was sent, on the monotonic clock. */
  readonly onRenewed: (sent: Seconds) => void;
}

/** How many renewals are remembered whose answers did not come. */
const MOST_ATTEMPTS = 16;

/** By how much pauses between renewals vary: by this share in both directions. */
const JITTER = 0.1;

/** The session of one identity. */
export class Session {
  readonly #options: SessionOptions;
  readonly #name: string;
  #state: SessionState = { at: "joining" };
  /** The member Lease as it was last written or read. */
  #record: LeaseRecord | undefined;
  /** When the renewals were sent that may still be found, by their times in the Lease. */
  readonly #attempts = new Map<string, Moment>();
  #acquired = "";
  #alarm = new AbortController();
  #isHurried = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#name = memberLeaseName(options.operator, options.identity);
  }

  get identity(): string {
    return this.#options.identity;
  }

  /** The name of the member Lease. */
  get leaseName(): string {
    return this.#name;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** For how many seconds it is live unless it is renewed, by the clocks at this moment; 0 or less: it is not live. */
  get timeLeft(): Seconds {
    if (this.#state.at !== "live") return 0;
    const { moments, renewDeadline } = this.#options;
    return renewDeadline - elapsedSince(this.#state.since, moments.now());
  }

  /** Looks at the clocks. */
  checkTime(): void {
    this.#input({ is: "time" });
  }

  /** A record of the member Lease has come on the stream. Returns when that renewal was sent, if it is one of ours. */
  sentAt(record: LeaseRecord): Moment | undefined {
    return record.name === this.#name && record.holder === this.identity
      ? this.#attempts.get(record.renewed)
      : undefined;
  }

  /** Renews at once, and not when it is time: the annotations of the member Lease have changed. */
  hurry(): void {
    this.#isHurried = true;
    this.#alarm.abort();
  }

  /** Renews until the signal aborts, or the session is lost. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, retryPeriod, random } = this.#options;
    while (!signal.aborted && this.#state.at !== "lost") {
      const begun = clock.monotonic();
      this.#isHurried = false;
      await this.#renew();
      // TypeScript does not see that the state has changed meanwhile.
      if ((this.#state as SessionState).at === "lost") return;
      const pause = retryPeriod * (1 + JITTER * (2 * random.next() - 1));
      const rest = begun + pause - clock.monotonic();
      // A server that refuses at once gets its next request after a pause, too.
      await this.#sleep(Math.max(rest, retryPeriod / 10), signal);
    }
  }

  /** Deletes the member Lease. @throws {ApiError} If the server refuses. @throws If it does not answer. */
  async remove(): Promise<void> {
    const { requests } = this.#options;
    if (this.#record === undefined && this.#attempts.size === 0) return;
    for (let attempt = 1;; attempt++) {
      const record = this.#record ?? await requests.get(this.#name);
      if (record === undefined || record.holder !== this.identity) return;
      try {
        return await requests.delete(record);
      } catch (error) {
        if (!isConflict(error) || attempt > 2) throw error;
        this.#record = undefined;
      }
    }
  }

  async #sleep(seconds: Seconds, signal: AbortSignal): Promise<void> {
    if (this.#isHurried) return;
    this.#alarm = new AbortController();
    await this.#options.clock.sleep(seconds, AbortSignal.any([signal, this.#alarm.signal]));
  }

  /** Sends one renewal; after a refusal, reads the member Lease, and writes it again if it is ours or has gone. Never rejects. */
  async #renew(): Promise<void> {
    try {
      if (await this.#write()) return;
      // Refused: read, and once more if the record is ours or must be made again.
      if (await this.#read()) await this.#write();
    } catch (error) {
      this.#options.onFailure(error);
      this.#input({ is: "unanswered" });
    }
  }

  /** Writes the Lease; false if it is another one than we think. */
  async #write(): Promise<boolean> {
    const { moments, requests, observed, operator, namespace, leaseDuration, annotations } = this.#options;
    const sent = moments.now();
    const renewed = moments.stamp();
    this.#acquired ||= renewed;
    this.#remember(renewed, sent);
    const content = {
      holder: this.identity,
      duration: leaseDuration,
      acquired: this.#acquired,
      renewed,
      transitions: 0,
      annotations: { ...annotations(), [ANNOTATIONS.endedBy]: null },
    };
    const before = this.#record;
    const lease = toLease(content, { name: this.#name, namespace, operator, before });
    try {
      this.#record = await requests.write(lease);
    } catch (error) {
      if (!isConflict(error)) throw error;
      this.#input({ is: "refused" });
      return false;
    }
    observed.take(this.#record.object);
    await this.#options.otherRenewal()?.();
    this.#options.onRenewed(sent.monotonic);
    this.#input({ is: "renewed", sent });
    return true;
  }

  /** Reads the Lease; tells whether it is to be written again. */
  async #read(): Promise<boolean> {
    const { requests } = this.#options;
    const record = await requests.get(this.#name);
    this.#record = record;
    const sent = record && this.sentAt(record);
    // NB: a renewal with another Lease is one renewal: whether the other was written is not known here.
    if (sent !== undefined && this.#options.otherRenewal() === undefined) {
      this.#input({ is: "renewed", sent });
    }
    this.#input({ is: "read", found: this.#judge(record) });
    return (this.#state as SessionState).at !== "lost";
  }

  #judge(record: LeaseRecord | undefined): FoundRecord {
    if (record === undefined) return "absent";
    if (record.holder === this.identity) return "own";
    if (record.holder !== "") return "taken";
    return record.annotations[ANNOTATIONS.endedBy] === undefined ? "emptied" : "ended";
  }

  #remember(renewed: string, sent: Moment): void {
    this.#attempts.set(renewed, sent);
    if (this.#attempts.size <= MOST_ATTEMPTS) return;
    const [oldest] = this.#attempts.keys();
    if (oldest !== undefined) this.#attempts.delete(oldest);
  }

  #input(input: SessionInput): void {
    const { moments, renewDeadline, onTransition } = this.#options;
    const before = this.#state;
    const { state, then } = sessionTransition(before, input, { now: moments.now(), renewDeadline });
    this.#state = state;
    if (then !== "nothing" && then !== "read" && then !== "write") onTransition(then);
  }
}

const SYMBOLS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Returns a name that no other session has had: the Pod's, and 8 random characters. */
export function makeIdentity(podName: string, random: Pick<Random, "next">): string {
  const symbols = Array.from({ length: 8 }, () => SYMBOLS[Math.floor(random.next() * SYMBOLS.length)]);
  return `${podName}_${symbols.join("")}`;
}
