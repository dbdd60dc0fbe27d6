/** The way that calls of `op.api` go. */

import { AppliedStates } from "../client/cache/applied_states.ts";
import type { Caches } from "../client/cache/caches.ts";
import type { Client } from "../client/client.ts";
import type { Registry } from "../registry/registry.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/sections.ts";
import { tellAnswers } from "./answers.ts";

/** The connection of an operator that runs. */
export interface ApiSource {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Pick<Settings, "networking" | "watching">;
  /** The states that are known to be as they were applied. Default: none. */
  readonly states?: AppliedStates;
}

/** A run, as far as its connection goes. */
export interface ApiSourceOptions extends Pick<ApiSource, "client" | "host" | "logger"> {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly caches: Caches;
}

/** Returns the way of an operator that runs: what it writes is known to its caches at once. */
export function apiSource(
  { client, host, logger, settings, registry, caches }: ApiSourceOptions,
): ApiSource {
  const states = new AppliedStates({
    caches,
    isFollowed: (resource) =>
      registry.of(resource).sources.length > 0 && client.projectionOf(resource) === undefined,
  });
  const api = tellAnswers(client, caches);
  return { client: api, host, settings, states, logger: logger.child({ name: "lotse.api" }) };
}
