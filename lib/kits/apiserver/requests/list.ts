/**
 * Lists: whole or in pages that all show the same version.
 *
 * Source: Kubernetes documentation, "Kubernetes API Concepts", "Retrieving large results sets in chunks"; the form of
 * the continue token is k8s.io/apiserver, pkg/storage/continue.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Clock } from "../../../runtime/host.ts";
import type { Cluster } from "../cluster.ts";
import { inVersion } from "../converter.ts";
import type { Kind } from "../kinds.ts";
import { badRequest, expired } from "../refusal.ts";
import { type Entries, lowerBound, rangeOf } from "../storage/collection.ts";
import type { Stored } from "../storage/stored.ts";
import {
  encodedResponse,
  encodeText,
  headOf,
  isPlain,
  partialMetadata,
  servedObject,
  servedText,
  tableOf,
} from "./respond.ts";
import { type Scope, scopeOf, select } from "./scope.ts";
import type { Shape } from "./shape.ts";
import { checkListOptions, checkNotFuture, readCount, readVersion } from "./versions.ts";

export interface ListRequest {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly query: URLSearchParams;
  readonly shape: Shape;
}

/** The content of a list. */
export interface Page {
  readonly items: readonly Stored[];
  readonly metadata: JsonObject;
}

/** Lists beyond this many characters are sent in pieces as they are read. */
const WHOLE_LIMIT = 1 << 20;
const PIECE = 1 << 18;

/** Answers a list. */
export function listResponse(cluster: Cluster, request: ListRequest): Response | Promise<Response> {
  const page = listPage(cluster, request);
  // NB: only where a webhook converts has a list to wait.
  return request.kind.converter === undefined
    ? pageResponse(cluster, page, request)
    : inVersion(request.kind, page.items).then((items) => pageResponse(cluster, { ...page, items }, request));
}

function pageResponse(cluster: Cluster, page: Page, request: ListRequest): Response {
  const { kind, shape } = request;
  if (isPlain(shape)) return new Response(listBody(cluster, kind, page), JSON_HEAD);
  return encodedResponse(shapedList(cluster, page, request), { shape });
}

const JSON_HEAD = { headers: { "content-type": "application/json" } };

function shapedList(cluster: Cluster, { items, metadata }: Page, { kind, shape }: ListRequest): JsonObject {
  const objects = () => items.map((stored) => servedObject(kind, stored));
  switch (shape.form) {
    case "table":
      return tableOf(cluster, objects(), { kind, shape, listMetadata: metadata });
    case "metadata":
      // NB: conversions leave the metadata alone.
      return {
        kind: "PartialObjectMetadataList",
        apiVersion: "meta.k8s.io/v1",
        metadata,
        items: items.map(partialMetadata),
      };
    case "object":
      return { kind: kind.listKind, apiVersion: kind.apiVersion, metadata, items: objects() };
  }
}

/** Items of built-in kinds stand without `apiVersion` and `kind`, as the real server writes them. */
function listBody(
  { host }: Cluster,
  kind: Kind,
  { items, metadata }: Page,
): string | ReadableStream<Uint8Array> {
  const { apiVersion, listKind } = kind;
  const names = `"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(listKind)}`;
  const first = `{${names},"metadata":${JSON.stringify(metadata)},"items":[`;
  const head = kind.custom ? headOf(kind) : "{";
  const pieces = function* () {
    yield first;
    let comma = "";
    for (const stored of items) {
      yield `${comma}${head}${servedText(kind, stored)}`;
      comma = ",";
    }
    yield "]}\n";
  };
  const sample = items[0];
  const estimate = sample === undefined ? 0 : servedText(kind, sample).length * items.length;
  return estimate < WHOLE_LIMIT ? [...pieces()].join("") : streamOf(pieces(), host.clock);
}

function streamOf(pieces: Generator<string>, clock: Clock): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Others get their turn, however fast the reader is.
      await clock.sleep(0);
      const batch: string[] = [];
      let size = 0;
      while (size < PIECE) {
        const { done, value } = pieces.next();
        if (done === true) {
          if (batch.length > 0) controller.enqueue(encodeText(batch.join("")));
          controller.close();
          return;
        }
        batch.push(value);
        size += value.length;
      }
      controller.enqueue(encodeText(batch.join("")));
    },
  }, { highWaterMark: 0 });
}

