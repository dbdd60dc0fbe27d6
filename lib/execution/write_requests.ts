/**
 * The requests of one write: the changes of an object, in as few requests as possible.
 *
 * A field that equals the live state is not sent. Where status is a subresource it goes first, so that a crash in between
 * repeats a handler but never loses the handler's changes; notes and finalizers follow in one merge patch. Notes in the status go
 * out with the handler's own status, and after its other changes for the same reason. A list of finalizers
 * goes out with the version that it was made from, and is made anew on a conflict, so that others' finalizers are never lost.
 * Each request is for one object: if the object has gone, no request changes another object that has taken its name. Functions
 * come after the fields, as JSON patches of their changes to the newest object; notes and finalizers wait for them, since they
 * say that everything has happened. The meaning of the answers for pending changes is in `object_writer.ts`. Source: Kopf,
 * docs/patches.
 */

import { ApiError } from "../client/errors.ts";
import type { Client, PatchRequest } from "../client/client.ts";
import type { Projection } from "../client/projection.ts";
import type { Permit } from "../client/transport/permit.ts";
import { toError } from "./errors.ts";
import { addFinalizer, isDeleting, removeFinalizer } from "../model/finalizers.ts";
import { cloneJson, isObject } from "../model/json.ts";
import { createJsonPatch, type JsonPatchOperation } from "../model/json_patch.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import {
  joinPatches,
  minimisePatch,
  type PatchFunction,
  type SplitPatch,
  splitStatus,
} from "../model/patch.ts";
import type { Resource } from "../model/resource.ts";
import { FunctionFailure } from "./refused_write.ts";
import { errorMessage } from "../runtime/error_text.ts";

/** How the object should stand with our finalizer. */
export interface FinalizerChange {
  readonly name: string;
  readonly wanted: boolean;
}

export interface ApplyOptions {
  readonly client: Client;
  readonly resource: Resource;
  /** The newest state known. */
  readonly body: KubeObject;
  /** The fields that are wanted, as a merge patch. */
  readonly content: JsonObject;
  /** Functions that come after them. */
  readonly fns: readonly PatchFunction[];
  /** Written together with the fields or after them; after the functions, and only if none was refused, since it has happened then. */
  readonly notes?: JsonObject;
  readonly finalizer?: FinalizerChange;
  readonly signal?: AbortSignal;
  /** Whether it goes before other writes where they have to wait. Default: false. */
  readonly urgent?: boolean;
  /**
   * Under which it is sent. With one, each request carries the version that it was made from: so the server refuses a request
   * that the network has kept for longer than the permit has lasted. Default: it needs none.
   */
  readonly permit?: Permit;
}

/** The outcome of a write. */
export interface Applied {
  /** The newest state; the given one if no request was sent; undefined if the object has gone. */
  readonly body: KubeObject | undefined;
  /** How many requests changed the object. */
  readonly writes: number;
  /** Functions that lost against another writer's change: to be applied to the newest object, which must be read first. */
  readonly remaining: readonly PatchFunction[];
  /** The server's answer to the remaining functions. */
  readonly refusal?: ApiError;
  /** A function threw: none of them was applied. Everything else is written. */
  readonly failure?: FunctionFailure;
}

/** How often a request that depends on the object's version is made anew. */
const CONFLICTS = 5;

/**
 * Writes the fields, the changes of the functions, the notes and the finalizer.
 *
 * @throws {ApiError} If the server refuses for another reason than that the object has gone.
 */
export async function applyPatch(options: ApplyOptions): Promise<Applied> {
  const { content, fns, notes = {}, finalizer } = options;
  const writer = new Writer(options);
  try {
    if (writer.isBlind) await writer.read();
    if (fns.length === 0) {
      await writer.mergeNoted(content, { notes, finalizer });
      return { body: writer.newest, writes: writer.writes, remaining: NONE };
    }
    await writer.mergeAll(content);
    const transformed = await writer.transform(fns);
    const isDone = transformed.remaining.length === 0 && transformed.failure === undefined;
    if (isDone) await writer.mergeAll(notes, finalizer);
    return { body: writer.newest, writes: writer.writes, ...transformed };
  } catch (error) {
    if (!await writer.hasGone(error)) throw error;
    return { body: undefined, writes: writer.writes, remaining: NONE };
  }
}

const NONE: readonly PatchFunction[] = [];

/** The object has gone, and another one has its name: the changes of the one must not land on the other. */
class ReplacedError extends Error {}

function isReplaced(error: unknown): boolean {
  if (error instanceof ReplacedError) return true;
  if (!(error instanceof ApiError) || (error.status !== 422 && error.status !== 409)) return false;
  const isAboutUid = error.details?.causes?.some(({ field }) => field === "metadata.uid") ?? false;
  return isAboutUid || /UID in precondition/.test(error.body?.message ?? "");
}

