/**
 * Keeps one informer per resource and namespace that is to be watched, however many handlers there are.
 *
 * Informers look after themselves (client/cache); here they are only started and stopped when the set of resources changes,
 * and their events are handed on. The objects of an ended informer go over to the informers that follow it.
 */

import type { Slices } from "../async/slices.ts";
import type { Task, TaskGroup } from "../async/tasks.ts";
import type { Caches, KnownInformer } from "../client/cache/caches.ts";
import { Informer, intakeSlices } from "../client/cache/informer.ts";
import { type CachedObject, ObjectStore } from "../client/cache/object_store.ts";
import type { Client } from "../client/client.ts";
import { type ApiError, messageOf } from "../client/errors.ts";
import { type Refusal, watchObjects, type WatchState } from "../client/watch/watcher.ts";
import type { Controller } from "../controller/controller.ts";
import type { WorkQueue } from "../controller/work_queue.ts";
import type { Indexing } from "../handlers/index/indexing.ts";
import type { Check } from "../engines/probing.ts";
import type { Observer } from "../execution/observer.ts";
import type { KubeObject } from "../model/object.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { packingOf, serverSelectorsFor } from "../settings/server_selectors.ts";
import type { WatchingSettings } from "../settings/settings.ts";
import { ClusterWatches, type NamespaceScope } from "./cluster_watches.ts";
import type { CrdWatch } from "./crd_watch.ts";
import { type Gates, informerKey, keysFor } from "./gates.ts";

export interface InformersOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: WatchingSettings;
  readonly tasks: TaskGroup;
  readonly scope: NamespaceScope;
  /** Told of each event of an object, in order. */
  readonly controller: Pick<Controller, "notify">;
  /** Where the stores are looked up. */
  readonly caches: Caches;
  /** Closes informers, and is told which are stale. */
  readonly gates: Gates;
  /** Releases the held turns when an informer has listed anew after a pause. */
  readonly queue: Pick<WorkQueue, "release" | "isAtWork">;
  /** Is blocked until each informer of a resource with indexes has listed. */
  readonly indexing: Pick<Indexing, "concerns" | "block" | "release" | "goWithout" | "namesFor">;
  /** Whether handlers look up objects of a kind: turns wait until these are listed, unless the server refuses the listing. */
  readonly isLookedUp: (resource: Resource) => boolean;
  /** Told of resources that the server does not know. */
  readonly crds: Pick<CrdWatch, "doubt">;
  readonly observer: Observer;
  /** Called once, when all informers that there are have listed their objects. */
  readonly onSynced: () => void;
}

/** How long a watch may fail before its objects count as stale. */
const STALE_AFTER: Seconds = 15;

/** With more objects, collecting takes too long at once. */
const TOO_MANY = 30_000;

/** How often it is looked whether the work of the start is done. */
const CALM: Seconds = 1;

interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Whether one watch of the whole cluster brings the objects of all namespaces that are served. */
  readonly isShared: boolean;
}

/** How the watch of an informer is doing. */
class WatchHealth {
  /** Undefined before the first attempt. */
  state: WatchState | undefined;
  isListed = false;
  /** Since when no attempt has succeeded, on the monotonic clock; undefined while all is well. */
  failingSince: Seconds | undefined;

  /** Returns the fault in it; undefined if there is none. */
  problemAt(now: Seconds): string | undefined {
    const failing = this.failingSince === undefined ? 0 : now - this.failingSince;
    if (this.isListed && failing < STALE_AFTER) return undefined;
    const error = this.failingSince === undefined ? undefined : this.state?.lastError;
    const reason = error === undefined ? "" : `: ${messageOf(error)}`;
    return this.isListed ? `no stream for ${Math.round(failing)} s${reason}` : `not listed yet${reason}`;
  }
}

/** An informer under way. */
interface RunningInformer {
  readonly target: Target;
  readonly health: WatchHealth;
  readonly informer: Informer;
  readonly task: Task;
}

interface WatchContext {
  readonly key: string;
  readonly target: Target;
  readonly health: WatchHealth;
  readonly store: ObjectStore;
  readonly signal: AbortSignal;
}

/** The informers of one operator. */
export class Informers {
  readonly #options: InformersOptions;
  readonly #running = new Map<string, RunningInformer>();
  readonly #clusterWatches: ClusterWatches;
  readonly #slices: Slices;
  #isRevising = false;
  #isSyncTold = false;

  constructor(options: InformersOptions) {
    this.#options = options;
    this.#clusterWatches = new ClusterWatches(options);
    this.#slices = intakeSlices(options.host.clock);
  }

  /** The state of each watch that has made an attempt. The states are live. */
  get watches(): readonly { readonly resource: Resource; readonly state: WatchState }[] {
    return [...this.#running.values()].flatMap(({ target: { resource }, health: { state } }) =>
      state === undefined ? [] : [{ resource, state }]
    );
  }

