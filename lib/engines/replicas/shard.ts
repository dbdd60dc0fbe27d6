/**
 * One shard in one replica: writes its Lease, begins and ends its terms, and tells the work.
 *
 * The loop of the machine in `shard_state.ts`. At most one request of a shard is under way. After a write whose answer was
 * lost, the Lease is read: if it names us, it is ours.
 */

import type { TaskGroup } from "../../async/tasks.ts";
import { PermitEndedError } from "../../client/transport/permit.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { ShardWork, Term, TermEnd } from "./shard_fence.ts";
import {
  ANNOTATIONS,
  type LeaseContent,
  type LeaseRecord,
  memberLeaseName,
  releasedContent,
  shardLeaseName,
  type ShardPlace,
  toLease,
} from "./lease.ts";
import { isConflict, type LeaseRequests } from "./lease_requests.ts";
import type { Moments } from "./moments.ts";
import type { Holder, ObservedLeases } from "./observed_leases.ts";
import type { Withdrawal } from "./withdrawal.ts";
import { type ShardInput, type ShardState, type ShardTransition, shardTransition } from "./shard_state.ts";

/** The parts of a replica that its shards share. */
export interface ShardOptions {
  readonly operator: string;
  readonly namespace: string;
  readonly leaseDuration: Seconds;
  readonly clock: Clock;
  readonly moments: Moments;
  readonly requests: LeaseRequests;
  readonly observed: ObservedLeases;
  readonly work: ShardWork;
  readonly tasks: TaskGroup;
  readonly logger: Logger;
  /** The identity of the present session. */
  readonly identity: () => string;
  /** Whether a shard may be begun now: the session is live, and the process does not stop. */
  readonly mayBegin: () => boolean;
  readonly drainTimeout: () => Seconds;
  /** For how long the session is live, by the clocks at the moment in which it is called. */
  readonly timeLeft: () => Seconds;
  /** Returns the number of the next term. */
  readonly nextTerm: () => number;
  /** Whether another set of shards stands, by a list that is consistent. @throws {ApiError} If the server refuses. */
  readonly isContested: () => Promise<boolean>;
  /** Called when a request has ended, and with each change: the shares may be others. */
  readonly onChange: () => void;
  /** Told how attempts to take the shard end. */
  readonly attempts: Pick<Withdrawal, "succeeded" | "lostRace" | "failed">;
  /** Told of the Lease of each shard that was begun. */
  readonly onBegun: (lease: string) => void;
  readonly onEnded: (lease: string, end: { readonly why: TermEnd; readonly left: readonly string[] }) => void;
}

/** How long until a release is tried again that could not be written. */
const RELEASE_PAUSE: Seconds = 1;

class ShardTerm implements Term {
  readonly shard: number;
  readonly number: number;
  readonly #controller = new AbortController();
  /** Returns 0 or less when the term has ended. */
  readonly #timeLeft: (term: ShardTerm) => Seconds;

  constructor(shard: number, number: number, timeLeft: (term: ShardTerm) => Seconds) {
    this.shard = shard;
    this.number = number;
    this.#timeLeft = timeLeft;
  }

  timeLeft(): Seconds {
    return this.#timeLeft(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: string): void {
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }
}

/** A shard, held or not. */
export class Shard {
  readonly place: ShardPlace;
  readonly #options: ShardOptions;
  #state: ShardState = { at: "away" };
  /** The term that counts; undefined while the shard is away, and while the session is in doubt. */
  #term: ShardTerm | undefined;
  /** The term that was paused by a doubt. */
  #paused: ShardTerm | undefined;
  /** Resolves when the drain under way is of no interest any more. */
  #drainEnded = Promise.withResolvers<void>();
  #requests = 0;

  constructor(place: ShardPlace, options: ShardOptions) {
    this.place = place;
    this.#options = options;
  }

  get state(): ShardState {
    return this.#state;
  }

