/**
 * Runs Kubernetes' integration tests against the server in the process: `deno run -A tests/clients/integration.ts`.
 *
 * They would start a kube-apiserver in their own process. Here the few files that do so are replaced while Go compiles, by those in
 * integration/, which start our program instead; all else is taken from Go's module cache as it is (needs Go). Each test has a
 * process and a server of its own. `--runtime bun` serves with Bun, `--package NAME` runs one package, `--focus TEXT` only tests with
 * that in their names, `--at-once 2` says how many run side by side, `--build` builds the programs and runs none, `--real` replaces
 * nothing: then they run on Kubernetes' own server, and on the etcd that `deno task control-plane` builds. Red if one fails that
 * integration_known.txt does not name, or passes although it does, if a line there has no reason in integration_list.ts, and if fewer run than that says;
 * `--write` writes what has failed there.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readOptions } from "../../tools/options.ts";
import { findControlPlane } from "../control_plane/binaries.ts";
import { builtClient, sourcesOf } from "./binaries.ts";
import { readGoTest } from "./go_output.ts";
import { FEWEST, LEFT_OUT, PACKAGES, REASONS } from "./integration_list.ts";
import { spawnGroup } from "./process_group.ts";
import { Tally } from "./report.ts";

/** Seconds for a test, and for all of a package. */
const PATIENCE = 240;
const PACKAGE_PATIENCE = 1800;
const SERVER = fileURLToPath(new URL("kube_apiserver.ts", import.meta.url));
/** The words of tests that look past the server. */
const STORAGE =
  /there is no etcd|no available endpoints|could not find etcd|server is not in this process|from REST storage/;
/** The tests that are known to fail. */
const KNOWN = fileURLToPath(new URL("integration_known.txt", import.meta.url));
/** The modules that are copied, as what is in the module cache cannot be replaced. */
const MODULES = ["k8s.io/kubernetes", "k8s.io/apiextensions-apiserver"] as const;
/** What is replaced, by what. */
const REPLACED: Readonly<Record<string, string>> = {
  "kubernetes/cmd/kube-apiserver/app/testing/testserver.go": "testing/testserver.go",
  "kubernetes/test/integration/framework/test_server.go": "framework/test_server.go",
  "apiextensions-apiserver/test/integration/fixtures/server.go": "fixtures/server.go",
};

const { values: flags } = readOptions(import.meta.url, {
  options: {
    "runtime": { type: "string", default: "deno" },
    "package": { type: "string", default: "" },
    "focus": { type: "string", default: "" },
    "at-once": { type: "string", default: "2" },
    "build": { type: "boolean", default: false },
    "real": { type: "boolean", default: false },
    "write": { type: "boolean", default: false },
  },
});

const workspace = join(dirname(builtClient("integration")), basename(dirname(builtClient("kubernetes"))));
/** Tests of the packages that were not run, although they are not left out. */
const notRun = new Set<string>();
/** Whether tests and their parts passed. */
const outcomes = new Map<string, boolean>();
const packages = PACKAGES.filter((name) => flags.package === "" || name === flags.package);
if (!existsSync(join(workspace, "go.mod"))) makeWorkspace();
for (const name of packages) build(name);
if (!flags.build) process.exitCode = await run();

function go(args: readonly string[]): string {
  const { stdout, status, error } = spawnSync("go", [...args], {
    cwd: sourcesOf("kubernetes"),
    env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", 2],
  });
  if (status === 0) return stdout;
  throw new Error(`go ${args[0]} failed: ${error?.message ?? `it exited with ${status}`}`);
}

/** Copies the modules, as links where that is possible, and writes down what is replaced. */
function makeWorkspace(): void {
  mkdirSync(workspace, { recursive: true });
  let module = readFileSync(join(sourcesOf("kubernetes"), "go.mod"), "utf8");
  go(["mod", "download", ...MODULES]);
  for (const name of MODULES) {
    const source = go(["list", "-m", "-f", "{{.Dir}}", name]).trim();
    const copy = copyOf(name);
    rmSync(copy, { recursive: true, force: true });
    const linked = spawnSync("cp", ["-rl", "--no-preserve=mode", source, copy], { stdio: "ignore" });
    if (linked.status !== 0) cpSync(source, copy, { recursive: true });
    module = module.replace(new RegExp(`^\\t${name} => .*\n`, "m"), "") + `\nreplace ${name} => ${copy}\n`;
  }
  cpSync(join(sourcesOf("kubernetes"), "go.sum"), join(workspace, "go.sum"));
  writeFileSync(join(workspace, "go.mod"), module);
}

