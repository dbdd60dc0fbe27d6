/**
 * An API server of which a test writes each answer, at the other end of a virtual network; and the client that talks to it.
 */

import type { Client } from "../../lib/client/client.ts";
import {
  type ConnectionInfo,
  type Credentials,
  fixedCredentials,
} from "../../lib/client/auth/connection_info.ts";
import type { NetworkingSettings } from "../../lib/settings/sections.ts";
import { createClient } from "../../lib/client/object_client.ts";
import { type ApiRequest, type RequestObserver, Transport } from "../../lib/client/transport/transport.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";

export const SERVER = "https://api.test";

/** A kind to play with. */
export const WIDGETS: Resource = {
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  singular: "widget",
  shortcuts: [],
  categories: [],
  subresources: ["status"],
  namespaced: true,
  preferred: true,
  verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
};

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Virtual seconds since the start. */
  readonly at: number;
  /** Aborts when the client gives up. */
  readonly signal: AbortSignal;
}

export type Answer = (request: SeenRequest) => Response | Promise<Response>;

export interface World {
  readonly host: VirtualHost;
  readonly client: Client;
  readonly transport: Transport;
  /** All requests so far, in order. */
  readonly seen: SeenRequest[];
  readonly logs: LogRecord[];
  /** Messages of log lines of at least that level. */
  messages(level: "warn" | "debug"): string[];
  /** Changes what the server answers. */
  answer(answer: Answer): void;
}

export interface WorldOptions {
  readonly answer: Answer;
  readonly host?: VirtualHost;
  readonly networking?: Partial<NetworkingSettings>;
  readonly credentials?: Credentials;
  readonly info?: Partial<ConnectionInfo>;
  readonly observer?: RequestObserver;
  readonly userAgent?: string;
  readonly readOnly?: boolean;
}

/** Makes a server and its client. */
export function makeWorld(options: WorldOptions): World {
  const { host = virtualHost(), info, observer, userAgent } = options;
  let { answer } = options;
  const seen: SeenRequest[] = [];
  const logs: LogRecord[] = [];
  host.network.route(SERVER, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const { method, headers, signal } = request;
    const seenRequest: SeenRequest = {
      ...{
        method,
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: Object.fromEntries(headers),
      },
      ...{ body: await request.text(), at: host.clock.monotonic(), signal },
    };
    seen.push(seenRequest);
    return await answer(seenRequest);
  });
  const transport = new Transport({
    host,
    credentials: options.credentials ?? fixedCredentials({ server: SERVER, ...info }),
    networking: { ...defaultSettings().networking, ...options.networking },
    logger: createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock),
    observer,
    userAgent,
    readOnly: options.readOnly,
  });
  return {
    ...{ host, transport, seen, logs, client: createClient(transport) },
    messages: (level) => logs.filter((it) => level === "debug" || it.level === level).map((it) => it.message),
    answer: (next) => answer = next,
  };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** A refusal with a Status object. */
export function refusal(code: number, reason = "", more: Record<string, unknown> = {}): Response {
  return json({ ...statusOf(code, reason), ...more }, code);
}

export function statusOf(code: number, reason = ""): Record<string, unknown> {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: `it is ${code}` };
}

export function widget(name: string, version: number, more: Record<string, unknown> = {}): KubeObject {
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: String(version) };
  return { apiVersion: "example.com/v1", kind: "Widget", metadata, ...more };
}

export function listOf(version: number | undefined, items: unknown[], token?: string): Response {
  const metadata = { resourceVersion: version === undefined ? undefined : String(version), continue: token };
  return json({ kind: "WidgetList", apiVersion: "example.com/v1", metadata, items });
}

/** A watch stream in the test's hand. */
export class FakeStream {
  readonly response: Response;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(...lines: unknown[]) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
    });
    this.response = new Response(body, { headers: { "content-type": "application/json" } });
    for (const line of lines) this.send(line);
  }

  send(line: unknown): void {
    this.sendBytes(`${JSON.stringify(line)}\n`);
  }

  sendBytes(data: string | Uint8Array): void {
    this.#controller.enqueue(typeof data === "string" ? new TextEncoder().encode(data) : data);
  }

  end(): void {
    this.#controller.close();
  }

  /** As if the connection was cut. */
  break(): void {
    this.#controller.error(new Error("The server crashed"));
  }
}

export function event(type: string, object: unknown): { type: string; object: unknown } {
  return { type, object };
}

export function bookmark(version: number, initialEnd = false): { type: string; object: unknown } {
  const annotations = initialEnd ? { "k8s.io/initial-events-end": "true" } : undefined;
  return event("BOOKMARK", { kind: "Widget", metadata: { resourceVersion: String(version), annotations } });
}

export const GET: ApiRequest = { method: "GET", path: "/api/v1/pods?limit=1" };

/** Sends a request, lets all time pass that it takes, and gives what came of it. */
export async function send(
  world: World,
  request: ApiRequest = GET,
): Promise<{ body?: unknown; error?: unknown }> {
  let result: { body?: unknown; error?: unknown } | undefined;
  world.transport.request(request).then(({ body }) => result = { body }, (error) => result = { error });
  await world.host.clock.until(() => result !== undefined);
  return result!;
}

export function answerWith(answer: Answer, options: Omit<WorldOptions, "answer"> = {}): World {
  return makeWorld({ answer, ...options });
}

/** The pauses between requests, in seconds. */
export function pauses(world: World): number[] {
  return world.seen.slice(1).map(({ at }, index) => Math.round((at - world.seen[index]!.at) * 1000) / 1000);
}
