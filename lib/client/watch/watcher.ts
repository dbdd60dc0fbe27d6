/**
 * Watches the objects of one kind, for ever: what is there, then what happens, through everything that can break.
 *
 * A state machine of three states. Without a version, the whole set is fetched, as a streamed list where the server has
 * them, else in pages; what was known and is not in the set has gone, and is announced as deleted. With a version, a stream
 * is open from there; when it ends it is opened again from the last version, and only when the server says that the version
 * is too old (410) is the set fetched anew. Between attempts there is a pause, which grows while attempts fail.
 *
 * Source: design decision 3; behaviour-b §5.7, behaviour-c §2, §3; deviations D1–D3, C5, C7, C12.
 */

import type { KubeObject } from "../../model/object.ts";
import { keyOf, pathOf } from "../../model/resource.ts";
import type { Seconds } from "../../runtime/host.ts";
import { ApiError, isNamed } from "../errors.ts";
import { ObjectStore } from "../cache/object_store.ts";
import { listPages, toQuery } from "../list_pages.ts";
import { acceptOf } from "../projection.ts";
import { parseShards } from "./shards.ts";
import { DisorderError, StreamOrder } from "./stream_order.ts";
import type { RequestSubject } from "../transport/transport.ts";
import { readStreamEvent } from "./watch_stream.ts";
import { WatchHealth } from "./watch_status.ts";
import { openStream, type StreamEnd, type StreamOptions } from "./watch_stream.ts";
import type { WatchItem, WatchOptions } from "./watch_types.ts";

export type { WatchItem, WatchOptions, WatchPhase, WatchState } from "./watch_types.ts";

/** How long a streamed list may say nothing before pages are taken instead: the server may not know what was asked. */
const INITIAL_SILENCE: Seconds = 15;

/** After how many failures in a row a streamed list is given up for pages, this once. */
const STREAMED_ATTEMPTS = 3;

/** After how many streams in a row that break at the same version the set is fetched anew. */
const RESUME_ATTEMPTS = 3;

/** After how many streams in a row without a single byte the set is fetched anew: the server may not know the version. */
const MUTE_STREAMS = 2;

/** After how many lists in a row whose token expired before the last page a list is taken in one piece. */
const EXPIRED_LISTS = 2;

/**
 * Gives the objects of a kind as they are, then the mark "listed", and then everything that happens to them.
 *
 * Ends when the signal aborts, and never before; never throws. What is not pulled stays with the server.
 */
export async function* watchObjects(options: WatchOptions): AsyncGenerator<WatchItem, void, void> {
  const { signal } = options;
  using watch = new ObjectWatch(options);
  for await (const items of watch.run()) {
    for (const item of items) {
      if (signal.aborted) return;
      yield item;
    }
  }
}

/** A server that was asked for a streamed list and gives something else. */
class UnstreamedError extends Error {}

class ObjectWatch implements Disposable {
  readonly #options: WatchOptions;
  readonly #health: WatchHealth;
  readonly #store: ObjectStore;
  readonly #path: string;
  readonly #subject: RequestSubject;
  /** Where to go on from; undefined: the set is to be fetched. */
  #version: string | undefined;
  readonly #order: StreamOrder;
  /** How often in a row a stream has broken at this version in a way that may be the version's fault. */
  #broken = 0;
  /** How many streams in a row have brought nothing at all. */
  #mute = 0;
  /** How many lists in a row have lost their token. */
  #expired = 0;
  #pause: Seconds = 0;
  /** Whether the stream has brought an event. */
  #hasNews = false;
  /** Whether an object belongs to our shard; undefined if that cannot be told here. */
  readonly #isOurs: ((object: KubeObject) => boolean) | undefined;
  #hasComplained = false;

  constructor(options: WatchOptions) {
    const { resource, namespace, host, onState, store = new ObjectStore(), shardSelector } = options;
    this.#isOurs = shardSelector === undefined ? undefined : parseShards(shardSelector);
    this.#options = options;
    this.#health = new WatchHealth({ host, onState });
    this.#store = store;
    this.#order = new StreamOrder(store, host.clock);
    this.#path = pathOf(resource, { namespace });
    this.#subject = { verb: "watch", resource, namespace };
  }

