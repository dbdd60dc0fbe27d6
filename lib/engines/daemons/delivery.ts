/**
 * Sends what a run has left in its patch, and keeps what could not be sent.
 *
 * A failed write is not a failed run: it is logged, and tried again with growing pauses, beside the schedule. What the
 * server calls invalid would be refused for ever and is dropped, with an error. Functions that lost against somebody
 * else's change go to the next run, which can see that by its patch not being empty. Source: Kopf, B §1.12; deviations
 * G21, D5; design, decision 10.
 */

import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { type Applied, applyPatch, FunctionFailure, isWorthWriting } from "../../execution/write_requests.ts";
import { toError } from "../../execution/errors.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { changedPaths, namedPaths } from "../../model/changed_paths.ts";
import { minimisePatch, Patch, type PatchFunction } from "../../model/patch.ts";
import type { Resource } from "../../model/resource.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";

/** What is left to be sent. */
export interface Backlog {
  /** To be sent again, after `retryIn`; undefined if there is nothing but lost functions. */
  readonly unsent: Patch | undefined;
  /** Functions for the next run. */
  readonly lost: readonly PatchFunction[];
  /** Attempts in a row that failed. */
  readonly failures: number;
  readonly retryIn: Seconds;
}

/** A write that has reached the object. */
export interface DeliveredWrite {
  /** What was to be changed, as dotted paths. */
  readonly paths: readonly string[];
  /** How many requests changed the object. */
  readonly writes: number;
  /** The object's version after it; undefined if it has gone. */
  readonly version: string | undefined;
  /** The object before it. */
  readonly before: KubeObject;
  /** What was to be written, as a merge patch; without functions. */
  readonly content: JsonObject;
}

export interface SendOptions {
  readonly client: Client;
  readonly logger: Logger;
  readonly resource: Resource;
  /** The newest state known. */
  readonly body: KubeObject;
  /** What is left of earlier ones. */
  readonly backlog: Backlog | undefined;
  /** Pauses after failures; the last one is repeated. */
  readonly errorDelays: readonly Seconds[];
  readonly signal: AbortSignal;
  /** Called with what the object has become. */
  readonly adopt: (body: KubeObject) => void;
  /** Called when something was written. */
  readonly onWritten?: (written: DeliveredWrite) => void;
}

/** Sends a patch, after what is left of earlier ones; gives what is left then. Never throws. */
export async function sendPatch(patch: Patch, options: SendOptions): Promise<Backlog | undefined> {
  const { backlog, logger, signal } = options;
  const outgoing = compose(patch, options);
  try {
    const body = backlog?.unsent === undefined ? options.body : await readNewest(options);
    if (body === undefined || !isWorthWriting({ patch: outgoing, body })) return undefined;
    return await send(outgoing, { ...options, body });
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof FunctionFailure) {
      logger.error("Cannot apply a function of the patch: all of its functions are dropped", {
        error: error.cause,
      });
      return undefined;
    }
    if (error instanceof ApiError && (error.status === 400 || error.status === 422)) {
      logger.error(
        "The server refuses the patch as invalid: it is dropped (mend the handler or the schema)",
        {
          error,
        },
      );
      return undefined;
    }
    return keep(outgoing, { ...options, error });
  }
}

async function send(outgoing: Patch, options: SendOptions): Promise<Backlog | undefined> {
  const { logger, adopt } = options;
  const applied = await applyPatch({ ...options, patch: outgoing });
  if (applied.failure !== undefined) throw applied.failure;
  if (applied.body === undefined) logger.debug("The object has gone: nothing is written");
  else adopt(applied.body);
  tellWritten(outgoing, { ...options, applied });
  if (applied.remaining.length === 0) return undefined;
  logger.debug("Functions of the patch have lost against another change: the next run gets them");
  return { unsent: undefined, lost: outgoing.fns, failures: 0, retryIn: 0 };
}

function tellWritten(
  patch: Patch,
  { onWritten, body, applied }: SendOptions & { readonly applied: Applied },
): void {
  if (onWritten === undefined || applied.writes === 0) return;
  const content = patch.toMergePatch();
  const paths = namedPaths(minimisePatch(body, content) ?? {});
  if (patch.fns.length > 0 && applied.body !== undefined) {
    const changed = changedPaths(body, applied.body).filter((path) => !path.startsWith("metadata."));
    paths.push(...changed.filter((path) => !paths.includes(path)));
  }
  const version = applied.body?.metadata.resourceVersion;
  onWritten({ paths, writes: applied.writes, version, before: body, content });
}

function compose(patch: Patch, { backlog, logger }: SendOptions): Patch {
  const outgoing = new Patch(backlog?.unsent?.toMergePatch());
  try {
    outgoing.merge(patch.toMergePatch());
  } catch (error) {
    logger.error("Cannot write what the handler has put into the patch: it is dropped", { error });
  }
  outgoing.fns.push(...backlog?.unsent?.fns ?? [], ...patch.fns);
  return outgoing;
}

/** After a failure, nobody knows what has been written. Undefined: the object has gone. */
async function readNewest(options: SendOptions): Promise<KubeObject | undefined> {
  const { client, resource, body, signal } = options;
  const { name = "", namespace } = body.metadata;
  const address = { name, namespace: resource.namespaced ? namespace : undefined };
  try {
    const whole = await client.get(resource, address, { signal });
    const newest = client.shapeOf(resource)?.cut(whole) ?? whole;
    // Another object may have taken the name.
    return newest.metadata?.uid === body.metadata.uid ? newest : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function keep(unsent: Patch, options: SendOptions & { readonly error: unknown }): Backlog {
  const { backlog, logger, errorDelays } = options;
  const failures = (backlog?.failures ?? 0) + 1;
  const retryIn = errorDelays[Math.min(failures, errorDelays.length) - 1] ?? 60;
  logger.error("Cannot write the patch: it is kept, and tried again", {
    error: toError(options.error),
    retryIn,
    attempt: failures,
  });
  return { unsent, lost: [], failures, retryIn };
}
