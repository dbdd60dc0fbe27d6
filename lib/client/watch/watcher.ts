/**
 * Watches the objects of one kind, for ever: the present objects, then their events, through everything that can break.
 *
 * The loop of the machine in watcher_state.ts. Without a version, the whole set is fetched, as a streamed list where the
 * server has them, else in pages. With a version, a stream is open from there; when it ends it is opened again from the last
 * version, and only when the server says that the version is too old (410) is the set fetched anew. Between attempts there is
 * a pause, which grows while attempts fail. Keeping the objects, and finding the vanished ones, is the business of
 * the informer (client/cache), not of the watcher.
 *
 * Source: Kubernetes API concepts, "Efficient detection of changes", "Streaming lists", "Watch bookmarks"; KEP-3157.
 */

import type { KubeObject, WatchEvent } from "../../model/object.ts";
import { keyOf, pathOf } from "../../model/resource.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WatcherSettings } from "../../settings/sections.ts";
import type { Addressable, Client } from "../client.ts";
import { ApiError } from "../errors.ts";
import { listPages, toQuery } from "../list_pages.ts";
import { acceptOf, type Projection } from "../projection.ts";
import type { RequestSubject } from "../transport/transport.ts";
import { ShardFilter } from "./shards.ts";
import { DisorderError, type ShownObjects, StreamOrder } from "./stream_order.ts";
import { type WatchState, WatchStatus } from "./watch_status.ts";
import {
  failureOf,
  openStream,
  readStreamEvent,
  type StreamEnd,
  type StreamOptions,
  UnstreamedError,
} from "./watch_stream.ts";
import { INITIAL, type ListingBy, transition, type WatcherInput } from "./watcher_state.ts";

export type { WatchPhase, WatchState } from "./watch_status.ts";

/** How long a streamed list may be silent before pages are taken instead: the server may not know the parameters. */
const INITIAL_SILENCE: Seconds = 15;

/** After how many failures in a row a streamed list is given up for pages, this once. */
const STREAMED_ATTEMPTS = 3;

/** After how many lists in a row whose token expired before the last page a list is taken in one piece. */
const MOST_LOST_TOKENS = 2;

/** Answers that say: not you, or not this. */
const REFUSALS: readonly number[] = [401, 403, 404];

export interface WatchOptions {
  readonly client: Client;
  readonly resource: Addressable;
  /** Default: all namespaces, or a cluster-scoped kind. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Source: Kubernetes 1.36, "ShardedListAndWatch" (alpha). */
  readonly shardSelector?: string;
  /** In which form the objects are wanted. Default: whole. */
  readonly projection?: Projection;
  /** Which of the objects that come are wanted; the others are dropped at once. Default: all. */
  readonly accepts?: (object: KubeObject) => boolean;
  /** Whether `onRefused` is called for 400 and 422, too: the request makes no sense. Default: false. */
  readonly isRejectionTold?: boolean;
  /** Read anew for each request, so that changes count. */
  readonly settings: WatcherSettings;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly host: Host;
  /** The objects that the watch has shown so far, also an earlier one that this one follows. Filled by the readers of the items. */
  readonly store: ShownObjects;
  /** Called whenever the phase changes. The state is live: always the same object, whose fields go on changing. */
  readonly onState?: (state: WatchState) => void;
  /**
   * Called when the server answers 401, 403 or 404; with `failures` in a row, this one included. "stop" ends the watch.
   * Default: "retry".
   */
  readonly onRefused?: (error: ApiError, about: Refusal) => "retry" | "stop";
}

export interface Refusal {
  readonly failures: number;
  /** Whether a listing was completed before. */
  readonly listed: boolean;
}

/**
 * An item of a watch. listing: a set begins, which is complete at "synced"; known objects that were not in it have gone.
 * event: of type null while the set is listed. `isSetBack`: the set is older than an earlier state of the server (an etcd
 * restored from a backup), so that the remembered state of an object may be newer than anything that is true.
 */
export type WatchItem =
  | { readonly type: "listing" }
  | { readonly type: "event"; readonly event: WatchEvent }
  | { readonly type: "synced"; readonly isSetBack: boolean };

/**
 * Yields the objects of a kind as they are, then "synced", and then everything that happens to them, as many items at once
 * as came at once.
 *
 * Ends when the signal aborts, or when `onRefused` says so, and never before; never throws. Items that are not pulled stay with
 * the server. NB: the items are to be taken in before the next ones are pulled.
 */
export function watchObjects(options: WatchOptions): AsyncGenerator<readonly WatchItem[], void, void> {
  return new Watcher(options).run();
}

/** The news that one stream has brought so far. */
interface StreamNews {
  /** Any line at all. */
  heard: boolean;
  /** Events that were not known. */
  hasNews: boolean;
}

class Watcher {
  readonly #options: WatchOptions;
  readonly #status: WatchStatus;
  readonly #order: StreamOrder;
  readonly #shards: ShardFilter | undefined;
  readonly #path: string;
  readonly #subject: RequestSubject;
  #state = INITIAL;
  /** How long to wait before the next step. */
  #pause: Seconds = 0;

