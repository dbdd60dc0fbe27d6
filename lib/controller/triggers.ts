/**
 * Tells objects of changes of other objects: owners of changes of their children (`op.owns`, `op.on.child`), and targets that
 * mappers name (`op.watches`); and wakes objects for `op.trigger()`.
 *
 * Informers tell it of changes, before the controller. Reasons are kept with the object until a reconcile takes them, also
 * while the object has to wait; one that was never reconciled needs none, as its first reconcile is still to come. An answer to
 * a write of a handler wakes the handler's own object only if other fields have changed by then, too: by defaults, by webhooks,
 * by other clients. Compare controller-runtime's `Owns`, `Watches` and event handlers.
 */

import type { Answer, Caches, Write } from "../client/cache/caches.ts";
import type { CachedObject, ObjectEvent, StoredObject } from "../client/cache/object_store.ts";
import { BY_OWNER } from "../client/cache/store_index.ts";
import { messageOf } from "../client/errors.ts";
import { type ChildEvent, CHILDREN } from "../handlers/child/child_events.ts";
import type { ObjectState } from "../execution/object_state.ts";
import { type ReconcileReason, RECONCILES } from "../handlers/reconcile/reconcile_record.ts";
import { deepFreeze, isObject } from "../model/json.ts";
import type { KubeObject, OwnerReference } from "../model/object.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import { matches } from "../model/selector.ts";
import type { HandlersOfKind, Registry } from "../handlers/registry.ts";
import type { ChildHandler } from "../handlers/child/child_handler.ts";
import { SOURCE, type SourceHandler } from "../handlers/reconcile/source_handler.ts";
import { RECONCILE } from "../handlers/reconcile/reconcile_handler.ts";
import { readTarget, titleOf, type TriggerTarget } from "../handlers/reconcile/targets.ts";
import type { Clock } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { OwnWrites } from "./own_writes.ts";
import { differsFromSent } from "./sent.ts";
import type { WorkQueue } from "./work_queue.ts";

/** How many things are said once each. */
const MOST_REPORTED = 1000;

export interface TriggersOptions {
  readonly registry: Registry;
  /** Where objects are looked up. */
  readonly caches: Caches;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queue: Pick<WorkQueue, "add">;
  /** Returns the state of an object, if it is there. */
  readonly stateOf: (cached: CachedObject) => ObjectState | undefined;
  /** Whether another replica is responsible for an object. Default: none is. */
  readonly isElsewhere?: (object: KubeObject) => boolean;
}

/** Wakes objects because of others. */
export class Triggers {
  readonly #options: TriggersOptions;
  readonly #reported = new Set<string>();
  /** The latest declarations for each kind: a kind that is served no more has none, but its deletions are still told. */
  readonly #sources = new Map<string, readonly SourceHandler[]>();
  /** The lists that were put into `#sources`: so the key of the kind is computed once per list, and not for each change. */
  readonly #kept = new WeakSet<readonly SourceHandler[]>();
  readonly #ownWrites = new OwnWrites();

  constructor(options: TriggersOptions) {
    this.#options = options;
  }

