/**
 * Looking up which label, field or shard selectors the server is to apply to a kind (Kopf 1.45; behaviour C §4).
 */

import type { Resource } from "../model/resource.ts";
import { matches, parseSelector, type Selector, type SelectorTerm } from "../model/selector.ts";
import type { SelectorTexts } from "./sections.ts";

/**
 * Gives the texts of all keys that match the kind, in the order of the keys; empty ones and repetitions too.
 *
 * Only plain matching: no preference for the core group, no check for ambiguity.
 *
 * @throws {TypeError} If a key is no selector.
 */
export function textsFor(texts: SelectorTexts, resource: Resource): string[] {
  return entriesOf(texts).filter(([selector]) => matches(selector, resource)).map(([, text]) => text);
}

/** Gives label or field selectors of a kind as one text: the different ones, sorted, joined by commas ("and"). */
export function joinedTextFor(texts: SelectorTexts, resource: Resource): string | undefined {
  const different = new Set(textsFor(texts, resource).filter((text) => text !== ""));
  return different.size === 0 ? undefined : [...different].sort().join(",");
}

/** Gives the keys as selectors, with their texts. @throws {TypeError} If a key is no selector. */
export function entriesOf(texts: SelectorTexts): [Selector, string][] {
  const entries: [SelectorTerm | readonly SelectorTerm[], string][] = texts instanceof Map
    ? [...texts]
    : Object.entries(texts);
  return entries.map(([key, text]) => [parseSelector(isTerms(key) ? key : [key]), text]);
}

function isTerms(key: SelectorTerm | readonly SelectorTerm[]): key is readonly SelectorTerm[] {
  return Array.isArray(key);
}
