/**
 * One object of a cluster for commands that run beside the operator: to read its notes, and to set its annotations.
 *
 * The kind is named as people name it. The operator's own prefix is read off its marks on the object: the domain of its finalizer,
 * or of its note of the state that it has handled last.
 */

import { login } from "../client/auth/login.ts";
import type { Client } from "../client/client.ts";
import { createClient } from "../client/object_client.ts";
import { Transport } from "../client/transport/transport.ts";
import type { KubeObject } from "../model/object.ts";
import { groupResource, type Resource } from "../model/resource.ts";
import { formatSelector, parseSelector, select } from "../model/selector.ts";
import { currentHost } from "../runtime/current_host.ts";
import type { Host } from "../runtime/host.ts";
import { type Logger, silentLogger } from "../runtime/logging.ts";
import { defaultSettings } from "../settings/settings.ts";

/** Which cluster, and as whom. */
export interface ClusterOptions {
  /** Path of a kubeconfig. Default: `KUBECONFIG`, else the pod's service account, else `~/.kube/config`. */
  readonly kubeconfig?: string;
  /** Which of its contexts. Default: the current one. */
  readonly context?: string;
  /** Default: silent. */
  readonly logger?: Logger;
  /** The world to run in. Default: the real one. */
  readonly host?: Host;
}

/** Which object. */
export interface ObjectAddress {
  /** Plural, singular or kind, with its group where that is not clear: "databases.example.com". */
  readonly kind: string;
  /** Passed over for kinds of the cluster. Default: the connection's. */
  readonly namespace?: string;
  readonly name: string;
}

/** An object that was found. */
export interface FoundObject {
  readonly resource: Resource;
  readonly address: { readonly namespace?: string; readonly name: string };
  readonly object: KubeObject;
}

/** The end of the names of our marks: in finalizers, and in annotations. */
const MARKS = { finalizer: "/finalizer", note: "/last-handled-configuration" } as const;
const KOPF_FINALIZER = "kopf.zalando.org/KopfFinalizerMarker";

/** Calls a function with a client of a cluster, and closes its connections. @throws {LoginError} If there is no way into one. */
export async function inCluster<Result>(
  { host = currentHost(), logger = silentLogger(), kubeconfig, context }: ClusterOptions,
  act: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { networking } = defaultSettings();
  const credentials = await login({ host, logger, kubeconfig, context });
  using transport = new Transport({ host, credentials, logger, networking });
  await credentials.current();
  return await act(createClient(transport));
}

/**
 * Finds an object.
 *
 * @throws {TypeError} If the server serves no such kind, or several.
 * @throws {ApiError} If the server refuses: 404 if there is no such object.
 */
export async function findObject(
  client: Client,
  { kind, namespace = client.defaultNamespace, name }: ObjectAddress,
): Promise<FoundObject> {
  const resource = await findResource(client, kind);
  const address = resource.namespaced ? { namespace, name } : { name };
  return { resource, address, object: await client.get<KubeObject>(resource, address) };
}

/** Finds a kind. @throws {TypeError} If the server serves none of that name, or several. */
export async function findResource(client: Client, kind: string): Promise<Resource> {
  const selector = parseSelector([kind]);
  const all = await client.discovery.all();
  const found = select(selector, all);
  const named = found.length > 0
    ? found
    : all.filter((each) =>
      [each.kind, each.plural, each.singular].some((word) => word.toLowerCase() === kind.toLowerCase())
    );
  const groups = new Map(named.map((each) => [groupResource(each), each] as const));
  if (groups.size > 1) {
    throw new TypeError(`Several kinds are named "${kind}": take one of ${[...groups.keys()].join(", ")}`);
  }
  const [resource] = named.filter(({ preferred }) => preferred).concat(named);
  if (resource !== undefined) return resource;
  throw new TypeError(`The server serves no kind "${formatSelector(selector)}"`);
}

/** Returns the domains under which operators have left marks on an object. */
export function prefixesOn(
  { metadata: { annotations = {}, finalizers = [] } }: KubeObject,
): readonly string[] {
  const prefixes = new Set<string>();
  for (const finalizer of finalizers) {
    if (finalizer === KOPF_FINALIZER) prefixes.add("kopf.zalando.org");
    else if (finalizer.endsWith(MARKS.finalizer)) prefixes.add(finalizer.slice(0, -MARKS.finalizer.length));
  }
  for (const key of Object.keys(annotations)) {
    if (key.endsWith(MARKS.note)) prefixes.add(key.slice(0, -MARKS.note.length));
  }
  return [...prefixes];
}