  /** Subscribes to informers. `served`: the declarations that the kind's changes concern now. */
  notify(resource: Resource, told: ObjectEvent, { isLookedUp }: HandlersOfKind): void {
    if (!isLookedUp && this.#sources.size === 0) return;
    const { cached, event, adoption, before, origin } = told;
    const isDeleted = event.type === "DELETED";
    const isKnown = adoption === "same" || adoption === "older";
    if (!isDeleted && isKnown && origin === "server") return;
    const type = isDeleted ? "DELETED" : before === undefined ? event.type : "MODIFIED";
    this.#tell(resource, {
      type,
      object: isDeleted ? cached.object : newestOf(cached, event),
      old: before?.object,
    });
  }

  /** Takes the answer to a write, whoever has written. */
  answered(resource: Resource, { cached, adoption, before }: StoredObject, written: Answer): void {
    const { object: answer } = cached;
    const { sent, author } = written;
    this.#ownWrites.answered(answer, written);
    if (adoption !== "newer") return;
    const isOwn = (owner: ObjectState): boolean =>
      owner.body.metadata.uid === author && !differsFromSent({ before: before?.object, sent, answer });
    this.#tell(
      resource,
      { type: before === undefined ? "ADDED" : "MODIFIED", object: answer, old: before?.object },
      isOwn,
    );
  }

  /**
   * A handler begins to write an object. Returns a handle whose disposal says that the write has ended; undefined where owners
   * are not told of such objects.
   */
  writing(resource: Resource, write: Write): Disposable | undefined {
    const concernsOwners = this.#sourcesOf(resource).some(({ owner }) => owner !== undefined);
    return concernsOwners ? this.#ownWrites.begin(resource, write) : undefined;
  }

  /** Takes a newer state that no watch has brought: from the object's own writes, and from reads. */
  adopted(resource: Resource, { cached, before }: Pick<StoredObject, "cached" | "before">): void {
    this.#tell(resource, { type: "MODIFIED", object: cached.object, old: before?.object });
  }

  /** An object has come: handlers of its children are told of the children that are there. */
  introduce(state: ObjectState, handlers: readonly ChildHandler[]): void {
    const { registry, caches, clock } = this.#options;
    const { uid } = state.body.metadata;
    if (uid === undefined) return;
    for (const resource of caches.resources) {
      for (const source of registry.of(resource).of(SOURCE)) {
        const handler = handlers.find(({ id }) => id === source.child);
        if (handler === undefined) continue;
        for (const { object } of caches.by(resource, BY_OWNER, uid)) {
          const event = { type: null, object, old: undefined };
          if (!this.#matters(source, event) || !this.#ownersOf(source, object).includes(state)) continue;
          state.slotOf(CHILDREN, handler.id).note(event, clock.monotonic());
        }
      }
    }
  }

  /**
   * Wakes the reconciles of an object. Returns whether there is such an object, with a handler that reconciles it.
   *
   * @throws {TypeError} If it is neither an object nor an address.
   */
  trigger(target: TriggerTarget, reason: ReconcileReason): boolean {
    const { selector, apiVersion, kind, address, uid } = readTarget(target);
    const { caches, stateOf } = this.#options;
    let isFound = false;
    for (const resource of caches.resources) {
      if (selector !== undefined && !matches(selector, resource)) continue;
      if (kind !== undefined && !isOfKind(resource, { apiVersion, kind })) continue;
      const cached = caches.find(resource, address);
      if (cached === undefined || (uid !== undefined && cached.object.metadata.uid !== uid)) continue;
      const state = stateOf(cached);
      if (state !== undefined && this.wake(state, reason)) isFound = true;
    }
    return isFound;
  }

  #isElsewhere(target: TriggerTarget): boolean {
    const { caches, isElsewhere } = this.#options;
    if (isElsewhere === undefined) return false;
    const { address } = readTarget(target);
    return caches.resources.some((resource) => {
      const cached = caches.find(resource, address);
      return cached !== undefined && isElsewhere(cached.object);
    });
  }

  /** Wakes the reconciles of an object that is known. Returns whether there are any. */
  wake(state: ObjectState, reason: ReconcileReason): boolean {
    const { registry, clock, queue } = this.#options;
    const handlers = registry.of(state.resource).of(RECONCILE);
    if (handlers.length === 0) return false;
    // A handler whose first call is still to come needs no reason; but a trigger's reason is kept, so that the call names it.
    const isNamed = reason.kind === "trigger";
    const records = handlers.map(({ id }) => state.slotOf(RECONCILES, id)).filter(({ wasCalled }) =>
      wasCalled || isNamed
    );
    for (const record of records) record.wake(reason, clock.monotonic());
    if (records.length > 0) queue.add(state, "dependency");
    return true;
  }

  /** Tells all objects that a change concerns. `isOwn`: whether the change is an owner's own write alone. */
  #tell(resource: Resource, event: ChildEvent, isOwn?: (owner: ObjectState) => boolean): void {
    for (const source of this.#sourcesOf(resource)) {
      if (!this.#matters(source, event)) continue;
      if (source.type === "watches") {
        this.#wakeMapped(source, event);
        continue;
      }
      const owners = this.#ownersOf(source, event.object);
      const before = event.old === undefined ? [] : this.#ownersOf(source, event.old);
      for (const owner of before) if (!owners.includes(owner)) owners.push(owner);
      for (const owner of owners) {
        if (isOwn?.(owner) === true) continue;
        const tell = (): void => this.#tellOwner(owner, source, event);
        const { uid = "" } = owner.body.metadata;
        // An answer is not held up: the changes that are held up wait for it.
        if (isOwn !== undefined || !this.#ownWrites.hold({ resource, owner: uid, event, tell })) tell();
      }
    }
  }

  #sourcesOf(resource: Resource): readonly SourceHandler[] {
    const sources = this.#options.registry.of(resource).of(SOURCE);
    if (sources.length === 0) return this.#sources.get(keyOf(resource)) ?? sources;
    if (!this.#kept.has(sources)) this.#sources.set(keyOf(resource), sources);
    this.#kept.add(sources);
    return sources;
  }

  #tellOwner(owner: ObjectState, { child }: SourceHandler, event: ChildEvent): void {
    const { clock, queue } = this.#options;
    if (child === undefined) {
      return void this.wake(owner, { kind: "owned", object: deepFreeze(event.object) });
    }
    owner.slotOf(CHILDREN, child).note(event, clock.monotonic());
    queue.add(owner, "dependency");
  }

  #matters({ predicate, id }: SourceHandler, event: ChildEvent): boolean {
    if (predicate === undefined) return true;
    try {
      // The types of the declaration have made sure that it takes this.
      return Boolean(predicate(deepFreeze(event) as never));
    } catch (error) {
      this.#reportOnce(
        `predicate ${id}`,
        () =>
          this.#options.logger.error("Predicate failed: the change counts as one that matters", {
            handler: id,
            error,
          }),
      );
      return true;
    }
  }

  #wakeMapped(source: SourceHandler, { object, old }: ChildEvent): void {
    for (const state of old === undefined ? [object] : [old, object]) {
      for (const target of this.#map(source, state)) this.#wakeTarget(source, target, object);
    }
  }

  #map({ fn, id }: SourceHandler, object: KubeObject): readonly unknown[] {
    try {
      const named: unknown = fn(deepFreeze(object) as never); // as the types of `op.watches` say
      if (named instanceof Promise) {
        named.catch(() => {});
        throw new TypeError("A mapper must name objects at once: it has returned a promise");
      }
      if (named === undefined || named === null) return [];
      const isMany = typeof named === "object" && Symbol.iterator in named;
      return isMany ? [...named as Iterable<unknown>] : [named];
    } catch (error) {
      const { kind, metadata: { namespace, name } } = object;
      const report = (level: "error" | "debug"): void =>
        this.#options.logger[level]("Mapper failed: nobody is woken by this change", {
          handler: id,
          kind,
          namespace,
          name,
          error,
        });
      // A mistake in a mapper shows with each object, and there may be ten thousand of them at a start.
      if (!this.#reportOnce(`mapper ${id} ${messageOf(error)}`, () => report("error"))) report("debug");
      return [];
    }
  }

  #wakeTarget({ id }: SourceHandler, target: unknown, object: KubeObject): void {
    const { logger } = this.#options;
    try {
      // Checked by `readTarget()`.
      const named = target as TriggerTarget;
      if (this.trigger(named, { kind: "watched", object: deepFreeze(object) })) return;
      // The replica that is responsible for the target sees the same change.
      if (this.#isElsewhere(named)) return;
      const title = titleOf(readTarget(target));
      this.#reportOnce(
        `target ${id} ${title}`,
        () =>
          logger.warn("A mapper names what is not there, or is not reconciled: nobody is woken", {
            handler: id,
            object: title,
          }),
      );
    } catch (error) {
      this.#reportOnce(
        `target ${id}`,
        () => logger.error("Mapper failed: it names no object", { handler: id, error }),
      );
    }
  }

  /** Returns the owners of an object that a declaration is about, as far as they are there. */
  #ownersOf({ owner, isController, id }: SourceHandler, { metadata }: KubeObject): ObjectState[] {
    const references: unknown = metadata?.ownerReferences;
    if (owner === undefined || !Array.isArray(references)) return [];
    const { caches, stateOf } = this.#options;
    const found: ObjectState[] = [];
    for (const reference of references) {
      if (!isReference(reference)) continue;
      if (isController && reference.controller !== true) continue;
      for (const resource of caches.resources) {
        if (!isOfKind(resource, reference) || !matches(owner, resource)) continue;
        const { name, uid } = reference;
        const namespace = resource.namespaced ? metadata.namespace : undefined;
        const cached = caches.get(resource, { metadata: { name, uid, namespace } });
        const isForeign = cached === undefined
          ? resource.namespaced && caches.has(resource, uid)
          : resource.namespaced && cached.object.metadata.namespace !== metadata.namespace;
        if (isForeign) this.#reportForeign(id, metadata);
        if (isForeign || cached === undefined) continue;
        const state = stateOf(cached);
        if (state !== undefined && !found.includes(state)) found.push(state);
      }
    }
    return found;
  }

  #reportForeign(id: string, { namespace, name }: KubeObject["metadata"]): void {
    this.#reportOnce(`foreign ${id} ${namespace}/${name}`, () =>
      this.#options.logger.warn(
        "An owner reference reaches into another namespace: it counts for nothing, and Kubernetes deletes such objects",
        { handler: id, namespace, name },
      ));
  }

  /** Returns whether it was reported now. */
  #reportOnce(what: string, report: () => void): boolean {
    if (this.#reported.has(what) || this.#reported.size >= MOST_REPORTED) return false;
    this.#reported.add(what);
    report();
    return true;
  }
}

/** Where versions have no order, the cache may keep the newer object aside: then the event's object is told as it came. */
function newestOf(cached: CachedObject, { object }: ObjectEvent["event"]): KubeObject {
  return cached.waitsUntil === undefined ? cached.object : object;
}

function isReference(reference: unknown): reference is OwnerReference {
  return isObject(reference) && typeof reference.kind === "string" && typeof reference.uid === "string";
}

/** Versions do not count: the same object is served in several. */
function isOfKind(
  resource: Resource,
  { apiVersion = "", kind }: { readonly apiVersion?: string; readonly kind: string },
): boolean {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return resource.kind === kind && (apiVersion === "" || resource.group === group);
}
