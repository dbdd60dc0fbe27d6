/**
 * Keeps the indexes of one run: calls the index functions for every state of every object, ahead of all other handlers.
 *
 * Each object has its own line, so that its states are indexed in order; where several wait, only the newest counts. Indexing
 * takes no worker's slot, so that a limit on workers cannot keep the gate closed (Kopf #1243). The gate opens once all
 * indexed kinds have been listed and their objects have been indexed, and then stays open: a kind that comes later, and
 * whose listing may fail for long, must not stop an operator that works. Nor does a kind or namespace that the server refuses to
 * list: indexes are incomplete then, and each handler that reads one is named once.
 * Source: Kopf, docs/indexing; scenarios B73–B100.
 */

import { Gate, type ReadonlyGate } from "../../async/gate.ts";
import type { TaskGroup } from "../../async/tasks.ts";
import { currentHandler } from "../../execution/invoke.ts";
import type { Observer } from "../../execution/observer.ts";
import type { WatchEvent } from "../../model/object.ts";
import { Patch } from "../../model/patch.ts";
import { objectReference } from "../../model/references.ts";
import { keyOf, type Resource } from "../../model/resource.ts";
import type { Clock, Random, Seconds } from "../../runtime/host.ts";
import { type Logger, terseLogger } from "../../runtime/logging.ts";
import { type Caller, callHandler, type Sort } from "../call.ts";
import type { ObjectCause } from "../object_args.ts";
import { matches } from "../filters.ts";
import { ObjectArgs } from "../object_args.ts";
import { after, FRESH, isDue, type Retry } from "../retry.ts";
import { type Index, IndexHandle } from "./index_handle.ts";
import type { IndexHandler } from "./index_handler.ts";
import { IndexTable, isPlain } from "./index_table.ts";

/** The view of an object for its indexing. */
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

/** Objects that the server refuses to list. */
export interface Unlisted {
  readonly resource: Resource;
  /** Undefined: objects of all namespaces. */
  readonly namespace: string | undefined;
}

/** After which time it is said that handlers wait. */
const WARNED_AFTER: Seconds = 30;

/** How many reasons are told why handlers wait. */
const MOST_TOLD = 10;

/** The states of one object that wait to be indexed. */
interface Line {
  next: { readonly object: Indexed; readonly event: WatchEvent; readonly done: PromiseWithResolvers<void> };
  /** Resolves when the newest state has been indexed. */
  newest: Promise<void>;
}

const SORT: Sort = { noun: "Indexer", errors: "ignored" };

/** The indexes of one run of an operator. */
export class Indexing implements Disposable {
  /** By name; existing ones alone. */
  readonly indices: Readonly<Record<string, Index>>;
  readonly #options: IndexingOptions;
  readonly #tables = new Map<string, IndexTable>();
  readonly #attached: readonly Disposable[];
  readonly #lines = new Map<string, Line>();
  /** The rows of failed attempts by object, then by index: the object is left out of that index until the row is due. */
  readonly #exclusions = new Map<string, Map<string, Retry>>();
  readonly #gate = new Gate();
  /** Reasons that keep the gate closed. */
  readonly #blockers = new Set<string>();
  /** Objects that indexes lack, by the blocker that they were. */
  readonly #unlisted = new Map<string, Unlisted>();
  /** Which handlers were named for which index. */
  readonly #named = new Set<string>();