  constructor(options: WatchOptions) {
    const { resource, namespace, host, onState, shardSelector, store } = options;
    this.#options = options;
    this.#status = new WatchStatus({ host, onState });
    this.#order = new StreamOrder(store, host.clock);
    this.#shards = shardSelector === undefined ? undefined : new ShardFilter({
      shardSelector,
      onIgnored: (message) => this.#log("warn", message, { shardSelector }),
    });
    this.#path = pathOf(resource, { namespace });
    this.#subject = { verb: "watch", resource, namespace };
  }

  async *run(): AsyncGenerator<readonly WatchItem[], void, void> {
    const { signal, host } = this.#options;
    using _status = this.#status;
    while (!signal.aborted && this.#state.at !== "ended") {
      this.#pause = 0;
      const { tell } = this.#apply({ is: "begin", by: this.#chooseListing() });
      if (tell === "listing") yield [{ type: "listing" }];
      try {
        if (this.#state.at === "listing" && this.#state.by === "pages") {
          yield* this.#list(this.#state.lostTokens);
        } else yield* this.#stream();
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error);
      }
      if (this.#pause === 0 || signal.aborted) continue;
      this.#status.enter("waiting");
      await host.clock.sleep(this.#pause, signal);
    }
  }

  #chooseListing(): ListingBy {
    const { client, resource, settings: { initialStreaming } } = this.#options;
    if (initialStreaming === true) return "forced stream";
    const isStreamed = initialStreaming === "auto" && this.#status.state.failures < STREAMED_ATTEMPTS &&
      !client.transport.unstreamed.has(keyOf(resource));
    return isStreamed ? "stream" : "pages";
  }

  /** Fetches the set in pages. */
  async *#list(lostTokens: number): AsyncGenerator<readonly WatchItem[], void, void> {
    const { client, resource, namespace, settings, signal, projection } = this.#options;
    const { labelSelector, fieldSelector, shardSelector } = this.#options;
    const pages = listPages(client.transport, resource, {
      namespace,
      labelSelector,
      fieldSelector,
      shardSelector,
      chunkSize: lostTokens < MOST_LOST_TOKENS ? settings.chunkSize : null,
      signal,
      accept: acceptOf(projection, "list"),
    });
    let version: string | undefined;
    for await (const page of pages) {
      this.#status.heard();
      version = page.resourceVersion ?? version;
      this.#shards?.checkList(page.shard);
      const wanted = page.items.filter((object) => this.#accepts(object));
      yield wanted.map((each): WatchItem => {
        return { type: "event", event: { type: null, object: projection?.project(each) ?? each } };
      });
    }
    yield [this.#complete(version)];
  }

  /** Reads one stream to its end: from the version, or with the whole set before everything else. */
  async *#stream(): AsyncGenerator<readonly WatchItem[], void, void> {
    const { host } = this.#options;
    const isInitial = this.#state.at === "listing";
    const started = host.clock.monotonic();
    const news: StreamNews = { heard: false, hasNews: false };
    const stream = openStream(this.#toStreamOptions());
    let end: StreamEnd;
    // NB: not for-await, which drops the return value of the stream; so the stream must be closed by hand.
    try {
      for (;;) {
        const { done, value } = await stream.next();
        if (done) {
          end = value;
          break;
        }
        this.#status.heard();
        news.heard = true;
        const { items, error } = this.#digest(value, news);
        if (items.length > 0) yield items;
        if (error !== undefined) throw error;
      }
    } finally {
      await stream.return("ended");
    }
    const lifetime = host.clock.monotonic() - started;
    const isOpen = (this.#state.at === "listing" || this.#state.at === "watching") && this.#state.isOpen;
    const error = this.#state.at === "listing"
      ? new Error(`The streamed list is incomplete: the stream was ${end}`)
      : isOpen
      ? undefined
      : new Error("The server does not answer");
    this.#apply(end === "silent" ? { is: "silent", heard: news.heard } : { is: "ended" }, {
      error,
      end,
      lifetime,
      hasNews: news.hasNews && !isInitial,
    });
  }

  /** Turns lines into items, up to the first one that ends the stream. */
  #digest(lines: readonly unknown[], news: StreamNews): { items: readonly WatchItem[]; error?: Error } {
    const items: WatchItem[] = [];
    const before: WatchEvent[] = [];
    for (const line of lines) {
      const event = readStreamEvent(line, `WATCH ${this.#path}`);
      const version = this.#state.at === "watching" ? this.#state.version : undefined;
      switch (event.type) {
        case "ADDED":
        case "MODIFIED":
        case "DELETED": {
          const place = this.#order.placeOf(event, version, before);
          if (place === "misplaced") return { items, error: new DisorderError() };
          if (place === "repeated") break;
          news.hasNews = true;
          if (this.#accepts(event.object)) {
            const object = this.#options.projection?.project(event.object) ?? event.object;
            // Until the set is complete, ADDED tells of objects that were there before.
            const type = event.type === "ADDED" && version === undefined ? null : event.type;
            before.push({ type, object });
            items.push({ type: "event", event: { type, object } });
          }
          this.#advance(event.object.metadata.resourceVersion);
          break;
        }
        case "BOOKMARK":
          if (version === undefined) {
            if (!event.initialEnd) return { items, error: new UnstreamedError() };
            items.push(this.#complete(event.version));
          } else {
            if (this.#order.isBackwards(event.version, version)) return { items, error: new DisorderError() };
            this.#advance(event.version);
          }
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

  #accepts(object: KubeObject): boolean {
    return this.#shards?.accepts(object) !== false && this.#options.accepts?.(object) !== false;
  }

  #advance(version: string | undefined): void {
    if (version === undefined || this.#state.at !== "watching") return;
    this.#state = transition(this.#state, { is: "advanced", version }).state;
  }

  #complete(version: string | undefined): WatchItem {
    const isSetBack = this.#order.restart(version);
    if (isSetBack) {
      this.#log("warn", "The server was set back to an older state, all objects are reconciled again");
    }
    this.#status.completed();
    this.#apply({ is: "complete", version: version ?? "" });
    if (this.#state.at === "watching") this.#status.opened();
    return { type: "synced", isSetBack };
  }

  #fail(error: unknown): void {
    const { onRefused, isRejectionTold } = this.#options;
    // NB: a streamed list may be rejected because the server knows none: pages will tell.
    const isPaged = this.#state.at === "listing" && this.#state.by !== "stream";
    const isRejected = isRejectionTold === true && isPaged && failureOf(error) === "rejected";
    if (error instanceof ApiError && (isRejected || REFUSALS.includes(error.status))) {
      const { failures, listed } = this.#status.state;
      const answer = onRefused?.(error, { failures: failures + 1, listed });
      if (answer === "stop") return void this.#apply({ is: "failed", how: "stop" }, { error });
    }
    if (error instanceof DisorderError) this.#order.complain();
    this.#apply({ is: "failed", how: failureOf(error) }, { error });
  }

  /** Goes to the next state, and takes its action. */
  #apply(input: WatcherInput, about: About = {}): { readonly tell?: "listing" | "synced" } {
    if ("version" in this.#state) this.#order.reached(this.#state.version);
    const next = transition(this.#state, input);
    this.#state = next.state;
    if (next.tell === "listing") this.#status.enter("listing");
    if (next.isUnstreamed) this.#options.client.transport.unstreamed.add(keyOf(this.#options.resource));
    this.#pause = this.#pauseAfter(next.pause, about);
    const { error, end } = about;
    const fields = { pause: this.#pause, ...error !== undefined && { error } };
    if (error !== undefined && this.#status.isBeginning) this.#log("info", UNREADY, { pause: this.#pause });
    else if (next.log !== undefined) this.#log(...next.log, fields);
    else if (end !== undefined) this.#log("debug", "Watch stream ended", { end, ...fields });
    return next;
  }

  #pauseAfter(pause: ReturnType<typeof transition>["pause"], about: About): Seconds {
    const { reconnectBackoff } = this.#options.settings;
    const { error, lifetime = 0, hasNews = false } = about;
    switch (pause) {
      case "none":
        return 0;
      case "grown":
        return this.#status.failed(reconnectBackoff, error);
      case "short":
        return this.#status.expired(reconnectBackoff, error);
      case "byLifetime":
        return this.#status.ended(reconnectBackoff, { lifetime, hasNews });
      default:
        return pause satisfies never;
    }
  }

  #toStreamOptions(): StreamOptions {
    const { client, settings, signal, projection, labelSelector, fieldSelector, shardSelector } =
      this.#options;
    const { transport } = client;
    const { connectTimeout, requestTimeout } = transport.networking;
    const version = this.#state.at === "watching" ? this.#state.version : undefined;
    const initial = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
    const query = toQuery({
      watch: true,
      allowWatchBookmarks: true,
      ...version === undefined ? initial : { resourceVersion: version },
      timeoutSeconds: settings.serverTimeout ?? undefined,
      labelSelector,
      fieldSelector,
      shardSelector,
    });
    return {
      transport,
      path: this.#path + query,
      subject: this.#subject,
      signal,
      accept: acceptOf(projection, "watch"),
      connectTimeout: settings.connectTimeout ?? connectTimeout ?? requestTimeout,
      clientTimeout: settings.clientTimeout,
      inactivityTimeout: () => {
        const limit = settings.inactivityTimeout;
        return this.#state.at === "listing" ? Math.min(limit, INITIAL_SILENCE) : limit;
      },
      onOpen: () => {
        this.#apply({ is: "opened" });
        if (this.#state.at === "watching") this.#status.opened();
      },
    };
  }

  #log(level: "debug" | "info" | "warn", message: string, fields: Record<string, unknown> = {}): void {
    const { logger, resource, namespace } = this.#options;
    logger[level](message, { resource: keyOf(resource), ...namespace && { namespace }, ...fields });
  }
}

const UNREADY = "The server is not ready to serve the kind yet, will be tried again";
/** Details of an input: why it failed, or how the stream has ended. */
interface About {
  readonly error?: unknown;
  readonly end?: StreamEnd;
  readonly lifetime?: Seconds;
  readonly hasNews?: boolean;
}
