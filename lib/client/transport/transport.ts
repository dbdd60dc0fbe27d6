/**
 * The single door to an API server: credentials, timeouts, retries, Retry-After, and the observers of requests.
 *
 * Everything that Lotse asks of a server, from any layer, is one call of `request()` (an answer as a whole) or `stream()`
 * (an answer as it comes). It runs once for each write of each handled object, so it is kept lean: no URL is parsed, one
 * timer is set and cleared, and headers are built once per connection info.
 */

import type { Resource } from "../../model/resource.ts";
import type { Host, HttpResponse, Seconds } from "../../runtime/host.ts";
import { formatJson, parseJson } from "../../runtime/json.ts";
import type { Logger } from "../../runtime/logging.ts";
import { VERSION } from "../../runtime/version.ts";
import type { NetworkingSettings } from "../../settings/sections.ts";
import type { ConnectionInfo, Credentials, HeaderFields } from "../auth/connection_info.ts";
import { Congestion, isOverload } from "./congestion.ts";
import { type Attempt, CallerSignals, Deadline } from "./deadline.ts";
import { ApiError, isUnready, LoginError, type MissingRight, toApiError } from "../errors.ts";
import { limitedBy, type Permit } from "./permit.ts";
import { isHopelessApply, isRetriable, isUntrusted, nextDelay, startBackoffs } from "./retries.ts";
import { type Session, Sessions } from "./sessions.ts";
import { Warnings } from "./warnings.ts";

const USER_AGENT = `lotse/${VERSION}`;

/** How often in a row fresh credentials may be refused before a request gives up. */
const UNAUTHORIZED_LIMIT = 5;

/** The object of a request, for observers that count or record: metrics, rights, plans. */
export interface RequestSubject {
  /** In Kubernetes' words: get, list, watch, create, update, patch, delete. */
  readonly verb: string;
  readonly resource: Pick<Resource, "group" | "version" | "plural">;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** One request, however often it is sent. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, beginning with a slash. */
  readonly path: string;
  /** A string or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  /** Default: "application/json". */
  readonly contentType?: string;
  /** Default: "application/json". */
  readonly accept?: string;
  /** Asks for a compressed answer: for lists. Default: false. */
  readonly gzip?: boolean;
  /** Returns the answer as text instead of parsing it. Default: false. */
  readonly text?: boolean;
  /** For one attempt (for streams: until its head has come), in seconds; null: none. Default: as `networking` says. */
  readonly timeout?: Seconds | null;
  /** Default: `networking.errorBackoffs`. Empty: one attempt only. */
  readonly backoffs?: Seconds | Iterable<Seconds>;
  /** Headers that ask for another protocol on the connection; for streams. An answer that does not change it is an error. */
  readonly upgrade?: Readonly<HeaderFields>;
  /** Whether it goes before others where requests have to wait. Default: false. */
  readonly urgent?: boolean;
  /** Aborting ends the request, or its stream, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Under which a write is sent; null: it needs none. Default: the permit of the caller (`TransportOptions.permit`). */
  readonly permit?: Permit | null;
  /** Where failed attempts are told. Default: the transport's. */
  readonly logger?: Logger;
  readonly subject?: RequestSubject;
}

/** An answer that does not refuse. */
export interface ApiResponse<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: T;
}

/** The part of an observer that sees each attempt of each request. Must not throw, must not wait, must not change anything. */
export interface RequestObserver {
  /** May return headers that are sent with this attempt. */
  requestBegins?(request: ApiRequest, attempt: Attempt): HeaderFields | void;
  requestEnds?(request: ApiRequest, outcome: AttemptOutcome, attempt: Attempt): void;
  /** Called when an answer, or some lines of a stream, were decoded. */
  decoded?(request: Pick<ApiRequest, "subject">, seconds: Seconds): void;
}

/** How an attempt ended; for streams: how it began. */
export interface AttemptOutcome extends Attempt {
  /** Undefined if no answer came. */
  readonly status: number | undefined;
  readonly seconds: Seconds;
  /** The answer's parsed body (or text); undefined for streams and errors. */
  readonly body?: unknown;
  readonly error?: unknown;
}

export type { Attempt } from "./deadline.ts";

