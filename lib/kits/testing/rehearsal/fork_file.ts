/**
 * Copies of clusters in files: a tar archive of a description and of the objects, one a line, so that `tar xf` and `jq` open it.
 *
 * Source of the format: POSIX.1-1988, "ustar".
 */

import { isObject } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { byteLengthOf } from "../../../model/encoding.ts";
import type { Files } from "../../../runtime/host.ts";
import type { ClusterCopy } from "./cluster_copy.ts";

const DESCRIPTION = "cluster.json";
const OBJECTS = "objects.jsonl";

/** The size of the pieces that an archive consists of. */
const BLOCK = 512;

/** The form that this release writes and reads. */
const FORMAT = 1;

/** Writes a copy into a file, for its owner alone. */
export async function writeFork(
  files: Files,
  path: string,
  { objects, ...description }: ClusterCopy,
): Promise<void> {
  const { time } = description;
  const archive = [
    ...member(DESCRIPTION, [`${JSON.stringify(description, undefined, 2)}\n`], time),
    ...member(OBJECTS, objects.map((object) => `${JSON.stringify(object)}\n`), time),
    "\0".repeat(2 * BLOCK),
  ];
  await files.remove(path);
  await files.writeText(path, archive.join(""), { mode: 0o600 });
}

/**
 * Reads a copy.
 *
 * @throws {Error} If there is no such file, it holds no copy, or one of a later release.
 */
export async function readFork(files: Files, path: string): Promise<ClusterCopy> {
  const bytes = await files.readBytes(path).catch((cause: unknown) => {
    throw new Error(`Cannot open "${path}": there is no such file`, { cause });
  });
  const members = membersOf(bytes);
  const [description, objects] = [members.get(DESCRIPTION), members.get(OBJECTS)];
  if (description === undefined || objects === undefined) throw noCopy(path);
  const parsed: unknown = parse(description, path);
  if (!isObject(parsed) || typeof parsed.format !== "number") throw noCopy(path);
  if (parsed.format > FORMAT) {
    throw new Error(
      `Cannot open "${path}": it was saved by a later release, Lotse ${
        String(parsed.lotse)
      } (use that one or newer)`,
    );
  }
  const lines = objects.split("\n").filter((line) => line !== "");
  // The description was written by this file, as were the objects.
  return {
    ...parsed as unknown as ClusterCopy,
    objects: lines.map((line) => parse(line, path) as KubeObject),
  };
}

function noCopy(path: string): Error {
  return new Error(`Cannot open "${path}": it is no copy of a cluster (\`lotse rehearse --save\` makes one)`);
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Cannot open "${path}": it is damaged`, { cause });
  }
}

/** A file of an archive: its header and its lines, filled up to whole blocks. */
function member(name: string, lines: readonly string[], time: number): string[] {
  const size = lines.reduce((sum, line) => sum + byteLengthOf(line), 0);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  const field = (value: string, length: number): string => value.padEnd(length, "\0");
  const before = field(name, 100) + octal(0o600, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) +
    octal(Math.floor(time / 1000), 12);
  const after = `0${field("", 100)}ustar\x0000${field("", 64)}${octal(0, 8)}${octal(0, 8)}`;
  // The sum counts itself as blanks.
  const sum = [...before, ..." ".repeat(8), ...after].reduce((total, sign) => total + sign.charCodeAt(0), 0);
  const header = `${before}${sum.toString(8).padStart(6, "0")}\0 ${after}`.padEnd(BLOCK, "\0");
  return [header, ...lines, "\0".repeat((BLOCK - size % BLOCK) % BLOCK)];
}

function membersOf(bytes: Uint8Array): Map<string, string> {
  const decoder = new TextDecoder();
  const members = new Map<string, string>();
  for (let start = 0; start + BLOCK <= bytes.length;) {
    const field = (from: number, length: number): string =>
      decoder.decode(bytes.subarray(start + from, start + from + length)).replace(/\0.*$/s, "").trim();
    const name = field(0, 100);
    const size = Number.parseInt(field(124, 12), 8);
    if (name === "" || !Number.isInteger(size)) break;
    members.set(name, decoder.decode(bytes.subarray(start + BLOCK, start + BLOCK + size)));
    start += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return members;
}
