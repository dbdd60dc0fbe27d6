/**
 * Which kinds an operator watches: the kinds that its handlers select among those of the server, now and whenever CRDs change.
 *
 * A selector that is ambiguous, finds no kind, or finds a kind that cannot be watched disables itself only, with a warning; it
 * works as soon as the cluster changes. Source: scenarios A21–A50 "Revision", G11.
 */

import type { Client } from "../client/client.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import { formatSelector, isSpecific, matches, select, type Selector } from "../model/selector.ts";
import { ADMISSION, type AdmissionHandler } from "../handlers/admission/admission_handler.ts";
import type { ObjectHandler } from "../handlers/handlers.ts";
import { BACKGROUND } from "../handlers/background/background_handler.ts";
import { CHANGE } from "../handlers/change/change_handler.ts";
import { RECONCILE } from "../handlers/reconcile/reconcile_handler.ts";
import { SOURCE } from "../handlers/reconcile/source_handler.ts";
import type { Registry } from "../handlers/registry.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Persistence } from "../settings/persistence/storage.ts";
import { entriesOf, keptPartsFor, serverSelectorsFor } from "../settings/server_selectors.ts";
import type { WatchingSettings } from "../settings/settings.ts";
import { NAMESPACES } from "./namespaces.ts";
import { findNotesRoom } from "./find_notes_room.ts";
import { formatField } from "../model/fields.ts";

export interface WatchedResourcesOptions {
  readonly client: Client;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Keys of its settings by kind that match no watched kind are warned of. */
  readonly settings: WatchingSettings;
  /** Where notes are kept. */
  readonly persistence: Persistence;
}

/** Settings that are kept by kind. */
const BY_KIND = ["labelSelectors", "fieldSelectors", "shardSelectors", "transform"] as const;

/** Finds the kinds to be watched, and warns once about selectors that cannot be served. */
export class WatchedResources {
  readonly #options: WatchedResourcesOptions;
  readonly #warned = new Set<string>();
  /** The resources that were served when discovery was last asked. */
  #latest: readonly Resource[] = [];
  /** Whether the operator has begun: a handler that cannot work is no reason to end it any more. */
  #hasBegun = false;
  #admitted: ReadonlyMap<AdmissionHandler, readonly Resource[]> = new Map();

  constructor(options: WatchedResourcesOptions) {
    this.#options = options;
  }