export interface TransportOptions {
  readonly host: Host;
  readonly credentials: Credentials;
  /** Read anew for each request, so that changes count. */
  readonly networking: NetworkingSettings;
  readonly logger: Logger;
  /** Default: "lotse/<version>". */
  readonly userAgent?: string;
  /** Default: no observer. */
  readonly observer?: RequestObserver;
  /**
   * Whether it sends nothing that could change the cluster: reads, and reviews of the caller's own rights, which the server answers
   * and does not store. Anything else fails with a TypeError before a connection is used. Default: false.
   */
  readonly readOnly?: boolean;
  /** Returns the permit of the handler that makes the request; undefined if it needs none. Default: no request needs one. */
  readonly permit?: () => Permit | undefined;
}

/** Reviews that answer a question about the caller, and store nothing. */
const OWN_REVIEW =
  /^\/apis\/(?:authorization\.k8s\.io\/v1\/selfsubject(?:access|rules)reviews|authentication\.k8s\.io\/v1\/selfsubjectreviews)$/;

/** NB: exec, attach and port-forward are GET requests, too, and a proxy passes them on to programs. */
const REACHES_PROGRAMS = /\/(?:exec|attach|portforward|proxy)(?:[/?]|$)/;

/** @throws {TypeError} If a request could change something. */
function rejectWrite(method: string, path: string): void {
  if (method === "GET" && !REACHES_PROGRAMS.test(path)) return;
  if (method === "POST" && OWN_REVIEW.test(path)) return;
  throw new TypeError(`Cannot send ${method} ${path}: this client only reads`);
}

type Finish<R> = (response: HttpResponse, attempt: Attempt) => R | Promise<R>;

/** Sends requests to one API server. Disposing closes its connections, and ends requests in flight. */
export class Transport implements Disposable {
  readonly host: Host;
  readonly networking: NetworkingSettings;
  readonly logger: Logger;
  /** Kinds ("plural.version.group") whose lists this server does not stream. Filled by watches. */
  readonly unstreamed: Set<string> = new Set();
  readonly #credentials: Credentials;
  readonly #observer: RequestObserver;
  readonly #permit: TransportOptions["permit"];
  readonly #isReadOnly: boolean;
  readonly #sessions: Sessions;
  readonly #warnings: Warnings;
  /** How many requests may be under way at once, and which of them have to wait. */
  readonly congestion: Congestion;
  readonly #callers = new CallerSignals();
  /** Aborts when the transport is disposed of. */
  readonly #closing = new AbortController();

  constructor(options: TransportOptions) {
    const { host, credentials, networking, logger, userAgent = USER_AGENT, observer = {} } = options;
    this.#permit = options.permit;
    this.#isReadOnly = options.readOnly === true;
    this.host = host;
    this.networking = networking;
    this.logger = logger;
    this.#credentials = credentials;
    this.#observer = observer;
    this.#sessions = new Sessions({ host, networking, userAgent, logger });
    this.#warnings = new Warnings(logger);
    const limit = (): number => networking.requestLimit ?? Infinity;
    this.congestion = new Congestion({ clock: host.clock, logger, limit });
  }

  /** The URL of the connection in use; undefined before the first request. */
  get server(): string | undefined {
    return this.#credentials.peek?.()?.server;
  }

  /** The namespace of the connection in use; "default" if it names none, or before the first request. */
  get defaultNamespace(): string {
    return this.#credentials.peek?.()?.defaultNamespace ?? "default";
  }

