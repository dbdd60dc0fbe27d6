/**
 * Keeps one stream open per kind and namespace that is to be watched, however many handlers there are.
 *
 * Streams look after themselves (`client/watch`); here they are only started and stopped when the set of kinds changes, and
 * their events are handed to the workers.
 */

import { exponentialBackoff } from "../async/backoff.ts";
import { type Passage, spellOf } from "../async/gate.ts";
import type { Task, TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import { ApiError, messageOf } from "../client/errors.ts";
import { ObjectStore } from "../client/cache/object_store.ts";
import { watchObjects } from "../client/watch/watcher.ts";
import type { WatchState } from "../client/watch/watch_types.ts";
import type { Check } from "../engines/probing.ts";
import type { KubeObject, WatchEvent } from "../model/object.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import type { Observer } from "../execution/observer.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { serverSelectorsFor } from "../settings/server_selectors.ts";
import type { WatchingSettings } from "../settings/settings.ts";
import type { SubmitOptions } from "./queueing.ts";
import { type Scope, Sharing } from "./cluster_watches.ts";

export interface OrchestrationOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: WatchingSettings;
  readonly tasks: TaskGroup;
  readonly scope: Scope;
  /** Takes an event in. */
  readonly submit: (resource: Resource, event: WatchEvent, options: SubmitOptions) => void;
  /** Called with each stream that is started, before it lists anything. */
  readonly onStarted?: (stream: string, resource: Resource) => void;
  /** Called with each stream that has listed its objects for the first time. */
  readonly onListed?: (stream: string) => void;
  /** Called with each stream that was stopped since its kind or namespace is served no more. */
  readonly onEnded?: (stream: string) => void;
  /** Called for each attempt at which the server does not know the kind. */
  readonly onUnknown?: (resource: Resource) => void;
  /** Called once, when all streams that there are have listed their objects. */
  readonly onSynced: () => void;
  readonly observer: Observer;
  /** Streams are open while it is. */
  readonly passage: Passage;
  /** Called with each stream that sees again what there is, after a pause. */
  readonly onSighted?: () => void;
}

/** How long a stream may fail before what is known of its objects counts as stale. */
const STALE_AFTER: Seconds = 15;

interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Whether one stream brings the objects of all namespaces that are served, out of those of the whole cluster. */
  readonly isShared: boolean;
}

interface FollowOptions extends Target {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly onListed: () => void;
}

interface Stream {
  readonly resource: Resource;
  /** The newest states of its objects. */
  readonly store: ObjectStore;
  task: Task | undefined;
  listed: boolean;
  state: WatchState | undefined;
  /** Since when no attempt has succeeded, in milliseconds since 1970; undefined while all is well. */
  failingSince: number | undefined;
  /** After how many failures the server's not knowing the kind was told. */
  doubted: number;
}

/** The streams of one operator. */
export class Orchestration {
  readonly #options: OrchestrationOptions;
  readonly #streams = new Map<string, Stream>();
  readonly #sharing: Sharing;
  #isRevising = false;
  #hasTold = false;
  /** Streams that were closed by a pause, and have not listed since. */
  readonly #blind = new Set<string>();

  constructor(options: OrchestrationOptions) {
    this.#options = options;
    this.#sharing = new Sharing(options);
  }

