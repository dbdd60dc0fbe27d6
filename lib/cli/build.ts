/**
 * `build`: makes one executable of handler files, the framework and a runtime.
 *
 * A temporary module imports the files and starts them as `executable.ts` says; a compiler does the rest:
 * `bun build --compile` or `deno compile`, run as it is, and what it says is passed on as it is.
 */

import type { Command } from "commander";

import type { Host, RunOptions, RunResult } from "../runtime/host.ts";
import { CommandError } from "./errors.ts";
import { addExamples, CommandOption } from "./program.ts";
import { sourcesOf } from "./sources.ts";

interface BuildFlags {
  readonly output: string;
  readonly backend?: "bun" | "deno";
  readonly target?: string;
}

/** Adds the command. */
export function addBuild(program: Command, host: Host): void {
  const command = program.command("build").argument("<files...>", "Handler files");
  command.summary("Pack handlers into one executable");
  command.description(
    `${command.summary()}\n\nThe executable takes the options of \`run\`, without FILES. It needs the system's C library ` +
      "and /proc, and nothing else. Bun is taken from where it is installed, or from npm; for Deno, `deno` must be installed.",
  );
  command
    .addOption(new CommandOption("-o, --output <file>", "The executable to write").demand())
    .addOption(
      new CommandOption("--backend <name>", "Whose runtime goes in; default: bun").oneOf(["bun", "deno"]),
    )
    .addOption(
      new CommandOption(
        "--target <name>",
        "For another system, in the backend's words, such as bun-linux-arm64",
      ),
    );
  addExamples(command, [
    "build handlers.ts -o operator",
    "build handlers.ts -o operator --target bun-linux-arm64",
  ]);
  command.action((files: readonly string[], flags: BuildFlags) => build(files, flags, host));
}

async function build(files: readonly string[], flags: BuildFlags, host: Host): Promise<void> {
  const { backend = "bun", target } = flags;
  const paths = files.map((file) => host.files.resolve(host.process.cwd(), file));
  for (const [index, path] of paths.entries()) {
    if (!(await host.files.exists(path))) {
      throw new CommandError(`Cannot build "${files[index]}": there is no such file`);
    }
  }
  const output = host.files.resolve(host.process.cwd(), flags.output);
  const folder = await host.files.makeTempFolder("lotse-build-");
  try {
    const entry = host.files.resolve(folder, "entry.ts");
    await host.files.writeText(entry, entryModule({ output, files, paths }));
    const sources = await sourcesOf(paths, host);
    await COMPILERS[backend]({ host, entry, sources, output, target });
  } finally {
    await host.files.remove(folder);
  }
  host.process.write("stderr", `Built ${output}\n`);
}

interface EntryOptions {
  readonly output: string;
  /** As given. */
  readonly files: readonly string[];
  /** The same, absolute. */
  readonly paths: readonly string[];
}

/** Returns the module with which the executable starts. */
function entryModule({ output, files, paths }: EntryOptions): string {
  const name = output.split(/[/\\]/).at(-1) ?? "operator";
  const listed = files.map((path, index) =>
    `{ path: ${JSON.stringify(path)}, load: () => import(${JSON.stringify(paths[index])}) }`
  );
  return [
    `import { startExecutable } from ${JSON.stringify(startModule())};`,
    `startExecutable({ name: ${JSON.stringify(name)}, files: [${listed.join(", ")}] });`,
    "",
  ].join("\n");
}

/** Where executable.ts (or .js, as packed for npm) lies: next to this file. */
function startModule(): string {
  const url = new URL(import.meta.url);
  const start = new URL(url.pathname.endsWith(".ts") ? "./executable.ts" : "./executable.js", url);
  return start.protocol === "file:" ? decodeURIComponent(start.pathname) : start.href;
}

/** What to compile. */
interface CompileRequest {
  readonly host: Host;
  /** Absolute path of the module to start with. */
  readonly entry: string;
  /** Absolute paths of the handler files, and of what they import by relative paths. */
  readonly sources: readonly string[];
  /** Absolute path of the executable. */
  readonly output: string;
  /** For which system, in the compiler's own words. Default: this one. */
  readonly target?: string;
}

