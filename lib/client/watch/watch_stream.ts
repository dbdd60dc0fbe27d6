/**
 * One watch request: opens the stream, hands its events on, and ends it when it is silent or too old.
 *
 * Does not know versions or the meaning of events. Never sends the request twice (only with new credentials, after a
 * 401): whether to go on is the watch's decision.
 */

import type { Clock, Seconds } from "../../runtime/host.ts";
import { toTimeoutError } from "../transport/deadline.ts";
import { JsonLines } from "./json_lines.ts";
import type { RequestSubject, Transport } from "../transport/transport.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { ApiError, asStatus, isNamed } from "../errors.ts";
import { dropManagedFields } from "../list_pages.ts";
import { DisorderError } from "./stream_order.ts";
import type { Failure } from "./watcher_state.ts";

export interface StreamOptions {
  readonly transport: Transport;
  /** Path and query. */
  readonly path: string;
  readonly subject: RequestSubject;
  /** Default: "application/json". */
  readonly accept?: string;
  readonly signal: AbortSignal;
  /** For the head of the answer, in seconds; null: none. */
  readonly connectTimeout: Seconds | null;
  /** After how many seconds without a byte the stream is given up, while we wait for one. Asked again and again. */
  readonly inactivityTimeout: () => Seconds;
  /** After how many seconds the stream is given up; null: never. */
  readonly clientTimeout: Seconds | null;
  /** Called when the server has accepted. */
  readonly onOpen: () => void;
}

/** Why a stream ended without an error. ended: by the server. silent, expired: by us. */
export type StreamEnd = "ended" | "silent" | "expired";

/**
 * Returns the events, as many lines at once as a chunk holds.
 *
 * @throws {ApiError} If the server refuses; {Error} if the connection breaks or a line is not JSON; or the signal's reason.
 */
export async function* openStream(options: StreamOptions): AsyncGenerator<unknown[], StreamEnd, void> {
  const { transport, path, subject, signal, accept } = options;
  const limits = new StreamLimits(options);
  try {
    const response = await transport.stream({
      method: "GET",
      path,
      accept,
      subject,
      signal: limits.signal,
      timeout: null,
      backoffs: [],
    });
    limits.opened();
    options.onOpen();
    const lines = new JsonLines();
    for await (const chunk of response.body) {
      limits.heard();
      const { values, error } = transport.decode({ subject }, () => lines.push(chunk));
      if (values.length > 0) yield values;
      if (error !== undefined) throw error;
      limits.waiting();
    }
    const { values, error } = lines.end();
    if (values.length > 0) yield values;
    if (error !== undefined) throw error;
    return "ended";
  } catch (error) {
    // The limits end a stream by aborting it, which looks like an error from in here.
    if (limits.end !== undefined && !signal.aborted) return limits.end;
    throw error;
  } finally {
    limits[Symbol.dispose]();
  }
}

/** The timers of one stream. Disposing ends the request too. */
class StreamLimits implements Disposable {
  /** Why the stream was given up. */
  end: StreamEnd | undefined;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #options: StreamOptions;
  readonly #forward: () => void;
  readonly #expiry: Disposable | undefined;
  #connecting: Disposable | undefined;
  #silence: Disposable;
  /** Since when we wait for bytes; undefined while events are being handled, however slowly. */
  #waitingSince: Seconds | undefined;

