/**
 * What the tests of the API server share: a server on a virtual host, and short ways to ask it.
 */

import assert from "node:assert/strict";
import { type ApiServer, apiServer, type ApiServerOptions } from "../../../lib/kits/apiserver/mod.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";

/** An object as tests read it: they know what is in it. */
// deno-lint-ignore no-explicit-any -- answers are read field by field, and a wrong one fails the assertion
export type Answer = any;

export interface Reply {
  readonly code: number;
  readonly body: Answer;
  readonly headers: Headers;
}

export interface Api {
  readonly host: VirtualHost;
  readonly server: ApiServer<VirtualHost>;
  /** Sends a request; an object as body becomes JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** The same, but the answer must be a success. */
  ok(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  watch(path: string, headers?: Record<string, string>): Promise<WatchReader>;
}

export const MERGE: Record<string, string> = { "content-type": "application/merge-patch+json" };
export const JSON_PATCH: Record<string, string> = { "content-type": "application/json-patch+json" };

export function createApi(options: Omit<ApiServerOptions, "host"> = {}): Api {
  return apiOf(apiServer({ ...options, host: virtualHost() }));
}

/** Returns the same ways to ask a server that there is already, such as a fork. */
export function apiOf(server: ApiServer<VirtualHost>): Api {
  const { host } = server;
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.fetch(
      new Request(`https://api.test${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
  const call: Api["call"] = async (method, path, body, headers) => {
    const response = await send(method, path, body, headers);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { code: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  };
  return {
    host,
    server,
    call,
    async ok(method, path, body, headers) {
      const reply = await call(method, path, body, headers);
      assert.ok(reply.code < 300, `${method} ${path}: ${reply.code} ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
    async watch(path, headers) {
      const response = await send("GET", path, undefined, headers);
      assert.equal(response.status, 200, await (response.ok ? "" : response.text()));
      return new WatchReader(response, host);
    },
  };
}

/** Reads a watch's events. */
export class WatchReader {
  readonly events: Answer[] = [];
  ended = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #host: VirtualHost;

  constructor(response: Response, host: VirtualHost) {
    assert.ok(response.body);
    this.#reader = response.body.getReader();
    this.#host = host;
    this.#pump();
  }

  /** What has come since the last call, as "TYPE name" (or the code, for errors). */
  async take(): Promise<string[]> {
    await this.#host.clock.settle();
    return this.events.splice(0).map(({ type, object }) =>
      `${type} ${object.metadata.name ?? object.code ?? object.metadata.resourceVersion}`
    );
  }

  async stop(): Promise<void> {
    await this.#reader.cancel();
  }

  async #pump(): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.events.push(JSON.parse(line));
    }
    this.ended = true;
  }
}

export const DATABASES = "/apis/example.com/v1/namespaces/default/databases";

/** Defines a kind with a status subresource and a small schema. */
export function databaseDefinition(): Answer {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "databases.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "databases", kind: "Database", shortNames: ["db"] },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["engine"],
                properties: {
                  engine: { type: "string", enum: ["postgresql", "mysql"] },
                  replicas: { type: "integer", minimum: 1, maximum: 5, default: 1 },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      }],
    },
  };
}

export async function defineDatabases(api: Api): Promise<void> {
  await api.ok("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", databaseDefinition());
}

export function database(name: string, spec: Answer = { engine: "mysql" }): Answer {
  return { apiVersion: "example.com/v1", kind: "Database", metadata: { name }, spec };
}
