/**
 * Runs those of kube-rs' own tests that want a cluster against the server in the process: `deno run -A tests/clients/kube_rs.ts`.
 *
 * The crates' sources are where cargo keeps what the program in rust/ is built from; they are built together, in the cache
 * (needs cargo): minutes on two cores, for the first time. `--runtime bun` serves with Bun, `--build` builds them and runs none,
 * `--real` runs them on a real control plane, which has no kubelet, so that what waits for Pods fails there. Red if one fails
 * that kube_rs_list.ts does not name, or passes although it does.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readOptions } from "../../tools/options.ts";
import { Program } from "../cli/processes.ts";
import { startControlPlane } from "../control_plane/control_plane.ts";
import { builtClient, sourcesOf } from "./binaries.ts";
import { CRATES, FEWEST, KNOWN } from "./kube_rs_list.ts";
import { Tally } from "./report.ts";

/** What the crates' tests are built with. */
const FEATURES = ["kube/derive", "kube/runtime", "kube/ws", "kube-client/rustls-tls", "kube-client/ws"];
/** A crate's tests that hang. In milliseconds. */
const PATIENCE = 300_000;

const { values: flags } = readOptions(import.meta.url, {
  options: {
    runtime: { type: "string", default: "deno" },
    build: { type: "boolean", default: false },
    real: { type: "boolean", default: false },
  },
});

const workspace = join(dirname(builtClient("rust")), "kube-rs");
if (!existsSync(join(workspace, "Cargo.toml"))) makeWorkspace();
const build = spawnSync("cargo", ["test", "--no-run", ...chosen()], {
  cwd: workspace,
  stdio: ["ignore", 2, 2],
});
if (build.status !== 0) process.exitCode = 1;
else if (!flags.build) process.exitCode = await run();

/**
 * Puts the crates side by side. What they test each other with is not in what is published, because it goes round in circles;
 * as parts of one workspace they may.
 */
function makeWorkspace(): void {
  const { status, stdout } = spawnSync("cargo", ["metadata", "--locked", "--format-version", "1"], {
    cwd: sourcesOf("rust"),
    encoding: "utf8",
    maxBuffer: Infinity,
  });
  if (status !== 0) throw new Error("Cannot find the sources of kube-rs: is there cargo, and a network?");
  // The answer of cargo.
  const { packages } = JSON.parse(stdout) as {
    readonly packages: readonly { readonly name: string; readonly manifest_path: string }[];
  };
  const found = packages.filter(({ name }) => /^kube(-|$)/.test(name));
  mkdirSync(workspace, { recursive: true });
  for (const { name, manifest_path } of found) {
    const copy = join(workspace, name);
    cpSync(dirname(manifest_path), copy, { recursive: true });
    if (name !== "kube-client" && name !== "kube-runtime") continue;
    const features = `["derive", "client", ${name === "kube-client" ? '"ws"' : '"runtime"'}]`;
    appendFileSync(
      join(copy, "Cargo.toml"),
      `\n[dev-dependencies.kube]\npath = "../kube"\nfeatures = ${features}\n`,
    );
  }
  copyFileSync(join(sourcesOf("rust"), "Cargo.lock"), join(workspace, "Cargo.lock"));
  const names = found.map(({ name }) => name);
  const patches = names.map((name) => `${name} = { path = "${name}" }`);
  const profile = "[profile.dev]\ndebug = false\nincremental = false\n";
  const members = `[workspace]\nresolver = "2"\nmembers = ${JSON.stringify(names)}\n`;
  writeFileSync(
    join(workspace, "Cargo.toml"),
    `${members}\n[patch.crates-io]\n${patches.join("\n")}\n\n${profile}`,
  );
}

function chosen(): string[] {
  return [...CRATES.flatMap((crate) => ["-p", crate]), "--lib", "--features", FEATURES.join(",")];
}

async function run(): Promise<number> {
  const tally = new Tally({ known: KNOWN, fewest: FEWEST });
  await using server = flags.real ? await startControlPlane() : await startOurs();
  const output = await runTests(server.kubeconfig);
  for (const [, name = "", outcome] of output.matchAll(/^test (\S+).* \.\.\. (ok|FAILED)$/gm)) {
    tally.tell({ name, passed: outcome === "ok", seconds: 0, why: lastWords(output, name) });
  }
  return tally.end();
}

async function startOurs(): Promise<AsyncDisposable & { readonly kubeconfig: string }> {
  const folder = mkdtempSync(join(tmpdir(), "lotse-kube-rs-"));
  const kubeconfig = join(folder, "kubeconfig");
  const cli = fileURLToPath(new URL("../../cli.ts", import.meta.url));
  const args = [cli, "apiserver", "--rbac", "--workloads", "--kubeconfig", kubeconfig];
  const isBun = flags.runtime === "bun";
  const server = new Program(isBun ? "bun" : "deno", isBun ? args : ["run", "-A", ...args]);
  await server.wrote(/ready: /);
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** NB: its code says only whether any test has failed, which the lines say better. */
function runTests(kubeconfig: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ["test", ...chosen(), "--no-fail-fast", "--", "--ignored", "--test-threads", "1"];
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const child = spawn("cargo", args, {
      cwd: workspace,
      env,
      stdio: ["ignore", "pipe", 2],
      timeout: PATIENCE,
    });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => output += text);
    child.once("error", reject);
    child.once("close", () => resolve(output));
  });
}

/** Returns what a test said when it failed, in one line. */
function lastWords(output: string, name: string): string {
  const [, said = ""] = output.split(`---- ${name} stdout ----\n`);
  return said.split("\n\n")[0]?.replace(/\s+/g, " ").trim().slice(0, 400) ?? "";
}
