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
import type { HttpResponse, Seconds } from "../host.ts";
import { Buffer } from "node:buffer";

/** The things that an exchange runs in. */
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

  get warning(): string | undefined {
    return this.#message?.headers.warning;
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

// Reads a response's body from a `node:` stream: as a whole, or chunk by chunk as somebody asks for it.

/** So many bytes wait here before the stream is paused, and then the socket, and then the sender. */
const MOST_WAITING = 64 * 1024;

/** Where a body comes from. */
export interface BodySource {
  /** Somebody stops reading before the end. */
  cancel(): void;
  /** Nothing more is wanted for now, or again. */
  hold(isHeld: boolean): void;
}

interface Waiter {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The reader of one body. It is its own iterator: a body is read once. */
export class BodyReader implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #stream: Readable;
  readonly #source: BodySource;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #waiter: Waiter | undefined;
  #isStarted = false;
  #isPaused = false;
  #isAtEnd = false;
  #failure: { readonly reason: unknown } | undefined;

  constructor(stream: Readable, source: BodySource) {
    this.#stream = stream;
    this.#source = source;
  }

  /** Ends the reading with a reason; chunks that have come and were not read are dropped. */
  fail(reason: unknown): void {
    if (this.#isAtEnd || this.#failure) return;
    this.#failure = { reason };
    this.#chunks = [];
    this.#waiter?.reject(reason);
    this.#waiter = undefined;
  }

  /** The whole body as UTF-8. */
  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure.reason);
      const chunks: Buffer[] = [];
      this.#waiter = { resolve: () => {}, reject };
      this.#source.hold(false);
      this.#stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      this.#stream.on("end", () => {
        this.#isAtEnd = true;
        resolve(
          chunks.length === 1 && chunks[0]
            ? chunks[0].toString("utf8")
            : Buffer.concat(chunks).toString("utf8"),
        );
      });
    });
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#waiting -= chunk.length;
      if (this.#isPaused && this.#chunks.length === 0) this.#resume();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#failure) return Promise.reject(this.#failure.reason);
    if (this.#isAtEnd) return Promise.resolve({ done: true, value: undefined });
    if (!this.#isStarted) this.#start();
    return new Promise((resolve, reject) => this.#waiter = { resolve, reject });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isAtEnd && !this.#failure) this.#source.cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array, undefined> {
    return this;
  }

  #start(): void {
    this.#isStarted = true;
    this.#source.hold(false);
    this.#stream.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#stream.on("end", () => {
      this.#isAtEnd = true;
      this.#waiter?.resolve({ done: true, value: undefined });
      this.#waiter = undefined;
    });
  }

  #take(chunk: Buffer): void {
    if (this.#failure) return;
    const waiter = this.#waiter;
    if (waiter) {
      this.#waiter = undefined;
      return waiter.resolve({ done: false, value: chunk });
    }
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting < MOST_WAITING || this.#isPaused) return;
    this.#isPaused = true;
    this.#stream.pause();
    this.#source.hold(true);
  }

  #resume(): void {
    this.#isPaused = false;
    this.#source.hold(false);
    this.#stream.resume();
  }
}
