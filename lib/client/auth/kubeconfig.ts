/**
 * Reads kubeconfigs: files, merging, the choice of a context, and the cluster's half of a connection info.
 *
 * Several files are merged as kubectl does: the first definition of a name wins, and so does the first current context; files that
 * are not there are passed over, unless all are. Relative paths start at the folder of the file that holds them. Source: Kubernetes, "Organizing Cluster Access Using
 * kubeconfig Files"; scenarios B260–B278.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { ConnectionInfo } from "./connection_info.ts";
import { LoginError, messageOf } from "../errors.ts";
import { checkFields, CONTEXT_FIELDS } from "./field_types.ts";
import { readCluster, type Source, textField } from "./kubeconfig_fields.ts";
import { readUser } from "./kubeconfig_user.ts";

/** How often credentials that live in files are read again. Source: client-go. */
const REREAD: Seconds = 60;

export interface KubeconfigOptions {
  readonly host: Host;
  /** Native paths; a leading `~` is the home folder. Default: `kubeconfigPaths(host)`. */
  readonly paths?: readonly string[];
  /** Default: the current context. */
  readonly context?: string;
}

/** One named entry, and the file that it came from. */
interface Entry {
  readonly name: string;
  readonly content: JsonObject;
  readonly path: string;
}

/** The contents of several files together. */
interface Merged {
  readonly paths: readonly string[];
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

/** Returns the paths that the environment names: the ones in KUBECONFIG, or else `~/.kube/config`. */
export function kubeconfigPaths(host: Host): string[] {
  const named = splitPaths(host.process.env("KUBECONFIG") ?? "");
  if (named.length > 0) return named.map((path) => expandHome(host, path));
  const home = host.process.home();
  return home === undefined ? [] : [host.files.resolve(home, ".kube", "config")];
}

/**
 * Returns the connection info of a context. Its `refresh()` reads the files (and asks the programs) again.
 *
 * @throws {LoginError} If a file, a name or a certificate is missing or makes no sense; the message says which, and where.
 */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ConnectionInfo> {
  const { host, context } = options;
  const paths = (options.paths ?? kubeconfigPaths(host)).map((path) => expandHome(host, path));
  const merged = mergeFiles(await readKubeconfigs(host, paths), paths);
  const chosen = chooseContext(merged, context);
  checkFields(`context "${chosen.name}" in kubeconfig "${chosen.path}"`, chosen.content, CONTEXT_FIELDS);
  const cluster = entryOf(merged, {
    kind: "cluster",
    name: textField(chosen.content, "cluster"),
    context: chosen,
  });
  const userName = textField(chosen.content, "user");
  const user = userName === undefined
    ? undefined
    : entryOf(merged, { kind: "user", name: userName, context: chosen });
  const clusterInfo = await readCluster(sourceOf(host, "cluster", cluster), cluster.content);
  const userInfo = user && await readUser(sourceOf(host, "user", user), user.content, {
    cluster: { ...clusterInfo, config: cluster.content },
  });
  const { files, ...identity } = userInfo ?? { files: false };
  return {
    ...clusterInfo,
    ...identity,
    defaultNamespace: textField(chosen.content, "namespace"),
    refreshAfter: identity.refreshAfter,
    refreshEvery: files && identity.refreshAfter === undefined ? REREAD : undefined,
    refresh: () => loadKubeconfig(options),
  };
}

/** The contents of files, in their order; missing files are empty. */
async function readKubeconfigs(host: Host, paths: readonly string[]): Promise<readonly JsonObject[]> {
  const found = await Promise.all(paths.map(async (path) => {
    if (paths.length > 1 && !await host.files.exists(path)) return undefined;
    return await readKubeconfig(host, path);
  }));
  if (paths.length === 0 || found.some((content) => content !== undefined)) {
    return found.map((content) => content ?? {});
  }
  throw new LoginError(`Cannot read kubeconfig ${quoteAll(paths)}: none of these files is there`);
}

async function readKubeconfig(host: Host, path: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await host.files.readText(path);
  } catch (error) {
    throw new LoginError(`Cannot read kubeconfig "${path}": ${messageOf(error)}`, { cause: error });
  }
  try {
    // In a cluster there is none to be read, and the parser takes its time to load.
    const { parseYaml, parseYamlTexts } = await import("../../runtime/yaml.ts");
    const [document = {}] = parseYamlTexts(text);
    if (isObject(document)) return withExtensions(document, parseYaml(text)[0]);
  } catch (error) {
    throw new LoginError(`Cannot read kubeconfig "${path}": ${messageOf(error)}`, { cause: error });
  }
  throw new LoginError(`Cannot read kubeconfig "${path}": it does not hold an object`);
}

