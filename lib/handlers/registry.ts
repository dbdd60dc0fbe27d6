/**
 * Holds the declared handlers, and picks the handlers of a type or a kind. It names no manner of handlers: what it must know of
 * one is in the manner's `HandlerType`.
 *
 * The order is the order of registration. Two different functions must not share an id on one kind: their progress would be
 * one. The same function under one id for several causes is one handler, called once (as `create` and `resume` often are).
 */

import type { Handler } from "../execution/handler.ts";
import type { FieldPath } from "../model/fields.ts";
import type { Resource } from "../model/resource.ts";
import {
  EVERYTHING,
  formatSelector,
  matches as matchesResource,
  type Selector,
  selectorKey,
} from "../model/selector.ts";
import { type Exchange, exchangeOf } from "./exchange.ts";
import type { HandlerType, Registered } from "./handler_type.ts";
import type { ObjectHandler } from "./handlers.ts";

/** A handler of objects, with its type. */
interface RegisteredOfObjects extends Registered {
  readonly handler: ObjectHandler;
}

/** The handlers of one kind. */
export class HandlersOfKind {
  readonly #lists = new Map<HandlerType<never>, ObjectHandler[]>();
  /** Whether the kind's objects have turns of their own: it is not only watched for other kinds. */
  readonly hasTurns: boolean;
  /** Whether handlers of other kinds look its objects up. */
  readonly isLookedUp: boolean;
  /** The fields that belong to the essence of the kind's objects because a handler names them; indexes have no part in it. */
  readonly fields: readonly FieldPath[];
  /** The ids under which handlers of the kind's objects are called. */
  readonly ids: ReadonlySet<string>;

  constructor(handlers: readonly RegisteredOfObjects[]) {
    for (const { type, handler } of handlers) {
      const list = this.#lists.get(type);
      if (list === undefined) this.#lists.set(type, [handler]);
      else if (type.isFirstOnly !== true || !list.some(({ id }) => id === handler.id)) list.push(handler);
    }
    this.isLookedUp = handlers.some(({ type }) => type.about === "related");
    this.ids = new Set(handlers.flatMap(({ type, handler: { id } }) => type.about === "related" ? [] : [id]));
    this.hasTurns = handlers.some(({ type }) => type.about === "objects");
    this.fields = handlers.flatMap(({ type, handler: { field } }) =>
      field === undefined || type.isOutsideEssence === true ? [] : [field]
    );
  }

  /** Returns the handlers of a type, in order. */
  of<H extends ObjectHandler>(type: HandlerType<H>): readonly H[] {
    // Handlers are added with their own type.
    return (this.#lists.get(type) ?? NONE) as readonly H[];
  }
}

const NONE: readonly never[] = [];

/** All handlers of one operator, in one list. */
export class Registry {
  readonly #handlers: Registered[] = [];
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
   * Adds a handler of a type.
   *
   * @throws {TypeError} If another function has the same id, or one stored under the same name, among the handlers of
   * that type on the same kind; or if no progress can be stored under the id.
   */
  add<H extends Handler>(type: HandlerType<H>, handler: H): void {
    if (type.isAmong?.(this.all(type), handler) === true) return;
    if (type.isStored === true) this.#rejectReserved(handler);
    const added = { type, handler };
    // No progress is kept under the ids of declarations for others.
    if (isOfObjects(added) && type.about !== "related") this.#rejectCollision(added);
    this.#handlers.push(added);
    this.#cache = new WeakMap();
  }

