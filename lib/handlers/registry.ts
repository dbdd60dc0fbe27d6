/**
 * Holds the declared handlers, and picks the handlers of a kind or a cause.
 *
 * The order is the order of registration. Two different functions must not share an id on one kind: their progress would be
 * one. The same function under one id for several causes is one handler, called once (as `create` and `resume` often are).
 */

import type { FieldPath } from "../model/fields.ts";
import type { Resource } from "../model/resource.ts";
import {
  EVERYTHING,
  formatSelector,
  matches as matchesResource,
  type Selector,
  selectorKey,
} from "../model/selector.ts";
import type { CacheHandler } from "./cache.ts";
import type { ChildHandler, SourceHandler } from "./child/related.ts";
import { type Exchange, exchangeOf } from "./exchange.ts";
import type {
  ActivityHandler,
  ActivityName,
  AdmissionHandler,
  BackgroundHandler,
  ChangeHandler,
  EventHandler,
  ObjectHandler,
} from "./handlers.ts";
import type { IndexHandler } from "./index/index_handle.ts";
import type { ReconcileHandler } from "./reconcile/reconcile_handler.ts";
import type { TaskHandler } from "./task/task_handler.ts";

/** Handlers of objects that are watched. */
type WatchingHandler =
  | EventHandler
  | ChangeHandler
  | IndexHandler
  | BackgroundHandler
  | ReconcileHandler
  | ChildHandler
  | SourceHandler
  | CacheHandler;

/** All that can be registered; `type` tells them apart. */
export type RegisteredHandler = WatchingHandler | AdmissionHandler | ActivityHandler | TaskHandler;

type Type = RegisteredHandler["type"];
type OfType<Wanted extends Type> = Extract<RegisteredHandler, { readonly type: Wanted }>;

/** The handlers of one kind, by their sorts, in order. */
export interface HandlersOfKind {
  /** Of raw events. */
  readonly events: readonly EventHandler[];
  readonly changes: readonly ChangeHandler[];
  readonly indexes: readonly IndexHandler[];
  /** Daemons and timers. */
  readonly backgrounds: readonly BackgroundHandler[];
  /** Of `op.reconcile`. */
  readonly reconciles: readonly ReconcileHandler[];
  /** Handlers of children, for the kind that owns them. */
  readonly children: readonly ChildHandler[];
  /** Declarations by which changes of the kind's objects matter to objects of other kinds. */
  readonly sources: readonly SourceHandler[];
  /** Whether the kind's objects have turns of their own: it is not only watched for other kinds. */
  readonly hasTurns: boolean;
  /** Whether handlers look its objects up. */
  readonly isLookedUp: boolean;
  /** The fields that belong to the essence of the kind's objects because a handler names them; indexes have no part in it. */
  readonly fields: readonly FieldPath[];
}

/** The handlers of kinds, for code that knows no registry. */
export interface ServedHandlers {
  readonly backgroundsOf: (resource: Resource) => readonly BackgroundHandler[];
}

/** All handlers of one operator, in one list. */
export class Registry {
  readonly #handlers: RegisteredHandler[] = [];
  readonly #keys: (id: string) => readonly string[];
  readonly #reserved: () => readonly string[];
  // By identity: a kind that is served otherwise than before is another resource.
  #cache = new WeakMap<Resource, HandlersOfKind>();
  #isServed: (handler: ObjectHandler, resource: Resource) => boolean = isMatching;

  /**
   * @param keys Returns the names under which a handler's progress is stored.
   * @param reserved Returns the names under which other notes are stored.
   */
  constructor(
    keys: (id: string) => readonly string[] = (id) => [id],
    reserved: () => readonly string[] = () => [],
  ) {
    this.#keys = keys;
    this.#reserved = reserved;
  }

