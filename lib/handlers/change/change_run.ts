/**
 * Runs the handlers of a cause: in each turn the ones that are due, until all have finished.
 *
 * The handlers of a resource have one progress, and the sub-handlers of each handler have another one, to any depth.
 */

import { PermitEndedError } from "../../client/transport/permit.ts";
import { Contribution } from "../../execution/contribution.ts";
import { PermanentError } from "../../execution/errors.ts";
import type { Refusal } from "../../execution/pending_write.ts";
import { dropResults } from "../../execution/results.ts";
import { Postponed } from "../../execution/waiting.ts";
import type { Patch } from "../../model/patch.ts";
import type { ProgressRecord } from "../../settings/persistence/storage.ts";
import { type Called, callHandler, contextOf, type Sort } from "../call.ts";
import type { ChangeCause } from "./change_cause.ts";
import type { ChangeHandler, SubOutcome } from "./change_handler.ts";
import { FRESH } from "../retry.ts";
import { callerOf, checkTerm, hasLostTerm, isInterrupted, type Turn } from "../turn.ts";
import { ChangeArgs } from "./change_args.ts";
import type { ChangeSlot } from "./change_slot.ts";
import { prematch, selectChanges } from "./decide.ts";
import { loadProgress } from "./notes.ts";
import type { ActiveHandler, Progress, Purpose } from "./progress.ts";
import { Signatures } from "./signatures.ts";
import { nameOf, SubHandlers } from "./sub_handlers.ts";

const SORT: Sort = { noun: "Handler", errors: "temporary" };

/** An attempt that may run now. */
type Attempt = Omit<ActiveHandler<ChangeHandler>, "id">;

/** The cause that is handled, and where. */
export interface ChangeRunOptions {
  readonly turn: Turn;
  readonly slot: ChangeSlot;
  readonly cause: ChangeCause;
  readonly purpose: Purpose;
}

/** The handlers of one cause, in one turn. */
export class ChangeRun {
  readonly #options: ChangeRunOptions;
  #made: Signatures | undefined;
  /** The progress of the resource's handlers, and of each handler's sub-handlers. */
  readonly #all: Progress<ChangeHandler>[] = [];
  /** The errors of handlers that have failed for good in this turn. */
  readonly #errors = new Map<string, Error>();
  /** The ids of handlers that ran. */
  readonly #ran = new Set<string>();
  /** The ids of handlers that have put changes into the patch. */
  readonly #writers: string[] = [];

  constructor(options: ChangeRunOptions) {
    this.#options = options;
  }

  /** The ids of handlers that have put changes into the patch, in the order of their calls. */
  get writers(): readonly string[] {
    return this.#writers;
  }

  /**
   * Makes these handlers active, and runs the due ones that the lifecycle picks. "isIdle": some were due, and it picked none.
   *
   * @throws {PermitEndedError} If the turn's term has ended before anything is to be written.
   * @throws The signal's reason, if it is interrupted before that.
   */
  async run(
    progress: Progress<ChangeHandler>,
    selected: readonly ChangeHandler[],
  ): Promise<{ readonly isIdle: boolean }> {
    this.#activate(progress, selected);
    return await this.#callDue(progress);
  }

  #activate(progress: Progress<ChangeHandler>, handlers: readonly ChangeHandler[]): void {
    const { purpose, turn } = this.#options;
    if (!this.#all.includes(progress)) this.#all.push(progress);
    const isAsSigned = (handler: ChangeHandler, digest: string): boolean =>
      this.#signatures.isAsSigned(handler, digest);
    const carriesOver = ({ isMixedIn }: ChangeHandler): boolean => isMixedIn;
    progress.activate(handlers, { purpose, now: turn.run.host.clock.now(), isAsSigned, carriesOver });
  }

  async #callDue(progress: Progress<ChangeHandler>): Promise<{ readonly isIdle: boolean }> {
    const { turn, cause } = this.#options;
    const { run: { host: { clock, random }, lifecycle }, signal, logger } = turn;
    if (turn.isHurried) progress.hurry();
    const awake = progress.awake(clock.now());
    const { makeChildren: _, ...told } = cause;
    const picked = new Set(lifecycle()(awake, { ...told, random }).map(({ id }) => id));
    for (const active of awake) {
      if (!picked.has(active.id)) continue;
      if (hasLostTerm(turn) && this.#hasResults) break;
      checkTerm(turn);
      const descendants = new Set<string>();
      const called = await this.#call(active, descendants);
      if (called === undefined) {
        // Interrupted: changes and records of the handlers before this one are written, if there are any.
        if (!this.#hasResults) throw signal.reason ?? new PermitEndedError("The term has ended");
        break;
      }
      this.#ran.add(active.id);
      progress.settle(active.id, called.outcome, { now: clock.now(), descendants });
      if (called.outcome.kind === "failure") this.#errors.set(active.id, called.outcome.error);
      if (called.wrote) this.#writers.push(active.id);
    }
    const isIdle = awake.length > 0 && picked.size === 0;
    if (isIdle) logger.warn("The lifecycle has picked no handler: waiting for the next event");
    return { isIdle };
  }

  /** Whether handlers have left records or changes that are to be written. */
  get #hasResults(): boolean {
    return this.#ran.size > 0 || !this.#options.turn.patch.isEmpty;
  }

