/**
 * Compiles the command line itself: `bun tools/lotse.ts [--out lotse] [--target bun-linux-arm64]` writes one file, with which
 * `new`, `dev`, `run`, `build` and `generate` work in any folder, with nothing installed.
 *
 * The package is in it twice: once as what runs, once as files that `build` puts into the executables of others.
 */

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { SHRINK_PACKAGES } from "../lib/cli/bun_script.ts";
import type { EmbeddedPackage } from "../lib/runtime/embedded.ts";
import { readOptions } from "./options.ts";

/** The part of the global `Bun` that is used here. */
declare const Bun: {
  build(options: object): Promise<{
    readonly outputs: readonly { readonly path: string }[];
  }>;
};

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const MINIFIED = { whitespace: true, syntax: true, identifiers: false, keepNames: true };

const { values: { out, target } } = readOptions(import.meta.url, {
  options: { out: { type: "string", default: "lotse" }, target: { type: "string" } },
});
const work = mkdtempSync(join(tmpdir(), "lotse-cli-"));
try {
  await compile(resolve(out), await loadShrinking());
} finally {
  rmSync(work, { recursive: true });
}

/** Returns the plugin that leaves out unused parts of packages. */
async function loadShrinking(): Promise<object> {
  const path = join(work, "plugin.mjs");
  writeFileSync(path, `import { dirname } from "node:path";${SHRINK_PACKAGES}export { shrinkPackages };`);
  const { shrinkPackages }: { shrinkPackages: unknown } = await import(path);
  return { name: "shrink", setup: shrinkPackages };
}

async function compile(outfile: string, shrinking: object): Promise<void> {
  const { name, exports }: { name: string; exports: Record<string, string> } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  const doors = Object.entries(exports).map(([door, path]) =>
    [name + door.slice(1), join(ROOT, path)] as const
  );
  writeFileSync(join(work, "package.json"), JSON.stringify(await bundle(name, { doors, shrinking })));
  const loads = doors.map(([door, path]) => `${JSON.stringify(door)}: () => import(${JSON.stringify(path)})`);
  const entry = join(work, "entry.ts");
  writeFileSync(
    entry,
    `import { embedPackage } from ${JSON.stringify(join(ROOT, "lib/runtime/embedded.ts"))};
import bundled from "./package.json" with { type: "json" };
embedPackage({ doors: { ${loads.join(", ")} }, ...bundled });
const { main } = await import(${JSON.stringify(join(ROOT, "cli.ts"))});
const { currentHost } = await import(${JSON.stringify(join(ROOT, "lib/runtime/current_host.ts"))});
const host = currentHost();
host.process.exit(await main(host));
`,
  );
  await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    splitting: true,
    bytecode: true,
    minify: MINIFIED,
    plugins: [shrinking],
    sourcemap: "inline",
    compile: {
      outfile,
      ...target !== undefined && { target },
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadPackageJson: true,
    },
  });
  process.stdout.write(`${outfile}\n`);
}

/** Returns the doors as JavaScript that imports nothing but each other and what Bun has. */
async function bundle(
  name: string,
  { doors, shrinking }: {
    readonly doors: readonly (readonly [string, string])[];
    readonly shrinking: object;
  },
): Promise<Omit<EmbeddedPackage, "doors">> {
  const folder = join(work, "doors");
  const { outputs } = await Bun.build({
    entrypoints: doors.map(([, path]) => path),
    root: ROOT,
    outdir: folder,
    target: "bun",
    format: "esm",
    splitting: true,
    minify: MINIFIED,
    plugins: [shrinking],
  });
  const files: Record<string, string> = {};
  for (const { path } of outputs) {
    files[path.slice(folder.length + 1)] = readFileSync(path, "utf8");
  }
  const entries = Object.fromEntries(
    doors.map(([door, path]) => [door, path.slice(ROOT.length + 1).replace(/\.ts$/, ".js")]),
  );
  // What starts an executable calls this by its name, which a bundle does not keep.
  const start = `${name}/executable`;
  files["start.js"] = `import { startExecutable } from "./${entries[start]}";\nexport { startExecutable };\n`;
  const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16);
  return { files, entries: { ...entries, [start]: "start.js" }, digest };
}
