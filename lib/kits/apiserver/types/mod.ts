/**
 * The types of the built-in kinds: their fields, and how their lists merge.
 *
 * A type is one string, because there are three hundred of them: `args:[s]= env:[EnvVar]@name#name name:s* limits:{Quantity}`.
 * Shapes: `s` string, `y` base64, `i` int32, `l` int64, `b` boolean, `d` double, `[T]` list, `{T}` map, or the name of a
 * type (in the same group without the group). Flags: `*` required; `@k` merges by key k, `+` merges as a set, `~` retainKeys,
 * `!` replaces (strategic merge patch); `#k,l` list of type map with these keys, `&` set, `=` atomic, `^` atomic map
 * (server-side apply); `/4` the number in protocol buffers, `?` after it where zero is a value, `/2.1` a field of a message
 * that JSON flattens. A type of another version than v1 has the version in the name of its group (`autoscaling2`).
 */

import { CORE } from "./core.ts";
import { DEFINITIONS } from "./definitions.ts";
import { GROUPS } from "./groups.ts";

/** The form of a value. */
export type Shape =
  | { readonly kind: "scalar"; readonly type: string; readonly format?: string }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "map"; readonly of: Shape }
  /** A type of the tables, or one that special() knows. */
  | { readonly kind: "type"; readonly name: string };

/** A field of a type. */
export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly required: boolean;
  /** Of strategic merge patches: the key by which items of the list merge. */
  readonly mergeKey?: string;
  /** Whether the list merges at all. */
  readonly merges: boolean;
  readonly retainsKeys: boolean;
  readonly replaces: boolean;
  readonly listType?: "map" | "set" | "atomic";
  readonly listKeys?: readonly string[];
  readonly atomicMap: boolean;
  /** In protocol buffers: the number, or the numbers on the way to it. Empty for fields that are not sent. */
  readonly numbers: readonly number[];
  /** In protocol buffers, zero is a value, and not the lack of one. */
  readonly isPointer: boolean;
}

const SCALARS: Readonly<Record<string, Shape>> = {
  s: { kind: "scalar", type: "string" },
  y: { kind: "scalar", type: "string", format: "byte" },
  i: { kind: "scalar", type: "integer", format: "int32" },
  l: { kind: "scalar", type: "integer", format: "int64" },
  b: { kind: "scalar", type: "boolean" },
  d: { kind: "scalar", type: "number", format: "double" },
};

/** Types without fields of their own, as OpenAPI describes them. */
const SPECIAL: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "Quantity": { type: "string" },
  "IntOrString": { type: "string", format: "int-or-string" },
  "RawExtension": { type: "object" },
  "meta.Time": { type: "string", format: "date-time" },
  "meta.MicroTime": { type: "string", format: "date-time" },
  "meta.FieldsV1": { type: "object" },
  "apiextensions.JSON": {},
  "apiextensions.JSONSchemaPropsOrArray": {},
  "apiextensions.JSONSchemaPropsOrBool": {},
  "apiextensions.JSONSchemaPropsOrStringArray": {},
  "apiextensions.CustomResourceSubresourceStatus": { type: "object" },
};

const PREFIXES: Readonly<Record<string, string>> = {
  "Quantity": "io.k8s.apimachinery.pkg.api.resource",
  "IntOrString": "io.k8s.apimachinery.pkg.util.intstr",
  "RawExtension": "io.k8s.apimachinery.pkg.runtime",
  "meta": "io.k8s.apimachinery.pkg.apis.meta.v1",
  "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  "apiregistration": "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
  "autoscaling2": "io.k8s.api.autoscaling.v2",
};

/** Returns the name of a kind's type, such as "core.Pod"; undefined for kinds that are not built in. */
export function typeOfKind(apiVersion: unknown, kind: unknown): string | undefined {
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
  const number = /^v(\d)$/.exec(version ?? "")?.[1];
  const name = `${group?.split(".")[0]}${number === "1" ? "" : number}.${kind}`;
  const known = number !== undefined && (!group?.includes(".") || group.endsWith(".k8s.io"));
  return known && lineOf(name) !== undefined ? name : undefined;
}

/** Returns the fields of a type; undefined if it has none of its own. */
export function fieldsOf(type: string): Field[] | undefined {
  return tokensOf(type)?.map((token) => parseField(token, groupOf(type)));
}