/** Whether an answer 404 is about this object, and not about a route, a namespace or a server behind a proxy. */
function namesObject(error: ApiError, { metadata: { name } }: KubeObject): boolean {
  return name !== undefined && error.details?.name === name;
}

class Writer {
  body: KubeObject;
  writes = 0;
  readonly #options: ApplyOptions;
  readonly #projection: Projection | undefined;

  constructor(options: ApplyOptions) {
    this.#options = options;
    this.#projection = options.client.projectionOf(options.resource);
    this.body = options.body;
  }

  /** Whether the cache does not hold the fields that are to be written: only the whole object shows which of them differ. */
  get isBlind(): boolean {
    const { body, fns, notes = {} } = this.#options;
    if (this.#projection === undefined) return false;
    if (fns.length > 0) return true;
    const content = joinPatches(this.#options.content, notes);
    return Object.keys(content).some((key) => key !== "metadata") &&
      minimisePatch(body, content) !== undefined;
  }

  /** The newest state, as it is remembered. */
  get newest(): KubeObject {
    // The given object is in that form already.
    if (this.body === this.#options.body) return this.body;
    return this.#projection?.project(this.body) ?? this.body;
  }

  /** Sends the fields and the notes. Notes say that the fields are written: none goes out before a field. */
  async mergeNoted(
    content: JsonObject,
    { notes, finalizer }: { readonly notes: JsonObject; readonly finalizer: FinalizerChange | undefined },
  ): Promise<void> {
    const { resource } = this.#options;
    const { main, status } = split(content, resource);
    if (main === undefined || split(notes, resource).status === undefined) {
      return await this.mergeAll(joinPatches(content, notes), finalizer);
    }
    await this.merge(main);
    await this.mergeAll(joinPatches(status ?? {}, notes), finalizer);
  }

  /** Sends the status, then all other fields. */
  async mergeAll(content: JsonObject, finalizer?: FinalizerChange): Promise<void> {
    const { status, main = {} } = split(content, this.#options.resource);
    if (status !== undefined) await this.mergeStatus(status);
    if (finalizer === undefined) await this.merge(main);
    else await this.mergeWithFinalizer(main, finalizer);
  }

  async merge(content: JsonObject): Promise<void> {
    if (this.#options.permit === undefined) {
      const body = minimisePatch(this.body, content);
      if (body !== undefined) await this.#send({ type: "merge", body: this.#addressed(body) });
      return;
    }
    await this.#insist(async () => {
      const body = minimisePatch(this.body, content);
      if (body === undefined) return;
      const { resourceVersion } = this.body.metadata;
      const metadata = { ...body.metadata as JsonObject | undefined, resourceVersion }; // as below
      await this.#send({ type: "merge", body: this.#addressed({ ...body, metadata }) });
    });
  }

  /** NB: in a custom object's status patch, servers do not check the uid, but the version (seen on 1.36). */
  async mergeStatus(content: JsonObject): Promise<void> {
    await this.#insist(async () => {
      const body = minimisePatch(this.body, content);
      const { resourceVersion } = this.body.metadata;
      if (body === undefined) return;
      await this.#send({ type: "merge", body: { ...body, metadata: { resourceVersion } } }, "status");
    });
  }