/** Makes an executable. @throws {CommandError} If the compiler is not to be had, or fails. */
type Compile = (request: CompileRequest) => Promise<void>;

/** The compilers by name. */
const COMPILERS: Readonly<Record<"bun" | "deno", Compile>> = {
  bun: compileWithBun,
  deno: compileWithDeno,
};

/** For those who have no Bun: what npm brings. */
const BUN_PACKAGE = "bun@1.4.5";

/** A way to start a program. */
interface Way {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * NB: functions must keep their names, for handlers are known by them. Two things would change names: minified
 * identifiers (for which --keep-names is no help in Bun 1.4.5), and one scope for all modules, where the second "update"
 * becomes "update2". So identifiers stay, and each source file becomes a chunk, which has a scope of its own.
 */
async function compileWithBun({ host, entry, sources, output, target }: CompileRequest): Promise<void> {
  const args = ["build", "--compile", "--bytecode", "--format=esm", "--splitting"];
  args.push("--minify-whitespace", "--minify-syntax", "--keep-names");
  // An operator must not pick up settings from files that happen to lie in its working folder.
  args.push("--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig");
  if (target !== undefined) args.push(`--target=${target}`);
  await compile("bun", {
    host,
    ways: waysToBun(host),
    args: [...args, entry, ...sources, `--outfile=${output}`],
  });
}

async function compileWithDeno({ host, entry, sources, output, target }: CompileRequest): Promise<void> {
  const config = await findConfig(sources[0] ?? entry, host);
  const args = ["compile", "--allow-all", ...config === undefined ? [] : ["--config", config]];
  if (target !== undefined) args.push("--target", target);
  await compile("deno", { host, ways: waysToDeno(host), args: [...args, "--output", output, entry] });
}

/** This very program if it is Bun (also inside an executable), the one on the path, or npm's. */
function waysToBun(host: Host): Way[] {
  const self = { command: `/proc/${host.process.pid}/exe`, args: [], env: { BUN_BE_BUN: "1" } };
  const others = [{ command: "bun", args: [] }, { command: "npx", args: ["-y", BUN_PACKAGE] }];
  return host.name === "bun" ? [self, ...others] : others;
}

function waysToDeno(host: Host): Way[] {
  const self = { command: `/proc/${host.process.pid}/exe`, args: [] };
  const others = [{ command: "deno", args: [] }];
  return host.name === "deno" ? [self, ...others] : others;
}

interface CompileOptions {
  readonly host: Host;
  readonly ways: readonly Way[];
  readonly args: readonly string[];
}

async function compile(name: string, { host, ways, args }: CompileOptions): Promise<void> {
  for (const way of ways) {
    const result = await tryToRun(host, { way, args });
    if (result === undefined) continue;
    if (result.code === 0) return;
    const said = `${result.stdout}\n${result.stderr}`.trim();
    throw new CommandError(`Cannot build: ${name} failed with exit code ${result.code}\n${said}`);
  }
  const tried = ways.map(({ command, args }) => [command, ...args].join(" ")).join(", ");
  throw new CommandError(`Cannot build: ${name} is not installed (tried ${tried})`);
}

/** Returns undefined if there is no such program. */
async function tryToRun(
  host: Host,
  { way, args }: { readonly way: Way; readonly args: readonly string[] },
): Promise<RunResult | undefined> {
  const options: RunOptions = way.env === undefined ? {} : { env: way.env };
  try {
    return await host.process.run(way.command, [...way.args, ...args], options);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The deno.json that is in force for a file: the nearest one above it. */
async function findConfig(file: string, { files }: Host): Promise<string | undefined> {
  for (let folder = files.folderOf(file);; folder = files.folderOf(folder)) {
    for (const name of ["deno.json", "deno.jsonc"]) {
      const path = files.resolve(folder, name);
      if (await files.exists(path)) return path;
    }
    if (files.folderOf(folder) === folder) return undefined;
  }
}