function copyOf(module: string): string {
  return join(workspace, module.replace("k8s.io/", ""));
}

/** The program that the tests of a package are built into. */
function programOf(name: string): string {
  return join(workspace, `${name.replaceAll("/", "_")}${flags.real ? ".real" : ""}.test`);
}

/** NB: the flags of the other programs' builds, so that most of it is compiled already. */
function build(name: string): void {
  const output = programOf(name);
  if (existsSync(output)) return;
  const overlay = flags.real ? [] : ["-overlay", writeOverlay()];
  const shared = ["-vet=off", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w"];
  const modules = ["-mod=mod", "-modfile", join(workspace, "go.mod")];
  go(["test", "-c", ...shared, ...modules, ...overlay, "-o", output, `k8s.io/${name}`]);
}

/** NB: in a file of this checkout, since it names its files, and other checkouts share the workspace. */
function writeOverlay(): string {
  const mine = sourcesOf("integration");
  const replace: Record<string, string> = {
    [join(sourcesOf("kubernetes"), "start/start.go")]: join(mine, "start/start.go"),
  };
  for (const [path, by] of Object.entries(REPLACED)) replace[join(workspace, path)] = join(mine, by);
  const checkout = createHash("sha256").update(mine).digest("hex").slice(0, 8);
  const overlay = join(workspace, `overlay-${checkout}.json`);
  writeFileSync(overlay, JSON.stringify({ Replace: replace }));
  return overlay;
}

async function run(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "lotse-integration-"));
  const etcd = createServer().listen(0, "127.0.0.1");
  await once(etcd, "listening");
  const isWhole = flags.package === "" && flags.focus === "";
  const tally = new Tally({ known: flags.real ? {} : knownReasons(), fewest: isWhole ? FEWEST : 1 });
  try {
    const env = environmentOf(folder, etcd.address());
    for (const name of packages) await runPackage(name, { env, tally });
  } finally {
    etcd.close();
    rmSync(folder, { recursive: true, force: true });
  }
  if (flags.write) writeKnown();
  const isRed = tellOfReasons();
  return tally.end() || Number(isRed);
}

async function runPackage(name: string, { env, tally }: Pick<RunOptions, "env" | "tally">): Promise<void> {
  const end = performance.now() + PACKAGE_PATIENCE * 1000;
  const all = testsOf(name, env);
  const waiting = all.filter((test) => new RegExp(flags.focus).test(`${name} ${test}`));
  for (const test of all) if (!waiting.includes(test)) notRun.add(`${name} ${test}`);
  await Promise.all(Array.from({ length: Number(flags["at-once"]) }, async () => {
    while (waiting.length > 0 && performance.now() < end) {
      const test = waiting.shift() ?? "";
      const seconds = Math.min(PATIENCE, Math.max(1, (end - performance.now()) / 1000));
      await runTest(name, { test, seconds, env, tally });
    }
  }));
  for (const test of waiting) notRun.add(`${name} ${test}`);
  if (waiting.length === 0) return;
  const why = `${waiting.length} tests were not run, since the others took ${PACKAGE_PATIENCE} s: ${waiting}`;
  tally.tell({ name, passed: false, seconds: PACKAGE_PATIENCE, why });
}

