/**
 * Lists: whole or in pages that all show the same version.
 *
 * Source: Kubernetes documentation, "Kubernetes API Concepts", "Retrieving large results sets in chunks"; the form of
 * the continue token is k8s.io/apiserver, pkg/storage/continue.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Clock } from "../../../runtime/host.ts";
import type { Cluster } from "../cluster.ts";
import { inVersion } from "../definitions/converter.ts";
import { encodeText } from "../formats/bytes.ts";
import type { Kind } from "../kinds.ts";
import { badRequest, expired } from "../refusal.ts";
import { type Entries, lowerBound, rangeOf } from "../storage/collection.ts";
import type { Stored } from "../storage/stored.ts";
import { type Page, pageResponse } from "../answers/list_body.ts";
import { isObject } from "../values.ts";
import { type Scope, scopeOf, select } from "../options/scope.ts";
import type { Shape } from "../answers/shape.ts";
import { checkListOptions, checkNotFuture, readCount, readVersion } from "../options/versions.ts";

export interface ListRequest {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly query: URLSearchParams;
  readonly shape: Shape;
}

/** A list by which objects are searched that have to be unpacked for it is searched in pieces of so many. */
const SEARCHED = 500;

/** Answers a list. */
export function listResponse(cluster: Cluster, request: ListRequest): Response | Promise<Response> {
  const { kind } = request;
  const source = sourceOf(cluster, request);
  const found = isLong(source) ? searched(source, cluster.host.clock) : source;
  // NB: only a long search, and lists that a webhook converts, have to wait.
  if (!(found instanceof Promise) && kind.converter === undefined) {
    return pageResponse(cluster, pageOf(kind, found), request);
  }
  return answerLater(cluster, request, found);
}

async function answerLater(
  cluster: Cluster,
  request: ListRequest,
  source: Source | Promise<Source>,
): Promise<Response> {
  const { kind } = request;
  const page = pageOf(kind, await shownSource(kind, await source));
  return pageResponse(cluster, { ...page, items: await inVersion(kind, page.items) }, request);
}

/**
 * Returns one page of a list, or all of it.
 *
 * @throws {Refusal} 400 or 422 for options that cannot be; 410 for versions that are gone; 504 for future ones.
 */
export async function listPage(cluster: Cluster, request: Omit<ListRequest, "shape">): Promise<Page> {
  const { kind } = request;
  return pageOf(kind, await shownSource(kind, sourceOf(cluster, request)));
}

function sourceOf(cluster: Cluster, { kind, namespace, query }: Omit<ListRequest, "shape">): Source {
  const limit = Math.max(0, readCount(query, "limit"));
  readCount(query, "timeoutSeconds");
  checkListOptions(query, false);
  const scope = scopeOf(kind, { namespace, query });
  const token = query.get("continue") ?? "";
  if (token !== "") return continuedSource(cluster, { kind, query, scope, limit, token: readToken(token) });
  const { store } = cluster;
  const wanted = readVersion(query);
  const match = query.get("resourceVersionMatch") ?? "";
  const exact = match === "Exact" || (match === "" && limit > 0 && wanted !== undefined && wanted > 0);
  checkNotFuture(store, wanted);
  if (!exact || wanted === undefined) {
    // NB: a list that may come from the cache comes as a whole, whatever the limit is.
    const entries = kind.collection.present();
    return { scope, limit: wanted === 0 ? 0 : limit, version: store.version, entries };
  }
  const entries = wanted < store.horizon ? undefined : kind.collection.at(wanted);
  if (entries === undefined) throw expired("The resourceVersion for the provided list is too old.");
  return { scope, limit, version: wanted, entries };
}

function isLong({ scope, entries }: Source): boolean {
  return scope.unpacks === true && scope.key === undefined && scope.matchesShown === undefined &&
    entries.keys.length > SEARCHED;
}

/** Finds the objects in the scope, and a page of them at most, in pieces; other requests get their turn in between. */
async function searched(source: Source, clock: Clock): Promise<Source> {
  const { scope: { prefix, matches }, entries, start, limit } = source;
  const [first, to] = rangeOf(entries.keys, prefix);
  const from = start === undefined ? first : Math.max(first, lowerBound(entries.keys, start));
  // NB: all at once, because the content changes under the reader.
  const candidates = entries.keys.slice(from, to).map((key) => [key, entries.get(key)] as const);
  const found = new Map<string, Stored>();
  for (const [index, [key, stored]] of candidates.entries()) {
    if (index % SEARCHED === SEARCHED - 1) await clock.sleep(0);
    if (stored === undefined || matches?.(stored) === false) continue;
    found.set(key, stored);
    if (limit > 0 && found.size > limit) break;
  }
  const content = { keys: [...found.keys()], get: (key: string) => found.get(key) };
  return { ...source, entries: content, scope: { prefix, matches: () => true } };
}

/** Where a webhook converts, selectors are about the converted objects: so all that may be meant are converted first. */
async function shownSource(kind: Kind, source: Source): Promise<Source> {
  const { scope: { matchesShown, ...scope }, entries } = source;
  if (matchesShown === undefined) return source;
  const { key, prefix } = scope;
  const keys = key === undefined ? entries.keys.slice(...rangeOf(entries.keys, prefix)) : [key];
  const kept = keys.flatMap((each) => {
    const stored = entries.get(each);
    return stored === undefined ? [] : [{ key: each, stored }];
  });
  const shown = await inVersion(kind, kept.map(({ stored }) => stored));
  const found = new Map<string, Stored>();
  for (const [index, object] of shown.entries()) {
    if (matchesShown(object)) found.set(kept[index]?.key ?? "", object);
  }
  const content = { keys: [...found.keys()], get: (each: string) => found.get(each) };
  return { ...source, entries: content, scope: { ...scope, matches: () => true } };
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

function continuedSource(cluster: Cluster, options: ContinuedOptions): Source {
  const { kind, query, scope, token } = options;
  const { store } = cluster;
  const wanted = query.get("resourceVersion") ?? "";
  if (wanted !== "" && wanted !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const version = token.rv < 0 ? store.version : token.rv;
  checkNotFuture(store, version);
  const entries = version < store.horizon ? undefined : kind.collection.at(version);
  const limit = wanted === "0" ? 0 : options.limit;
  if (entries !== undefined) return { scope, limit, version, entries, start: token.start };
  throw expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    { continue: writeToken({ rv: -1, start: token.start }) },
  );
}

/** A page before it is read. */
interface Source {
  readonly scope: Scope;
  readonly limit: number;
  readonly version: number;
  readonly entries: Entries;
  /** The first key that may come. */
  readonly start?: string;
}

function pageOf(kind: Kind, { scope, limit, version, entries, start }: Source): Page {
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
  const refuse = (fault: string) => badRequest(`invalid continue token: continue key is not valid: ${fault}`);
  const stray = text.search(/[^A-Za-z0-9_-]/);
  if (stray >= 0 || text.length % 4 === 1) {
    throw refuse(`illegal base64 data at input byte ${stray >= 0 ? stray : text.length - text.length % 4}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    throw refuse("it is no JSON");
  }
  const { v = "", rv = 0, start = "" } = isObject(value) ? value : {};
  if (v !== "meta.k8s.io/v1") throw refuse(`server does not recognize this encoded version ${v}`);
  if (typeof rv !== "number" || typeof start !== "string") throw refuse("it was not made by this server");
  if (rv === 0) throw refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (start === "") throw refuse("encoded start key empty (version meta.k8s.io/v1)");
  if (start.split("/").some((step) => step === "." || step === "..")) throw refuse(start);
  return { rv, start };
}
