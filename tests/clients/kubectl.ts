/**
 * Runs Kubernetes' tests of kubectl against the server in the process: `deno run -A tests/clients/kubectl.ts`.
 *
 * They are shell functions in Kubernetes' sources (test/cmd), which Go's module cache holds (needs Go, bash, jq and curl). Each
 * runs in a copy of its own, on a server of its own, which has controllers and no kubelets, as there. `--runtime bun` serves
 * with Bun, `--focus TEXT` runs only those with that in their names, `--at-once 3` says how many run side by side. Red if one
 * fails that kubectl_list.ts does not name, or passes although it does.
 */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readOptions } from "../../tools/options.ts";
import { Program } from "../cli/processes.ts";
import { findControlPlane } from "../control_plane/binaries.ts";
import { sourcesOf } from "./binaries.ts";
import { FEWEST, KNOWN, LEFT_OUT } from "./kubectl_list.ts";
import { Tally } from "./report.ts";

/** What of Kubernetes' sources the tests read and write. */
const COPIED = ["hack", "test/cmd", "test/fixtures", "test/e2e/testing-manifests"];
const LINKED = ["third_party", "api"];
/** A test that hangs. In milliseconds. */
const PATIENCE = 240_000;
const SERVER = fileURLToPath(new URL("kube_apiserver.ts", import.meta.url));
const SCRIPT = fileURLToPath(new URL("kubectl/run.sh", import.meta.url));

const { values: flags } = readOptions(import.meta.url, {
  options: {
    "runtime": { type: "string", default: "deno" },
    "focus": { type: "string", default: "" },
    "at-once": { type: "string", default: "3" },
  },
});
const sources = findSources();
const kubectl = findControlPlane().binaries?.kubectl?.[0];
if (kubectl === undefined) throw new Error("No kubectl: run `deno task control-plane`");
const names = chosen();
const tally = new Tally({ known: KNOWN, fewest: flags.focus === "" ? FEWEST : 1 });
const waiting = [...names];
await Promise.all(Array.from({ length: Number(flags["at-once"]) }, async () => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { output, ...finding } = await run(name);
    const isExpected = tally.tell({ name, why: "see below", ...finding });
    if (!finding.passed && !isExpected) console.log(lastWords(output));
  }
}));
process.exitCode = tally.end();

function findSources(): string {
  const { stdout, status } = spawnSync("go", ["mod", "download", "-json", "k8s.io/kubernetes"], {
    cwd: sourcesOf("kubernetes"),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error("Cannot find the sources of Kubernetes: is there Go, and a network?");
  return String(JSON.parse(stdout).Dir);
}

function chosen(): string[] {
  const script = readFileSync(join(sources, "test/cmd/legacy-script.sh"), "utf8");
  const found = [...script.matchAll(/^\s*record_command (run_\w+)$/gm)].map(([, name = ""]) => name);
  const isLeftOut = (name: string) => Object.keys(LEFT_OUT).some((part) => new RegExp(part).test(name));
  return [...new Set(found)].filter((name) => !isLeftOut(name) && new RegExp(flags.focus).test(name));
}

interface Outcome {
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

async function run(name: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "lotse-kubectl-"));
  const started = performance.now();
  try {
    for (const path of COPIED) cpSync(join(sources, path), join(folder, path), { recursive: true });
    for (const path of LINKED) symlinkSync(join(sources, path), join(folder, path));
    for (const path of ["_output/bin", "tmp"]) mkdirSync(join(folder, path), { recursive: true });
    // Go's modules cannot be written, nor can copies of them.
    spawnSync("chmod", ["-R", "u+w", join(folder, "hack"), join(folder, "test")]);
    symlinkSync(kubectl ?? "", join(folder, "_output/bin/kubectl"));
    const port = await freePort();
    const args = [
      SERVER,
      `--secure-port=${port}`,
      "--authorization-mode=RBAC,AlwaysAllow",
      `--client-ca-file=${join(folder, "hack/testdata/ca/ca.crt")}`,
      `--token-auth-file=${join(folder, "hack/testdata/auth-tokens.csv")}`,
      "--workloads",
    ];
    await using server = flags.runtime === "bun"
      ? new Program("bun", args)
      : new Program("deno", ["run", "-A", ...args]);
    await server.wrote(/ready/);
    const { code, output } = await runScript(name, { folder, port });
    return { passed: code === 0, seconds: (performance.now() - started) / 1000, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runScript(
  name: string,
  { folder, port }: { readonly folder: string; readonly port: number },
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, TMPDIR: join(folder, "tmp"), SECURE_API_PORT: String(port) };
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn("bash", [SCRIPT, name], { cwd: folder, env, stdio: [...stdio], timeout: PATIENCE });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => output += text);
    }
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Returns what came before the script gave up. */
function lastWords(output: string): string {
  // deno-lint-ignore no-control-regex -- colors of the terminal
  const lines = output.replace(/\x1b(\[[0-9;]*m|\(B)/g, "").split("\n");
  const end = lines.findLastIndex((line) => line.startsWith("+++ exit code:"));
  return lines.slice(Math.max(0, end - 30), end < 0 ? undefined : end)
    .filter((line) => !/^!!! \[|Successful get/.test(line))
    .map((line) => `    ${line.slice(0, 400)}`)
    .slice(-15)
    .join("\n");
}
