/**
 * Looks into the stores of a run for one cache of an author's: the objects that it selects, frozen.
 */

import type { Caches } from "../client/cache/caches.ts";
import type { CachedObject } from "../client/cache/object_store.ts";
import { BY_OWNER, type IndexBy } from "../client/cache/store_index.ts";
import { getField, parseField } from "../model/fields.ts";
import { deepFreeze } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Referable } from "../model/references.ts";
import type { Resource } from "../model/resource.ts";
import { formatSelector, matches, selectorKey, type SelectorTerm } from "../model/selector.ts";
import {
  CACHE,
  type Cache,
  type CacheHandler,
  type CacheIndex,
  type CacheListOptions,
  type CacheOptions,
} from "../handlers/cache.ts";
import type { Registry } from "../handlers/registry.ts";
import type { Logger } from "../runtime/logging.ts";
import type { ByKind, Settings } from "../settings/sections.ts";

/** A run, as far as caches look into it. */
export interface CacheSource {
  readonly caches: Caches;
  readonly logger: Logger;
}

type Labels = Readonly<Record<string, string>>;

/** The view of one declaration. @param source Returns the run that goes on; undefined: there is none. */
export class CacheView implements Cache {
  readonly #handler: CacheHandler;
  readonly #source: () => CacheSource | undefined;
  readonly #indexes: ReadonlyMap<string, IndexBy>;
  readonly #reported = new Set<string>();

  constructor(handler: CacheHandler, source: () => CacheSource | undefined) {
    this.#handler = handler;
    this.#source = source;
    const { indexes = {} } = handler.options;
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, keysOf]) => [name, this.#makeIndex(name, keysOf)]),
    );
  }

  get synced(): boolean {
    const resources = this.#resources();
    const caches = this.#source()?.caches;
    return resources.length > 0 && resources.every((resource) => caches?.isSynced(resource));
  }

  get(address: { readonly namespace?: string; readonly name: string }): KubeObject | undefined {
    const caches = this.#source()?.caches;
    const found = this.#resources().flatMap((resource) => caches?.find(resource, address) ?? []);
    return this.#selected(found)[0];
  }

  list({ namespace, labels, when }: CacheListOptions = {}): KubeObject[] {
    const caches = this.#source()?.caches;
    const all = this.#resources().flatMap((resource) => [...caches?.values(resource) ?? []]);
    return this.#selected(all).filter((object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (labels === undefined || hasLabels(object, labels)) && (when === undefined || when(object))
    );
  }

  byOwner(owner: Referable): KubeObject[] {
    const { uid } = owner.metadata ?? {};
    if (uid === undefined) throw new TypeError("Cannot look up what an object without a uid owns");
    return this.#by(BY_OWNER, uid);
  }

  by(index: string, key: string): KubeObject[] {
    const by = this.#indexes.get(index);
    if (by === undefined) {
      const known = [...this.#indexes.keys()].join(", ");
      throw new TypeError(
        `Cannot look up by the index "${index}": known are ${known || "none (see `indexes`)"}`,
      );
    }
    return this.#by(by, key);
  }

  #by(index: IndexBy, key: string): KubeObject[] {
    const caches = this.#source()?.caches;
    return this.#selected(
      this.#resources().flatMap((resource) => [...caches?.by(resource, index, key) ?? []]),
    );
  }

  #resources(): readonly Resource[] {
    const { selector } = this.#handler;
    return this.#source()?.caches.resources.filter((resource) => matches(selector, resource)) ?? [];
  }

  /** The stores may hold more objects than the cache selects: the kind may be watched for other handlers, too. */
  #selected(found: readonly CachedObject[]): KubeObject[] {
    const { options } = this.#handler;
    return found.filter(({ object }) => isSelected(object, options)).map(({ object }) => deepFreeze(object));
  }

  #makeIndex(name: string, keysOf: CacheIndex): IndexBy {
    return {
      keysOf: (object) => {
        const keys: unknown = keysOf(deepFreeze(object));
        if (keys === undefined || keys === null) return [];
        const all: readonly unknown[] = Array.isArray(keys) ? keys : [keys];
        if (all.every((key): key is string => typeof key === "string")) return all;
        throw new TypeError(`Cannot take keys that are no strings for the index "${name}"`);
      },
      onError: (error, { metadata }) => {
        if (this.#reported.has(name)) return;
        this.#reported.add(name);
        const { namespace, name: object } = metadata ?? {};
        this.#source()?.logger.error("An index of a cache fails: what it fails for is not found by it", {
          index: name,
          namespace,
          object,
          error,
        });
      },
    };
  }
}

function isSelected(object: KubeObject, { labels = {}, fields = {}, namespaces }: CacheOptions): boolean {
  if (namespaces !== undefined && !namespaces.includes(object.metadata.namespace ?? "")) return false;
  return hasLabels(object, labels) &&
    Object.entries(fields).every(([path, value]) =>
      String(getField(object, parseField(path)) ?? "") === String(value)
    );
}

function hasLabels({ metadata }: KubeObject, wanted: Labels): boolean {
  const labels = metadata.labels ?? {};
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/**
 * Has the server select, and cut down, the objects of kinds that one cache alone looks into.
 *
 * @throws {TypeError} If a cache wants objects to be cut down that others look at.
 */
export function narrowWatches(registry: Registry, { watching }: Pick<Settings, "watching">): void {
  for (const handler of registry.all(CACHE)) {
    const { selector, options } = handler;
    const others = registry.objectHandlers.filter((other) =>
      other !== handler && selectorKey(other.selector) === selectorKey(selector)
    );
    const { labels, fields, metadataOnly, transform } = options;
    const [other] = others;
    if (other !== undefined) {
      if (metadataOnly !== true && transform === undefined) continue;
      throw new TypeError(
        `Cannot cut "${
          formatSelector(selector)
        }" down for op.cache: "${other.id}" is for the same kind, and sees what ` +
          "is kept (use the settings watching.metadataOnly or watching.transform, which count for all)",
      );
    }
    const key = (resource: Resource): boolean => matches(selector, resource);
    if (labels !== undefined) {
      watching.labelSelectors = withEntry(watching.labelSelectors, key, textOf(labels));
    }
    if (fields !== undefined) {
      watching.fieldSelectors = withEntry(watching.fieldSelectors, key, textOf(fields));
    }
    if (metadataOnly === true) watching.metadataOnly = [...watching.metadataOnly, key];
    // The author knows the shape of the kind's objects.
    if (transform !== undefined) watching.transform = withEntry(watching.transform, key, transform as never);
  }
}

function textOf(wanted: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(wanted).map(([name, value]) => `${name}=${value}`).join(",");
}

type Key = SelectorTerm | readonly SelectorTerm[];

function withEntry<T>(known: ByKind<T>, key: SelectorTerm, value: T): ByKind<T> {
  const entries: [Key, T][] = known instanceof Map ? [...known] : Object.entries(known);
  return new Map([...entries, [key, value]]);
}
