/** Reads a response's body: as a whole, or chunk by chunk as it is asked for. */

import { Buffer } from "node:buffer";

/** So many bytes wait here before the connection is held, and then the sender. */
const MOST_WAITING = 64 * 1024;

/** Where a body comes from. */
export interface BodySource {
  /** The reader stops before the end. */
  cancel(): void;
  /** The reader wants no more for now, or wants more again. */
  hold(isHeld: boolean): void;
}

interface Waiter {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The reader of one body. It is its own iterator: a body is read once. */
export class BodyReader implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: BodySource;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #waiter: Waiter | undefined;
  /** The reader waits for the whole text. */
  #whole:
    | { readonly resolve: (text: string) => void; readonly reject: (reason: unknown) => void }
    | undefined;
  #isHeld = false;
  #isAtEnd = false;
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** The next bytes have come. */
  push(chunk: Buffer): void {
    if (this.#failure) return;
    const waiter = this.#waiter;
    if (waiter) {
      this.#waiter = undefined;
      return waiter.resolve({ done: false, value: chunk });
    }
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting >= MOST_WAITING && this.#whole === undefined) this.#hold(true);
  }

  /** All has come. */
  end(): void {
    if (this.#failure) return;
    this.#isAtEnd = true;
    this.#waiter?.resolve({ done: true, value: undefined });
    this.#waiter = undefined;
    this.#whole?.resolve(this.#allText());
    this.#whole = undefined;
  }

  /** Ends the reading with a reason; chunks that have come and were not read are dropped. */
  fail(reason: unknown): void {
    if (this.#failure || (this.#isAtEnd && this.#chunks.length === 0)) return;
    this.#failure = { reason };
    this.#chunks = [];
    this.#waiter?.reject(reason);
    this.#waiter = undefined;
    this.#whole?.reject(reason);
    this.#whole = undefined;
  }

  /** The whole body as UTF-8. */
  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure.reason);
      if (this.#isAtEnd) return resolve(this.#allText());
      this.#whole = { resolve, reject };
      this.#hold(false);
    });
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#waiting -= chunk.length;
      if (this.#chunks.length === 0) this.#hold(false);
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#failure) return Promise.reject(this.#failure.reason);
    if (this.#isAtEnd) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#waiter = { resolve, reject });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isAtEnd && !this.#failure) this.#source.cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array, undefined> {
    return this;
  }

  #hold(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.#source.hold(isHeld);
  }

  #allText(): string {
    const chunks = this.#chunks;
    this.#chunks = [];
    const [first] = chunks;
    if (first === undefined) return "";
    return (chunks.length === 1 ? first : Buffer.concat(chunks)).toString("utf8");
  }
}
