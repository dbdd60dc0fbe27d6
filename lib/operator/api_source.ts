/**
 * The connection by which handlers reach other objects: a client whose answers to writes go into the caches, so that a handler
 * sees its own write at its next line, and not only when a watch brings it.
 */

import { AppliedStates } from "../client/cache/applied_states.ts";
import type { Caches, Write } from "../client/cache/caches.ts";
import type { Addressable, Client, PatchRequest } from "../client/client.ts";
import { currentArguments } from "../execution/invoke.ts";
import { isObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { SOURCE } from "../handlers/reconcile/source_handler.ts";
import type { Registry } from "../handlers/registry.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/sections.ts";

/** The connection of an operator that runs. */
export interface ApiSource {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Pick<Settings, "networking" | "watching">;
  /** The states that are known to be as they were applied. Default: none. */
  readonly states?: AppliedStates;
}

/** A run, as far as its connection goes. */
export interface ApiSourceOptions extends Pick<ApiSource, "client" | "host" | "logger"> {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly caches: Caches;
}

/** Returns the connection of a run: the run's caches know its writes at once. */
export function apiSource(
  { client, host, logger, settings, registry, caches }: ApiSourceOptions,
): ApiSource {
  const states = new AppliedStates({
    caches,
    isFollowed: (resource) =>
      registry.of(resource).of(SOURCE).length > 0 && client.projectionOf(resource) === undefined,
  });
  const api = tellAnswers(client, caches);
  return { client: api, host, settings, states, logger: logger.child({ name: "lotse.api" }) };
}

/** A write, and its object. */
interface Sending<T> {
  readonly target: Write["target"];
  readonly sent: unknown;
  readonly request: () => Promise<T>;
}

/** Returns the client with the same methods; the caches take the answers to its writes for the newest states. */
function tellAnswers(client: Client, caches: Caches): Client {
  const send = async <T>(kind: Addressable, { target, sent, request }: Sending<T>): Promise<T> => {
    const resource = caches.resourceOf(kind);
    if (resource === undefined) return await request();
    const author = authorOf(currentArguments());
    using _write = author === undefined ? undefined : caches.onWriting?.(resource, { author, target });
    const object = await request();
    if (isStored(object) && object.kind === resource.kind) {
      const kept = client.projectionOf(resource)?.project(object) ?? object;
      caches.answer(resource, kept, { sent, author });
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
      const request = (): Promise<T> => client.create<T>(resource, object, options);
      return isKept(options)
        ? await send(resource, { target: targetOf(object), sent: object, request })
        : await request();
    },
    replace: async <T>(...[resource, object, options = {}]: Parameters<Client["replace"]>): Promise<T> => {
      const request = (): Promise<T> => client.replace<T>(resource, object, options);
      return isKept(options)
        ? await send(resource, { target: targetOf(object), sent: object, request })
        : await request();
    },
    patch: async <T>(...[resource, address, patch, options]: Parameters<Client["patch"]>): Promise<T> => {
      const request = (): Promise<T> => client.patch<T>(resource, address, patch, options);
      const { subresource } = address;
      return isKept({ subresource, dryRun: patch.dryRun })
        ? await send(resource, { target: address, sent: sentOf(patch), request })
        : await request();
    },
  };
}

/** Other subresources answer with objects of other kinds. */
function isKept(
  { subresource, dryRun }: { readonly subresource?: string; readonly dryRun?: boolean },
): boolean {
  return dryRun !== true && (subresource === undefined || subresource === "status");
}

function targetOf(object: unknown): Write["target"] {
  return isObject(object) && isObject(object.metadata) ? object.metadata : {};
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
