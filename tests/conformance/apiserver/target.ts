/**
 * The two API servers that the suite runs against: ours in the process, and a real kube-apiserver.
 *
 * A target is no more than a way to send plain requests, to read watches, and to wait: what a test may use of a server is
 * what both have.
 */

import { Agent, request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { startControlPlane } from "../../control_plane/control_plane.ts";

/** What is sent. */
export interface Ask {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON, a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API server to test. */
export interface Target extends AsyncDisposable {
  readonly name: string;
  send(ask: Ask): Promise<Response>;
  /** Lets time pass: for real, or on the virtual clock. In seconds. */
  pause(seconds: number): Promise<void>;
  /** Makes old versions unknown, if the target can. */
  readonly compact?: () => void;
}

/** Starts the API server in the process, on a virtual clock. */
export function inProcessTarget(): Target {
  const host = virtualHost();
  const server = apiServer({ host });
  return {
    name: "the API server in the process",
    send: ({ method, path, body, headers }) =>
      server.fetch(
        new Request(`https://api.test${path}`, {
          method,
          headers: headersFor(body, headers),
          body: textOf(body),
        }),
      ),
    async pause(seconds) {
      await host.clock.advance(seconds);
    },
    compact: () => server.compact(),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Starts a real control plane with its controllers. */
export async function realTarget(): Promise<Target> {
  const plane = await startControlPlane({ controllerManager: true });
  const { hostname, port } = new URL(plane.server);
  const agent = new Agent({ keepAlive: true, ca: plane.caPem });
  return {
    name: "kube-apiserver",
    send: ({ method, path, body, headers }) =>
      new Promise((resolve, reject) => {
        const outgoing = httpsRequest({
          agent,
          hostname,
          port,
          method,
          path,
          headers: { ...headersFor(body, headers), authorization: `Bearer ${plane.adminToken}` },
        }, (incoming) => {
          // Node's own conversion of a stream to the web's, which the types of both do not agree on.
          const stream = Readable.toWeb(incoming) as unknown as ReadableStream;
          const entries = Object.entries(incoming.headers).map((
            [key, value],
          ): [string, string] => [key, String(value)]);
          resolve(
            new Response(incoming.statusCode === 204 ? null : stream, {
              status: incoming.statusCode,
              headers: entries,
            }),
          );
        });
        outgoing.on("error", reject);
        // NB: without a length, Node sends the body of a DELETE unframed, and the server takes it for the next request.
        if (body !== undefined) {
          outgoing.setHeader("content-length", new TextEncoder().encode(textOf(body)).length);
        }
        outgoing.end(textOf(body));
      }),
    pause: (seconds) => sleep(seconds * 1000),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await plane.stop();
    },
  };
}

function headersFor(body: unknown, headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers };
}

function textOf(body: unknown): string | undefined {
  return body === undefined || typeof body === "string" ? body : JSON.stringify(body);
}
