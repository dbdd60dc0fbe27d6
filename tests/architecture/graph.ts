/**
 * The module graph as `deno info --json` prints it, and what the table of layers says about it.
 *
 * Everything here is pure, so that small made-up graphs prove that each rule bites.
 */

import { type Import, isShipped, packageOf, whyForbidden } from "./layers.ts";

/** A module of ours, by its path from the root, with what it imports. */
export interface Module {
  readonly path: string;
  readonly imports: readonly Import[];
}

interface InfoDependency {
  readonly specifier: string;
  readonly code?: { readonly specifier?: string };
  readonly type?: { readonly specifier?: string };
}

/** What of `deno info --json` is read here. */
export interface Info {
  readonly modules: readonly {
    readonly specifier: string;
    readonly error?: string;
    readonly dependencies?: readonly InfoDependency[];
  }[];
}

/** Reads the graph; `root` is the repository's URL with a slash at the end. Modules outside it are left out. */
export function readGraph(info: Info, root: string): Module[] {
  return info.modules.filter((module) => module.specifier.startsWith(root)).map((module) => ({
    path: module.specifier.slice(root.length),
    imports: (module.dependencies ?? []).map((dependency) => toImport(dependency, root)),
  }));
}

/** All forbidden imports, one sentence each. */
export function findViolations(modules: readonly Module[]): string[] {
  return modules.flatMap(({ path, imports }) =>
    imports.flatMap((one) => {
      const reason = whyForbidden(path, one);
      return reason ? [`${path}: ${reason}`] : [];
    })
  );
}

/** The cycles, each once, as "a.ts > b.ts > a.ts". Types count too: who knows whom is the question. */
export function findCycles(modules: readonly Module[]): string[] {
  const targets = new Map(modules.map(({ path, imports }) => [path, fileTargets(imports)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    const seen = trail.indexOf(path);
    if (seen >= 0) cycles.push([...trail.slice(seen), path].join(" > "));
    if (seen >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  }
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

/**
 * The circles of folders: in each folder, of the folders and files that it holds, as "lib/a/b > lib/a/c > lib/a/b (by …)". Types do
 * not count here: a folder may speak of what another one gives it.
 */
export function findFolderCycles(modules: readonly Module[]): string[] {
  const parents = new Set(modules.flatMap(({ path }) => foldersOf(path)));
  return [...parents].sort().flatMap((parent) => {
    const contents = modules.map(({ path, imports }) => ({ path, part: partOf(parent, path), imports }));
    const parts = new Map<string, Module>();
    for (const { part, imports } of contents) {
      if (part === undefined) continue;
      const others = imports.flatMap((one): Import[] => {
        const target = one.kind === "file" && !one.typeOnly ? partOf(parent, one.target) : undefined;
        return target === undefined || target === part ? [] : [{ ...one, target }];
      });
      parts.set(part, { path: part, imports: [...parts.get(part)?.imports ?? [], ...others] });
    }
    return findCycles([...parts.values()]);
  });
}

/** All folders above a file. */
function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** The folder or file directly in a folder that a path is, or is below; undefined for what is elsewhere. */
function partOf(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  return `${folder}/${path.slice(folder.length + 1).split("/")[0]}`;
}

/** Packages that deno.json names and nothing that is shipped imports. */
export function findUnusedPackages(modules: readonly Module[], names: readonly string[]): string[] {
  const shipped = modules.filter(({ path }) => isShipped(path));
  const used = new Set(shipped.flatMap(({ imports }) => imports.map((one) => one.target)));
  return names.filter((name) => !used.has(name));
}

function toImport({ specifier, code, type }: InfoDependency, root: string): Import {
  const resolved = code?.specifier ?? type?.specifier ?? specifier;
  const typeOnly = code === undefined;
  // NB: Deno resolves the package's own name to a file. What matters is what the author wrote.
  if (isBare(specifier)) return { kind: "package", target: packageOf(specifier), typeOnly };
  if (resolved.startsWith(root)) return { kind: "file", target: resolved.slice(root.length), typeOnly };
  if (resolved.startsWith("node:")) return { kind: "builtin", target: resolved, typeOnly };
  return { kind: "package", target: packageOf(resolved), typeOnly };
}

function isBare(specifier: string): boolean {
  return !specifier.startsWith(".") && !/^\w+:/.test(specifier);
}

function fileTargets(imports: readonly Import[]): string[] {
  return imports.filter(({ kind }) => kind === "file").map(({ target }) => target);
}
