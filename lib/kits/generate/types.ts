/**
 * Typed constants for kinds of other authors: the arguments of `resource()`, made of their definitions.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatJson } from "../../runtime/json.ts";
import { Shapes } from "./shapes.ts";
import { toPascal, TypeWriter } from "./typescript.ts";

/** One version of a definition. */
interface Version {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether it is the one to take: the stored one. */
  readonly isMain: boolean;
  /** Undefined: anything goes. */
  readonly schema: JsonObject | undefined;
}

const HEAD = `/**
 * Made by \`lotse generate types\` of CustomResourceDefinitions: make it anew instead of changing it.
 */

`;

/** Tells whether a manifest is a definition, of any age. */
export function isCrd(manifest: unknown): manifest is JsonObject {
  return isObject(manifest) && manifest.kind === "CustomResourceDefinition" &&
    String(manifest.apiVersion).startsWith("apiextensions.k8s.io/");
}

/** A module, and the refusals of definitions that are not in it. */
export interface Types {
  readonly text: string;
  /** Why definitions, or versions of them, were passed over. */
  readonly refusals: readonly TypeError[];
}

/**
 * Makes a module that exports a constant and the types of each version that is served: `Certificate`, `CertificateSpec`,
 * `CertificateStatus`; versions other than the stored one add their names, as in `CertificateV1beta1`. Where fields have
 * defaults, `CertificateSpecInput` is the spec as it is sent, without them.
 *
 * Definitions are passed over that lack names, are there twice, or whose schema contains itself, refers to missing parts, or
 * has no end.
 *
 * @throws {TypeError} If none is left, or one cannot be told from another.
 */
export function makeTypes(crds: readonly JsonObject[]): Types {
  const refusals: TypeError[] = [];
  const orRefusal = <Result>(make: () => Result): Result | undefined => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      refusals.push(error);
    }
  };
  const all = crds.flatMap((crd) => orRefusal(() => versionsOf(crd)) ?? []);
  const versions = all.filter((version, index) =>
    all.findIndex((other) => isSame(version, other)) === index ||
    orRefusal(() => refuseTwice(version)) === true
  );
  const names = nameVersions(versions);
  const shapes = new Shapes();
  const parts = versions.flatMap((version) =>
    orRefusal(() => {
      const name = names.get(version) ?? version.kind;
      moduleOf(version, { name, shapes: new Shapes() }); // a refused version leaves no shapes behind
      return moduleOf(version, { name, shapes });
    }) ?? []
  );
  if (parts.length === 0 && refusals.length > 0) throw refusals[0];
  const whole = parts.join("\n");
  const taken = new Set([...RESERVED, ...[...whole.matchAll(DECLARED)].map(([, name = ""]) => name)]);
  const { text, declarations } = shapes.render(whole, taken);
  const shared = declarations.length === 0
    ? ""
    : `\n// Types that stand in several places.\n\n${declarations.join("\n")}`;
  const body = text + shared;
  const used = ["KubeObject", "ObjectMeta", "ResourceType"].filter((name) =>
    new RegExp(`\\b${name}\\b[<>]`).test(body)
  );
  const words = [...used.map((name) => `type ${name}`), "resource"].sort((a, b) => compareNames(a, b));
  const types = ["DeepReadonly", "Stanzas"].filter((name) => new RegExp(`\\b${name}<`).test(body));
  const deep = types.length === 0 ? "" : `import type { ${types.join(", ")} } from "@lotse/lotse/types";\n`;
  return { text: `${HEAD}import { ${words.join(", ")} } from "@lotse/lotse";\n${deep}\n${body}`, refusals };
}

function isSame(one: Version, other: Version): boolean {
  return one.group === other.group && one.plural === other.plural && one.version === other.version;
}

function refuseTwice({ plural, group, version }: Version): never {
  throw new TypeError(
    `Cannot make types of "${plural}.${group}" ${version}: it is there twice, and the first one counts`,
  );
}

const DECLARED = /^export (?:interface|type|const) (\w+)/gm;

function compareNames(a: string, b: string): number {
  const [one, two] = [a, b].map((name) => name.replace("type ", "").toLowerCase());
  return (one ?? "") < (two ?? "") ? -1 : 1;
}

function versionsOf(crd: JsonObject): Version[] {
  const spec = isObject(crd.spec) ? crd.spec : {};
  const names = isObject(spec.names) ? spec.names : {};
  const title = isObject(crd.metadata) ? String(crd.metadata.name) : "?";
  const { group } = spec;
  const { plural, kind } = names;
  if (!isName(group) || !isName(plural) || !isName(kind)) {
    throw new TypeError(`Cannot make types of "${title}": it lacks its group, its plural or its kind`);
  }
  // Definitions of v1beta1 could have one version, and one schema for all versions.
  const listed = Array.isArray(spec.versions) ? spec.versions.filter(isObject) : [];
  const versions = listed.length > 0 ? listed : [{ name: spec.version, served: true, storage: true }];
  const served = versions.filter((version) => version.served !== false);
  const main = served.find((version) => version.storage === true) ?? served[0];
  return served.map((version) => ({
    group,
    plural,
    kind,
    version: String(version.name),
    isMain: version === main,
    namespaced: spec.scope !== "Cluster",
    schema: schemaOf(version) ?? schemaOf({ schema: spec.validation }),
  }));
}

