/**
 * The contract between an object's turn and the manners of handlers that take part in it.
 *
 * `reconcile()` goes through the parts of a turn in the order of one list, and names no manner. So a manner is one folder and
 * one line in that list. A success of a part's handlers is undecided until `written()` gets the outcome of the write.
 */

import type { Client } from "../client/client.ts";
import type { Pauses } from "../engines/pauses.ts";
import type { Wishes } from "../engines/wishes.ts";
import type { HotLoops } from "../engines/hot_loop.ts";
import type { Poster } from "../engines/posting/poster.ts";
import type { Fence, Term } from "../execution/fence.ts";
import type { Lifecycle } from "../execution/lifecycle.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { WriteResult } from "../execution/object_writer.ts";
import type { ObjectWriter, ReadOptions } from "../execution/object_writer.ts";
import type { AttemptEnd, Observer } from "../execution/observer.ts";
import type { FieldPath } from "../model/fields.ts";
import type { WatchEvent } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { MakeChildren } from "../registry/children.ts";
import type { Seconds } from "../runtime/host.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Persistence } from "../settings/persistence/storage.ts";
import type { Settings } from "../settings/settings.ts";
import type { Claim } from "./background/daemons.ts";
import type { Index } from "./index/index_handle.ts";
import type { HandlerType } from "./handler_type.ts";
import type { ObjectHandler } from "./handlers.ts";
import type { HandlersOfKind } from "./registry.ts";
import type { Registry } from "./registry.ts";

export type { Claim };

/** The parts of an object that handlers of a kind look at beside its spec and metadata; undefined: that cannot be said. */
export type Sees = {
  /** Members of the status, by their names. */
  readonly status: ReadonlySet<string>;
  /** Whether annotations are looked at one by one, so that notes among them count. */
  readonly annotations: boolean;
} | undefined;

/** Why an object is handled no more. */
export type WhyGone = "RESOURCE_DELETED" | "FILTERS_MISMATCH";

/** The work that a part leaves to be written. */
export interface Work {
  /** Ids of the handlers whose changes are in the turn's patch: a refusal fails their attempts. */
  readonly writers?: readonly string[];
  /** The framework's own changes. */
  readonly notes?: Patch;
  /** Whether the notes end a cause: for metrics and for hot loops. */
  readonly concludes?: boolean;
}

/** The facts by which a manner says whether an object is settled. */
export interface Settling<H extends ObjectHandler> {
  readonly handlers: readonly H[];
  /** The fields that the kind's handlers look at beside spec, labels and annotations. */
  readonly fields: readonly FieldPath[];
  readonly run: Run;
}

/** One manner of handlers, once for each run of the operator. It takes part in the turns of kinds that have handlers of its type. */
export interface Manner<H extends ObjectHandler = never> {
  readonly type: HandlerType<H>;
  /** The parts of an object that a kind's handlers look at. Asked once for each kind. */
  sees(handlers: readonly H[], persistence: Persistence): Sees;
  /** Whether it wants to be told of each raw event, and not only of the latest. */
  readonly keepsEvents?: boolean;
  /** Begins its part in a turn, with the kind's handlers. Makes one object, and asks no filter: most turns end early. */
  part(turn: Turn, handlers: readonly H[]): Part;
  /**
   * Whether an object that has just come calls for no handler of this manner and for no write, by its notes: then
   * it has no first turn. Asked where no filter of the kind is a function. Absent: each object has a first turn.
   */
  isSettled?(state: ObjectState, asked: Settling<H>): boolean;
  /** An object has come that no turn has seen yet. */
  introduce?(state: ObjectState, handlers: readonly H[]): void;
  /** The object has gone, or has left the selector. Asked of all manners, as the kind may be served no more. */
  gone?(state: ObjectState, why: WhyGone): Promise<void> | undefined;
  /** An object's turn has ended, however. */
  turnEnded?(state: ObjectState): void;
  /** The object is forgotten. */
  forget?(state: ObjectState): void;
}

