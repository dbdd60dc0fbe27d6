/** The host on Bun: Node's, through Bun's `node:` built-ins. */

import { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
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
      if (options?.fresh) {
        for (const file of Object.keys(require.cache)) {
          if (isReloadable(file, path)) delete require.cache[file];
        }
      }
      return import(path);
    },
  };
}

/** Whether a loaded file belongs to the module: it lies beside or below it, and is neither a package's nor ours. */
function isReloadable(file: string, path: string): boolean {
  const ours = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  if (file.includes(`${sep}node_modules${sep}`)) return false;
  if (file.startsWith(`${ours}${sep}lib${sep}`) || dirname(file) === ours) return false;
  return file === path || file.startsWith(dirname(path) + sep);
}