  /** The term in which the shard is held, also while it drains; undefined while the session is in doubt. */
  get term(): Term | undefined {
    return this.#term;
  }

  /** Whether new turns may begin. */
  get isOpen(): boolean {
    return this.#state.at === "held";
  }

  /** Whether a request of the shard is under way. */
  get isAsking(): boolean {
    return this.#requests > 0;
  }

  /** Whether work of the shard is ours: held, or being let go. */
  get isHeld(): boolean {
    return this.#state.at === "held" || this.#state.at === "draining" || this.#state.at === "aborting";
  }

  get leaseName(): string {
    return shardLeaseName(this.#options.operator, this.place);
  }

  /** When the state changes by itself, on the monotonic clock; Infinity if it does not. */
  get due(): Seconds {
    return this.#state.at === "draining" || this.#state.at === "aborting" ? this.#state.until : Infinity;
  }

  /** Goes to the next state, and carries out its consequence. */
  input(input: ShardInput): void {
    const { clock, drainTimeout, mayBegin } = this.#options;
    const time = { now: clock.monotonic(), drainTimeout: drainTimeout(), mayBegin: mayBegin() };
    const { state, then } = shardTransition(this.#state, input, time);
    this.#state = state;
    this.#do(then);
  }

  /** The session is in doubt: the term has ended, the work stays. */
  pause(): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#term = undefined;
    this.#paused ??= term;
    this.#options.work.pause(term);
    term.abort("The session of this replica is in doubt");
  }

  /** The session was confirmed: the work goes on in a new term. */
  proceed(): void {
    const paused = this.#paused;
    if (paused === undefined) return;
    this.#paused = undefined;
    this.#term = this.#makeTerm();
    this.#options.work.proceed(this.#term, paused);
  }

  /** The annotations of the Lease, as it was read or written last. */
  get annotations(): Readonly<Record<string, string>> {
    return this.#options.observed.record(this.leaseName)?.annotations ?? {};
  }

  /**
   * Writes annotations onto the Lease, for the next holder.
   *
   * @throws {ApiError} If the server refuses. @throws {Error} If the shard is not held.
   */
  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const { requests, observed, identity } = this.#options;
    for (let attempt = 1;; attempt++) {
      const before = attempt === 1 ? observed.record(this.leaseName) : await this.#read();
      if (before?.holder !== identity() || this.#term === undefined) {
        throw new PermitEndedError("Cannot write onto the Lease: the shard is not held");
      }
      try {
        const lease = this.#toLease({ ...contentOf(before), annotations }, before);
        return observed.take((await requests.write(lease)).object);
      } catch (error) {
        // The renewal of the Lease may have come in between.
        if (!isConflict(error) || attempt > 4) throw error;
      }
    }
  }

  /** Renews the Lease of a set of one shard. @throws {ApiError} If the server refuses. @throws If it does not answer. */
  async renew(): Promise<void> {
    const { requests, observed, moments, identity } = this.#options;
    const before = observed.record(this.leaseName) ?? await this.#read();
    if (before === undefined) return await this.#remake();
    if (before.holder !== identity()) return this.input({ is: "seized" });
    try {
      const lease = this.#toLease({ ...contentOf(before), renewed: moments.stamp() }, before);
      observed.take((await requests.write(lease)).object);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const found = await this.#read();
      if (found === undefined) return await this.#remake();
      if (found.holder !== identity()) return this.input({ is: "seized" });
      const lease = this.#toLease({ ...contentOf(found), renewed: moments.stamp() }, found);
      observed.take((await requests.write(lease)).object);
    }
  }

