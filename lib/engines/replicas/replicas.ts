/**
 * One replica among others: its session, the shards that it holds, and its view of the other replicas.
 *
 * A replica has one session, kept alive by renewing its member Lease, and holds shards by shard Leases, which are written only
 * when a shard changes hands. All replicas compute the same division of shards from the Leases that they see, without a
 * coordinator. Leader election is the case of one shard, whose Lease is the one that client-go and controller-runtime use.
 * Source: docs/decisions/0028-replicas.md; client-go, `tools/leaderelection/leaderelection.go`.
 */

import { TaskGroup } from "../../async/tasks.ts";
import { withTimeout } from "../../async/timeout.ts";
import type { ObjectEvent } from "../../client/cache/object_store.ts";
import { messageOf } from "../../client/errors.ts";
import type { Seconds } from "../../runtime/host.ts";
import { Division } from "./division.ts";
import { ANNOTATIONS, readLease } from "./lease.ts";
import { LeaseRequests } from "./lease_requests.ts";
import { LeaseSweep } from "./lease_sweep.ts";
import { LeaseWatch } from "./lease_watch.ts";
import { Moments } from "./moments.ts";
import { ObservedLeases, type ObservedMember } from "./observed_leases.ts";
import type { ReplicasOptions } from "./replicas_options.ts";
import { makeIdentity, Session } from "./session.ts";
import type { SessionTransition } from "./session_state.ts";
import { Shard } from "./shard.ts";
import { type Fence, ShardFence } from "./shard_fence.ts";
import { ABORT_GRACE } from "./shard_state.ts";
import { Withdrawal } from "./withdrawal.ts";

/** The shortest time between two looks, in seconds. */
const SHORTEST_PAUSE: Seconds = 0.02;

/** One replica. */
export class Replicas implements AsyncDisposable {
  readonly fence: Fence;
  readonly #options: ReplicasOptions;
  readonly #tasks: TaskGroup;
  readonly #moments: Moments;
  readonly #requests: LeaseRequests;
  readonly #observed: ObservedLeases;
  readonly #watch: LeaseWatch;
  readonly #shards: readonly Shard[];
  readonly #division: Division;
  readonly #sweep: LeaseSweep;
  readonly #withdrawal: Withdrawal;
  #session: Session;
  #terms = 0;
  #isAble = false;
  #isLeaving = false;
  #isEnded = false;
  /** Whether the others know, or are being told, that this replica has a share. */
  #announced = false;
  #drainTimeout: Seconds;
  #renewalError: unknown;
  #timer: Disposable | undefined;
  #isLooking = false;
  #looksAgain = false;
  readonly #emptied = new Set<() => void>();
  /** Annotations of the member Lease that other parts of the operator have put there; null: to be removed. */
  readonly #given = new Map<string, string | null>();

