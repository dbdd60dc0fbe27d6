/**
 * Watches: streams of JSON lines.
 *
 * A watch is pulled by its reader. Events since then wait as references to changes, not as text; a reader that
 * stays too far behind loses its watch. Sources: Kubernetes documentation, "Kubernetes API Concepts", "Efficient detection
 * of changes", "Watch bookmarks", "Streaming lists"; k8s.io/apiserver, pkg/storage/cacher.
 */

import type { JsonObject } from "../../../model/object.ts";
import { formatJson } from "../../../runtime/json.ts";
import type { Cluster } from "../cluster.ts";
import { isShownAsKept } from "../definitions/conversion.ts";
import { inVersion } from "../definitions/converter.ts";
import { concat, encodeText } from "../formats/bytes.ts";
import type { Kind } from "../kinds.ts";
import { isTrue } from "../paths.ts";
import { encodeEvent, PROTOBUF } from "../protobuf/encode.ts";
import { Refusal, tooLargeVersion } from "../refusal.ts";
import { objectsIn } from "../values.ts";
import type { Change, ChangeListener } from "../storage/collection.ts";
import type { Stored } from "../storage/stored.ts";
import { headOf, partialMetadata, servedText, shapedObject, tableOf } from "../answers/respond.ts";
import { isKeyInScope, type Scope, scopeOf, select } from "../options/scope.ts";
import type { Shape } from "../answers/shape.ts";
import { checkListOptions, readCount, readVersion, tooOld } from "../options/versions.ts";

export interface WatchRequest {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly query: URLSearchParams;
  readonly shape: Shape;
  /** Aborts when the client goes away. */
  readonly signal?: AbortSignal;
}

type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** How many events may wait for a reader. */
const BACKLOG_LIMIT = 20_000;
const BOOKMARK_SECONDS = 60;
const LAST_BOOKMARK_SECONDS = 2;
const MIN_TIMEOUT_SECONDS = 1800;
const CHUNK = 1 << 16;

/**
 * Answers a watch.
 *
 * @throws {Refusal} 400, 422 or 504; versions that are gone are refused inside the stream, as the real server does.
 */
export function watchResponse(cluster: Cluster, request: WatchRequest): Response {
  const { kind, namespace, query, shape, signal } = request;
  const [timeout] = [readCount(query, "timeoutSeconds"), readCount(query, "limit")];
  checkListOptions(query, true);
  const scope = scopeOf(kind, { namespace, query });
  const watch = new Watch(cluster, {
    kind,
    scope,
    shape,
    bookmarks: isTrue(query.get("allowWatchBookmarks")),
  });
  watch.start(startOf(query));
  watch.end(timeout > 0 ? timeout : MIN_TIMEOUT_SECONDS * (1 + cluster.host.random.next()));
  signal?.addEventListener("abort", () => watch.close(), { once: true });
  return new Response(watch.stream(), {
    headers: { "content-type": contentTypeOf(shape), "cache-control": "no-cache, private" },
  });
}

function contentTypeOf({ encoding }: Shape): string {
  return encoding === "protobuf" ? `${PROTOBUF};stream=watch` : "application/json";
}

/** Where a watch begins. */
interface Start {
  /** undefined: now. */
  readonly version: number | undefined;
  /** The state at the beginning comes as ADDED events. */
  readonly initial: boolean;
}

function startOf(query: URLSearchParams): Start {
  const version = readVersion(query);
  const streamed = query.get("sendInitialEvents");
  if (streamed !== null) return { version, initial: isTrue(streamed) };
  return { version, initial: version === undefined || version === 0 };
}

interface WatchOptions {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly shape: Shape;
  readonly bookmarks: boolean;
}

class Watch implements ChangeListener {
  readonly #cluster: Cluster;
  readonly #options: WatchOptions;
  /** The beginnings of lines with events of each type. */
  readonly #openings: Readonly<Record<EventType, string>>;
  /** The lines before the changes: the initial state, bookmarks, errors. */
  #lines: Uint8Array[] = [];
  #initial: readonly Stored[] = [];
  #sent = 0;
  /** The stored objects, and the objects that are shown for them where a webhook converts. */
  readonly #shown = new WeakMap<Stored, Stored>();
  #changes: Change[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Whether the reader waits for more. */
  #isAwaited = false;
  #wake: (() => void) | undefined;
  #closed = false;
  /** Of a watch of tables, only the first event has the definitions of the columns. */
  #hasHeaders = false;
  #cancelled = false;
  #bookmark: Disposable | undefined;
  #timeout: Disposable | undefined;

