/** The host on Bun: Node's, through Bun's `node:` built-ins. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { tapBun } from "./bun_wire.ts";
import type { Host, Process } from "./host.ts";
import { connectNode } from "./node/connection.ts";
import { nodeHost } from "./node/host.ts";
import { strayListener } from "./node/stray.ts";
import { ownDoors, relativeImports } from "./modules.ts";

/** The host that Bun gives. */
export function bunHost(): Host {
  const host = nodeHost();
  return {
    ...host,
    name: "bun",
    version: process.versions.bun ?? "",
    process: bunProcess(host.process),
    network: { ...host.network, connect: (options) => connectNode(options, { tap: tapBun }) },
  };
}

/** How often it is looked whether the program has much to do. In seconds. */
const LOOK = 1;

/** The share of a processor that is much. */
const BUSY = 0.2;

function bunProcess(common: Process): Process {
  return {
    ...common,
    onStray: strayListener(["queueMicrotask"]),
    losesContext: true,
    releaseMemory() {
      Bun.gc(true);
      // Collected pages are given back only with this; compiled code goes, too, and is compiled anew when it runs.
      Bun.shrink?.();
    },
    endStart() {
      // Executables begin with another policy: lib/cli/bun_script.ts. The optimizing compiler takes 2 MB as soon as it
      // is used once, and an idle operator needs none.
      let before = process.cpuUsage();
      const timer = setInterval(() => {
        const { user, system } = process.cpuUsage(before);
        before = process.cpuUsage();
        if ((user + system) / 1e6 < BUSY * LOOK) return;
        clearInterval(timer);
        Bun.unsafe?.setJITPolicy?.(1);
      }, LOOK * 1000);
      timer.unref();
    },
    async importModule(path, options) {
      provideOwnPackage();
      if (options?.fresh) { for (const file of await withImports(path)) forget(file); }
      return await import(path);
    },
  };
}

/** The part of the global `Bun` that is used here. */
declare const Bun: {
  gc(force: boolean): unknown;
  shrink?(): void;
  readonly unsafe?: { setJITPolicy?(scale: number): void };
  plugin(plugin: { readonly name: string; setup(build: PluginBuilder): void }): void;
};

interface PluginBuilder {
  module(name: string, load: () => Promise<{ exports: Record<string, unknown>; loader: "object" }>): void;
}

/** Lets modules anywhere import this package by its name, and get this very instance of it. May be called again. */
function provideOwnPackage(): void {
  Bun.plugin({
    name: "@lotse/lotse",
    setup(build) {
      for (const [door, url] of ownDoors()) {
        build.module(door, async () => ({ exports: await import(url), loader: "object" }));
      }
    },
  });
}

/**
 * NB: Bun gives the old module for `file://...?fresh=n`; its registry of modules is the one of `require`, and forgets a
 * module that failed, too, though it does not list it. (It never forgets a module that lacked an imported name.)
 */
function forget(file: string): void {
  delete createRequire(import.meta.url).cache[file];
}

/** Returns a file and all that it imports by relative paths, directly or not. */
async function withImports(path: string): Promise<Set<string>> {
  const found = new Set([path]);
  for (const file of found) {
    const text = await readFile(file, "utf8").catch(() => "");
    for (const specifier of relativeImports(text)) found.add(resolve(dirname(file), specifier));
  }
  return found;
}
