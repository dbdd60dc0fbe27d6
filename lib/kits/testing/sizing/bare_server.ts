/**
 * An API server that is no more than its answers: it makes each object as it is asked for, and keeps none.
 *
 * It lives in the process that is measured: so what that takes is what the operator takes, without network, encryption and kernel.
 * Lists are given in pages and as streams, watches stay silent but for bookmarks, and every write is refused and counted.
 */

import type { Connection, Host, HttpRequest, HttpResponse, Seconds, Server } from "../../../runtime/host.ts";

/** The parts of an object that are its own. */
export interface MadeObject {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
}

/** A kind of which there are many objects. */
export interface ManyObjects {
  /** The path of its lists, such as "/apis/example.com/v1/databases". */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** How many there are. */
  readonly objects: number;
  /** Returns the text of an object: the whole of it, or its metadata alone. */
  readonly make: (
    each: MadeObject,
    index: number,
    part: { readonly metadataOnly: boolean; readonly turn: number },
  ) => string;
}

/** The answers of a server. */
export interface BareServerOptions {
  readonly host: Host;
  readonly kinds: readonly ManyObjects[];
  /** The answers to other requests by path: discovery, definitions, small lists. */
  readonly answers: Readonly<Record<string, string>>;
  /** Lists are answered when it resolves. Default: at once. */
  readonly released?: Promise<void>;
}

/** About how many characters of a streamed list come at once, as from a socket. */
const CHUNK = 64 * 1024;

/** How many objects a page has where the request does not say. */
const PAGE = 500;

/** How often a watch without events shows that it is alive. */
const BOOKMARKS: Seconds = 30;

/** Answers requests of one operator. */
export class BareServer {
  readonly #options: BareServerOptions;
  readonly #encoder = new TextEncoder();
  readonly #refused = new Map<string, number>();
  #version = 1_000_000;
  #making: Seconds = 0;
  #touched = 0;
  #touch = Promise.withResolvers<void>();
  #serve: ((request: Request) => Response | Promise<Response>) | undefined;

  constructor(options: BareServerOptions) {
    this.#options = options;
  }

  /** The host, whose only network is this server. Servers that the operator starts listen nowhere. */
  get host(): Host {
    const { host } = this.#options;
    const connection: Connection = {
      request: (request) => this.#answer(request),
      [Symbol.dispose]() {},
    };
    const network: Host["network"] = {
      connect: () => connection,
      serve: ({ fetch }) => {
        this.#serve ??= (request) => fetch(request, {});
        return Promise.resolve(deafServer());
      },
    };
    return { ...host, network };
  }

  /** Time that making objects has taken, which is none of the operator's. */
  get making(): Seconds {
    return this.#making;
  }

  /** The requests that were refused, such as "PATCH /apis/example.com/v1/namespaces/default/databases", and how many of each. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused;
  }

  /** Asks the first server of the operator: its probes. Undefined: it has started none. */
  async ask(path: string): Promise<string | undefined> {
    const response = await this.#serve?.(new Request(`http://127.0.0.1${path}`));
    return await response?.text();
  }

  /** Has so many events sent to each watch, one at a time: one object after the other is made anew. */
  touch(events: number): void {
    this.#touched += events;
    this.#touch.resolve();
    this.#touch = Promise.withResolvers<void>();
  }

  async #answer({ method, path, headers, signal }: HttpRequest): Promise<HttpResponse> {
    const [place = "", query = ""] = path.split("?");
    if (method !== "GET") return this.#refuse(`${method} ${withoutName(place)}`);
    const asked = new URLSearchParams(query);
    const metadataOnly = String(headers.accept ?? "").includes("as=PartialObjectMetadata");
    const many = this.#options.kinds.find((kind) => kind.path === place);
    const listing: Listing = { place, many, asked, metadataOnly, signal };
    if (asked.get("watch") === "true" || asked.get("watch") === "1") {
      return response({ body: this.#watch(listing) });
    }
    if (many !== undefined) {
      await this.#options.released;
      return response({ text: () => this.#page(many, listing) });
    }
    const known = this.#options.answers[place];
    if (known !== undefined) return response({ text: () => known });
    return response({ status: 404, text: () => JSON.stringify(refusal(404, "NotFound", "there is none")) });
  }

  #refuse(title: string): HttpResponse {
    this.#refused.set(title, (this.#refused.get(title) ?? 0) + 1);
    const text = JSON.stringify(refusal(403, "Forbidden", "no write is taken while objects are measured"));
    return response({ status: 403, text: () => text });
  }

  async *#watch(listing: Listing): AsyncGenerator<Uint8Array, void, void> {
    const { many, asked, signal } = listing;
    const { host: { clock }, released } = this.#options;
    await released;
    if (asked.get("sendInitialEvents") === "true") yield* this.#listed(listing);
    for (let sent = 0; signal?.aborted !== true;) {
      if (many === undefined || many.objects === 0 || sent >= this.#touched) {
        // The wait ends with a touch, or with the time.
        const ending = new AbortController();
        const sleep = AbortSignal.any(signal === undefined ? [ending.signal] : [ending.signal, signal]);
        const isSilent = await Promise.race([
          clock.sleep(BOOKMARKS, sleep),
          this.#touch.promise.then(() => false),
        ]);
        ending.abort();
        if (isSilent) yield this.#encoder.encode(this.#bookmark(listing, {}));
        continue;
      }
      const index = sent % many.objects;
      yield this.#encoder.encode(
        `{"type":"MODIFIED","object":${this.#make(many, index, { ...listing, turn: ++sent })}}\n`,
      );
    }
  }

