/**
 * YAML in and out: the only file that knows js-yaml.
 *
 * Reading is YAML 1.2 (`yes`, `on` and dates stay strings, as Kubernetes wants them) plus merge keys (`<<`), which kubectl
 * knows too; writing quotes whatever a YAML 1.1 parser such as kubectl's would take for something else.
 */

import { CORE_SCHEMA, dump, loadAll, mergeTag } from "js-yaml";

const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/**
 * Returns the documents of a YAML (or JSON) text, in order; empty ones are left out.
 *
 * Keys such as `__proto__` become own properties.
 *
 * @throws {SyntaxError} If the text is not YAML; the message says where.
 */
export function parseYaml(text: string): unknown[] {
  let documents: unknown[];
  try {
    documents = loadAll(text, { schema: SCHEMA });
  } catch (error) {
    throw new SyntaxError(`Cannot parse YAML: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  return documents.filter((document) => document !== null && document !== undefined);
}

/** Writes one value as a YAML document in block style, ending in a line break. Keys keep their order; undefined ones are left out. */
export function formatYaml(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1, flowSkipCommaSpace: false });
}
