/**
 * The host's connections over Bun's native `fetch`: a candidate that was put through the conformance suites, and not taken. What it
 * fails is in docs/decisions/0020-own-http-client.md; `lib/runtime/bun.ts` has to be pointed at it by hand to run them again.
 */

import type { Connection, ConnectOptions, HttpRequest, HttpResponse } from "../../lib/runtime/host.ts";
import { checkProxy, checkTls } from "../../lib/runtime/node/dial.ts";

/** Prepares requests to one server. */
export function connectFetch(options: ConnectOptions): Connection {
  checkTls(options);
  if (options.proxy !== undefined) checkProxy(options.proxy);
  return new FetchConnection(options);
}

/** Codes of Bun's own, and Node's in their place. */
const CODES: Readonly<Record<string, string>> = {
  ConnectionRefused: "ECONNREFUSED",
  ConnectionClosed: "ECONNRESET",
  FailedToOpenSocket: "ECONNREFUSED",
};

class FetchConnection implements Connection {
  readonly #prefix: string;
  readonly #options: object;
  readonly #open = new Set<AbortController>();
  #isDisposed = false;

  constructor({ server, ca, cert, key, insecure, serverName, proxy }: ConnectOptions) {
    const url = new URL(server);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new TypeError(`Cannot connect to "${server}": only http: and https: are known`);
    }
    this.#prefix = url.origin + url.pathname.replace(/(?<!\/)\/+$/, "");
    const tls = { ca, cert, key, serverName, rejectUnauthorized: insecure !== true };
    this.#options = { redirect: "manual", timeout: false, tls, ...proxy !== undefined && { proxy } };
  }

  async request({ method, path, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
    if (this.#isDisposed) throw new Error("Cannot send a request: the connection was closed");
    if (signal?.aborted) throw signal.reason;
    if (/[\0-\x20\x7f]/.test(path)) {
      throw new TypeError(`Cannot send a request: its path is not encoded: ${path}`);
    }
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    this.#open.add(controller);
    const over = (): void => {
      this.#open.delete(controller);
      signal?.removeEventListener("abort", onAbort);
    };
    try {
      const response = await fetch(this.#prefix + path, {
        method,
        headers: joined(headers),
        body: body as BodyInit | undefined, // texts and bytes are bodies
        signal: controller.signal,
        ...this.#options,
      });
      return new FetchResponse(response, { controller, over });
    } catch (error) {
      over();
      throw controller.signal.aborted ? controller.signal.reason : toNode(error);
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const controller of [...this.#open]) controller.abort(new Error("The connection was closed"));
  }
}

interface Life {
  readonly controller: AbortController;
  readonly over: () => void;
}

class FetchResponse implements HttpResponse {
  readonly status: number;
  readonly #response: Response;
  readonly #life: Life;
  #isTaken = false;

  constructor(response: Response, life: Life) {
    this.status = response.status;
    this.#response = response;
    this.#life = life;
  }

  get headers(): Record<string, string> {
    return Object.fromEntries(this.#response.headers);
  }

  get warning(): string | undefined {
    return this.#response.headers.get("warning") ?? undefined;
  }

  get body(): AsyncIterable<Uint8Array> {
    this.#take();
    return this.#chunks();
  }

  async text(): Promise<string> {
    this.#take();
    try {
      return await this.#response.text();
    } catch (error) {
      throw this.#reasonOf(error);
    } finally {
      this.#life.over();
    }
  }

  cancel(): void {
    this.#life.controller.abort(new Error("The response was cancelled"));
    this.#life.over();
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, void> {
    let isWhole = false;
    try {
      for await (const chunk of this.#response.body ?? []) yield chunk;
      isWhole = true;
    } catch (error) {
      throw this.#reasonOf(error);
    } finally {
      if (!isWhole) this.#life.controller.abort(new Error("The response was cancelled"));
      this.#life.over();
    }
  }

  #reasonOf(error: unknown): unknown {
    const { signal } = this.#life.controller;
    return signal.aborted ? signal.reason : toNode(error);
  }

  #take(): void {
    if (this.#isTaken) throw new Error("Cannot read a response twice");
    this.#isTaken = true;
  }
}

function joined(headers: HttpRequest["headers"]): Headers | Record<string, string> {
  if (Object.values(headers).every((value) => typeof value === "string")) {
    return headers as Record<string, string>;
  }
  const all = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of typeof values === "string" ? [values] : values) all.append(name, value);
  }
  return all;
}

function toNode(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const code = CODES[String(error.code)];
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code });
}
