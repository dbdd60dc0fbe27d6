/**
 * One request and its response: its waiting parts, and how each way of breaking ends it.
 *
 * The connection feeds it (`ResponseSink`); whatever breaks leads to `fail()`, where the first reason wins.
 */

import type { Buffer } from "node:buffer";
import process from "node:process";
import type { Gunzip } from "node:zlib";
import type { HttpResponse } from "../host.ts";
import { BodyReader, type BodySource } from "./body_reader.ts";
import type { ResponseFields } from "./response_fields.ts";
import type { ResponseSink } from "./response_reader.ts";

/** The connection that a request has been given, as far as its round trip needs it. */
export interface Line {
  /** Sends bytes that are no HTTP. */
  write(bytes: Uint8Array): void;
  /** Has the socket stop reading, or go on. */
  hold(isHeld: boolean): void;
  /** Closes the connection. */
  destroy(): void;
  /** Closes the other idle connections: they may be as dead as this one. */
  distrust(): void;
  /** The response is whole: the connection is free for another request, if it can take one. */
  release(isReusable: boolean): void;
}

/** A request on its way, and then its response. */
export class RoundTrip implements HttpResponse, ResponseSink, BodySource {
  /** Settles with the response's head. */
  readonly whenHead: Promise<HttpResponse>;
  status = 0;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #open: Set<RoundTrip>;
  readonly #onAbort = (): void => this.fail(this.#signal?.reason);
  readonly #body = new BodyReader(this);
  #fields: ResponseFields | undefined;
  #line: Line | undefined;
  #decoder: Gunzip | undefined;
  #isOver = false;
  #isTaken = false;

  constructor({ signal, open }: { readonly signal?: AbortSignal; readonly open: Set<RoundTrip> }) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.whenHead = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.#open = open;
    open.add(this);
    signal?.addEventListener("abort", this.#onAbort);
  }

  /** Whether it has ended: later bytes do not matter any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** It is sent on this connection. */
  begin(line: Line): void {
    this.#line = line;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#fields?.all ?? {};
  }

  get warning(): string | undefined {
    return this.#fields?.warning;
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#take();
  }

  text(): Promise<string> {
    return this.#take().text();
  }

  cancel(): void {
    if (this.#isOver) return;
    this.fail(new Error("The response was cancelled"));
  }

  send(bytes: Uint8Array): void {
    if (this.status === 101) this.#line?.write(bytes);
  }

  head(status: number, fields: ResponseFields): void {
    this.status = status;
    this.#fields = fields;
    if (fields.contentEncoding === "gzip") this.#decoder = this.#decode();
    this.#resolve(this);
  }

  data(chunk: Buffer): void {
    if (this.#decoder === undefined) this.#body.push(chunk);
    else if (!this.#decoder.write(chunk)) this.#line?.hold(true);
  }

  end(isReusable: boolean): void {
    if (this.#isOver) return;
    const line = this.#line;
    this.#finish();
    if (this.#decoder === undefined) this.#body.end();
    else this.#decoder.end();
    line?.release(isReusable);
  }

  /** Ends the round trip at once; whoever waits for the head or the body gets the reason. */
  fail(reason: unknown): void {
    if (this.#isOver) return;
    const line = this.#line;
    this.#finish();
    this.#reject(reason);
    this.#body.fail(reason);
    this.#decoder?.destroy();
    if (this.status === 0 && isTimeout(reason)) line?.distrust();
    line?.destroy();
  }

  /** The connection has closed before the response was whole. */
  lose(): void {
    this.fail(resetError(this.status === 0 ? "before the response" : "in the middle of the response"));
  }

  hold(isHeld: boolean): void {
    if (this.#decoder === undefined) this.#line?.hold(isHeld);
    // Chunks that it cannot pass on fill it up, and hold the connection.
    else if (isHeld) this.#decoder.pause();
    else this.#decoder.resume();
  }

  #take(): BodyReader {
    if (this.#isTaken) throw new Error("Cannot read a response twice");
    this.#isTaken = true;
    return this.#body;
  }

  #decode(): Gunzip {
    // Not imported: few answers are compressed, and the first ones are not.
    const decoder = process.getBuiltinModule("node:zlib").createGunzip();
    decoder.on("data", (chunk: Buffer) => this.#body.push(chunk));
    decoder.on("drain", () => this.#line?.hold(false));
    decoder.on("end", () => this.#body.end());
    decoder.on("error", (error) => {
      this.fail(error);
      // The response may have come to its end, and its content be wrong all the same.
      this.#body.fail(error);
    });
    return decoder;
  }

  #finish(): void {
    this.#isOver = true;
    this.#line = undefined;
    this.#open.delete(this);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}

function resetError(when: string): Error {
  return Object.assign(new Error(`The server closed the connection ${when}`), { code: "ECONNRESET" });
}
