/**
 * How the parts of a path are called: in a set of fields (`f:spec`, `k:{"name":"a"}`), and in messages (`.spec[name="a"]`).
 *
 * Source: sigs.k8s.io/structured-merge-diff, fieldpath/element.go and fieldpath/serialize-pe.go.
 */

import { formatJson, parseJson } from "../../../runtime/json.ts";
import { getOwn, isObject } from "../values.ts";
import type { ListType } from "./merge_type.ts";

/** Returns the element of a field. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/**
 * Returns the element of an item of a list that merges.
 *
 * @throws {SyntaxError} If it has no key.
 */
export function itemElement(item: unknown, { relation, keys }: ListType): string {
  if (relation === "set") return valueElement(item);
  if (item === null) throw new SyntaxError("associative list with keys may not have a null element");
  if (!isObject(item)) throw new SyntaxError("associative list with keys may not have non-map elements");
  const found: [string, unknown][] = [];
  for (const { name, fallback } of keys) {
    const value = getOwn(item, name) ?? fallback;
    if (value !== undefined) found.push([name, value]);
  }
  if (found.length === 0) {
    const names = keys.map(({ name }) => JSON.stringify(name)).join(" ");
    throw new SyntaxError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  found.sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:{${found.map(([name, value]) => `${JSON.stringify(name)}:${goJson(value)}`).join(",")}}`;
}

function valueElement(item: unknown): string {
  if (item === null) {
    throw new SyntaxError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) {
    throw new SyntaxError("not supported: associative list with lists as elements");
  }
  if (isObject(item)) {
    throw new SyntaxError("associative list without keys has an element that's a map type");
  }
  return `v:${goJson(item)}`;
}

/** Returns JSON as Go writes it: safe within HTML. */
function goJson(value: unknown): string {
  return formatJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns an element as messages show it. */
export function elementText(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("k:")) {
    const keys = parseJson(rest);
    const pairs = Object.entries(isObject(keys) ? keys : {}).map(([name, value]) =>
      `${name}=${formatJson(value)}`
    );
    return `[${pairs.join(",")}]`;
  }
  if (element.startsWith("v:")) return `[=${rest}]`;
  return element.startsWith("i:") ? `[${rest}]` : `.${rest}`;
}

/** Returns a path as messages show it. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join("");
}