  /** Whether kinds of this group could matter to some handler. */
  concerns(group: string): boolean {
    return this.#options.registry.ofObjects.some(({ handler: { selector } }) =>
      (selector.group ?? group) === group
    );
  }

  /** The kinds that each admission handler is for, as of the last time that `watched()` was called. */
  get admitted(): ReadonlyMap<AdmissionHandler, readonly Resource[]> {
    return this.#admitted;
  }

  /**
   * Returns the kinds to be watched now, and tells the registry which handlers serve which kind.
   *
   * @throws {ApiError} If discovery fails.
   * @throws {TypeError} The first time: if a handler would see too little of its kind.
   */
  async watched(): Promise<readonly Resource[]> {
    const { registry, client, settings, persistence, logger } = this.#options;
    const handlers = registry.objectHandlers;
    const admission = registry.all(ADMISSION);
    const all = [...handlers, ...admission];
    if (all.length === 0) return [];
    const served = await this.#served(all.map(({ selector }) => selector));
    this.#admitted = new Map(admission.map((each) => [each, this.#resolve(each, served)]));
    const found = new Map<string, Resource>();
    const kinds = new Map<ObjectHandler, ReadonlySet<string>>();
    for (const handler of handlers) {
      const resources = this.#resolve(handler, served).filter((each) => this.#isServable(each, handler));
      for (const resource of resources) found.set(keyOf(resource), resource);
      kinds.set(handler, new Set(resources.map(keyOf)));
    }
    // NB: a kind may be watched for the sake of others, and match the selector of a handler that must not see it.
    registry.serveOnly((handler, resource) => kinds.get(handler)?.has(keyOf(resource)) === true);
    for (const resource of found.values()) {
      this.#warnOfTwins(resource);
      this.#warnOfLeaving(resource);
    }
    const watched = [...found.values()];
    this.#warnOfUnheard(watched);
    this.#checkKeys(watched);
    const { diffBase: { room }, restored } = persistence;
    // Backups bring back metadata, and rarely the status.
    if (room !== undefined && restored !== "resume") {
      const noted = watched.filter((each) => registry.of(each).of(CHANGE).length > 0);
      await findNotesRoom(noted, { room, client, settings, logger });
    }
    this.#hasBegun = true;
    return watched;
  }

  /** Warns of keys of settings that match no kind: most are misspelt. */
  #checkKeys(watched: readonly Resource[]): void {
    const { settings } = this.#options;
    const keys: { name: string; key: Selector }[] = BY_KIND.flatMap((name) =>
      entriesOf<unknown>(settings[name]).map(([key]) => ({ name, key }))
    );
    const listed = settings.metadataOnly.map((each) => [each, ""] as const);
    keys.push(...entriesOf(new Map(listed)).map(([key]) => ({ name: "metadataOnly", key })));
    for (const { name, key } of keys) {
      if (!isSpecific(key) || [NAMESPACES, ...watched].some((resource) => matches(key, resource))) continue;
      this.#warn("A key of a setting matches no kind that is watched: it has no effect", {
        setting: `watching.${name}`,
        key: formatSelector(key),
      });
    }
  }

  /** An object that the server selects no more is out of sight, and keeps our finalizer.  */
  #warnOfLeaving(resource: Resource): void {
    const { settings, registry } = this.#options;
    const { labelSelector, fieldSelector } = serverSelectorsFor(settings, resource);
    const handler = registry.of(resource).of(CHANGE).find(({ reason }) => reason === "delete");
    if (handler === undefined || (labelSelector ?? fieldSelector) === undefined) return;
    this.#warn(
      "Deletion handlers are not called for objects that have left the server's selector (filter by labels on the handler instead)",
      { kind: keyOf(resource), handler: handler.id },
    );
  }

  /** That two selectors mean the same kind shows only here, when it is too late to refuse one of them. */
  #warnOfTwins(resource: Resource): void {
    const ofKind = this.#options.registry.of(resource);
    for (const handlers of [ofKind.of(CHANGE), ofKind.of(BACKGROUND)]) {
      const fns = new Map<string, unknown>();
      for (const { id, fn } of handlers) {
        if (!fns.has(id)) fns.set(id, fn);
        if (fns.get(id) === fn) continue;
        this.#warn("Two handlers have one id for the kind: only the first is called (give the other an id)", {
          kind: keyOf(resource),
          handler: id,
        });
      }
    }
  }

  /** `op.owns` and `op.watches` wake reconciles, and no other handlers. */
  #warnOfUnheard(watched: readonly Resource[]): void {
    const { registry } = this.#options;
    for (const { type, id, owner, child } of registry.all(SOURCE)) {
      if (child !== undefined) continue;
      const kinds = watched.filter((each) => owner !== undefined && matches(owner, each));
      if (kinds.some((each) => registry.of(each).of(RECONCILE).length > 0)) continue;
      // The objects that a mapper names show only when it is called; and the kind that is reconciled may not be served yet.
      if (kinds.length === 0 && registry.all(RECONCILE).length > 0) continue;
      const message = `op.${type} wakes nobody: no op.reconcile is declared for what it names ` +
        "(handlers of changes follow other objects by op.on.child)";
      this.#warn(message, { handler: id });
    }
  }

  /** Only the groups that are asked for are looked up, unless some selector could mean any. */
  async #served(selectors: readonly Selector[]): Promise<readonly Resource[]> {
    const { discovery } = this.#options.client;
    const groups = new Set(selectors.map(({ group }) => group));
    const found = groups.has(undefined)
      ? await discovery.all()
      : await discovery.groups([...groups].filter((group) => group !== undefined));
    return this.#latest = [...found, ...this.#hidden(found)];
  }

  /** Returns the resources of broken groups as they were before: a group that cannot be asked need not have gone. */
  #hidden(found: readonly Resource[]): readonly Resource[] {
    const { broken } = this.#options.client.discovery;
    if (broken.size === 0) return [];
    const known = new Set(found.map(keyOf));
    return this.#latest.filter((resource) => {
      const { group, version } = resource;
      const isBroken = broken.has(group) || broken.has(group === "" ? version : `${group}/${version}`);
      return isBroken && !known.has(keyOf(resource));
    });
  }

  #resolve(handler: ObjectHandler, served: readonly Resource[]): readonly Resource[] {
    const { selector } = handler;
    const title = formatSelector(selector);
    const matching = select(selector, served);
    if (matching.length === 0) {
      this.#warn("Nothing matches the selector yet: its handlers wait for such a kind", { selector: title });
      return [];
    }
    if (isSpecific(selector) && matching.length > 1) {
      const kinds = matching.map(keyOf);
      this.#warn("The selector is ambiguous: its handlers are not served (name the group)", {
        selector: title,
        kinds,
      });
      return [];
    }
    return matching;
  }

  #isServable(resource: Resource, handler: ObjectHandler): boolean {
    const kind = keyOf(resource);
    if (!resource.verbs.includes("list") || !resource.verbs.includes("watch")) {
      this.#warn("The kind cannot be watched: its handlers are not served", { kind });
      return false;
    }
    const isStateful = this.#options.registry.statefulHandlers.some((each) => each === handler);
    if (isStateful && !resource.verbs.includes("patch") && !isEnding(resource)) {
      this.#warn("The kind cannot be patched: handlers that keep notes on it are not served", { kind });
      return false;
    }
    return !this.#needsMoreThanMetadata(resource, { handler, isStateful });
  }

  #needsMoreThanMetadata(
    resource: Resource,
    { handler, isStateful }: { readonly handler: ObjectHandler; readonly isStateful: boolean },
  ): boolean {
    const { settings, persistence } = this.#options;
    const complaint = metadataOnlyConflict(handler, resource, { settings, persistence, isStateful });
    if (complaint === undefined) return false;
    if (!this.#hasBegun) throw new TypeError(complaint);
    this.#warn(complaint, {});
    return true;
  }

  #warn(message: string, fields: Readonly<Record<string, unknown>>): void {
    const key = `${message} ${JSON.stringify(fields)}`;
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.#options.logger.warn(message, fields);
  }
}

