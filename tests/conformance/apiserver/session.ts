/**
 * One scenario's talk with one target: what tests call, and a transcript of it that can be compared with another target's.
 */

import assert from "node:assert/strict";
import { decodeProtobuf } from "../../../lib/kits/apiserver/protobuf/decode.ts";
import { encodeProtobuf, PROTOBUF } from "../../../lib/kits/apiserver/protobuf/encode.ts";
import { normalizer } from "./normalize.ts";
import type { HookAnswer, ServedHook, Target } from "./target.ts";

/** An answer as tests read it: they know what is in it. */
// deno-lint-ignore no-explicit-any -- answers are read field by field, and a wrong one fails the assertion
export type Answer = any;

/** A whole answer. */
export interface Reply {
  readonly code: number;
  readonly body: Answer;
  readonly headers: Headers;
}

/** What was asked, and what came back, without what differs from run to run. */
export interface Entry {
  readonly ask: string;
  readonly reply: unknown;
}

export const MERGE: Readonly<Record<string, string>> = { "content-type": "application/merge-patch+json" };
export const JSON_PATCH: Readonly<Record<string, string>> = { "content-type": "application/json-patch+json" };
export const STRATEGIC: Readonly<Record<string, string>> = {
  "content-type": "application/strategic-merge-patch+json",
};
export const APPLY: Readonly<Record<string, string>> = { "content-type": "application/apply-patch+yaml" };
export const TABLE: Readonly<Record<string, string>> = {
  accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
};

/** What a scenario may do. */
export class Session {
  readonly transcript: Entry[] = [];
  readonly #target: Target;
  readonly #normalize = normalizer();

  constructor(target: Target) {
    this.#target = target;
  }

