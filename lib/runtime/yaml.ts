/**
 * YAML in and out: the only file that knows js-yaml.
 *
 * Reading is YAML 1.2 (`yes`, `on` and dates stay strings, as Kubernetes wants them) plus merge keys (`<<`), which kubectl
 * knows too; writing quotes whatever a YAML 1.1 parser such as kubectl's would take for another type. Whole numbers
 * that are not safe integers are bigints, as in JSON.
 */

import {
  boolYaml11Tag,
  CORE_SCHEMA,
  dump,
  DUMP_SCHEMA,
  EVENT_ID,
  getScalarValue,
  loadAll,
  mergeTag,
  parseEvents,
  SCALAR_STYLE,
  Schema,
} from "js-yaml";

type Tag = (typeof CORE_SCHEMA.tags)[number];

const SCHEMA = new Schema([...CORE_SCHEMA.tags.map(withLarge), mergeTag]);
const NUMBERS: readonly string[] = ["tag:yaml.org,2002:int", "tag:yaml.org,2002:float"];
const BOOLEAN = "tag:yaml.org,2002:bool";

/** Numbers are texts, and booleans are those of YAML 1.1. */
const TEXTS = new Schema([
  ...CORE_SCHEMA.tags.filter(({ tagName }) => tagName !== BOOLEAN && !NUMBERS.includes(tagName)),
  boolYaml11Tag,
  mergeTag,
]);
const WRITTEN = new Schema(DUMP_SCHEMA.tags.map(withLarge));

/**
 * Returns the documents of a YAML (or JSON) text, in order; empty ones are left out.
 *
 * Keys such as `__proto__` become own properties.
 *
 * @throws {SyntaxError} If the text is not YAML, or a key stands twice in a mapping; the message says where.
 */
export function parseYaml(text: string): unknown[] {
  return parse(text, false);
}

/**
 * The same for files of texts, such as kubeconfigs: what looks like a number is the text as it is written, and `yes` and `on` without
 * quotes are booleans, as in programs written in Go.
 *
 * @throws {SyntaxError} If the text is not YAML, or a key stands twice in a mapping.
 */
export function parseYamlTexts(text: string): unknown[] {
  return parse(text, false, TEXTS);
}

function parse(text: string, json: boolean, schema: Schema = SCHEMA): unknown[] {
  let documents: unknown[];
  try {
    documents = loadAll(text, { schema, json });
  } catch (error) {
    throw new SyntaxError(`Cannot parse YAML: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  return documents.filter((document) => document !== null && document !== undefined);
}

/** Documents in which keys may stand twice: the last one counts. */
export interface LenientYaml {
  readonly documents: unknown[];
  /** Keys of the first document that stand more than once in a mapping, inner ones before outer ones. */
  readonly repeated: readonly RepeatedKey[];
}

/** A key that stood before in its mapping. */
export interface RepeatedKey {
  readonly key: string;
  /** Where its value begins, from 1. */
  readonly line: number;
}

/**
 * Reads YAML as parseYaml() does, but for keys that stand twice.
 *
 * @throws {SyntaxError} If the text is not YAML.
 */
export function parseLenientYaml(text: string): LenientYaml {
  try {
    return { documents: parseYaml(text), repeated: [] };
  } catch {
    // Either a key stands twice, or it is refused once more.
    return { documents: parse(text, true), repeated: findRepeated(text) };
  }
}

/** A list or mapping that is being read. */
interface Level {
  readonly keys: Set<string> | undefined;
  /** Where it begins. */
  readonly line: number;
  /** Of a mapping: the key whose value comes next. */
  key?: string;
}

function findRepeated(text: string): RepeatedKey[] {
  const found: RepeatedKey[] = [];
  const levels: Level[] = [];
  let [line, position] = [1, 0];
  const complete = (node: string, at: number) => {
    const level = levels.at(-1);
    if (level?.keys === undefined) return;
    const { key } = level;
    level.key = key === undefined ? node : undefined;
    if (key === undefined) return;
    if (level.keys.has(key)) found.push({ key, line: at });
    level.keys.add(key);
  };
  for (const event of parseEvents(text, {})) {
    if (event.type === EVENT_ID.POP) {
      const ended = levels.pop();
      if (levels.length === 0) return found;
      complete("", ended?.line ?? line);
      continue;
    }
    // A block's text begins below its key.
    const isBlock = event.type === EVENT_ID.SCALAR && event.style >= SCALAR_STYLE.LITERAL_BLOCK;
    const start = "start" in event ? event.start : "valueStart" in event && !isBlock ? event.valueStart : -1;
    for (; position < start; position++) if (text.charCodeAt(position) === 0x0a) line++;
    if (event.type === EVENT_ID.SCALAR) complete(getScalarValue(text, event), line);
    else if (event.type === EVENT_ID.ALIAS) complete("", line);
    else levels.push({ keys: event.type === EVENT_ID.MAPPING ? new Set() : undefined, line });
  }
  return found;
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

/** YAML 1.1 knows more forms, which stay as they are: it is not read. */
const WHOLE = /^[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|[0-9]+)$/;

function toBigInt(source: string): bigint {
  const digits = source.replace(/^[-+]/, "");
  return source.startsWith("-") ? -BigInt(digits) : BigInt(digits);
}
