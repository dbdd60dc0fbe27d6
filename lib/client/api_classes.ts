/**
 * The official client's API classes (`CoreV1Api` and the like) over our transport: our credentials, retries and timeouts.
 *
 * The user passes the class; this package loads no code of the official client. Its generated code wants a configuration that
 * makes requests, sends them, and pipes the answers: this is the least that works. Source: @kubernetes/client-node 2.0,
 * `gen/configuration.ts`, `gen/http/http.ts`, `gen/rxjsStub.ts`.
 */

import { ApiError } from "./errors.ts";
import type { Transport } from "./transport/transport.ts";

/** A class that the official client generates for a group of kinds, such as `CoreV1Api`. */
// Whatever its constructor takes: a class that takes other arguments fails at its first call.
export type ApiClass<Api> = new (configuration: never) => Api;

/**
 * Makes an API client of the official client's; the transport is asked for at each request.
 *
 * Its calls throw the official client's `ApiException` where the server refuses, after our retries.
 */
export function makeApiClient<Api>(Class: ApiClass<Api>, transport: () => Transport): Api {
  const configuration = {
    baseServer: { makeRequestContext: (path: string, method: string) => new Context(path, method) },
    httpApi: { send: (context: Context) => new Piped(send(context, transport())) },
    middleware: [],
    authMethods: {},
  };
  return new Class(configuration as never);
}

/** Our paths have no origin; this one is never asked. */
const ORIGIN = "http://api";

/** A request that the generated code fills before it is sent. */
class Context {
  readonly #url: URL;
  readonly #method: string;
  readonly #headers = new Map<string, string>();
  #body: unknown;
  #signal: AbortSignal | undefined;

  constructor(path: string, method: string) {
    this.#url = new URL(path, ORIGIN);
    this.#method = method;
  }

  getUrl(): string {
    return this.#url.pathname + this.#url.search;
  }
  setUrl(url: string): void {
    const { pathname, search } = new URL(url, ORIGIN);
    this.#url.pathname = pathname;
    this.#url.search = search;
  }
  getHttpMethod(): string {
    return this.#method;
  }
  getHeaders(): Record<string, string> {
    return Object.fromEntries(this.#headers);
  }
  setHeaderParam(name: string, value: string): void {
    this.#headers.set(name.toLowerCase(), value);
  }
  setQueryParam(name: string, value: unknown): void {
    this.#url.searchParams.set(name, String(value));
  }
  appendQueryParam(name: string, value: unknown): void {
    this.#url.searchParams.append(name, String(value));
  }
  getBody(): unknown {
    return this.#body;
  }
  setBody(body: unknown): void {
    this.#body = body;
  }
  getSignal(): AbortSignal | undefined {
    return this.#signal;
  }
  setSignal(signal: AbortSignal): void {
    this.#signal = signal;
  }
}

/** An answer, as the generated code reads it. */
interface Answer {
  readonly httpStatusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { text(): Promise<string>; binary(): Promise<Uint8Array> };
  getBodyAsAny(): Promise<string>;
}

async function send(context: Context, transport: Transport): Promise<Answer> {
  const headers = context.getHeaders();
  const body = context.getBody();
  try {
    const { status, headers: received, body: text } = await transport.request<string>({
      method: context.getHttpMethod(),
      path: context.getUrl(),
      body: body === undefined || body instanceof Uint8Array ? body : String(body),
      accept: headers["accept"],
      contentType: headers["content-type"],
      signal: context.getSignal(),
      text: true,
    });
    return toAnswer(status, received, text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The generated code makes an error of its own kind of it, for which its users look.
    return toAnswer(error.status, error.headers, JSON.stringify(error.body ?? { message: error.message }));
  }
}

function toAnswer(status: number, headers: Readonly<Record<string, string>>, text: string): Answer {
  return {
    httpStatusCode: status,
    headers,
    body: {
      text: () => Promise.resolve(text),
      binary: () => Promise.resolve(new TextEncoder().encode(text)),
    },
    getBodyAsAny: () => Promise.resolve(text),
  };
}

/** A promise in the shape that the generated code takes for an observable. */
class Piped<T> {
  readonly #promise: Promise<T>;

  constructor(promise: Promise<T>) {
    this.#promise = promise;
  }

  toPromise(): Promise<T> {
    return this.#promise;
  }

  pipe<U>(next: (value: T) => U | Promise<U>): Piped<U> {
    return new Piped(this.#promise.then(next));
  }
}