  /** Sends a request. It goes into the transcript. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    const reply = await this.peek(method, path, body, headers);
    const warnings = reply.headers.get("warning");
    this.note(`${method} ${path}`, {
      code: reply.code,
      body: reply.body,
      ...(warnings === null ? {} : { warnings }),
    });
    return reply;
  }

  /** Sends a request that must succeed, and gives the body. It goes into the transcript. */
  async ok(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const reply = await this.call(method, path, body, headers);
    assert.ok(reply.code < 300, `${method} ${path}: ${reply.code} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** Sends a request that must be refused, and gives the Status. It goes into the transcript. */
  async refused(
    code: number,
    ...ask: [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>]
  ): Promise<Answer> {
    const reply = await this.call(...ask);
    assert.equal(reply.code, code, JSON.stringify(reply.body));
    return reply.body;
  }

  /** The same in protocol buffers, both ways. */
  async proto(method: string, path: string, object?: Answer): Promise<Answer> {
    const body = object === undefined
      ? undefined
      : encodeProtobuf(object) ?? assert.fail("no message is known");
    const type = object === undefined ? undefined : { "content-type": PROTOBUF };
    const reply = await this.call(method, path, body, { accept: PROTOBUF, ...type });
    assert.ok(reply.code < 300, `${method} ${path}: ${reply.code} ${JSON.stringify(reply.body)}`);
    assert.equal(reply.headers.get("content-type"), PROTOBUF);
    return reply.body;
  }

  /** Sends a request that stays out of the transcript. */
  async peek(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    const response = await this.#target.send({ method, path, body, headers });
    const type = response.headers.get("content-type") ?? "";
    if (type === PROTOBUF) {
      const body = decodeProtobuf(new Uint8Array(await response.arrayBuffer()));
      return { code: response.status, body, headers: response.headers };
    }
    const text = await response.text();
    const isJson = type.includes("json");
    return {
      code: response.status,
      body: isJson && text !== "" ? JSON.parse(text) : text,
      headers: response.headers,
    };
  }

  /** Sends a request that stays out of the transcript, and gives the body as it was written. */
  async text(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<string> {
    return await (await this.#target.send({ method, path, body, headers })).text();
  }

  /** Serves a webhook; what it is asked goes into no transcript. */
  serveHook(answer: HookAnswer): Promise<ServedHook> {
    return this.#target.serveHook(answer);
  }

  /** Returns the events of the audit log about a namespace. */
  async audited(namespace: string): Promise<Answer[]> {
    const lines = (await this.#target.auditLog()).split("\n").filter((line) => line !== "");
    const events: Answer[] = lines.map((line) => JSON.parse(line));
    return events.filter(({ objectRef }) => objectRef.namespace === namespace);
  }

  /** Writes something into the transcript. */
  note(ask: string, reply: unknown): void {
    // The names that a scenario puts into paths are the same everywhere; what the server chose is not.
    this.transcript.push({ ask: String(this.#normalize(ask)), reply: this.#normalize(reply) });
  }

  /** Waits until something holds; up to a minute. */
  async until(holds: () => Promise<boolean>, what: string): Promise<void> {
    for (let i = 0; i < 600; i++) {
      if (await holds()) return;
      await this.#target.pause(0.1);
    }
    assert.fail(`Still not: ${what}`);
  }

  /** Lets time pass. */
  async pause(seconds: number): Promise<void> {
    await this.#target.pause(seconds);
  }

  /** Makes old versions unknown; false if the target cannot. */
  compact(): boolean {
    this.#target.compact?.();
    return this.#target.compact !== undefined;
  }

  /** Makes a namespace and gives its path below `/api/v1`. */
  async namespace(name: string): Promise<void> {
    const reply = await this.peek("POST", "/api/v1/namespaces", { metadata: { name } });
    assert.equal(reply.code, 201, JSON.stringify(reply.body));
  }

  /** Makes a definition and waits until its kind is served. */
  async define(definition: Answer): Promise<void> {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const reply = await this.peek("POST", path, definition);
    assert.equal(reply.code, 201, JSON.stringify(reply.body));
    const { group, names, versions } = definition.spec;
    const list = `/apis/${group}/${versions[0].name}/${names.plural}`;
    await this.until(async () => (await this.peek("GET", list)).code === 200, `${list} is served`);
    // A new kind ends its first watches, and is known to its neighbours only after a while.
    await this.pause(1.5);
  }

  /** Opens a watch. */
  async watch(path: string, headers?: Readonly<Record<string, string>>): Promise<Watch> {
    const response = await this.#target.send({ method: "GET", path, headers });
    if (response.status !== 200) assert.fail(`${path}: ${response.status} ${await response.text()}`);
    return new Watch(response, { session: this, path });
  }
}

/** An open watch. */
export class Watch {
  readonly #events: Answer[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #session: Session;
  readonly #path: string;
  #seen = 0;
  #ended = false;
  #ignoresBookmarks = false;

  constructor(response: Response, { session, path }: { session: Session; path: string }) {
    assert.ok(response.body);
    this.#reader = response.body.getReader();
    this.#session = session;
    this.#path = path;
    this.#pump();
  }

  /** Waits for as many events and gives them. They go into the transcript. */
  async take(count: number): Promise<Answer[]> {
    const enough = () => Promise.resolve(this.#events.length >= this.#seen + count || this.#ended);
    await this.#session.until(enough, `${count} events on ${this.#path}`);
    const events = this.#events.slice(this.#seen, this.#seen + count);
    this.#seen += count;
    this.#session.note(`WATCH ${this.#path}`, events);
    return events;
  }

  /** From now on bookmarks do not count: a server sends them when it thinks fit. */
  ignoreBookmarks(): void {
    this.#ignoresBookmarks = true;
    this.#events.push(...this.#events.splice(this.#seen).filter(({ type }) => type !== "BOOKMARK"));
  }

  /** Returns how many events came that nobody took. */
  get left(): number {
    return this.#events.length - this.#seen;
  }

  async stop(): Promise<void> {
    await this.#reader.cancel();
  }

  async #pump(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        rest += decoder.decode(value, { stream: true });
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const event = line === "" ? undefined : JSON.parse(line);
          if (event && !(this.#ignoresBookmarks && event.type === "BOOKMARK")) this.#events.push(event);
        }
      }
    } catch {
      // A watch that was cancelled ends with an error on some runtimes; what counts are the events.
    }
    this.#ended = true;
  }
}
