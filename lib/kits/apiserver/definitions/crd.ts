/**
 * CustomResourceDefinitions: the defaults of one, the resources that it makes, and the status of one that is in force.
 *
 * Faults of one are told by `validateDefinition()` in `rules.ts`, which is loaded late.
 * Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/v1/defaults.go and pkg/controller/status.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Resource } from "../../../model/resource.ts";
import type { PrinterColumn } from "../types/served.ts";
import { fill, getOwn, isObject, objectAt } from "../values.ts";

/** One served version of a CRD: an entry for discovery, and the facts that the store needs. */
export interface ServedResource extends Resource {
  readonly listKind: string;
  /** The `apiVersion` in which objects are stored. */
  readonly storedIn: string;
  /** `openAPIV3Schema`, for compileSchema(). */
  readonly schema?: JsonObject;
  /** `additionalPrinterColumns`, for toTable(). */
  readonly columns: readonly PrinterColumn[];
  readonly scale?: ScalePaths;
  /** Dotted paths that field selectors may use, such as `spec.engine`. */
  readonly selectable: readonly string[];
  /** The text of the `Warning` header, if the version is deprecated. */
  readonly deprecation?: string;
}

/** Where the scale subresource finds its numbers: paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** The verbs that discovery shows of a kind whose definition is being deleted: patches are taken all the same. */
const ENDING_VERBS = ["delete", "deletecollection", "get", "list", "watch"];

/** Fills in the fields that a definition may leave out, in place: singular, listKind, conversion, stored versions. */
export function defaultDefinition(crd: KubeObject): void {
  const { spec } = crd;
  if (!isObject(spec)) return;
  const names = objectAt(spec, "names");
  if (names !== undefined) {
    const kind = text(names, "kind");
    if (text(names, "singular") === "") names.singular = kind.toLowerCase();
    if (text(names, "listKind") === "" && kind !== "") names.listKind = `${kind}List`;
  }
  if (!isObject(spec.conversion)) spec.conversion = { strategy: "None" };
  const service = objectAt(objectAt(objectAt(spec.conversion, "webhook"), "clientConfig"), "service");
  if (service !== undefined) service.port ??= 443;
  for (const version of objects(spec, "versions")) fill(version, { served: false, storage: false });
}

/** Returns the resources of all served versions, in Kubernetes' order of preference (v2, v1, v1beta1). */
export function servedResources(crd: KubeObject): ServedResource[] {
  const versions = versionsOf(crd)
    .filter((version) => version.served === true)
    .sort((a, b) => compareVersions(text(a, "name"), text(b, "name")));
  return versions.map((version, index) => toResource(crd, { version, preferred: index === 0 }));
}

/** Orders versions as Kubernetes prefers them: v10, v2, v1, v2beta1, v1alpha3, then others by name. */
export function compareVersions(a: string, b: string): number {
  const [ranksA, ranksB] = [ranksOf(a), ranksOf(b)];
  if (ranksA === undefined || ranksB === undefined) {
    if (ranksA !== undefined) return -1;
    if (ranksB !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  for (let i = 0; i < ranksA.length; i++) {
    if (ranksA[i] !== ranksB[i]) return (ranksB[i] ?? 0) - (ranksA[i] ?? 0);
  }
  return 0;
}

/** Returns stability, major and minor of `v1beta2`; the higher the better. */
function ranksOf(version: string): number[] | undefined {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (found === null) return undefined;
  const stability = found[2] === undefined ? 2 : found[2] === "beta" ? 1 : 0;
  return [stability, Number(found[1]), Number(found[3] ?? 0)];
}

function toResource(crd: KubeObject, of: { version: JsonObject; preferred: boolean }): ServedResource {
  const { version, preferred } = of;
  const spec = crd.spec ?? {};
  const stored = versionsOf(crd).find((candidate) => candidate.storage === true) ?? version;
  const names = objectAt(spec, "names") ?? {};
  const subresources = objectAt(version, "subresources") ?? {};
  const scale = objectAt(subresources, "scale");
  const schema = objectAt(objectAt(version, "schema"), "openAPIV3Schema");
  const kind = text(names, "kind");
  return {
    group: text(spec, "group"),
    version: text(version, "name"),
    plural: text(names, "plural"),
    kind,
    listKind: text(names, "listKind") || `${kind}List`,
    singular: text(names, "singular") || kind.toLowerCase(),
    shortcuts: texts(names, "shortNames"),
    categories: texts(names, "categories"),
    subresources: ["status", "scale"].filter((name) => isObject(getOwn(subresources, name))),
    namespaced: text(spec, "scope") === "Namespaced",
    preferred,
    verbs: crd.metadata.deletionTimestamp === undefined ? VERBS : ENDING_VERBS,
    storedIn: `${text(spec, "group")}/${text(stored, "name")}`,
    columns: objects(version, "additionalPrinterColumns").map(toColumn),
    selectable: objects(version, "selectableFields").map((field) =>
      text(field, "jsonPath").replace(/^\./, "")
    ),
    ...(schema === undefined ? {} : { schema }),
    ...(scale === undefined ? {} : { scale: toScalePaths(scale) }),
    ...deprecationOf(crd, version),
  };
}

function toScalePaths(scale: JsonObject): ScalePaths {
  const labelSelectorPath = text(scale, "labelSelectorPath");
  return {
    specReplicasPath: text(scale, "specReplicasPath"),
    statusReplicasPath: text(scale, "statusReplicasPath"),
    ...(labelSelectorPath === "" ? {} : { labelSelectorPath }),
  };
}

function toColumn(column: JsonObject): PrinterColumn {
  const format = text(column, "format");
  const description = text(column, "description");
  return {
    name: text(column, "name"),
    type: text(column, "type"),
    jsonPath: text(column, "jsonPath"),
    ...(format === "" ? {} : { format }),
    ...(description === "" ? {} : { description }),
    ...(typeof column.priority === "number" ? { priority: column.priority } : {}),
  };
}

function deprecationOf(crd: KubeObject, version: JsonObject): { deprecation?: string } {
  if (version.deprecated !== true) return {};
  const own = text(version, "deprecationWarning");
  if (own !== "") return { deprecation: own };
  const { spec = {} } = crd;
  const nameOf = (name: string) =>
    `${text(spec, "group")}/${name} ${text(objectAt(spec, "names") ?? {}, "kind")}`;
  const deprecation = `${nameOf(text(version, "name"))} is deprecated`;
  const [better] = versionsOf(crd)
    .filter(({ served, deprecated }) => served === true && deprecated !== true)
    .map((other) => text(other, "name"))
    .filter((name) => compareVersions(name, text(version, "name")) < 0)
    .sort(compareVersions);
  return { deprecation: better === undefined ? deprecation : `${deprecation}; use ${nameOf(better)}` };
}

function versionsOf(crd: KubeObject): JsonObject[] {
  return isObject(crd.spec) ? objects(crd.spec, "versions") : [];
}

function text(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}

function texts(object: JsonObject, key: string): string[] {
  const value = getOwn(object, key);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function objects(object: JsonObject, key: string): JsonObject[] {
  const value = getOwn(object, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}