  /**
   * Adds a handler.
   *
   * @throws {TypeError} If another function has the same id, or one stored under the same name, among the handlers of
   * that type on the same kind; or if no progress can be stored under the id.
   */
  add(handler: RegisteredHandler): void {
    if (handler.type === "activity") {
      if (this.#isRepeated(handler)) return;
    } else if (handler.type === "task") {
      if (this.tasks.some(({ id }) => id === handler.id)) {
        throw new TypeError(`Cannot declare task "${handler.id}": there is one of that name`);
      }
    } else {
      if (handler.type === "change") this.#rejectReserved(handler);
      this.#rejectCollision(handler);
    }
    this.#handlers.push(handler);
    this.#cache = new WeakMap();
  }

  /** Returns a copy, which later changes of the original do not reach. */
  copy(): Registry {
    const copy = new Registry(this.#keys, this.#reserved);
    copy.#handlers.push(...this.#handlers);
    return copy;
  }

  /** Takes the handlers of another one in place of its own, and returns the changes; undefined: the exchange takes a new run. */
  exchange(next: Registry): Exchange & ServedHandlers | undefined {
    const exchange = exchangeOf(this.#handlers, next.#handlers);
    if (exchange === undefined) return undefined;
    this.#handlers.splice(0, Infinity, ...exchange.handlers);
    // Which handlers are served is found out anew. Until then none is left out.
    this.serveOnly(isMatching);
    return { ...exchange, backgroundsOf: (resource) => this.of(resource).backgrounds };
  }

  /**
   * Says which handlers are for which kinds, from now on. Until then: the handlers whose selectors match.
   *
   * Selectors know one kind at a time; an ambiguous selector, or a kind that cannot be served, only shows among all kinds of a cluster.
   */
  serveOnly(isServed: (handler: ObjectHandler, resource: Resource) => boolean): void {
    this.#isServed = isServed;
    this.#cache = new WeakMap();
  }

  /** Forgets everything. */
  clear(): void {
    this.#handlers.length = 0;
    this.#cache = new WeakMap();
  }

  get isEmpty(): boolean {
    return this.#handlers.length === 0;
  }

  /** The handlers of an activity, in order. */
  activitiesOf(activity: ActivityName): readonly ActivityHandler[] {
    return this.#ofType("activity").filter((handler) => handler.activity === activity);
  }

  /** The tasks of the operator itself. */
  get tasks(): readonly TaskHandler[] {
    return this.#ofType("task");
  }

  /** All admission handlers. Their kinds are not watched on their account. */
  get admissionHandlers(): readonly AdmissionHandler[] {
    return this.#ofType("admission");
  }

  /** All handlers of objects that are watched, whatever they are for. */
  get objectHandlers(): readonly ObjectHandler[] {
    return this.#handlers.filter(isWatching);
  }

  /** Whether handlers are called for more than one kind. */
  get servesSeveral(): boolean {
    const called = this.#ofType("event", "change", "daemon", "timer", "reconcile", "index");
    const selectors = called.map(({ selector }) => selector);
    const areOpen = ({ category, anyName, predicate }: Selector): boolean =>
      category !== undefined || predicate !== undefined || anyName === EVERYTHING;
    return selectors.some(areOpen) || new Set(selectors.map(formatSelector)).size > 1;
  }

  /** The handlers of causes. */
  get changeHandlers(): readonly ChangeHandler[] {
    return this.#ofType("change");
  }

  /** The caches of the author's own. */
  get cacheHandlers(): readonly CacheHandler[] {
    return this.#ofType("cache");
  }

  /** The handlers that have notes or a finalizer written onto objects, so that kinds must be patchable. */
  get statefulHandlers(): readonly ObjectHandler[] {
    const finalizing = this.reconcileHandlers.filter(({ finalize }) => finalize !== undefined);
    return [...this.#ofType("change", "daemon", "timer"), ...finalizing];
  }

  /** The handlers of `op.reconcile`. */
  get reconcileHandlers(): readonly ReconcileHandler[] {
    return this.#ofType("reconcile");
  }

  /** The declarations by which other objects matter. */
  get sourceHandlers(): readonly SourceHandler[] {
    return this.#ofType("owns", "watches");
  }

  /** All index handlers. */
  get indexHandlers(): readonly IndexHandler[] {
    return this.#ofType("index");
  }

  /** Returns the handlers of a kind. They are looked up once, until a handler is added, or other kinds are served. */
  of(resource: Resource): HandlersOfKind {
    // NB: called many times for each object: `#find()` is separate, so that engines inline this method alone.
    return this.#cache.get(resource) ?? this.#find(resource);
  }

  #find(resource: Resource): HandlersOfKind {
    const isOurs = (handler: WatchingHandler): boolean => this.#isServed(handler, resource);
    const ours = this.#handlers.filter(isWatching).filter(isOurs);
    const [events, changes] = [ofType(ours, ["event"]), ofType(ours, ["change"])];
    const [backgrounds, reconciles] = [ofType(ours, ["daemon", "timer"]), ofType(ours, ["reconcile"])];
    const found = {
      events,
      changes,
      backgrounds,
      reconciles,
      indexes: ofType(ours, ["index"]),
      children: firstOfEach(ofType(ours, ["child"])),
      sources: ofType(ours, ["owns", "watches"]),
      isLookedUp: ours.some(({ type }) => FOR_OTHERS.includes(type)),
      hasTurns: ours.some(({ type }) => !FOR_OTHERS.includes(type)),
      fields: [...events, ...changes, ...backgrounds, ...reconciles].flatMap(({ field }) =>
        field === undefined ? [] : [field]
      ),
    };
    this.#cache.set(resource, found);
    return found;
  }

  #ofType<Wanted extends Type>(...types: readonly Wanted[]): readonly OfType<Wanted>[] {
    return ofType(this.#handlers, types);
  }

  /** Whether the same function is there already. @throws {TypeError} If another one has the same id in the same activity. */
  #isRepeated({ activity, id, fn }: ActivityHandler): boolean {
    const same = this.activitiesOf(activity).find((other) => other.id === id);
    if (same === undefined || same.fn === fn) return same !== undefined;
    throw new TypeError(
      `Cannot register two handlers of "${activity}" with the id "${id}": give one of them another id`,
    );
  }

  #rejectReserved({ id }: ObjectHandler): void {
    const reserved = this.#reserved();
    const taken = this.#keys(id).find((name) => reserved.includes(name));
    if (taken === undefined) return;
    throw new TypeError(
      `Cannot register a handler with the id "${id}": another note is stored under "${taken}"; give it another id`,
    );
  }

  #rejectCollision(added: WatchingHandler | AdmissionHandler): void {
    // No progress is kept under their ids.
    if (FOR_OTHERS.includes(added.type)) return;
    const kind = selectorKey(added.selector);
    // Handlers of other types keep no progress.
    const names = added.type === "change" ? this.#keys(added.id) : [];
    for (const other of this.#ofType(...rivalsOf(added.type))) {
      const { selector, id, fn, type } = other;
      if (selectorKey(selector) !== kind) continue;
      if (id === added.id && fn === added.fn && isSameSort(type, added.type)) continue;
      const title = formatSelector(added.selector);
      if (id === added.id) {
        throw new TypeError(
          `Cannot register two handlers with the id "${id}" for "${title}": give one of them another id`,
        );
      }
      if (type === "change" && this.#keys(id).some((name) => names.includes(name))) {
        throw new TypeError(
          `Cannot register handlers "${id}" and "${added.id}" for "${title}": their progress would be stored under ` +
            `one name; give one of them another id`,
        );
      }
    }
  }
}

