/**
 * Where the programs of other clients are: in the cache that build.ts fills, in one folder for each state of their sources.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The programs, by the folders of their sources. */
export type ClientName = "go" | "kubernetes" | "rust" | "suites";

/** How a program is built: kube-rs only on request, since a cold build takes minutes. */
export const BUILD: Readonly<Record<ClientName, string>> = {
  go: "deno task clients",
  kubernetes: "deno run -A tests/clients/build.ts --kubernetes",
  rust: "deno task clients --rust",
  suites: "deno run -A tests/clients/build.ts --suites",
};

/** A program's executable, or why there is none. */
export interface ClientSearch {
  readonly path?: string;
  readonly reason?: string;
}

/** Finds a program that was built. The reason fits the option `skip` of `node:test`. */
export function findClient(name: ClientName): ClientSearch {
  const path = builtClient(name);
  if (existsSync(path)) return { path };
  return { reason: `No program in ${name}: run \`${BUILD[name]}\`` };
}

/** Builds programs that only their own tests need, unless they are in the cache. Ends the process if that fails. */
export function buildClient(name: "kubernetes" | "suites"): void {
  const script = fileURLToPath(new URL("build.ts", import.meta.url));
  const { status } = spawnSync(process.execPath, ["run", "-A", script, `--${name}`], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

/** Programs, and what takes the place of parts of Kubernetes' own. */
type SourceName = ClientName | "integration";

/** The folder of a program's sources. */
export function sourcesOf(name: SourceName): string {
  return fileURLToPath(new URL(`${name}/`, import.meta.url));
}

/** The path at which build.ts leaves the executable, whether or not it is there. */
export function builtClient(name: SourceName): string {
  const hash = createHash("sha256");
  const folder = sourcesOf(name);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((each) => /(\.(go|rs|mod|sum|toml|lock))$/.test(each)).sort()) {
    hash.update(file).update(readFileSync(join(folder, file)));
  }
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "lotse", "clients", hash.digest("hex").slice(0, 16), `clients-${name}`);
}
