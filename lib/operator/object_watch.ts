/**
 * Watches for handlers: `op.api.watch()`, and `op.api.waitFor()`, which watches one object.
 */

import type { ApiError } from "../client/errors.ts";
import { ObjectStore } from "../client/cache/object_store.ts";
import { type WatchItem, watchObjects } from "../client/watch/watcher.ts";
import { hasCondition } from "../engines/children/ready.ts";
import type { KubeObject, WatchEvent } from "../model/object.ts";
import { namespacedName } from "../model/references.ts";
import type { Address, WaitCondition, WaitOptions, WatchScope } from "../registry/api.ts";
import { findKind } from "../registry/find_kind.ts";
import type { ResourceType } from "../registry/resource.ts";
import type { ObjectOf } from "../registry/stanzas.ts";
import type { Seconds } from "../runtime/host.ts";
import type { ApiSource } from "./api_source.ts";

/** How long `waitFor()` waits, unless it is told otherwise. */
const WAIT_TIMEOUT: Seconds = 60;

/** Yields the objects that there are, and then each change. */
export async function* watch<Spec, Status>(
  source: () => ApiSource,
  kind: ResourceType<Spec, Status>,
  scope: WatchScope,
): AsyncGenerator<WatchEvent<ObjectOf<Spec, Status>>, void, void> {
  for await (const item of follow(source(), kind, scope)) if (item !== "synced") yield item;
}

/** An object, and the state of it that is waited for. */
export interface Waiting<Spec, Status> extends WaitOptions {
  readonly address: Address;
  readonly condition: WaitCondition<Spec, Status>;
}

/** Waits until the object is as it should be. @throws {Error} Named "TimeoutError" if the time is over first. */
export async function waitFor<Spec, Status>(
  source: () => ApiSource,
  kind: ResourceType<Spec, Status>,
  { address: { name, namespace }, condition, timeout = WAIT_TIMEOUT, signal }: Waiting<Spec, Status>,
): Promise<ObjectOf<Spec, Status> | undefined> {
  if (typeof timeout !== "number" || Number.isNaN(timeout)) {
    throw new TypeError(`Cannot wait for ${String(timeout)} seconds: pass a number`);
  }
  signal?.throwIfAborted();
  const { host: { clock } } = source();
  const judge = judgeOf(condition);
  const ending = new AbortController();
  using _timer = clock.after(timeout, () => ending.abort());
  const scope = {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    signal: signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]),
  };
  let object: ObjectOf<Spec, Status> | undefined;
  let verdict: boolean | string = "it was not read yet";
  for await (const item of follow(source(), kind, scope)) {
    if (item !== "synced") object = item.type === "DELETED" ? undefined : item.object;
    verdict = judge(object);
    if (verdict === true) return object;
  }
  signal?.throwIfAborted();
  const title = `"${namespacedName({ namespace, name })}"`;
  const what = typeof condition === "string" ? ` to be "${condition}"` : "";
  const error = new Error(
    `Cannot wait any longer for ${title}${what}: ${timeout} s are over, and ${describe(verdict, object)}`,
  );
  error.name = "TimeoutError";
  throw error;
}

function judgeOf<Spec, Status>(
  condition: WaitCondition<Spec, Status>,
): (object: ObjectOf<Spec, Status> | undefined) => boolean | string {
  if (typeof condition === "function") return condition;
  if (typeof condition !== "string") {
    throw new TypeError('Cannot wait for that: pass the type of a condition, "Deleted", or a function');
  }
  if (condition === "Deleted") return (object) => object === undefined || "it is still there";
  const isThere = hasCondition(condition);
  // A status has to be an object to have conditions, whatever its type says.
  return (object) => object === undefined ? "it is not there" : isThere(object as KubeObject);
}

function describe(verdict: boolean | string, object: unknown): string {
  if (typeof verdict === "string") return verdict;
  return object === undefined ? "it is not there" : "it is not as it should be";
}

/** Yields the objects that there are, "synced" when they are complete, and then each change. */
async function* follow<Spec, Status>(
  { client, host, logger, settings: { watching } }: ApiSource,
  kind: ResourceType<Spec, Status>,
  { namespace, labelSelector, fieldSelector, signal }: WatchScope,
): AsyncGenerator<WatchEvent<ObjectOf<Spec, Status>> | "synced", void, void> {
  const resource = await findKind(client.discovery, kind);
  const store = new ObjectStore();
  let refusal: ApiError | undefined;
  const onRefused = (error: ApiError): "stop" => {
    refusal = error;
    return "stop";
  };
  const narrowed = { namespace, labelSelector, fieldSelector, isRejectionTold: true };
  const environment = { client, host, logger, settings: watching, signal, onRefused };
  for await (const items of watchObjects({ ...narrowed, ...environment, resource, store })) {
    for (const item of items) {
      if (signal.aborted) return;
      for (const event of takeIn(store, item)) yield event as WatchEvent<ObjectOf<Spec, Status>>; // the kind's types
      if (item.type === "synced") yield "synced";
    }
  }
  if (refusal !== undefined) throw refusal;
}

/** Keeps the objects that a watch shows, and yields the changes among them. */
function* takeIn(
  store: ObjectStore,
  item: WatchItem,
): Generator<WatchEvent, void, void> {
  switch (item.type) {
    case "listing":
      return store.beginListing();
    case "event": {
      const { event } = item;
      const isGone = event.type === "DELETED";
      const { adoption } = isGone ? store.remove(event.object) : store.put(event.object);
      if (isGone || adoption === "newer") yield event;
      return;
    }
    case "synced":
      for (const { object } of store.sweep()) yield { type: "DELETED", object };
      if (item.isSetBack) { for (const { object } of store.restore()) yield { type: null, object }; }
      return;
    default:
      item satisfies never;
  }
}