  /**
   * Returns a copy, which later changes of the original do not reach.
   *
   * @param change Returns the handler that the copy has in the place of another; undefined: none. Default: it has the same ones.
   */
  copy(change: (registered: Registered) => Registered | undefined = (same) => same): Registry {
    const copy = new Registry(this.#keys, this.#reserved);
    copy.#handlers.push(...this.#handlers.flatMap((each) => change(each) ?? []));
    return copy;
  }

  /** Takes the handlers of another one in place of its own, and returns the changes; undefined: the exchange takes a new run. */
  exchange(next: Registry): Exchange | undefined {
    const exchange = exchangeOf(this.#handlers, next.#handlers);
    if (exchange === undefined) return undefined;
    this.#handlers.splice(0, Infinity, ...exchange.handlers);
    // Which handlers are served is found out anew. Until then none is left out.
    this.serveOnly(isMatching);
    return exchange;
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

  /** Returns all handlers of a type, in order. */
  all<H extends Handler>(type: HandlerType<H>): readonly H[] {
    // Handlers are added with their own type.
    return this.#handlers.filter((each) => each.type === type).map(({ handler }) => handler as H);
  }

  /** All handlers of kinds with their types: first the ones whose kinds are watched on their account. */
  get ofObjects(): readonly RegisteredOfObjects[] {
    const all = this.#handlers.filter(isOfObjects);
    return [...all.filter(isWatching), ...all.filter((each) => !isWatching(each))];
  }

  /** All handlers whose kinds are watched on their account. */
  get objectHandlers(): readonly ObjectHandler[] {
    return this.ofObjects.filter(isWatching).map(({ handler }) => handler);
  }

  /** The handlers that have notes or a finalizer written onto objects, so that kinds must be patchable. */
  get statefulHandlers(): readonly ObjectHandler[] {
    // Handlers are added with their own type.
    const isStateful = ({ type, handler }: Registered): boolean =>
      type.keepsNotes?.(handler as never) === true;
    return this.ofObjects.filter(isStateful).map(({ handler }) => handler);
  }

  /** Whether handlers are called for more than one kind. */
  get servesSeveral(): boolean {
    const called = this.ofObjects.filter(({ type }) => type.about === "objects");
    const selectors = called.map(({ handler }) => handler.selector);
    const areOpen = ({ category, anyName, predicate }: Selector): boolean =>
      category !== undefined || predicate !== undefined || anyName === EVERYTHING;
    return selectors.some(areOpen) || new Set(selectors.map(formatSelector)).size > 1;
  }

  /** Returns the handlers of a kind. They are looked up once, until a handler is added, or other kinds are served. */
  of(resource: Resource): HandlersOfKind {
    // Called many times for each object: `#find()` is separate, so that engines inline this method alone.
    return this.#cache.get(resource) ?? this.#find(resource);
  }

  #find(resource: Resource): HandlersOfKind {
    const ours = this.ofObjects.filter((each) => isWatching(each) && this.#isServed(each.handler, resource));
    const found = new HandlersOfKind(ours);
    this.#cache.set(resource, found);
    return found;
  }

  #rejectReserved({ id }: Handler): void {
    const reserved = this.#reserved();
    const taken = this.#keys(id).find((name) => reserved.includes(name));
    if (taken === undefined) return;
    throw new TypeError(
      `Cannot register a handler with the id "${id}": another note is stored under "${taken}"; give it another id`,
    );
  }

  #rejectCollision({ type, handler: added }: RegisteredOfObjects): void {
    const kind = selectorKey(added.selector);
    const names = type.isStored === true ? this.#keys(added.id) : [];
    for (const other of this.#handlers) {
      if (!isOfObjects(other) || idsOf(other.type) !== idsOf(type)) continue;
      const { selector, id, fn } = other.handler;
      if (selectorKey(selector) !== kind) continue;
      if (id === added.id && fn === added.fn && other.type === type) continue;
      const title = formatSelector(added.selector);
      if (id === added.id) {
        throw new TypeError(
          `Cannot register two handlers with the id "${id}" for "${title}": give one of them another id`,
        );
      }
      if (other.type.isStored === true && this.#keys(id).some((name) => names.includes(name))) {
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

function isOfObjects(registered: Registered): registered is RegisteredOfObjects {
  return registered.type.about !== "operator";
}

function isWatching({ type }: Registered): boolean {
  return type.about === "objects" || type.about === "related";
}

/** Returns the set of ids that handlers of a type share. */
function idsOf(type: HandlerType<never>): unknown {
  return type.ids ?? type;
}
