/**
 * The one write path: all changes that handlers, daemons, timers and the framework itself make to an object go through `write()`.
 *
 * It joins pending and new changes, sends the fields that differ from the newest state in as few requests as possible
 * (`write_requests.ts`), takes the response for the object's newest state, keeps changes that could not be sent, and tells
 * observers. It never throws: `WriteResult` says how the write has ended. When to try again, and whether to read the object
 * before, is the caller's choice. The meaning of each answer of the server stands in one table, in docs/architecture.md.
 */

import type { CachedObject } from "../client/cache/object_store.ts";
import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import type { Permit } from "../client/transport/permit.ts";
import { changedPaths, namedPaths } from "../model/changed_paths.ts";
import { finalizersOf, isDeleting } from "../model/finalizers.ts";
import { isEmptyObject } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import { joinPatches, minimisePatch, type Patch, type PatchFunction } from "../model/patch.ts";
import type { Clock } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { confidentialFieldsOf } from "../settings/server_selectors.ts";
import type { PersistenceSettings } from "../settings/sections.ts";
import { fieldsOf, RefusedWrite } from "./refused_write.ts";
import type { Observer, Subject } from "./observer.ts";
import type { Outgoing, PendingWrite, Refusal } from "./pending_write.ts";
import { type Applied, applyPatch, type FinalizerChange } from "./write_requests.ts";

/** The object, as far as its writer needs it. */
export interface WritableState extends Subject {
  /** Takes the responses: they are the newest state. */
  readonly cached: CachedObject;
  /** Is told of the writes of daemons and timers. */
  writing?(before: KubeObject, wanted: Outgoing): Disposable | undefined;
}

/** A write, and its author. */
export interface WriteRequest {
  /** The changes that handlers want. NB: the writer clears changes in it that the server would refuse for ever. */
  readonly patch: Patch;
  /** Ids of the handlers whose changes are in it. Default: none, so that no handler's attempt fails if it is refused. */
  readonly handlers?: readonly string[];
  /** The framework's own changes. They are never pending: the next reconcile makes them anew. */
  readonly notes?: Patch;
  readonly finalizer?: FinalizerChange;
  /** The remains of earlier writes: the object's, or the daemon's own. */
  readonly pending: PendingWrite;
  readonly author: WriteAuthor;
  readonly logger: Logger;
  /** Whether it goes before other writes where they have to wait. Default: false. */
  readonly urgent?: boolean;
  /** Under which it is sent: the term of the shard in which the work began. Default: it needs none. */
  readonly permit?: Permit;
  /** Whether the object is read before, since the outcome of an earlier write is not known. Default: false. */
  readonly readsFirst?: boolean;
}

/** The author of a write: one reconcile of the object, or a daemon or timer beside it. */
export type WriteAuthor =
  | { readonly kind: "reconcile"; readonly byEvent: boolean; readonly concluded: boolean }
  | { readonly kind: "daemon" | "timer"; readonly handler: string; readonly onChange: boolean };

/** The outcome of a write. */
export type WriteResult =
  /** No wanted field differs from the newest state. */
  | { readonly kind: "unchanged" }
  /** `outgoing`: the changes that were sent; `lost`: the functions that lost a race: they are pending, and the object has changed. */
  | {
    readonly kind: "written";
    readonly body: KubeObject;
    /** How many requests changed the object. */
    readonly writes: number;
    readonly outgoing: Outgoing;
    readonly lost: readonly PatchFunction[];
  }
  /** There is no such object any more, or another one has its name, or that was its last finalizer. No change is pending. */
  | { readonly kind: "gone" }
  /** It is pending. */
  | { readonly kind: "kept"; readonly error: unknown }
  /** The server calls it invalid, or a function threw: it would fail for ever. These handlers' attempts have failed by that. */
  | ({ readonly kind: "dropped" } & Refusal);

/** How often in a row functions may lose a race, or be refused without a reason, before they are dropped. */
const MOST_RACES = 5;

/** The things that an `ObjectWriter` works with. */
export interface ObjectWriterOptions {
  readonly client: Client;
  readonly observer: Observer;
  readonly clock: Clock;
  /**
   * How long the event of a write is waited for, and the confidential fields, whose values must not be repeated. Read anew for
   * each write.
   */
  readonly settings: Pick<PersistenceSettings, "consistencyTimeout" | "confidential">;
  /** Aborts when the operator must not write any more. */
  readonly fence: AbortSignal;
}