  constructor(options: ReplicasOptions) {
    this.#options = options;
    const { host, logger, settings, transport, watching, client } = options;
    const { name: operator, namespace, renewDeadline, retryPeriod, shards, drainTimeout } = settings;
    const onError = (error: unknown, task: string): void => logger.error("Task failed", { task, error });
    this.#tasks = new TaskGroup({ onError });
    this.#moments = new Moments(host.clock);
    this.#requests = new LeaseRequests({ transport, namespace, operator, timeout: renewDeadline / 3 });
    const monotonic = (): Seconds => host.clock.monotonic();
    this.#observed = new ObservedLeases({ operator, monotonic, retryPeriod });
    this.#drainTimeout = drainTimeout;
    this.#watch = new LeaseWatch({
      client,
      host,
      logger,
      settings: watching,
      operator,
      namespace,
      tasks: this.#tasks,
      onEvent: (event) => this.#take(event),
      onSynced: () => this.#look(),
    });
    this.#withdrawal = new Withdrawal({ monotonic, logger });
    this.#shards = Array.from({ length: shards }, (_, shard) => this.#makeShard(shard));
    this.#division = new Division({
      operator,
      shards: this.#shards,
      observed: this.#observed,
      requests: this.#requests,
      monotonic,
    });
    this.#sweep = new LeaseSweep({
      shards,
      monotonic,
      logger,
      observed: this.#observed,
      requests: this.#requests,
      tasks: this.#tasks,
    });
    this.#session = this.#makeSession();
    this.fence = new ShardFence(this.#shards);
  }

  /** The name of the present session: the Pod's and 8 random characters. Another one after each lost session. */
  get identity(): string {
    return this.#session.identity;
  }

  /** All members that are known, this one included. */
  get members(): readonly ObservedMember[] {
    return this.#observed.members();
  }

  /** The identity of each shard's holder by the shard's number; undefined where it is free. */
  get holders(): readonly (string | undefined)[] {
    return this.#shards.map(({ place }) => {
      const holder = this.#observed.holderOf(place);
      return holder.is === "live" ? holder.identity : undefined;
    });
  }

  /** The obstacle that keeps the replica from taking shards (a missing right, for one) and its cure; undefined if there is none. */
  get problem(): string | undefined {
    const { refusal } = this.#watch;
    if (refusal !== undefined) return `the Leases cannot be watched: ${refusal.explanation}`;
    if (this.#renewalError !== undefined) {
      return `the member Lease cannot be renewed: ${messageOf(this.#renewalError)}`;
    }
    return this.#withdrawal.reason;
  }

  /** Begins the session, and to watch the others. Returns at once. */
  start(): void {
    this.#watch.start();
    this.#tasks.start("keep session", (signal) => this.#live(signal));
  }

  /** Puts an annotation onto the member Lease, or takes it off (null): the others are told at once. */
  annotate(key: string, value: string | null): void {
    if ((this.#given.get(key) ?? null) === value) return;
    this.#given.set(key, value);
    this.#session.hurry();
  }

  /** The annotations of shard 0's Lease: notes of its last holders. */
  get firstAnnotations(): Readonly<Record<string, string>> {
    return this.#shards[0]?.annotations ?? {};
  }

  /** Writes annotations onto shard 0's Lease. @throws {ApiError} If the server refuses. @throws {Error} If it is not held. */
  async annotateFirst(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#shards[0]?.annotate(annotations);
  }

  /** Says whether this replica can work: it has started, and its objects are listed and indexed. Default: false. */
  setAble(isAble: boolean): void {
    this.#isAble = isAble;
    this.#look();
  }

  /**
   * Says that the process stops, drains all shards and lets them go: handlers have `timeout` seconds before their signal is
   * aborted. Resolves when no shard is held, and no Lease names this replica; or when the server does not let it release them for
   * too long. The session lives on.
   */
  async leave({ timeout }: { readonly timeout: Seconds }): Promise<void> {
    this.#isLeaving = true;
    this.#drainTimeout = timeout;
    this.#session.hurry();
    for (const shard of this.#shards) shard.input({ is: "stop" });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied.add(resolve);
    this.#look();
    const { host: { clock }, settings: { renewDeadline } } = this.#options;
    await withTimeout(promise, { clock, timeout: timeout + ABORT_GRACE + renewDeadline });
  }

  /** Removes the member Lease and ends everything: the last act. Shards that are still held are fenced. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isLeaving = true;
    for (const shard of this.#shards) shard.input({ is: "session lost" });
    this.#timer?.[Symbol.dispose]();
    await this.#tasks.stop();
    try {
      await this.#session.remove();
    } catch (error) {
      const { logger } = this.#options;
      logger.warn("Cannot remove the member Lease: it will expire", {
        lease: this.#session.leaseName,
        error,
      });
    }
    this.#requests[Symbol.dispose]();
    for (const resolve of this.#emptied) resolve();
  }

  get #now(): Seconds {
    return this.#options.host.clock.monotonic();
  }

  /** Whether this replica has a share. */
  get #hasShare(): boolean {
    return this.#isAble && !this.#isLeaving && !this.#withdrawal.isOn && this.#watch.isSynced;
  }

  #makeShard(shard: number): Shard {
    const { host: { clock }, logger, settings, work, observer } = this.#options;
    const { name: operator, namespace, leaseDuration, shards } = settings;
    return new Shard({ shard, shards }, {
      operator,
      namespace,
      leaseDuration,
      clock,
      moments: this.#moments,
      requests: this.#requests,
      observed: this.#observed,
      work,
      tasks: this.#tasks,
      logger,
      identity: () => this.identity,
      mayBegin: () => this.#session.timeLeft > 0 && !this.#isLeaving,
      drainTimeout: () => this.#drainTimeout,
      timeLeft: () => this.#session.timeLeft,
      nextTerm: () => ++this.#terms,
      isContested: () => this.#division.isContested(),
      onChange: () => this.#look(),
      attempts: this.#withdrawal,
      onBegun: (lease) => {
        logger.info("Shard taken", { shard, lease });
        observer?.moved?.({ is: "taken", shard, lease });
      },
      onEnded: (lease, { why, left }) => {
        const level = why === "released" ? "info" : "warn";
        logger[level]("Shard let go", { shard, lease, why, ...left.length > 0 && { left } });
        observer?.moved?.({ is: "ended", shard, lease, why, left });
      },
    });
  }

  #makeSession(): Session {
    const { host: { clock, random }, settings, podName } = this.#options;
    const { name: operator } = settings;
    return new Session({
      ...settings,
      identity: makeIdentity(podName, random),
      operator,
      clock,
      random,
      moments: this.#moments,
      requests: this.#requests,
      observed: this.#observed,
      annotations: () => this.#annotations(),
      otherRenewal: () => {
        const [first] = this.#shards;
        return settings.shards === 1 && first?.isHeld ? () => first.renew() : undefined;
      },
      onTransition: (then) => this.#follow(then),
      onFailure: (error) => this.#renewalFailed(error),
      onRenewed: (sent) => this.#renewed(sent),
    });
  }

  #annotations(): Readonly<Record<string, string | null>> {
    const { release, settings: { shards } } = this.#options;
    return {
      [ANNOTATIONS.release]: release,
      [ANNOTATIONS.shards]: String(shards),
      [ANNOTATIONS.able]: this.#hasShare ? "true" : null,
      [ANNOTATIONS.leaving]: this.#isLeaving ? "true" : null,
      ...Object.fromEntries(this.#given),
    };
  }

  /** Keeps a session, and another one after each that is lost. */
  async #live(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#session.run(signal);
      if (signal.aborted || this.#isLeaving) return;
      this.#session = this.#makeSession();
      this.#watch.expectNothing();
    }
  }

  #follow(then: SessionTransition["then"]): void {
    const { logger, observer } = this.#options;
    const fields = { identity: this.identity };
    switch (then) {
      case "begin":
        logger.info("Session begun", fields);
        observer?.session?.("live");
        return this.#look();
      case "doubt":
        logger.warn(
          "The session could not be renewed in time: nothing is written until it is confirmed",
          fields,
        );
        observer?.session?.("doubtful");
        for (const shard of this.#shards) shard.pause();
        return;
      case "confirm":
        logger.info("Session confirmed: work goes on", fields);
        observer?.session?.("live");
        // A doubt that no timer has told the shards of yet is told here.
        for (const shard of this.#shards) shard.pause();
        this.#checkHolders();
        for (const shard of this.#shards) shard.proceed();
        return this.#look();
      case "lose":
        logger.warn("Another replica has ended the session: everything begins anew", fields);
        observer?.session?.("lost");
        for (const shard of this.#shards) shard.input({ is: "session lost" });
        return this.#look();
      case "read":
      case "write":
      case "nothing":
        return;
      default:
        then satisfies never;
    }
  }

  #renewed(sent: Seconds): void {
    this.#renewalError = undefined;
    this.#watch.expect(sent);
    this.#look();
  }

  #renewalFailed(error: unknown): void {
    const { logger, observer } = this.#options;
    logger[this.#renewalError === undefined ? "warn" : "debug"](
      "Cannot renew the member Lease: it is tried again",
      {
        lease: this.#session.leaseName,
        error,
      },
    );
    this.#renewalError = error;
    observer?.slowRenewal?.();
    this.#look();
  }

  /** A Lease has come on a stream. */
  #take({ event: { type, object }, origin }: ObjectEvent): void {
    const { name = "" } = object.metadata;
    if (!this.#observed.concerns(name)) return;
    if (type === "DELETED") this.#observed.remove(object);
    else {
      this.#observed.take(object, { isSetBack: origin === "restored" });
      const sent = this.#session.sentAt(readLease(object));
      if (sent !== undefined) {
        this.#observed.cameBack(sent.monotonic);
        this.#watch.cameBack(sent.monotonic);
      }
    }
    this.#look();
  }

  /** Looks at the session, the Leases and the division, takes the steps that are due, and plans the next look. */
  #look(): void {
    if (this.#isEnded) return;
    // A step may call for another look.
    this.#looksAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (let round = 0; this.#looksAgain && round < 100; round++) {
        this.#looksAgain = false;
        this.#session.checkTime();
        this.#watch.check();
        this.#announce();
        this.#checkHolders();
        if (this.#session.timeLeft > 0) {
          this.#division.apply(this.identity, { hasShare: this.#hasShare, mayTry: this.#withdrawal.mayTry });
        }
        for (const shard of this.#shards) shard.input({ is: "time" });
      }
      if (this.#shards.every((shard) => shard.state.at === "away" && !shard.isAsking)) {
        for (const resolve of this.#emptied) resolve();
        this.#emptied.clear();
      }
      this.#sweep.run({ mayDelete: this.#shards[0]?.state.at === "held" });
    } finally {
      this.#isLooking = false;
    }
    this.#options.observer?.looked?.();
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#options.host.clock.after(this.#pause(), () => this.#look());
  }

  /** Tells the others at once when this replica begins or ceases to have a share. */
  #announce(): void {
    if (this.#announced === this.#hasShare) return;
    this.#announced = this.#hasShare;
    this.#session.hurry();
  }

  /** Shards whose Leases do not name us any more are lost, and Leases that were deleted are made again. */
  #checkHolders(): void {
    for (const shard of this.#shards) {
      if (!shard.isHeld || shard.isAsking) continue;
      const record = this.#observed.record(shard.leaseName);
      if (record !== undefined && record.holder !== this.identity) shard.input({ is: "seized" });
      // The Lease of a set of one shard is made again by its renewal.
      else if (record === undefined && shard.place.shards > 1 && this.#session.timeLeft > 0) {
        shard.input({ is: "deleted" });
      }
    }
  }

  /** How long until a look may find a change, although no event comes. */
  #pause(): Seconds {
    const now = this.#now;
    const parts = [this.#watch, this.#division, this.#sweep, this.#withdrawal, ...this.#shards];
    const times = [this.#observed.nextEnd, ...parts.map(({ due }) => due - now)];
    if (this.#session.state.at === "live") times.push(this.#session.timeLeft);
    // A time that is over has been acted on, or waits for an answer or event that calls for a look itself.
    return Math.max(SHORTEST_PAUSE, Math.min(...times.filter((time) => time > 0)));
  }
}
