/**
 * The kinds that operators handle, as far as a copy has them: where a kind or its objects are missing, no handler ran, and an equal end proves
 * nothing.
 */

import type { Client } from "../../../client/client.ts";
import { groupResource, type Resource } from "../../../model/resource.ts";
import { formatSelector, select, type Selector } from "../../../model/selector.ts";
import type { DeclaredHandler } from "../../../registry/declared.ts";
import { virtualHost } from "../../../runtime/virtual/host.ts";
import type { ApiServer } from "../../apiserver/mod.ts";
import { Administrator } from "../administrator.ts";

/** A kind that an operator handles. */
export interface HandledKind {
  /** Such as "databases.example.com"; where the cluster does not have it, as the handlers call it. */
  readonly kind: string;
  readonly state: "missing" | "empty" | "present";
}

/** An operator, as far as its declarations are known. */
export interface Declaring {
  readonly declared?: readonly DeclaredHandler[];
}

/** Handlers that look at the kinds of others. */
const WATCHING = ["event", "index"];

/** Returns the kinds of handlers, each once; of those that only watch children and events, where there are no others. */
export async function handledKinds(
  operators: readonly Declaring[],
  server: ApiServer,
): Promise<HandledKind[]> {
  const all = operators.flatMap(({ declared = [] }) => declared);
  const own = all.filter(({ cause, owner }) => owner === undefined && !WATCHING.includes(cause));
  const selectors = new Map<string, Selector>();
  for (const { selector } of own.length > 0 ? own : all) selectors.set(formatSelector(selector), selector);
  // The host only carries the requests: no time passes on it.
  using admin = new Administrator({ host: virtualHost(), fetch: (request) => server.fetch(request) });
  const { client } = admin;
  const served = await client.discovery.all();
  const kinds = new Map<string, HandledKind>();
  for (const [title, selector] of selectors) {
    const matching = select(selector, served);
    if (matching.length === 0) kinds.set(title, { kind: title, state: "missing" });
    for (const resource of matching) {
      const kind = groupResource(resource);
      if (kinds.has(kind)) continue;
      kinds.set(kind, { kind, state: await hasObjects(client, resource) ? "present" : "empty" });
    }
  }
  return [...kinds.values()];
}

async function hasObjects(client: Client, resource: Resource): Promise<boolean> {
  for await (const { items } of client.list(resource, { chunkSize: 1 })) return items.length > 0;
  return false;
}
