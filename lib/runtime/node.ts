/**
 * The host on `node:` built-ins, which Node, Deno and Bun all have.
 *
 * Only composes: each part has its own file. Where a runtime differs, its adapter (`deno.ts`, `bun.ts`) replaces a part.
 */

import process from "node:process";
import type { Host, Network } from "./host.ts";
import { nodeClock, nodeRandom } from "./node_clock.ts";
import { connectNode } from "./node_connection.ts";
import { nodeFiles } from "./node_files.ts";
import { nodeProcess } from "./node_process.ts";

/** The host that Node gives. */
export function nodeHost(): Host {
  return {
    name: "node",
    version: process.versions.node,
    clock: nodeClock(),
    random: nodeRandom(),
    files: nodeFiles(),
    process: nodeProcess(),
    network: nodeNetwork(),
  };
}

/** Connections and servers on `node:` built-ins. */
export function nodeNetwork(): Network {
  return {
    connect: connectNode,
    async serve(options) {
      // Few processes serve anything, and the server's packages cost start-up time.
      const { serveNode } = await import("./node_server.ts");
      return await serveNode(options);
    },
  };
}
