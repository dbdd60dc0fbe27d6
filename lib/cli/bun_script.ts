/**
 * The program that `build` lets Bun run, as a text: it is the only way to give Bun's compiler a plugin, and where `lotse`
 * is an executable itself, there is no file of it to run.
 *
 * The plugin starts the executable (`executable.ts`, with a call appended), finds this package by its name wherever the
 * handlers lie, and keeps the names of functions. Handlers are known by those, and the bundler renames one of two
 * functions of the same name in different files ("update2"); keepNames does not help there (Bun 1.4.5).
 */

/** Instructions for the program, as JSON in its first argument. */
export interface BunBuild {
  /** The URLs of this package's files, by door ("@lotse/lotse"); missing ones are looked for in `folder`. */
  readonly doors: Readonly<Record<string, string>>;
  /** The author's folder: paths in stacks are relative to it. */
  readonly folder: string;
  /** The text to append to `executable.ts`. */
  readonly call: string;
  /** The handler files and what they import by relative paths. Each is a chunk, which has a scope of its own. */
  readonly sources: readonly string[];
  /** The file that says which functions a start calls. */
  readonly order: string;
  /** Where to build; the folder is temporary. */
  readonly made: string;
  /** Where to put it in the end. */
  readonly output: string;
  /** Such as "bun-linux-arm64". Default: this system. */
  readonly target?: string;
}

/** The program. */
export const BUN_SCRIPT = String.raw`
const { copyFileSync, renameSync } = require("node:fs");
const { doors, folder, call, sources, order, made, output, target } = JSON.parse(process.argv[2]);
const DECLARED = /^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([A-Za-z_$][\w$]*)/gm;

function find(door) {
  return doors[door] === undefined ? Bun.resolveSync(door, folder) : Bun.fileURLToPath(doors[door]);
}

function keepNames(text) {
  if (text.startsWith("#!")) return text;
  const names = new Set([...text.matchAll(DECLARED)].map(([, name]) => name));
  const kept = (name) =>
    "typeof " + name + ' == "function" && Object.defineProperty(' + name + ', "name", { value: "' + name + '" });';
  return [...names].map(kept).join("") + text;
}

const loaderOf = (path) => path.split(".").at(-1).replace(/^[cm]/, "");
const entry = find("@lotse/lotse/executable");
const plugin = {
  name: "lotse",
  setup(build) {
    build.onResolve({ filter: /^@lotse\/lotse(\/|$)/ }, ({ path }) => ({ path: find(path) }));
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
      if (path !== entry && !sources.includes(path)) return undefined;
      const text = await Bun.file(path).text();
      return { contents: path === entry ? text + call : keepNames(text), loader: loaderOf(path) };
    });
  },
};
// Modules that run in workers are named by URLs, which the compiler does not follow.
const WORKER = /new URL\(\s*["'](\.{1,2}\/[^"']+\.[cm]?[jt]s)["']\s*,\s*import\.meta\.url\s*,?\s*\)/g;
const workers = new Set();
for (const source of sources) {
  const text = await Bun.file(source).text();
  for (const [, path] of text.matchAll(WORKER)) {
    const worker = Bun.fileURLToPath(new URL(path, Bun.pathToFileURL(source)));
    if (await Bun.file(worker).exists() && !sources.includes(worker)) workers.add(worker);
  }
}
// NB: Bun throws at once where it does not know the target.
const result = await Promise.try(() => Bun.build({
  entrypoints: [entry, ...sources, ...workers],
  target: "bun",
  format: "esm",
  splitting: true,
  bytecode: true,
  // Functions within functions within functions are compiled when they are called first: a quarter of a megabyte, for 3 ms.
  bytecodeDepth: 2,
  minify: { whitespace: true, syntax: true, identifiers: false, keepNames: true },
  sourcemap: "inline",
  compile: {
    outfile: made,
    ...(target && { target }),
    // An operator must not pick up settings from files that happen to lie in its working folder.
    autoloadDotenv: false,
    autoloadBunfig: false,
    bytecodeOrder: order,
    // What runs at the start alone is not worth the optimizing compiler, which takes 20 ms and 3 MB: executable.ts says
    // when the start is over.
    jitPolicy: 8,
  },
  plugins: [plugin],
  throw: false,
})).catch((error) => ({ success: false, logs: [error, ...(error.errors ?? [])] }));
for (const log of result.logs) {
  const place = log.position ? log.position.file + ":" + log.position.line + ": " : "";
  console.error(place + (log.message ?? String(log)));
}
if (!result.success) process.exit(1);
copyFileSync(made, output + ".part");
renameSync(output + ".part", output);
`;
