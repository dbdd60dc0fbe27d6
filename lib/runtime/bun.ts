/** The host on Bun: Node's, through Bun's `node:` built-ins. */

import { createRequire } from "node:module";
import process from "node:process";
import type { Host, Process } from "./host.ts";
import { nodeHost } from "./node.ts";

/** The host that Bun gives. */
export function bunHost(): Host {
  const host = nodeHost();
  return { ...host, name: "bun", version: process.versions.bun ?? "", process: bunProcess(host.process) };
}

function bunProcess(common: Process): Process {
  const require = createRequire(import.meta.url);
  return {
    ...common,
    importModule(path, options) {
      // NB: Bun gives the old module for `file://...?fresh=n`; its registry of modules is the one of `require`.
      if (options?.fresh) delete require.cache[path];
      return import(path);
    },
  };
}
