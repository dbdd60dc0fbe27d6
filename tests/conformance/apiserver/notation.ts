/**
 * Kubernetes' swagger.json in the notation of `lib/kits/apiserver/types/`.
 *
 * That is how those tables were made, and how they are brought up to date: a test compares the two wherever the sources
 * of Kubernetes are at hand, and prints what differs.
 */

interface Property {
  type?: string;
  format?: string;
  items?: Property;
  additionalProperties?: Property;
  $ref?: string;
  [extension: `x-kubernetes-${string}`]: unknown;
}

interface Definition extends Property {
  required?: string[];
  properties?: Record<string, Property>;
}

/** What is used of a swagger.json. */
export interface Swagger {
  definitions: Record<string, Definition>;
}

const SCALARS: Readonly<Record<string, string>> = {
  "string": "s",
  "string/byte": "y",
  "integer/int32": "i",
  "integer/int64": "l",
  "boolean": "b",
  "number/double": "d",
};

/** Returns the number of a field in protocol buffers. */
export type Numbers = (type: string, field: string) => string | undefined;

/** Returns the notation of the named definitions and of everything that they use, by short name ("core.Pod"). */
export function toNotation(
  swagger: Swagger,
  roots: readonly string[],
  numbers: Numbers,
): Map<string, string> {
  const found = new Set<string>();
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...referencesOf(swagger.definitions[name]));
  }
  const lines = new Map<string, string>();
  for (const name of [...found].sort()) {
    const definition = swagger.definitions[name];
    if (definition?.properties !== undefined) {
      lines.set(`${groupOf(name)}.${shortName(name)}`, toLine(name, definition, numbers));
    }
  }
  return lines;
}

function referencesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === "$ref" && typeof child === "string" ? [child.slice("#/definitions/".length)] : referencesOf(child)
  );
}

/** "core" of io.k8s.api.core.v1.Pod, "meta" of io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta; "" of Quantity. */
function groupOf(name: string): string {
  const [, group = "", version = "1"] = /\.(\w+)\.v(\d)\.\w+$/.exec(name) ?? [];
  return version === "1" ? group : `${group}${version}`;
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function toLine(name: string, definition: Definition, numbers: Numbers): string {
  const group = groupOf(name);
  const type = `${group}.${shortName(name)}`;
  const fields = Object.entries(definition.properties ?? {}).map(([key, property]) => {
    const required = definition.required?.includes(key) ? "*" : "";
    const number = numbers(type, key);
    return `${key}:${shape(property, group)}${required}${flags(property)}${
      number === undefined ? "" : `/${number}`
    }`;
  });
  return [...(definition["x-kubernetes-map-type"] === "atomic" ? ["^"] : []), ...fields].join(" ");
}

function shape(property: Property, group: string): string {
  if (property.$ref !== undefined) {
    const name = property.$ref.slice("#/definitions/".length);
    const other = groupOf(name);
    return other === group || other === "" ? shortName(name) : `${other}.${shortName(name)}`;
  }
  if (property.items !== undefined) return `[${shape(property.items, group)}]`;
  if (property.additionalProperties !== undefined) return `{${shape(property.additionalProperties, group)}}`;
  const scalar =
    SCALARS[property.format === undefined ? property.type ?? "" : `${property.type}/${property.format}`];
  if (scalar === undefined) throw new TypeError(`Cannot write the type ${JSON.stringify(property)}`);
  return scalar;
}

function flags(property: Property): string {
  const strategies = String(property["x-kubernetes-patch-strategy"] ?? "").split(",");
  const mergeKey = property["x-kubernetes-patch-merge-key"];
  const listType = property["x-kubernetes-list-type"];
  const listKeys = property["x-kubernetes-list-map-keys"];
  let text = "";
  if (mergeKey !== undefined) text += `@${mergeKey}`;
  else if (strategies.includes("merge")) text += "+";
  if (strategies.includes("retainKeys")) text += "~";
  if (strategies.includes("replace")) text += "!";
  if (Array.isArray(listKeys)) text += `#${listKeys.join(",")}`;
  else if (listType === "set") text += "&";
  else if (listType === "atomic") text += "=";
  if (property["x-kubernetes-map-type"] === "atomic") text += "^";
  return text;
}
