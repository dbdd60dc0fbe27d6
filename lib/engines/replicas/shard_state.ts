/**
 * The states of a shard in one replica, and its transitions: a pure function, so that the whole table can be read and tested.
 *
 * `shard.ts` carries the transitions out: it writes the Lease, begins and ends terms, and tells the work. The shards of the
 * other replicas, and for how long the division has been the same, are the business of `division.ts`. Source:
 * docs/decisions/0028-replicas.md.
 */

import type { Seconds } from "../../runtime/host.ts";

/** Where a shard is. */
export type ShardState =
  /** Another replica is responsible for it, or none. */
  | { readonly at: "away" }
  /** The Lease is being written with our identity; or its answer was lost, and it is read. */
  | { readonly at: "taking" }
  /** The Lease names us; it is being looked whether another set of shards stands. */
  | { readonly at: "checking" }
  /** We are responsible. */
  | { readonly at: "held" }
  /**
   * We are responsible for the work that runs; none begins. `until`: when its signal is aborted. `isFinal`: the process stops.
   */
  | { readonly at: "draining"; readonly until: Seconds; readonly isFinal: boolean }
  /** The signal of the work was aborted. `until`: when handlers that still run are left behind. */
  | { readonly at: "aborting"; readonly until: Seconds; readonly isFinal: boolean }
  /** The term has ended; the Lease still names us, and is to be released. */
  | { readonly at: "releasing" };

/** An event in a shard's life, from which the next state follows. */
export type ShardInput =
  /** The Lease may be taken, and it is our turn. */
  | { readonly is: "due" }
  /** The Lease names us: the write was answered with 200, or was read after its answer was lost. */
  | { readonly is: "written" }
  /** The Lease could not be taken: another replica was faster, or the server refuses. */
  | { readonly is: "refused" }
  /** No other set of shards stands. */
  | { readonly is: "clear" }
  /** Another set stands, or it cannot be told. */
  | { readonly is: "contested" }
  /** The shard belongs to another member, and has for long enough. */
  | { readonly is: "unwanted" }
  /** The shard belongs to us. */
  | { readonly is: "wanted" }
  /** The process stops. */
  | { readonly is: "stop" }
  /** No handler of the shard runs, and no write of it is pending. */
  | { readonly is: "idle" }
  /** Time has passed. */
  | { readonly is: "time" }
  /** The Lease does not name us any more, by our own release. */
  | { readonly is: "released" }
  /** The Lease names another holder, or none, and it was not our doing. */
  | { readonly is: "seized" }
  /** The Lease was deleted, and it was not our doing. */
  | { readonly is: "deleted" }
  /** The session was ended by another replica. */
  | { readonly is: "session lost" };

/** The next state, and its consequence. */
export interface ShardTransition {
  readonly state: ShardState;
  /**
   * take: write the Lease. check: list the Leases of other sets. begin: a new term, objects get turns. drain: no new turns.
   * resume: turns begin again. abort: the signal of the term. let go: the term has ended in order; release. leave behind: the
   * term has ended although work still runs; release. release: write the Lease, no term had begun. remake: create the Lease
   * again. seize, lose: another replica or program has ended the term.
   */
  readonly then:
    | "take"
    | "check"
    | "begin"
    | "drain"
    | "resume"
    | "abort"
    | "let go"
    | "leave behind"
    | "release"
    | "remake"
    | "seize"
    | "lose"
    | "nothing";
}

/** Time, and whether a shard may be begun now. */
export interface ShardTime {
  /** On the monotonic clock. */
  readonly now: Seconds;
  /** For a drain that begins now. */
  readonly drainTimeout: Seconds;
  /** Whether a shard may be begun now: the session is live, and the process does not stop. */
  readonly mayBegin: boolean;
}

/** How long handlers may take to end after their signal was aborted. */
export const ABORT_GRACE: Seconds = 5;

const AWAY: ShardState = { at: "away" };
const RELEASING: ShardState = { at: "releasing" };

/** Returns the state of a shard after an input, and the consequence for its Lease and its term. */
export function shardTransition(state: ShardState, input: ShardInput, time: ShardTime): ShardTransition {
  switch (state.at) {
    case "away":
      return input.is === "due" && time.mayBegin ? { state: { at: "taking" }, then: "take" } : same(state);
    case "taking":
      return whileTaking(state, input, time);
    case "checking":
      return whileChecking(state, input, time);
    case "held":
    case "draining":
    case "aborting":
      return whileHeld(state, input, time);
    case "releasing":
      return whileReleasing(state, input);
    default:
      return state satisfies never;
  }
}

function same(state: ShardState): ShardTransition {
  return { state, then: "nothing" };
}

/** NB: a write under way is waited for, whatever input comes meanwhile: the Lease may name us in the end. */
function whileTaking(state: ShardState, input: ShardInput, { mayBegin }: ShardTime): ShardTransition {
  switch (input.is) {
    case "written":
      return mayBegin ? { state: { at: "checking" }, then: "check" } : { state: RELEASING, then: "release" };
    case "refused":
    case "session lost":
      return { state: AWAY, then: "nothing" };
    default:
      return same(state);
  }
}

function whileChecking(state: ShardState, input: ShardInput, { mayBegin }: ShardTime): ShardTransition {
  switch (input.is) {
    case "clear":
      return mayBegin ? { state: { at: "held" }, then: "begin" } : { state: RELEASING, then: "release" };
    case "contested":
      return { state: RELEASING, then: "release" };
    case "seized":
    case "session lost":
      return { state: AWAY, then: "nothing" };
    default:
      return same(state);
  }
}

function whileHeld(
  state: ShardState & { at: "held" | "draining" | "aborting" },
  input: ShardInput,
  { now, drainTimeout }: ShardTime,
): ShardTransition {
  switch (input.is) {
    case "seized":
      return { state: AWAY, then: "seize" };
    case "session lost":
      return { state: AWAY, then: "lose" };
    case "deleted":
      return { state, then: "remake" };
    case "unwanted":
      if (state.at !== "held") return same(state);
      return { state: { at: "draining", until: now + drainTimeout, isFinal: false }, then: "drain" };
    case "wanted":
      if (state.at !== "draining" || state.isFinal) return same(state);
      return { state: { at: "held" }, then: "resume" };
    case "stop":
      if (state.at === "held") {
        return { state: { at: "draining", until: now + drainTimeout, isFinal: true }, then: "drain" };
      }
      if (state.at === "draining") {
        return same({ at: "draining", until: Math.min(state.until, now + drainTimeout), isFinal: true });
      }
      return same({ ...state, isFinal: true });
    case "idle":
      return state.at === "held" ? same(state) : { state: RELEASING, then: "let go" };
    case "time":
      return afterTime(state, now);
    default:
      return same(state);
  }
}

function afterTime(
  state: ShardState & { at: "held" | "draining" | "aborting" },
  now: Seconds,
): ShardTransition {
  if (state.at === "held" || now < state.until) return same(state);
  if (state.at === "aborting") return { state: RELEASING, then: "leave behind" };
  return { state: { at: "aborting", until: now + ABORT_GRACE, isFinal: state.isFinal }, then: "abort" };
}

function whileReleasing(state: ShardState, input: ShardInput): ShardTransition {
  switch (input.is) {
    case "released":
    case "seized":
    case "deleted":
    case "session lost":
      return { state: AWAY, then: "nothing" };
    default:
      return same(state);
  }
}
