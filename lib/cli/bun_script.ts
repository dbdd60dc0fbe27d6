/**
 * The program that `build` lets Bun run, as a text: it is the only way to give Bun's compiler a plugin, and where `lotse`
 * is an executable itself, there is no file of it to run.
 *
 * This package is bundled first, and by itself: without its comments, and with short names inside of its functions, it takes a
 * megabyte less of the executable and of its source map. Stacks show the names of its functions; only the author's files have
 * lines. The plugin puts the bundle in the place of the package, wherever the handlers lie, starts the executable, and keeps
 * the names of the author's functions. Handlers are known by their functions' names, and the bundler renames one of two
 * functions of the same name in different files ("update2"); keepNames does not help there (Bun 1.4.5).
 */

/** Instructions for the program, as JSON in its first argument. */
export interface BunBuild {
  /** The URLs of this package's files, by door ("@lotse/lotse"); missing ones are looked for in `folder`. */
  readonly doors: Readonly<Record<string, string>>;
  /** The author's folder: paths in stacks are relative to it. */
  readonly folder: string;
  /** The statement that starts the executable, to be run where `startExecutable` is at hand. */
  readonly call: string;
  /** The handler files and the files that they import by relative paths. Each is a chunk, which has a scope of its own. */
  readonly sources: readonly string[];
  /** Where to build; the folder is temporary. */
  readonly made: string;
  /** Where to put it in the end. */
  readonly output: string;
  /** Such as "bun-linux-arm64". Default: this system. */
  readonly target?: string;
}

/** The function of a plugin that leaves out unused parts of packages that this one depends on, as a text. */
export const SHRINK_PACKAGES = String.raw`
// Packages of ours that bring more than is used. @opentelemetry/api has a file for those who import it, as we do, and another
// one for those who require it, as prom-client does; and prom-client requires all that it has, such as what pushes metrics.
const METRICS = { Registry: "registry", Counter: "counter", Gauge: "gauge", Histogram: "histogram" };
function shrinkPackages(build) {
  const asImported = ({ path, importer }) => ({ path: Bun.resolveSync(path, dirname(importer)) });
  build.onResolve({ filter: /^@opentelemetry\/api$/ }, asImported);
  build.onResolve({ filter: /^prom-client$/ }, (args) => ({ ...asImported(args), namespace: "parts" }));
  build.onLoad({ filter: /.*/, namespace: "parts" }, ({ path }) => {
    const load = ([name, file]) => "exports." + name + " = require(" + JSON.stringify(dirname(path) + "/lib/" + file) + ");";
    return { contents: Object.entries(METRICS).map(load).join(""), loader: "js" };
  });
}
`;

/** The program. */
export const BUN_SCRIPT = String.raw`
const { copyFileSync, renameSync } = require("node:fs");
const { dirname, posix, relative } = require("node:path");
const { doors, folder, call, sources, made, output, target } = JSON.parse(process.argv[2]);
const DECLARED = /^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([A-Za-z_$][\w$]*)/gm;

function keepNames(text) {
  if (text.startsWith("#!")) return text;
  const names = new Set([...text.matchAll(DECLARED)].map(([, name]) => name));
  const kept = (name) =>
    "typeof " + name + ' == "function" && Object.defineProperty(' + name + ', "name", { value: "' + name + '" });';
  return [...names].map(kept).join("") + text;
}

const loaderOf = (path) => path.split(".").at(-1).replace(/^[cm]/, "");
const OWN = /^@lotse\/lotse(\/|$)/;
const MINIFIED = { whitespace: true, syntax: true, identifiers: false, keepNames: true };
const root = dirname(pathOf("@lotse/lotse"));

function pathOf(door) {
  return doors[door] === undefined ? Bun.resolveSync(door, folder) : Bun.fileURLToPath(doors[door]);
}

/** Returns the doors that the author's files come by, and their packages. */
async function usedDoors() {
  const used = new Set(["@lotse/lotse/executable"]);
  const notice = ({ path }) => (used.add(path), { path, external: true });
  const setup = (build) => build.onResolve({ filter: OWN }, notice);
  // What cannot be built is told when it is compiled.
  const entrypoints = [...sources, ...workers];
  await Bun.build({ entrypoints, target: "bun", throw: false, plugins: [{ name: "doors", setup }] }).catch(() => {});
  return [...used];
}

${SHRINK_PACKAGES}
/** Returns JavaScript by paths below the package's folder. */
async function bundlePackage() {
  const { outputs } = await Bun.build({
    entrypoints: (await usedDoors()).map(pathOf),
    root,
    target: "bun",
    format: "esm",
    splitting: true,
    minify: MINIFIED,
    plugins: [{ name: "shrink", setup: shrinkPackages }],
  });
  const texts = await Promise.all(outputs.map(async (output) => [posix.normalize(output.path), await output.text()]));
  return new Map(texts);
}

/** The name of a door's file in the bundle. */
function bundled(door) {
  return posix.normalize(relative(root, pathOf(door)).replace(/\.[cm]?[jt]sx?$/, ".js"));
}

// NB: the file that Bun starts must be a real one; what is in it is read from nowhere.
const start = pathOf("@lotse/lotse/executable");
const plugin = {
  name: "lotse",
  setup(build) {
    build.onResolve({ filter: OWN }, ({ path }) => ({ path: bundled(path), namespace: "lotse" }));
    // NB: those of the author's files are absolute, and so never in the bundle.
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer }) => {
      const file = posix.join(posix.dirname(importer.replace(/^lotse:/, "")), path);
      return files.has(file) ? { path: file, namespace: "lotse" } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "lotse" }, ({ path }) => ({ contents: files.get(path), loader: "js" }));
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
      if (path === start) {
        return { contents: 'import { startExecutable } from "@lotse/lotse/executable";' + call, loader: "js" };
      }
      if (!sources.includes(path)) return undefined;
      return { contents: keepNames(await Bun.file(path).text()), loader: loaderOf(path) };
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
const files = await bundlePackage();
// NB: Bun throws at once where it does not know the target.
const result = await Promise.try(() => Bun.build({
  entrypoints: [start, ...sources, ...workers],
  target: "bun",
  format: "esm",
  splitting: true,
  bytecode: true,
  // Functions within functions are compiled when they are called first: 1.3 MB less, for 20 ms of processor time at the start.
  bytecodeDepth: 1,
  minify: MINIFIED,
  sourcemap: "inline",
  compile: {
    outfile: made,
    ...(target && { target }),
    // An operator must not pick up settings from files that happen to lie in its working folder.
    autoloadDotenv: false,
    autoloadBunfig: false,
    // What runs at the start alone is not worth the optimizing compiler, which takes 20 ms and 3 MB, nor is an operator that
    // idles: executable.ts says when the start is over, and lib/runtime/bun.ts looks from then on.
    jitPolicy: 32,
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