/**
 * Whether the kind's definition seems to be deleted: it goes when the last object has gone, for which our finalizers must
 * go. Patches are taken until then, although discovery no longer says so (seen on 1.36).
 */
function isEnding({ verbs }: Resource): boolean {
  return verbs.includes("deletecollection") && !verbs.includes("create") && !verbs.includes("update");
}

/** Under which rules kinds are watched. */
interface VisibilityOptions {
  readonly settings: Pick<WatchingSettings, "metadataOnly" | "transform">;
  readonly persistence: Persistence;
  /** Whether the handler keeps notes on objects. */
  readonly isStateful: boolean;
}

/** The parts of an object that are there where its metadata is all that is fetched. */
const VISIBLE: readonly (string | undefined)[] = ["metadata", "apiVersion", "kind"];

/**
 * Returns a message that tells why a handler cannot be served for a kind of which the metadata alone is fetched, and how to
 * change that; undefined if it can. It would not fail, but wait for ever for fields that never come.
 */
function metadataOnlyConflict(
  handler: ObjectHandler,
  resource: Resource,
  { settings, persistence, isStateful }: VisibilityOptions,
): string | undefined {
  if (!keptPartsFor(settings, resource).metadataOnly) return undefined;
  const title = `Cannot serve handler "${handler.id}" for "${keyOf(resource)}"`;
  const { field } = handler;
  if (field !== undefined && field.length > 0 && !VISIBLE.includes(field[0])) {
    const path = formatField(field);
    return `${title}: it looks at "${path}", of which watching.metadataOnly leaves nothing (take the kind out of that)`;
  }
  if (isStateful && isInStatus(persistence)) {
    return `${title}: notes are kept in the status, of which watching.metadataOnly leaves nothing ` +
      `(use persistence: annotations(), or take the kind out of watching.metadataOnly)`;
  }
  return undefined;
}

/** Whether one of both kinds of notes is written to the status alone. Names of annotations do not look like that. */
function isInStatus({ progress, diffBase }: Persistence): boolean {
  const places = [progress.keys("any"), diffBase.reserved?.() ?? []];
  return places.some((names) => names.length > 0 && names.every((name) => name.startsWith("status.")));
}
