/**
 * Gets operators out of handler files: each exports one by default.
 *
 * A file that cannot be imported is told of in one sentence, with the line. Each runtime puts the place of an error
 * elsewhere: Bun in `position`, Deno at the end of the message, Node at the top of the stack, all of them in the stack's
 * frames where the code itself threw. Here they are read alike.
 */

import { isOperator, type Operator } from "../../mod.ts";
import type { Host } from "../runtime/host.ts";
import { CommandError, describeError, withoutColours } from "./errors.ts";

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
      const where = path === absolute ? "" : ` in "${host.process.cwd()}"`;
      throw new CommandError(`Cannot load "${path}": there is no such file${where}`);
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
 * Returns the operators of the files, each once. They run side by side.
 *
 * @throws {CommandError} If a file exports no operator, or one without handlers.
 */
export function operatorsOf(files: readonly HandlerFile[]): Operator[] {
  const operators = new Set<Operator>();
  for (const { path, module } of files) {
    const exported = module.default;
    if (isOperator(exported)) operators.add(withHandlers(exported, path));
    else throw new CommandError(exported === undefined ? nothingIn(path, module) : notAnOperator(path));
  }
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
  return `Cannot run "${path}": it exports no operator (${advice})`;
}

/** A place in a source file. */
interface SourcePosition {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A path with a line, as it stands in messages and stacks: "file:///a/b.ts?fresh=1:4:9", "/a/b.ts:4", "(/a/b.ts:4:9)". */
const PLACE =
  /(?<![\w/.-])(?:file:\/\/)?(\/[^\s:?()"']{1,1024}\.[cm]?[jt]sx?)(?:\?[^\s:]{0,1024})?:(\d+)(?::\d+)?/g;

/** Returns the error to show when a file throws while being imported. */
export async function importError(
  file: string,
  { error, host }: { error: unknown; host: Host },
): Promise<CommandError> {
  const reason = reasonOf(error);
  const place = await importPosition(reason, host) ?? positionOf(error);
  if (place === undefined) return new CommandError(`Cannot load "${file}": ${reason}`, { cause: error });
  const excerpt = await excerptOf(place, host);
  const message = `Cannot load "${file}": ${reason}\n  at ${place.file}:${place.line}${excerpt}`;
  return new CommandError(message, { cause: error });
}

function positionOf(error: unknown): SourcePosition | undefined {
  return buildPositionOf(error) ??
    positionsIn(error).find(({ file }) => !file.includes("/node_modules/") && !file.startsWith(OWN));
}

/** Where this package lies in a checkout: hooks of ours are on the way of each import. */
const OWN = new URL("../", import.meta.url).pathname;

/** As Node and Bun say it, without the line. */
const NOT_FOUND = /^Cannot find (?:package|module) '([^']+)' imported from (\S+)$/;

/** Returns the line that imports the module that cannot be found, where the message names the file. */
async function importPosition(reason: string, { files }: Host): Promise<SourcePosition | undefined> {
  const [, wanted = "", file = ""] = NOT_FOUND.exec(reason) ?? [];
  if (file === "") return undefined;
  const text = await files.readText(file).catch(() => "");
  // Node says where the module would lie, not how it was written.
  const name = wanted.split("/").at(-1) ?? wanted;
  const index = text.split("\n").findIndex((line) => /\b(?:from|import)\b/.test(line) && line.includes(name));
  return index < 0 ? undefined : { file, line: index + 1 };
}

/** Returns the place in the error that Bun throws where a file cannot be built: its BuildMessage. */
function buildPositionOf(error: unknown): SourcePosition | undefined {
  if (typeof error !== "object" || error === null || !("position" in error)) return undefined;
  const { position } = error;
  if (typeof position !== "object" || position === null || !("file" in position) || !("line" in position)) {
    return undefined;
  }
  if (typeof position.file !== "string" || typeof position.line !== "number") return undefined;
  return { file: position.file, line: position.line };
}

function positionsIn(error: unknown): SourcePosition[] {
  if (!(error instanceof Error)) return [];
  const text = withoutColours(`${error.message}\n${error.stack ?? ""}`);
  return [...text.matchAll(PLACE)].map(([, file, line]) => ({
    file: decodeURI(file ?? ""),
    line: Number(line),
  }));
}

/** The first line of the message, without the place that some runtimes end it with. */
function reasonOf(error: unknown): string {
  const [first = ""] = describeError(error).split("\n");
  const reason = first.replace(/ at file:\/\/\S+$/, "").trim();
  return error instanceof Error || typeof error === "object" ? reason : `it throws ${JSON.stringify(error)}`;
}

async function excerptOf({ file, line }: SourcePosition, host: Host): Promise<string> {
  try {
    const text = (await host.files.readText(file)).split("\n")[line - 1];
    return text === undefined ? "" : `\n  ${line} | ${text}`;
  } catch {
    return ""; // the place may be inside a bundle: then there is no line to show
  }
}
