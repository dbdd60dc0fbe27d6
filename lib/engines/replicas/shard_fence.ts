/**
 * The fence of a replica among others (`execution/fence.ts`), and the work that shards are: begun, drained and ended by the engine.
 *
 * The fence does not know turns, handlers or writes: it knows shards, terms, and how long the session of this replica lasts.
 */

import { shardHash } from "../../client/watch/shards.ts";
import type { Fence, Term } from "../../execution/fence.ts";

export type { Fence, Term };

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

  constructor(shards: readonly FencedShard[]) {
    this.#shards = shards;
  }

  get first(): Term | undefined {
    return this.#shards[0]?.term;
  }

  isResponsible(uid: string): boolean {
    const shard = this.#shardOf(uid);
    return shard?.term !== undefined && shard.isOpen && shard.term.timeLeft() > 0;
  }

  termOf(uid: string): Term | undefined {
    return this.#shardOf(uid)?.term;
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
