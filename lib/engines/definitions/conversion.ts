/**
 * The part of a definition that leads to whoever converts objects between the versions of the kind.
 *
 * The other parts of a definition are left alone, whoever applied it. Source: Kubernetes API reference, CustomResourceConversion.
 */

import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import type { Permit } from "../../client/transport/permit.ts";
import { isEqualJson, isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { ResourceOptions } from "../../registry/resource.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WebhookClientConfig } from "../../settings/admission_server.ts";
import { CRDS } from "./served_schema.ts";

/** Returns `spec.conversion` of a definition. */
export function conversionBy({ url, service, caBundle }: WebhookClientConfig): JsonObject {
  return {
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: {
        ...url !== undefined && { url },
        // With the default written out, as the server keeps it.
        ...service !== undefined && { service: { port: 443, ...service } },
        ...caBundle !== undefined && { caBundle },
      },
    },
  };
}

/** The way that a definition has now; no way, where objects are not converted by anybody; undefined if there is no definition. */
export async function conversionOf(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<WebhookClientConfig | undefined> {
  const live = await client.get(CRDS, { name }, { signal }).catch(ignoreMissing);
  if (live === undefined) return undefined;
  const conversion = live.spec?.conversion;
  // The server checks the form of definitions.
  return (isObject(conversion) ? clientConfigOf(conversion) : {}) as WebhookClientConfig;
}

/** The annotation of a definition that says whose conversion it is: "NAMESPACE/NAME" of the Leases. */
const OWNER = "lotse.dev/webhooks-of";

export interface WriteConversionsOptions {
  readonly client: Client;
  /** The way to whoever converts. */
  readonly way: WebhookClientConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Whose the conversions are: "NAMESPACE/NAME" of the Leases. Default: it is not said. */
  readonly owner?: string;
  /** The right to change what replicas share. Default: there are no replicas, or none that could have it. */
  readonly permit?: Permit;
}

/**
 * Writes the way into the definitions of kinds, where it is another one; kinds that are not defined yet are passed over.
 *
 * @throws {ApiError} If the server refuses.
 */
export async function writeConversions(
  kinds: readonly ResourceOptions[],
  { client, way, logger, signal, owner, permit }: WriteConversionsOptions,
): Promise<void> {
  const conversion = conversionBy(way);
  for (const { plural, group } of kinds) {
    const address = { name: `${plural}.${group}` };
    const live = await client.get(CRDS, address, { signal }).catch(ignoreMissing);
    if (live === undefined || isEqualJson(live.spec?.conversion, conversion)) continue;
    // A merge patch keeps members that it does not name: the other kind of way, too.
    const clientConfig = { url: null, service: null, caBundle: null, ...clientConfigOf(conversion) };
    const webhook = { conversionReviewVersions: ["v1"], clientConfig };
    const { resourceVersion } = live.metadata;
    const body = {
      metadata: owner === undefined ? {} : { resourceVersion, annotations: { [OWNER]: owner } },
      spec: { conversion: { strategy: "Webhook", webhook } },
    };
    try {
      await client.patch(CRDS, address, { type: "merge", body }, { signal, permit });
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) {
        logger.error(
          "Cannot say in the definition who converts its objects: grant the operator the right to get and patch it, or unset admission.managed",
          { definition: address.name, error },
        );
      }
      throw error;
    }
    logger.info("Wrote into a definition who converts its objects", { definition: address.name });
  }
}

function clientConfigOf({ webhook }: JsonObject): JsonObject {
  return isObject(webhook) && isObject(webhook.clientConfig) ? webhook.clientConfig : {};
}

function ignoreMissing(error: unknown): KubeObject | undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}
