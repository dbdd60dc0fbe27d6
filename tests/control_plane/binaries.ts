/**
 * Where the control plane's executables are: in the folder that KUBEBUILDER_ASSETS names, as for controller-runtime's
 * envtest, or else in the cache that build.ts fills.
 *
 * The cache is outside the tree, in one folder per state of the Go module, so that branches share what they can share
 * and a changed module is never served by an old executable.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** A program with the arguments that always come first. */
export type Command = readonly [program: string, ...args: string[]];

/** How to run each component. The last two may be missing. */
export interface ControlPlaneBinaries {
  readonly "etcd": Command;
  readonly "kube-apiserver": Command;
  readonly "kube-controller-manager"?: Command;
  readonly "kubectl"?: Command;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the Go module. */
export const GO_MODULE = fileURLToPath(new URL(".", import.meta.url));

/** The executables, or why there are none: exactly one of the two is set. */
export type ControlPlaneSearch =
  | { readonly binaries: ControlPlaneBinaries; readonly reason?: undefined }
  | { readonly binaries?: undefined; readonly reason: string };

/**
 * Finds the control plane's executables. The reason fits `node:test`:
 * `test("…", { skip: findControlPlane().reason ?? false }, …)`.
 */
export function findControlPlane(env: Environment = process.env): ControlPlaneSearch {
  const assets = env.KUBEBUILDER_ASSETS;
  if (assets) return findInFolder(assets, env);
  const built = builtControlPlane(env);
  if (!existsSync(built)) {
    return {
      reason:
        "No control plane: run `deno run -A tests/control_plane/build.ts` (needs Go), or set KUBEBUILDER_ASSETS",
    };
  }
  const binaries = {
    "etcd": [built, "etcd"],
    "kube-apiserver": [built, "kube-apiserver"],
    "kube-controller-manager": [built, "kube-controller-manager"],
    "kubectl": [built, "kubectl"],
  } as const;
  return { binaries };
}

/** The path at which build.ts leaves the executable, whether or not it is there. */
export function builtControlPlane(env: Environment = process.env): string {
  const hash = createHash("sha256");
  for (const name of ["go.sum", "go.mod", "main.go"]) {
    hash.update(readFileSync(join(GO_MODULE, name)));
  }
  const cache = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "lotse", "control-plane", hash.digest("hex").slice(0, 16), "control-plane");
}

function findInFolder(folder: string, env: Environment): ControlPlaneSearch {
  const command = (name: string): Command | undefined => commandIn([folder], name);
  const etcd = command("etcd");
  const apiServer = command("kube-apiserver");
  if (!etcd || !apiServer) {
    return {
      reason: `No control plane: KUBEBUILDER_ASSETS is "${folder}", which lacks etcd or kube-apiserver`,
    };
  }
  const binaries = {
    "etcd": etcd,
    "kube-apiserver": apiServer,
    "kube-controller-manager": command("kube-controller-manager"),
    "kubectl": command("kubectl") ?? commandIn((env.PATH ?? "").split(delimiter), "kubectl"),
  };
  return { binaries };
}

function commandIn(folders: readonly string[], name: string): Command | undefined {
  const path = folders.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate));
  return path === undefined ? undefined : [path];
}