  #do(then: ShardTransition["then"]): void {
    switch (then) {
      case "nothing":
        return;
      case "take":
        return this.#start("take shard", () => this.#take());
      case "check":
        return this.#start("check sets of shards", () => this.#check());
      case "begin":
        return this.#begin();
      case "drain":
        return this.#drain();
      case "resume":
        this.#drainEnded.resolve();
        if (this.#term !== undefined) this.#options.work.resume(this.#term);
        return;
      case "abort":
        return (this.#term ?? this.#paused)?.abort("The shard is let go, and the time to drain is over");
      case "let go":
        this.#end("released");
        return this.#start("release shard", () => this.#release());
      case "leave behind":
        this.#end("overdue");
        return this.#start("release shard", () => this.#release());
      case "release":
        return this.#start("release shard", () => this.#release());
      case "remake":
        return this.#start("make the shard's Lease again", () => this.#remake());
      case "seize":
        return this.#end("taken");
      case "lose":
        return this.#end("lost");
      default:
        then satisfies never;
    }
  }

  #start(name: string, work: () => Promise<void>): void {
    this.#requests += 1;
    this.#options.tasks.own(name, async () => {
      try {
        await work();
      } finally {
        this.#requests -= 1;
      }
      this.#options.onChange();
    });
  }

  #begin(): void {
    const { work, onBegun } = this.#options;
    this.#term = this.#makeTerm();
    work.begin(this.#term);
    onBegun(this.leaseName);
  }

  #makeTerm(): ShardTerm {
    const { nextTerm, timeLeft } = this.#options;
    return new ShardTerm(this.place.shard, nextTerm(), (term) => this.#term === term ? timeLeft() : 0);
  }

  #drain(): void {
    const { work, onChange, tasks } = this.#options;
    const term = this.#term ?? this.#paused;
    if (term === undefined) return;
    const ended = this.#drainEnded = Promise.withResolvers<void>();
    tasks.own("drain shard", async () => {
      const isIdle = await Promise.race([work.drain(term).then(() => true), ended.promise]);
      if (isIdle !== true || this.#drainEnded !== ended) return;
      this.input({ is: "idle" });
      onChange();
    });
  }

  #end(why: TermEnd): void {
    const term = this.#term ?? this.#paused;
    this.#term = undefined;
    this.#paused = undefined;
    this.#drainEnded.resolve();
    if (term === undefined) return;
    term.abort(REASONS[why]);
    const left = this.#options.work.end(term, why);
    this.#options.onEnded(this.leaseName, { why, left });
  }

  async #take(): Promise<void> {
    const { observed, attempts, identity } = this.#options;
    try {
      // NB: the version that is written over is the one that was judged, and not a newer one that comes while a session is ended.
      const before = observed.record(this.leaseName);
      const holder = observed.holderOf(this.place);
      const isOther = holder.is === "live" && holder.identity !== identity();
      if (isOther || !await this.#endSession(holder)) {
        attempts.lostRace();
        return this.input({ is: "refused" });
      }
      await this.#write(before);
      attempts.succeeded();
      this.input({ is: "written" });
    } catch (error) {
      // The write may have been applied although its answer was lost, and a conflict may be our own doing.
      const found = await this.#read().catch(() => undefined);
      if (found?.holder === identity()) {
        attempts.succeeded();
        return this.input({ is: "written" });
      }
      if (isConflict(error)) attempts.lostRace();
      else attempts.failed(error);
      this.input({ is: "refused" });
    }
  }

  async #write(before: LeaseRecord | undefined): Promise<void> {
    const { observed, requests, moments, identity, leaseDuration } = this.#options;
    const now = moments.stamp();
    const holder = identity();
    const isSame = before?.holder === holder;
    const content = {
      holder,
      duration: leaseDuration,
      acquired: isSame ? before.acquired : now,
      renewed: now,
      transitions: (before?.transitions ?? 0) + (isSame || before === undefined ? 0 : 1),
    };
    observed.take((await requests.write(this.#toLease(content, before))).object);
  }

  /** Ends the session of a dead holder, so that it cannot come back; false if it turns out not to be dead. */
  async #endSession(holder: Holder): Promise<boolean> {
    if (holder.is !== "expired") return true;
    const { operator, namespace, observed, requests, moments, identity } = this.#options;
    const name = memberLeaseName(operator, holder.identity);
    const before = observed.record(name);
    // A holder without a member Lease is another program, whose Lease is the shard's; or its member Lease was deleted.
    if (before === undefined && !observed.isDeleted(name) && this.place.shards === 1) return true;
    // NB: a Lease that a stranger has emptied must be ended, too, or its replica makes it again.
    const isEmptied = before?.holder === "" && before.annotations[ANNOTATIONS.endedBy] === undefined;
    if (before !== undefined && before.holder !== holder.identity && !isEmptied) return true;
    const now = moments.stamp();
    const released = before === undefined
      ? { holder: "", duration: 1, acquired: now, renewed: now, transitions: 0 }
      : releasedContent(before, now);
    const content = { ...released, annotations: { [ANNOTATIONS.endedBy]: identity() } };
    try {
      const lease = toLease(content, { name, namespace, operator, before });
      observed.take((await requests.write(lease)).object);
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
      const found = await requests.get(name);
      if (found !== undefined) observed.take(found.object);
      return found !== undefined && found.holder !== holder.identity;
    }
  }

  async #check(): Promise<void> {
    const { isContested, logger } = this.#options;
    try {
      this.input({ is: await isContested() ? "contested" : "clear" });
    } catch (error) {
      logger.warn("Cannot list the Leases of shards: the shard is let go again", {
        lease: this.leaseName,
        error,
      });
      this.input({ is: "contested" });
    }
  }

  /** Releases the Lease, until it does not name us any more. */
  async #release(): Promise<void> {
    const { observed, requests, moments, identity, clock, logger, tasks } = this.#options;
    for (let attempt = 1; this.#state.at === "releasing" && !tasks.signal.aborted; attempt++) {
      try {
        const before = attempt === 1 ? observed.record(this.leaseName) : await this.#read();
        if (before?.holder !== identity()) break;
        const lease = this.#toLease(releasedContent(before, moments.stamp()), before);
        observed.take((await requests.write(lease)).object);
        break;
      } catch (error) {
        const level = attempt === 2 ? "warn" : "debug";
        logger[level]("Cannot release a shard's Lease: it is tried again", { lease: this.leaseName, error });
        if (attempt > 1 || !isConflict(error)) await clock.sleep(RELEASE_PAUSE, tasks.signal);
      }
    }
    this.input({ is: "released" });
  }

  /** Makes the Lease again that a stranger has deleted. */
  async #remake(): Promise<void> {
    const { logger, identity, observed } = this.#options;
    const before = observed.record(this.leaseName);
    if (before !== undefined && before.holder !== identity()) return this.input({ is: "seized" });
    try {
      await this.#write(before);
    } catch (error) {
      const found = await this.#read().catch(() => undefined);
      if (found !== undefined && found.holder !== identity()) return this.input({ is: "seized" });
      if (!isConflict(error)) {
        logger.warn("Cannot make a shard's Lease again that was deleted: it is tried again", {
          lease: this.leaseName,
          error,
        });
        if (this.place.shards === 1) throw error;
        await this.#options.clock.sleep(RELEASE_PAUSE, this.#options.tasks.signal);
      }
    }
  }

  async #read(): Promise<LeaseRecord | undefined> {
    const { requests, observed } = this.#options;
    const found = await requests.get(this.leaseName);
    if (found !== undefined) observed.take(found.object);
    return found;
  }

  #toLease(content: LeaseContent, before: LeaseRecord | undefined): ReturnType<typeof toLease> {
    const { operator, namespace } = this.#options;
    return toLease(content, { name: this.leaseName, namespace, operator, before });
  }
}

const REASONS: Readonly<Record<TermEnd, string>> = {
  released: "The shard was let go",
  overdue: "The shard was let go, and the time to end is over",
  taken: "Another replica holds the shard",
  lost: "Another replica has ended the session of this one",
};

function contentOf({ holder, duration, acquired, renewed, transitions }: LeaseRecord): LeaseContent {
  return { holder, duration, acquired, renewed, transitions };
}
