/**
 * A proxy between a client and an API server that breaks what passes through it.
 *
 * Faults wait for the requests that they are meant for, each for so many of them; what no fault wants passes. The same proxy
 * is a function (in the virtual network) and, through `serveProxy()`, a server with sockets. What happens to streams is what
 * the API server in the process offers as faults; the proxy brings it to a real server.
 */

import {
  connectionReset,
  cutInLine as cutLine,
  duplicateLines,
  fallSilent,
  firstLines,
  linesOf,
  reorderLines,
  throughStream,
} from "../../lib/kits/apiserver/faults/streams.ts";

/** What a request is, as far as faults choose by it. */
export interface Passing {
  readonly verb: "list" | "watch" | "other";
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of a list, from 1; the same when it is asked for again. 0: it is no list. */
  readonly page: number;
}

/** Answers in the server's place, or changes what the server answers. */
export type Fault = (passing: Passing, forward: () => Promise<Response>) => Response | Promise<Response>;

/** A stream that ends by closing one direction only, in the middle of whatever was said. */
export class HalfClosed extends Error {}

interface Rule {
  readonly when: (passing: Passing) => boolean;
  readonly fault: Fault;
  times: number;
}

export type Upstream = (request: Request) => Response | Promise<Response>;

export class FaultyProxy {
  readonly #upstream: Upstream;
  #rules: Rule[] = [];
  readonly #pages = new Map<string, number>();
  /** All requests so far. */
  readonly seen: Passing[] = [];
  /** How many faults have struck. */
  struck = 0;
  /** Changes all texts that pass; see `shiftVersions`. */
  translate: Translation | undefined;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** How many faults still wait. */
  get waiting(): number {
    return this.#rules.reduce((sum, { times }) => sum + (times === Infinity ? 0 : times), 0);
  }

  /** Breaks the next requests of a kind. */
  inject(when: Rule["when"], fault: Fault, times = 1): void {
    this.#rules.push({ when, fault, times });
  }

  /** Lets everything pass from now on. */
  clear(): void {
    this.#rules = [];
  }

  async fetch(original: Request): Promise<Response> {
    const url = new URL(original.url);
    const verb = verbOf(original.method, url);
    const { pathname: path, searchParams: query } = url;
    const passing: Passing = {
      verb,
      method: original.method,
      path,
      query,
      page: verb === "list" ? this.#pageOf(query) : 0,
    };
    this.seen.push(passing);
    const { translate } = this;
    const forward = async (): Promise<Response> => {
      const request = translate === undefined ? original : await translate.request(original);
      const response = await this.#upstream(request);
      return translate === undefined ? response : throughStream(response, (chunks) => translate.body(chunks));
    };
    const rule = this.#rules.find(({ when, times }) => times > 0 && when(passing));
    if (rule === undefined) return await forward();
    rule.times -= 1;
    this.struck += 1;
    return await rule.fault(passing, forward);
  }

  #pageOf(query: URLSearchParams): number {
    const token = query.get("continue");
    if (token === null) {
      this.#pages.clear();
      return 1;
    }
    const page = this.#pages.get(token) ?? this.#pages.size + 2;
    this.#pages.set(token, page);
    return page;
  }
}

export interface Translation {
  request(request: Request): Promise<Request>;
  body(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

function verbOf(method: string, url: URL): Passing["verb"] {
  if (method !== "GET" || !/\/(examples|plains)$/.test(url.pathname)) return "other";
  return url.searchParams.has("watch") ? "watch" : "list";
}

export const LISTS: Rule["when"] = ({ verb }) => verb === "list";
export const WATCHES: Rule["when"] = ({ verb }) => verb === "watch";
/** Watches that go on from a version. */
export const RESUMES: Rule["when"] = ({ verb, query }) => verb === "watch" && query.has("resourceVersion");
export const STREAMED_LISTS: Rule["when"] = ({ query }) => query.has("sendInitialEvents");
/** The nth page of a list. */
export function page(number: number): Rule["when"] {
  return (passing) => passing.verb === "list" && passing.page === number;
}

/** Refuses with a Status, or with another body. */
export function refuse(
  code: number,
  more: { reason?: string; body?: string; retryAfter?: number } = {},
): Fault {
  const { reason = "", retryAfter } = more;
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message: `it is ${code}`,
  };
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  return () => new Response(more.body ?? JSON.stringify(status), { status: code, headers });
}

/** Answers 200 with something else. */
export function answer(body: string): Fault {
  return () => new Response(body, { headers: { "content-type": "application/json" } });
}

/** Lets some lines through, and then says ERROR. */
export function errorEvent(code: number, { after = 0 } = {}): Fault {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code, message: `it is ${code}` };
  return stream(async function* (chunks) {
    yield* firstLines(chunks, after);
    yield encode(`${JSON.stringify({ type: "ERROR", object: status })}\n`);
  });
}

/** Lets some lines through and a part of the next one, and then cuts the connection (or half of it, or ends it). */
export function cutInLine(how: "reset" | "half-close", { after = 0, inCharacter = false } = {}): Fault {
  const error = how === "reset" ? connectionReset() : new HalfClosed();
  return stream((chunks) => cutLine(chunks, { lines: after, inCharacter, error }));
}

/** Lets some lines through, and then cuts the connection between two lines. */
export function cutAfter(lines: number, how: "reset" | "end" = "reset"): Fault {
  return stream(async function* (chunks) {
    yield* firstLines(chunks, lines);
    if (how === "reset") throw connectionReset();
  });
}

/** Accepts, and says nothing for ever. */
export function silence(): Fault {
  return stream((chunks) => fallSilent(chunks, 0));
}

/** Does not even accept. */
export function deaf(): Fault {
  return () => new Promise<Response>(() => {});
}

/** Breaks the connection before it answers. */
export function hangUp(): Fault {
  return () => {
    throw connectionReset();
  };
}

/** Says everything twice. */
export function duplicate(): Fault {
  return stream(duplicateLines);
}

/** Changes the places of the first two events that come. */
export function reorder(): Fault {
  return stream(reorderLines);
}

/** Every version is higher by so much than on the server: taking that away looks like a server set back. */
export function shiftVersions(by: number): Translation {
  const shift = (text: string, offset: number): string =>
    text.replace(
      /("resourceVersion":\s*")(\d+)"/g,
      (_all, head, version) => `${head}${Number(version) + offset}"`,
    );
  return {
    async request(request) {
      const url = new URL(request.url);
      const version = url.searchParams.get("resourceVersion");
      if (version !== null && version !== "0") {
        url.searchParams.set("resourceVersion", String(Number(version) - by));
      }
      const body = request.method === "GET" ? undefined : shift(await request.text(), -by);
      const { method, headers, signal } = request;
      return new Request(url, { method, headers, body, signal });
    },
    async *body(chunks) {
      for await (const line of linesOf(chunks)) yield encode(shift(new TextDecoder().decode(line), by));
    },
  };
}

/** Any change of a stream. */
export function stream(change: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>): Fault {
  return async (_passing, forward) => throughStream(await forward(), change);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
