/**
 * Looking up the settings of a kind: which label, field or shard selectors the server is to apply (Kopf 1.45;
 * scenarios C1–C32), which parts of its objects are kept, and which of their fields are confidential.
 */

import { type FieldPath, parseField } from "../model/fields.ts";
import type { Resource } from "../model/resource.ts";
import { isSpecific, matches, parseSelector, type Selector, type SelectorTerm } from "../model/selector.ts";
import type {
  ByKind,
  ObjectTransform,
  PersistenceSettings,
  SelectorTexts,
  WatchingSettings,
} from "./sections.ts";

/**
 * Returns the texts of all keys that match the kind, in the order of the keys; empty ones and repetitions too.
 *
 * Only plain matching: no preference for the core group, no check for ambiguity.
 *
 * @throws {TypeError} If a key is no selector.
 */
export function textsFor<T = string>(texts: ByKind<T>, resource: Resource): T[] {
  return entriesOf(texts).filter(([selector]) => matches(selector, resource)).map(([, text]) => text);
}

/** Returns label or field selectors of a kind as one text: the different ones, sorted, joined by commas ("and"). */
export function joinedTextFor(texts: SelectorTexts, resource: Resource): string | undefined {
  const different = new Set(textsFor(texts, resource).filter((text) => text !== ""));
  return different.size === 0 ? undefined : [...different].sort().join(",");
}

/** Which of a kind's objects the server is to give. */
export interface ServerSelectors {
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly shardSelector: string | undefined;
}

type SelectorSettings = Readonly<
  Record<"labelSelectors" | "fieldSelectors" | "shardSelectors", SelectorTexts>
>;

/** Returns the selectors of a kind that handlers are for. Of shards the first that matches counts. */
export function serverSelectorsFor(settings: SelectorSettings, resource: Resource): ServerSelectors {
  const { labelSelectors, fieldSelectors, shardSelectors } = settings;
  return {
    labelSelector: joinedTextFor(labelSelectors, resource),
    fieldSelector: joinedTextFor(fieldSelectors, resource),
    shardSelector: textsFor(shardSelectors, resource)[0] || undefined,
  };
}

/**
 * Returns the selectors of a kind that the framework itself watches: only selectors whose keys name it. A selector that is meant for
 * everything must not hide namespaces and definitions.
 */
export function explicitSelectorsFor(settings: SelectorSettings, resource: Resource): ServerSelectors {
  const only = (texts: SelectorTexts): Map<readonly SelectorTerm[], string> => {
    const terms: [readonly SelectorTerm[], string][] = texts instanceof Map
      ? [...texts].map(([key, text]) => [isTerms(key) ? key : [key], text])
      : Object.entries(texts).map(([key, text]) => [[key], text]);
    return new Map(terms.filter(([key]) => isSpecific(parseSelector(key))));
  };
  return serverSelectorsFor({
    labelSelectors: only(settings.labelSelectors),
    fieldSelectors: only(settings.fieldSelectors),
    shardSelectors: only(settings.shardSelectors),
  }, resource);
}

/** The parts of a kind's objects that are kept. */
export interface KeptParts {
  readonly metadataOnly: boolean;
  readonly transforms: readonly ObjectTransform[];
}

/** Returns which parts are to be kept of the objects of a kind that handlers are for. */
export function keptPartsFor(
  { metadataOnly, transform }: Pick<WatchingSettings, "metadataOnly" | "transform">,
  resource: Resource,
): KeptParts {
  return {
    metadataOnly: textsFor(new Map(metadataOnly.map((key) => [key, true])), resource).length > 0,
    transforms: textsFor(transform, resource),
  };
}

/** "auto": enough for the objects that change all the time, and few beside a hundred thousand. Packing short ones spares hardly any memory. */
const PACKING = {
  hot: undefined,
  auto: { parsed: 1000, shortest: 4000 },
  cold: { parsed: 16, shortest: 0 },
} as const;

/** Which objects of a kind are kept as bytes; undefined: none. */
export function packingOf(
  { memory }: Pick<WatchingSettings, "memory">,
  resource: Resource,
): { readonly parsed: number; readonly shortest: number } | undefined {
  return PACKING[typeof memory === "string" ? memory : textsFor(memory, resource)[0] ?? "auto"];
}

/** Source: Kubernetes API reference, Secret. */
const SECRET_FIELDS: readonly FieldPath[] = [["data"], ["stringData"]];

const NONE: readonly FieldPath[] = [];

/** Returns the fields of a kind whose values must not be in notes, log lines and events; mostly none. */
export function confidentialFieldsOf(
  { confidential }: Pick<PersistenceSettings, "confidential">,
  resource: Resource,
): readonly FieldPath[] {
  const known = resource.group === "" && resource.plural === "secrets" ? SECRET_FIELDS : NONE;
  // Asked for each turn of each object, and few operators name any.
  const isEmpty = confidential instanceof Map
    ? confidential.size === 0
    : Object.keys(confidential).length === 0;
  return isEmpty ? known : [...known, ...textsFor(confidential, resource).flat().map(parseField)];
}

/** Returns the keys as selectors, with their texts. @throws {TypeError} If a key is no selector. */
export function entriesOf<T = string>(texts: ByKind<T>): [Selector, T][] {
  const entries: [SelectorTerm | readonly SelectorTerm[], T][] = texts instanceof Map
    ? [...texts]
    : Object.entries(texts);
  return entries.map(([key, text]) => [parseSelector(isTerms(key) ? key : [key]), text]);
}

function isTerms(key: SelectorTerm | readonly SelectorTerm[]): key is readonly SelectorTerm[] {
  return Array.isArray(key);
}