  /**
   * Sends a request, again and again where that may help, and returns the whole answer.
   *
   * @throws {ApiError} If the server refuses.
   * @throws {LoginError} If there are no credentials that it takes.
   * @throws {PermitEndedError} If it is a write whose permit has ended before it could be sent.
   * @throws {SyntaxError} If its answer is not JSON.
   */
  request<T = unknown>(request: ApiRequest): Promise<ApiResponse<T>> {
    const sent = this.#permit === undefined ? request : this.#underPermit(request);
    return this.#repeat(sent, async (response, attempt): Promise<ApiResponse<T>> => {
      const text = await response.text();
      attempt.answer = text;
      // The caller narrows the answer; T is the type that it expects.
      const body = (request.text ? text : this.decode(request, () => parseAnswer(text, request))) as T;
      return {
        status: response.status,
        // Hosts join them when they are asked for, and hardly anybody asks.
        get headers() {
          return response.headers;
        },
        body,
      };
    });
  }

  /** Sends a request in the same way, and returns the answer as soon as its head has come. The caller reads or cancels it. */
  stream(request: ApiRequest): Promise<HttpResponse> {
    const { permit, signal } = this.#underPermit(request);
    if (!permit) return this.#repeat(request, undefined);
    const all = signal === undefined ? permit.signal : AbortSignal.any([signal, permit.signal]);
    return this.#repeat({ ...request, signal: all }, undefined);
  }

  /** Returns the request with the permit of its caller, if it has none of its own. NB: at once, as the caller's context is lost later. */
  #underPermit(request: ApiRequest): ApiRequest {
    if (request.permit !== undefined) return request;
    const permit = this.#permit?.();
    return permit === undefined ? request : { ...request, permit };
  }

  /** Decodes the bytes of an answer, and tells the observer how long that took. */
  decode<T>(request: Pick<ApiRequest, "subject">, run: () => T): T {
    if (this.#observer.decoded === undefined) return run();
    const begun = this.host.clock.monotonic();
    const decoded = run();
    const seconds = this.host.clock.monotonic() - begun;
    this.#observer.decoded(request, seconds);
    return decoded;
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.congestion[Symbol.dispose]();
    this.#sessions[Symbol.dispose]();
  }

  #repeat(request: ApiRequest, finish: undefined): Promise<HttpResponse>;
  #repeat<R>(request: ApiRequest, finish: Finish<R>): Promise<R>;
  async #repeat<R>(request: ApiRequest, finish: Finish<R> | undefined): Promise<R | HttpResponse> {
    let backoffs: Iterator<Seconds> | undefined;
    let refused = 0;
    for (let number = 1;; number++) {
      const info = await this.#credentials.current(request.signal);
      request.signal?.throwIfAborted();
      try {
        const attempt = (): Promise<R | HttpResponse> => this.#attempt(request, { info, number, finish });
        // Streams last for ever: if they counted, an operator of many kinds would have no request left to write with.
        const result = await (finish === undefined ? attempt() : this.congestion.run(request, attempt));
        this.#credentials.confirm?.(info);
        return result;
      } catch (error) {
        request.signal?.throwIfAborted();
        if (error instanceof ApiError && error.status === 401) {
          this.#renew(info, error, ++refused);
        } else if (!isUntrusted(error) || !(await this.#credentials.reread?.(info))) {
          if (!isRetriable(error) || isHopelessApply(error, request.contentType, number)) throw error;
          backoffs ??= startBackoffs(request.backoffs ?? this.networking.errorBackoffs);
          await this.#pause(request, { error, number, backoffs });
        }
      }
    }
  }

  async #attempt<R>(
    request: ApiRequest,
    options: { info: ConnectionInfo; number: number; finish: Finish<R> | undefined },
  ): Promise<R | HttpResponse> {
    const { info, number, finish } = options;
    const { requestTimeout, responseTimeout } = this.networking;
    // The last step before the socket: queues, pauses and failed attempts lie behind.
    const limited = request.permit && request.method !== "GET"
      ? limitedBy(request.permit, {
        path: request.path,
        timeout: request.timeout === undefined ? requestTimeout : request.timeout,
      })
      : undefined;
    const session = this.#sessions.for(info);
    const attempt: Attempt = { number, started: this.host.clock.monotonic() };
    const headers = this.#observer.requestBegins?.(request, attempt) ?? undefined;
    const { timeout = requestTimeout, signal } = request;
    const deadline = new Deadline({
      clock: this.host.clock,
      timeout: limited === undefined ? timeout : limited.timeout,
      // Streams may be silent for long.
      responseTimeout: finish === undefined || request.timeout !== undefined ? null : responseTimeout,
      signal,
      stream: finish === undefined,
      callers: this.#callers,
    });
    let status: number | undefined;
    try {
      const path = limited?.path ?? request.path;
      const response = await this.#send(session, request, {
        path,
        signal: deadline.signal,
        headers,
        attempt,
      });
      status = response.status;
      deadline.answered();
      if (status >= 400) {
        const text = await response.text();
        attempt.answer = text;
        throw toApiError(response, { request: labelOf(request), text, right: rightTo(request) });
      }
      if (request.upgrade !== undefined && status !== 101) {
        response.cancel();
        throw new Error(
          `The server does not change the protocol for "${labelOf(request)}": it answers ${status}`,
        );
      }
      if (response.warning !== undefined) this.#warnings.report(response.warning, labelOf(request));
      const result = finish === undefined ? response : await finish(response, attempt);
      if (finish !== undefined && this.congestion.isOn) this.congestion.answered(request, response.headers);
      if (this.#observer.requestEnds !== undefined) {
        this.#tell(request, attempt, { status, body: finish && bodyOf(result) });
      }
      return result;
    } catch (error) {
      if (finish !== undefined && error instanceof ApiError) {
        this.congestion.refused(request, { error, started: attempt.started });
      }
      if (this.#observer.requestEnds !== undefined) this.#tell(request, attempt, { status, error });
      throw error;
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  #send(
    session: Session,
    request: ApiRequest,
    { path, signal, headers, attempt }: {
      readonly path: string;
      readonly signal: AbortSignal | undefined;
      readonly headers: HeaderFields | undefined;
      readonly attempt: Attempt;
    },
  ): Promise<HttpResponse> {
    const { method, body, permit, upgrade } = request;
    if (this.#isReadOnly) rejectWrite(method, path);
    const own = headersOf(session, request);
    attempt.sent = body === undefined || typeof body === "string" || body instanceof Uint8Array
      ? body
      : formatJson(body);
    return session.connection.request({
      method,
      path,
      headers: headers === undefined && upgrade === undefined ? own : { ...own, ...headers, ...upgrade },
      body: attempt.sent,
      signal,
      mayUpgrade: upgrade !== undefined,
      mayBegin: permit && method !== "GET" ? () => permit.timeLeft() > 0 : undefined,
    });
  }

  /** Has the credentials replaced that the server has just refused. */
  #renew(info: ConnectionInfo, error: ApiError, refused: number): void {
    this.#credentials.invalidate(info, error);
    if (refused < UNAUTHORIZED_LIMIT || this.#credentials.confirm !== undefined) return;
    const message =
      `Cannot log in to "${info.server}": it refused ${refused} sets of fresh credentials in a row`;
    throw new LoginError(message, { cause: error });
  }

  async #pause(
    request: ApiRequest,
    options: { error: unknown; number: number; backoffs: Iterator<Seconds> },
  ): Promise<void> {
    const { error, number, backoffs } = options;
    const delay = nextDelay(backoffs, error, this.networking.enforceRetryAfter);
    if (delay === undefined) throw error;
    const logger = request.logger ?? this.logger;
    // Overload is told once, and not with each request; and a new kind is ready soon.
    logger[isOverload(error) || isUnready(error) ? "debug" : "warn"]("Request failed, will be sent again", {
      request: labelOf(request),
      attempt: number,
      delay,
      error,
    });
    const { signal: closing } = this.#closing;
    const { signal = closing } = request;
    await this.host.clock.sleep(delay, signal === closing ? closing : AbortSignal.any([signal, closing]));
    request.signal?.throwIfAborted();
    if (closing.aborted) throw error;
  }

  #tell(
    request: ApiRequest,
    attempt: Attempt,
    outcome: Pick<AttemptOutcome, "status" | "body" | "error">,
  ): void {
    const seconds = this.host.clock.monotonic() - attempt.started;
    this.#observer.requestEnds?.(request, { ...attempt, ...outcome, seconds }, attempt);
  }
}

