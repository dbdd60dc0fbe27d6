/** Finds the executables of a control plane, where authors have them. */

import type { Host } from "../../../runtime/host.ts";

/** A program with the arguments that always come first. */
export type Command = readonly [program: string, ...args: string[]];

/** How to run each component. */
export interface Binaries {
  readonly "etcd": Command;
  readonly "kube-apiserver": Command;
  readonly "kube-controller-manager"?: Command;
}

const USUAL = "/usr/local/kubebuilder/bin";

/** @throws {Error} If there are none. */
export async function findBinaries(
  { host, assets }: { readonly host: Host; readonly assets?: string },
): Promise<Binaries> {
  const named = assets ?? (host.process.env("KUBEBUILDER_ASSETS") || undefined);
  if (named !== undefined) {
    const found = await inFolder(host, named);
    if (found !== undefined) return found;
    throw new Error(`Cannot start a real cluster: "${named}" lacks etcd or kube-apiserver`);
  }
  const found = await ownBuild(host) ?? await inFolder(host, USUAL) ?? await ofEnvtest(host);
  if (found !== undefined) return found;
  throw new Error(
    "Cannot start a real cluster: there are no executables of etcd and kube-apiserver (set KUBEBUILDER_ASSETS to their " +
      "folder, such as $(setup-envtest use -p path), or run `deno task control-plane` in a checkout of Lotse)",
  );
}

async function inFolder({ files }: Host, folder: string): Promise<Binaries | undefined> {
  const command = async (name: string): Promise<Command | undefined> => {
    const path = files.resolve(folder, name);
    return await files.exists(path) ? [path] : undefined;
  };
  const etcd = await command("etcd");
  const apiServer = await command("kube-apiserver");
  if (etcd === undefined || apiServer === undefined) return undefined;
  const controllers = await command("kube-controller-manager");
  return { "etcd": etcd, "kube-apiserver": apiServer, "kube-controller-manager": controllers };
}

/** One executable that is all components; there is one for each state of its sources. */
async function ownBuild(host: Host): Promise<Binaries | undefined> {
  const { files, process } = host;
  const cache = process.env("XDG_CACHE_HOME") || files.resolve(process.home() ?? "/", ".cache");
  const built = await newestBelow(host, files.resolve(cache, "lotse", "control-plane"), "control-plane");
  if (built === undefined) return undefined;
  return {
    "etcd": [built, "etcd"],
    "kube-apiserver": [built, "kube-apiserver"],
    "kube-controller-manager": [built, "kube-controller-manager"],
  };
}

/** The store of setup-envtest: a folder for each version and platform. */
async function ofEnvtest(host: Host): Promise<Binaries | undefined> {
  const { files, process } = host;
  const data = process.env("XDG_DATA_HOME") || files.resolve(process.home() ?? "/", ".local/share");
  const newest = await newestBelow(host, files.resolve(data, "kubebuilder-envtest/k8s"), "kube-apiserver");
  return newest === undefined ? undefined : await inFolder(host, files.folderOf(newest));
}

/** The file of that name that is the newest of all in the folders of a folder. */
async function newestBelow({ files }: Host, folder: string, name: string): Promise<string | undefined> {
  const inside = await files.list(folder).catch(() => []);
  const dated = await Promise.all(inside.map(async (each) => {
    const path = files.resolve(folder, each, name);
    return { path, modified: await files.modified(path) ?? 0 };
  }));
  const [newest] = dated.filter(({ modified }) => modified > 0).sort((a, b) => b.modified - a.modified);
  return newest?.path;
}
