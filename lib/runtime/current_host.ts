/** Picks the host that the program runs on. */

import process from "node:process";
import { bunHost } from "./bun.ts";
import { denoHost } from "./deno.ts";
import type { Host } from "./host.ts";
import { nodeHost } from "./node/host.ts";

/** Returns the host of the runtime at hand. */
export function currentHost(): Host {
  if (process.versions.bun !== undefined) return bunHost();
  if (process.versions.deno !== undefined) return denoHost();
  return nodeHost();
}
