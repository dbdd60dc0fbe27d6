/**
 * The fence: may this replica begin a turn for an object, and may this write still be sent?
 *
 * The work queue asks it as it asks the other gates; whatever writes for an object carries the term in which it began, and the
 * transport asks that term at the last step before a request. The answers are computed from the clocks at the time of the
 * question, so that a timer that fires late lets no write through. The fence of an operator without replicas is always open.
 */

import type { Permit } from "../client/transport/permit.ts";
import type { Seconds } from "../runtime/host.ts";

/**
 * One tenure of one shard by this replica: from the moment in which the shard was taken (or the session was confirmed after a
 * doubt) until the shard is let go or lost. Terms are compared by identity; a term that has ended never comes back.
 */
export interface Term extends Permit {
  /** The shard, from 0. */
  readonly shard: number;
  /** Counts the terms of this process, from 1: a later term has a greater number. */
  readonly number: number;
  /**
   * Aborts when the term has ended, when the session is in doubt, or when a drain takes longer than `drainTimeout`: the signal
   * of handlers, and of streams that `op.api` has opened.
   */
  readonly signal: AbortSignal;
  /** How long the session lasts unless it is renewed; 0 or less: the term has ended. Infinity where there are no other replicas. */
  timeLeft(): Seconds;
}

/** Answers for objects, by uid. No method throws, waits or changes anything. */
export interface Fence {
  /** Whether a new turn may begin for the object: its shard is held, not draining, and the session is live. */
  isResponsible(uid: string): boolean;
  /** The term of the object's shard, also while the shard drains; undefined if another replica is responsible, or none. */
  termOf(uid: string): Term | undefined;
  /** The term of shard 0, which all once-tasks share; undefined if this replica does not hold it. */
  readonly first: Term | undefined;
}

/** The signals of a run without other replicas. */
export interface RunSignals {
  /** Aborts when handlers must stop. */
  readonly handlers: AbortSignal;
  /** Aborts when no more writes may be sent. */
  readonly fence: AbortSignal;
}

/** The fence of an operator without replicas: it is responsible for each object, for ever. */
export function openFence({ handlers: signal, fence }: RunSignals): Fence {
  const term: Term = { shard: 0, number: 1, signal, timeLeft: () => fence.aborted ? 0 : Infinity };
  return { isResponsible: () => true, termOf: () => term, first: term };
}
