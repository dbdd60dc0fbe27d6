/**
 * Keeps one informer per resource and namespace that is to be watched, however many handlers there are.
 *
 * Informers look after themselves (client/cache); here they are only started and stopped when the set of resources changes,
 * and what they bring is handed on. What an ended one knew goes over to those that follow it.
 */

import type { Passage as ReadonlyGate } from "../async/gate.ts";
import type { Task, TaskGroup } from "../async/tasks.ts";
import { Informer } from "../client/cache/informer.ts";
import { type CachedObject, type ObjectEvent, ObjectStore } from "../client/cache/object_store.ts";
import type { Client } from "../client/client.ts";
import { type ApiError, messageOf } from "../client/errors.ts";
import { type Refusal, watchObjects, type WatchState } from "../client/watch/watcher.ts";
import type { Check } from "../engines/probing.ts";
import type { Observer } from "../execution/observer.ts";
import type { KubeObject } from "../model/object.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { serverSelectorsFor } from "../settings/server_selectors.ts";
import type { WatchingSettings } from "../settings/settings.ts";
import { ClusterWatches, type NamespaceScope } from "./cluster_watches.ts";

export interface InformersOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: WatchingSettings;
  readonly tasks: TaskGroup;
  readonly scope: NamespaceScope;
  /** Told of each event of an object, in order. */
  readonly notify: (resource: Resource, event: ObjectEvent) => void;
  /** Called with each informer that is started, by its key, before it lists anything. */
  readonly onStarted?: (key: string, resource: Resource) => void;
  /** Called with each informer that has listed its objects for the first time. */
  readonly onListed?: (key: string) => void;
  /** Called with each informer that was stopped since its resource or namespace is served no more. */
  readonly onEnded?: (key: string) => void;
  /** Called for each attempt at which the server does not know the resource. */
  readonly onUnknown?: (resource: Resource) => void;
  /** Called once, when all informers that there are have listed their objects. */
  readonly onSynced: () => void;
  readonly observer: Observer;
  /** Informers watch while it is open. */
  readonly gate: ReadonlyGate;
  /** Called with each informer that has listed its objects anew after a pause. */
  readonly onRelisted?: () => void;
}

/** How long a watch may fail before what is known of its objects counts as stale. */
const STALE_AFTER: Seconds = 15;

interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Whether one watch brings the objects of all namespaces that are served, out of those of the whole cluster. */
  readonly isShared: boolean;
}

/** How the watch of an informer is doing. */
class WatchHealth {
  /** Undefined before the first attempt. */
  state: WatchState | undefined;
  isListed = false;
  /** Since when no attempt has succeeded, on the monotonic clock; undefined while all is well. */
  failingSince: Seconds | undefined;

  /** What is wrong with it; undefined if nothing is. */
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
  #isRevising = false;
  #isSyncTold = false;
  /** Those that were closed by a pause, and have not listed since. */
  readonly #stale = new Set<string>();

  constructor(options: InformersOptions) {
    this.#options = options;
    this.#clusterWatches = new ClusterWatches(options);
  }

