/**
 * One webhook configuration at the API server: read, watched, and changed with the version that was read.
 *
 * An annotation says whose it is. The configuration is made again after a deletion only where the operator has made it itself: one
 * that came with manifests must go with them. Which webhooks stand in it is the caller's to decide, for each state that is
 * read. Source: scenarios B128–B157, P10.
 */

import { CachedObject, type ObjectEvent } from "../../client/cache/object_store.ts";
import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { watchOptional } from "../../client/watch/optional_watch.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { apiVersionOf, keyOf, type Resource } from "../../model/resource.ts";
import type { Host } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WatcherSettings } from "../../settings/sections.ts";
import type { WriteCall } from "./replica_view.ts";
import { areWritten } from "./webhook_configuration.ts";

export interface ManagedConfigurationOptions {
  readonly client: Client;
  readonly host: Host;
  readonly watching: WatcherSettings;
  /** The resource of validating, or of mutating, configurations. */
  readonly resource: Resource;
  /** The configuration's name. */
  readonly name: string;
  readonly logger: Logger;
  /** Called when the configuration has another state. */
  readonly onChange: (change: ConfigurationChange) => void;
}

/** A change of the live configuration. */
export interface ConfigurationChange {
  readonly what: "edited" | "deleted";
  readonly object: KubeObject;
  /** Whether another client has changed webhooks that were written here. */
  readonly isForeign: boolean;
}

/** Annotations of configurations. */
export const CONFIGURATION_ANNOTATIONS = {
  /** Whose it is: "NAMESPACE/NAME" of the Leases, or the identity of a process, which has no slash. */
  owner: "lotse.dev/webhooks-of",
  /** The digests of the webhooks that stand, by name. */
  digests: "lotse.dev/webhooks",
  /** "lotse", if the operator has made it itself. */
  maker: "lotse.dev/made-by",
} as const;

/** A configuration, as it is to be written. */
export interface WantedConfiguration {
  readonly webhooks: readonly JsonObject[];
  /** Null: taken off. */
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** A webhook configuration. */
export interface Configuration extends KubeObject {
  readonly webhooks?: readonly JsonObject[];
}

/** How often a write is tried that other clients were faster than. */
const ATTEMPTS = 5;

/** One configuration. */
export class ManagedConfiguration {
  readonly #options: ManagedConfigurationOptions;
  /** The webhooks that this process has written last, and the webhooks that it is writing. */
  #written: readonly JsonObject[] | undefined;
  #writing: readonly JsonObject[] | undefined;
  /** The newest state known, of events and of answers to our own writes. */
  #cached: CachedObject | undefined;
  /** The last state of a configuration that was deleted. */
  #deleted: Configuration | undefined;

  constructor(options: ManagedConfigurationOptions) {
    this.#options = options;
  }

  get resource(): Resource {
    return this.#options.resource;
  }

  /** "KIND NAME", for people. */
  get title(): string {
    return `${this.#options.resource.kind} "${this.#options.name}"`;
  }

  /** The newest state that is known; undefined if there is none. */
  get live(): Configuration | undefined {
    return this.#cached?.object;
  }

  /** The last state of a configuration that was deleted, and is not there again; undefined otherwise. */
  get deleted(): Configuration | undefined {
    return this.#cached === undefined ? this.#deleted : undefined;
  }

  /** Whether it may be made: it was never seen, or the operator had made it itself. */
  get mayBeMade(): boolean {
    const { deleted } = this;
    return deleted === undefined || annotationsOf(deleted)[CONFIGURATION_ANNOTATIONS.maker] !== undefined;
  }

  /** Whether the live webhooks are the webhooks that this process has written last. */
  get isWritten(): boolean {
    return this.#written !== undefined && this.live !== undefined &&
      areWritten(this.#written, this.live.webhooks);
  }

  /**
   * Makes it, if it is not there. Resolves to false if it may not be made, and is not needed.
   *
   * @throws {ApiError} If it may not be made, and is needed.
   */
  async create(call: WriteCall, { isNeeded }: { readonly isNeeded: boolean }): Promise<boolean> {
    const { client, resource, name, logger } = this.#options;
    if (!this.mayBeMade) return true;
    const annotations = { [CONFIGURATION_ANNOTATIONS.maker]: "lotse" };
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name, annotations } };
    try {
      this.#adopt(await client.create(resource, body, call));
      logger.debug("Made the webhook configuration", { kind: resource.kind, configuration: name });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return true;
      if (error instanceof ApiError && error.status === 403) {
        if (!isNeeded) return false;
        logger.error(
          "Cannot manage the webhook configuration: grant the operator the right to create, get and patch it, or unset admission.managed",
          { kind: keyOf(resource), configuration: name, error },
        );
      }
      throw error;
    }
  }

  /** Reads it; undefined if there is none. @throws {ApiError} If the server refuses. */
  async read(call: WriteCall): Promise<Configuration | undefined> {
    const { client, resource, name } = this.#options;
    try {
      const live = await client.get<Configuration>(resource, { name }, call);
      this.#adopt(live);
      return live;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      if (this.live !== undefined) this.#forget(this.live);
      return undefined;
    }
  }