  async *#listed(listing: Listing): AsyncGenerator<Uint8Array, void, void> {
    const { many, signal } = listing;
    let text = "";
    for (let index = 0; index < (many?.objects ?? 0) && signal?.aborted !== true; index++) {
      // The loop runs only for kinds with objects.
      text += `{"type":"ADDED","object":${
        this.#make(many as ManyObjects, index, { ...listing, turn: 0 })
      }}\n`;
      if (text.length < CHUNK) continue;
      yield this.#encoder.encode(text);
      text = "";
      // As from a socket: other work of the process has its turn between two chunks.
      await this.#options.host.clock.sleep(0);
    }
    for (const item of many === undefined ? this.#smallList(listing) : []) {
      text += `${JSON.stringify({ type: "ADDED", object: item })}\n`;
    }
    const annotations = { "k8s.io/initial-events-end": "true" };
    yield this.#encoder.encode(text + this.#bookmark(listing, { annotations }));
  }

  #smallList({ place }: Listing): readonly object[] {
    const text = this.#options.answers[place];
    // Answers come from an API server.
    const { items = [], apiVersion, kind = "" } = text === undefined ? {} : JSON.parse(text) as {
      readonly items?: readonly object[];
      readonly apiVersion?: string;
      readonly kind?: string;
    };
    return items.map((item) => ({ apiVersion, kind: kind.replace(/List$/, ""), ...item }));
  }

  #bookmark({ many, metadataOnly }: Listing, more: object): string {
    const metadata = { resourceVersion: String(++this.#version), ...more };
    const head = headOf(many, metadataOnly);
    return `${JSON.stringify({ type: "BOOKMARK", object: { ...head, metadata } })}\n`;
  }

  #page(many: ManyObjects, listing: Listing): string {
    const { asked, metadataOnly } = listing;
    const first = Number(asked.get("continue") ?? 0);
    const end = Math.min(many.objects, first + (Number(asked.get("limit")) || PAGE));
    const items: string[] = [];
    for (let index = first; index < end; index++) {
      items.push(this.#make(many, index, { ...listing, turn: 0 }));
    }
    const metadata = {
      resourceVersion: String(++this.#version),
      ...end < many.objects ? { continue: String(end) } : {},
    };
    const { kind, apiVersion } = headOf(many, metadataOnly);
    const head = JSON.stringify({ apiVersion, kind: `${kind}List`, metadata });
    return `${head.slice(0, -1)},"items":[${items.join(",")}]}`;
  }

  #make(
    many: ManyObjects,
    index: number,
    { metadataOnly, turn }: Pick<Listing, "metadataOnly"> & { readonly turn: number },
  ): string {
    const { clock } = this.#options.host;
    const begun = clock.monotonic();
    const number = String(index).padStart(9, "0");
    const each = {
      name: `object-${number}`,
      uid: `5f3a8c21-7d40-4e9b-8000-000${number}`,
      version: String(++this.#version),
    };
    const text = many.make(each, index, { metadataOnly, turn });
    this.#making += clock.monotonic() - begun;
    return text;
  }
}

/** A request for the objects of one kind. */
interface Listing {
  readonly place: string;
  /** Undefined: there are few, and they are known. */
  readonly many: ManyObjects | undefined;
  readonly asked: URLSearchParams;
  readonly metadataOnly: boolean;
  readonly signal: AbortSignal | undefined;
}

function headOf(
  many: ManyObjects | undefined,
  metadataOnly: boolean,
): { readonly apiVersion?: string; readonly kind?: string } {
  if (metadataOnly) return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" };
  return { apiVersion: many?.apiVersion, kind: many?.kind };
}

/** The path of a write without the object's name. */
function withoutName(place: string): string {
  return place.replace(/\/object-\d{9}(?=\/|$)/, "");
}

function refusal(code: number, reason: string, message: string): object {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
}

interface Answer {
  readonly status?: number;
  readonly body?: AsyncIterable<Uint8Array>;
  readonly text?: () => string;
}

function response({ status = 200, body = nothing(), text }: Answer): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json" },
    body,
    text: () => Promise.resolve(text?.() ?? ""),
    cancel() {},
  };
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {}

function deafServer(): Server {
  return {
    hostname: "127.0.0.1",
    port: 1,
    accepts: () => Promise.resolve(true),
    updateTls() {},
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