  /** Returns the fault of the watch that shows a kind's objects of a namespace; undefined: there is none. */
  problemOf(resource: Resource, namespace: string | undefined): string | undefined {
    const { host: { clock } } = this.#options;
    const keys = keysFor(resource, namespace);
    const running = keys.map((key) => this.#running.get(key)).find((each) => each !== undefined);
    return running?.health.problemAt(clock.monotonic());
  }

  /** Whether every informer has listed its objects at least once. */
  get isSynced(): boolean {
    return !this.#isRevising && [...this.#running.values()].every(({ health }) => health.isListed);
  }

  /**
   * Whether each informer sees the changes of its objects. Broken watches are opened again: only a lasting failure is a
   * problem.
   */
  checks(): readonly Check[] {
    const { gates: { isPaused }, host: { clock } } = this.#options;
    return [...this.#running].map(([key, { health }]) => ({
      name: `watch ${key.replace(/\|$/, "")}`,
      problem: isPaused ? undefined : health.problemAt(clock.monotonic()),
      note: isPaused ? "paused" : undefined,
    }));
  }

  /** Stops the informers of resources that are not among these, and starts the missing informers. */
  async revise(resources: readonly Resource[]): Promise<void> {
    const wanted = new Map(resources.flatMap((resource) => this.#targetsOf(resource)));
    const ended = [...this.#running].filter(([key, { target }]) =>
      !isSame(wanted.get(key)?.resource, target.resource)
    );
    this.#isRevising = true;
    for (const [key] of ended) this.#running.delete(key);
    await Promise.all(ended.map(([, { task }]) => task.stop()));
    for (const [key] of ended) this.#relisted(key);
    const stores = new Map<string, ObjectStore>();
    for (const [key, { resource }] of wanted) {
      if (this.#running.has(key)) continue;
      stores.set(key, new ObjectStore(undefined, packingOf(this.#options.settings, resource)));
    }
    const dropped = ended.map(([, { informer, target }]) => this.#transfer(informer, { target, stores }));
    for (const [key, store] of stores) this.#start(key, { target: wanted.get(key)!, store });
    for (const [number, [, { informer, target: { resource } }]] of ended.entries()) {
      // An object that no informer covers any more counts as gone: else its daemons and retries would go on for ever.
      const isMoved = [...wanted.values()].some((target) => isOtherVersion(target.resource, resource));
      for (const cached of dropped[number]!) informer.forget(cached, isMoved ? "moved" : "missing");
    }
    for (const [key, { target, informer }] of ended) {
      this.#options.caches.remove(target.resource, scopeOf(target), informer.store);
      if (!wanted.has(key)) this.#leave(key, target.resource);
    }
    this.#isRevising = false;
    this.#tellSynced();
  }

  /** Lists the objects of a kind anew, whose schema has changed. */
  relist({ group, plural }: Pick<Resource, "group" | "plural">): void {
    for (const { target: { resource }, informer } of this.#running.values()) {
      if (resource.group === group && resource.plural === plural) informer.relist();
    }
  }

  #targetsOf(resource: Resource): [string, Target][] {
    const isShared = this.#clusterWatches.isShared(resource);
    const namespaces = resource.namespaced ? this.#options.scope.served ?? [undefined] : [undefined];
    const targets = (isShared ? [undefined] : namespaces).map((namespace) => ({
      resource,
      namespace,
      isShared,
    }));
    return targets.map((target) => [informerKey(resource, scopeOf(target)), target]);
  }

  /** Hands the objects of an informer that has ended to the informers that follow it; returns the rest. */
  #transfer(
    { store }: Informer,
    { target: { resource }, stores }: {
      readonly target: Target;
      readonly stores: ReadonlyMap<string, ObjectStore>;
    },
  ): readonly CachedObject[] {
    const dropped: CachedObject[] = [];
    for (const cached of store.values()) {
      const keys = keysFor(resource, cached.object.metadata.namespace);
      const key = keys.find((each) => stores.has(each));
      if (key !== undefined) stores.get(key)?.take(cached);
      else if (!keys.some((each) => this.#running.has(each))) dropped.push(cached);
    }
    return dropped;
  }

  #leave(key: string, resource: Resource): void {
    const { logger, indexing, observer } = this.#options;
    logger.debug("Watching no more", { stream: key });
    observer.watchEnded?.(resource, { key });
    indexing.release(key);
  }

  #start(key: string, { target, store }: { readonly target: Target; readonly store: ObjectStore }): void {
    const { host, logger, gates, tasks, controller, indexing, isLookedUp } = this.#options;
    const { resource, namespace } = target;
    const about = { kind: keyOf(resource), namespace };
    logger.debug("Watching", about);
    const health = new WatchHealth();
    const informer = new Informer({
      store,
      host,
      logger,
      gate: gates.peering,
      slices: this.#slices,
      about,
      watch: (store, signal) => this.#watch({ key, target, health, store, signal }),
      notify: (event) => controller.notify(resource, event),
      onSynced: () => this.#listed(key, health),
      onPause: () => {
        gates.markStale(key);
        health.failingSince = undefined;
      },
      onCrash: () => void (health.failingSince ??= host.clock.monotonic()),
    });
    if (indexing.concerns(resource) || isLookedUp(resource)) indexing.block(key);
    const task = tasks.start(`watch ${key}`, (signal) => informer.run(signal));
    this.#running.set(key, { target, health, informer, task });
    this.#options.caches.add(resource, scopeOf(target), this.#known(target, informer));
  }

  #known({ resource, isShared }: Target, informer: Informer): KnownInformer {
    const { settings, scope } = this.#options;
    const selectors = Object.values(serverSelectorsFor(settings, resource));
    const isWhole = selectors.every((selector) => selector === undefined);
    return {
      store: informer.store,
      get phase() {
        return informer.phase;
      },
      accepts: ({ metadata: { namespace = "" } }) => isWhole && (!isShared || scope.matches(namespace)),
    };
  }

  #watch({ key, target, health, store, signal }: WatchContext): ReturnType<typeof watchObjects> {
    const { client, host, logger, settings, scope, observer } = this.#options;
    const { resource, namespace, isShared } = target;
    const accepts = ({ metadata }: KubeObject): boolean => scope.matches(metadata.namespace ?? "");
    return watchObjects({
      client,
      host,
      logger,
      settings,
      signal,
      store,
      resource,
      namespace,
      ...serverSelectorsFor(settings, resource),
      projection: client.projectionOf(resource),
      accepts: isShared ? accepts : undefined,
      onState: (state) => {
        health.state = state;
        // A watch that was started anew has not failed yet, but has not succeeded either.
        if (state.failures > 0) health.failingSince ??= host.clock.monotonic();
        else if (state.phase === "watching") health.failingSince = undefined;
        // A copy, since observers may keep it.
        observer.watchChanged?.(resource, { key, state: { ...state } });
      },
      onRefused: (error, refusal) => this.#onRefused(target, { error, refusal }),
    });
  }

  #onRefused(
    target: Target,
    { error, refusal }: { readonly error: ApiError; readonly refusal: Refusal },
  ): "retry" {
    const { resource, isShared } = target;
    if (!refusal.listed) this.#goWithout(target, error);
    if (error.status === 404) this.#options.crds.doubt(resource);
    if (error.status === 403 && isShared) this.#clusterWatches.refused(resource, refusal);
    return "retry";
  }

  /** Handlers must not wait for a resource that cannot be listed. Handlers that look objects up can ask whether all are known. */
  #goWithout(target: Target, error: ApiError): void {
    const { resource, namespace, isShared } = target;
    const { indexing, logger } = this.#options;
    const key = informerKey(resource, scopeOf(target));
    if (!indexing.concerns(resource)) return indexing.release(key);
    // NB: of a shared watch each namespace gets one of its own next, which may be allowed. Credentials come back by themselves.
    if (error.status === 401 || (error.status === 403 && isShared)) return;
    if (!indexing.goWithout(key, { resource, namespace })) return;
    logger.warn("Indexes are incomplete: handlers run without what cannot be listed, which is tried again", {
      indexes: indexing.namesFor(resource),
      kind: keyOf(resource),
      namespace,
      error,
    });
  }

  #listed(key: string, health: WatchHealth): void {
    this.#relisted(key);
    if (health.isListed) return;
    health.isListed = true;
    this.#options.indexing.release(key);
    this.#tellSynced();
  }

  #tellSynced(): void {
    if (this.#isSyncTold || !this.isSynced) return;
    this.#isSyncTold = true;
    this.#options.onSynced();
    const count = [...this.#running.values()].reduce((sum, { informer }) => sum + informer.store.size, 0);
    if (count > TOO_MANY) return;
    this.#options.tasks.start("release memory", (signal) => this.#releaseMemory(signal));
  }

  /** A start leaves more garbage than objects, which the runtime would keep: given back when the first work is done. */
  async #releaseMemory(signal: AbortSignal): Promise<void> {
    const { host: { clock, process }, queue } = this.#options;
    while (await clock.sleep(CALM, signal)) if (!queue.isAtWork) return process.releaseMemory();
  }

  #relisted(key: string): void {
    const { gates, queue } = this.#options;
    if (gates.markCurrent(key)) queue.release();
  }
}

function scopeOf({ namespace = "", isShared }: Target): string {
  return isShared ? "*" : namespace;
}

function isOtherVersion(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.plural === b.plural && a.version !== b.version;
}

/** Whether a resource is served as it was: a definition that is made anew may have another kind, scope or subresources. */
function isSame(now: Resource | undefined, before: Resource): boolean {
  const subresourcesOf = ({ subresources }: Resource): string => [...subresources].sort().join(" ");
  return now !== undefined && now.kind === before.kind && now.namespaced === before.namespaced &&
    subresourcesOf(now) === subresourcesOf(before);
}
