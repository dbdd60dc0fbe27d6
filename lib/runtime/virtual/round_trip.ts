/** One request and its response in a virtual network: a `Request` for the server's function, its `Response` for the client. */

import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import type { HttpRequest, HttpResponse, Random } from "../host.ts";
import { type Activity, turn, type Work } from "./activity.ts";
import { type ClientLine, UpgradeResponse } from "./upgrade.ts";

/** The request of a round trip, and its answer. */
export interface VirtualRoundTripOptions {
  readonly url: string;
  readonly request: HttpRequest;
  readonly activity: Activity;
  /** By which the answer, and each piece of it, is late. Undefined: it is not. */
  readonly latency?: Random;
  /** Where the round trip stands while it is open. */
  readonly sets: readonly Set<VirtualRoundTrip>[];
}

/** How late an answer can be, in turns of the event loop. */
const MOST_TURNS = 12;

/** An error as `node:` sockets give them. */
export function networkError(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}

/** A request on its way, and then its response. */
export class VirtualRoundTrip implements HttpResponse {
  /** Settles with the response's head. */
  readonly head: Promise<HttpResponse>;
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  warning: string | undefined;
  readonly #options: VirtualRoundTripOptions;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (reason: unknown) => void;
  /** Rejects when the round trip breaks. */
  readonly #broken: Promise<never>;
  readonly #break: (reason: unknown) => void;
  #isBroken = false;
  /** Ends the waiting for the next chunk. */
  #interrupt: ((reason: unknown) => void) | undefined;
  /** Aborts on the server's side. */
  readonly #controller = new AbortController();
  readonly #onAbort = (): void => this.fail(this.#options.request.signal?.reason);
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** After a change of protocol. */
  #line: ClientLine | undefined;
  #hasHead = false;
  #isTaken = false;
  #isOver = false;
  #text: Work | undefined;

  constructor(options: VirtualRoundTripOptions) {
    const head = Promise.withResolvers<HttpResponse>();
    const broken = Promise.withResolvers<never>();
    this.head = head.promise;
    this.#resolve = head.resolve;
    this.#reject = head.reject;
    this.#broken = broken.promise;
    this.#break = broken.reject;
    this.#broken.catch(() => {});
    this.#options = options;
    for (const set of options.sets) set.add(this);
    options.request.signal?.addEventListener("abort", this.#onAbort);
  }

  /** Whether the head or the end of a text is being waited for. */
  get isInFlight(): boolean {
    return !this.#isOver && (!this.#hasHead || this.#text !== undefined);
  }

  /** Hands the request over to the server's function. */
  start(fetch: (request: Request) => Response | Promise<Response>): void {
    const { activity } = this.#options;
    const answer = activity.run(async () => {
      // As with a socket, the other side sees the request in a later turn; loops of requests cannot starve the event loop.
      await turn();
      if (this.#isOver) return;
      const response = await fetch(this.#toRequest());
      await this.#delay();
      this.#begin(response);
    });
    answer.catch((error) => this.fail(error));
  }

  get body(): AsyncIterable<Uint8Array> {
    this.#take();
    return this.#chunks();
  }

  async text(): Promise<string> {
    this.#take();
    this.#text = this.#options.activity.begin();
    try {
      const chunks: Uint8Array[] = [];
      for (;;) {
        const chunk = await this.#next();
        if (!chunk) break;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString("utf8");
    } finally {
      this.#text.end();
      this.#text = undefined;
    }
  }

  cancel(): void {
    this.fail(new Error("The response was cancelled"));
  }

  send(bytes: Uint8Array): void {
    this.#options.activity.touch();
    this.#line?.send(bytes);
  }

  /** Ends the round trip at once on both sides; whoever waits on the client's side gets the reason. */
  fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#finish();
    this.#reject(reason);
    this.#isBroken = true;
    this.#break(reason);
    this.#interrupt?.(reason);
    this.#controller.abort(new DOMException("The client has gone", "AbortError"));
    this.#reader?.cancel(reason).catch(() => {});
  }

  #toRequest(): Request {
    const { url, request } = this.#options;
    const body = request.body === undefined || request.body === "" ? undefined : request.body as BodyInit;
    return new Request(url, {
      method: request.method,
      headers: Object.entries(request.headers).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value])
      ),
      body,
      signal: this.#controller.signal,
    });
  }

  #begin(response: Response): void {
    if (this.#isOver) return void response.body?.cancel().catch(() => {});
    this.status = response.status;
    this.headers = Object.fromEntries(response.headers);
    this.warning = this.headers["warning"];
    const encoded = this.headers["content-encoding"] === "gzip" && response.body
      ? decode(response.body)
      : response.body;
    if (response instanceof UpgradeResponse) {
      if (this.#options.request.mayUpgrade !== true) {
        return this.fail(networkError("EPROTO", "The server wants to speak another protocol"));
      }
      this.#line = response.open();
    }
    this.#reader = (this.#line?.received ?? encoded ?? undefined)?.getReader();
    this.#hasHead = true;
    if (!this.#reader) this.#finish();
    this.#resolve(this);
  }

  #take(): void {
    if (this.#isTaken) throw new Error("Cannot read a response twice");
    this.#isTaken = true;
  }

  /** Not a generator: leaving one that waits for a chunk would wait for that chunk too. */
  #chunks(): AsyncIterableIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        const value = await this.#next();
        return value ? { done: false, value } : { done: true, value: undefined };
      },
      return: () => {
        this.cancel();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** NB: a race with a promise that lives as long as the stream would keep every chunk for as long. */
  #read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): Promise<Awaited<ReturnType<typeof reader.read>>> {
    if (this.#isBroken) return this.#broken;
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      reader.read().then(resolve, reject);
    });
  }

  async #next(): Promise<Uint8Array | undefined> {
    const reader = this.#reader;
    if (!reader) return undefined;
    const result = await this.#read(reader).catch((error) => {
      if (this.#isOver) throw error;
      // As on a socket, the client does not learn why the server broke off.
      this.fail(
        networkError("ECONNRESET", "The server closed the connection in the middle of the response", error),
      );
      return this.#broken;
    });
    if (!result.done && !this.#isOver) {
      await this.#delay();
      // It may have been given up meanwhile.
      if (this.#isOver) return await this.#broken;
    }
    this.#options.activity.touch();
    this.#text?.touch();
    if (!result.done) return result.value;
    this.#finish();
    return undefined;
  }

  /** Is late: a write may be seen on a stream before its answer has come, or long after it. */
  async #delay(): Promise<void> {
    const { latency, activity } = this.#options;
    if (latency === undefined) return;
    for (let turns = Math.floor(latency.next() ** 3 * MOST_TURNS); turns > 0; turns--) {
      activity.touch();
      await turn();
    }
  }

  #finish(): void {
    this.#isOver = true;
    this.#line?.close();
    this.#options.activity.touch();
    for (const set of this.#options.sets) set.delete(this);
    this.#options.request.signal?.removeEventListener("abort", this.#onAbort);
  }
}

/** Decodes as a whole: compressed answers are lists and documents, never watches. */
function decode(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      const bytes = new Uint8Array(await new Response(body).arrayBuffer());
      controller.enqueue(new Uint8Array(gunzipSync(bytes)));
      controller.close();
    },
  });
}
