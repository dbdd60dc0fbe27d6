/**
 * The documents of a corpus: YAML of projects, as they published it, made fit to be posted.
 *
 * Files may be templates of Helm or parts of Kustomize. Lines that hold only a template action are left out; what is then no
 * YAML, or no object with a name, is passed over.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../lib/model/object.ts";
import { parseYaml } from "../../lib/runtime/yaml.ts";

/** An object of a corpus. */
export interface CorpusDocument {
  /** The file, from the folder of the corpus, with the number of the document where there are several: "crds/a.yaml#2". */
  readonly source: string;
  readonly object: JsonObject;
}

/** The objects of a corpus, in the order of their files. */
export interface Corpus {
  readonly definitions: readonly CorpusDocument[];
  /** Everything else. */
  readonly samples: readonly CorpusDocument[];
}

/** Lines that hold nothing but actions of Helm or Jinja, and comments of Helm over several lines. */
const ACTIONS =
  /^[ \t]*(?:\{\{-?[ \t]*\/\*[^]*?\*\/[ \t]*-?\}\}|(?:- )?\{\{[^\n]*\}\}|\{%[^\n]*%\})[ \t]*$/gm;

/** Returns a folder with what a folder of archives (`*.tar.xz`) holds; a folder without archives itself. */
export function unpackedCorpus(folder: string): string {
  const archives = readdirSync(folder).filter((name) => name.endsWith(".tar.xz"));
  if (archives.length === 0) return folder;
  const unpacked = mkdtempSync(join(tmpdir(), "lotse-corpus-"));
  for (const archive of archives) {
    const { status, stderr } = spawnSync("tar", ["xf", join(folder, archive), "-C", unpacked], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`Cannot unpack ${archive}: ${stderr}`);
  }
  return unpacked;
}

/** Reads all YAML files below a folder. Documents that stand in it twice are taken once. */
export function readCorpus(folder: string): Corpus {
  const definitions: CorpusDocument[] = [];
  const samples: CorpusDocument[] = [];
  const seen = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (!/\.ya?ml$/.test(file)) continue;
    for (const document of documentsIn(join(folder, file), file)) {
      const text = JSON.stringify(document.object, withoutBigints);
      if (seen.has(text)) continue;
      seen.add(text);
      (isDefinition(document.object) ? definitions : samples).push(document);
    }
  }
  return { definitions, samples };
}

function documentsIn(path: string, source: string): CorpusDocument[] {
  const text = readFileSync(path, "utf8").replaceAll(ACTIONS, "");
  const parts = text.split(/^---(?:[ \t].*)?$/m);
  return parts.flatMap((part, index) => {
    const object = objectOf(part);
    const name = parts.length > 1 ? `${source}#${index + 1}` : source;
    return object === undefined ? [] : [{ source: name, object }];
  });
}

function objectOf(text: string): JsonObject | undefined {
  let documents: unknown[];
  try {
    documents = parseYaml(text);
  } catch {
    return undefined;
  }
  const [object] = documents;
  if (!isObject(object) || typeof object.apiVersion !== "string" || typeof object.kind !== "string") {
    return undefined;
  }
  if (object.kind === "CustomResourceDefinition" && !isDefinition(object)) return undefined;
  const { metadata } = object;
  if (!isObject(metadata) || (metadata.name ?? metadata.generateName) === undefined) return undefined;
  delete object.status;
  delete metadata.creationTimestamp;
  return object;
}

function isDefinition({ apiVersion, kind, spec }: JsonObject): boolean {
  return apiVersion === "apiextensions.k8s.io/v1" && kind === "CustomResourceDefinition" && isObject(spec) &&
    isObject(spec.names) && Array.isArray(spec.versions);
}

function withoutBigints(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The folder of the corpus that this repository brings along. */
export const OWN_CORPUS = join(import.meta.dirname ?? ".", "own");
