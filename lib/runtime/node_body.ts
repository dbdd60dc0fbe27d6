/** Reads a response's body from a `node:` stream: as a whole, or chunk by chunk as somebody asks for it. */

import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";

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
