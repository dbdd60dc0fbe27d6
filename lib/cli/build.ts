/**
 * `build`: makes one executable of handler files, the framework and a runtime.
 *
 * The program inside is `executable.ts`. A compiler does the rest: Bun's, by the program in `bun_script.ts`, or
 * `deno compile`. Their messages are passed on as they are. The executable appears in its place only when it is whole.
 */

import type { Command } from "commander";

import type { Host, RunOptions, RunResult } from "../runtime/host.ts";
import { ownDoors } from "../runtime/modules.ts";
import { BUN_SCRIPT, type BunBuild } from "./bun_script.ts";
import { doorFiles } from "../runtime/embedded.ts";
import { CommandError } from "./errors.ts";
import { addExamples, CommandOption } from "./program.ts";
import { findConfig } from "./project_config.ts";
import { type Release, releaseOf } from "./release.ts";
import { listenForSignals } from "./signals.ts";
import { formatSbom, lockedPackages } from "./sbom.ts";
import { sourcesOf } from "./sources.ts";

interface BuildFlags {
  readonly output: string;
  readonly backend?: "bun" | "deno";
  readonly target?: string;
  readonly release?: string;
  readonly commit?: string;
  readonly sbom?: boolean;
}

/** Adds the command. */
export function addBuild(program: Command, host: Host): void {
  const command = program.command("build").argument("<files...>", "Handler files");
  command.summary("Pack handlers into one executable");
  command.description(
    `${command.summary()}\n\nThe executable takes the options of \`run\`, without FILES. It needs the system's C library ` +
      "and /proc, and nothing else. Bun is taken from where it is installed, or from npm; for Deno, `deno` must be " +
      "installed. The same sources in the same folder give the same bytes.",
  );
  command
    .addOption(new CommandOption("-o, --output <file>", "The executable to write").demand())
    .addOption(
      new CommandOption("--backend <name>", "Whose runtime goes in; default: bun").oneOf(["bun", "deno"]),
    )
    .addOption(
      new CommandOption(
        "--target <name>",
        "For another system, in the backend's words: bun-linux-arm64, bun-linux-x64-musl, aarch64-unknown-linux-gnu",
      ),
    )
    .addOption(
      new CommandOption(
        "--release <version>",
        "What --version says; default: the version in package.json or deno.json",
      ),
    )
    .addOption(new CommandOption("--commit <hash>", "The same; default: what git says of the folder"))
    .addOption(
      new CommandOption(
        "--sbom",
        "Write the packages inside, as the lock file names them, beside the executable: FILE.cdx.json (CycloneDX)",
      ),
    );
  addExamples(command, [
    "build handlers.ts -o operator",
    "build handlers.ts -o operator --target bun-linux-arm64",
  ]);
  command.action((files: readonly string[], flags: BuildFlags) => build(files, flags, host));
}

async function build(files: readonly string[], flags: BuildFlags, host: Host): Promise<void> {
  const paths = files.map((file) => host.files.resolve(host.process.cwd(), file));
  for (const [index, path] of paths.entries()) {
    if (!(await host.files.exists(path))) {
      throw new CommandError(`Cannot build "${files[index]}": there is no such file`);
    }
  }
  const output = host.files.resolve(host.process.cwd(), flags.output);
  await checkOutput(flags.output, output, host);
  const folder = host.files.folderOf(paths[0] ?? "");
  // Before the compiler, which takes its time.
  const packages = flags.sbom ? await lockedPackages(folder, host) : undefined;
  const work = await host.files.makeTempFolder("lotse-build-");
  using stop = listenForSignals(host);
  try {
    const release = await releaseOf(folder, flags, host);
    const job: Job = {
      host,
      folder,
      work,
      sources: await sourcesOf(paths, host),
      call: startCall({ output, files, paths, release }),
      output,
      target: flags.target,
      signal: stop.signal,
    };
    const compiler = await (flags.backend === "deno" ? compileWithDeno(job) : compileWithBun(job));
    if (packages !== undefined) {
      const subject = { name: nameOf(output), version: release.version, runtime: compiler };
      await host.files.writeText(`${output}.cdx.json`, formatSbom(packages, subject));
    }
  } catch (error) {
    if (stop.signal.aborted) throw new CommandError("Cannot build: interrupted, and nothing was written");
    throw error;
  } finally {
    await host.files.remove(work);
    await host.files.remove(`${output}.part`);
  }
  host.process.write("stderr", `Built ${output}\n`);
}

/** A compiler takes its time: an output that cannot be written is to be reported before. Missing folders are made. */
async function checkOutput(given: string, output: string, { files }: Host): Promise<void> {
  if (await files.list(output).then(() => true, () => false)) {
    throw new CommandError(
      `Cannot build "${given}": there is a folder of that name (name a file, such as "${given}/operator")`,
    );
  }
  try {
    await files.writeText(`${output}.part`, "");
    await files.remove(`${output}.part`);
  } catch (error) {
    throw new CommandError(`Cannot build "${given}": it cannot be written`, { cause: error });
  }
}

