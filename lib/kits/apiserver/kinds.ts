/**
 * The kinds that the API server serves: the built-in ones, and the custom ones that definitions add while it runs.
 *
 * One `Kind` is one version of one kind. All versions share a collection; they differ in the fields around the
 * object (`apiVersion`), in their schema and in their columns.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import type { Cause } from "./causes.ts";
import type { ScalePaths } from "./definitions/crd.ts";
import type { ObjectPart } from "./paths.ts";
import type { Collection } from "./storage/collection.ts";
import type { PrinterColumn } from "./types/served.ts";

/** The rules particular to a kind when objects are written. All of them work in place. */
export interface KindRules {
  /** Loads the modules that the other rules need for this object, so that they need not wait. */
  prepare?(object: KubeObject): Promise<void> | undefined;
  /** Fills defaults in and drops unknown fields; returns the paths of dropped fields. */
  normalize(object: KubeObject, options?: { readonly applied?: boolean }): readonly string[];
  /**
   * Completes and checks as the real server's own admission does, on a creation (no `old`) or an update: before webhooks, and
   * once more after webhooks have changed the object. Doing it twice is doing it once.
   *
   * @throws {Refusal}
   */
  admit?(object: KubeObject, old: KubeObject | undefined): void;
  /**
   * Makes the changes that the server or a controller makes at once, on a creation (no `old`) or an update; controllers see no
   * dry runs.
   */
  settle?(object: KubeObject, old: KubeObject | undefined, dryRun?: boolean): void;
  /** Returns the faults of an object. */
  validate(object: KubeObject, change: Change): readonly Cause[];
  /** Returns warnings of an object that is taken as it is: a new one (no `old`) or an updated one. */
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[];
  /** Returns the cells of the object's row in a table, one for each column. Default: the name, and the moment of creation. */
  cells?(object: KubeObject, nowMs: number): unknown[];
  /** Returns the conditions of the object's row: kubectl hides rows that are completed when asked to. */
  conditions?(object: KubeObject): unknown[] | undefined;
  /** Marks an object whose deletion begins. */
  terminate?(object: KubeObject): void;
  /** Whether more than `metadata.finalizers` keeps a deleted object. */
  holds?(object: KubeObject): boolean;
  /** Says why an object must not be deleted by its name, if so. */
  lasts?(object: KubeObject): string | undefined;
  /** How long an object may take to end, if its kind has such a time. In seconds. */
  gracePeriod?(object: KubeObject, asked: number | undefined): number;
  /** Says why an object of that name must not be deleted at all, if so. */
  isImmortal?(name: string): string | undefined;
  /** Whether a new object keeps the status that it comes with. */
  readonly takesStatus?: boolean;
  /** Whether `settle` has its say on writes of the status, too. */
  readonly settlesStatus?: boolean;
  /** The metadata that a write of the status cannot change, beside the owner references. */
  readonly keptWithStatus?: readonly ("labels" | "deletionTimestamp")[];
  /** Whether the generation counts changes of annotations. */
  readonly countsAnnotations?: boolean;
  /** Whether a new object names the one that has asked for it, in its spec. */
  readonly namesRequester?: boolean;
  /** Whether a deletion that does not say otherwise leaves behind the objects that it owns. */
  readonly orphans?: boolean;
}

/** The change that a write makes to an object. */
export interface Change {
  /** The object before; undefined if it is new. */
  readonly old?: KubeObject;
  /** The subresource that is written, if it is one. */
  readonly part?: ObjectPart;
  /** Is told of faults that were there before. */
  readonly warn?: (text: string) => void;
}

