/** Reads the declarations of handler files, for commands that do not run them. */

import { isOperator, type Operator } from "../../mod.ts";
import type { Declarations } from "../kits/definitions/mod.ts";
import type { Host } from "../runtime/host.ts";
import { formatYaml } from "../runtime/yaml.ts";
import { importFiles } from "./loading.ts";

/** Declarations of files, with the operators themselves. */
export interface FileDeclarations extends Declarations {
  readonly operators: readonly Operator[];
}

/** Imports files, and returns their declarations; a file that only exports kinds will do. */
export async function declarationsOf(files: readonly string[], host: Host): Promise<FileDeclarations> {
  const modules = await importFiles(files, { host });
  const exports = modules.flatMap(({ module }) => Object.values(module));
  return { operators: [...new Set(exports.filter(isOperator))], exports };
}

/** Prints manifests as YAML. */
export function printYaml(manifests: readonly unknown[], host: Host): void {
  host.process.write("stdout", manifests.map((manifest) => formatYaml(manifest)).join("---\n"));
}
