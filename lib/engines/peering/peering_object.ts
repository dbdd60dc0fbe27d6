/**
 * One peering object, as one operator sees it: it writes that it is alive, reads which others are, and tells whether to pause.
 *
 * Whatever shows a newer state counts: events of the watch as well as the answers to our own writes, so that a broken watch
 * does not leave us as we were. No record of an operator that may still live is ever removed: a removal holds for the state only that it was
 * decided on. Source: scenarios B158–B185, C1–C32.
 */

import type { Gate } from "../../async/gate.ts";
import { TaskGroup } from "../../async/tasks.ts";
import { CachedObject, type ObjectEvent } from "../../client/cache/object_store.ts";
import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { watchOptional } from "../../client/watch/optional_watch.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import type { Host, Random, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { explicitSelectorsFor } from "../../settings/server_selectors.ts";
import type { Settings } from "../../settings/settings.ts";
import { expiryOf, type Peer, readPeers, writeRecord } from "./record.ts";

export interface PeeringScopeOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  /** Read anew each time, so that changes count. */
  readonly settings: Pick<Settings, "peering" | "watching">;
  /** Under which name we write. */
  readonly identity: string;
  readonly resource: Resource;
  /** Undefined for the cluster's. */
  readonly namespace: string | undefined;
  /** Open while no other operator is in our way. */
  readonly gate: Gate;
}

/** How long until a record is written again that could not be written. */
const RETRY: Seconds = 10;
/** How long the last write may take. */
const LEAVE_TIMEOUT: Seconds = 5;

/** Returns after how long a record is to be written again. Source: scenarios B158–B185. */
export function renewalPause(lifetime: Seconds, random: Pick<Random, "next">): Seconds {
  return Math.min(lifetime, Math.max(1, lifetime - 5 - 5 * random.next()));
}

/** How an operator leaves. */
export interface LeaveOptions {
  /** Whether no other replica goes on under the same record. Default: true. */
  readonly isLast?: boolean;
}

/** A peering object, and our record in it. */
export class PeeringScope {
  readonly #options: PeeringScopeOptions;
  readonly #tasks: TaskGroup;
  readonly #watching: TaskGroup;
  readonly #looked = Promise.withResolvers<void>();
  /** Aborts requests that are under way when we leave. */
  readonly #deadline = new AbortController();
  /** The object; undefined while there is none. */
  #cached: CachedObject | undefined;
  #blockers: readonly Peer[] = [];
  /** When the first record expires that could be in our way, on the monotonic clock. */
  #expiry: Seconds = Infinity;
  /** Until when each peer lives by its latest record, on the monotonic clock. */
  readonly #lives = new Map<string, { readonly lastSeen: number; readonly until: Seconds }>();
  /** When the record is to be written again, on the monotonic clock. */
  #due: Seconds = 0;
  /** Ends the nap of the task that keeps the record alive. */
  #alarm = new AbortController();
  #hasDecided = false;
  #isStopping = false;
  #isWritten = false;
  /** When the record was last written, on the monotonic clock. */
  #writtenAt: Seconds = 0;
  #isPurging = false;
  #hasComplained = false;