/** Extensions are others' data, in which numbers are numbers: exec plugins get the extensions of their cluster. */
function withExtensions(texts: JsonObject, whole: unknown): JsonObject {
  const [inTexts, inWhole] = [texts, isObject(whole) ? whole : {}].map(({ clusters }) =>
    Array.isArray(clusters) ? clusters : []
  );
  inTexts?.forEach((entry: unknown, index) => {
    const cluster = isObject(entry) ? entry["cluster"] : undefined;
    const other: unknown = inWhole?.[index];
    const otherCluster = isObject(other) ? other["cluster"] : undefined;
    if (isObject(cluster) && isObject(otherCluster) && cluster["extensions"] !== undefined) {
      cluster["extensions"] = otherCluster["extensions"];
    }
  });
  return texts;
}

function mergeFiles(files: readonly JsonObject[], paths: readonly string[]): Merged {
  const merged = {
    paths,
    currentContext: files.map((file) => textField(file, "current-context")).find((name) =>
      name !== undefined
    ),
    contexts: new Map<string, Entry>(),
    clusters: new Map<string, Entry>(),
    users: new Map<string, Entry>(),
  };
  files.forEach((file, index) => {
    const path = paths[index] ?? "";
    for (const kind of ["context", "cluster", "user"] as const) {
      const entries = merged[`${kind}s`];
      const own = namedEntries(file, { kind, path });
      own.forEach((entry, place) => {
        if (own.findIndex(({ name }) => name === entry.name) !== place) {
          throw new LoginError(
            `Cannot read kubeconfig "${path}": ${kind} "${entry.name}" is in it twice, remove or rename one`,
          );
        }
        if (!entries.has(entry.name)) entries.set(entry.name, entry);
      });
    }
  });
  return merged;
}

function namedEntries(file: JsonObject, { kind, path }: { kind: string; path: string }): Entry[] {
  const list = file[`${kind}s`];
  return (Array.isArray(list) ? list : []).filter(isObject).map((item) => {
    const content = item[kind];
    return { name: textField(item, "name") ?? "", content: isObject(content) ? content : {}, path };
  });
}

function chooseContext(merged: Merged, wanted: string | undefined): Entry {
  const name = wanted ?? merged.currentContext;
  const places = quoteAll(merged.paths);
  const known = merged.contexts.size === 0
    ? "there are none"
    : `there are ${quoteAll([...merged.contexts.keys()])}`;
  if (name === undefined) {
    throw new LoginError(
      `Cannot choose a context of kubeconfig ${places}: it has no current-context, and none is named (--context NAME; ${known})`,
    );
  }
  const context = merged.contexts.get(name);
  if (context !== undefined) return context;
  throw new LoginError(`Cannot find context "${name}" in kubeconfig ${places}: ${known}`);
}

function entryOf(
  merged: Merged,
  options: { kind: "cluster" | "user"; name: string | undefined; context: Entry },
): Entry {
  const { kind, name, context } = options;
  const entry = name === undefined ? undefined : merged[`${kind}s`].get(name);
  if (entry !== undefined) return entry;
  const problem = name === undefined ? `it names no ${kind}` : `there is no ${kind} "${name}"`;
  throw new LoginError(`Cannot use context "${context.name}" of kubeconfig "${context.path}": ${problem}`);
}

function sourceOf(host: Host, kind: Source["kind"], { name, path }: Entry): Source {
  return { host, kind, name, path };
}

/** NB: colons separate paths, but on Windows they follow drive letters, and semicolons separate. */
function splitPaths(text: string): string[] {
  const separator = text.includes("\\") || text.includes(";") ? ";" : ":";
  return text.split(separator).map((path) => path.trim()).filter((path) => path !== "");
}

function expandHome(host: Host, path: string): string {
  const home = host.process.home();
  if (home === undefined || !/^~([/\\]|$)/.test(path)) return host.files.resolve(path);
  return host.files.resolve(home, path.slice(2));
}

function quoteAll(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