  constructor(cluster: Cluster, options: WatchOptions) {
    this.#cluster = cluster;
    this.#options = options;
    const head = headOf(options.kind);
    this.#openings = {
      ADDED: openingOf("ADDED", head),
      MODIFIED: openingOf("MODIFIED", head),
      DELETED: openingOf("DELETED", head),
    };
  }

  /** Takes the state or the past that the reader shall see first, and listens from then on. */
  start({ version, initial }: Start): void {
    const { kind, scope, bookmarks } = this.#options;
    const { store } = this.#cluster;
    if (initial && version !== undefined && version > store.version) {
      this.#fail(tooLargeVersion(version, store.version));
      return;
    }
    if (initial) {
      this.#initial = select(kind, scope, kind.collection.present());
      if (bookmarks) this.#lines.push(this.#bookmarkLine(true));
    } else if (version !== undefined && version > 0) {
      const past = version < store.horizon ? undefined : kind.collection.since(version);
      if (past === undefined) {
        this.#fail(tooOld(version, store.horizon));
        return;
      }
      for (const change of past) this.offer(change);
    }
    kind.collection.listeners.add(this);
    if (bookmarks) this.#planBookmark(BOOKMARK_SECONDS);
  }

  /** NB: the response has begun when the real server finds out, so the error comes as an event. */
  #fail(error: Error): void {
    this.#lines.push(this.#encode("ERROR", errorStatus(error)));
    this.close();
  }

  /** Ends the watch after that time, with a bookmark shortly before. */
  end(seconds: number): void {
    if (this.#closed) return;
    const { clock } = this.#cluster.host;
    const finish = () => {
      this.#timeout = clock.after(Math.min(seconds, LAST_BOOKMARK_SECONDS), () => this.close());
      if (this.#options.bookmarks && seconds > LAST_BOOKMARK_SECONDS) this.#addBookmark();
    };
    if (seconds <= LAST_BOOKMARK_SECONDS) finish();
    else this.#timeout = clock.after(seconds - LAST_BOOKMARK_SECONDS, finish);
  }

  offer(change: Change): void {
    if (this.#closed || !this.#mayBeSeen(change)) return;
    const { state } = this.#cluster;
    if (state?.isBehind) state.whenKept(() => this.#add(change));
    else this.#add(change);
  }

  #add(change: Change): void {
    if (this.#closed) return;
    this.#changes.push(change);
    if (this.#changes.length > BACKLOG_LIMIT) this.close();
    else this.#rouse();
  }

  close(): void {
    this.#closed = true;
    this.#options.kind.collection.listeners.delete(this);
    this.#bookmark?.[Symbol.dispose]();
    this.#timeout?.[Symbol.dispose]();
    this.#rouse();
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#options.kind.converter === undefined ? this.#give() : this.#giveConverted(),
      cancel: () => {
        this.#cancelled = true;
        this.close();
      },
    }, { highWaterMark: 0 });
  }

  /** Hands the reader all that waits. NB: without promises: at 50 watches they took longer than the write itself. */
  #give(): void {
    this.#isAwaited = false;
    if (this.#cancelled) return;
    const chunk = this.#take();
    if (chunk !== undefined) this.#controller?.enqueue(chunk);
    else if (this.#closed) this.#controller?.close();
    else this.#isAwaited = true;
  }

  async #giveConverted(): Promise<void> {
    for (;;) {
      if (this.#cancelled) return;
      await this.#convert();
      this.#give();
      if (!this.#isAwaited) return;
      this.#isAwaited = false;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  #rouse(): void {
    this.#wake?.();
    if (this.#isAwaited) this.#give();
  }

  /**
   * Converts all waiting objects to the version of the watch. NB: more may come meanwhile; each line that is taken afterwards
   * has been converted, because the loop ends without waiting in between.
   */
  async #convert(): Promise<void> {
    for (;;) {
      const waiting = [
        ...this.#initial.slice(this.#sent),
        ...this.#changes.flatMap(({ previous, current }) => [previous, current]),
      ].filter((stored) => stored !== undefined).filter((stored) => !this.#shown.has(stored));
      if (waiting.length === 0) return;
      try {
        const shown = await inVersion(this.#options.kind, waiting);
        for (const [index, stored] of waiting.entries()) this.#shown.set(stored, shown[index] ?? stored);
      } catch (error) {
        this.#initial = [];
        this.#changes = [];
        // NB: bookmarks would say that all before them has been seen.
        this.#lines = [];
        this.#fail(error instanceof Error ? error : new Error(String(error)));
        return;
      }
    }
  }

  /** Returns the next lines, as many as make a chunk; undefined if no event waits. */
  #take(): Uint8Array | undefined {
    // Mostly it is one event, which all watches share.
    if (this.#lines.length === 0 && this.#initial.length === 0 && this.#changes.length <= 1) {
      const change = this.#changes.pop();
      return change && this.#changeLine(change);
    }
    const pieces: Uint8Array[] = [];
    let size = 0;
    const add = (piece: Uint8Array) => {
      pieces.push(piece);
      size += piece.length;
    };
    while (size < CHUNK && this.#sent < this.#initial.length) {
      const shown = this.#shownOf(this.#initial[this.#sent++]);
      if (this.#isSeen(shown)) add(this.#line("ADDED", shown));
    }
    if (this.#sent < this.#initial.length) return concat(pieces);
    this.#initial = [];
    this.#sent = 0;
    for (const line of this.#lines) add(line);
    this.#lines = [];
    let taken = 0;
    while (size < CHUNK && taken < this.#changes.length) {
      const change = this.#changes[taken++];
      const line = change === undefined ? undefined : this.#changeLine(change);
      if (line !== undefined) add(line);
    }
    this.#changes = taken === this.#changes.length ? [] : this.#changes.slice(taken);
    return pieces.length > 1 ? concat(pieces) : pieces[0];
  }

  /** Returns the type of the event that a change is to a client that sees only the objects in the scope. */
  #typeOf({ key, previous, current }: Change): EventType | undefined {
    if (!isKeyInScope(this.#options.scope, key)) return undefined;
    const [was, is] = [this.#isSeen(this.#shownOf(previous)), this.#isSeen(this.#shownOf(current))];
    if (is) return was ? "MODIFIED" : "ADDED";
    return was ? "DELETED" : undefined;
  }

  /** Where a webhook converts, selectors are about the converted objects, and these come later. */
  #mayBeSeen(change: Change): boolean {
    const { scope } = this.#options;
    if (scope.matchesShown !== undefined) return isKeyInScope(scope, change.key);
    return this.#typeOf(change) !== undefined;
  }

  #isSeen(shown: Stored | undefined): shown is Stored {
    const { matches, matchesShown = matches } = this.#options.scope;
    return shown !== undefined && (matchesShown?.(shown) ?? true);
  }

  #shownOf(stored: Stored | undefined): Stored | undefined {
    return stored === undefined ? undefined : this.#shown.get(stored) ?? stored;
  }

  #changeLine(change: Change): Uint8Array | undefined {
    const type = this.#typeOf(change);
    const { version, previous, current } = change;
    if (type === undefined) return undefined;
    // An object that is gone, or out of sight, is shown in its last state, with the version of the change.
    const shown = type === "DELETED" ? this.#shownOf(previous)?.at(version) : this.#shownOf(current);
    return shown === undefined ? undefined : this.#line(type, shown);
  }

  #line(type: EventType, stored: Stored): Uint8Array {
    const { kind, shape } = this.#options;
    if (shape.form !== "object" || shape.encoding !== "json") {
      const object = shapedObject(this.#cluster, stored, { kind, shape, noHeaders: this.#hasHeaders });
      this.#hasHeaders = true;
      return this.#encode(type, object);
    }
    const opening = this.#openings[type];
    return isShownAsKept(kind)
      ? stored.line(opening, CLOSING)
      : encodeText(opening + servedText(kind, stored) + CLOSING);
  }

  /** Objects without a message in protocol buffers are sent as JSON. */
  #encode(type: string, object: JsonObject): Uint8Array {
    const frame = this.#options.shape.encoding === "protobuf" ? encodeEvent(type, object) : undefined;
    return frame ?? encodeText(`${formatJson({ type, object })}\n`);
  }

  #planBookmark(seconds: number): void {
    this.#bookmark = this.#cluster.host.clock.after(seconds, () => {
      this.#addBookmark();
      this.#planBookmark(seconds);
    });
  }

  /** NB: a bookmark must not overtake the changes that it covers. */
  #addBookmark(): void {
    if (this.#closed || this.#changes.length > 0 || this.#initial.length > 0) return;
    if (this.#cluster.state?.isBehind) return;
    this.#lines.push(this.#bookmarkLine(false));
    this.#rouse();
  }

  #bookmarkLine(ends: boolean): Uint8Array {
    const { kind, shape } = this.#options;
    const metadata: JsonObject = { resourceVersion: String(this.#cluster.store.version) };
    if (ends) metadata.annotations = { "k8s.io/initial-events-end": "true" };
    const named = { kind: kind.kind, apiVersion: kind.apiVersion, metadata };
    switch (shape.form) {
      case "object":
        return this.#encode("BOOKMARK", named);
      case "metadata":
        return this.#encode("BOOKMARK", { ...named, ...partialMetadata(named, shape) });
      case "table": {
        const listMetadata = { resourceVersion: metadata.resourceVersion };
        const table = tableOf(this.#cluster, [named], { kind, shape, listMetadata, noHeaders: true });
        // NB: it has no name, which is the first cell.
        const rows = objectsIn(table.rows).map((row) => ({
          ...row,
          cells: ["", ...(Array.isArray(row.cells) ? row.cells.slice(1) : [])],
        }));
        return this.#encode("BOOKMARK", { ...table, rows });
      }
    }
  }
}

function openingOf(type: EventType, head: string): string {
  return `{"type":"${type}","object":${head}`;
}

const CLOSING = "}\n";

function errorStatus(error: Error): JsonObject {
  const status = error instanceof Refusal ? error.status : { message: error.message };
  const { kind, apiVersion, ...rest } = { kind: "Status", apiVersion: "v1", ...status };
  return { kind, apiVersion, metadata: {}, ...rest };
}
