/**
 * YAML in and out: the only file that knows js-yaml.
 *
 * Reading is YAML 1.2 (`yes`, `on` and dates stay strings, as Kubernetes wants them) plus merge keys (`<<`), which kubectl
 * knows too; writing quotes whatever a YAML 1.1 parser such as kubectl's would take for something else. Whole numbers
 * that are not safe integers are bigints, as in JSON.
 */

import { CORE_SCHEMA, dump, DUMP_SCHEMA, loadAll, mergeTag, Schema } from "js-yaml";

type Tag = (typeof CORE_SCHEMA.tags)[number];

const SCHEMA = new Schema([...CORE_SCHEMA.tags.map(withLarge), mergeTag]);
const WRITTEN = new Schema(DUMP_SCHEMA.tags.map(withLarge));

/**
 * Returns the documents of a YAML (or JSON) text, in order; empty ones are left out.
 *
 * Keys such as `__proto__` become own properties.
 *
 * @throws {SyntaxError} If the text is not YAML; the message says where.
 */
export function parseYaml(text: string, { repeatedKeys = false }: ParseYamlOptions = {}): unknown[] {
  let documents: unknown[];
  try {
    documents = loadAll(text, { schema: SCHEMA, json: repeatedKeys });
  } catch (error) {
    throw new SyntaxError(`Cannot parse YAML: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  return documents.filter((document) => document !== null && document !== undefined);
}

/** How strict a text is read. */
export interface ParseYamlOptions {
  /** A key may stand twice in a mapping; the last one counts. Default: false. */
  readonly repeatedKeys?: boolean;
}

/** Writes one value as a YAML document in block style, ending in a line break. Keys keep their order; undefined ones are left out. */
export function formatYaml(value: unknown): string {
  return dump(value, { schema: WRITTEN, noRefs: true, lineWidth: -1, flowSkipCommaSpace: false });
}

/** Lets the tag of whole numbers read and write bigints. */
function withLarge(tag: Tag): Tag {
  if (tag.nodeKind !== "scalar" || tag.tagName !== "tag:yaml.org,2002:int") return tag;
  const { resolve, identify, represent } = tag;
  return {
    ...tag,
    resolve: (source, isExplicit, tagName) => {
      const value = resolve(source, isExplicit, tagName);
      const isLarge = typeof value === "number" && !Number.isSafeInteger(value);
      return isLarge && WHOLE.test(source) ? toBigInt(source) : value;
    },
    identify: (value) => typeof value === "bigint" || identify?.(value) === true,
    represent: (value) => typeof value === "bigint" ? String(value) : represent(value),
  };
}

/** YAML 1.1 knows more forms, which stay as they are: nothing is read in it. */
const WHOLE = /^[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|[0-9]+)$/;

function toBigInt(source: string): bigint {
  const digits = source.replace(/^[-+]/, "");
  return source.startsWith("-") ? -BigInt(digits) : BigInt(digits);
}
