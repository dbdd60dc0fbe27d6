/**
 * What the webhooks of handlers look like in a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration.
 *
 * Source: scenarios B128–B157. Kubernetes takes lower case only, and each name once: handlers named as JavaScript names functions
 * have hyphens there, and those whose names are the same are numbered.
 */

import type { JsonObject } from "../../model/object.ts";
import { apiVersionOf, keyOf, type Resource } from "../../model/resource.ts";
import { ABSENT, PRESENT } from "../../registry/filters.ts";
import type { AdmissionHandler } from "../../registry/handlers.ts";
import type { WebhookClientConfig } from "../../settings/admission_server.ts";
import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import type { Logger } from "../../runtime/logging.ts";

export interface WebhooksOptions {
  /** Those of one cause, and which kinds each is for. */
  readonly handlers: ReadonlyMap<AdmissionHandler, readonly Resource[]>;
  /** The name of the configuration, with which the names of webhooks end. */
  readonly suffix: string;
  readonly client: WebhookClientConfig;
  /** Leave out those that do not outlive the operator. Default: false. */
  readonly persistentOnly?: boolean;
}

/** Returns the list of webhooks, in the handlers' order. */
export function webhooksFor({ handlers, suffix, client, persistentOnly }: WebhooksOptions): JsonObject[] {
  const names = new Set<string>();
  return [...handlers].flatMap(([handler, resources]) => {
    const name = unusedName(handler.id, { suffix, names });
    if (persistentOnly === true && !handler.persistent) return [];
    return [{
      name,
      sideEffects: handler.sideEffects ? "NoneOnDryRun" : "None",
      failurePolicy: handler.ignoreFailures ? "Ignore" : "Fail",
      matchPolicy: "Equivalent",
      rules: resources.map((resource) => ruleFor(handler, resource)),
      objectSelector: selectorFor(handler),
      clientConfig: clientConfigFor(handler.id, client),
      timeoutSeconds: 30,
      admissionReviewVersions: ["v1", "v1beta1"],
    }];
  });
}

/** Returns the name of a handler's webhook: lower case, as DNS has it. */
export function webhookName(id: string, suffix: string): string {
  const hyphenated = id.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const plain = hyphenated.replaceAll("/", ".").replaceAll("_", "-").replace(/[^a-z0-9.-]/gu, hexOf);
  const labels = plain.split(".").map((label) => label.replace(/^-+|-+$/g, "")).filter((label) =>
    label !== ""
  );
  return [...labels.length === 0 ? ["x"] : labels, suffix].join(".");
}

/** Returns the server's configuration with a handler's id at the end of its path. */
export function clientConfigFor(id: string, client: WebhookClientConfig): WebhookClientConfig {
  const path = id.split("/").map(quote).join("/");
  const { url, service } = client;
  return {
    ...client,
    ...url !== undefined && { url: `${url.replace(/(?<!\/)\/+$/, "")}/${path}` },
    ...service !== undefined && {
      service: { ...service, path: `${(service.path ?? "").replace(/(?<!\/)\/+$/, "")}/${path}` },
    },
  };
}

function unusedName(
  id: string,
  { suffix, names }: { readonly suffix: string; readonly names: Set<string> },
): string {
  let name = webhookName(id, suffix);
  for (let number = 2; names.has(name); number++) name = webhookName(`${id}-${number}`, suffix);
  names.add(name);
  return name;
}

function ruleFor({ operations, subresource }: AdmissionHandler, resource: Resource): JsonObject {
  const { group, version, plural } = resource;
  return {
    apiGroups: [group],
    apiVersions: [version],
    // NB: "pods/*" means pods as well as all their subresources (k8s.io/apiserver, predicates/rules).
    resources: [subresource === undefined ? plural : `${plural}/${subresource}`],
    operations: operations === undefined ? ["*"] : [...operations],
    scope: "*",
  };
}

/** What of a handler's filters the server can apply by itself. */
function selectorFor({ labels = {} }: AdmissionHandler): JsonObject | null {
  const matchExpressions = Object.entries(labels).flatMap(([key, value]): JsonObject[] => {
    if (value === PRESENT) return [{ key, operator: "Exists" }];
    if (value === ABSENT) return [{ key, operator: "DoesNotExist" }];
    return typeof value === "string" ? [{ key, operator: "In", values: [value] }] : [];
  });
  return matchExpressions.length === 0 ? null : { matchExpressions };
}

function hexOf(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** As URLs have it; Python's `quote()` spares fewer characters than `encodeURIComponent()`. */
function quote(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${hexOf(character).toUpperCase()}`);
}

// Keeps one webhook configuration up to date while an operator runs, and takes its webhooks back when it stops.
// The list is written as a whole, and only when it is another one than before. Source: scenarios B128–B157.

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
