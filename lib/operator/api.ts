/**
 * What handlers use to work with other objects than their own: the operator's connection, by declared kinds.
 */

import type { Client, DeleteOptions, ListOptions, PatchRequest } from "../client/client.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import type { Resource } from "../model/resource.ts";
import { formatSelector, select } from "../model/selector.ts";
import type { ResourceType } from "../registry/resource.ts";

/** Which object; `namespace` is needed for namespaced kinds. */
export interface Address {
  /** Needed for namespaced kinds. */
  readonly namespace?: string;
  /** The object's name. */
  readonly name: string;
}

/** An object as it is sent: complete, but without what the server adds. */
export type NewObject<Spec, Status> = Partial<KubeObject<Spec, Status>>;

/** What an operator's API takes its connection from. */
export type ClientSource = () => Client;

/**
 * Objects of any declared kind. All calls use the operator's credentials, retries and timeouts, and throw ApiError (with
 * `status`, `reason` and `details`) where the server refuses.
 *
 * @example
 * ```ts
 * import { operator, resource } from "@lotse/lotse";
 *
 * const ConfigMap = resource({ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" });
 * const op = operator();
 *
 * op.on.create("databases.example.com", async ({ name, namespace }) => {
 *   await op.api.create(ConfigMap, { metadata: { name: `${name}-settings`, namespace }, data: { tier: "gold" } });
 * });
 * ```
 */
export class Api {
  readonly #client: ClientSource;

  /** Calls go through the client that the source gives. */
  constructor(client: ClientSource) {
    this.#client = client;
  }

  /** Gives one object. @throws {ApiError} With status 404 if it is not there. */
  async get<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: Address,
  ): Promise<KubeObject<Spec, Status>> {
    return await this.#client().get(await this.#resolve(kind), address);
  }

  /** Gives all objects of the kind, page after page; of one namespace or all, narrowed by selectors. */
  async *list<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    options: ListOptions = {},
  ): AsyncGenerator<KubeObject<Spec, Status>, void, void> {
    const pages = this.#client().list<KubeObject<Spec, Status>>(await this.#resolve(kind), options);
    for await (const page of pages) yield* page.items;
  }

  /** Creates an object; its `apiVersion` and `kind` are filled in. @throws {ApiError} With status 409 if it is there. */
  async create<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    object: NewObject<Spec, Status>,
  ): Promise<KubeObject<Spec, Status>> {
    const resource = await this.#resolve(kind);
    return await this.#client().create(resource, typed(resource, object));
  }

  /** Writes the whole object. @throws {ApiError} With status 409 if its `resourceVersion` is not the newest. */
  async replace<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    object: KubeObject<Spec, Status>,
  ): Promise<KubeObject<Spec, Status>> {
    const resource = await this.#resolve(kind);
    return await this.#client().replace(resource, typed(resource, object));
  }

  /** Changes an object by a merge patch: objects are merged, null deletes, lists are replaced. */
  async patch<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: Address & { readonly subresource?: string },
    body: JsonObject,
  ): Promise<KubeObject<Spec, Status>> {
    const request: PatchRequest = { type: "merge", body };
    return await this.#client().patch(await this.#resolve(kind), address, request);
  }

  /** Deletes an object. @throws {ApiError} With status 404 if it is not there. */
  async delete<Spec, Status>(
    kind: ResourceType<Spec, Status>,
    address: Address,
    options?: DeleteOptions,
  ): Promise<void> {
    await this.#client().delete(await this.#resolve(kind), address, options);
  }

  async #resolve<Spec, Status>({ options, selector }: ResourceType<Spec, Status>): Promise<Resource> {
    const { discovery } = this.#client();
    const { group, version, plural } = options;
    const served = group === undefined ? await discovery.all() : await discovery.group(group);
    const known = served.find((each) =>
      each.plural === plural && each.version === version && each.group === group
    );
    const [found, second] = known === undefined ? select(selector, served) : [known];
    if (found === undefined) {
      throw new TypeError(`Cannot find "${formatSelector(selector)}": the server serves no such kind`);
    }
    if (second !== undefined) {
      throw new TypeError(
        `Cannot tell which kind "${formatSelector(selector)}" is: name its group and version`,
      );
    }
    return found;
  }
}

function typed(resource: Resource, object: object): object {
  const apiVersion = resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
  return { apiVersion, kind: resource.kind, ...object };
}
