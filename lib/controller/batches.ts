/**
 * Runs batches of handlers of one cause: the handlers of the kind, and under each of them its sub-handlers, to any depth.
 *
 * Each batch has progress of its own; all of them are written and, when the cause is done, purged together.
 * Source: Kopf, A §2.8, §6.4.
 */

import { ChildrenPending, execute } from "../execution/execute.ts";
import type { Outcome } from "../execution/handler.ts";
import { type ActiveHandler, Progress, type Purpose } from "../execution/progress.ts";
import { digestOf } from "../model/encoding.ts";
import { getField } from "../model/fields.ts";
import { cloneJson } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import { applyMergePatch, type Patch } from "../model/patch.ts";
import { ChangeArgs } from "../registry/args.ts";
import type { ChangeCause } from "../registry/causes.ts";
import type { ChangeHandler } from "../registry/handlers.ts";
import { selectChanges } from "../registry/registry.ts";
import type { Sub } from "../registry/arguments.ts";
import { subHandler } from "../registry/sub.ts";
import { currentEssence, type ProgressRecord } from "../settings/persistence/storage.ts";
import {
  extraFieldsOf,
  type Reconciliation,
  reportFailedFilter,
  reportUnreadable,
  storeResult,
} from "./reconciliation.ts";

/** Handlers that run side by side, and how far they are. */
export interface Batch {
  readonly progress: Progress<ChangeHandler>;
  /** Whether handlers could have run, but the lifecycle picked none. */
  readonly isIdle: boolean;
}

type Active = Omit<ActiveHandler<ChangeHandler>, "id">;

/** The handlers of one cause, in one reconcile. */
export class Batches {
  readonly #r: Reconciliation;
  readonly #cause: ChangeCause;
  readonly #purpose: Purpose;
  readonly #all: Progress<ChangeHandler>[] = [];
  /** The ids of handlers that ran. */
  readonly #ran = new Set<string>();

  constructor(r: Reconciliation, cause: ChangeCause, purpose: Purpose) {
    this.#r = r;
    this.#cause = cause;
    this.#purpose = purpose;
  }