  async mergeWithFinalizer(content: JsonObject, finalizer: FinalizerChange): Promise<void> {
    await this.#insist(async () => {
      const finalizers = finalizersAfter(withWantedFinalizers(this.body, content), finalizer);
      if (finalizers === undefined) return await this.merge(content);
      const rest = minimisePatch(this.body, content) ?? {};
      // The section is ours: patches of handlers hold labels and annotations there.
      const metadata = rest.metadata as JsonObject | undefined;
      const { resourceVersion } = this.body.metadata;
      const body = { ...rest, metadata: { ...metadata, finalizers, resourceVersion } };
      await this.#send({ type: "merge", body: this.#addressed(body) });
    });
  }

  /** Tries again with the newest state, when another client has changed the object meanwhile. */
  async #insist(write: () => Promise<void>): Promise<void> {
    for (let conflicts = 0;; conflicts++) {
      try {
        return await write();
      } catch (error) {
        const isConflict = error instanceof ApiError && error.status === 409 && !isReplaced(error);
        if (!isConflict || conflicts >= CONFLICTS) throw error;
        await this.read();
      }
    }
  }

  async transform(
    fns: readonly PatchFunction[],
  ): Promise<Pick<Applied, "remaining" | "refusal" | "failure">> {
    const wanted = cloneJson(this.body);
    const failure = callAll(fns, wanted);
    if (failure !== undefined) return { remaining: [], failure };
    const operations = createJsonPatch(this.body, wanted);
    const { main, status } = splitOperations(operations, this.#options.resource);
    try {
      if (main.length > 0) await this.#send({ type: "json", body: this.#guarded(main) });
      if (status.length > 0) await this.#send({ type: "json", body: this.#guarded(status) }, "status");
      return { remaining: [] };
    } catch (error) {
      const isRefused = error instanceof ApiError && (error.status === 422 || error.status === 409);
      if (isReplaced(error) || !isRefused) throw error;
      return { remaining: fns, refusal: error };
    }
  }

  #guarded(operations: readonly JsonPatchOperation[]): unknown[] {
    const value = this.body.metadata.resourceVersion;
    return [{ op: "test", path: "/metadata/resourceVersion", value }, ...operations];
  }

  /** A name may be taken by another object meanwhile; its uid says which one is meant. */
  #addressed(body: JsonObject): JsonObject {
    const { uid } = this.body.metadata;
    // The metadata is ours, or comes from handlers: an object in any case.
    return uid === undefined
      ? body
      : { ...body, metadata: { ...body.metadata as JsonObject | undefined, uid } };
  }

  async #send(patch: PatchRequest, subresource?: string): Promise<void> {
    const { client, resource, signal, urgent, permit } = this.#options;
    const options = { signal, urgent, permit };
    this.#adopt(await client.patch(resource, this.#address(subresource), patch, options));
    this.writes++;
  }

  /** Whether an error means that the object has gone. One answer 404 alone does not: the server is asked. */
  async hasGone(error: unknown): Promise<boolean> {
    if (isReplaced(error)) return true;
    if (!(error instanceof ApiError) || error.status !== 404) return false;
    if (namesObject(error, this.body)) return true;
    try {
      await this.read();
      return false;
    } catch (second) {
      return isReplaced(second) || (second instanceof ApiError && second.status === 404);
    }
  }

  /** Gets the newest state, whole. */
  async read(): Promise<void> {
    const { client, resource, signal, urgent } = this.#options;
    this.#adopt(await client.get(resource, this.#address(), { signal, urgent }));
  }

  #adopt(body: KubeObject): void {
    const { uid } = this.body.metadata;
    if (uid !== undefined && body.metadata?.uid !== uid) throw new ReplacedError();
    this.body = body;
  }

  #address(
    subresource?: string,
  ): { readonly namespace?: string; readonly name: string; readonly subresource?: string } {
    const { name = "", namespace } = this.body.metadata;
    return { name, namespace: this.#options.resource.namespaced ? namespace : undefined, subresource };
  }
}

/** The object with the finalizers that a handler's patch wants: ours is put on that list, or taken off it. */
function withWantedFinalizers(body: KubeObject, { metadata }: JsonObject): KubeObject {
  if (!isObject(metadata) || !Object.hasOwn(metadata, "finalizers")) return body;
  // A handler may have put any value there: one that is no list of texts counts as none.
  const finalizers = metadata.finalizers as string[] | undefined;
  return { ...body, metadata: { ...body.metadata, finalizers } };
}

/** The new list, null for none; undefined if the list is to stay as it is. */
function finalizersAfter(body: KubeObject, { name, wanted }: FinalizerChange): string[] | null | undefined {
  if (!wanted) return removeFinalizer(body, name);
  // The server refuses new finalizers on objects that are being deleted.
  return isDeleting(body) ? undefined : addFinalizer(body, name);
}

function split(content: JsonObject, resource: Resource): SplitPatch {
  return resource.subresources.includes("status")
    ? splitStatus(content)
    : { main: content, status: undefined };
}

function splitOperations(
  operations: readonly JsonPatchOperation[],
  resource: Resource,
): { readonly main: readonly JsonPatchOperation[]; readonly status: readonly JsonPatchOperation[] } {
  if (!resource.subresources.includes("status")) return { main: operations, status: [] };
  const isStatus = ({ path }: JsonPatchOperation): boolean =>
    path === "/status" || path.startsWith("/status/");
  return { main: operations.filter((each) => !isStatus(each)), status: operations.filter(isStatus) };
}

function callAll(fns: readonly PatchFunction[], body: KubeObject): FunctionFailure | undefined {
  try {
    for (const fn of fns) fn(body);
  } catch (error) {
    const cause = toError(error);
    const message = `A function of the patch failed, and all of its functions are dropped: ${
      errorMessage(cause)
    }`;
    return new FunctionFailure(message, { cause });
  }
}