interface CallOptions {
  readonly output: string;
  /** As given. */
  readonly files: readonly string[];
  /** The same, absolute. */
  readonly paths: readonly string[];
  readonly release: Release;
}

/** Returns the statement with which the executable starts. */
function startCall({ output, files, paths, release }: CallOptions): string {
  const name = nameOf(output);
  const listed = files.map((path, index) =>
    `{ path: ${JSON.stringify(path)}, load: () => import(${JSON.stringify(paths[index])}) }`
  );
  const about = JSON.stringify({ name, ...release }).slice(1, -1);
  return `\nstartExecutable({ ${about}, files: [${listed.join(", ")}] });\n`;
}

function nameOf(output: string): string {
  return output.split(/[/\\]/).at(-1) ?? "operator";
}

/** A program to compile. */
interface Job {
  readonly host: Host;
  /** The author's. */
  readonly folder: string;
  /** A temporary folder. */
  readonly work: string;
  /** Absolute paths of the handler files, and of files that they import by relative paths. */
  readonly sources: readonly string[];
  /** The statement that starts the executable, to be run where `startExecutable` is at hand. */
  readonly call: string;
  /** Absolute path of the executable. */
  readonly output: string;
  /** For which system, in the compiler's own words. Default: this one. */
  readonly target?: string;
  readonly signal: AbortSignal;
}

/** The package of npm that brings Bun, for machines without it. */
const BUN_PACKAGE = "bun@1.4.5";

async function compileWithBun(
  { host, folder, work, sources, call, output, target, signal }: Job,
): Promise<Compiler> {
  const script = host.files.resolve(work, "build.js");
  await host.files.writeText(script, BUN_SCRIPT);
  const name = nameOf(output);
  const job: BunBuild = {
    doors: Object.fromEntries(await doorFiles(work, host)),
    folder,
    call,
    sources,
    made: host.files.resolve(work, name),
    output,
    target: target === undefined || target.startsWith("bun-") ? target : `bun-${target}`,
  };
  return await compile("bun", {
    host,
    ways: waysToBun(host),
    args: [script, JSON.stringify(job)],
    cwd: folder,
    signal,
  });
}

async function compileWithDeno({ host, folder, work, call, output, target, signal }: Job): Promise<Compiler> {
  const doors = ownDoors();
  const start = doors.get("@lotse/lotse/executable") ?? "@lotse/lotse/executable";
  const entry = host.files.resolve(work, "entry.ts");
  await host.files.writeText(entry, `import { startExecutable } from ${JSON.stringify(start)};${call}`);
  const config = await findConfig(folder, host);
  // Types are not checked, as Bun does not check them either. A project of npm has its packages, and no configuration.
  const found = config === undefined ? ["--no-config", "--node-modules-dir=manual"] : ["--config", config];
  const args = ["compile", "--allow-all", "--no-check", ...found];
  if (target !== undefined) args.push("--target", target);
  args.push("--output", output, entry);
  return await compile("deno", { host, ways: waysToDeno(host), args, cwd: folder, signal });
}

/** A way to start a program. */
interface Way {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
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
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** The runtime that has gone into the executable. */
interface Compiler {
  readonly name: string;
  readonly version?: string;
}

async function compile(
  name: string,
  { host, ways, args, cwd, signal }: CompileOptions,
): Promise<Compiler> {
  for (const way of ways) {
    const result = await tryToRun(host, { way, args, cwd, signal });
    if (result === undefined) continue;
    if (result.code === 0) {
      const said = await tryToRun(host, { way, args: ["--version"], cwd, signal });
      return { name, version: /\d{1,9}\.\d{1,9}\.\d{1,9}\S*/.exec(said?.stdout ?? "")?.[0] };
    }
    throw new CommandError(failure(name, result));
  }
  const tried = ways.map(({ command, args }) => [command, ...args].join(" ")).join(", ");
  throw new CommandError(`Cannot build: ${name} is not installed (tried ${tried})`);
}

/** Returns the cause of a failed build: one sentence where it is known, else the output of the compiler. */
function failure(name: string, { code, stdout, stderr }: RunResult): string {
  const said = `${stdout}\n${stderr}`.trim();
  if (name === "deno" && /denort/.test(said)) {
    return "Cannot build: Deno could not fetch the runtime that it compiles in (set DENORT_BIN to a denort of its version, " +
      "or use --backend bun)";
  }
  const [, target] = /Unknown compile target: (\S+)/.exec(said) ?? [];
  if (target !== undefined) {
    return `Cannot build: Bun has no target "${target}" (take bun-linux-x64, bun-linux-arm64, bun-linux-x64-musl or ` +
      "bun-linux-arm64-musl)";
  }
  return `Cannot build: ${name} failed with exit code ${code}\n${said}`;
}

/** Returns undefined if there is no such program. */
async function tryToRun(
  host: Host,
  { way, args, cwd, signal }: Pick<CompileOptions, "args" | "cwd" | "signal"> & { readonly way: Way },
): Promise<RunResult | undefined> {
  const options: RunOptions = { env: way.env ?? {}, cwd, signal };
  try {
    return await host.process.run(way.command, [...way.args, ...args], options);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
