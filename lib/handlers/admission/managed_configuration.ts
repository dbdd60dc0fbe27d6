/**
 * Keeps one webhook configuration as the operator's handlers want it, while the operator runs, and takes its webhooks back
 * when it stops. The list is written as a whole, and only when it is another one than before.
 *
 * Replicas share a configuration. Each that starts writes it with the next generation (an annotation); older replicas see it
 * and leave the configuration alone, or they would undo each other's writes for as long as an update rolls. An edit or deletion
 * by another client is put right at once. Source: scenarios B128–B157, P10.
 */

import { CachedObject, type ObjectEvent } from "../../client/cache/object_store.ts";
import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { watchOptional } from "../../client/watch/optional_watch.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { apiVersionOf, keyOf, type Resource } from "../../model/resource.ts";
import type { Host } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WebhookClientConfig } from "../../settings/admission_server.ts";
import type { AdmissionSettings, WatcherSettings } from "../../settings/sections.ts";
import { areWritten, leadsHere } from "./webhook_configuration.ts";

export interface ManagedConfigurationOptions {
  readonly client: Client;
  readonly host: Host;
  readonly watching: WatcherSettings;
  /** The resource of validating, or of mutating, configurations. */
  readonly resource: Resource;
  /** The configuration's name. */
  readonly name: string;
  readonly logger: Logger;
  /** Called when the live configuration is not the written one, and has to be written again. */
  readonly onEdited: (edit: Edit) => void;
}

/** A change that another client has made to a configuration. */
export interface Edit {
  readonly what: "edited" | "deleted";
  readonly object: KubeObject;
}

export interface ReleaseOptions {
  readonly what: AdmissionSettings["release"];
  /** The names of webhooks that stay. */
  readonly persistent: ReadonlySet<unknown>;
  readonly signal: AbortSignal;
}

/** Which start of an operator wrote the configuration, counted from 1. */
const GENERATION = "lotse.dev/webhooks-generation";

/** How often a write is tried that others were faster than. */
const ATTEMPTS = 5;

interface Configuration extends KubeObject {
  readonly webhooks?: readonly JsonObject[];
}

/** One configuration. */
export class ManagedConfiguration {
  readonly #options: ManagedConfigurationOptions;
  /** The webhooks that were written last. */
  #written: readonly JsonObject[] | undefined;
  /** The list that is being written. */
  #writing: readonly JsonObject[] | undefined;
  /** The newest state known, of events and of answers to our own writes. */
  #cached: CachedObject | undefined;
  /** Ours; 0 until it has been written. */
  #generation = 0;
  #problem: string | undefined;

  constructor(options: ManagedConfigurationOptions) {
    this.#options = options;
  }

