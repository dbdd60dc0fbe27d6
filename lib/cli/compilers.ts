/**
 * The two programs that make executables: `bun build --compile` and `deno compile`.
 *
 * Both are run as they are, and what they say is passed on as it is. Source: field notes, "One executable".
 */

import type { Host, RunOptions, RunResult } from "../runtime/host.ts";
import { CommandError } from "./errors.ts";

/** What to compile. */
export interface CompileRequest {
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
export type Compile = (request: CompileRequest) => Promise<void>;

/** The compilers by name. */
export const COMPILERS: Readonly<Record<"bun" | "deno", Compile>> = {
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

/** Gives undefined if there is no such program. */
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
