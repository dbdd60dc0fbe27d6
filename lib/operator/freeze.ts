/**
 * Pausing operators from outside, and letting them go on: a record in their peering objects, with the priority of an operator
 * that does not exist.
 *
 * The record is written once and expires by itself. Source: scenarios B158–B185.
 */

import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import { login } from "../client/auth/login.ts";
import { createClient } from "../client/object_client.ts";
import { Transport } from "../client/transport/transport.ts";
import { detectUser, findPeeringKinds } from "../engines/peering/peering.ts";
import { writeRecord } from "../engines/peering/record.ts";
import { isExactName, parsePattern } from "../model/patterns.ts";
import type { JsonObject } from "../model/object.ts";
import { currentHost } from "../runtime/current_host.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import { type Logger, silentLogger } from "../runtime/logging.ts";
import { defaultSettings } from "../settings/settings.ts";

export { detectIdentity } from "../engines/peering/peering.ts";

/** Whose peering object, and in whose name. */
export interface ResumePeersOptions {
  /** The name of the peering object. */
  readonly peering: string;
  /** In whose name the record is. Default: "user@host". */
  readonly identity?: string;
  /** The peering objects of these namespaces, names or globs. Default: the cluster's. */
  readonly namespaces?: readonly string[];
  /** Path of a kubeconfig. Default: `KUBECONFIG`, else the pod's service account, else `~/.kube/config`. */
  readonly kubeconfig?: string;
  /** Which of its contexts. Default: the current one. */
  readonly context?: string;
  /** Default: silent. */
  readonly logger?: Logger;
  /** The world to run in. Default: the real one. */
  readonly host?: Host;
}

/** Whom to pause, and for how long. */
export interface FreezePeersOptions extends ResumePeersOptions {
  /** How long, in seconds. */
  readonly lifetime: Seconds;
  /** Operators with the same or a lower priority pause. Default: 100. */
  readonly priority?: number;
}

/**
 * Pauses the operators that meet at a peering object, until the time is over or `resumePeers()` is called.
 *
 * @throws {TypeError} If there is no such peering object.
 * @throws {LoginError} If there is no way into a cluster.
 * @throws {ApiError} If the server refuses.
 */
export async function freezePeers(options: FreezePeersOptions): Promise<void> {
  const { lifetime, priority = 100, host = currentHost() } = options;
  await writeEverywhere(options, writeRecord({ priority, lifetime, now: host.clock.now() }));
}

/**
 * Ends the pause that `freezePeers()` began under the same identity.
 *
 * @throws {TypeError} If there is no such peering object.
 * @throws {LoginError} If there is no way into a cluster.
 * @throws {ApiError} If the server refuses.
 */
export async function resumePeers(options: ResumePeersOptions): Promise<void> {
  await writeEverywhere(options, null);
}

async function writeEverywhere(options: ResumePeersOptions, record: JsonObject | null): Promise<void> {
  const { host = currentHost(), logger = silentLogger(), kubeconfig, context, peering: name } = options;
  const identity = options.identity ?? detectUser(host);
  const { networking } = defaultSettings();
  const credentials = await login({ host, logger, kubeconfig, context });
  using transport = new Transport({ host, credentials, logger, networking });
  const client = createClient(transport);
  const body = { status: Object.fromEntries([[identity, record]]) };
  let written = 0;
  for (const { resource, namespace } of await addressesOf(client, options)) {
    const subresource = resource.subresources.includes("status") ? "status" : undefined;
    try {
      await client.patch(resource, { namespace, name, subresource }, { type: "merge", body });
      written++;
      logger.info(record === null ? "Operators may go on" : "Operators pause", {
        kind: resource.plural,
        namespace,
        name,
        identity,
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      logger.debug("There is no such peering object", { kind: resource.plural, namespace, name });
    }
  }
  if (written === 0) {
    throw new TypeError(`Cannot find a peering object "${name}": create it, or name another`);
  }
}

async function addressesOf(
  client: Client,
  { namespaces = [] }: ResumePeersOptions,
): Promise<PeeringAddress[]> {
  const clusterwide = namespaces.length === 0;
  const kinds = await findPeeringKinds(client, { clusterwide });
  if (kinds.length === 0) {
    throw new TypeError("Cannot find peering objects: the server has no such kinds (apply their CRDs)");
  }
  const names = clusterwide ? [undefined] : await namesOf(client, namespaces);
  return kinds.flatMap((resource) => names.map((namespace) => ({ resource, namespace })));
}

type PeeringAddress = {
  readonly resource: Awaited<ReturnType<typeof findPeeringKinds>>[number];
  readonly namespace: string | undefined;
};

async function namesOf(client: Client, patterns: readonly string[]): Promise<readonly string[]> {
  if (patterns.every((pattern) => isExactName(pattern))) return [...new Set(patterns)];
  const tests = patterns.map(parsePattern);
  const names: string[] = [];
  const kind = { group: "", version: "v1", plural: "namespaces", namespaced: false };
  for await (const page of client.list(kind)) {
    names.push(...page.items.map(({ metadata }) => metadata.name ?? ""));
  }
  return names.filter((name) => tests.some((test) => test(name)));
}
