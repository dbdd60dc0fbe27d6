/**
 * The requests of one write: what is wanted on an object, in as few requests as possible.
 *
 * What equals the live state is not sent. Where status is a subresource it goes first, so that a crash in between repeats
 * a handler but never loses what it wrote; notes and finalizers follow in one merge patch. A list of finalizers goes out
 * with the version that it was made from, and is made anew on a conflict, so that others' finalizers are never lost. All
 * of it is for one object: should that have gone, nothing lands on another one that has taken its name.
 * Functions come last, as JSON patches of what they change on the newest object. What the answers mean for what
 * is pending is told in `object_writer.ts`. Source: Kopf, docs/patches.
 */

import { ApiError } from "../client/errors.ts";
import type { Client, PatchRequest } from "../client/client.ts";
import { toError } from "./errors.ts";
import { addFinalizer, isDeleting, removeFinalizer } from "../model/finalizers.ts";
import { cloneJson, isEmptyObject } from "../model/json.ts";
import { createJsonPatch, type JsonPatchOperation } from "../model/json_patch.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import {
  minimisePatch,
  type Patch,
  type PatchFunction,
  type SplitPatch,
  splitStatus,
} from "../model/patch.ts";
import type { Resource } from "../model/resource.ts";

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
  readonly patch: Patch;
  readonly finalizer?: FinalizerChange;
  readonly signal?: AbortSignal;
  /** Whether it goes before other writes where they have to wait. Default: false. */
  readonly urgent?: boolean;
}

/** What became of it. */
export interface Applied {
  /** The newest state; undefined if the object has gone. */
  readonly body: KubeObject | undefined;
  /** How many requests changed the object. */
  readonly writes: number;
  /** Functions that lost against somebody else's change: to be applied to the newest object, which must be read first. */
  readonly remaining: readonly PatchFunction[];
  /** A function threw: none of them was applied. Everything else is written. */
  readonly failure?: FunctionFailure;
}

/** A function of the patch threw: that is the user's fault, and would happen again. The cause is what it threw. */
export class FunctionFailure extends Error {
  override readonly name: string = "FunctionFailure";
}

/** How often a request that depends on the object's version is made anew. */
const CONFLICTS = 5;

/**
 * Writes the patch and the finalizer.
 *
 * @throws {ApiError} If the server refuses for another reason than that the object has gone.
 */
export async function applyPatch(options: ApplyOptions): Promise<Applied> {
  const writer = new Writer(options);
  const shape = options.client.shapeOf(options.resource);
  try {
    const { patch, finalizer } = options;
    const { status, main = {} } = split(patch.toMergePatch(), options.resource);
    // What is not remembered cannot be compared with: only a whole object shows what is news to the server.
    if (shape !== undefined && isBeyondMetadata(patch)) await writer.read();
    if (status !== undefined) await writer.mergeStatus(status);
    if (finalizer === undefined) await writer.merge(main);
    else await writer.mergeWithFinalizer(main, finalizer);
    const outcome = await writer.transform(patch.fns);
    return { body: shape?.cut(writer.body) ?? writer.body, writes: writer.writes, ...outcome };
  } catch (error) {
    if ((error instanceof ApiError && error.status === 404) || isReplaced(error)) {
      return { body: undefined, writes: writer.writes, remaining: [] };
    }
    throw error;
  }
}

function isBeyondMetadata(patch: Patch): boolean {
  return patch.fns.length > 0 || Object.keys(patch.toMergePatch()).some((key) => key !== "metadata");
}

/** The object has gone, and another one has its name: what was meant for the one must not land on the other. */
class ReplacedError extends Error {}

function isReplaced(error: unknown): boolean {
  if (error instanceof ReplacedError) return true;
  if (!(error instanceof ApiError) || (error.status !== 422 && error.status !== 409)) return false;
  const isAboutUid = error.details?.causes?.some(({ field }) => field === "metadata.uid") ?? false;
  return isAboutUid || /UID in precondition/.test(error.body?.message ?? "");
}

class Writer {
  body: KubeObject;
  writes = 0;
  readonly #options: ApplyOptions;

  constructor(options: ApplyOptions) {
    this.#options = options;
    this.body = options.body;
  }

  async merge(content: JsonObject): Promise<void> {
    const body = minimisePatch(this.body, content);
    if (body !== undefined) await this.#send({ type: "merge", body: this.#addressed(body) });
  }

  /** NB: servers do not look at the uid in a custom object's status patch, but at the version (seen on 1.36). */
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
      const finalizers = finalizersAfter(this.body, finalizer);
      if (finalizers === undefined) return await this.merge(content);
      const rest = minimisePatch(this.body, content) ?? {};
      // The section is ours: patches of handlers hold labels and annotations there.
      const metadata = rest.metadata as JsonObject | undefined;
      const { resourceVersion } = this.body.metadata;
      const body = { ...rest, metadata: { ...metadata, finalizers, resourceVersion } };
      await this.#send({ type: "merge", body: this.#addressed(body) });
    });
  }

  /** Tries again with the newest state, when somebody else has changed the object meanwhile. */
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

  async transform(fns: readonly PatchFunction[]): Promise<Pick<Applied, "remaining" | "failure">> {
    if (fns.length === 0) return { remaining: [] };
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
      if (!isReplaced(error) && error instanceof ApiError && (error.status === 422 || error.status === 409)) {
        return { remaining: fns };
      }
      throw error;
    }
  }

  #guarded(operations: readonly JsonPatchOperation[]): unknown[] {
    const value = this.body.metadata.resourceVersion;
    return [{ op: "test", path: "/metadata/resourceVersion", value }, ...operations];
  }

  /** A name may be taken by another object meanwhile; its uid says which one is meant. */
  #addressed(body: JsonObject): JsonObject {
    const { uid } = this.body.metadata;
    // The section is ours or that of handlers: an object in any case.
    return uid === undefined
      ? body
      : { ...body, metadata: { ...body.metadata as JsonObject | undefined, uid } };
  }

  async #send(patch: PatchRequest, subresource?: string): Promise<void> {
    const { client, resource, signal, urgent } = this.#options;
    this.#adopt(await client.patch(resource, this.#address(subresource), patch, { signal, urgent }));
    this.writes++;
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

/** The new list, null for none; undefined if nothing is to be changed. */
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

/** Tells whether there is anything to write. */
export function isWorthWriting(
  { patch, body, finalizer }: Pick<ApplyOptions, "patch" | "body" | "finalizer">,
): boolean {
  if (patch.fns.length > 0) return true;
  if (finalizer !== undefined && finalizersAfter(body, finalizer) !== undefined) return true;
  const content = patch.toMergePatch();
  return !isEmptyObject(content) && minimisePatch(body, content) !== undefined;
}

function callAll(fns: readonly PatchFunction[], body: KubeObject): FunctionFailure | undefined {
  try {
    for (const fn of fns) fn(body);
  } catch (error) {
    const cause = toError(error);
    const message = `A function of the patch failed, and all of its functions are dropped: ${cause.message}`;
    return new FunctionFailure(message, { cause });
  }
}
