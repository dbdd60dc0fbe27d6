/**
 * Writes the types of Kubernetes' own kinds, from the OpenAPI document that its Go module carries:
 * `deno task kubernetes-types` (needs Go, which the real control plane of the tests needs, too).
 *
 * Takes the stable versions only (of several, the newest), and no descriptions: names, shapes and what is required are
 * facts, the sentences belong to Kubernetes. What JSON cannot tell from the document (times, quantities, JSON Schema
 * inside of CRDs) stands in `KNOWN`.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const MODULE = "k8s.io/kubernetes";

/** A schema, as far as Kubernetes' document uses the format. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Operation {
  readonly "x-kubernetes-group-version-kind"?: KindName;
}

interface Document {
  readonly info: { readonly version: string };
  readonly definitions: Readonly<Record<string, Schema & { "x-kubernetes-group-version-kind"?: KindName[] }>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A kind that clusters serve. */
interface Kind extends KindName {
  readonly plural: string;
  readonly namespaced: boolean;
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

/** Types that the document does not spell out. */
const KNOWN: Readonly<Record<string, string>> = {
  [`${META}ObjectMeta`]: "ObjectMeta",
  [`${META}Time`]: "string",
  [`${META}MicroTime`]: "string",
  [`${META}FieldsV1`]: "JsonObject",
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "number | string",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "number | string",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "JsonObject",
  [`${EXTENSIONS}JSON`]: "unknown",
  [`${EXTENSIONS}JSONSchemaPropsOrBool`]: "JSONSchemaProps | boolean",
  [`${EXTENSIONS}JSONSchemaPropsOrArray`]: "JSONSchemaProps | JSONSchemaProps[]",
  [`${EXTENSIONS}JSONSchemaPropsOrStringArray`]: "JSONSchemaProps | string[]",
};
/** Definitions that only a type in `KNOWN` names. */
const HIDDEN = [`${EXTENSIONS}JSONSchemaProps`];

/** Kinds that are served, and of no use: deprecated, or parts of other kinds' requests. */
const LEFT_OUT = new Set(["Binding", "ComponentStatus"]);

/** Where two groups have a kind of the same name, or a type that is no kind, the first of these keeps it. */
const ORDER = ["core", "apps", "batch", "networking", "rbac", "storage", "admissionregistration"];

/** Fields that all kinds have, or that have a type of their own. */
const COMMON = ["apiVersion", "kind", "metadata", "spec", "status"];

const document = readDocument();
const kinds = kindsOf(document);
const names = nameTypes(document, kinds);
const version = /@v(\d+\.\d+)/.exec(moduleFolder())?.[1] ?? "";
write("lib/kits/kinds/kubernetes.ts", typesModule());
write("lib/kits/kinds/builtin_kinds.ts", kindsModule());

function readDocument(): Document {
  const [path = join(moduleFolder(), "api/openapi-spec/swagger.json")] =
    readOptions(import.meta.url, { allowPositionals: true }).positionals;
  return JSON.parse(readFileSync(path, "utf8"));
}

function moduleFolder(): string {
  const folder = join(ROOT, "tests/control_plane");
  const go = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", MODULE], { cwd: folder, encoding: "utf8" });
  if (go.status !== 0) throw new Error(`Cannot find ${MODULE}: ${go.error ?? go.stderr}`);
  return go.stdout.trim();
}

/** The kinds of stable versions, each once, by name. */
function kindsOf({ paths }: Document): Kind[] {
  const found = new Map<string, Kind>();
  for (const [path, operations] of Object.entries(paths)) {
    const match = /^\/apis?\/(?:[^/]+\/)?v\d+(\/namespaces\/\{namespace\})?\/([a-z]+)$/.exec(path);
    const name = operations.post?.["x-kubernetes-group-version-kind"];
    if (match === null || name === undefined || LEFT_OUT.has(name.kind)) continue;
    const [, scope, plural = ""] = match;
    const known = found.get(name.kind);
    if (known !== undefined && rankOf(known) < rankOf(name)) continue;
    found.set(name.kind, {
      ...name,
      plural,
      namespaced: scope !== undefined || (known?.namespaced ?? false),
    });
  }
  return [...found.values()].sort((one, other) => one.kind < other.kind ? -1 : 1);
}

/** The lower, the rather: by the group's place, and the newer version first. */
function rankOf({ group, version }: KindName): number {
  return placeOf(group.split(".")[0] || "core") - Number(version.slice(1)) / 100;
}

function placeOf(group: string): number {
  const place = ORDER.indexOf(group);
  return place < 0 ? ORDER.length : place;
}

/** The names of all types that are needed, by the names that the document has for them. */
function nameTypes({ definitions }: Document, kinds: readonly Kind[]): Map<string, string> {
  const wanted = new Set<string>();
  for (const kind of kinds) collect(definitionOf(kind), wanted);
  for (const each of HIDDEN) collect(each, wanted);
  const roots = new Set(kinds.map((kind) => definitionOf(kind)));
  const sorted = [...wanted].sort((one, other) =>
    Number(roots.has(other)) - Number(roots.has(one)) || placeOf(groupOf(one)) - placeOf(groupOf(other)) ||
    (one < other ? -1 : 1)
  );
  const taken = new Map<string, string>();
  for (const id of sorted) {
    const short = id.split(".").at(-1) ?? id;
    const name = taken.has(short) ? `${pascalCase(groupOf(id))}${short}` : short;
    if (taken.has(name)) throw new Error(`Two types are called ${name}: ${taken.get(name)}, ${id}`);
    taken.set(name, id);
  }
  return new Map([...taken].map(([name, id]) => [id, name]));

  function collect(id: string, into: Set<string>): void {
    if (id in KNOWN || into.has(id)) return;
    into.add(id);
    for (const schema of Object.values(definitions[id]?.properties ?? {})) collectFrom(schema, into);
  }

  function collectFrom({ $ref, items, additionalProperties }: Schema, into: Set<string>): void {
    if ($ref !== undefined) collect(idOf($ref), into);
    for (const inner of [items, additionalProperties]) if (inner !== undefined) collectFrom(inner, into);
  }
}

function definitionOf(kind: Kind): string {
  const found = Object.entries(document.definitions).find(([, definition]) =>
    definition["x-kubernetes-group-version-kind"]?.some((name) =>
      name.kind === kind.kind && name.group === kind.group && name.version === kind.version
    )
  );
  if (found === undefined) throw new Error(`No definition of ${kind.kind}`);
  return found[0];
}

/** "core" of "io.k8s.api.core.v1.PodSpec". */
function groupOf(id: string): string {
  return id.split(".").at(-3) ?? "";
}

function idOf(ref: string): string {
  return ref.replace("#/definitions/", "");
}

function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return KNOWN[idOf(schema.$ref)] ?? names.get(idOf(schema.$ref)) ?? "unknown";
  if (schema.type === "array") {
    const item = typeOf(schema.items ?? {});
    return /[ |]/.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === "object") {
    return schema.additionalProperties === undefined
      ? "JsonObject"
      : `Record<string, ${typeOf(schema.additionalProperties)}>`;
  }
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean" || schema.type === "string") return schema.type;
  return "unknown";
}

