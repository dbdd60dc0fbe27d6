/**
 * A server that is no more than its answers: one kind, and as many objects of it as are wanted, made as they are asked for. It
 * lives in the memory of the process that is measured, keeps no object, and takes no request but lists and watches: so what the
 * process takes is what the operator takes, without network, encryption and kernel.
 */

import type { Connection, Host, HttpRequest, HttpResponse } from "../../lib/runtime/host.ts";

export interface ClusterOptions {
  /** The text of an object, whose name, uid and version are to be put in. */
  readonly template: (
    each: { readonly name: string; readonly uid: string; readonly version: string; readonly count: number },
  ) => string;
  /** How many objects there are. */
  readonly objects: number;
}

/** About how many bytes of the initial list come at once, as from a socket. */
const CHUNK = 16 * 1024;

/** Its path, and its kind's. */
const LIST = "/apis/bench.lotse.dev/v1/items";

const KIND = {
  name: "items",
  singularName: "item",
  kind: "Item",
  namespaced: true,
  verbs: ["get", "list", "watch", "patch"],
};

const ANSWERS: Readonly<Record<string, unknown>> = {
  "/apis/bench.lotse.dev": {
    kind: "APIGroup",
    name: "bench.lotse.dev",
    versions: [{ groupVersion: "bench.lotse.dev/v1", version: "v1" }],
    preferredVersion: { groupVersion: "bench.lotse.dev/v1", version: "v1" },
  },
  "/apis/bench.lotse.dev/v1": {
    kind: "APIResourceList",
    groupVersion: "bench.lotse.dev/v1",
    resources: [KIND, { ...KIND, name: "items/status" }],
  },
};

/** The cluster. */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #encoder = new TextEncoder();
  #version = 1_000_000;
  #waiting: ((events: number) => void) | undefined;
  #asked = 0;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  /** Returns a host whose only network is this cluster. */
  hostOn(host: Host): Host {
    const connection: Connection = {
      request: (request) => this.#answer(request),
      [Symbol.dispose]: () => {},
    };
    return { ...host, network: { ...host.network, connect: () => connection } };
  }

  /** Has so many events sent, one at a time: the status of one object after the other counts up. */
  touch(events: number): void {
    this.#asked += events;
    this.#waiting?.(events);
  }

  #answer({ method, path }: HttpRequest): Promise<HttpResponse> {
    const [place = "", query = ""] = path.split("?");
    if (method !== "GET") throw new Error(`Nothing is to be written, but: ${method} ${path}`);
    if (place === LIST && query.includes("watch=")) return Promise.resolve(this.#respond(this.#watch(query)));
    const known = ANSWERS[place];
    const text = known === undefined ? JSON.stringify({ kind: "Status", code: 404 }) : JSON.stringify(known);
    return Promise.resolve({
      ...this.#respond([]),
      status: known === undefined ? 404 : 200,
      text: () => Promise.resolve(text),
    });
  }

  #respond(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): HttpResponse {
    return {
      status: 200,
      headers: {},
      // Whoever reads it waits for each chunk.
      body: body as AsyncIterable<Uint8Array>,
      text: () => Promise.reject(new Error("It is a stream")),
      cancel: () => {},
    };
  }

  async *#watch(query: string): AsyncGenerator<Uint8Array, void, void> {
    if (query.includes("sendInitialEvents=true")) yield* this.#listed();
    for (let sent = 0;; sent++) {
      while (sent >= this.#asked) await new Promise<number>((resolve) => this.#waiting = resolve);
      yield this.#encoder.encode(this.#event("MODIFIED", sent % this.#options.objects, sent + 1));
    }
  }

  *#listed(): Generator<Uint8Array, void, void> {
    let text = "";
    for (let index = 0; index < this.#options.objects; index++) {
      text += this.#event("ADDED", index, 0);
      if (text.length < CHUNK) continue;
      yield this.#encoder.encode(text);
      text = "";
    }
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: String(++this.#version), annotations };
    yield this.#encoder.encode(`${text}${JSON.stringify({ type: "BOOKMARK", object: { metadata } })}\n`);
  }

  #event(type: string, index: number, count: number): string {
    const uid = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    const object = this.#options.template({
      name: `item-${index}`,
      uid,
      version: String(++this.#version),
      count,
    });
    return `{"type":"${type}","object":${object}}\n`;
  }
}
