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
