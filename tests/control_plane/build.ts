/**
 * Builds the control plane's executable (see main.go) from the Go module proxy, unless it is in the cache already:
 * `deno run -A tests/control_plane/build.ts`.
 *
 * The path goes to standard output, everything else to standard error. A build takes some minutes the first time, and
 * seconds while Go's own build cache is warm.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { readOptions } from "../../tools/options.ts";
import { builtControlPlane, GO_MODULE } from "./binaries.ts";

readOptions(import.meta.url, {});
const path = builtControlPlane();
if (existsSync(path)) console.error("The control plane is in the cache; nothing to do");
else build(path);
console.log(path);

function build(path: string): void {
  const go = findGo();
  const version = kubernetesVersion();
  console.error(`Building etcd, Kubernetes ${version} and kubectl with ${go}: about 6 minutes on 2 cores`);
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const started = performance.now();
  const { status } = spawnSync(
    go,
    ["build", "-buildvcs=false", "-trimpath", "-ldflags", linkerFlags(version), "-o", unfinished, "."],
    { cwd: GO_MODULE, env: { ...process.env, CGO_ENABLED: "0" }, stdio: ["ignore", 2, 2] },
  );
  if (status !== 0) {
    rmSync(unfinished, { force: true });
    fail(`Cannot build the control plane: go exited with ${status}`);
  }
  renameSync(unfinished, path);
  console.error(`Built in ${Math.round((performance.now() - started) / 1000)} s`);
}

/** Go is often installed without being in PATH. */
function findGo(): string {
  const candidates = ["go", "/usr/local/go/bin/go"];
  const found = candidates.find((go) => spawnSync(go, ["version"], { stdio: "ignore" }).status === 0);
  return found ?? fail(
    `Cannot build the control plane: there is no Go here (tried ${candidates.join(", ")}). ` +
      "Install Go 1.26 (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver",
  );
}

/** Without a version, kube-apiserver calls itself v0.0.0-master, which clients cannot compare with theirs. */
function linkerFlags(version: string): string {
  const [major, minor] = version.slice(1).split(".");
  const set = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  const assignments = Object.entries(set).map(([name, value]) =>
    `-X k8s.io/component-base/version.${name}=${value}`
  );
  return ["-s", "-w", ...assignments].join(" ");
}

function kubernetesVersion(): string {
  const file = readFileSync(join(GO_MODULE, "go.mod"), "utf8");
  return /k8s\.io\/kubernetes (v[\d.]+)/.exec(file)?.[1] ?? fail("Cannot find k8s.io/kubernetes in go.mod");
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
