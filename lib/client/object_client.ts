/**
 * Reads and writes objects of any kind: paths, queries and content types, over a transport.
 */

import { isObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { keyOf, pathOf, type PathOptions } from "../model/resource.ts";
import type {
  Addressable,
  CallOptions,
  Client,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ListPage,
  ObjectAddress,
  PatchRequest,
  Permitted,
  ReplaceOptions,
  WriteOptions,
} from "./client.ts";
import { Discovery } from "./discovery.ts";
import { dropManagedFields, listPages, toQuery } from "./list_pages.ts";
import type { ApiRequest, Transport } from "./transport/transport.ts";

/** Source: Kubernetes API concepts, "Patch". JSON is YAML, so an apply patch is sent as JSON. */
const PATCH_TYPES: Readonly<Record<PatchRequest["type"], string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Returns the client of an API server. No request is sent yet. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  return new ObjectClient(transport, options);
}

export interface ClientOptions {
  /** In which form a kind's objects are remembered by the users of the client. Default: whole. */
  readonly projectionOf?: Client["projectionOf"];
}

class ObjectClient implements Client {
  readonly transport: Transport;
  readonly discovery: Discovery;
  readonly projectionOf: Client["projectionOf"];

  constructor(transport: Transport, { projectionOf = () => undefined }: ClientOptions) {
    this.transport = transport;
    this.projectionOf = projectionOf;
    this.discovery = new Discovery(transport);
  }

  get defaultNamespace(): string {
    return this.transport.defaultNamespace;
  }

  async get<T = KubeObject>(
    resource: Addressable,
    address: ObjectAddress,
    options: GetOptions = {},
  ): Promise<T> {
    const { managedFields = false } = options;
    const request = toRequest({ method: "GET", verb: "get" }, resource, { ...options, path: address });
    const object = await this.#send(request, { managedFields, isObject: isWhole(address) });
    return object as T; // the type of a kind is the caller's knowledge
  }

  list<T = KubeObject>(
    resource: Addressable,
    options?: ListOptions,
  ): AsyncGenerator<ListPage<T>, void, void> {
    // The type of a kind is the caller's knowledge, here and below.
    return listPages(this.transport, resource, options) as AsyncGenerator<ListPage<T>, void, void>;
  }

  async create<T = KubeObject>(
    resource: Addressable,
    object: unknown,
    options: CreateOptions & Permitted = {},
  ): Promise<T> {
    const { namespace = metadataOf(object).namespace, name, subresource } = options;
    const path = { namespace: resource.namespaced ? namespace : undefined, name, subresource };
    if (resource.namespaced && path.namespace === undefined) {
      throw new TypeError(`Cannot create an object of "${keyOf(resource)}": its namespace is missing`);
    }
    const query = writeQuery(options);
    const request = toRequest({ method: "POST", verb: "create" }, resource, { ...options, path, query });
    return await this.#send({ ...request, body: object }) as T;
  }

  async replace<T = KubeObject>(
    resource: Addressable,
    object: unknown,
    options: ReplaceOptions & Permitted = {},
  ): Promise<T> {
    const { subresource } = options;
    const { namespace, name } = metadataOf(object);
    if (name === undefined) {
      throw new TypeError(`Cannot replace an object of "${keyOf(resource)}": its name is missing`);
    }
    const path = { namespace: resource.namespaced ? namespace : undefined, name, subresource };
    const query = writeQuery(options);
    const request = toRequest({ method: "PUT", verb: "update" }, resource, { ...options, path, query });
    return await this.#send({ ...request, body: object }) as T;
  }

  async patch<T = KubeObject>(
    resource: Addressable,
    address: ObjectAddress,
    patch: PatchRequest,
    options: CallOptions & Permitted = {},
  ): Promise<T> {
    const query = writeQuery(patch);
    const request = toRequest({ method: "PATCH", verb: "patch" }, resource, {
      ...options,
      path: address,
      query,
    });
    const sent = { ...request, body: patch.body, contentType: PATCH_TYPES[patch.type] };
    return await this.#send(sent, { isObject: isWhole(address) }) as T;
  }

  async delete(
    resource: Addressable,
    address: ObjectAddress,
    options: DeleteOptions & Permitted = {},
  ): Promise<unknown> {
    const path = address;
    const request = toRequest({ method: "DELETE", verb: "delete" }, resource, { ...options, path });
    return await this.#send({ ...request, body: deleteBody(options) });
  }

  async deleteCollection(resource: Addressable, options: DeleteCollectionOptions): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = options;
    if (resource.namespaced && namespace === undefined) {
      throw new TypeError(`Cannot delete the objects of "${keyOf(resource)}": name a namespace`);
    }
    const request = toRequest({ method: "DELETE", verb: "deletecollection" }, resource, {
      ...options,
      path: { namespace },
      query: toQuery({ labelSelector, fieldSelector }),
    });
    await this.transport.request({ ...request, body: deleteBody(options) });
  }

  async #send(
    request: ApiRequest,
    { managedFields = false, isObject: isExpected = false }: AnswerForm = {},
  ): Promise<unknown> {
    const { body } = await this.transport.request<KubeObject>(request);
    if (isExpected && !(isObject(body) && isObject(body.metadata))) throw notAnObject(request);
    return managedFields ? body : dropManagedFields(body);
  }
}

/** The form that an answer is to have. */
interface AnswerForm {
  /** Keep `metadata.managedFields`. Default: false. */
  readonly managedFields?: boolean;
  /** Whether it can only be an object with metadata. Default: false. */
  readonly isObject?: boolean;
}

/** NB: an answer that a proxy makes up must not be taken for another object, since then ours would seem to have gone. */
function notAnObject({ method, path }: ApiRequest): SyntaxError {
  const [place] = path.split("?");
  return new SyntaxError(`Cannot read the answer to "${method} ${place}": it is no object with metadata`);
}

/** Whether an object itself is asked for, and not a part below it, which may have any form. */
function isWhole({ subresource }: ObjectAddress): boolean {
  return subresource === undefined || subresource === "status";
}

function toRequest(
  { method, verb }: { method: string; verb: string },
  resource: Addressable,
  options: CallOptions & Permitted & { readonly path: PathOptions; readonly query?: string },
): ApiRequest {
  const { path, query = "", signal, urgent, permit } = options;
  const { namespace, name, subresource } = path;
  const subject = { verb, resource, namespace, name, subresource };
  return { method, path: pathOf(resource, path) + query, signal, urgent, permit, subject };
}

/** Undefined if it is empty. */
function deleteBody(options: DeleteOptions): object | undefined {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  const body = { preconditions, propagationPolicy, gracePeriodSeconds, dryRun: dryRun ? ["All"] : undefined };
  return Object.values(body).some((value) => value !== undefined) ? body : undefined;
}

function writeQuery(options: WriteOptions & { readonly force?: boolean }): string {
  const { fieldManager, dryRun, fieldValidation, force } = options;
  if (fieldManager === undefined && !dryRun && fieldValidation === undefined && !force) return "";
  return toQuery({
    fieldManager,
    dryRun: dryRun ? "All" : undefined,
    fieldValidation,
    force: force || undefined,
  });
}

function metadataOf(object: unknown): { name?: string; namespace?: string } {
  // An object to be written: the server refuses one with missing parts.
  return (object as KubeObject | undefined)?.metadata ?? {};
}