function readKnown(): string[] {
  return readFileSync(KNOWN, "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

/** Returns the list of what is known to fail, as patterns with their reasons. */
function knownReasons(): Record<string, string> {
  return Object.fromEntries(
    readKnown().map((line) => [`^${RegExp.escape(line)}$`, reasonOf(line, REASONS) ?? "nobody knows why"]),
  );
}

/** Returns the reason of the first pattern that fits a test. */
function reasonOf(test: string, reasons: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(reasons).find(([part]) => new RegExp(part).test(test))?.[1];
}

/** Tells of lines that have no reason, and of reasons that no line has. Returns whether there are any. */
function tellOfReasons(): boolean {
  const lines = readKnown();
  const without = lines.filter((line) => reasonOf(line, REASONS) === undefined);
  const idle = Object.keys(REASONS).filter((part) => !lines.some((line) => new RegExp(part).test(line)));
  for (const line of without) console.log(`no reason is given why this does not pass: ${line}`);
  for (const part of idle) console.log(`nothing fails for this reason: ${part}`);
  return without.length > 0 || idle.length > 0;
}

/** Puts what was run in place of all that the list said of its packages: tests that went, or got other parts, go as well. */
function writeKnown(): void {
  const others = readKnown().filter((line) => {
    const [name = "", test = ""] = line.split(" ");
    return !packages.some((each) => each === name) || notRun.has(`${name} ${test.split("/")[0]}`);
  });
  const failed = [...outcomes].filter(([, passed]) => !passed).map(([name]) => name);
  const head = readFileSync(KNOWN, "utf8").split("\n").filter((line) => line.startsWith("#"));
  writeFileSync(KNOWN, [...head, ...[...others, ...failed].sort(), ""].join("\n"));
}

/** NB: with an address of an etcd they start none. */
function environmentOf(
  folder: string,
  address: ReturnType<ReturnType<typeof createServer>["address"]>,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: folder };
  if (!flags.real) {
    env.SERVER = flags.runtime === "bun" ? `bun ${SERVER}` : `deno run -A ${SERVER}`;
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return { ...env, KUBE_INTEGRATION_ETCD_URL: `http://127.0.0.1:${port}` };
  }
  const { binaries, reason } = findControlPlane();
  if (binaries === undefined) throw new Error(reason);
  writeFileSync(join(folder, "etcd"), `#!/bin/sh\nexec ${binaries.etcd.join(" ")} "$@"\n`, { mode: 0o755 });
  // What they want of a program whose paths were trimmed.
  return { ...env, PATH: `${folder}:${process.env.PATH}`, TEST_SRCDIR: folder, TEST_WORKSPACE: "none" };
}

/** NB: clients are called by the name of their program, which tests expect to be the one that Go gives it. */
function namedProgram(name: string, { TMPDIR = "" }: NodeJS.ProcessEnv): string {
  const link = join(TMPDIR, name.replaceAll("/", "_"), `${basename(name)}.test`);
  mkdirSync(dirname(link), { recursive: true });
  if (!existsSync(link)) symlinkSync(programOf(name), link);
  return link;
}

function testsOf(name: string, env: NodeJS.ProcessEnv): string[] {
  const options = { encoding: "utf8", env, cwd: folderOf(name) } as const;
  const { stdout, stderr, status } = spawnSync(programOf(name), ["-test.list", "."], options);
  if (status !== 0) throw new Error(`${name} does not list its tests: ${stderr}`);
  return stdout.split("\n").filter((test) =>
    /^Test\w/.test(test) && reasonOf(`${name} ${test}`, LEFT_OUT) === undefined
  );
}

/** The tests read files beside them. */
function folderOf(name: string): string {
  return join(workspace, name);
}

interface RunOptions {
  readonly test: string;
  /** How long it may take. */
  readonly seconds: number;
  readonly env: NodeJS.ProcessEnv;
  readonly tally: Tally;
}

async function runTest(name: string, { test, seconds, env, tally }: RunOptions): Promise<void> {
  const output = await new Promise<string>((resolve, reject) => {
    const args = ["-test.run", `^${test}$`, "-test.v", "-test.timeout", `${Math.ceil(seconds)}s`];
    const options = { cwd: folderOf(name), env, stdio: ["ignore", "pipe", "pipe"] } as const;
    const child = spawnGroup(namedProgram(name, env), args, { ...options, stdio: [...options.stdio] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (more: string) => text += more);
    }
    child.once("error", reject);
    child.once("close", () => resolve(text));
  });
  for (const finding of readGoTest(output, test)) {
    const isPast = !finding.passed && STORAGE.test(finding.why ?? "");
    const full = `${name} ${finding.name}`;
    const skipped = isPast
      ? "it looks into etcd, or has code of its own in the server"
      : finding.skipped ?? reasonOf(full, LEFT_OUT);
    if (skipped === undefined) outcomes.set(full, finding.passed);
    tally.tell({ ...finding, name: full, skipped });
  }
}