  /**
   * Changes exactly the state that `decide` was asked about: if another client is faster, it is read and decided again. An
   * undefined decision, and one that the live state has already, lead to no write. Tells whether it was written.
   *
   * @throws {ApiError} If the server refuses.
   */
  async write(
    decide: (live: Configuration | undefined) => WantedConfiguration | undefined,
    call: WriteCall,
  ): Promise<boolean> {
    for (let attempt = 1;; attempt++) {
      const live = await this.read(call);
      const wanted = decide(live);
      if (wanted === undefined) return false;
      this.#writing = wanted.webhooks;
      try {
        const isNews = live === undefined || !stands(wanted, live);
        if (isNews) this.#adopt(await this.#send(wanted, live, call));
        this.#written = wanted.webhooks;
        return isNews;
      } catch (error) {
        const isRaced = error instanceof ApiError && (error.status === 409 || error.status === 404);
        if (!isRaced || attempt >= ATTEMPTS) throw error;
      } finally {
        this.#writing = undefined;
      }
    }
  }

  async #send(
    { webhooks, annotations }: WantedConfiguration,
    live: Configuration | undefined,
    call: WriteCall,
  ): Promise<Configuration> {
    const { client, resource, name, logger } = this.#options;
    logger.debug("Writing the webhook configuration", {
      kind: resource.kind,
      configuration: name,
      webhooks: webhooks.length,
    });
    if (live === undefined) {
      const head = { apiVersion: apiVersionOf(resource), kind: resource.kind };
      const set = Object.entries({ ...annotations, [CONFIGURATION_ANNOTATIONS.maker]: "lotse" }).filter((
        [, value],
      ) => value !== null);
      const metadata = { name, annotations: Object.fromEntries(set) };
      return await client.create<Configuration>(resource, { ...head, metadata, webhooks }, call);
    }
    const { resourceVersion } = live.metadata;
    const body = { metadata: { resourceVersion, annotations }, webhooks };
    return await client.patch<Configuration>(resource, { name }, { type: "merge", body }, call);
  }

  /** Forgets the written webhooks: another replica may write from now on. */
  forgetWritten(): void {
    this.#written = undefined;
  }

  /** Watches it until the signal aborts; without the right to do so, it is not put right. */
  async guard(signal: AbortSignal): Promise<void> {
    const { client, host, watching, resource, name, logger } = this.#options;
    await watchOptional({
      client,
      host,
      logger,
      settings: watching,
      signal,
      resource,
      fieldSelector: `metadata.name=${name}`,
      about: { kind: resource.kind, configuration: name },
      warning:
        "Cannot watch the webhook configuration: if somebody edits or deletes it, that is not put right",
      notify: (event) => this.#compare(event),
    });
  }

  /** NB: events of our own writes come here as well, before the writes' answers or long after them. */
  #compare({ event }: ObjectEvent): void {
    const object = event.object as Configuration;
    const isDeleted = event.type === "DELETED";
    if (isDeleted ? !this.#forget(object) : !this.#adopt(object)) return;
    const isOurs = [this.#written, this.#writing].some((ours) =>
      ours !== undefined && areWritten(ours, object.webhooks)
    );
    this.#options.onChange({
      what: isDeleted ? "deleted" : "edited",
      object,
      isForeign: this.#written !== undefined && (isDeleted || !isOurs),
    });
  }

  /** Takes a state; tells whether it is news. */
  #adopt(object: Configuration): boolean {
    if (this.#cached?.object.metadata.uid === object.metadata.uid) {
      return this.#cached?.adopt(object, { from: "read" }) === "newer";
    }
    this.#cached = new CachedObject(object);
    return true;
  }

  /** Takes an end; tells whether it is news: there may be another one by that name already. */
  #forget(object: Configuration): boolean {
    const isOther = this.#cached !== undefined && this.#cached.object.metadata.uid !== object.metadata.uid;
    if (isOther) return false;
    this.#cached = undefined;
    this.#deleted = object;
    return true;
  }
}

function annotationsOf({ metadata: { annotations } }: Configuration): Readonly<Record<string, string>> {
  return annotations ?? {};
}

/** Whether a configuration has all that is wanted. */
function stands({ webhooks, annotations }: WantedConfiguration, live: Configuration): boolean {
  const found = annotationsOf(live);
  return areWritten(webhooks, live.webhooks) &&
    Object.entries(annotations).every(([key, value]) => (found[key] ?? null) === value);
}

/** Whose a configuration is; undefined if it says so nowhere. */
export function ownerOf(live: Configuration | undefined): string | undefined {
  return live && annotationsOf(live)[CONFIGURATION_ANNOTATIONS.owner];
}

/** The webhooks that stand, by name with their digests. Without the annotation the digests are empty. */
export function stoodIn(live: Configuration | undefined): ReadonlyMap<string, string> {
  const text = live && annotationsOf(live)[CONFIGURATION_ANNOTATIONS.digests];
  try {
    const digests: unknown = JSON.parse(text ?? "");
    if (isObject(digests)) {
      return new Map(Object.entries(digests).map(([name, digest]) => [name, String(digest)]));
    }
  } catch {
    // Whoever edits an annotation can edit the webhooks themselves.
  }
  return new Map((live?.webhooks ?? []).map(({ name }) => [String(name), ""]));
}
