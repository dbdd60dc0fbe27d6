/** Reads the declarations of handler files, for commands that do not run them. */

import { isOperator, type Operator } from "../../mod.ts";
import type { Declarations } from "../kits/definitions/mod.ts";
import type { Host } from "../runtime/host.ts";
import { importFiles } from "./loading.ts";

/** Declarations of files, with the operators themselves. */
export interface FileDeclarations extends Declarations {
  readonly operators: readonly Operator[];
}

/** Imports files, and returns their declarations; a file that only exports kinds will do. */
export async function declarationsOf(files: readonly string[], host: Host): Promise<FileDeclarations> {
  return declarationsIn((await importFiles(files, { host })).map(({ module }) => module));
}

/** Returns the declarations of modules that are loaded already. */
export function declarationsIn(modules: readonly Readonly<Record<string, unknown>>[]): FileDeclarations {
  const exports = modules.flatMap((module) => Object.values(module));
  return { operators: [...new Set(exports.filter(isOperator))], exports };
}

/** Returns the name of the folder that the handlers are in: "02-database" is "database". */
export function defaultName([first = ""]: readonly string[], host: Host): string {
  const folder = host.files.folderOf(host.files.resolve(host.process.cwd(), first));
  const words = folder.split(/[/\\]/).at(-1)?.toLowerCase().replace(/[^a-z0-9]+/g, "-") ?? "";
  return words.replace(/^[^a-z]+|-+$/g, "").slice(0, 50) || "operator";
}

/** An operator that is inside of an executable. */
export interface Inside {
  readonly name: string;
  readonly declarations: () => Promise<FileDeclarations>;
}
