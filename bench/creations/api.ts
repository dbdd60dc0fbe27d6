/**
 * The least that talks to an API server: `node:https`, one pool of connections, lines of a watch.
 *
 * Writers and the floor use it, so that neither is slowed down, or helped, by the framework that is measured.
 */

import { Agent, request } from "node:https";
import type { IncomingMessage } from "node:http";
import { readFileSync } from "node:fs";
import process from "node:process";

/** Where the API server is, and who we are. It is in the file that BENCH_CONNECTION names. */
export interface Connection {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** As much of an object as the benchmark looks at. */
export interface Item {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly status?: { readonly state?: string };
}

export interface ItemEvent {
  readonly type: string;
  readonly object: Item;
}

/** Of the kind that everything here is about. */
export const ITEMS = "/apis/bench.lotse.dev/v1/namespaces/default/items";

/** The note that says that a creation was handled. */
export const NOTE = "lotse.dev/last-handled-configuration";

export const MERGE_PATCH = "application/merge-patch+json";

/** The server has answered, and said no. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export class Api {
  readonly #agent: Agent;
  readonly #server: string;

  constructor({ server, ...material }: Connection) {
    this.#server = server;
    this.#agent = new Agent({ keepAlive: true, ...material });
  }

  /** Sends a request and parses the answer; throws unless it is a success. */
  async send<T>(method: string, path: string, body?: unknown, type = "application/json"): Promise<T> {
    const response = await this.#open(method, path, body, type);
    let text = "";
    response.setEncoding("utf8");
    for await (const chunk of response) text += chunk;
    if ((response.statusCode ?? 0) >= 300) {
      throw new RefusedError(`${method} ${path}: ${response.statusCode} ${text}`, response.statusCode ?? 0);
    }
    return JSON.parse(text) as T;
  }

  /** The text of an answer that is not JSON. */
  async text(path: string): Promise<string> {
    const response = await this.#open("GET", path, undefined, "");
    let text = "";
    response.setEncoding("utf8");
    for await (const chunk of response) text += chunk;
    return text;
  }

  /** The events of a watch, until it ends. */
  async *watch(path: string): AsyncGenerator<ItemEvent> {
    const response = await this.#open("GET", path, undefined, "");
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as ItemEvent;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, body: unknown, type: string): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const text = body === undefined ? "" : JSON.stringify(body);
    // NB: Deno sends no length with the body of a DELETE, and the server reads the body as the next request.
    const headers = body === undefined
      ? {}
      : { "content-type": type, "content-length": new TextEncoder().encode(text).length };
    const sent = request(this.#server + path, { method, agent: this.#agent, headers }, resolve);
    sent.on("error", reject);
    sent.end(text);
    return promise;
  }
}

/** The API server that the environment names. */
export function connectFromEnvironment(): Api {
  const path = process.env["BENCH_CONNECTION"];
  if (!path) throw new Error("BENCH_CONNECTION is not set: start this through bench/creations/run.ts");
  return new Api(JSON.parse(readFileSync(path, "utf8")) as Connection);
}
