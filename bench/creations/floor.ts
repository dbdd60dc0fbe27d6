/**
 * The floor: the same work without a framework, in as few lines as it takes: list, watch, and for each object without a note two
 * patches, status first. No retries, no progress, no filters, one kind. What Lotse costs on top of this is what it is measured by.
 */

import { connectFromEnvironment, type Item, ITEMS, MERGE_PATCH, NOTE } from "./api.ts";

const api = connectFromEnvironment();

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Item[];
}

async function handle(item: Item): Promise<void> {
  if (item.metadata.annotations?.[NOTE] !== undefined) return;
  const path = `${ITEMS}/${item.metadata.name}`;
  await api.send("PATCH", `${path}/status`, { status: { state: "Ready" } }, MERGE_PATCH);
  const note = JSON.stringify({ spec: item.spec });
  await api.send("PATCH", path, { metadata: { annotations: { [NOTE]: note } } }, MERGE_PATCH);
}

const handled = new Set<string>();

function take(item: Item): void {
  const { name } = item.metadata;
  if (handled.has(name)) return;
  handled.add(name);
  void handle(item);
}

for (;;) {
  const list = await api.send<List>("GET", ITEMS);
  list.items.forEach(take);
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${list.metadata.resourceVersion}`;
  for await (const { type, object } of api.watch(`${ITEMS}?${query}`)) {
    if (type === "ADDED") take(object);
  }
}
