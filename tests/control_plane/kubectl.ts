/** Runs kubectl for tests: collects its output, fails if it fails, and keeps its cache out of the user's home. */

import { spawn } from "node:child_process";
import process from "node:process";
import type { Command } from "./binaries.ts";
import type { Folder } from "./folder.ts";

export interface KubectlOptions {
  /** Text for the standard input, for `-f -`. Default: none. */
  readonly input?: string;
}

/** @throws {Error} If it exits with another code than 0; the message is its standard error. */
export function runKubectl(
  command: Command,
  args: readonly string[],
  options: KubectlOptions & { readonly folder: Pick<Folder, "kubeconfig" | "directory"> },
): Promise<string> {
  const { input = "", folder } = options;
  const [program, ...first] = command;
  // NB: HOME is where kubectl caches what it discovers, under host and port, which other control planes have had too.
  const env = { ...process.env, KUBECONFIG: folder.kubeconfig, HOME: folder.directory };
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...first, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`"kubectl ${args.join(" ")}" exited with ${code}: ${errors.trimEnd()}`));
    });
    child.stdin.on("error", () => {}); // kubectl need not read it to its end.
    child.stdin.end(input);
  });
}