/** Whether it is a name as Kubernetes has them: of letters, digits, dots and dashes. Templates of names are none. */
function isName(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z][A-Za-z0-9.-]*$/.test(value);
}

function schemaOf({ schema }: JsonObject): JsonObject | undefined {
  const found = isObject(schema) ? schema.openAPIV3Schema : undefined;
  return isObject(found) ? found : undefined;
}

/** Names the versions: kinds of several groups are told apart by their groups. */
function nameVersions(versions: readonly Version[]): Map<Version, string> {
  const names = new Map<Version, string>();
  const simple = (version: Version): string =>
    toPascal(version.kind) + (version.isMain ? "" : toPascal(version.version));
  const [byGroup, byDomain] = [1, Infinity].map((labels) => (version: Version): string =>
    toPascal(version.group.split(".").slice(0, labels).join(".")) + simple(version)
  );
  for (const version of versions) {
    const isFree = (name: (version: Version) => string): boolean => {
      const own = typeNames(name(version));
      if (own.some((each) => RESERVED.includes(each))) return false;
      return versions.every((other) =>
        other === version || !typeNames(name(other)).some((each) => own.includes(each))
      );
    };
    const found = [simple, byGroup ?? simple, byDomain ?? simple].find(isFree);
    if (found === undefined) {
      throw new TypeError(`Cannot make types of "${version.plural}.${version.group}": it is there twice`);
    }
    names.set(version, found(version));
  }
  return names;
}

/** Names that stand in each module that is made. */
const RESERVED = [
  "DeepReadonly",
  "KubeObject",
  "ObjectMeta",
  "Record",
  "ResourceType",
  "Stanzas",
  "resource",
];

function typeNames(name: string): string[] {
  return [name, `${name}Spec`, `${name}Status`, `${name}SpecInput`];
}

interface ModuleOptions {
  readonly name: string;
  readonly shapes: Shapes;
}

/** @throws {TypeError} If there are no types of its schema. */
function moduleOf(
  { group, version, plural, kind, namespaced, schema }: Version,
  { name, shapes }: ModuleOptions,
): string {
  const options = [
    `group: ${JSON.stringify(group)}`,
    `version: ${JSON.stringify(version)}`,
    `plural: ${JSON.stringify(plural)}`,
    `kind: ${JSON.stringify(kind)}`,
    ...namespaced ? [] : ["namespaced: false"],
  ].map((line) => `  ${line},\n`).join("");
  const root = schema ?? {};
  const properties = isObject(root.properties) ? root.properties : {};
  const writer = new TypeWriter({ root, prefix: name, side: "read", shapes });
  for (const part of ["spec", "status"]) writer.know(`#/properties/${part}`, name + toPascal(part));
  const declared: string[] = [];
  const [spec, status] = (["spec", "status"] as const).map((part) => {
    const node = properties[part];
    if (!isObject(node)) return "Record<string, unknown>";
    const type = name + toPascal(part);
    declared.push(writer.declare(type, node, part));
    return type;
  });
  const input = inputOf(properties.spec, { name, root, shapes, writer });
  const others = Object.keys(properties).filter((key) => !COMMON.includes(key));
  const whole = others.length === 0 ? [] : [
    `/** Objects of the kind, with the fields that stand beside spec and status. */\n` +
    `export type ${name} = KubeObject<${spec}, ${status}> & ${writer.others(others)};\n`,
  ];
  const typed = others.length === 0 ? spec : `${spec} & Stanzas<${name}>`;
  const all = [typed, status, ...input.length === 0 ? [] : [`${name}SpecInput`]].join(", ");
  return [
    ...writer.declarations,
    ...declared,
    ...input,
    ...whole,
    `/** ${kind} of ${group}/${version}. */\n` +
    `export const ${name}: ResourceType<${all}> = resource<${all}>({\n${options}});\n`,
  ].join("\n");
}

/** Returns the declarations of the spec as it is sent; none where it is as it is read. */
function inputOf(
  schema: unknown,
  { name, root, shapes, writer }: ModuleOptions & { readonly root: JsonObject; readonly writer: TypeWriter },
): string[] {
  if (!isObject(schema) || !formatJson(schema).includes('"default":')) return [];
  const type = `${name}SpecInput`;
  const sent = new TypeWriter({ root, prefix: `${name}Sent`, side: "sent", shapes });
  sent.know("#/properties/spec", type);
  if (sent.typeOf(schema, "spec") === writer.typeOf(schema, "spec")) return [];
  const declaration = sent.declare(type, {
    ...schema,
    description: "As it is sent: the server fills defaults in.",
  }, "spec");
  return [...sent.declarations, declaration];
}

const COMMON = ["apiVersion", "kind", "metadata", "spec", "status"];