  /** Makes these handlers the ones that count, and runs those that may run now. */
  async run(progress: Progress<ChangeHandler>, selected: readonly ChangeHandler[]): Promise<Batch> {
    const { host, logger, lifecycle } = this.#r;
    this.#all.push(progress);
    const essence = this.#essenceWith([]);
    const digest = (handler: ChangeHandler): string | undefined => this.#digest(handler, essence);
    const goesOn = ({ isMixedIn }: ChangeHandler): boolean => isMixedIn;
    progress.activate(selected, { purpose: this.#purpose, now: host.clock.now(), digest, goesOn });
    const awake = progress.awake(host.clock.now());
    const picked = new Set(lifecycle()(awake, { ...this.#cause, random: host.random }).map(({ id }) => id));
    for (const each of awake) {
      if (picked.has(each.id) && !await this.#attempt(progress, each)) break;
    }
    const isIdle = awake.length > 0 && picked.size === 0;
    if (isIdle) logger.warn("The lifecycle has picked no handler: waiting for the next event");
    return { progress, isIdle };
  }

  /** Runs a handler once, without keeping its progress. */
  async runOnce(handler: ChangeHandler): Promise<void> {
    const outcome = await this.#execute(
      { handler, retry: 0, started: this.#r.host.clock.now() },
      new Set(),
    );
    if (outcome?.kind === "success") storeResult(this.#r, handler.id, outcome.result);
  }

  /** Puts all records that changed into the patch. */
  store(notes: Patch): void {
    for (const progress of this.#signed()) progress.store(notes);
  }

  /** The records of all handlers, to be kept until a write of them has succeeded. */
  records(): ReadonlyMap<string, ProgressRecord> {
    return new Map(this.#signed().flatMap((progress) => [...progress.records()]));
  }

  /** False if it was interrupted. @throws The signal's reason, if that leaves nothing to be written. */
  async #attempt(progress: Progress<ChangeHandler>, active: ActiveHandler<ChangeHandler>): Promise<boolean> {
    const descendants = new Set<string>();
    const outcome = await this.#execute(active, descendants);
    if (outcome === undefined) {
      if (this.#ran.size === 0 && this.#r.patch.isEmpty) throw this.#r.signal.reason;
      return false;
    }
    this.#ran.add(active.id);
    progress.settle(active.id, outcome, { now: this.#r.host.clock.now(), descendants });
    if (outcome.kind === "success") storeResult(this.#r, active.id, outcome.result);
    return true;
  }

  /** Undefined if it was interrupted. */
  async #execute(
    { handler, retry, started }: Active,
    descendants: Set<string>,
  ): Promise<Outcome | undefined> {
    const { clock } = this.#r.host;
    const family = new Family(handler, (children) => this.#runChildren(children, descendants));
    const fn = async (args: never): Promise<unknown> => {
      const result = await handler.fn(args);
      await family.finish();
      return result;
    };
    const outcome = await execute({ ...handler, fn }, {
      clock,
      logger: this.#r.logger,
      attempts: { retry, runtime: Math.max(0, clock.now() - started) / 1000 },
      noun: "Handler",
      errors: "temporary",
      defaultBackoff: this.#r.settings.execution.defaultBackoff,
      signal: this.#r.signal,
      observed: { observer: this.#r.observer, subject: this.#r.state },
      args: (signal) => {
        const attempt = { param: handler.param, retry, started, signal, clock, sub: () => family.sub };
        // The types of `op.on` have made sure that the function takes these arguments.
        return new ChangeArgs(this.#cause, { attempt, field: handler.field }) as never;
      },
    });
    family.close();
    // What fails because we stop says nothing about the handler: it is called again by the next process.
    return this.#r.signal.aborted && outcome.kind !== "success" ? undefined : outcome;
  }

  async #runChildren(children: readonly ChangeHandler[], descendants: Set<string>): Promise<void> {
    const { host } = this.#r;
    const selected = selectChanges(children, {
      cause: this.#cause,
      args: () => new ChangeArgs(this.#cause),
      onFailure: (handler, error) => reportFailedFilter(this.#r, handler, error),
    });
    const progress = loadProgress(this.#r, selected);
    const { isIdle } = await this.run(progress, selected);
    for (const id of [...selected.map(({ id }) => id), ...progress.descendants]) descendants.add(id);
    if (progress.isDone) return;
    const delay = progress.delay(host.clock.now()) ?? 0;
    throw new ChildrenPending(isIdle && delay === 0 ? Infinity : delay);
  }

  /**
   * All progress of this reconcile, finished records with the digest of the object as it will be when everything is written: what
   * handlers themselves write calls none of them again, whoever of them it was (docs/decisions/0012).
   */
  #signed(): readonly Progress<ChangeHandler>[] {
    if (this.#purpose === "delete") return this.#all;
    const before = this.#essenceWith([]);
    const after = this.#essenceWith([this.#r.patch]);
    for (const progress of this.#all) {
      progress.sign((handler) => this.#digest(handler, after), (id) => this.#ran.has(id));
    }
    return before === after ? this.#all : [...this.#all, this.#sleepers(digestOf(before), digestOf(after))];
  }

  /** Sub-handlers whose parents were not called in this reconcile. Those of fields are left as they are. */
  #sleepers(before: string, after: string): Progress<ChangeHandler> {
    const ids = new Set(this.#all.flatMap(({ descendants }) => descendants));
    for (const progress of this.#all) for (const id of progress.records().keys()) ids.delete(id);
    const sleepers = loadProgress(this.#r, [...ids].map((id) => ({ id })));
    sleepers.renew(before, after);
    return sleepers;
  }

  /** What handlers would see if that, after all that could not be written before, were on the object. */
  #essenceWith(patches: readonly Patch[]): JsonObject {
    const { state, persistence } = this.#r;
    const { patch: pending } = state.pending;
    const outgoing = [...pending === undefined ? [] : [pending], ...patches].filter(({ isEmpty }) =>
      !isEmpty
    );
    if (outgoing.length === 0) return this.#cause.new;
    const body = outgoing.reduce<KubeObject>(applied, state.snapshot);
    return currentEssence(persistence, body, {
      extraFields: extraFieldsOf(this.#r.registry, this.#r.state.resource),
    });
  }

  /** Deletions are not started over because somebody edits a dying object. */
  #digest({ field }: ChangeHandler, essence: JsonObject): string | undefined {
    if (this.#purpose === "delete") return undefined;
    return digestOf(field === undefined ? essence : getField(essence, field) ?? null);
  }
}

/** A body with a patch applied; without its functions, should one of them fail: they are dropped then. */
function applied(body: KubeObject, patch: Patch): KubeObject {
  const merged = applyMergePatch(body, contentOf(patch));
  if (patch.fns.length === 0) return merged;
  try {
    const own = cloneJson(merged);
    for (const fn of patch.fns) fn(own);
    return own;
  } catch {
    return merged;
  }
}

/** What cannot be put into JSON will be dropped as well. */
function contentOf(patch: Patch): JsonObject {
  try {
    return patch.toMergePatch();
  } catch {
    return {};
  }
}

/** Loads what the object (or a failed write) holds about these handlers. */
export function loadProgress(
  r: Reconciliation,
  handlers: readonly Pick<ChangeHandler, "id">[],
): Progress<ChangeHandler> {
  const { state, persistence } = r;
  return new Progress<ChangeHandler>({
    storage: persistence.progress,
    body: state.snapshot,
    ids: [...new Set(handlers.map(({ id }) => id))],
    unsaved: state.pending.records,
    onGarbage: reportUnreadable(r),
  });
}

/** The sub-handlers of one attempt of a handler. */
class Family {
  readonly #parent: ChangeHandler;
  readonly #run: (children: readonly ChangeHandler[]) => Promise<void>;
  #children: ChangeHandler[] = [];
  #known = new Set<string>();
  #isClosed = false;
  readonly sub: Sub;

  constructor(parent: ChangeHandler, run: (children: readonly ChangeHandler[]) => Promise<void>) {
    this.#parent = parent;
    this.#run = run;
    this.sub = Object.assign((...args: readonly unknown[]) => this.#declare(args), {
      run: () => this.finish(),
    });
  }

  /** Runs what was declared and has not run yet. */
  async finish(): Promise<void> {
    const children = this.#children;
    this.#children = [];
    if (children.length > 0) await this.#run(children);
  }

  close(): void {
    this.#isClosed = true;
  }

  #declare(args: readonly unknown[]): void {
    if (this.#isClosed) {
      throw new ReferenceError(
        `Cannot add a sub-handler to "${this.#parent.id}": the handler has ended (await what it starts)`,
      );
    }
    const child = subHandler({ parent: this.#parent, args });
    if (this.#known.has(child.id)) {
      throw new TypeError(
        `Cannot add two sub-handlers with the id "${child.id}": give one of them another id`,
      );
    }
    this.#known.add(child.id);
    this.#children.push(child);
  }
}