  /** How each stream is doing, by kind and namespace. */
  get states(): ReadonlyMap<string, WatchState | undefined> {
    return new Map([...this.#streams].map(([key, { state }]) => [key, state]));
  }

  /** Whether every stream has listed its objects at least once. */
  get isSynced(): boolean {
    return !this.#isRevising && [...this.#streams.values()].every(({ listed }) => listed);
  }

  /** Whether an object may be other than it is known, since its stream is or was closed by a pause. */
  isBlind(resource: Resource, namespace: string | undefined): boolean {
    if (!this.#options.passage.isOpen) return true;
    if (this.#blind.size === 0) return false;
    const kind = keyOf(resource);
    return ["*", "", namespace ?? ""].some((scope) => this.#blind.has(`${kind}|${scope}`));
  }

  /** Whether each stream sees what happens. Streams that break are opened again: only what lasts is a problem. */
  checks(): readonly Check[] {
    return [...this.#streams].map(([key, stream]) => ({
      name: `watch ${key.replace(/\|$/, "")}`,
      problem: this.#options.passage.isOpen ? this.#problemOf(stream) : undefined,
      note: this.#options.passage.isOpen ? undefined : "paused",
    }));
  }

  #problemOf({ listed, failingSince, state }: Stream): string | undefined {
    const failing = failingSince === undefined ? 0 : (this.#options.host.clock.now() - failingSince) / 1000;
    if (listed && failing < STALE_AFTER) return undefined;
    const error = failingSince === undefined ? undefined : state?.lastError;
    const reason = error === undefined ? "" : `: ${messageOf(error)}`;
    return listed ? `no stream for ${Math.round(failing)} s${reason}` : `not listed yet${reason}`;
  }

  /** Stops the streams of kinds that are not among these, and starts those that are missing. */
  async revise(resources: readonly Resource[]): Promise<void> {
    const wanted = new Map(resources.flatMap((resource) => this.#targetsOf(resource)));
    const unwanted = [...this.#streams].filter(([key, { resource }]) =>
      !isSame(wanted.get(key)?.resource, resource)
    );
    this.#isRevising = true;
    for (const [key] of unwanted) this.#streams.delete(key);
    await Promise.all(unwanted.map(([, { task }]) => task?.stop()));
    for (const [key] of unwanted) this.#sight(key);
    const heirs = new Map([...wanted.keys()].map((key) => [key, new ObjectStore()]));
    const orphans = unwanted.flatMap(([, stream]) => bequeath(stream, heirs));
    for (const [key, target] of wanted) {
      if (!this.#streams.has(key)) this.#start(key, target, heirs.get(key));
    }
    for (const [resource, object] of orphans) {
      // What nobody tells about any more counts as gone: else its daemons and retries would go on for ever.
      const moved = [...wanted.values()].some((target) => isOtherVersion(target.resource, resource));
      this.#submit(resource, { event: { type: "DELETED", object }, moved });
    }
    for (const [key, { resource }] of unwanted) if (!wanted.has(key)) this.#leave(key, resource);
    this.#isRevising = false;
    this.#tellSynced();
  }

  #targetsOf(resource: Resource): [string, Target][] {
    const isShared = this.#sharing.isShared(resource);
    const kind = keyOf(resource);
    if (isShared) return [[`${kind}|*`, { resource, namespace: undefined, isShared }]];
    const namespaces = resource.namespaced ? this.#options.scope.served ?? [undefined] : [undefined];
    return namespaces.map((namespace) => [`${kind}|${namespace ?? ""}`, { resource, namespace, isShared }]);
  }

  #leave(key: string, resource: Resource): void {
    const { logger, onEnded, observer } = this.#options;
    logger.debug("Watching no more", { stream: key });
    observer.streamEnded?.(resource, { key });
    onEnded?.(key);
  }

  #start(key: string, target: Target, store: ObjectStore = new ObjectStore()): void {
    this.#options.logger.debug("Watching", { kind: keyOf(target.resource), namespace: target.namespace });
    const stream: Stream = {
      resource: target.resource,
      store,
      task: undefined,
      listed: false,
      state: undefined,
      failingSince: undefined,
      doubted: 0,
    };
    this.#streams.set(key, stream);
    this.#options.onStarted?.(key, target.resource);
    stream.task = this.#options.tasks.start(
      `watch ${key}`,
      (signal) => this.#supervise(key, stream, { target, signal }),
    );
  }

  /** A watch ends only when it is told to; should it end otherwise, that is our fault, and it is started again. */
  async #supervise(
    key: string,
    stream: Stream,
    { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
  ): Promise<void> {
    const { host, logger, passage } = this.#options;
    const backoff = exponentialBackoff({ initial: 1, max: 60, jitter: 0.5, random: host.random });
    const onListed = (): void => this.#markListed(key, stream);
    for (let failures = 0; !signal.aborted && await passage.opened(signal); failures++) {
      using spell = spellOf(passage, signal);
      let error: unknown;
      try {
        await this.#follow(stream, { ...target, key, signal: spell.signal, onListed });
      } catch (caught) {
        error = caught;
      }
      if (signal.aborted) return;
      if (spell.signal.aborted) {
        this.#blind.add(key);
        stream.failingSince = undefined;
        continue;
      }
      stream.failingSince ??= host.clock.now();
      const pause = backoff(failures) ?? 60;
      logger.error("Watching has crashed, it is started again", {
        kind: keyOf(target.resource),
        pause,
        error,
      });
      await host.clock.sleep(pause, signal);
    }
  }

  async #follow(stream: Stream, options: FollowOptions): Promise<void> {
    const { observer, settings } = this.#options;
    const { store } = stream;
    const selectors = serverSelectorsFor(settings, options.resource);
    const onState = (state: WatchState): void => {
      stream.state = state;
      // NB: a watch that was started anew has not failed yet, but has not succeeded either.
      if (state.failures > 0) stream.failingSince ??= this.#options.host.clock.now();
      else if (state.phase === "watching") stream.failingSince = undefined;
      this.#doubt(stream, state);
      observer.streamed?.(options.resource, { key: options.key, state });
      if (options.isShared) this.#sharing.check(options.resource, state);
    };
    const shape = this.#options.client.shapeOf(options.resource);
    const accepts = options.isShared
      ? ({ metadata }: KubeObject): boolean => this.#options.scope.matches(metadata.namespace ?? "")
      : undefined;
    const retryForbidden = !options.isShared;
    const form = { store, shape, accepts, retryForbidden };
    const watch = { ...this.#options, ...selectors, ...options, ...form, onState };
    for await (const item of watchObjects(watch)) {
      if (item.type === "listed") options.onListed();
      else this.#submit(options.resource, item);
    }
  }

  /** Tells once for each attempt that the server does not know the kind. */
  #doubt(stream: Stream, { failures, lastError }: WatchState): void {
    if (failures === stream.doubted) return;
    stream.doubted = failures;
    const isUnknown = failures > 0 && lastError instanceof ApiError && lastError.status === 404;
    if (isUnknown) this.#options.onUnknown?.(stream.resource);
  }

  /** One object that cannot be taken in must not keep the others out. */
  #submit(
    resource: Resource,
    { event, restored, moved }: { readonly event: WatchEvent } & SubmitOptions,
  ): void {
    try {
      this.#options.submit(resource, event, { restored, moved });
    } catch (error) {
      const { name, namespace } = event.object.metadata ?? {};
      this.#options.logger.error("An event cannot be taken in: it is dropped", {
        ...{ kind: keyOf(resource), namespace, name, error },
      });
    }
  }

  #markListed(key: string, stream: Stream): void {
    this.#sight(key);
    if (stream.listed) return;
    stream.listed = true;
    this.#options.onListed?.(key);
    this.#tellSynced();
  }

  #tellSynced(): void {
    if (this.#hasTold || !this.isSynced) return;
    this.#hasTold = true;
    this.#options.onSynced();
  }

  #sight(key: string): void {
    if (this.#blind.delete(key)) this.#options.onSighted?.();
  }
}

function isOtherVersion(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.plural === b.plural && a.version !== b.version;
}

/** Whether a kind is served as it was. */
function isSame(now: Resource | undefined, before: Resource): boolean {
  const subresourcesOf = ({ subresources }: Resource): string => [...subresources].sort().join(" ");
  return now !== undefined && subresourcesOf(now) === subresourcesOf(before);
}

/** Hands the objects of a stream that has ended to those who tell about them from now on; gives the rest. */
function bequeath(
  { resource, store }: Stream,
  heirs: ReadonlyMap<string, ObjectStore>,
): [Resource, KubeObject][] {
  const kind = keyOf(resource);
  const orphans: [Resource, KubeObject][] = [];
  for (const cached of store.values()) {
    const { object } = cached;
    const keys = ["*", object.metadata.namespace ?? "", ""].map((scope) => heirs.get(`${kind}|${scope}`));
    const heir = keys.find((each) => each !== undefined);
    if (heir === undefined) orphans.push([resource, object]);
    else heir.take(cached);
  }
  return orphans;
}
