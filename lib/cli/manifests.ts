/** Reads manifests from YAML files and folders. */

import type { JsonObject, KubeObject } from "../../mod.ts";
import type { Host } from "../runtime/host.ts";
import { parseYaml } from "../runtime/yaml.ts";
import { CommandError } from "./errors.ts";

const EXTENSIONS = [".yaml", ".yml", ".json"];

/** An object as it stands in a file. */
export interface Manifest extends KubeObject {
  apiVersion: string;
  kind: string;
}

/**
 * Gives the files that are meant: files as they are, and of folders their YAML and JSON files, by name.
 *
 * @throws {CommandError} If there is no such file or folder, or a folder has none.
 */
export async function findManifestFiles(paths: readonly string[], host: Host): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const absolute = host.files.resolve(host.process.cwd(), path);
    if (!(await host.files.exists(absolute))) {
      throw new CommandError(`Cannot apply "${path}": there is no such file`);
    }
    if (isManifestFile(absolute)) {
      found.push(absolute);
      continue;
    }
    const entries = await host.files.list(absolute).catch((error: unknown) => {
      throw new CommandError(
        `Cannot apply "${path}": it is neither a .yaml, .yml or .json file nor a folder that can be read`,
        { cause: error },
      );
    });
    const names = entries.filter(isManifestFile).sort();
    if (names.length === 0) {
      throw new CommandError(`Cannot apply "${path}": no .yaml, .yml or .json file is in there`);
    }
    found.push(...names.map((name) => host.files.resolve(absolute, name)));
  }
  return found;
}

/**
 * Reads all documents of a file; the items of a List count one by one.
 *
 * @throws {CommandError} If it is no YAML, or a document is no object of Kubernetes.
 */
export async function readManifests(file: string, host: Host): Promise<Manifest[]> {
  return parseDocuments(file, await host.files.readText(file)).flatMap((document) => {
    const items: unknown[] = document.kind === "List" && Array.isArray(document.items)
      ? document.items
      : [document];
    return items.map((item) => {
      if (isManifest(item)) return item;
      throw new CommandError(
        `Cannot apply "${file}": an object in it has no apiVersion, kind or metadata.name`,
      );
    });
  });
}

function parseDocuments(file: string, text: string): JsonObject[] {
  try {
    return parseYaml(text).map((document) => {
      if (isObject(document)) return document;
      throw new SyntaxError("A document in it is no object");
    });
  } catch (error) {
    throw new CommandError(`Cannot apply "${file}"`, { cause: error });
  }
}

function isManifestFile(path: string): boolean {
  return EXTENSIONS.some((extension) => path.endsWith(extension));
}

function isManifest(value: unknown): value is Manifest {
  return isObject(value) && typeof value.apiVersion === "string" && typeof value.kind === "string" &&
    isObject(value.metadata) && typeof value.metadata.name === "string";
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
