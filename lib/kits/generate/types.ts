/**
 * Typed constants for the kinds of strangers: what `resource()` needs, made of their definitions.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
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

/**
 * Makes a module that exports a constant and the types of each version that is served: `Certificate`, `CertificateSpec`,
 * `CertificateStatus`; versions other than the stored one add their names, as in `CertificateV1beta1`.
 *
 * @throws {TypeError} If a definition lacks names, or its schema contains itself, refers to what is not there, or has no
 * end.
 */
export function makeTypes(crds: readonly JsonObject[]): string {
  const versions = crds.flatMap(versionsOf);
  const names = nameVersions(versions);
  const parts = versions.map((version) => moduleOf(version, names.get(version) ?? version.kind));
  const used = ["KubeObject", "ResourceType"].filter((name) =>
    parts.some((part) => part.includes(`${name}<`))
  );
  const types = used.map((name) => `type ${name}`);
  const words = [...types, "resource"].sort((a, b) => compareNames(a, b));
  return `${HEAD}import { ${words.join(", ")} } from "@lotse/lotse";\n\n${parts.join("\n")}`;
}

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
  if (typeof group !== "string" || typeof plural !== "string" || typeof kind !== "string") {
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

function schemaOf({ schema }: JsonObject): JsonObject | undefined {
  const found = isObject(schema) ? schema.openAPIV3Schema : undefined;
  return isObject(found) ? found : undefined;
}

/** Names the versions: kinds of several groups are told apart by their groups. */
function nameVersions(versions: readonly Version[]): Map<Version, string> {
  const names = new Map<Version, string>();
  const simple = (version: Version): string =>
    version.isMain ? version.kind : version.kind + toPascal(version.version);
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
const RESERVED = ["KubeObject", "Record", "ResourceType", "resource"];

function typeNames(name: string): string[] {
  return [name, `${name}Spec`, `${name}Status`];
}

function moduleOf({ group, version, plural, kind, namespaced, schema }: Version, name: string): string {
  const options = [
    `group: ${JSON.stringify(group)}`,
    `version: ${JSON.stringify(version)}`,
    `plural: ${JSON.stringify(plural)}`,
    `kind: ${JSON.stringify(kind)}`,
    ...namespaced ? [] : ["namespaced: false"],
  ].map((line) => `  ${line},\n`).join("");
  const writer = new TypeWriter(schema ?? {}, name);
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const declared: string[] = [];
  for (const part of ["spec", "status"]) writer.know(`#/properties/${part}`, name + toPascal(part));
  const parameters = (["spec", "status"] as const).map((part) => {
    const node = properties[part];
    if (!isObject(node)) return "Record<string, unknown>";
    const type = name + toPascal(part);
    declared.push(writer.declare(type, node, part));
    return type;
  }).join(", ");
  const others = Object.keys(properties).filter((key) => !COMMON.includes(key));
  const whole = others.length === 0 ? [] : [
    `/** Objects of the kind, with the fields that stand beside spec and status. */\n` +
    `export type ${name} = KubeObject<${parameters}> & ${writer.others(others)};\n`,
  ];
  return [
    ...writer.declarations,
    ...declared,
    ...whole,
    `/** ${kind} of ${group}/${version}. */\n` +
    `export const ${name}: ResourceType<${parameters}> = resource<${parameters}>({\n${options}});\n`,
  ].join("\n");
}

const COMMON = ["apiVersion", "kind", "metadata", "spec", "status"];
