/** All objects of a server that a comparison looks at, by titles such as "Database default/one". */

import type { KubeObject } from "../../../model/object.ts";
import { virtualHost } from "../../../runtime/virtual/host.ts";
import type { ApiServer } from "../../apiserver/mod.ts";
import { Administrator } from "../administrator.ts";
import { titleOf } from "./recorder.ts";

/** An object that a run has changed. */
export interface ChangedObject {
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** Returns the objects that differ between two servers, the one being a fork of the other. */
export async function changesBetween(
  base: ApiServer,
  server: ApiServer,
): Promise<Record<string, ChangedObject>> {
  const [before, after] = [await allObjects(base), await allObjects(server)];
  const changed: Record<string, ChangedObject> = Object.create(null);
  for (const title of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(title), after.get(title)];
    if (
      old?.metadata.resourceVersion === now?.metadata.resourceVersion &&
      old?.metadata.uid === now?.metadata.uid
    ) {
      continue;
    }
    changed[title] = {
      ...old === undefined ? {} : { before: old },
      ...now === undefined ? {} : { after: now },
    };
  }
  return changed;
}

/** Kinds that differ without anybody's interest. */
const PASSING = ["events", "leases", "endpoints", "endpointslices", "controllerrevisions"];

async function allObjects(server: ApiServer): Promise<Map<string, KubeObject>> {
  // The host only carries the requests: no time passes on it.
  const host = virtualHost();
  using admin = new Administrator({ host, fetch: (request) => server.fetch(request) });
  const { client } = admin;
  const found = new Map<string, KubeObject>();
  const seen = new Set<string>();
  for (const kind of await client.discovery.all()) {
    const name = `${kind.group}/${kind.plural}`;
    if (!kind.verbs.includes("list") || !kind.preferred || seen.has(name) || PASSING.includes(kind.plural)) {
      continue;
    }
    seen.add(name);
    for await (const { items } of client.list(kind, { chunkSize: null })) {
      for (const item of items) found.set(titleIn(found, item), item);
    }
  }
  return found;
}

/** Objects with drawn names are called by their owner and number, as their names differ from run to run. */
function titleIn(found: ReadonlyMap<string, KubeObject>, object: KubeObject): string {
  const { metadata: { generateName, namespace = "" } } = object;
  if (generateName === undefined) {
    const title = titleOf(object);
    return found.has(title) ? `${title} (${object.apiVersion})` : title;
  }
  for (let number = 1;; number++) {
    const title = `${object.kind} ${namespace}/${generateName}* (${number})`;
    if (!found.has(title)) return title;
  }
}
