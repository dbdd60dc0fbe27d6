/**
 * A client whose answers to writes go into the caches: what a handler has written is known at its next line, and not only when
 * a watch brings it.
 */

import type { Caches } from "../client/cache/caches.ts";
import type { Addressable, Client, PatchRequest } from "../client/client.ts";
import { currentArguments } from "../execution/invoke.ts";
import { isObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/** Returns the client with the same methods; the caches take the answers to its writes for the newest states. */
export function tellAnswers(client: Client, caches: Caches): Client {
  const tell = <T>(kind: Addressable, object: T, sent: unknown): T => {
    const resource = caches.resourceOf(kind);
    if (resource !== undefined && isStored(object) && object.kind === resource.kind) {
      const kept = client.projectionOf(resource)?.project(object) ?? object;
      caches.answer(resource, kept, { sent, author: authorOf(currentArguments()) });
    }
    return object;
  };
  const { transport, discovery } = client;
  return {
    transport,
    discovery,
    projectionOf: client.projectionOf,
    get defaultNamespace() {
      return client.defaultNamespace;
    },
    get: client.get.bind(client),
    list: client.list.bind(client),
    delete: client.delete.bind(client),
    deleteCollection: client.deleteCollection.bind(client),
    create: async <T>(...[resource, object, options = {}]: Parameters<Client["create"]>): Promise<T> => {
      const answer = await client.create<T>(resource, object, options);
      return isKept(options) ? tell(resource, answer, object) : answer;
    },
    replace: async <T>(...[resource, object, options = {}]: Parameters<Client["replace"]>): Promise<T> => {
      const answer = await client.replace<T>(resource, object, options);
      return isKept(options) ? tell(resource, answer, object) : answer;
    },
    patch: async <T>(...[resource, address, patch, options]: Parameters<Client["patch"]>): Promise<T> => {
      const answer = await client.patch<T>(resource, address, patch, options);
      const { subresource } = address;
      return isKept({ subresource, dryRun: patch.dryRun }) ? tell(resource, answer, sentOf(patch)) : answer;
    },
  };
}

/** Other subresources answer with objects of other kinds. */
function isKept(
  { subresource, dryRun }: { readonly subresource?: string; readonly dryRun?: boolean },
): boolean {
  return dryRun !== true && (subresource === undefined || subresource === "status");
}

function sentOf({ type, body }: PatchRequest): unknown {
  return type === "json" ? undefined : body;
}

function isStored(object: unknown): object is KubeObject {
  return isObject(object) && isObject(object.metadata) &&
    typeof object.metadata.resourceVersion === "string" &&
    object.kind !== "Status";
}

function authorOf(args: unknown): string | undefined {
  const uid = isObject(args) && "uid" in args ? args.uid : undefined;
  return typeof uid === "string" ? uid : undefined;
}
