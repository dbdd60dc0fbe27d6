/**
 * Finds the operator of a kind in a cluster, for whoever has only a kubeconfig: generated Deployments say in an annotation on which kinds
 * their operators leave marks.
 *
 * The annotation is a note of the last `generate manifests`, so that an operator with hand-written manifests is not found.
 */

import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import { getField } from "../model/fields.ts";
import { DEPLOYMENTS } from "../model/kinds.ts";
import type { KubeObject } from "../model/object.ts";
import { groupResource, type Resource } from "../model/resource.ts";
import { matches } from "../model/selector.ts";
import { parseTraces, TRACES_ANNOTATION } from "../registry/traces.ts";
import { type ClusterOptions, findResource, inCluster } from "./object_access.ts";

/** Which object is asked about. */
export interface ResponsibleOptions extends ClusterOptions {
  readonly kind: string;
  readonly namespace?: string;
}

/**
 * Returns the one operator that handles the kind in the namespace, as "namespace/name" of its Deployment.
 *
 * @throws {TypeError} If there is none, or there are several. @throws {LoginError} If there is no way into a cluster.
 */
export async function findResponsible(options: ResponsibleOptions): Promise<string> {
  return await inCluster(options, async (client) => {
    const resource = await findResource(client, options.kind);
    const namespace = resource.namespaced ? options.namespace : undefined;
    const found = (await deployments(client)).filter((each) => handles(each, resource, namespace));
    const names = found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
    const [name] = names;
    const kind = groupResource(resource);
    if (name === undefined) {
      throw new TypeError(
        `No operator on this machine answers, and no Deployment that could be listed says by its annotation ${TRACES_ANNOTATION} ` +
          `that it handles ${kind}: name the operator by --operator NAMESPACE/NAME, or read the notes on the object with --offline`,
      );
    }
    if (names.length === 1) return name;
    throw new TypeError(
      `${names.length} operators in the cluster may handle ${kind}: ${
        names.slice(0, MOST_NAMED).join(", ")
      }: name one by --operator`,
    );
  });
}

const MOST_NAMED = 10;

/** Of all namespaces, or where these may not be listed, of the connection's. */
async function deployments(client: Client): Promise<KubeObject[]> {
  try {
    return await listed(client, undefined);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    return await listed(client, client.defaultNamespace);
  }
}

async function listed(client: Client, namespace: string | undefined): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const { items } of client.list(DEPLOYMENTS, { namespace })) {
    found.push(...items.filter(({ metadata }) => metadata.annotations?.[TRACES_ANNOTATION] !== undefined));
  }
  return found;
}

function handles(deployment: KubeObject, resource: Resource, namespace: string | undefined): boolean {
  const served = servedBy(deployment);
  const isServed = namespace === undefined || served.length === 0 ||
    served.some((each) => each === namespace || /[*,?!]/.test(each));
  if (!isServed) return false;
  try {
    const { kinds } = parseTraces(deployment.metadata.annotations?.[TRACES_ANNOTATION] ?? "");
    return kinds.some((selector) => matches(selector, resource));
  } catch {
    return false; // of another version
  }
}

/** The namespaces, or patterns of them, that the Deployment gives its operator; empty: all. */
function servedBy(deployment: KubeObject): readonly string[] {
  const containers = getField(deployment, ["spec", "template", "spec", "containers"]);
  const [container] = Array.isArray(containers) ? containers as readonly unknown[] : [];
  const args = getField(container, ["args"]);
  return (Array.isArray(args) ? args : []).flatMap((arg: unknown) =>
    /^--namespace=(.+)$/.exec(String(arg))?.[1] ?? []
  );
}