/** One manner in one turn of an object, in the order of these methods. A method that returns undefined is not awaited. */
export interface Part {
  /** Tells handlers of a raw event, before it is known whether the turn calls other handlers. */
  told?(event: WatchEvent): Promise<void> | undefined;
  /** The snapshot stands: decides which handlers are to be called, starts and stops daemons and timers. Calls no handler of turns. */
  begin?(): Promise<void> | undefined;
  /** The object is paused: no handler of it is called, and daemons and timers stop. In the place of all further methods. */
  rest?(): Promise<void> | undefined;
  /**
   * Whether it is about to call handlers that must not be called for an older state: of creation, update, deletion, or for a
   * retry that is noted. An object that another replica has had before is read first. Default: no.
   */
  readonly needsNewest?: boolean;
  /**
   * Returns the part's claim on the finalizer, without any change. Asked before `run()` (may handlers be called?) and after it
   * (may the object go?). Absent: the part has no business with finalizers.
   */
  claim?(): Claim;
  /** Calls handlers. Skipped in the turn that moves the finalizer of an object that stays. `all`: the claims of all parts. */
  run?(all: Claim): Promise<void> | undefined;
  /** Returns the part's work for the write. `all`: the claims of all parts after they ran. */
  work?(all: Claim): Work | undefined;
  /**
   * Takes the outcome of the write, also of a write that repeats an earlier turn's. "dropped": attempts of its handlers have
   * failed.
   */
  written?(result: WriteResult): void;
  /** Returns how long until the part wants a turn; undefined: until an event or a wake. Asked after `written()`. */
  next?(): Seconds | undefined;
  /** Whether the manner has no work until a field changes that it sees. Asked last. Default: so it is. */
  readonly atRest?: boolean;
}

/** The claim of parts that do not require the finalizer. */
export const NO_CLAIM: Claim = { isRequired: false, isPending: false };

/** The things that all turns of one run share. */
export interface Run {
  readonly host: Host;
  readonly client: Client;
  readonly registry: Registry;
  readonly poster: Poster;
  readonly observer: Observer;
  /** Finds objects that wake themselves. */
  readonly hotLoops: HotLoops;
  /** Knows the objects that people have paused. Default: none can be paused. */
  readonly pauses?: Pauses;
  /** Knows what people want of single objects. Default: nothing. */
  readonly wishes?: Wishes;
  readonly settings: Settings;
  readonly persistence: Persistence;
  readonly lifecycle: () => Lifecycle;
  readonly indices: Readonly<Record<string, Index>>;
  readonly writer: ObjectWriter;
  /** Makes `children` for handlers. Default: they have none. */
  readonly makeChildren?: MakeChildren;
  readonly logger: Logger;
  /** Aborts when handlers must stop. */
  readonly signal: AbortSignal;
  /** Says which objects this replica is responsible for. Default: for all of them, until the operator stops. */
  readonly fence?: Fence;
  /** Brings an object up to date that another replica has had before. Default: there are no other replicas. */
  readonly inherit?: (state: ObjectState, reading: ReadOptions) => Promise<void>;
  /** Begins another turn of the object, if it is still there. */
  readonly wake: (state: ObjectState) => boolean;
  /** All manners that take part in turns, in the order in which their parts do. */
  readonly manners: readonly Manner[];
}

/** The facts that are known once for each kind, until its handlers change. */
export interface Kind {
  readonly handlers: HandlersOfKind;
  /** The manners that have handlers for it, in order, each with these handlers. */
  readonly manners: readonly { readonly manner: Manner; readonly handlers: readonly never[] }[];
  /** The union of the fields that they look at. */
  readonly sees: Sees;
  /** Whether a manner wants each raw event. */
  readonly keepsEvents: boolean;
}

/** One turn. Decisions are made from `state.snapshot`, never by `state.body`, which an event may change meanwhile. */
export interface Turn {
  readonly run: Run;
  readonly kind: Kind;
  readonly state: ObjectState;
  readonly parts: readonly Part[];
  /** The term of the object's shard in which it began: its writes carry it. Undefined where there are no other replicas. */
  readonly term: Term | undefined;
  /** Aborts when its handlers must stop: with the term, or with the operator. */
  readonly signal: AbortSignal;
  /** Whether it goes before the objects of the initial listing. */
  readonly urgent: boolean;
  /** Whether people want the object to be handled now: attempts that were planned for later are made. */
  readonly isHurried: boolean;
  /** Bound to the object. Its lines become Kubernetes events, where the settings say so. */
  readonly logger: Logger;
  /** The same, but its lines stay in the log. */
  readonly localLogger: Logger;
  /** The changes that handlers of this turn want. */
  readonly patch: Patch;
  /** The attempts that have ended well so far: the server may refuse their changes. */
  readonly succeeded: Set<AttemptEnd>;
}
