/**
 * The states of a replica's session, and its transitions: a pure function, so that the whole table can be read and tested.
 *
 * A session is live from the moment in which the last answered renewal was sent. Both clocks count, and the larger answer wins:
 * the monotonic clock of a suspended machine stands still, and a wall clock may be set back. `session.ts` carries the
 * transitions out. Source: docs/decisions/0028-replicas.md.
 */

import type { Seconds } from "../../runtime/host.ts";

/** A moment on both clocks. */
export interface Moment {
  /** In seconds. */
  readonly monotonic: Seconds;
  /** In milliseconds since 1970. */
  readonly wall: number;
}

/** Where a session is. */
export type SessionState =
  /** Its member Lease has not been written yet. */
  | { readonly at: "joining" }
  /** `since`: when the last answered renewal was sent. */
  | { readonly at: "live"; readonly since: Moment }
  /** `renewDeadline` has passed: others may take the shards soon. */
  | { readonly at: "doubtful"; readonly since: Moment }
  /** Another replica has ended it. A new session needs a new identity. */
  | { readonly at: "lost" };

/** An event in a session's life, from which the next state follows. */
export type SessionInput =
  /** Time has passed. */
  | { readonly is: "time" }
  /** A renewal was answered, or its record was read after its answer was lost. `sent`: when it was sent. */
  | { readonly is: "renewed"; readonly sent: Moment }
  /** The answer to a renewal did not come: it may have been applied. */
  | { readonly is: "unanswered" }
  /** A renewal was refused with 409 or 404: the Lease is another one than we think. */
  | { readonly is: "refused" }
  /** The member Lease was read, and is not as any of our renewals left it. */
  | { readonly is: "read"; readonly found: FoundRecord };

/**
 * own: our last record, or an older one of ours. ended: another replica has ended the session. taken: the Lease names another
 * holder. emptied: no holder, and no replica says that it was its doing. absent: there is no such Lease.
 */
export type FoundRecord = "own" | "ended" | "taken" | "emptied" | "absent";

/** The next state, and its consequence. */
export interface SessionTransition {
  readonly state: SessionState;
  /**
   * begin: the session is live for the first time. doubt: no writes and no turns, handlers are told; states stay. confirm: each
   * shard that still names us is held in a new term. lose: states are forgotten, and everything begins anew. read: the member
   * Lease is to be read. write: it is to be written at once (made again, if it is gone).
   */
  readonly then: "begin" | "doubt" | "confirm" | "lose" | "read" | "write" | "nothing";
}

/** The time at which an input came, and the deadline that counts. */
export interface SessionTime {
  readonly now: Moment;
  readonly renewDeadline: Seconds;
}

/** How long ago a moment was, by the clock that says more. */
export function elapsedSince(since: Moment, now: Moment): Seconds {
  return Math.max(now.monotonic - since.monotonic, (now.wall - since.wall) / 1000);
}

/** Returns the state of a session after an input, and the consequence for the replica. */
export function sessionTransition(
  state: SessionState,
  input: SessionInput,
  time: SessionTime,
): SessionTransition {
  if (state.at === "lost") return { state, then: "nothing" };
  switch (input.is) {
    case "time":
      return afterTime(state, time);
    case "renewed":
      return afterRenewal(state, input.sent, time);
    case "unanswered":
      return { state, then: "write" };
    case "refused":
      return { state, then: "read" };
    case "read":
      return afterReading(state, input.found);
    default:
      return input satisfies never;
  }
}

function afterTime(state: SessionState, { now, renewDeadline }: SessionTime): SessionTransition {
  if (state.at !== "live" || elapsedSince(state.since, now) < renewDeadline) {
    return { state, then: "nothing" };
  }
  return { state: { at: "doubtful", since: state.since }, then: "doubt" };
}

/**
 * NB: a renewal may be answered before the timer that would have told of the doubt: the fence has refused writes meanwhile, so
 * that the session must not go on in the same terms.
 */
function afterRenewal(state: SessionState, sent: Moment, time: SessionTime): SessionTransition {
  const { now, renewDeadline } = time;
  const isLate = elapsedSince(sent, now) >= renewDeadline;
  switch (state.at) {
    case "joining":
      return isLate ? { state, then: "write" } : { state: { at: "live", since: sent }, then: "begin" };
    case "live":
      if (afterTime(state, time).then === "doubt") {
        return isLate
          ? { state: { at: "doubtful", since: sent }, then: "doubt" }
          : { state: { at: "live", since: sent }, then: "confirm" };
      }
      return { state: { at: "live", since: sent }, then: "nothing" };
    case "doubtful":
      return isLate
        ? { state: { at: "doubtful", since: sent }, then: "write" }
        : { state: { at: "live", since: sent }, then: "confirm" };
    case "lost":
      return { state, then: "nothing" };
    default:
      return state satisfies never;
  }
}

/**
 * A Lease that is absent or empty was a stranger's doing as long as the session is live: no replica could think that it had ended.
 * In doubt it may as well have been ended, and swept since.
 */
function afterReading(state: SessionState, found: FoundRecord): SessionTransition {
  switch (found) {
    case "own":
      return { state, then: "write" };
    case "absent":
    case "emptied":
      return state.at === "doubtful" ? { state: { at: "lost" }, then: "lose" } : { state, then: "write" };
    case "ended":
    case "taken":
      return { state: { at: "lost" }, then: "lose" };
    default:
      return found satisfies never;
  }
}