/** How an object is read. */
export interface ReadOptions extends Pick<WriteRequest, "urgent"> {
  /** Ends the reading. Default: when the operator must not write any more. */
  readonly signal?: AbortSignal;
}

/** Writes onto objects. */
export class ObjectWriter {
  readonly #options: ObjectWriterOptions;

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  /** Whether the operator must not write any more. */
  get isClosed(): boolean {
    return this.#options.fence.aborted;
  }

  /** Writes the pending and the new changes. Never throws. */
  async write(state: WritableState, request: WriteRequest): Promise<WriteResult> {
    if (isNothing(request)) return unchanged(request);
    const result = await this.#write(state, request);
    if (result.kind === "dropped") this.#options.observer.refused?.(state, result);
    return result;
  }

  async #write(state: WritableState, request: WriteRequest): Promise<WriteResult> {
    const { client, observer, fence: signal } = this.#options;
    const { patch, notes, finalizer, pending, author, logger, urgent, permit, readsFirst = false } = request;
    const wanted = pending.compose(patch, logger);
    const { fns } = wanted;
    const noted = notes?.toMergePatch();
    // The notes wait for functions.
    const content = noted === undefined || fns.length > 0
      ? wanted.content
      : joinPatches(wanted.content, noted);
    try {
      const { resource } = state;
      const body = readsFirst ? await this.read(state, { urgent }) : state.body;
      if (body === undefined) return gone(request);
      if (finalizer === undefined && fns.length === 0 && isEmptyObject(content)) return unchanged(request);
      using _change = author.kind === "reconcile" ? undefined : state.writing?.(body, wanted);
      const sent = await applyPatch({
        client,
        resource,
        body,
        content: wanted.content,
        fns,
        notes: noted,
        finalizer,
        signal,
        urgent,
        permit,
      });
      if (sent.body === body && fns.length === 0) return unchanged(request);
      if (observer.written !== undefined && sent.writes > 0) {
        this.#tell(state, request, { before: body, wanted, sent });
      }
      if (sent.body !== undefined) this.#adopt(state, sent.body);
      const refusal = sent.refusal && this.#toldOf(sent.refusal, state);
      return settleSent({ ...sent, refusal }, { content, fns }, request);
    } catch (error) {
      const told = error instanceof ApiError ? this.#toldOf(error, state) : error;
      return settleRefused(told, request, told === error ? wanted.content : undefined);
    }
  }

  /** Returns the refusal as it may be logged and noted. */
  #toldOf(error: ApiError, { resource }: Subject): ApiError {
    if (error.status !== 400 && error.status !== 422) return error;
    const isConfidential = confidentialFieldsOf(this.#options.settings, resource).length > 0;
    return isConfidential ? withoutValues(error) : error;
  }

  /**
   * Returns the object as the server has it now; undefined if there is none, or another one of its name.
   *
   * @throws {ApiError} If the server refuses for another reason.
   */
  async read(
    { resource, body }: Pick<Subject, "resource" | "body">,
    { urgent, signal = this.#options.fence }: ReadOptions = {},
  ): Promise<KubeObject | undefined> {
    const { client } = this.#options;
    const { name = "", namespace, uid } = body.metadata;
    const address = { name, namespace: resource.namespaced ? namespace : undefined };
    try {
      const whole = await client.get(resource, address, { signal, urgent });
      const newest = client.projectionOf(resource)?.project(whole) ?? whole;
      return newest.metadata?.uid === uid ? newest : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  #adopt({ cached }: WritableState, body: KubeObject): void {
    const { clock, settings: { consistencyTimeout } } = this.#options;
    if (consistencyTimeout > 0) {
      cached.adopt(body, { from: "write", until: clock.monotonic() + consistencyTimeout });
    } else cached.adopt(body, { from: "read" });
  }

  #tell(state: WritableState, { author, finalizer }: WriteRequest, told: ToldWrite): void {
    const { before, wanted: { content }, sent: { body, writes } } = told;
    const version = body?.metadata.resourceVersion;
    const written = { paths: pathsOf(told), writes, version };
    if (author.kind === "reconcile") {
      const { byEvent, concluded } = author;
      const moved = movedFinalizer(before, finalizer);
      this.#options.observer.written?.(state, { ...written, byEvent, concluded, finalizer: moved });
      return;
    }
    const { kind: type, handler, onChange } = author;
    const by = { handler, type, onChange, before, content, version, order: state.cached.order };
    this.#options.observer.written?.(state, { ...written, byEvent: false, concluded: false, by });
  }
}