  constructor(options: StreamOptions) {
    const { transport, signal, connectTimeout, clientTimeout } = options;
    this.#options = options;
    this.#clock = transport.host.clock;
    this.#forward = () => this.#controller.abort(signal.reason);
    if (signal.aborted) this.#forward();
    signal.addEventListener("abort", this.#forward, { once: true });
    if (connectTimeout !== null) {
      const giveUp = (): void => this.#controller.abort(toTimeoutError(connectTimeout));
      this.#connecting = this.#clock.after(connectTimeout, giveUp);
    }
    if (clientTimeout !== null) this.#expiry = this.#clock.after(clientTimeout, () => this.#stop("expired"));
    this.#silence = this.#clock.after(options.inactivityTimeout(), () => this.#checkSilence());
    this.waiting();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  opened(): void {
    this.#connecting?.[Symbol.dispose]();
    this.waiting();
  }

  heard(): void {
    this.#waitingSince = undefined;
  }

  waiting(): void {
    this.#waitingSince = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#options.signal.removeEventListener("abort", this.#forward);
    this.#connecting?.[Symbol.dispose]();
    this.#expiry?.[Symbol.dispose]();
    this.#silence[Symbol.dispose]();
    this.#controller.abort(new Error("The watch stream is not wanted any more"));
  }

  /** One timer for all chunks: it looks when it fires whether enough time has passed, and if not, waits for the rest. */
  #checkSilence(): void {
    const silent = this.#waitingSince === undefined ? 0 : this.#clock.monotonic() - this.#waitingSince;
    const rest = this.#options.inactivityTimeout() - silent;
    if (rest < 0.001) this.#stop("silent");
    else this.#silence = this.#clock.after(rest, () => this.#checkSilence());
  }

  #stop(end: StreamEnd): void {
    this.end = end;
    this.#controller.abort(new Error(`The watch stream is ${end}`));
  }
}

// Reads the lines of a watch stream: which are events of objects, which are bookmarks, which are errors.
// Pure. Source: Kubernetes API concepts, "Efficient detection of changes", "Watch bookmarks", "Streaming lists".

/** The annotation of the bookmark that ends a streamed list. */
const INITIAL_END = "k8s.io/initial-events-end";

/** One line, understood. */
export type StreamEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK"; readonly version: string | undefined; readonly initialEnd: boolean }
  | { readonly type: "ERROR"; readonly error: ApiError }
  | { readonly type: "UNKNOWN"; readonly name: string };

/** Returns the event of a line of a watch stream. A line without the form of an event is unknown. */
export function readStreamEvent(line: unknown, request: string): StreamEvent {
  if (!isObject(line)) return { type: "UNKNOWN", name: typeof line };
  const { type, object } = line;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return isKubeObject(object)
        ? { type, object: dropManagedFields(object) }
        : { type: "UNKNOWN", name: type };
    case "BOOKMARK":
      return readBookmark(object);
    case "ERROR":
      return { type, error: toStreamError(object, request) };
    default:
      return { type: "UNKNOWN", name: String(type) };
  }
}

function readBookmark(object: unknown): StreamEvent {
  const metadata = isKubeObject(object) ? object.metadata : {};
  const initialEnd = metadata.annotations?.[INITIAL_END] === "true";
  return { type: "BOOKMARK", version: metadata.resourceVersion, initialEnd };
}

/** An ERROR event is a refusal that came late, and is treated as one. */
function toStreamError(object: unknown, request: string): ApiError {
  const body = asStatus(object);
  const status = typeof body?.code === "number" ? body.code : 500;
  return new ApiError({
    status,
    request,
    body,
    text: body === undefined ? "an ERROR event in the stream" : undefined,
  });
}

function isKubeObject(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value["metadata"]);
}

// The end of a stream or a listing, as far as the watcher's next state depends on it.

/** A server was asked for a streamed list and sends none. */
export class UnstreamedError extends Error {
  constructor() {
    super("The server does not stream the list: it sends bookmarks without the end of the list");
  }
}

/** Returns the kind of failure that an error is to a watcher. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DisorderError) return "disorder";
  if (error instanceof UnstreamedError) return "unstreamed";
  if (error instanceof ApiError) {
    if (error.status === 410) return "expired";
    if (error.status === 400 || error.status === 422) return "rejected";
    if (error.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge")) return "behind";
    // An ERROR event: the server was there, and its event was no good.
    return error.request.startsWith("WATCH ") ? "garbled" : "other";
  }
  return isNamed(error, "SyntaxError") || isNamed(error, "RangeError") ? "garbled" : "other";
}
