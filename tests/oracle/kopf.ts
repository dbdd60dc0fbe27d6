/**
 * The original: Kopf, installed from PyPI into a virtual environment of its own, kept outside of the tree.
 *
 * Where there is no Python, or no way to PyPI, there is a reason instead, with which tests are skipped.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Program } from "../cli/processes.ts";

/** What the notes are held to. */
const VERSION = "1.45.2";

const HANDLERS = fileURLToPath(new URL("handlers.py", import.meta.url));

/** Where the interpreter is, or why there is none. */
export interface KopfSearch {
  readonly python?: string;
  readonly reason?: string;
}

/** Finds Kopf, and installs it if it is not there: some 15 seconds, once. */
export function findKopf(): KopfSearch {
  const folder = join(homedir(), ".cache", "lotse", `kopf-${VERSION}`);
  const python = join(folder, "bin", "python");
  if (!existsSync(python)) {
    const reason = install(folder);
    if (reason !== undefined) return { reason };
  }
  return { python };
}

/** Installs into a folder beside it first, so that what is half done or done twice does no harm. */
function install(folder: string): string | undefined {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  const steps: readonly [string, readonly string[]][] = [
    ["python3", ["-m", "venv", unfinished]],
    [join(unfinished, "bin", "python"), [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--retries",
      "1",
      "--timeout",
      "15",
      `kopf==${VERSION}`,
    ]],
  ];
  for (const [command, args] of steps) {
    const { status, error, stderr } = spawnSync(command, [...args], { encoding: "utf8", timeout: 180_000 });
    if (status === 0) continue;
    rmSync(unfinished, { recursive: true, force: true });
    const detail = error?.message ?? stderr.trim().split("\n").at(-1);
    return `Kopf ${VERSION} cannot be had: "${command} ${args.join(" ")}" failed: ${detail}`;
  }
  // Somebody else may have been faster.
  if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true });
  else renameSync(unfinished, folder);
  return undefined;
}

export interface KopfOptions {
  readonly python: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  /** The file with the handlers. Default: handlers.py. */
  readonly handlers?: string;
  /** A file to which a line is added for each call of a handler. */
  readonly calls: string;
  /** Whether it heeds the namespace's peering object. Default: false. */
  readonly peering?: boolean;
}

/** Starts Kopf. */
export async function startKopf(options: KopfOptions): Promise<Program> {
  const { python, kubeconfig, namespace, handlers = HANDLERS, calls, peering = false } = options;
  const alone = peering ? [] : ["--standalone"];
  const args = ["-m", "kopf", "run", ...alone, "--verbose", "--namespace", namespace, handlers];
  const program = new Program(python, args, { env: { KUBECONFIG: kubeconfig, CALLS: calls } });
  await program.wrote(/Starting the watch-stream for examples/);
  return program;
}
