/**
 * Which of the handlers that may run now do run in this reconcile.
 *
 * Source: Kopf, docs/handlers "Lifecycles", scenarios A165–A182. They apply to change handlers and their sub-handlers; everything else
 * runs all at once.
 */

import type { Random } from "../runtime/host.ts";

/** The facts about each handler that a lifecycle may look at. */
export interface Candidate {
  /** The handler's id. */
  readonly id: string;
  /** How often it was called before. */
  readonly retry: number;
}

/** Picks the ids to run now, in order, from awake and unfinished handlers in the order of registration. */
export type Lifecycle = (candidates: readonly Candidate[], context: LifecycleContext) => readonly Candidate[];

/** The facts besides that a lifecycle may look at. */
export interface LifecycleContext {
  /** Chance: for lifecycles that need it. */
  readonly random: Random;
  /** The cause that is handled, and the object that it is about. */
  readonly [argument: string]: unknown;
}

/** All of them, in the order of registration. */
export function allAtOnce(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates;
}

/** The first only. */
export function oneByOne(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.slice(0, 1);
}

/** One, by chance. */
export function randomized(
  candidates: readonly Candidate[],
  { random }: LifecycleContext,
): readonly Candidate[] {
  return candidates.slice(Math.floor(random.next() * candidates.length)).slice(0, 1);
}

/** All of them, in an order of chance. */
export function shuffled(
  candidates: readonly Candidate[],
  { random }: LifecycleContext,
): readonly Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ candidate }) => candidate);
}

/** The one with the fewest attempts so far; the first registered among equals. The default. */
export function asap(candidates: readonly Candidate[]): readonly Candidate[] {
  const first = candidates.reduce<Candidate | undefined>(
    (best, candidate) => best === undefined || candidate.retry < best.retry ? candidate : best,
    undefined,
  );
  return first === undefined ? [] : [first];
}