  /** How each watch is doing, by resource and namespace. */
  get states(): ReadonlyMap<string, WatchState | undefined> {
    return new Map([...this.#running].map(([key, { health }]) => [key, health.state]));
  }

  /** Whether every informer has listed its objects at least once. */
  get isSynced(): boolean {
    return !this.#isRevising && [...this.#running.values()].every(({ health }) => health.isListed);
  }

  /** Whether an object may be other than it is known, since its watch is or was closed by a pause. */
  isStale(resource: Resource, namespace: string | undefined): boolean {
    if (!this.#options.gate.isOpen) return true;
    if (this.#stale.size === 0) return false;
    return keysFor(resource, namespace).some((key) => this.#stale.has(key));
  }

  /** Returns what is known of an object; undefined if it is not watched. */
  find(resource: Resource, object: KubeObject): CachedObject | undefined {
    for (const key of keysFor(resource, object.metadata.namespace)) {
      const cached = this.#running.get(key)?.informer.store.get(object);
      if (cached !== undefined) return cached;
    }
  }

  /** Whether each informer sees what happens. Watches that break are opened again: only what lasts is a problem. */
  checks(): readonly Check[] {
    const { gate, host: { clock } } = this.#options;
    return [...this.#running].map(([key, { health }]) => ({
      name: `watch ${key.replace(/\|$/, "")}`,
      problem: gate.isOpen ? health.problemAt(clock.monotonic()) : undefined,
      note: gate.isOpen ? undefined : "paused",
    }));
  }

  /** Stops the informers of resources that are not among these, and starts those that are missing. */
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
    for (const key of wanted.keys()) if (!this.#running.has(key)) stores.set(key, new ObjectStore());
    const dropped = ended.map(([, { informer, target }]) => this.#transfer(informer, { target, stores }));
    for (const [key, store] of stores) this.#start(key, { target: wanted.get(key)!, store });
    for (const [number, [, { informer, target: { resource } }]] of ended.entries()) {
      // What nobody tells about any more counts as gone: else its daemons and retries would go on for ever.
      const isMoved = [...wanted.values()].some((target) => isOtherVersion(target.resource, resource));
      for (const cached of dropped[number]!) informer.forget(cached, isMoved ? "moved" : "missing");
    }
    for (const [key, { target }] of ended) if (!wanted.has(key)) this.#leave(key, target.resource);
    this.#isRevising = false;
    this.#tellSynced();
  }

  #targetsOf(resource: Resource): [string, Target][] {
    const isShared = this.#clusterWatches.isShared(resource);
    const kind = keyOf(resource);
    if (isShared) return [[`${kind}|*`, { resource, namespace: undefined, isShared }]];
    const namespaces = resource.namespaced ? this.#options.scope.served ?? [undefined] : [undefined];
    return namespaces.map((namespace) => [`${kind}|${namespace ?? ""}`, { resource, namespace, isShared }]);
  }

  /** Hands the objects of an informer that has ended to those that follow it; returns the rest. */
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
    const { logger, onEnded, observer } = this.#options;
    logger.debug("Watching no more", { stream: key });
    observer.streamEnded?.(resource, { key });
    onEnded?.(key);
  }

  #start(key: string, { target, store }: { readonly target: Target; readonly store: ObjectStore }): void {
    const { host, logger, gate, tasks, notify, onStarted } = this.#options;
    const { resource, namespace } = target;
    const about = { kind: keyOf(resource), namespace };
    logger.debug("Watching", about);
    const health = new WatchHealth();
    const informer = new Informer({
      store,
      host,
      logger,
      gate,
      about,
      watch: (store, signal) => this.#watch({ key, target, health, store, signal }),
      notify: (event) => notify(resource, event),
      onSynced: () => this.#listed(key, health),
      onPause: () => {
        this.#stale.add(key);
        health.failingSince = undefined;
      },
      onCrash: () => void (health.failingSince ??= host.clock.monotonic()),
    });
    onStarted?.(key, resource);
    const task = tasks.start(`watch ${key}`, (signal) => informer.run(signal));
    this.#running.set(key, { target, health, informer, task });
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
      shape: client.shapeOf(resource),
      accepts: isShared ? accepts : undefined,
      retryForbidden: !isShared,
      onState: (state) => {
        health.state = state;
        // NB: a watch that was started anew has not failed yet, but has not succeeded either.
        if (state.failures > 0) health.failingSince ??= host.clock.monotonic();
        else if (state.phase === "watching") health.failingSince = undefined;
        observer.streamed?.(resource, { key, state });
      },
      onRefused: (error, refusal) => this.#onRefused(target, { error, refusal }),
    });
  }

  #onRefused(
    { resource, isShared }: Target,
    { error, refusal }: { readonly error: ApiError; readonly refusal: Refusal },
  ): "retry" {
    if (error.status === 404) this.#options.onUnknown?.(resource);
    if (error.status === 403 && isShared) this.#clusterWatches.refused(resource, refusal);
    return "retry";
  }

  #listed(key: string, health: WatchHealth): void {
    this.#relisted(key);
    if (health.isListed) return;
    health.isListed = true;
    this.#options.onListed?.(key);
    this.#tellSynced();
  }

  #tellSynced(): void {
    if (this.#isSyncTold || !this.isSynced) return;
    this.#isSyncTold = true;
    this.#options.onSynced();
  }

  #relisted(key: string): void {
    if (this.#stale.delete(key)) this.#options.onRelisted?.();
  }
}

/** Under which keys an object's informer may be: one for many namespaces, one for its own, one for all. */
function keysFor(resource: Resource, namespace = ""): readonly string[] {
  const kind = keyOf(resource);
  return ["*", namespace, ""].map((scope) => `${kind}|${scope}`);
}

function isOtherVersion(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.plural === b.plural && a.version !== b.version;
}

/** Whether a resource is served as it was. */
function isSame(now: Resource | undefined, before: Resource): boolean {
  const subresourcesOf = ({ subresources }: Resource): string => [...subresources].sort().join(" ");
  return now !== undefined && subresourcesOf(now) === subresourcesOf(before);
}
