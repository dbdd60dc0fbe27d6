/** The way that calls of `op.api` go. */

import type { Client } from "../client/client.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/sections.ts";

/** The connection of an operator that runs. */
export interface ApiSource {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Pick<Settings, "networking" | "watching">;
}
