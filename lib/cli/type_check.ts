/**
 * Checks the types of handler files beside the operator that runs them: runtimes strip types without a look, so that a
 * misspelt field would be `undefined` in the log and no error anywhere.
 *
 * The author's own compiler does it: the TypeScript in the project's node_modules, else Deno where it runs this. The
 * operator never waits for it, and one line of the log tells its findings.
 */

import type { Host, RunResult } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { findConfig, findUp } from "./project_config.ts";
import { sourcesOf } from "./sources.ts";

export interface TypeCheckOptions {
  readonly host: Host;
  readonly logger: Logger;
}

/** A compiler takes the machine for seconds: the operator starts first, and of several saves the last one counts. In seconds. */
const REST = 1;

/** A checker of some files, which remembers how they were the last time. */
export class TypeCheck implements Disposable {
  readonly #files: readonly string[];
  readonly #host: Host;
  readonly #logger: Logger;
  #running = new AbortController();
  #faults = "";

  /** @param files As given on the command line. */
  constructor(files: readonly string[], { host, logger }: TypeCheckOptions) {
    this.#files = files.filter((file) => /\.[cm]?tsx?$/.test(file));
    this.#host = host;
    this.#logger = logger;
  }

  /** Begins to check the files as they are now. A check that has not ended is dropped. */
  begin(): void {
    this.#running.abort();
    this.#running = new AbortController();
    if (this.#files.length === 0) return;
    const { signal } = this.#running;
    this.#check(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#logger.debug("Types cannot be checked", { error });
    });
  }

  [Symbol.dispose](): void {
    this.#running.abort();
  }

  async #check(signal: AbortSignal): Promise<void> {
    if (!await this.#host.clock.sleep(REST, signal)) return;
    const { files, process } = this.#host;
    const paths = this.#files.map((file) => files.resolve(process.cwd(), file));
    const compiler = await findCompiler(paths, this.#host);
    if (compiler === undefined) {
      return this.#tell(
        "none",
        () =>
          this.#logger.info("Types are not checked: TypeScript is not installed", {
            advice: "npm install --save-dev typescript",
          }),
      );
    }
    const { command, args, env = {}, folder } = compiler;
    const result = await this.#host.process.run(command, args, {
      env: { NO_COLOR: "1", ...env },
      cwd: folder,
      signal,
    });
    if (signal.aborted) return;
    const sources = new Set(await sourcesOf(paths, this.#host));
    this.#report(result, faultsIn(result, folder, this.#host).filter(({ file }) => sources.has(file)));
  }

  #report({ code, stdout, stderr }: RunResult, faults: readonly Fault[]): void {
    const unresolved = faults.find(({ error }) => UNRESOLVED.test(error));
    const [first] = faults;
    if (unresolved !== undefined || (first === undefined && code !== 0 && !hasDiagnostics(stdout + stderr))) {
      const why = unresolved?.error ?? firstLine(`${stderr}\n${stdout}`);
      return this.#tell(why, () => this.#logger.info("Types cannot be checked", { why }));
    }
    if (first === undefined) {
      if (this.#faults !== "") this.#logger.info("Types fit again");
      this.#faults = "";
      return;
    }
    const cwd = this.#host.process.cwd();
    const file = first.file.startsWith(`${cwd}/`) ? first.file.slice(cwd.length + 1) : first.file;
    const at = `${file}:${first.line}`;
    const more = faults.length > 1 ? { more: faults.length - 1 } : {};
    this.#tell(
      JSON.stringify(faults),
      () => this.#logger.warn("Types do not fit", { at, error: first.error, ...more }),
    );
  }

  /** Logs faults, unless they are the ones that were logged last. */
  #tell(faults: string, tell: () => void): void {
    if (faults === this.#faults) return;
    this.#faults = faults;
    tell();
  }
}

/** An error of the compiler in a file. */
interface Fault {
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  readonly error: string;
}

/** The compiler does not find a module that the runtime may find: further errors that follow from it say little. */
const UNRESOLVED = /^(Cannot find module|Could not find a declaration file|Import ".*" not a dependency)/;

/** As tsc writes them without colours: "handlers.ts(5,20): error TS2339: Property …". */
const OF_TSC = /^(\S[^\n]{0,1024}?)\((\d+),\d+\): error TS\d+: ([^\n]*)$/gm;
/** As Deno does: "TS2339 [ERROR]: Property …", and after the source "    at file:///…/handlers.ts:5:20". */
const OF_DENO = /^TS\d+ \[ERROR\]: ([^\n]*)$/;
const AT = /^ +at (file:\/\/\S+?):(\d+):\d+$/;

function hasDiagnostics(text: string): boolean {
  return /\bTS\d+( \[ERROR\])?: /.test(text);
}

function faultsIn({ stdout, stderr }: RunResult, folder: string, { files }: Host): Fault[] {
  const faults = [...stdout.matchAll(OF_TSC)].map(([, file = "", line, error = ""]) => ({
    file: files.resolve(folder, file),
    line: Number(line),
    error,
  }));
  let error: string | undefined;
  for (const row of `${stderr}\n${stdout}`.split("\n")) {
    error = OF_DENO.exec(row)?.[1] ?? error;
    const [, url, line] = AT.exec(row) ?? [];
    if (error === undefined || url === undefined) continue;
    faults.push({ file: decodeURIComponent(new URL(url).pathname), line: Number(line), error });
    error = undefined;
  }
  return faults;
}

function firstLine(text: string): string {
  return text.split("\n").map((line) => line.trim()).find((line) => line !== "") ??
    "the compiler says nothing";
}

/** A compiler, and how to have it check the files. */
interface Compiler {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where it runs: paths that it prints are relative to it. */
  readonly folder: string;
}

async function findCompiler(paths: readonly string[], host: Host): Promise<Compiler | undefined> {
  const { files, process } = host;
  const start = files.folderOf(paths[0] ?? "");
  const self = `/proc/${process.pid}/exe`;
  const config = await findUp(start, ["tsconfig.json", "deno.json", "deno.jsonc"], host);
  const isOfDeno = config !== undefined && !config.endsWith("tsconfig.json");
  if (host.name === "deno" && (config === undefined || isOfDeno)) {
    const found = await findConfig(start, host);
    const chosen = found === undefined ? [] : ["--config", found];
    return { command: self, args: ["check", "--quiet", ...chosen, ...paths], folder: start };
  }
  const manifest = await findUp(start, ["node_modules/typescript/package.json"], host);
  if (manifest === undefined) return undefined;
  const { bin } = JSON.parse(await files.readText(manifest)) as { bin?: { tsc?: string } };
  const tsc = files.resolve(files.folderOf(manifest), bin?.tsc ?? "bin/tsc");
  const run = host.name === "deno" ? ["run", "-A", tsc] : [tsc];
  const env = { BUN_BE_BUN: "1" };
  const what = config !== undefined && !isOfDeno ? ["--project", config] : [...WITHOUT_CONFIG, ...paths];
  const folder = config === undefined ? start : files.folderOf(config);
  return { command: self, args: [...run, "--noEmit", "--pretty", "false", ...what], env, folder };
}

/** The settings that runtimes take files by, where the author has no tsconfig.json. */
const WITHOUT_CONFIG =
  "--target esnext --module nodenext --strict --skipLibCheck --allowImportingTsExtensions".split(" ");
