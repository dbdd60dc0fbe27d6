/**
 * Gets operators out of handler files: what each exports by default, and the default operator that they register at.
 */

import { defaultOperator, isOperator, type Operator } from "../../mod.ts";
import type { Host } from "../runtime/host.ts";
import { CommandError } from "./errors.ts";
import { importError } from "./import_error.ts";

/** A handler file, once it was imported. */
export interface HandlerFile {
  /** As it was given on the command line. */
  readonly path: string;
  readonly module: Readonly<Record<string, unknown>>;
}

export interface ImportFilesOptions {
  readonly host: Host;
  /** Whether files that were imported before are imported anew. */
  readonly fresh?: boolean;
}

/**
 * Imports files one after the other, in the order given. Source: Kopf, docs/loading.
 *
 * @throws {CommandError} If one is missing, or throws.
 */
export async function importFiles(
  files: readonly string[],
  { host, fresh = false }: ImportFilesOptions,
): Promise<HandlerFile[]> {
  const imported: HandlerFile[] = [];
  for (const path of files) {
    const absolute = host.files.resolve(host.process.cwd(), path);
    if (!(await host.files.exists(absolute))) {
      throw new CommandError(`Cannot load "${path}": there is no such file`);
    }
    try {
      imported.push({ path, module: await host.process.importModule(absolute, { fresh }) });
    } catch (error) {
      throw await importError(path, { error, host });
    }
  }
  return imported;
}

/**
 * Gives the operators of the files, each once. They run side by side.
 *
 * @throws {CommandError} If a file has neither an operator nor handlers.
 */
export function operatorsOf(files: readonly HandlerFile[]): Operator[] {
  const operators = new Set<Operator>();
  for (const { path, module } of files) {
    const exported = module.default;
    if (isOperator(exported)) operators.add(withHandlers(exported, path));
    else if (exported !== undefined) throw new CommandError(notAnOperator(path));
    else if (defaultOperator.isEmpty) throw new CommandError(nothingIn(path, module));
  }
  if (!defaultOperator.isEmpty) operators.add(defaultOperator);
  return [...operators];
}

function withHandlers(op: Operator, path: string): Operator {
  if (op.isEmpty) {
    throw new CommandError(`Cannot run "${path}": its operator has no handlers (declare some with op.on)`);
  }
  return op;
}

function notAnOperator(path: string): string {
  return `Cannot run "${path}": its default export is no operator (add "export default op", where op is operator())`;
}

function nothingIn(path: string, module: Readonly<Record<string, unknown>>): string {
  const named = Object.keys(module).find((name) => isOperator(module[name]));
  const advice = named === undefined
    ? 'declare some on operator(), and add "export default op"'
    : `its operator is exported as "${named}": add "export default ${named}"`;
  return `Cannot run "${path}": it has no operator and registers no handlers (${advice})`;
}
