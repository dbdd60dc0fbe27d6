/**
 * The fence: may this replica begin a turn for an object, and may this write still be sent?
 *
 * The work queue asks it as it asks the other gates, the object writer and `op.api` ask it as the last step before a request.
 * Its answers are computed from the clocks at the time of the question, so that a timer that fires late lets no write through.
 * The fence does not know turns, handlers or writes: it knows shards, terms, and how long the session of this replica lasts.
 */

import { shardHash } from "../../client/watch/shards.ts";
import type { Seconds } from "../../runtime/host.ts";

/**
 * One tenure of one shard by this replica: from the moment in which the shard was taken (or the session was confirmed after a
 * doubt) until the shard is let go or lost. Terms are compared by identity; a term that has ended never comes back.
 */
export interface Term {
  /** The shard, from 0. */
  readonly shard: number;
  /** Counts the terms of this process, from 1: a later term has a greater number. */
  readonly number: number;
  /**
   * Aborts when the term has ended, when the session is in doubt, or when a drain takes longer than `drainTimeout`: the signal
   * of handlers, and of streams that `op.api` has opened.
   */
  readonly signal: AbortSignal;
}

/** Answers for objects (by uid), and for work that began in a term. No method throws, waits or changes anything. */
export interface Fence {
  /** Whether a new turn may begin for the object: its shard is held, not draining, and the session is live. */
  isResponsible(uid: string): boolean;
  /** The term of the object's shard, also while the shard drains; undefined if another replica is responsible, or none. */
  termOf(uid: string): Term | undefined;
  /** The term of shard 0, which all once-tasks share; undefined if this replica does not hold it. */
  readonly first: Term | undefined;
  /** Whether a write that belongs to the term may be sent now: the term has not ended, and the session is live. */
  mayWrite(term: Term): boolean;
  /**
   * How long a request of the term may take at most, in seconds: until the session ends unless it is renewed. 0 or less: the
   * request must not be sent. Infinity where there are no other replicas.
   */
  timeLeft(term: Term): Seconds;
}

/** Why a term ended. */
export type TermEnd =
  /** Drained, then let go. */
  | "released"
  /** Let go although some work had not ended: it is left behind. */
  | "overdue"
  /** The shard's Lease names another holder. */
  | "taken"
  /** The session was ended by another replica, which may work already. */
  | "lost";

/** The work of shards: implemented by the operator, called by the engine. No method may throw. */
export interface ShardWork {
  /** The shard was taken: its objects get turns, as after a start. */
  begin(term: Term): void;
  /**
   * The session is in doubt: no turns and no writes until `proceed()` or `end()`. The states of objects stay. The term's
   * signal is aborted.
   */
  pause(term: Term): void;
  /** The session was confirmed, and the shard is still ours: its objects go on in a new term, without resumption. */
  proceed(term: Term, previous: Term): void;
  /**
   * The shard is to be let go: no new turns. Resolves when no handler of the shard runs and no write of it is pending; the
   * signal of handlers is aborted if `drainTimeout` passes before.
   */
  drain(term: Term): Promise<void>;
  /** The shard stays after all: turns begin again. The promise of `drain()` is of no interest any more. */
  resume(term: Term): void;
  /**
   * The term has ended, and its writes are fenced: states, tasks, timers and listeners of its objects are to be forgotten.
   * Returns the names of handlers that still run, each with its object; they are told in the log, an Event and a metric.
   */
  end(term: Term, why: TermEnd): readonly string[];
}

/** A shard, as the fence sees it. */
export interface FencedShard {
  /** Undefined while the shard is away, and while the session is in doubt. */
  readonly term: Term | undefined;
  /** Whether new turns may begin. */
  readonly isOpen: boolean;
}

/** The fence of a replica. */
export class ShardFence implements Fence {
  readonly #shards: readonly FencedShard[];
  readonly #timeLeft: () => Seconds;

  /** `timeLeft` tells for how long the session is live, by the clocks at the moment in which it is called. */
  constructor(shards: readonly FencedShard[], timeLeft: () => Seconds) {
    this.#shards = shards;
    this.#timeLeft = timeLeft;
  }

  get first(): Term | undefined {
    return this.#shards[0]?.term;
  }

  isResponsible(uid: string): boolean {
    const shard = this.#shardOf(uid);
    return shard?.term !== undefined && shard.isOpen && this.#timeLeft() > 0;
  }

  termOf(uid: string): Term | undefined {
    return this.#shardOf(uid)?.term;
  }

  mayWrite(term: Term): boolean {
    return this.#shards[term.shard]?.term === term && this.#timeLeft() > 0;
  }

  timeLeft(term: Term): Seconds {
    return this.#shards[term.shard]?.term === term ? this.#timeLeft() : 0;
  }

  #shardOf(uid: string): FencedShard | undefined {
    return this.#shards[shardOf(uid, this.#shards.length)];
  }
}

/**
 * Returns the shard of an object: its uid's hash, in as many ranges of equal size as there are shards.
 *
 * Source: KEP-5866, "Server-side Sharded List and Watch": FNV-1a over 64 bits.
 */
export function shardOf(uid: string, shards: number): number {
  return shards === 1 ? 0 : Number((shardHash(uid) * BigInt(shards)) >> 64n);
}

/** The fence of an operator without replicas: it is responsible for each object, for ever. */
export function openFence(signal: AbortSignal): Fence {
  const term: Term = { shard: 0, number: 1, signal };
  return {
    isResponsible: () => true,
    termOf: () => term,
    first: term,
    mayWrite: () => !signal.aborted,
    timeLeft: () => Infinity,
  };
}