  constructor(options: PeeringScopeOptions) {
    this.#options = options;
    const onError = (error: unknown, task: string): void => {
      options.logger.error("Task failed", { task, error, ...this.#title });
    };
    this.#tasks = new TaskGroup({ onError });
    this.#watching = new TaskGroup({ onError });
  }

  /** Resolves when the object was looked at once, or cannot be. */
  get looked(): Promise<void> {
    return this.#looked.promise;
  }

  /** Whether there is such an object. */
  get isThere(): boolean {
    return this.#cached !== undefined;
  }

  /** The operators that make us pause. */
  get blockers(): readonly Peer[] {
    return this.#blockers;
  }

  /** How long ago our record has run out, since it could not be renewed; 0 if it holds. */
  get expiredFor(): Seconds {
    if (!this.#isWritten || this.#isStopping) return 0;
    const { host, settings } = this.#options;
    return Math.max(0, host.clock.monotonic() - this.#writtenAt - settings.peering.lifetime);
  }

  /** Begins to write, and to look. */
  start(): void {
    this.#watching.start("watch peering", (signal) => this.#watch(signal));
    this.#tasks.start("keep peering record", (signal) => this.#keep(signal));
  }

  /** Ends looking: whoever comes now is of no interest. The record is kept alive. */
  async stopWatching(): Promise<void> {
    this.#isStopping = true;
    await this.#watching.stop();
  }

  /** Ends everything, and removes the record. Never rejects. */
  async leave({ isLast = true }: LeaveOptions = {}): Promise<void> {
    const { clock } = this.#options.host;
    using _limit = clock.after(LEAVE_TIMEOUT, () => this.#deadline.abort(lateError()));
    await this.stopWatching();
    await this.#tasks.stop();
    if (!this.#isWritten || !isLast) return;
    try {
      await this.#write({ [this.#options.identity]: null });
    } catch (error) {
      if (isStatus(error, 404)) return;
      this.#options.logger.warn("Cannot remove the own peering record: it will expire", {
        ...this.#title,
        error,
      });
    }
  }

  get #object(): KubeObject | undefined {
    return this.#cached?.object;
  }

  get #title(): Readonly<Record<string, unknown>> {
    const { resource, namespace, settings } = this.#options;
    return { kind: resource.plural, ...namespace && { namespace }, name: settings.peering.name };
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, settings, resource, namespace, host, logger } = this.#options;
    const { name } = settings.peering;
    const selectors = explicitSelectorsFor(settings.watching, resource);
    const fieldSelector = [`metadata.name=${name}`, selectors.fieldSelector].filter(Boolean).join(",");
    await watchOptional({
      client,
      host,
      logger,
      settings: settings.watching,
      signal,
      resource,
      namespace,
      ...selectors,
      fieldSelector,
      about: this.#title,
      warning:
        "Cannot watch the peering object: other operators are not noticed (allow it, or be standalone)",
      onRefused: () => this.#looked.resolve(),
      notify: (event) => this.#take(event),
      onSynced: () => {
        if (this.#object === undefined) this.#decide();
      },
    });
  }

  #take({ event: { type, object }, origin }: ObjectEvent): void {
    // A server without field selectors for peering objects sends all of them.
    if (object.metadata.name !== this.#options.settings.peering.name) return;
    if (type === "DELETED") this.#vanish();
    else this.#see(object, origin === "restored");
  }

  #see(object: KubeObject, restored = false): void {
    const isNew = this.#cached === undefined;
    this.#cached ??= new CachedObject(object);
    if (restored) this.#cached.replace(object);
    // NB: answers to our writes count as reads, so that where versions have no order, whatever comes later is taken.
    else if (!isNew && this.#cached.adopt(object, { from: "read" }) !== "newer") return;
    // An operator that has just come does not know us yet.
    if (isNew && this.#hasDecided && !this.#isWritten) this.#wake();
    this.#decide();
  }

  #vanish(): void {
    this.#cached = undefined;
    this.#isWritten = false;
    this.#decide();
  }

  /** Finds the operators in our way. */
  #decide(): void {
    if (this.#isStopping) return;
    const { host, identity, settings } = this.#options;
    const now = host.clock.monotonic();
    const peers = this.#object === undefined ? [] : readPeers(this.#object, host.clock.now());
    this.#follow(peers);
    const expiryOf = ({ identity }: Peer): Seconds => this.#lives.get(identity)?.until ?? now;
    const dead = peers.filter((peer) => expiryOf(peer) <= now);
    if (dead.length > 0) this.#purge(dead);
    const others = peers.filter((peer) => expiryOf(peer) > now && peer.identity !== identity);
    const { priority } = settings.peering;
    const higher = others.filter((peer) => peer.priority > priority);
    const equal = others.filter((peer) => peer.priority === priority);
    this.#expiry = Math.min(...[...higher, ...equal].map(expiryOf));
    this.#alarm.abort();
    const isSharded = sizeOf(settings.watching.shardSelectors) > 0;
    if (higher.length === 0 && equal.length > 0 && !isSharded) this.#warn(equal);
    this.#obey(higher.length > 0 ? higher : isSharded ? [] : equal, { isHigher: higher.length > 0 });
    this.#looked.resolve();
  }

  /**
   * Works out until when each peer lives. Of a record that was there before we came, its time decides, as with Kopf. Whoever is
   * seen to write lives from then on, whatever the clock says, theirs or ours: one that was set must not stop a pause.
   */
  #follow(peers: readonly Peer[]): void {
    const { clock } = this.#options.host;
    const now = clock.monotonic();
    for (const peer of peers) {
      const { identity, lastSeen, lifetime } = peer;
      const known = this.#lives.get(identity);
      if (known?.lastSeen === lastSeen) continue;
      const rest = known === undefined ? Math.min(lifetime, (expiryOf(peer) - clock.now()) / 1000) : lifetime;
      this.#lives.set(identity, { lastSeen, until: now + rest });
    }
    const names = new Set(peers.map(({ identity }) => identity));
    for (const identity of this.#lives.keys()) if (!names.has(identity)) this.#lives.delete(identity);
  }

  #warn(equal: readonly Peer[]): void {
    this.#options.logger.warn(
      "Operators of the same priority meet: all of them pause until only one is left (give them different ones)",
      { ...this.#title, ...describe(equal) },
    );
  }

  #obey(blockers: readonly Peer[], { isHigher }: { readonly isHigher: boolean }): void {
    const { gate, logger, settings } = this.#options;
    const isFirst = !this.#hasDecided;
    this.#hasDecided = true;
    this.#blockers = blockers;
    const isFree = blockers.length === 0 && (this.isThere || !settings.peering.mandatory);
    if (isFree !== gate.isOpen || isFirst) {
      const title = { ...this.#title, ...describe(blockers) };
      if (isHigher) logger.info("Pausing for a peer of higher priority", title);
      else if (isFree && !gate.isOpen) {
        logger.info(isFirst ? "Nobody is in the way" : "Resuming: the peers in the way have gone", title);
      } else if (!isFree && !this.isThere) {
        logger.warn("Paused until the peering object exists (create it)", title);
      }
    }
    gate.set(isFree);
  }

  /** Removes records of operators that have gone, unless the object was written since. */
  #purge(dead: readonly Peer[]): void {
    const resourceVersion = this.#object?.metadata.resourceVersion;
    if (this.#isPurging) return;
    this.#isPurging = true;
    this.#tasks.own("purge peering records", async () => {
      try {
        const removed = Object.fromEntries(dead.map(({ identity }) => [identity, null]));
        const object = await this.#write(removed, resourceVersion);
        this.#isPurging = false;
        this.#see(object);
      } catch (error) {
        if (!isStatus(error, 404, 409)) this.#complain("Cannot remove peering records of dead peers", error);
      } finally {
        this.#isPurging = false;
      }
    });
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const { host, settings } = this.#options;
    const { clock, random } = host;
    while (!signal.aborted) {
      const { lifetime } = settings.peering;
      const isDone = await this.#renew();
      const pause = isDone ? renewalPause(lifetime, random) : Math.min(RETRY, renewalPause(lifetime, random));
      this.#due = clock.monotonic() + pause;
      await this.#nap(signal);
    }
  }

  /** Sleeps until the record is to be written again, or an operator in our way may have died. */
  async #nap(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.host;
    for (;;) {
      const rest = Math.min(this.#due, this.#expiry) - clock.monotonic();
      if (rest <= 0 || signal.aborted) return;
      this.#alarm = new AbortController();
      await clock.sleep(rest, AbortSignal.any([signal, this.#alarm.signal]));
    }
  }

  /** Writes the record again soon. */
  #wake(): void {
    this.#due = 0;
    this.#alarm.abort();
  }

  /** Writes that we are alive; tells whether it is known now whether there is an object. */
  async #renew(): Promise<boolean> {
    const { host, logger, settings, identity } = this.#options;
    const { priority, lifetime, stealth } = settings.peering;
    const before = this.#object;
    this.#expiry = Infinity;
    try {
      const object = await this.#write({
        [identity]: writeRecord({ priority, lifetime, now: host.clock.now() }),
      });
      this.#isWritten = true;
      this.#writtenAt = host.clock.monotonic();
      this.#hasComplained = false;
      if (!stealth) logger.debug("The own peering record is renewed", { ...this.#title, identity });
      this.#see(object);
      // Where the object was not changed, no newer state was seen.
      if (this.#expiry === Infinity) this.#decide();
      return true;
    } catch (error) {
      if (!isStatus(error, 404)) {
        this.#complain("Cannot renew the own peering record: others may take us for dead", error);
        return false;
      }
      logger.debug("There is no peering object: nobody is met", { ...this.#title, identity });
      if (this.#object === before) this.#vanish();
      return this.#object === undefined;
    }
  }

  async #write(records: JsonObject, resourceVersion?: string): Promise<KubeObject> {
    const { client, host, resource, namespace, settings } = this.#options;
    const { name, lifetime } = settings.peering;
    const controller = new AbortController();
    // A record that comes late is no longer true.
    using _limit = host.clock.after(Math.max(2, lifetime / 2), () => controller.abort(lateError()));
    const subresource = resource.subresources.includes("status") ? "status" : undefined;
    const body = { status: records, ...resourceVersion && { metadata: { resourceVersion } } };
    const signal = AbortSignal.any([controller.signal, this.#deadline.signal]);
    return await client.patch(resource, { namespace, name, subresource }, { type: "merge", body }, {
      signal,
      urgent: true,
    });
  }

  /** Says it once, until it works again. */
  #complain(message: string, error: unknown): void {
    this.#options.logger[this.#hasComplained ? "debug" : "warn"](message, { ...this.#title, error });
    this.#hasComplained = true;
  }
}

function lateError(): DOMException {
  return new DOMException("The peering record could not be written in time", "TimeoutError");
}

function describe(peers: readonly Peer[]): Readonly<Record<string, unknown>> {
  if (peers.length === 0) return {};
  return {
    peers: peers.map(({ identity }) => identity),
    priority: Math.max(...peers.map(({ priority }) => priority)),
  };
}

function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status);
}

function sizeOf(texts: object): number {
  return texts instanceof Map ? texts.size : Object.keys(texts).length;
}
