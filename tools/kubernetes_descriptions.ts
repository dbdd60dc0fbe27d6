/**
 * Writes the descriptions of Kubernetes' own kinds and their fields, which `kubectl explain` shows, from the OpenAPI document
 * that its Go module carries: `deno task kubernetes-descriptions` (needs Go).
 *
 * Only the types that the API server in the process knows are taken. They are compressed, because nobody reads them here, and
 * because plain they would have half a megabyte.
 */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { definitionName, SINGLE_TYPES, typeLines } from "../lib/kits/apiserver/types/mod.ts";
import { compressText } from "../lib/runtime/compression.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const TARGET = "lib/kits/apiserver/types/descriptions.ts";

interface Definition {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
}

interface Document {
  readonly info: { readonly version: string };
  readonly definitions: Readonly<Record<string, Definition>>;
}

function readDocument(): Document {
  const { stdout, status, stderr } = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"], {
    cwd: join(ROOT, "tests/control_plane"),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Cannot find the module of Kubernetes: ${stderr}`);
  return JSON.parse(readFileSync(join(stdout.trim(), "api/openapi-spec/swagger.json"), "utf8"));
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

const document = readDocument();
const text = JSON.stringify(describe(document));
const compressed = compressText(text);
writeFileSync(
  join(ROOT, TARGET),
  `/**
 * The descriptions of the built-in kinds and their fields, of Kubernetes ${document.info.version}: raw DEFLATE in base64.
 *
 * Made by tools/kubernetes_descriptions.ts; do not edit. The sentences are Kubernetes': Copyright The Kubernetes Authors,
 * Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0), see NOTICE.
 */

/** By type: its description, and then the names of fields and their descriptions in turn; as JSON. */
export const DESCRIPTIONS =
  "${compressed}";
`,
);
console.log(`${TARGET}: ${text.length} characters, ${compressed.length} compressed`);
