/**
 * One request and its response on `node:http`: who waits for what, and how each way of breaking ends it.
 *
 * Deno, Bun and Node agree on what goes right, and differ in which events they emit when something breaks (`error` on the
 * request, on the response, `aborted`, or only `close`). So all of them lead to `fail()`, where the first reason wins.
 */

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { createGunzip } from "node:zlib";
import { BodyReader } from "./node_body.ts";
import type { HttpResponse, Seconds } from "./host.ts";

/** What an exchange runs in. */
export interface ExchangeOptions {
  readonly signal?: AbortSignal;
  readonly connectTimeout?: Seconds;
  /** The exchanges in flight; this one is in there until its response has been read. */
  readonly open: Set<Exchange>;
  readonly brake?: Brake;
}

/**
 * Makes a socket stop reading, or go on: for runtimes on which pausing a response alone does not reach the socket.
 *
 * Held sockets do not see that the other side has closed, as paused ones never do.
 */
export type Brake = (socket: Socket, isHeld: boolean) => void;

/** A request on its way, and then its response. */
export class Exchange implements HttpResponse {
  /** Settles with the response's head. */
  readonly head: Promise<HttpResponse>;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #request: ClientRequest;
  readonly #signal: AbortSignal | undefined;
  readonly #open: Set<Exchange>;
  readonly #brake: Brake | undefined;
  readonly #onAbort = (): void => this.fail(this.#signal?.reason);
  #message: IncomingMessage | undefined;
  #reader: BodyReader | undefined;
  #headers: Record<string, string> | undefined;
  #isOver = false;
  #isHeld = false;
  #failure: { readonly reason: unknown } | undefined;

  constructor(request: ClientRequest, { signal, connectTimeout, open, brake }: ExchangeOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.head = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#request = request;
    this.#signal = signal;
    this.#open = open;
    this.#brake = brake;
    open.add(this);
    signal?.addEventListener("abort", this.#onAbort);
    request.on("response", (message: IncomingMessage) => this.#begin(message));
    request.on("error", (error) => this.fail(error));
    request.on("close", () => this.#message || this.#lose());
    if (connectTimeout !== undefined) limitConnecting(request, connectTimeout, (error) => this.fail(error));
  }

  get status(): number {
    return this.#message?.statusCode ?? 0;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers ??= joinHeaders(this.#message?.headers ?? {});
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  text(): Promise<string> {
    return this.#read().text();
  }

  cancel(): void {
    if (this.#isOver) return;
    // Nothing is to come: reading to the end costs nothing and keeps the connection for others.
    if (this.status !== 204 && this.headers["content-length"] !== "0") {
      return this.fail(new Error("The response was cancelled"));
    }
    this.#hold(false);
    this.#message?.resume();
  }

  /** Ends the exchange at once; whoever waits for the head or the body gets the reason. */
  fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#failure = { reason };
    this.#end();
    this.#reject(reason);
    this.#reader?.fail(reason);
    this.#request.destroy();
  }

  #begin(message: IncomingMessage): void {
    this.#message = message;
    message.on("error", (error) => this.fail(error));
    message.on("close", () => this.#lose());
    message.on("end", () => message.complete === false ? this.#lose() : this.#end());
    this.#resolve(this);
    // Most responses are read at once, and stopping the socket for them would cost more than it saves.
    if (this.#brake && !isShort(message)) {
      setImmediate(() => this.#reader || this.#isOver || this.#hold(true));
    }
  }

  /** Something has closed: too early, unless the exchange is over (errors cost time, and this comes with each response). */
  #lose(): void {
    if (!this.#isOver) {
      this.fail(resetError(this.#message ? "in the middle of the response" : "before the response"));
    }
  }

  #hold(isHeld: boolean): void {
    const socket = this.#message?.socket;
    // NB: when the exchange is over, the socket belongs to another one.
    if (!socket || isHeld === this.#isHeld || this.#isOver) return;
    this.#isHeld = isHeld;
    this.#brake?.(socket, isHeld);
  }

  #read(): BodyReader {
    const message = this.#message;
    if (!message) throw new Error("Cannot read a response that has not come");
    if (this.#reader) throw new Error("Cannot read a response twice");
    this.#reader = new BodyReader(this.#decode(message), {
      cancel: () => this.cancel(),
      hold: (isHeld) => this.#hold(isHeld),
    });
    if (this.#failure) this.#reader.fail(this.#failure.reason);
    return this.#reader;
  }

  #decode(message: IncomingMessage): Readable {
    if (message.headers["content-encoding"] !== "gzip") return message;
    const decoder = createGunzip();
    decoder.on("error", (error) => {
      this.fail(error);
      // The message may have come to its end, and what is in it be wrong all the same.
      this.#reader?.fail(error);
    });
    return message.pipe(decoder);
  }

  #end(): void {
    this.#hold(false);
    this.#isOver = true;
    this.#open.delete(this);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}

function joinHeaders(headers: IncomingMessage["headers"]): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ");
  }
  return joined;
}

/** Whether a response says that it is too short to be worth stopping the socket for. */
function isShort({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"]) < 65_536;
}

function resetError(when: string): Error {
  return Object.assign(new Error(`The server closed the connection ${when}`), { code: "ECONNRESET" });
}

function limitConnecting(request: ClientRequest, seconds: Seconds, fail: (error: Error) => void): void {
  const timer = setTimeout(() => {
    const error = new Error(`Cannot connect to the server: no connection after ${seconds} s`);
    // NB: a request without a socket that is destroyed says so only when it gets one.
    fail(Object.assign(error, { code: "ETIMEDOUT" }));
  }, seconds * 1000);
  const stop = () => clearTimeout(timer);
  request.on("close", stop);
  request.on("response", stop);
  request.on("socket", (socket: Socket) => {
    if (!socket.connecting) return stop();
    socket.once("encrypted" in socket ? "secureConnect" : "connect", stop);
  });
}
