/**
 * A stranger's path on each runtime, with nothing but the package: install it, make a project, check its types, test it,
 * run it on the API server in the process, build it, and take it to a cluster.
 *
 * What is installed comes from the registry of npm.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { Program, project, ROOT } from "../cli/processes.ts";
import { findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { findRuntime, type RuntimeName } from "../runner/tools.ts";
import { deployedArguments } from "./deployed.ts";
import { packedPackage } from "./packed.ts";
import { RUNNERS } from "./runners.ts";

/** Registries and compilers take their time on a busy machine. In milliseconds. */
const TIMEOUT = { timeout: 300_000 };

/** What an author may have to install. */
const MOST_PACKAGES = 40;
const MOST_BYTES = 40e6;

const APPLIED = ["--apply", "deploy/crd.yaml", "deploy/example.yaml"];

const deno = findRuntime("deno").path;
const node = findRuntime("node").path;
const bun = findRuntime("bun").path;
/** The programs of Node 24 and Bun come first, whatever the system has. */
const PATH = [...[node, bun].filter(isAbsolute).map(dirname), process.env["PATH"]].join(":");

/** Runs a program to its end, and returns its output. @throws {AssertionError} If it fails. */
function run(command: string, args: readonly string[], cwd: string): string {
  const env = { ...process.env, PATH, NO_COLOR: "1", CI: "true" };
  const options = { cwd, env, encoding: "utf8", timeout: TIMEOUT.timeout } as const;
  const { status, stdout, stderr, error } = spawnSync(command, [...args], options);
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${error ?? stdout + stderr}`);
  return stdout + stderr;
}

/** Types that only the doors besides the main one have, and that nothing has become `any`. */
const DOORS = `
import { kinds, operator } from "@lotse/lotse";
import { main } from "@lotse/lotse/cli";
import { startExecutable } from "@lotse/lotse/executable";
import type { PodSpec } from "@lotse/lotse/kubernetes";
import { apiServer } from "@lotse/lotse/apiserver";
import { start } from "@lotse/lotse/testing";
const op = operator();
// @ts-expect-error: a phase is a string
op.on.event(kinds.Pod, ({ status }) => void (status.phase satisfies number | undefined));
// @ts-expect-error: containers are a list
const spec: PodSpec = { containers: 3 };
export { apiServer, main, spec, start, startExecutable };
`;

function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const status = lstatSync(join(folder, name));
    if (status.isFile()) bytes += status.size;
  }
  return bytes;
}

/** Starts `dev` in a project, and waits until it has handled the example. */
async function tryDev(command: string, args: readonly string[], cwd: string): Promise<void> {
  await using dev = new Program(command, args, { cwd, env: { PATH } });
  await dev.wrote(/\[default\/hello\] Handler succeeded handler=(create|keep)\n/);
  assert.equal(await dev.stop(), 0);
}

/** What an operator says of rights that are missing. */
const COMPLAINT = /A right is missing|forbidden/;

const { reason } = findControlPlane();

describe("A stranger", () => {
  let packed = "";
  /** Folders of the projects, each with its operator, by what has made it. */
  const projects = new Map<RuntimeName, string>();
  const home = project({});

  before(async () => {
    packed = await packedPackage();
  }, TIMEOUT);

  it("makes, checks, tests, runs and builds a project with Node and npm alone", TIMEOUT, async () => {
    // The command line is what `npx @lotse/lotse` installs; it makes the project.
    const cli = project({ "package.json": "{}" });
    run("npm", ["install", "--no-audit", "--no-fund", packed], cli);
    const lock = JSON.parse(readFileSync(join(cli, "package-lock.json"), "utf8"));
    assert.ok(Object.keys(lock.packages).length - 1 <= MOST_PACKAGES, "packages");
    assert.ok(bytesBelow(join(cli, "node_modules")) <= MOST_BYTES, "bytes");
    assert.match(run("npx", ["lotse", "new", "tea"], cli), /^Made tea\. Next:\n/);

    const folder = join(cli, "tea");
    run("npm", ["install", "--no-audit", "--no-fund"], folder);
    run("npm", ["run", "manifests"], folder);
    writeFileSync(join(folder, "doors.ts"), DOORS);
    run("npm", ["run", "check", "--", "--skipLibCheck", "false"], folder);
    assert.match(run("npm", ["test"], folder), /pass 1\n/);
    // NB: not `npm run dev`: told to stop, npm ends its shell, and the shell leaves `lotse` behind.
    await tryDev(node, ["node_modules/.bin/lotse", "dev", "handlers.ts", ...APPLIED], folder);
    run("npm", ["run", "build"], folder);
    assert.match(run("./operator", ["--version"], folder), /^operator 0\.1\.0 \(/);
    projects.set("node", folder);
    assert.match(run("npx", ["lotse", "generate", "rbac", "handlers.ts"], folder), /- teas\n/);
    // Deno's compiler gets as far as its runtime, which not every network lets it fetch.
    const compiled = spawnSync(node, [
      "node_modules/.bin/lotse",
      "build",
      "handlers.ts",
      "-o",
      "b",
      "--backend",
      "deno",
    ], {
      cwd: folder,
      env: { ...process.env, PATH: `${dirname(deno)}:${PATH}` },
      encoding: "utf8",
    });
    assert.match(compiled.stderr, /^(Built |error: Cannot build: Deno could not fetch the runtime)/);

    // Deno takes the same folder, with its package.json.
    const manual = "--node-modules-dir=manual";
    run(deno, ["check", manual, "handlers.ts", "doors.ts"], folder);
    await tryDev(deno, ["run", "-A", manual, "npm:@lotse/lotse", "dev", "handlers.ts", ...APPLIED], folder);
  });

  it("makes, tests, runs and builds a project with Bun alone", TIMEOUT, async () => {
    const cli = project({ "package.json": "{}" });
    run(bun, ["add", packed], cli);
    // The other manner; whatever follows is the same.
    run(bun, ["--bun", "lotse", "new", "tea", "--manner", "reconcile", "--lotse", packed], cli);
    const folder = join(cli, "tea");
    run(bun, ["install"], folder);
    run(bun, ["run", "manifests"], folder);
    run(bun, ["run", "check"], folder);
    assert.match(run(bun, ["test"], folder), /1 pass\n/);
    await tryDev(bun, ["run", "dev"], folder);
    run(bun, ["run", "build"], folder);
    assert.match(run("./operator", ["--version"], folder), /^operator 0\.1\.0 \(/);
    projects.set("bun", folder);
  });

  it("tests an operator under each of four test runners", TIMEOUT, () => {
    const folder = project({});
    // NB: as they are: they find the package where it was installed.
    for (const [name, text] of Object.entries(RUNNERS)) writeFileSync(join(folder, name), text);
    run("npm", ["install", "--no-audit", "--no-fund", packed, "vitest@^5.1.1"], folder);
    assert.match(run(node, ["--test", "node.test.ts"], folder), /pass 1\n/);
    assert.match(run(bun, ["test", "bun.test.ts"], folder), /1 pass\n/);
    assert.match(run("npx", ["vitest", "run", "vitest.spec.ts"], folder), /Tests +1 passed/);
    const flags = ["test", "-A", "--no-check", "--node-modules-dir=manual"];
    assert.match(run(deno, [...flags, "deno_test.ts"], folder), /1 passed/);
  });

  it("makes, tests, runs and builds a project with Deno, from a checkout", TIMEOUT, async () => {
    const folder = join(project({}), "tea");
    run(deno, ["run", "-A", join(ROOT, "cli.ts"), "new", folder, "--lotse", ROOT], home);
    run(deno, ["task", "manifests"], folder);
    assert.match(run(deno, ["test", "-A"], folder), /1 passed/);
    await tryDev(deno, ["task", "dev"], folder);
    // By Bun's compiler, since not every network has the runtime that Deno's wants. It reads packages from node_modules alone.
    run(deno, ["install"], folder);
    run(deno, ["run", "-A", join(ROOT, "cli.ts"), "build", "handlers.ts", "-o", "operator"], folder);
    projects.set("deno", folder);
  });

  it("takes each of them to a cluster, with the rights of its manifests and no others", {
    ...TIMEOUT,
    skip: reason ?? false,
  }, async () => {
    assert.deepEqual([...projects.keys()], ["node", "bun", "deno"], "a project is missing");
    await using plane = await startControlPlane();
    const start = async (folder: string) => {
      const args = await deployedArguments(plane, { name: "tea", folder });
      // Outside of a Pod the namespace of the Leases must be named.
      const env = { LOTSE_REPLICAS_NAME: "tea", LOTSE_REPLICAS_NAMESPACE: "tea" };
      return new Program(join(folder, "operator"), args, { cwd: folder, env });
    };
    for (const folder of projects.values()) {
      const deploy = (name: string) => join(folder, "deploy", name);
      await plane.kubectl(["apply", "-f", deploy("crd.yaml"), "-f", deploy("operator.yaml")]);
      await plane.kubectl(["wait", "--for", "condition=Established", "crd/teas.example.com"]);
      await plane.kubectl(["apply", "-f", deploy("example.yaml")]);
      await using operator = await start(folder);
      await operator.wrote(/"message":"Handler succeeded"/);
      const text = await plane.kubectl(["get", "configmap", "hello", "-o", "jsonpath={.data.text}"]);
      assert.equal(text, "Hello");
      assert.equal(await operator.stop(), 0);
      assert.doesNotMatch(operator.stderr, COMPLAINT);
      // Nobody collects garbage here.
      await plane.kubectl(["delete", "tea/hello", "configmap/hello"]);
    }
    const role = JSON.parse(await plane.kubectl(["get", "clusterrole", "tea", "-o", "json"]));
    for (const rule of role.rules) {
      if (rule.resources[0] === "teas") rule.verbs = rule.verbs.filter((verb: string) => verb !== "patch");
    }
    await plane.kubectl(["replace", "-f", "-"], { input: JSON.stringify(role) });
    await using lessened = await start(projects.get("node") ?? "");
    await lessened.wrote(
      /A right is missing: handler \\"create\\", handler \\"update\\" cannot patch teas\.example\.com/,
    );
  });
});
