/**
 * Keeps the indexes of one run: calls the index functions for every state of every object, ahead of all other handlers.
 *
 * Each object has its own line, so that its states are indexed in order; where several wait, only the newest counts. Nothing
 * here takes a worker's slot, so that a limit on workers cannot keep the gate closed (Kopf #1243). The gate opens once all
 * indexed kinds have been listed and what was listed has been indexed, and then stays open: a kind that comes later, and
 * whose listing may fail for long, must not stop an operator that works.
 * Source: Kopf, docs/indexing; scenarios B73–B100.
 */

import { Gate, type ReadonlyGate } from "../../async/gate.ts";
import type { TaskGroup } from "../../async/tasks.ts";
import { execute } from "../../execution/execute.ts";
import type { Observer } from "../../execution/observer.ts";
import type { Outcome } from "../../execution/handler.ts";
import type { WatchEvent } from "../../model/object.ts";
import { Patch } from "../../model/patch.ts";
import { objectReference } from "../../model/references.ts";
import type { Resource } from "../../model/resource.ts";
import { ObjectArgs } from "../../registry/args.ts";
import type { ObjectCause } from "../../registry/causes.ts";
import { matches } from "../../registry/filters.ts";
import { type Index, IndexHandle, type IndexHandler } from "../../registry/index_handle.ts";
import type { Clock, Random, Seconds } from "../../runtime/host.ts";
import { type Logger, terseLogger } from "../../runtime/logging.ts";
import { IndexTable, isPlain } from "./index_table.ts";

/** The view of an object for those who have it indexed. */
export interface Indexed {
  /** Tells the object from all others. */
  readonly key: string;
  readonly resource: Resource;
  readonly memo: Record<string, unknown>;
  /** Returns whether that was not reported of the object yet. */
  reportOnce(what: string): boolean;
}

export interface IndexingOptions {
  readonly handlers: readonly IndexHandler[];
  /** The index handlers of one kind. */
  readonly handlersOf: (resource: Resource) => readonly IndexHandler[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly defaultBackoff: () => Seconds;
  readonly tasks: TaskGroup;
  readonly observer: Observer;
  /** Aborts when handlers must stop. */
  readonly signal: AbortSignal;
}

/** The states of one object that wait to be indexed. */
interface Line {
  next: { readonly object: Indexed; readonly event: WatchEvent; readonly done: PromiseWithResolvers<void> };
  /** Resolves when the newest state has been indexed. */
  newest: Promise<void>;
}

/** Why an object is left out of an index for now, or for ever. */
interface Exclusion {
  readonly retry: number;
  /** When the first attempt began, in milliseconds since 1970. */
  readonly started: number;
  /** The same, on the monotonic clock. */
  readonly begun: Seconds;
  /** Until when, on the monotonic clock. Infinity: for as long as the object is there. */
  readonly until: Seconds;
}

/** The indexes of one run of an operator. */
export class Indexing implements Disposable {
  /** By name; those that exist, and no others. */
  readonly indices: Readonly<Record<string, Index>>;
  readonly #options: IndexingOptions;
  readonly #tables = new Map<string, IndexTable>();
  readonly #attached: readonly Disposable[];
  readonly #lines = new Map<string, Line>();
  /** By object, then by index. */
  readonly #exclusions = new Map<string, Map<string, Exclusion>>();
  readonly #gate = new Gate();
  /** Reasons that keep the gate closed. */
  readonly #blockers = new Set<string>();

