/**
 * The two API servers that the suite runs against: ours in the process, and a real kube-apiserver.
 *
 * A target is no more than a way to send plain requests, to read watches, and to wait: what a test may use of a server is
 * what both have.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { createAuthority } from "../../../lib/runtime/certificates.ts";
import type { Network } from "../../../lib/runtime/host.ts";
import { nodeHost } from "../../../lib/runtime/node/host.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import type { Answer } from "./session.ts";
import { startControlPlane } from "../../control_plane/control_plane.ts";

/** What is sent. */
export interface Ask {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON; texts and bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API server to test. */
export interface Target extends AsyncDisposable {
  readonly name: string;
  send(ask: Ask): Promise<Response>;
  /** Lets time pass: for real, or on the virtual clock. In seconds. */
  pause(seconds: number): Promise<void>;
  /** Serves a webhook that the server can reach. It answers each review with what the function gives. */
  serveHook(answer: HookAnswer): Promise<ServedHook>;
  /** Returns the audit log, which tells of namespaces that {@link AUDITED} names. */
  auditLog(): Promise<string>;
  /** Makes old versions unknown, if the target can. */
  readonly compact?: () => void;
}

/** Returns the body of a webhook's answer, or a whole response, or undefined for none at all. */
export type HookAnswer = (review: Answer) => unknown;

/** A webhook that listens. */
export interface ServedHook extends AsyncDisposable {
  /** `clientConfig` for a path of it. */
  config(path: string): Answer;
}

/** The policy of both audit logs, and the namespaces that they tell of. */
export const AUDITED = {
  metadata: "audited-a",
  request: "audited-b",
  response: "audited-c",
  notes: "audited-d",
  patches: "audited-e",
} as const;
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    { level: "None", verbs: ["delete"], namespaces: Object.values(AUDITED) },
    { level: "None", users: ["system:serviceaccount:kube-system:root-ca-cert-publisher"] },
    { level: "Metadata", namespaces: [AUDITED.metadata, AUDITED.notes] },
    {
      level: "Request",
      namespaces: [AUDITED.request, AUDITED.patches],
      resources: [{ group: "", resources: ["configmaps", "pods/*"], resourceNames: [] }],
    },
    { level: "RequestResponse", namespaces: [AUDITED.response], omitManagedFields: true },
  ],
};

/** Starts the API server in the process, on a virtual clock. */
export function inProcessTarget(): Target {
  const host = virtualHost();
  // NB: without nodes, as on the real server, where controllers run and no kubelets.
  const audit = { audit: "/audit.log", auditPolicy: AUDIT_POLICY };
  const server = apiServer({ host, rbac: true, workloads: { nodes: 0 }, quotas: true, ...audit });
  return {
    name: "the API server in the process",
    send: ({ method, path, body, headers }) =>
      server.fetch(
        new Request(`https://api.test${path}`, {
          method,
          headers: headersFor(body, headers),
          body: bodyOf(body),
        }),
      ),
    async pause(seconds) {
      await host.clock.advance(seconds);
    },
    serveHook: (answer) => serveHook(host.network, answer),
    auditLog: () => host.files.readText(audit.audit),
    compact: () => server.compact(),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Starts a real control plane with its controllers; with further flags for its API server. */
export async function realTarget(flags: readonly string[] = []): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "lotse-audit-"));
  const [policy, log] = [join(folder, "policy.json"), join(folder, "audit.log")];
  writeFileSync(policy, JSON.stringify(AUDIT_POLICY));
  const apiServerFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, ...flags];
  const plane = await startControlPlane({ controllerManager: true, apiServerFlags });
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
          headers: { authorization: `Bearer ${plane.adminToken}`, ...headersFor(body, headers) },
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
          outgoing.setHeader("content-length", bytesOf(body).length);
        }
        outgoing.end(body === undefined ? undefined : bytesOf(body));
      }),
    pause: (seconds) => sleep(seconds * 1000),
    serveHook: (answer) => serveHook(nodeHost().network, answer),
    auditLog: () => Promise.resolve(readFileSync(log, "utf8")),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await plane.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The network decides what is real about it; the certificate is, on either. */
async function serveHook(network: Network, answer: HookAnswer): Promise<ServedHook> {
  const authority = await createAuthority({ name: "webhooks", now: () => Date.now() });
  const { certificate, key } = await authority.issue({
    commonName: "webhook",
    server: true,
    ipAddresses: ["127.0.0.1"],
  });
  const server = await network.serve({
    tls: { cert: certificate, key },
    fetch: async (request) => {
      const review = await request.json();
      if (isOfTheCluster(review)) {
        const { apiVersion, kind, request: { uid } } = review;
        return Response.json({ apiVersion, kind, response: { uid, allowed: true } });
      }
      const given = await answer(review);
      if (given instanceof Response) return given;
      return new Response(JSON.stringify(given), { headers: { "content-type": "application/json" } });
    },
  });
  return {
    config: (path) => ({
      url: `https://127.0.0.1:${server.port}${path}`,
      caBundle: btoa(authority.certificate),
    }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** True for what the controllers of the real cluster make in each new namespace: no scenario asked for it. */
function isOfTheCluster({ request }: Answer): boolean {
  const { resource, name } = request ?? {};
  return (resource?.resource === "configmaps" && name === "kube-root-ca.crt") ||
    (resource?.resource === "serviceaccounts" && name === "default");
}

function headersFor(body: unknown, headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers };
}

function bodyOf(body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return body === undefined || typeof body === "string" ? body : JSON.stringify(body);
}

function bytesOf(body: unknown): Uint8Array {
  const given = bodyOf(body) ?? "";
  return typeof given === "string" ? new TextEncoder().encode(given) : given;
}
