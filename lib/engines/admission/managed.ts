/**
 * Keeps one webhook configuration up to date while an operator runs, and takes its webhooks back when it stops.
 *
 * The list is written as a whole, and only when it is another one than before. Source: Kopf, B §3.4.
 */

import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import type { JsonObject } from "../../model/object.ts";
import { apiVersionOf, keyOf, type Resource } from "../../model/resource.ts";
import type { Logger } from "../../runtime/logging.ts";

export interface ManagedConfigurationOptions {
  readonly client: Client;
  /** Of configurations: those that validate, or those that mutate. */
  readonly resource: Resource;
  /** The configuration's name. */
  readonly name: string;
  readonly logger: Logger;
}

/** One configuration. */
export class ManagedConfiguration {
  readonly #options: ManagedConfigurationOptions;
  #written: string | undefined;

  constructor(options: ManagedConfigurationOptions) {
    this.#options = options;
  }

  /** Makes it, if it is not there. @throws {ApiError} If it may not be made. */
  async create(signal: AbortSignal): Promise<void> {
    const { client, resource, name, logger } = this.#options;
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name } };
    try {
      await client.create(resource, body, { signal });
      this.#written = "[]";
      logger.debug("Made the webhook configuration", { kind: resource.kind, configuration: name });
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return void (this.#written = undefined);
      if (error instanceof ApiError && error.status === 403) {
        logger.error(
          "Cannot manage the webhook configuration: grant the operator the right to create and patch it, or unset admission.managed",
          { kind: keyOf(resource), configuration: name, error },
        );
      }
      throw error;
    }
  }

  /** Writes the list of webhooks, unless it is there. @throws {ApiError} If the server refuses. */
  async write(webhooks: readonly JsonObject[], signal: AbortSignal): Promise<void> {
    const text = JSON.stringify(webhooks);
    if (text === this.#written) return;
    try {
      await this.#patch(webhooks, signal);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      // Somebody has deleted it.
      await this.create(signal);
      await this.#patch(webhooks, signal);
    }
    this.#written = text;
  }

  async #patch(webhooks: readonly JsonObject[], signal: AbortSignal): Promise<void> {
    const { client, resource, name, logger } = this.#options;
    await client.patch(resource, { name }, { type: "merge", body: { webhooks } }, { signal });
    logger.debug("Wrote the webhook configuration", {
      kind: resource.kind,
      configuration: name,
      webhooks: webhooks.length,
    });
  }
}