/**
 * Returns one page of a list, or all of it.
 *
 * @throws {Refusal} 400 or 422 for options that cannot be; 410 for versions that are gone; 504 for those to come.
 */
export function listPage(cluster: Cluster, { kind, namespace, query }: Omit<ListRequest, "shape">): Page {
  checkListOptions(query, false);
  const scope = scopeOf(kind, { namespace, query });
  const limit = Math.max(0, readCount(query, "limit"));
  const token = query.get("continue") ?? "";
  if (token !== "") return continuedPage(cluster, { kind, query, scope, limit, token: readToken(token) });
  const { store } = cluster;
  const wanted = readVersion(query);
  const match = query.get("resourceVersionMatch") ?? "";
  const exact = match === "Exact" || (match === "" && limit > 0 && wanted !== undefined && wanted > 0);
  checkNotFuture(store, wanted);
  if (!exact || wanted === undefined) {
    // NB: what may come from the cache comes as a whole, whatever the limit is.
    const entries = kind.collection.present();
    return pageOf(kind, { scope, limit: wanted === 0 ? 0 : limit, version: store.version, entries });
  }
  const entries = wanted < store.horizon ? undefined : kind.collection.at(wanted);
  if (entries === undefined) throw expired("The resourceVersion for the provided list is too old.");
  return pageOf(kind, { scope, limit, version: wanted, entries });
}

interface Token {
  /** -1: whatever is the newest. */
  readonly rv: number;
  readonly start: string;
}

interface ContinuedOptions {
  readonly kind: Kind;
  readonly query: URLSearchParams;
  readonly scope: Scope;
  readonly limit: number;
  readonly token: Token;
}

function continuedPage(cluster: Cluster, { kind, query, scope, limit, token }: ContinuedOptions): Page {
  const { store } = cluster;
  if ((query.get("resourceVersion") ?? "") !== "") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const version = token.rv < 0 ? store.version : token.rv;
  const entries = version < store.horizon ? undefined : kind.collection.at(version);
  if (entries !== undefined) return pageOf(kind, { scope, limit, version, entries, start: token.start });
  throw expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    { continue: writeToken({ rv: -1, start: token.start }) },
  );
}

interface PageOptions {
  readonly scope: Scope;
  readonly limit: number;
  readonly version: number;
  readonly entries: Entries;
  /** The first key that may come. */
  readonly start?: string;
}

function pageOf(kind: Kind, { scope, limit, version, entries, start }: PageOptions): Page {
  // NB: lists of custom kinds always say it, lists of built-in kinds only where there is more.
  const metadata: JsonObject = { ...(kind.custom ? { continue: "" } : {}), resourceVersion: String(version) };
  if (scope.key !== undefined || (limit <= 0 && start === undefined)) {
    return { items: select(kind, scope, entries), metadata };
  }
  const { keys } = entries;
  const [first, to] = rangeOf(keys, scope.prefix);
  const from = start === undefined ? first : Math.max(first, lowerBound(keys, start));
  const items: Stored[] = [];
  for (let i = from; i < to; i++) {
    const key = keys[i] ?? "";
    const stored = entries.get(key);
    if (stored === undefined || scope.matches?.(stored) === false) continue;
    if (limit > 0 && items.length === limit) {
      metadata.continue = writeToken({ rv: version, start: key });
      if (scope.matches === undefined) metadata.remainingItemCount = to - i;
      break;
    }
    items.push(stored);
  }
  return { items, metadata };
}

function writeToken({ rv, start }: Token): string {
  const binary = String.fromCharCode(...encodeText(JSON.stringify({ v: "meta.k8s.io/v1", rv, start })));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws {Refusal} 400 */
function readToken(text: string): Token {
  try {
    const value: unknown = JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
    if (typeof value === "object" && value !== null && "rv" in value && "start" in value) {
      const { rv, start } = value;
      if (typeof rv === "number" && typeof start === "string") return { rv, start };
    }
  } catch {
    // Whatever is wrong with it, the answer is the same.
  }
  throw badRequest("invalid continue token: continue key is not valid: it was not made by this server");
}