  constructor(options: IndexingOptions) {
    this.#options = options;
    for (const { id } of options.handlers) {
      if (!this.#tables.has(id)) this.#tables.set(id, new IndexTable());
    }
    const views = [...this.#tables].map(([id, { view }]) => [id, view] as const);
    this.indices = Object.freeze(Object.assign(Object.create(null), Object.fromEntries(views)));
    this.#attached = options.handlers.map(({ id, handle }) =>
      IndexHandle.attach(handle, this.#tables.get(id)?.view ?? new Map())
    );
  }

  /** Open once everything that was there at the start has been indexed. */
  get gate(): ReadonlyGate {
    return this.#gate;
  }

  /** How many objects are being indexed, have values, or are excluded: nothing of them is left when they have gone. */
  get size(): number {
    const objects = [...this.#tables.values()].map(({ objects }) => objects);
    return Math.max(this.#lines.size, this.#exclusions.size, ...objects);
  }

  /** Keeps the gate closed until what was given is released. Without effect once it is open. */
  block(blocker: string): void {
    if (!this.#gate.isOpen) this.#blockers.add(blocker);
  }

  /** Releases what kept the gate closed; the last one opens it. */
  release(blocker: string): void {
    this.#blockers.delete(blocker);
    if (this.#blockers.size === 0) this.#gate.open();
  }

  /** Whether a kind has indexes. */
  concerns(resource: Resource): boolean {
    return this.#options.handlersOf(resource).length > 0;
  }

  /** Takes a state in. */
  submit(object: Indexed, event: WatchEvent): void {
    if (this.#tables.size === 0) return;
    // NB: what goes may be of a kind that has just stopped being served.
    if (!this.concerns(object.resource) && event.type !== "DELETED") return;
    this.block(object.key);
    const done = Promise.withResolvers<void>();
    const next = { object, event, done };
    const line = this.#lines.get(object.key);
    if (line !== undefined) {
      const { done: skipped } = line.next;
      // What is replaced before its turn is covered by what replaces it.
      done.promise.then(skipped.resolve);
      line.next = next;
      line.newest = done.promise;
      return;
    }
    const started: Line = { next, newest: done.promise };
    this.#lines.set(object.key, started);
    this.#options.tasks.start(`index ${object.key}`, () => this.#work(started));
  }

  /** Resolves when the newest state so far has been indexed; undefined if it has been. */
  settled(object: Pick<Indexed, "key">): Promise<void> | undefined {
    return this.#lines.size === 0 ? undefined : this.#lines.get(object.key)?.newest;
  }

  [Symbol.dispose](): void {
    for (const attached of this.#attached) attached[Symbol.dispose]();
  }

  async #work(line: Line): Promise<void> {
    for (;;) {
      const current = line.next;
      const { object, event, done } = current;
      try {
        if (event.type === "DELETED") this.#drop(object.key);
        else await this.#index(object, event);
      } catch (error) {
        this.#options.logger.error("Indexing failed", { key: object.key, error });
      }
      done.resolve();
      if (line.next !== current) continue;
      this.#lines.delete(object.key);
      this.release(object.key);
      return;
    }
  }

  #drop(key: string): void {
    for (const table of this.#tables.values()) table.drop(key);
    this.#exclusions.delete(key);
  }

  async #index(object: Indexed, { object: body }: WatchEvent): Promise<void> {
    const logger = this.#options.logger.child({ reference: objectReference(body) });
    const cause: ObjectCause = {
      resource: object.resource,
      body,
      memo: object.memo,
      indices: this.indices,
      logger: terseLogger(logger),
      patch: new Patch(),
    };
    for (const handler of this.#options.handlersOf(object.resource)) {
      const table = this.#tables.get(handler.id);
      if (table === undefined) continue;
      if (!this.#isWanted(handler, object, cause)) table.drop(object.key);
      else if (!this.#isExcluded(handler, object)) await this.#attempt(handler, { object, cause, table });
    }
  }

  #isWanted(handler: IndexHandler, object: Indexed, cause: ObjectCause): boolean {
    try {
      return matches(handler, { body: cause.body, args: () => new ObjectArgs(cause) });
    } catch (error) {
      if (object.reportOnce(handler.id)) {
        cause.logger.error("Filter failed: the handler counts as not matching", {
          handler: handler.id,
          error,
        });
      }
      return false;
    }
  }

  #isExcluded({ id }: IndexHandler, { key }: Indexed): boolean {
    return this.#options.clock.monotonic() < (this.#exclusions.get(key)?.get(id)?.until ?? -Infinity);
  }

  async #attempt(
    handler: IndexHandler,
    { object, cause, table }: { object: Indexed; cause: ObjectCause; table: IndexTable },
  ): Promise<void> {
    const { clock, random, signal, observer } = this.#options;
    const { key, resource } = object;
    const attempts = this.#exclusions.get(object.key)?.get(handler.id) ??
      { retry: 0, started: clock.now(), begun: clock.monotonic() };
    const { retry, started, begun } = attempts;
    const settle = (outcome: Outcome): void => this.#settle(handler.id, { object, table, outcome, attempts });
    // A result that cannot be put in is a failure like any other: so it is put in within the attempt.
    const fn = async (args: never): Promise<void> => {
      const result = await handler.fn(args);
      if (result !== undefined && result !== null) table.replace(object.key, entriesOf(result));
    };
    settle(
      await execute(handler, {
        fn,
        clock,
        logger: cause.logger,
        attempts: { retry, runtime: clock.monotonic() - begun },
        noun: "Indexer",
        errors: "ignored",
        defaultBackoff: this.#options.defaultBackoff(),
        random,
        signal,
        observed: { observer, subject: { key, resource, body: cause.body } },
        // The types of `op.index` have made sure that the function takes these arguments.
        args: (signal) =>
          new ObjectArgs(cause, { param: handler.param, retry, started, begun, signal, clock }) as never,
      }),
    );
  }

  #settle(
    id: string,
    { object, table, outcome, attempts }: {
      readonly object: Indexed;
      readonly table: IndexTable;
      readonly outcome: Outcome;
      readonly attempts: Omit<Exclusion, "until">;
    },
  ): void {
    if (outcome.kind === "success") {
      const known = this.#exclusions.get(object.key);
      known?.delete(id);
      if (known?.size === 0) this.#exclusions.delete(object.key);
      return;
    }
    table.drop(object.key);
    const until = outcome.kind === "failure" ? Infinity : this.#options.clock.monotonic() + outcome.delay;
    const known = this.#exclusions.get(object.key) ?? new Map<string, Exclusion>();
    const { retry, started, begun } = attempts;
    known.set(id, { retry: retry + 1, started, begun, until });
    this.#exclusions.set(object.key, known);
  }
}

/** Plain objects and Maps are keys with values; anything else is one value without a key. */
function entriesOf(result: unknown): Iterable<readonly [unknown, unknown]> {
  if (result instanceof Map) return result;
  return isPlain(result) ? Object.entries(result) : [[null, result]];
}