/** Returns one field of a type; undefined if it has no such field. */
export function fieldOf(type: string, name: string): Field | undefined {
  const token = tokensOf(type)?.find((candidate) => candidate.startsWith(`${name}:`));
  return token === undefined ? undefined : parseField(token, groupOf(type));
}

const byName = new Map<string, ReadonlyMap<string, Field>>();

/** Returns the fields of a type by their names, parsed once; undefined if it has none of its own. */
export function fieldsByName(type: string): ReadonlyMap<string, Field> | undefined {
  const known = byName.get(type);
  if (known !== undefined) return known;
  const fields = fieldsOf(type);
  if (fields === undefined) return undefined;
  const found = new Map(fields.map((field) => [field.name, field]));
  byName.set(type, found);
  return found;
}

/** The types without fields of their own, such as Quantity. */
export const SINGLE_TYPES: readonly string[] = Object.keys(SPECIAL);

/** Tells whether a type has no fields of its own, such as Quantity. */
export function isSingle(type: string): boolean {
  return Object.hasOwn(SPECIAL, type);
}

/** Tells whether a type is one value for server-side apply. */
export function isAtomic(type: string): boolean {
  return lineOf(type)?.startsWith("^") ?? false;
}

/** Returns the OpenAPI of a type without fields of its own, such as Quantity. */
export function specialType(type: string): Readonly<Record<string, unknown>> | undefined {
  return Object.hasOwn(SPECIAL, type) ? SPECIAL[type] : undefined;
}

/** Returns the name by which OpenAPI documents call a type, such as "io.k8s.api.core.v1.Pod". */
export function definitionName(type: string): string {
  const group = groupOf(type);
  const short = type.slice(type.lastIndexOf(".") + 1);
  const prefix = PREFIXES[group === "" ? type : group] ?? `io.k8s.api.${group}.v1`;
  return `${prefix}.${short}`;
}

function groupOf(type: string): string {
  return type.includes(".") ? type.slice(0, type.indexOf(".")) : "";
}

let lines: ReadonlyMap<string, string> | undefined;

/** NB: the tables are split once, when the first type is asked for; a line is parsed whenever it is. */
function lineOf(type: string): string | undefined {
  lines ??= new Map(typeLines());
  return lines.get(type);
}

/** Returns the tables as they are written: the name of each type, and its line. */
export function typeLines(): [string, string][] {
  return [CORE, GROUPS, DEFINITIONS].flatMap((table) => table.trim().split("\n")).map((line) => {
    const space = line.indexOf(" ");
    return space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
  });
}

function tokensOf(type: string): string[] | undefined {
  return lineOf(type)?.split(" ").filter((token) => token !== "^" && token !== "");
}

function parseField(token: string, group: string): Field {
  const colon = token.indexOf(":");
  const [rest = "", place = ""] = token.slice(colon + 1).split("/");
  const end = rest.search(/[*@+~!#&=^]/);
  const flags = end < 0 ? "" : rest.slice(end);
  const mergeKey = /@([^*+~!#&=^]+)/.exec(flags)?.[1];
  const keys = /#([^*@+~!&=^]+)/.exec(flags)?.[1];
  const listType = keys !== undefined
    ? "map"
    : flags.includes("&")
    ? "set"
    : flags.includes("=")
    ? "atomic"
    : undefined;
  return {
    name: token.slice(0, colon),
    shape: parseShape(end < 0 ? rest : rest.slice(0, end), group),
    required: flags.includes("*"),
    merges: mergeKey !== undefined || flags.includes("+"),
    retainsKeys: flags.includes("~"),
    replaces: flags.includes("!"),
    atomicMap: flags.includes("^"),
    numbers: place.split(/[.?]/).filter((part) => part !== "").map(Number),
    isPointer: place.endsWith("?"),
    ...(mergeKey === undefined ? {} : { mergeKey }),
    ...(listType === undefined ? {} : { listType }),
    ...(keys === undefined ? {} : { listKeys: keys.split(",") }),
  };
}

function parseShape(text: string, group: string): Shape {
  if (text.startsWith("[")) return { kind: "list", of: parseShape(text.slice(1, -1), group) };
  if (text.startsWith("{")) return { kind: "map", of: parseShape(text.slice(1, -1), group) };
  if (Object.hasOwn(SCALARS, text)) return SCALARS[text]!;
  if (text.includes(".") || Object.hasOwn(SPECIAL, text)) return { kind: "type", name: text };
  return { kind: "type", name: `${group}.${text}` };
}