function typesModule(): string {
  const lines = [
    "/**",
    ` * The types of Kubernetes' own kinds, of their specs, statuses and parts, as of ${version}.`,
    " *",
    " * Made by tools/kubernetes_types.ts; do not edit. Types only: nothing of it is there at run time. Where two groups have a",
    " * type of the same name, one of them begins with its group: `Subject`, `FlowcontrolSubject`.",
    " *",
    " * They are type aliases, not interfaces, so that they fit where any JSON object does.",
    " */",
    "",
    'import type { JsonObject, ObjectMeta } from "../../model/object.ts";',
  ];
  for (const [id, name] of [...names].sort(([, one], [, other]) => one < other ? -1 : 1)) {
    const { properties = {}, required = [] } = document.definitions[id] ?? {};
    const [group, its] = [groupOf(id), id.split(".").at(-2)];
    lines.push("", `/** \`${id.split(".").at(-1)}\` of ${group}/${its}. */`);
    if (Object.keys(properties).length === 0) {
      lines.push(`export type ${name} = JsonObject;`);
      continue;
    }
    lines.push(`export type ${name} = {`);
    for (const [key, schema] of Object.entries(properties)) {
      const property = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
      const isThere = required.includes(key);
      lines.push(`  ${property}${isThere ? "" : "?"}: ${typeOf(schema)};`);
    }
    lines.push("};");
  }
  return `${lines.join("\n")}\n`;
}

function kindsModule(): string {
  const has = (kind: Kind, part: string) => document.definitions[definitionOf(kind)]?.properties?.[part];
  const lines = [
    "/**",
    ` * The kinds that Kubernetes ${version} serves in stable versions, with the types of their fields.`,
    " *",
    " * Made by tools/kubernetes_types.ts; do not edit.",
    " */",
    "",
    'import type * as types from "./kubernetes.ts";',
    'import type { ResourceType } from "../../registry/resource.ts";',
    'import type { Stanzas } from "../../registry/stanzas.ts";',
    "",
    "/** Built-in kinds by name. */",
    "export interface Kinds {",
  ];
  for (const kind of kinds) {
    const [spec, status] = ["spec", "status"].map((part) => {
      const type = typeOf(has(kind, part) ?? { type: "object" });
      return type === "JsonObject" ? undefined : `types.${type}`;
    });
    const parts = [partOf(kind, spec), ...status === undefined ? [] : [status]].join(", ");
    const place = kind.namespaced ? "" : " Cluster-scoped.";
    lines.push(`  /** Kind "${kind.kind}" of ${kind.group || "core"}/${kind.version}.${place} */`);
    lines.push(`  readonly ${kind.kind}: ResourceType<${parts}>;`);
  }
  lines.push(
    "}",
    "",
    "/** How each is addressed: its group and version, its plural, and whether it is cluster-scoped. */",
  );
  lines.push(
    'export const ADDRESSES: Readonly<Record<keyof Kinds, readonly [string, string, "cluster"?]>> = {',
  );
  for (const { kind, group, version, plural, namespaced } of kinds) {
    const apiVersion = group === "" ? version : `${group}/${version}`;
    lines.push(`  ${kind}: ["${apiVersion}", "${plural}"${namespaced ? "" : ', "cluster"'}],`);
  }
  lines.push("};");
  return `${lines.join("\n")}\n`;
}

/** The type of a kind's spec, with the other fields of its objects. */
function partOf(kind: Kind, spec: string | undefined): string {
  const { properties = {} } = document.definitions[definitionOf(kind)] ?? {};
  const hasMore = Object.keys(properties).some((key) => !COMMON.includes(key));
  const more = hasMore ? [`Stanzas<types.${names.get(definitionOf(kind))}>`] : [];
  return [...spec === undefined ? [] : [spec], ...more].join(" & ") || "Record<string, unknown>";
}

function write(path: string, text: string): void {
  writeFileSync(join(ROOT, path), text);
  spawnSync("deno", ["fmt", "-q", join(ROOT, path)]);
}