  /** The server has refused the write of these handlers: their records are judged anew. */
  refuse(refusal: Refusal): void {
    for (const progress of this.#all) {
      refuseIn(this.#options.turn, { progress, handlers: progress.handlers, refusal });
    }
  }

  /** Runs a handler once, without keeping its progress. @throws {PermitEndedError} If the turn's term has ended. */
  async callOnce(handler: ChangeHandler): Promise<void> {
    checkTerm(this.#options.turn);
    await this.#call(
      { handler, retry: 0, started: this.#options.turn.run.host.clock.now(), runtime: 0 },
      new Set(),
    );
  }

  /** Puts all records that changed into the patch. */
  store(notes: Patch): void {
    for (const progress of this.#signed()) progress.store(notes);
  }

  /** Returns the records of all handlers, to be kept until a write of them has succeeded. */
  records(): ReadonlyMap<string, ProgressRecord> {
    return new Map(this.#signed().flatMap((progress) => [...progress.records()]));
  }

  get #signatures(): Signatures {
    return this.#made ??= new Signatures(this.#options);
  }

  #signed(): readonly Progress<ChangeHandler>[] {
    return this.#signatures.sign(this.#all, (id) => this.#ran.has(id));
  }

  /** Calls a handler once. Returns undefined if the call was interrupted. */
  async #call(
    { handler, retry: attempts, started: wall, runtime }: Attempt,
    descendants: Set<string>,
  ): Promise<Called | undefined> {
    const { turn, cause } = this.#options;
    const { patch, run: { host: { clock } } } = turn;
    const children = new SubHandlers(handler, (declared) => this.#runChildren(declared, descendants));
    const contribution = new Contribution(patch);
    const fn = async (args: never): Promise<unknown> => {
      const result = await handler.fn(args);
      // NB: before sub-handlers add to the patch: a check that fails takes out all changes since the handler's call began.
      contribution.check();
      if (children.areWaiting) await children.finish();
      return result;
    };
    const { field } = handler;
    const called = await callHandler(callerOf(turn), handler, {
      sort: SORT,
      retry: { ...FRESH, attempts, begun: { wall, monotonic: clock.monotonic() - runtime } },
      fn,
      patch,
      contribution,
      keepsResult: true,
      args: (attempt) => new ChangeArgs(cause, { attempt, field, sub: () => children.subOf(attempt) }),
    });
    children.close();
    // A failure while the operator stops, or after the end of the term, does not count: the handler is called again.
    return isInterrupted(turn) && called.outcome.kind !== "success" ? undefined : called;
  }

  /** Runs sub-handlers, up to the first step that has not succeeded. @throws {Postponed} If some are unfinished. */
  async #runChildren(
    children: readonly ChangeHandler[],
    descendants: Set<string>,
  ): Promise<readonly SubOutcome[]> {
    const { turn, slot, cause } = this.#options;
    const prematched = prematch(turn, { cause, handlers: children });
    const selected = selectChanges(turn, { cause, prematched });
    const progress = loadProgress(turn, slot, selected);
    const isOpen = ({ id, onFailure }: ChangeHandler): boolean =>
      onFailure === "stop" && progress.recordOf(id)?.success !== true;
    for (const handler of selected) {
      this.#activate(progress, [handler]);
      if (isOpen(handler)) break;
    }
    const { isIdle } = await this.#callDue(progress);
    for (const id of [...selected.map(({ id }) => id), ...progress.descendants]) descendants.add(id);
    const isOver = progress.handlers.length === selected.length ||
      progress.failed.some(({ onFailure }) => onFailure === "stop");
    if (!progress.isDone || !isOver) {
      const delay = progress.delay(turn.run.host.clock.now()) ?? 0;
      throw new Postponed("Sub-handlers are unfinished", isIdle && delay === 0 ? Infinity : delay);
    }
    const outcomes = children.map((child) => this.#outcomeOf(child, progress));
    this.#dropStaleResults(selected, outcomes);
    return outcomes;
  }

  #outcomeOf(child: ChangeHandler, progress: Progress<ChangeHandler>): SubOutcome {
    const id = nameOf(child);
    if (!progress.handlers.some((each) => each.id === child.id)) return { id, kind: "skipped" };
    const { failure, message } = progress.recordOf(child.id) ?? {};
    if (failure !== true) return { id, kind: "success" };
    return { id, kind: "failure", error: this.#errors.get(child.id) ?? new PermanentError(message) };
  }

  /** Results of an earlier cause do not stand beside a failure: its part has none now, nor have the parts that it has stopped. */
  #dropStaleResults(selected: readonly ChangeHandler[], outcomes: readonly SubOutcome[]): void {
    const { turn, slot } = this.#options;
    const { patch, state: { snapshot: body } } = turn;
    const isOfThisCause = (id: string): boolean =>
      [...this.#all, loadProgress(turn, slot, [{ id }])].some((each) => each.recordOf(id)?.success === true);
    for (const handler of selected) {
      const kind = outcomes.find(({ id }) => id === nameOf(handler))?.kind;
      if (kind === "failure" || kind === "skipped") dropResults({ patch, body }, handler.id, isOfThisCause);
    }
  }
}

interface RefuseOptions {
  readonly progress: Progress<ChangeHandler>;
  /** The handlers among which are the refused ones. */
  readonly handlers: readonly ChangeHandler[];
  readonly refusal: Refusal;
}

/** Judges the records of handlers anew whose write the server has refused. */
export function refuseIn(
  turn: Turn,
  { progress, handlers, refusal: { error, handlers: ids } }: RefuseOptions,
): void {
  const context = contextOf(callerOf(turn), SORT);
  const now = turn.run.host.clock.now();
  progress.refuse(handlers.filter(({ id }) => ids.includes(id)), { now, error, context });
}
