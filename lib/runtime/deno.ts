/** The host on Deno: Node's, through Deno's `node:` built-ins. */

import process from "node:process";
import type { Host } from "./host.ts";
import { nodeHost } from "./node.ts";

/** The host that Deno gives. */
export function denoHost(): Host {
  return { ...nodeHost(), name: "deno", version: process.versions.deno ?? "" };
}