function headersOf(session: Session, request: ApiRequest): Readonly<HeaderFields> {
  const { accept, body, contentType = "application/json" } = request;
  const gzip = request.gzip === true && session.isCompressed;
  if (accept === undefined && !gzip) {
    return body === undefined ? session.headers : typedHeaders(session, contentType);
  }
  const headers: HeaderFields = { ...session.headers };
  if (accept !== undefined) headers["accept"] = accept;
  if (body !== undefined) headers["content-type"] = contentType;
  if (gzip) headers["accept-encoding"] = "gzip";
  return headers;
}

/** So many types of bodies are remembered: patches have four, and programs may send any. */
const MOST_TYPES = 16;

function typedHeaders({ headers, typed }: Session, contentType: string): Readonly<HeaderFields> {
  const known = typed.get(contentType);
  if (known !== undefined) return known;
  const made = Object.freeze({ ...headers, "content-type": contentType });
  if (typed.size < MOST_TYPES) typed.set(contentType, made);
  return made;
}

function parseAnswer(text: string, request: ApiRequest): unknown {
  if (text === "") return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    throw new SyntaxError(`Cannot read the answer to "${labelOf(request)}": it is not JSON`, {
      cause: error,
    });
  }
}

/** "GET /api/v1/pods": without the query, which may be long. */
function labelOf(request: ApiRequest): string {
  const { method, path } = request;
  const end = path.indexOf("?");
  return `${method} ${end < 0 ? path : path.slice(0, end)}`;
}

/** Returns the right that a role must allow for the request to be answered. */
function rightTo({ subject }: ApiRequest): MissingRight | undefined {
  if (subject === undefined) return undefined;
  const { verb, resource: { group, plural }, subresource } = subject;
  return { verb, group, resource: subresource === undefined ? plural : `${plural}/${subresource}` };
}

function bodyOf(result: unknown): unknown {
  return (result as { body?: unknown }).body;
}
