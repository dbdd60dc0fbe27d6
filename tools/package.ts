/**
 * Makes the package for npm: `npm run package [-- --out FOLDER]` (or `deno task package`) writes `lotse-lotse-<version>.tgz`
 * (default: dist/). With `--binary`, the command line as one executable instead: `lotse`, with Bun inside (needs Bun).
 *
 * TypeScript's compiler turns the sources into JavaScript and declarations, file by file. It does not check types here
 * (`deno check` does), so that it needs none of the runtimes. The package gets the declarations that its doors lead to. JSR takes
 * the sources as they are (`deno publish`). See docs/decisions/0035-first-steps.md.
 */

import {
  copyFileSync,
  existsSync,
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
/** Files of the repository that the package has, too. */
const TAKEN = ["CHANGELOG.md", "LICENSE", "NOTICE", "README.md"];

/** A relative import, export or type, by the name of a source. */
const IMPORT = /(?<=\b(?:from|import) ?\(?")(\.{1,2}\/[^"]+\.ts)(?=")/g;

/** What npm shows, beside what deno.json says. */
const ADDED = {
  description: "Kubernetes operators in TypeScript, for Deno, Bun and Node",
  keywords: ["kubernetes", "operator", "controller", "kopf", "crd", "deno", "bun"],
  engines: { node: ">=24" },
  sideEffects: false,
};

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
  const compiler = join(ROOT, "node_modules/.bin/tsc");
  if (!existsSync(compiler)) {
    console.error(
      `error: The package is made by TypeScript's compiler, which is not installed: run "npm install" (or "deno install") in ${ROOT}`,
    );
    process.exit(1);
  }
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const { version, license } = JSON.parse(readFileSync(join(ROOT, "deno.json"), "utf8"));
  const doors: Readonly<Record<string, string>> = own.exports;
  const work = mkdtempSync(join(tmpdir(), "lotse-package-"));
  try {
    const content = join(work, "package");
    compile(compiler, { doors: Object.values(doors), work, content });
    prune(content, Object.values(doors));
    for (const name of TAKEN) copyFileSync(join(ROOT, name), join(content, name));
    mkdirSync(join(content, "bin"));
    writeFileSync(
      join(content, "bin/lotse.js"),
      toJavaScript(readFileSync(join(ROOT, "bin/lotse.js"), "utf8")),
      { mode: 0o755 },
    );
    const { name, type, bin, dependencies } = own;
    const exports = Object.fromEntries(Object.entries(doors).map(([door, path]) => [door, entryOf(path)]));
    const { types, default: main } = entryOf(doors["."] ?? "");
    const all = { name, version, type, license, ...ADDED, bin, exports, main, types, dependencies };
    writeFileSync(join(content, "package.json"), `${JSON.stringify(all, null, 2)}\n`);
    mkdirSync(folder, { recursive: true });
    const made = run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], content);
    return join(folder, made.trim());
  } finally {
    rmSync(work, { recursive: true });
  }
}

interface Compilation {
  /** The modules to begin with, such as "./mod.ts". */
  readonly doors: readonly string[];
  /** A folder for its settings. */
  readonly work: string;
  /** Where the results go. */
  readonly content: string;
}

function compile(compiler: string, { doors, work, content }: Compilation): void {
  const compilerOptions = {
    target: "esnext",
    lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
    module: "nodenext",
    rewriteRelativeImportExtensions: true,
    declaration: true,
    noCheck: true,
    strict: true,
    types: [],
    rootDir: ROOT,
    outDir: content,
  };
  const settings = join(work, "tsconfig.json");
  const files = doors.map((door) => join(ROOT, door));
  writeFileSync(settings, JSON.stringify({ compilerOptions, files }));
  run(compiler, ["-p", settings], ROOT);
}

/** Removes declarations that no door leads to: authors never see them. In the others, imports name what is in the package. */
function prune(folder: string, doors: readonly string[]): void {
  const reached = new Set<string>();
  const waiting = doors.map((door) => join(folder, entryOf(door).types));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const text = readFileSync(path, "utf8");
    for (const [, target = ""] of text.matchAll(IMPORT)) {
      waiting.push(join(dirname(path), target.replace(/\.ts$/, ".d.ts")));
    }
    writeFileSync(path, toJavaScript(text));
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (name.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
  }
}

function toJavaScript(text: string): string {
  return text.replace(IMPORT, (path) => path.replace(/\.ts$/, ".js"));
}

/** Returns an entry of "exports", by the path of a source. */
function entryOf(
  path: string,
): { readonly types: string; readonly import: string; readonly default: string } {
  const made = path.replace(/\.ts$/, ".js");
  return { types: path.replace(/\.ts$/, ".d.ts"), import: made, default: made };
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (error !== undefined || status !== 0) {
    throw new Error(`${command} ${args[0]} failed: ${error ?? stderr}`);
  }
  return stdout;
}
