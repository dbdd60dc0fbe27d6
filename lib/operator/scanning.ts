/**
 * Notices kinds that come and go while the operator runs, by watching CustomResourceDefinitions.
 *
 * Without the right to watch them the kinds of the start are kept, with a warning. Source: Kopf, B §5.4.
 */

import { ApiError } from "../client/errors.ts";
import type { Client } from "../client/client.ts";
import { watchObjects } from "../client/watch.ts";
import { isObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { WatchingSettings } from "../settings/settings.ts";

export interface ScanningOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: WatchingSettings;
  readonly signal: AbortSignal;
  /** Called with the group of each definition that was added, changed or removed. */
  readonly onChange: (group: string) => Promise<void>;
}

const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** Watches definitions until the signal aborts, or the server says that we may not. */
export async function watchDefinitions(options: ScanningOptions): Promise<void> {
  const { signal, logger } = options;
  const refused = new AbortController();
  const onState = ({ lastError }: { readonly lastError: unknown }): void => {
    if (!(lastError instanceof ApiError) || ![401, 403, 404].includes(lastError.status)) return;
    logger.warn("Cannot watch CustomResourceDefinitions: kinds that come later are not noticed", {
      error: lastError,
    });
    refused.abort();
  };
  const either = AbortSignal.any([signal, refused.signal]);
  for await (const item of watchObjects({ ...options, resource: DEFINITIONS, signal: either, onState })) {
    if (item.type !== "event" || item.event.type === null) continue;
    const group = groupOf(item.event.object);
    if (group !== undefined) await options.onChange(group);
  }
}

function groupOf(definition: KubeObject): string | undefined {
  const group = isObject(definition.spec) ? definition.spec.group : undefined;
  return typeof group === "string" ? group : definition.metadata.name?.replace(/^[^.]*\./, "");
}
