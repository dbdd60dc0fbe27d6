/** The repository's own module graph, as Deno resolves it. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Info, type Module, readGraph } from "./graph.ts";
import { filesBelow, ROOT } from "./tree.ts";

/** Asks Deno for the graph below all files that are shipped and all examples, whether or not anything reaches them. */
export function readTreeGraph(): Module[] {
  const folder = mkdtempSync(join(tmpdir(), "lotse-graph-"));
  const roots = join(folder, "roots.ts");
  const files = ["mod.ts", "cli.ts", ...filesBelow("lib/", ".ts"), ...filesBelow("examples/", ".ts")];
  writeFileSync(roots, files.map((file) => `import ${JSON.stringify(ROOT + file)};\n`).join(""));
  const options = [
    "info",
    "--json",
    "--no-lock",
    "--no-npm",
    "--config",
    fileURLToPath(ROOT + "deno.json"),
    roots,
  ];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8", maxBuffer: 1 << 28 });
  rmSync(folder, { recursive: true });
  assert.ok(stdout.startsWith("{"), `deno info failed: ${stderr}`);
  return readGraph(JSON.parse(stdout) as Info, ROOT);
}