/** A write that has reached the object. */
interface ToldWrite {
  readonly before: KubeObject;
  /** The changes that handlers wanted: without the notes, which are no handler's change. */
  readonly wanted: Outgoing;
  readonly sent: Applied;
}

/**
 * Returns the paths that handlers have changed: the fields of their patch that were not there already, and the changes of its
 * functions.
 */
function pathsOf({ before, wanted: { content, fns }, sent: { body } }: ToldWrite): readonly string[] {
  const paths = namedPaths(minimisePatch(before, content) ?? {});
  if (fns.length === 0 || body === undefined) return paths;
  const changed = changedPaths(before, body).filter((path) => !path.startsWith("metadata."));
  return [...new Set([...paths, ...changed])];
}

/** Returns where the finalizer has gone; undefined if it has stayed. */
function movedFinalizer(before: KubeObject, change: FinalizerChange | undefined): boolean | undefined {
  if (change === undefined || finalizersOf(before).includes(change.name) === change.wanted) return undefined;
  return change.wanted;
}

/** Whether the request wants no change, and earlier writes have left none. */
function isNothing({ patch, notes, finalizer, pending }: WriteRequest): boolean {
  const hasNotes = notes?.isEmpty === false;
  return !hasNotes && finalizer === undefined && pending.isEmpty && patch.isEmpty;
}

function unchanged({ pending }: WriteRequest): WriteResult {
  pending.settle();
  return { kind: "unchanged" };
}

function settleSent(sent: Applied, outgoing: Outgoing, request: WriteRequest): WriteResult {
  const { body, writes, remaining: lost, refusal, failure } = sent;
  const { patch, handlers, pending, logger } = request;
  if (body === undefined || (isDeleting(body) && finalizersOf(body).length === 0)) return gone(request);
  const isRefused = refusal !== undefined && isFinal(refusal, pending);
  if (failure !== undefined || isRefused) {
    // NB: the fields stay in the patch: they are on the object, so that records are to be signed with them.
    patch.fns = [];
    return dropped(failure ?? new RefusedWrite(refusal as ApiError), request); // one of both is there
  }
  if (lost.length > 0) {
    logger.debug("Functions of the patch have lost a race: they are applied to the newest state");
    pending.keepLost(lost, handlers);
    return { kind: "written", body, writes, outgoing, lost };
  }
  pending.settle();
  return { kind: "written", body, writes, outgoing, lost };
}

/** Whether functions that were refused would be refused again: the server names a field, or it has been so for long. */
function isFinal(refusal: ApiError, { races }: PendingWrite): boolean {
  return races + 1 >= MOST_RACES || fieldsOf(refusal).length > 0;
}

function gone({ pending, logger }: WriteRequest): WriteResult {
  logger.debug("The object has gone: nothing is written");
  pending.settle();
  return { kind: "gone" };
}

function dropped(error: Error, { pending, handlers = [] }: WriteRequest): WriteResult {
  const all = [...new Set([...pending.handlers, ...handlers])];
  pending.drop();
  return { kind: "dropped", error, handlers: all };
}

/** A refusal that names fields, and does not repeat their values. */
function withoutValues(error: ApiError): ApiError {
  const { status, request, headers, body, details } = error;
  const causes = details?.causes?.map(({ reason, field }) => ({ reason, field }));
  const message = `what it says is left out, as values of this kind are confidential${
    causes === undefined ? "" : ` (fields: ${causes.map(({ field = "?" }) => field).join(", ")})`
  }`;
  return new ApiError({
    status,
    request,
    headers,
    body: body && { ...body, message, details: details && { ...details, causes } },
  });
}

/**
 * The part of the table of answers that the requests do not decide: see docs/architecture.md, "The write path". That the object
 * has gone, and that functions have lost a race, is found out while requests are made (`write_requests.ts`).
 */
function settleRefused(error: unknown, request: WriteRequest, sent: JsonObject | undefined): WriteResult {
  const { patch, pending, handlers } = request;
  const isInvalid = error instanceof ApiError && (error.status === 400 || error.status === 422);
  if (!isInvalid) {
    pending.keep(patch, handlers);
    return { kind: "kept", error };
  }
  patch.clear();
  return dropped(new RefusedWrite(error, sent), request);
}
