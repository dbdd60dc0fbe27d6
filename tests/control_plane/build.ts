/**
 * Builds the control plane's executable (see main.go) from the Go module proxy, unless it is in the cache already:
 * `deno run -A tests/control_plane/build.ts [--kubernetes 1.35.4]`.
 *
 * The path goes to standard output, everything else to standard error. A build takes some minutes the first time, and
 * seconds while Go's own build cache is warm. With `--kubernetes`, another version than go.mod's is built; what is printed then
 * is the folder, for KUBEBUILDER_ASSETS.
 */

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { readOptions } from "../../tools/options.ts";
import { builtControlPlane, GO_MODULE } from "./binaries.ts";

const { values: { kubernetes: other } } = readOptions(import.meta.url, {
  options: { kubernetes: { type: "string" } },
});
if (other !== undefined && !/^1\.\d+\.\d+$/.test(other)) {
  fail(`--kubernetes is "${other}": write it as 1.35.4`);
}

const path = other === undefined
  ? builtControlPlane()
  : join(dirname(dirname(builtControlPlane())), other, "control-plane");
if (existsSync(path)) console.error("The control plane is in the cache; nothing to do");
else if (other === undefined) build(path, { module: GO_MODULE, version: kubernetesVersion() });
else buildOther(path, other);
console.log(other === undefined ? path : dirname(path));

interface Source {
  /** The folder of the Go module. */
  readonly module: string;
  /** Of Kubernetes: `v1.36.3`. */
  readonly version: string;
  /** Flags of `go build`. Default: none. */
  readonly flags?: readonly string[];
}

function build(path: string, { module, version, flags = [] }: Source): void {
  const go = findGo();
  console.error(`Building etcd, Kubernetes ${version} and kubectl with ${go}: about 6 minutes on 2 cores`);
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const started = performance.now();
  const { status } = spawnSync(
    go,
    [
      "build",
      ...flags,
      "-buildvcs=false",
      "-trimpath",
      "-ldflags",
      linkerFlags(version),
      "-o",
      unfinished,
      ".",
    ],
    { cwd: module, env: { ...process.env, CGO_ENABLED: "0" }, stdio: ["ignore", 2, 2] },
  );
  if (status !== 0) {
    rmSync(unfinished, { force: true });
    fail(`Cannot build the control plane: go exited with ${status}`);
  }
  renameSync(unfinished, path);
  console.error(`Built in ${Math.round((performance.now() - started) / 1000)} s`);
}

/** Builds another version of Kubernetes, in a module that is made for it, and gives the components their names. */
function buildOther(path: string, number: string): void {
  const module = join(dirname(path), "module");
  mkdirSync(module, { recursive: true });
  cpSync(join(GO_MODULE, "main.go"), join(module, "main.go"));
  writeFileSync(join(module, "go.mod"), moduleFile(number));
  build(path, { module, version: `v${number}`, flags: ["-mod=mod"] });
  for (const component of ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"]) {
    const link = join(dirname(path), component);
    rmSync(link, { force: true });
    symlinkSync(basename(path), link);
  }
}

/** Returns a go.mod for that version: as ours, with the Go, the etcd and the k8s.io modules of Kubernetes' own go.mod. */
function moduleFile(number: string): string {
  const module = `k8s.io/kubernetes@v${number}`;
  const { stdout } = spawnSync(findGo(), ["mod", "download", "-json", module], { encoding: "utf8" });
  const { GoMod, Error: error } = JSON.parse(stdout || "{}") as { GoMod?: string; Error?: string };
  if (GoMod === undefined || error !== undefined) {
    fail(`Cannot fetch ${module}: ${error ?? "go said nothing"}`);
  }
  const theirs = readFileSync(GoMod, "utf8");
  const line = (pattern: RegExp): string =>
    pattern.exec(theirs)?.[0] ?? fail(`Cannot find ${pattern} in ${GoMod}`);
  const sibling = `v0.${number.slice(2)}`; // v1.35.4 is v0.35.4 there
  const replaced = [...theirs.matchAll(/^\s*(k8s\.io\/[\w-]+) => \.\/staging/gm)].map(([, name]) => name);
  return [
    "module lotse.dev/tests/control-plane",
    line(/^go .+$/m),
    /^godebug .+$/m.exec(theirs)?.[0] ?? "", // from 1.33 on
    "require (",
    line(/github\.com\/spf13\/cobra v\S+/),
    line(/go\.etcd\.io\/etcd\/server\/v3 v\S+/),
    `k8s.io/component-base ${sibling}`,
    `k8s.io/kubectl ${sibling}`,
    `k8s.io/kubernetes v${number}`,
    ")",
    "replace (",
    ...replaced.map((name) => `${name} => ${name} ${sibling}`),
    ")",
    "",
  ].join("\n");
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
