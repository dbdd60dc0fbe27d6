/**
 * Calls that exist for one kind only: logs and evictions of Pods, tokens of ServiceAccounts.
 *
 * Commands in containers are `client/exec.ts`. Not here: attach and port forwarding.
 */

import type { CallOptions, Client } from "../client/client.ts";
import { toQuery } from "../client/list_pages.ts";
import type { KubeObject } from "../model/object.ts";
import { objectReference } from "../model/references.ts";
import { pathOf } from "../model/resource.ts";
import type {
  Address,
  EvictOptions,
  LogOptions,
  ServiceAccountToken,
  TokenOptions,
} from "../registry/api.ts";
import type { ApiSource } from "./api_source.ts";

const PODS = { group: "", version: "v1", plural: "pods", namespaced: true } as const;
const SERVICE_ACCOUNTS = { ...PODS, plural: "serviceaccounts" } as const;

/** The longest line that is kept together, in characters. */
const LONGEST_LINE = 1024 * 1024;

/** Yields the lines of a Pod's log, until it ends or the signal aborts. */
export async function* readLog(
  source: () => ApiSource,
  { namespace, name }: Address,
  options: LogOptions = {},
): AsyncGenerator<string, void, void> {
  const { container, follow, previous, sinceSeconds, tailLines, timestamps, signal } = options;
  const { transport } = source().client;
  const query = toQuery({
    container,
    follow: follow || undefined,
    previous: previous || undefined,
    sinceSeconds,
    tailLines,
    timestamps: timestamps || undefined,
  });
  const path = pathOf(PODS, { namespace, name, subresource: "log" });
  const subject = { verb: "get", resource: PODS, namespace, name, subresource: "log" };
  const response = await transport.stream({
    method: "GET",
    path: path + query,
    accept: "text/plain, */*",
    // NB: a kubelet does not even answer with headers until the container writes a line.
    timeout: follow ? null : undefined,
    signal,
    subject,
  });
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      for (; rest.length > LONGEST_LINE; rest = rest.slice(LONGEST_LINE)) yield rest.slice(0, LONGEST_LINE);
    }
    rest += decoder.decode();
    if (rest !== "") yield rest;
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    response.cancel();
  }
}

/** Evicts a Pod. Source: Kubernetes, docs/concepts/scheduling-eviction/api-eviction. */
export async function evict(
  client: Client,
  { namespace, name }: Address,
  { gracePeriodSeconds, preconditions, dryRun, ...call }: EvictOptions & CallOptions,
): Promise<void> {
  const deleteOptions = { gracePeriodSeconds, preconditions };
  const metadata = { name, namespace };
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
  await client.create(PODS, eviction, { ...call, dryRun, namespace, name, subresource: "eviction" });
}

/** Makes a token of a ServiceAccount. Source: Kubernetes API reference, TokenRequest. */
export async function createToken(
  client: Client,
  { namespace, name }: Address,
  { audiences, expirationSeconds, boundTo, ...call }: TokenOptions & CallOptions,
): Promise<ServiceAccountToken> {
  const { apiVersion, kind, name: boundName, uid } = objectReference(boundTo ?? {});
  const boundObjectRef = boundTo === undefined ? undefined : { apiVersion, kind, name: boundName, uid };
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: audiences ?? [], expirationSeconds, boundObjectRef },
  };
  const place = { namespace, name, subresource: "token" };
  const made = await client.create<KubeObject<unknown, ServiceAccountToken>>(SERVICE_ACCOUNTS, request, {
    ...call,
    ...place,
  });
  if (made.status === undefined) {
    throw new TypeError(`Cannot take the token of "${name}": the server has sent none`);
  }
  const { token, expirationTimestamp } = made.status;
  return { token, expirationTimestamp };
}