  /** The fault in it now; undefined if it is as it was written, or belongs to a later replica. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Makes it, if it is not there. Resolves to false if it may not be made, and is not needed.
   *
   * @throws {ApiError} If it may not be made, and is needed.
   */
  async create(signal: AbortSignal, { isNeeded }: { readonly isNeeded: boolean }): Promise<boolean> {
    const { client, resource, name, logger } = this.#options;
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name } };
    try {
      await client.create(resource, body, { signal });
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

  /**
   * Writes the list of webhooks, unless it is there or a later replica has written it. Until that has been done it counts as not
   * written: there is a problem.
   *
   * @throws {ApiError} If the server refuses.
   */
  async write(webhooks: readonly JsonObject[], signal: AbortSignal): Promise<void> {
    if (this.#problem === undefined && this.#written !== undefined && areWritten(webhooks, this.#written)) {
      return;
    }
    const { logger, resource, name } = this.#options;
    this.#writing = webhooks;
    this.#problem ??= `${resource.kind} "${name}" is not written yet`;
    await this.#change(signal, (live) => {
      const generation = generationOf(live);
      if (this.#generation > 0 && generation > this.#generation) return undefined;
      if (this.#generation === 0) this.#generation = generation + 1;
      return webhooks;
    });
    this.#written = webhooks;
    this.#problem = undefined;
    logger.debug("Wrote the webhook configuration", {
      kind: resource.kind,
      configuration: name,
      webhooks: webhooks.length,
    });
  }

  /** Takes back the webhooks that lead to us, but for the persistent ones. @throws {ApiError} If the server refuses. */
  async release(client: WebhookClientConfig, { what, persistent, signal }: ReleaseOptions): Promise<void> {
    if (what === "nothing") return;
    const decide = (live: Configuration): readonly JsonObject[] | undefined => {
      const { webhooks = [] } = live;
      const isLast = generationOf(live) <= this.#generation;
      const left = webhooks.filter((webhook) => {
        const place = leadsHere(webhook, client);
        const isOurs = place === "alone" || (place === "together" && what === "all" && isLast);
        return persistent.has(webhook.name) || !isOurs;
      });
      return left.length === webhooks.length ? undefined : left;
    };
    try {
      await this.#change(signal, decide, { mayCreate: false });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
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
    const isDeleted = event.type === "DELETED";
    if (isDeleted ? !this.#forget(event.object) : !this.#adopt(event.object)) return;
    if (this.#written === undefined) return;
    const { webhooks } = event.object as Configuration;
    const isOurs = [this.#written, this.#writing].some((ours) =>
      ours !== undefined && areWritten(ours, webhooks)
    );
    if (!isDeleted && (isOurs || generationOf(event.object) > this.#generation)) {
      return void (this.#problem = undefined);
    }
    const what = isDeleted ? "deleted" : "edited";
    this.#problem = `somebody has ${what} ${this.#options.resource.kind} "${this.#options.name}"`;
    this.#options.onEdited({ what, object: event.object });
  }

  /** Takes a state; tells whether it is news. */
  #adopt(object: KubeObject): boolean {
    if (this.#cached?.object.metadata.uid === object.metadata.uid) {
      return this.#cached?.adopt(object, { from: "read" }) === "newer";
    }
    this.#cached = new CachedObject(object);
    return true;
  }

  /** Takes an end; tells whether it is news: there may be another one by that name already. */
  #forget(object: KubeObject): boolean {
    const isOther = this.#cached !== undefined && this.#cached.object.metadata.uid !== object.metadata.uid;
    if (!isOther) this.#cached = undefined;
    return !isOther;
  }

  /** Changes exactly the state that it has read: if another client is faster, it reads again. */
  async #change(
    signal: AbortSignal,
    decide: (live: Configuration) => readonly JsonObject[] | undefined,
    { mayCreate = true }: { readonly mayCreate?: boolean } = {},
  ): Promise<void> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#tryChange(signal, decide, mayCreate && attempt > 1);
      } catch (error) {
        const isRaced = error instanceof ApiError &&
          (error.status === 409 || (error.status === 404 && mayCreate));
        if (!isRaced || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  async #tryChange(
    signal: AbortSignal,
    decide: (live: Configuration) => readonly JsonObject[] | undefined,
    isMissing: boolean,
  ): Promise<void> {
    const { client, resource, name } = this.#options;
    const live = await client.get<Configuration>(resource, { name }, { signal }).catch((error: unknown) => {
      if (isMissing && error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
    const webhooks = decide(live ?? { metadata: { name } });
    if (webhooks === undefined) return;
    const annotations = { [GENERATION]: String(Math.max(this.#generation, generationOf(live ?? {}))) };
    if (live === undefined) {
      const head = { apiVersion: apiVersionOf(resource), kind: resource.kind };
      this.#adopt(
        await client.create(resource, { ...head, metadata: { name, annotations }, webhooks }, { signal }),
      );
      return;
    }
    const body = { metadata: { resourceVersion: live.metadata.resourceVersion, annotations }, webhooks };
    this.#adopt(await client.patch(resource, { name }, { type: "merge", body }, { signal }));
  }
}

function generationOf({ metadata }: Partial<Pick<KubeObject, "metadata">>): number {
  const text = metadata?.annotations?.[GENERATION] ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