  [Symbol.dispose](): void {
    this.#health[Symbol.dispose]();
  }

  async *run(): AsyncGenerator<WatchItem[], void, void> {
    const { signal, host } = this.#options;
    while (!signal.aborted) {
      this.#pause = 0;
      const isStreamed = this.#version === undefined && this.#isStreamed();
      try {
        if (this.#version !== undefined || isStreamed) yield* this.#follow({ initial: isStreamed });
        else yield* this.#list();
      } catch (error) {
        if (!signal.aborted) this.#onError(error, { isStreamed });
      }
      if (this.#pause === 0 || signal.aborted) continue;
      this.#health.enter("waiting");
      await host.clock.sleep(this.#pause, signal);
    }
  }

  /** Fetches the set in pages. */
  async *#list(): AsyncGenerator<WatchItem[], void, void> {
    const { client, resource, namespace, settings, signal } = this.#options;
    const { labelSelector, fieldSelector, shardSelector } = this.#options;
    const chunkSize = this.#expired < EXPIRED_LISTS ? settings.chunkSize : null;
    this.#health.enter("listing");
    this.#store.beginListing();
    let version: string | undefined;
    const { shape, retryForbidden } = this.#options;
    const scope = {
      namespace,
      labelSelector,
      fieldSelector,
      shardSelector,
      chunkSize,
      signal,
      retryForbidden,
    };
    const accept = acceptOf(shape, "list");
    for await (const page of listPages(client.transport, resource, { ...scope, accept })) {
      this.#health.heard();
      version = page.resourceVersion ?? version;
      this.#checkShard(page.shard);
      const wanted = page.items.filter((object) => this.#accepts(object));
      yield wanted.map((whole) => {
        const object = shape?.cut(whole) ?? whole;
        return { type: "event", event: { type: null, object }, ...this.#store.put(object) };
      });
    }
    this.#expired = 0;
    yield this.#complete(version);
  }

  /** Reads one stream to its end: from the version, or (initial) with the set before everything else. */
  async *#follow({ initial }: { initial: boolean }): AsyncGenerator<WatchItem[], void, void> {
    const { host, settings } = this.#options;
    const started = host.clock.monotonic();
    if (initial) {
      this.#health.enter("listing");
      this.#store.beginListing();
    }
    let isOpen = false;
    const onOpen = (): void => {
      isOpen = true;
      if (!initial) this.#health.opened();
    };
    this.#mute += 1;
    this.#hasNews = false;
    const stream = openStream({ ...this.#toStream(initial), onOpen });
    const end = yield* this.#readAll(stream);
    if (this.#version === undefined) {
      // The set was not complete: only a whole one counts. Source: deviations C12.
      if (end === "silent" && isOpen) throw new UnstreamedError("it says nothing");
      throw new Error(`The streamed list is incomplete: the stream was ${end}`);
    }
    if (end !== "silent") this.#mute = 0;
    else if (this.#mute >= MUTE_STREAMS) this.#startOver("Watch streams stay mute, listing again");
    // NB: a server that accepts and is silent may have nothing to say; one that does not even accept has a problem.
    if (end === "silent" && !isOpen) throw new Error("The server does not answer");
    const lifetime = host.clock.monotonic() - started;
    this.#pause = this.#health.ended(settings.reconnectBackoff, {
      lifetime,
      hasNews: this.#hasNews && !initial,
    });
    this.#log("debug", "Watch stream ended", { end, pause: this.#pause });
  }

  async *#readAll(
    stream: AsyncGenerator<unknown[], StreamEnd, void>,
  ): AsyncGenerator<WatchItem[], StreamEnd, void> {
    // NB: not for-await, which drops what the stream returns; so the stream must be closed by hand.
    try {
      for (;;) {
        const { done, value } = await stream.next();
        if (done) return value;
        this.#health.heard();
        this.#mute = 0;
        const { items, error } = this.#digest(value);
        if (items.length > 0) yield items;
        if (error !== undefined) throw error;
      }
    } finally {
      await stream.return("ended");
    }
  }

  /** Turns lines into items, up to the first one that ends the stream. */
  #digest(lines: readonly unknown[]): { items: WatchItem[]; error?: Error } {
    const items: WatchItem[] = [];
    for (const line of lines) {
      const event = readStreamEvent(line, `WATCH ${this.#path}`);
      switch (event.type) {
        case "ADDED":
        case "MODIFIED":
        case "DELETED": {
          const place = this.#order.placeOf(event, this.#version);
          if (place === "misplaced") return { items, error: new DisorderError() };
          if (place === "new") {
            if (this.#accepts(event.object)) items.push(this.#take(event));
            else this.#advance(event.object.metadata.resourceVersion);
            this.#hasNews = true;
          }
          break;
        }
        case "BOOKMARK":
          if (this.#version !== undefined) {
            if (this.#order.isBackwards(event.version, this.#version)) {
              return { items, error: new DisorderError() };
            }
            this.#advance(event.version);
          } else if (event.initialEnd) items.push(...this.#completeStream(event.version));
          else return { items, error: new UnstreamedError("it sends bookmarks without the end of the list") };
          break;
        case "ERROR":
          return { items, error: event.error };
        case "UNKNOWN":
          this.#log("warn", "Unknown watch event, it is skipped", { event: event.name });
          break;
        default:
          event satisfies never;
      }
    }
    return { items };
  }

  #take(event: { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }): WatchItem {
    const { type } = event;
    const object = this.#options.shape?.cut(event.object) ?? event.object;
    const stored = type === "DELETED" ? this.#store.remove(object) : this.#store.put(object);
    this.#advance(object.metadata.resourceVersion);
    return {
      type: "event",
      event: { type: type === "DELETED" ? type : this.#typeOf(type), object },
      ...stored,
    };
  }

  #accepts(object: KubeObject): boolean {
    if (this.#isOurs?.(object) === false) {
      this.#complain("The server ignores the shard selector: objects of other shards are dropped here");
      return false;
    }
    return this.#options.accepts?.(object) ?? true;
  }

  /** NB: the server may have applied the selector although it does not say so; only objects of other shards prove something. */
  #checkShard(shard: string | undefined): void {
    const { shardSelector } = this.#options;
    if (shardSelector === undefined || shard !== undefined || this.#isOurs !== undefined) return;
    this.#complain(
      "The server seems to ignore the shard selector, which cannot be applied here either: objects may be handled several times",
    );
  }

  #complain(message: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#log("warn", message, { shardSelector: this.#options.shardSelector });
  }

  /** Until the set is complete, what is added was there before. */
  #typeOf(type: "ADDED" | "MODIFIED"): "ADDED" | "MODIFIED" | null {
    return type === "ADDED" && this.#version === undefined ? null : type;
  }

