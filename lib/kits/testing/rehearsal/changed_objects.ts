/** All objects of a server that a comparison looks at, by titles such as "Database default/one". */

import type { KubeObject } from "../../../model/object.ts";
import type { Resource } from "../../../model/resource.ts";
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
  using then = new Objects(base);
  using now = new Objects(server);
  const changed: Record<string, ChangedObject> = Object.create(null);
  const kinds = new Map([...await then.kinds(), ...await now.kinds()]);
  // NB: kind by kind, so that no more than the objects of one kind are there at once.
  for (const kind of kinds.values()) {
    const [before, after] = [await then.of(kind), await now.of(kind)];
    for (const title of new Set([...before.keys(), ...after.keys()])) {
      const [old, next] = [before.get(title), after.get(title)];
      if (
        old?.metadata.resourceVersion === next?.metadata.resourceVersion &&
        old?.metadata.uid === next?.metadata.uid
      ) {
        continue;
      }
      changed[title] = {
        ...old === undefined ? {} : { before: old },
        ...next === undefined ? {} : { after: next },
      };
    }
  }
  return changed;
}

/** Kinds that differ without anybody's interest. */
const PASSING = ["events", "leases", "endpoints", "endpointslices", "controllerrevisions"];

/** The objects of one server. */
class Objects implements Disposable {
  readonly #admin: Administrator;
  /** The titles of all kinds so far: two groups may have a kind of the same name. */
  readonly #titles = new Set<string>();
  #kinds = new Map<string, Resource>();

  constructor(server: ApiServer) {
    // The host only carries the requests: no time passes on it.
    this.#admin = new Administrator({ host: virtualHost(), fetch: (request) => server.fetch(request) });
  }

  /** The kinds, by group and plural. */
  async kinds(): Promise<ReadonlyMap<string, Resource>> {
    const all = await this.#admin.client.discovery.all();
    this.#kinds = new Map(
      all.filter(({ plural, verbs, preferred }) =>
        verbs.includes("list") && preferred && !PASSING.includes(plural)
      ).map((kind) => [keyOf(kind), kind]),
    );
    return this.#kinds;
  }

  /** The objects of a kind by titles; none if the server does not have the kind. */
  async of(kind: Resource): Promise<Map<string, KubeObject>> {
    const found = new Map<string, KubeObject>();
    const own = this.#kinds.get(keyOf(kind));
    if (own === undefined) return found;
    for await (const { items } of this.#admin.client.list(own, { chunkSize: null })) {
      for (const item of items) {
        const title = titleIn(this.#titles, item);
        this.#titles.add(title);
        found.set(title, item);
      }
    }
    return found;
  }

  [Symbol.dispose](): void {
    this.#admin[Symbol.dispose]();
  }
}

function keyOf({ group, plural }: Resource): string {
  return `${group}/${plural}`;
}

/** Objects with drawn names are called by their owner and number, as their names differ from run to run. */
function titleIn(taken: ReadonlySet<string>, object: KubeObject): string {
  const { metadata: { generateName, namespace = "" } } = object;
  if (generateName === undefined) {
    const title = titleOf(object);
    return taken.has(title) ? `${title} (${object.apiVersion})` : title;
  }
  for (let number = 1;; number++) {
    const title = `${object.kind} ${namespace}/${generateName}* (${number})`;
    if (!taken.has(title)) return title;
  }
}
