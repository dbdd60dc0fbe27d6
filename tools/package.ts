/**
 * Makes the package for npm: `deno task package [--out FOLDER]` writes `lotse-lotse-<version>.tgz` (default: dist/). With
 * `--binary`, the command line as one executable instead: `lotse`, with Bun inside (needs Bun).
 *
 * `deno pack` turns the sources into JavaScript and declarations, file by file; what it does not know is added here: the
 * command `lotse`, which Node it takes, and what belongs into a package of npm. JSR takes the sources as they are
 * (`deno publish`). See docs/decisions/0006-package.md.
 */

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { readOptions } from "./options.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Files of the repository that `deno pack` would take along, as it takes all that it does not know. */
const LEFT_OUT = [
  "CONTRIBUTING.md",
  "Dockerfile.distroless",
  "Dockerfile.scratch",
  "deno.lock",
  ".dockerignore",
  ".gitignore",
];

/** What npm shows, beside what deno.json says. */
const ADDED = {
  description: "Kubernetes operators in TypeScript, for Deno, Bun and Node",
  keywords: ["kubernetes", "operator", "controller", "kopf", "crd", "deno", "bun"],
  engines: { node: ">=24" },
  bin: { lotse: "./bin/lotse.js" },
  sideEffects: false,
};

/** NB: an older Node must get as far as the sentence: it could not even parse the modules. */
const BIN = `#!/usr/bin/env node
const { node, bun, deno } = process.versions;
if (bun === undefined && deno === undefined && Number.parseInt(node) < 24) {
  console.error(
    \`error: Lotse needs Node 24 or newer, and this is Node \${node} (or use "bun --bun lotse", "deno run -A npm:@lotse/lotse")\`,
  );
  process.exit(1);
}
const { main } = await import("../cli.js");
const { currentHost } = await import("../lib/runtime/current_host.js");
const host = currentHost();
host.process.exit(await main(host));
`;

const { values: { out, binary } } = readOptions(import.meta.url, {
  options: {
    out: { type: "string", default: join(ROOT, "dist") },
    binary: { type: "boolean", default: false },
  },
});
process.stdout.write(`${binary ? makeBinary(resolve(out)) : makePackage(resolve(out))}\n`);

/** Returns the path of the executable. `lotse build` inside it does not work: it needs the package's files. */
function makeBinary(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "lotse");
  const flags = ["--compile", "--bytecode", "--format=esm", "--target=bun"];
  const smaller = ["--minify-whitespace", "--minify-syntax", "--keep-names"];
  run("bun", ["build", ...flags, ...smaller, join(ROOT, "cli.ts"), "--outfile", path], ROOT);
  return path;
}

/** Returns the path of the package. */
function makePackage(folder: string): string {
  const work = mkdtempSync(join(tmpdir(), "lotse-package-"));
  try {
    const packed = join(work, "packed.tgz");
    const ignored = LEFT_OUT.map((name) => `--ignore=${name}`);
    run("deno", ["pack", "--no-source-maps", "--allow-dirty", ...ignored, "-o", packed], ROOT);
    run("tar", ["xzf", packed], work);
    const content = join(work, "package");
    complete(content);
    mkdirSync(folder, { recursive: true });
    const name = run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], content);
    return join(folder, name.trim());
  } finally {
    rmSync(work, { recursive: true });
  }
}

function complete(folder: string): void {
  for (const name of LEFT_OUT) rmSync(join(folder, name), { force: true });
  // Sources that no door leads to are taken along as they are.
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".ts") && !name.endsWith(".d.ts")) rmSync(join(folder, name));
  }
  // Whose words come along, and under which license.
  copyFileSync(join(ROOT, "NOTICE"), join(folder, "NOTICE"));
  const path = join(folder, "package.json");
  const packed = JSON.parse(readFileSync(path, "utf8"));
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const { name, version, type, license, exports, ...others } = packed;
  const all = { name, version, type, license, ...ADDED, exports, ...others, dependencies: own.dependencies };
  writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`);
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/lotse.js"), BIN, { mode: 0o755 });
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (error !== undefined || status !== 0) {
    throw new Error(`${command} ${args[0]} failed: ${error ?? stderr}`);
  }
  return stdout;
}