  #advance(version: string | undefined): void {
    // While the set is incomplete, the versions of its objects say nothing about the set.
    if (this.#version === undefined || version === undefined) return;
    this.#version = version;
    this.#order.advance(version);
    this.#broken = 0;
  }

  #completeStream(version: string | undefined): WatchItem[] {
    const items = this.#complete(version);
    this.#health.opened();
    return items;
  }

  /** Announces what has gone, and that the set is complete. */
  #complete(version: string | undefined): WatchItem[] {
    const isSetBack = this.#order.restart(version);
    this.#version = version ?? "";
    this.#broken = 0;
    this.#health.listed = true;
    const gone = this.#store.sweep().map((cached): WatchItem => {
      const event = { type: "DELETED", object: cached.object } as const;
      return { type: "event", event, cached, adoption: "newer", synthetic: true };
    });
    if (gone.length > 0) this.#log("debug", "Objects vanished unseen", { count: gone.length });
    return [...gone, ...isSetBack ? this.#restored() : [], { type: "listed" }];
  }

  /** A server that was set back to an older state: what we know is from a future that never was. */
  #restored(): WatchItem[] {
    this.#log("warn", "The server was set back to an older state, all objects are looked at again");
    return this.#store.restore().map((cached): WatchItem => {
      const event = { type: null, object: cached.object };
      return { type: "event", event, cached, adoption: "newer", restored: true };
    });
  }

  /** The set is to be fetched anew. */
  #startOver(message: string, fields?: Record<string, unknown>): void {
    this.#version = undefined;
    this.#mute = 0;
    this.#log("warn", message, fields);
  }

  #onError(error: unknown, { isStreamed }: { isStreamed: boolean }): void {
    const { settings, client, resource } = this.#options;
    const isInitial = isStreamed && this.#version === undefined;
    if (isInitial && settings.initialStreaming === "auto" && isUnstreamed(error)) {
      client.transport.unstreamed.add(keyOf(resource));
      this.#log("debug", "Server does not stream lists of this kind, taking pages", { error });
      return;
    }
    this.#pause = this.#health.failed(settings.reconnectBackoff, error);
    if (error instanceof DisorderError) {
      this.#order.complain();
      this.#startOver("Watch stream is out of order, listing again", { pause: this.#pause });
      return;
    }
    if (error instanceof ApiError && error.status === 410) {
      if (this.#version === undefined) this.#expired += 1;
      this.#version = undefined;
      this.#log("debug", "Version is too old, listing again", { pause: this.#pause });
      return;
    }
    this.#log("warn", "Watching failed, will be tried again", { pause: this.#pause, error });
    if (this.#version === undefined || !isSuspicious(error) || ++this.#broken < RESUME_ATTEMPTS) return;
    this.#startOver("Watching fails at the same version again and again, listing again");
  }

  #isStreamed(): boolean {
    const { client, resource, settings } = this.#options;
    if (settings.initialStreaming !== "auto") return settings.initialStreaming;
    return this.#health.failures < STREAMED_ATTEMPTS && !client.transport.unstreamed.has(keyOf(resource));
  }

  #toStream(initial: boolean): Omit<StreamOptions, "onOpen"> {
    const { client, labelSelector, fieldSelector, shardSelector, settings, signal, shape } = this.#options;
    const { transport } = client;
    const query = toQuery({
      ...{ watch: true, allowWatchBookmarks: true },
      ...initial && { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" },
      resourceVersion: this.#version,
      timeoutSeconds: settings.serverTimeout ?? undefined,
      ...{ labelSelector, fieldSelector, shardSelector },
    });
    const { connectTimeout, requestTimeout } = transport.networking;
    return {
      ...{ transport, path: this.#path + query, subject: this.#subject, signal },
      accept: acceptOf(shape, "watch"),
      connectTimeout: settings.connectTimeout ?? connectTimeout ?? requestTimeout,
      clientTimeout: settings.clientTimeout,
      inactivityTimeout: () => {
        const limit = settings.inactivityTimeout;
        return this.#version === undefined ? Math.min(limit, INITIAL_SILENCE) : limit;
      },
    };
  }

  #log(level: "debug" | "warn", message: string, fields: Record<string, unknown> = {}): void {
    const { logger, resource, namespace } = this.#options;
    logger[level](message, { resource: keyOf(resource), ...namespace && { namespace }, ...fields });
  }
}

/** Tells whether the server has shown that it knows no streamed lists. Source: Kubernetes, KEP-3157. */
function isUnstreamed(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 400 || error.status === 422;
  return error instanceof UnstreamedError;
}

/** Tells whether the same version may bring the same failure again: the server was there, and what it sent was no good. */
function isSuspicious(error: unknown): boolean {
  if (error instanceof ApiError) {
    if (error.request.startsWith("WATCH ") || error.status === 400 || error.status === 422) return true;
    // A server that was set back to an older state does not know the version yet.
    return error.details?.causes?.some((cause) => cause.reason === "ResourceVersionTooLarge") ?? false;
  }
  return isNamed(error, "SyntaxError") || isNamed(error, "RangeError");
}