  constructor(options: IndexingOptions) {
    this.#options = options;
    for (const { id } of options.handlers) {
      if (!this.#tables.has(id)) this.#tables.set(id, new IndexTable(() => this.#noteReader(id)));
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

  /** How many objects are being indexed, have values, or are excluded: no entry is left when they have gone. */
  get size(): number {
    const objects = [...this.#tables.values()].map(({ objects }) => objects);
    return Math.max(this.#lines.size, this.#exclusions.size, ...objects);
  }

  /** Whether this is a reason why handlers wait. */
  isBlockedBy(blocker: string): boolean {
    return this.#blockers.has(blocker);
  }

  /** Keeps the gate closed until this blocker is released. Without effect once it is open. */
  block(blocker: string): void {
    if (!this.#gate.isOpen) this.#blockers.add(blocker);
  }

  /** Releases a hold of the gate; the last one opens it. */
  release(blocker: string): void {
    this.#unlisted.delete(blocker);
    this.#unblock(blocker);
  }

  /** Goes on without objects that the server refuses to list, until they are released. Tells whether that is news. */
  goWithout(blocker: string, unlisted: Unlisted): boolean {
    const isNews = !this.#unlisted.has(blocker);
    this.#unlisted.set(blocker, unlisted);
    this.#unblock(blocker);
    return isNews;
  }

  /** Why handlers wait, or which objects indexes lack; undefined if none is missing. */
  get problem(): string | undefined {
    if (!this.#gate.isOpen) {
      const waiting = [...this.#blockers];
      const more = waiting.length > MOST_TOLD ? `, and ${waiting.length - MOST_TOLD} more` : "";
      return `they are not complete yet: handlers wait for ${waiting.slice(0, MOST_TOLD).join(", ")}${more}`;
    }
    const lacks = [...this.#tables.keys()].flatMap((id) => {
      const lacking = this.#lacksOf(id);
      return lacking.length === 0 ? [] : [`"${id}" lacks ${lacking.join(", ")}`];
    });
    return lacks.length === 0 ? undefined : lacks.join("; ");
  }

  /** Tells which lists handlers wait for, where that takes long. */
  async report(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    if (!await clock.sleep(WARNED_AFTER, signal) || this.#gate.isOpen) return;
    logger.warn("Handlers wait for the indexes", { problem: this.problem });
  }

  /** The names of the indexes of a kind. */
  namesFor(resource: Resource): readonly string[] {
    return [...new Set(this.#options.handlersOf(resource).map(({ id }) => id))];
  }

  /** Whether a kind has indexes. */
  concerns(resource: Resource): boolean {
    return this.#options.handlersOf(resource).length > 0;
  }

  /** Takes a state in. */
  submit(object: Indexed, event: WatchEvent): void {
    if (this.#tables.size === 0) return;
    // An object that goes may be of a kind that has just stopped being served.
    if (!this.concerns(object.resource) && event.type !== "DELETED") return;
    this.block(object.key);
    const done = Promise.withResolvers<void>();
    const next = { object, event, done };
    const line = this.#lines.get(object.key);
    if (line !== undefined) {
      const { done: skipped } = line.next;
      // A state that is replaced before its turn is covered by the newer one.
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

  #unblock(blocker: string): void {
    this.#blockers.delete(blocker);
    if (this.#blockers.size === 0) this.#gate.open();
  }

  /** Which objects an index lacks: "configmaps.v1 in b". */
  #lacksOf(id: string): string[] {
    const lacking = [...this.#unlisted.values()].filter(({ resource }) =>
      this.namesFor(resource).includes(id)
    );
    return lacking.map(({ resource, namespace }) =>
      namespace === undefined ? keyOf(resource) : `${keyOf(resource)} in ${namespace}`
    );
  }

  /** Names a handler that reads an index which is incomplete: once. */
  #noteReader(id: string): void {
    if (this.#unlisted.size === 0) return;
    const handler = currentHandler();
    const title = `${handler} ${id}`;
    if (handler === undefined || this.#named.has(title)) return;
    const lacks = this.#lacksOf(id);
    if (lacks.length === 0) return;
    this.#named.add(title);
    this.#options.logger.warn("A handler reads an index that is incomplete", { handler, index: id, lacks });
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
    const retry = this.#exclusions.get(key)?.get(id);
    return retry !== undefined && !isDue(retry, this.#options.clock.monotonic());
  }

  async #attempt(
    handler: IndexHandler,
    { object, cause, table }: { object: Indexed; cause: ObjectCause; table: IndexTable },
  ): Promise<void> {
    const { clock, random, signal, observer, defaultBackoff } = this.#options;
    const { key, resource } = object;
    const { logger, body } = cause;
    const observed = { observer, subject: { key, resource, body } };
    const caller: Caller = { clock, random, logger, signal, observed, defaultBackoff: defaultBackoff() };
    const { outcome, retry } = await callHandler(caller, handler, {
      sort: SORT,
      retry: this.#exclusions.get(key)?.get(handler.id) ?? FRESH,
      // A result that cannot be put in is a failure like any other: so it is put in within the attempt.
      fn: async (args: never): Promise<void> => {
        const result = await handler.fn(args);
        if (result !== undefined && result !== null) table.replace(key, entriesOf(result));
      },
      args: (attempt) => new ObjectArgs(cause, attempt),
    });
    if (outcome.kind === "success") return this.#include(handler, key);
    table.drop(key);
    const known = this.#exclusions.get(key) ?? new Map<string, Retry>();
    known.set(handler.id, after(retry, outcome, clock.monotonic()));
    this.#exclusions.set(key, known);
  }

  #include({ id }: IndexHandler, key: string): void {
    const known = this.#exclusions.get(key);
    known?.delete(id);
    if (known?.size === 0) this.#exclusions.delete(key);
  }
}

/** Plain objects and Maps are keys with values; anything else is one value without a key. */
function entriesOf(result: unknown): Iterable<readonly [unknown, unknown]> {
  if (result instanceof Map) return result;
  return isPlain(result) ? Object.entries(result) : [[null, result]];
}