/** One version of one kind. */
export interface Kind extends Resource {
  readonly apiVersion: string;
  readonly listKind: string;
  /** The `apiVersion` in which objects are kept. */
  readonly storedIn: string;
  /** Discovery's hash of the version in which a real cluster keeps objects. Default: the hash of `storedIn`. */
  readonly hash?: string;
  readonly collection: Collection;
  /** Comes from a CustomResourceDefinition. */
  readonly custom: boolean;
  /** `metadata.generation` counts the changes of everything but the metadata and a status subresource. */
  readonly counted: boolean;
  readonly rules: KindRules;
  /** A PUT of an object that does not exist creates it. */
  readonly createOnUpdate: boolean;
  /** A PUT without a `resourceVersion` is accepted. */
  readonly unconditionalUpdate: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Fields besides `metadata.name` and `metadata.namespace` that field selectors may use, as dotted paths. */
  readonly selectable: readonly string[];
  /** The paths at which such fields are kept, where they are others. */
  readonly keptFields?: Readonly<Record<string, string>>;
  readonly columns?: readonly PrinterColumn[];
  /** The structural schema of a custom kind's version. */
  readonly schema?: JsonObject;
  /** The schemas of all versions of a custom kind, served or not, by `apiVersion`. */
  readonly versions?: ReadonlyMap<string, JsonObject | undefined>;
  /** The schemas at work, where objects are not kept as they are shown. */
  readonly schemas?: KindSchemas;
  readonly scale?: ScalePaths;
  /** Between the stored version of a built-in kind and this one, where more than `apiVersion` differs. */
  readonly conversion?: Conversion;
  /** Converts between versions, where a webhook does; shared by all versions of a kind. */
  readonly converter?: VersionConverter;
  /** Text of a `Warning` header, if the version is deprecated. */
  readonly deprecation?: string;
}

/** Converts between two shapes of the same object; gives new objects. */
export interface Conversion {
  toServed(stored: JsonObject): JsonObject;
  toStored(served: JsonObject): JsonObject;
}

/** The schemas of all versions of a custom kind, applied to an object of any of them. */
export interface KindSchemas {
  /** Returns a new object: one that is kept, as the schema of its own version has it today, pruned and with defaults. */
  read(kept: KubeObject): KubeObject;
  /** Drops fields that the object's own version does not know, in place. */
  prune(object: KubeObject): void;
}

/** Converts objects of all versions of a kind, as a webhook does. */
export interface VersionConverter {
  /** The `apiVersion` in which objects are kept. */
  readonly storage: string;
  /**
   * Returns the objects in a version, in their order.
   *
   * @throws {Refusal} 500 if it cannot be done.
   */
  convert(objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]>;
}

/** The kinds that are served, and where. */
export class Kinds {
  readonly #byPath = new Map<string, Kind>();
  readonly #byKind = new Map<string, Kind[]>();
  #generation = 0;

  /** Changes whenever a kind comes or goes. */
  get generation(): number {
    return this.#generation;
  }

  add(kind: Kind): void {
    this.#byPath.set(`${kind.apiVersion}/${kind.plural}`, kind);
    const key = `${kind.group}/${kind.kind}`;
    this.#byKind.set(key, [...this.#byKind.get(key) ?? [], kind]);
    this.#generation++;
  }

  remove(kind: Kind): void {
    const path = `${kind.apiVersion}/${kind.plural}`;
    if (this.#byPath.get(path) === kind) this.#byPath.delete(path);
    const key = `${kind.group}/${kind.kind}`;
    this.#byKind.set(key, (this.#byKind.get(key) ?? []).filter((other) => other !== kind));
    this.#generation++;
  }

  /** Finds the kind at a path; `apiVersion` is "v1" or "group/version". */
  at(apiVersion: string, plural: string): Kind | undefined {
    return this.#byPath.get(`${apiVersion}/${plural}`);
  }

  /** Finds a kind by its name: in that version, or else in any of the group's. */
  named(apiVersion: string, kind: string): Kind | undefined {
    const group = groupOf(apiVersion);
    const versions = this.#byKind.get(`${group}/${kind}`) ?? [];
    return versions.find((version) => version.apiVersion === apiVersion) ?? versions[0];
  }

  /** All kinds, built-in ones first, in the order in which they were added. */
  all(): Kind[] {
    return [...this.#byPath.values()];
  }

  /** One kind for each collection. */
  stored(): Kind[] {
    const found = new Map<Collection, Kind>();
    for (const kind of this.#byPath.values()) {
      if (!found.has(kind.collection)) found.set(kind.collection, kind);
    }
    return [...found.values()];
  }
}

/** Returns the group of an `apiVersion`; "" for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** Returns the key of an object in its collection. */
export function keyFor(kind: Pick<Resource, "namespaced">, reference: ObjectKey): string {
  return kind.namespaced ? `${reference.namespace ?? ""}/${reference.name}` : reference.name;
}

/** Which object of a kind. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}
