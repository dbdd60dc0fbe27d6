/**
 * Writes the descriptions of Kubernetes' own kinds and their fields, with the values that these may have, which `kubectl explain`
 * shows: `deno task kubernetes-descriptions` (needs the control plane of the tests).
 *
 * They come from the OpenAPI document that a real kube-apiserver serves: the one that Kubernetes' Go module carries has no values.
 * Only the types that the API server in the process knows are taken. They are compressed, because nobody reads them here, and
 * because plain they would have half a megabyte.
 */

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { definitionName, SINGLE_TYPES, typeLines } from "../lib/kits/apiserver/types/mod.ts";
import { compressText } from "../lib/runtime/compression.ts";
import { startControlPlane } from "../tests/control_plane/control_plane.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const TARGET = "lib/kits/apiserver/types/descriptions.ts";

interface Property {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Property;
  readonly additionalProperties?: Property;
}

interface Definition {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
}

interface Document {
  readonly info: { readonly version: string };
  readonly definitions: Readonly<Record<string, Definition>>;
}

async function readDocument(): Promise<Document> {
  await using plane = await startControlPlane();
  return JSON.parse(await plane.kubectl(["get", "--raw", "/openapi/v2"]));
}

/** Returns, by type, its description, and then the names of fields and their descriptions in turn. */
function describe({ definitions }: Document): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const type of [...SINGLE_TYPES, ...typeLines().map(([name]) => name)]) {
    const { description = "", properties = {} } = definitions[definitionName(type)] ?? {};
    const fields = Object.entries(properties).flatMap(([name, field]) =>
      field.description === undefined ? [] : [name, field.description]
    );
    if (description !== "" || fields.length > 0) found[type] = [description, ...fields];
  }
  return found;
}

/** Returns, by type and field, the values that it, or an item of it, may have. */
function findValues({ definitions }: Document): Record<string, Record<string, readonly string[]>> {
  const found: Record<string, Record<string, readonly string[]>> = {};
  for (const [type] of typeLines()) {
    for (const [name, field] of Object.entries(definitions[definitionName(type)]?.properties ?? {})) {
      const values = field.enum ?? field.items?.enum ?? field.additionalProperties?.enum;
      if (values !== undefined) (found[type] ??= {})[name] = values;
    }
  }
  return found;
}

const document = await readDocument();
const text = JSON.stringify({ texts: describe(document), values: findValues(document) });
const compressed = compressText(text);
writeFileSync(
  join(ROOT, TARGET),
  `/**
 * The descriptions of the built-in kinds and their fields, of Kubernetes ${document.info.version}: raw DEFLATE in base64.
 *
 * Made by tools/kubernetes_descriptions.ts; do not edit. The sentences are Kubernetes': Copyright The Kubernetes Authors,
 * Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0), see NOTICE.
 */

/** The words and values, as descriptions.ts unpacks them. */
export const DESCRIPTIONS =
  "${compressed}";
`,
);
console.log(`${TARGET}: ${text.length} characters, ${compressed.length} compressed`);