function isMatching({ selector }: ObjectHandler, resource: Resource): boolean {
  return matchesResource(selector, resource);
}

function ofType<Wanted extends Type>(
  handlers: readonly RegisteredHandler[],
  types: readonly Wanted[],
): readonly OfType<Wanted>[] {
  return handlers.filter((handler): handler is OfType<Wanted> => types.some((type) => type === handler.type));
}

function isWatching(handler: RegisteredHandler): handler is WatchingHandler {
  return handler.type !== "activity" && handler.type !== "admission" && handler.type !== "task";
}

/** Returns the types whose ids must differ: daemons and timers share one set of names, and so do handlers that are called in turns. */
function rivalsOf(type: WatchingHandler["type"] | "admission"): readonly (typeof type)[] {
  if (type === "daemon" || type === "timer") return ["daemon", "timer"];
  return isInTurns(type) ? IN_TURNS : [type];
}

const FOR_OTHERS: readonly Type[] = ["owns", "watches", "cache"];

const IN_TURNS = ["change", "reconcile", "child"] as const;

function isInTurns(type: Type): boolean {
  return IN_TURNS.some((each) => each === type);
}

/** NB: handlers that are called in turns share one set of ids, but a function of two of these types is two handlers. */
function isSameSort(a: Type, b: Type): boolean {
  return !isInTurns(a) || a === b;
}

/** Drops further declarations of one id: a function that is declared twice is called once. */
function firstOfEach<H extends ObjectHandler>(handlers: readonly H[]): readonly H[] {
  return handlers.filter(({ id }, number) => handlers.findIndex((other) => other.id === id) === number);
}
