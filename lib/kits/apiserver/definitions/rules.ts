/**
 * Refusals of Kubernetes for a CustomResourceDefinition, schemas aside (see `schema/rules.ts`).
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/validation/validation.go. Parts of versions, and the
 * conversion: `part_rules.ts`. Not checked: certificates of conversion webhooks.
 */

import type { ObjectPart } from "../paths.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { approvalCauses } from "./api_approval.ts";
import { type Cause, invalid, notSupported, required } from "../causes.ts";
import type { CelLoader } from "../cel/loader.ts";
import { defaultRuleCauses, validationCauses } from "../cel/rule_causes.ts";
import { hasRules } from "../cel/validations.ts";
import { columnCauses, conversionCauses, scaleCauses, selectableCauses } from "./part_rules.ts";
import { formatPlain, type Printed } from "../formats/go_format.ts";
import { dns1035Errors, dnsSubdomainErrors } from "../names.ts";
import { goSchema } from "../schema/printed.ts";
import { schemaCauses } from "../schema/rules.ts";
import { equal, getOwn, isObject, objectAt } from "../values.ts";

const MIXED_CASE = "may have mixed case, but should otherwise match: ";

/** The facts besides a definition by which it is judged. */
export interface DefinitionContext {
  /** As it was, on an update. */
  readonly old?: KubeObject;
  /** "status": only the status is written. */
  readonly part?: ObjectPart;
  /** Must have been loaded if the definition has rules. Without it, they are not looked at. */
  readonly cel?: CelLoader;
}

/** Returns Kubernetes' faults of a definition that defaultDefinition() has completed. */
export function validateDefinition(crd: KubeObject, { old, cel, part }: DefinitionContext = {}): Cause[] {
  const spec = isObject(crd.spec) ? crd.spec : {};
  return [
    ...(old === undefined ? nameCauses(crd, spec) : []),
    ...groupCauses(spec),
    ...scopeCauses(spec),
    ...versionsCauses(spec, cel),
    ...conversionCauses(objectAt(spec, "conversion")),
    ...storedVersionCauses(objects(spec, "versions")),
    ...approvalCauses(crd, old),
    ...preserveCauses(spec),
    ...(old === undefined ? [] : [
      ...immutableCauses(spec, old),
      // NB: a writer of the status alone, such as a migrator, may say which versions were stored.
      ...(part === "status" ? [] : keptVersionCauses(objectAt(crd, "status"), objects(spec, "versions"))),
    ]),
  ];
}

/** Returns the fault of a name that is not its definition's; faults that names of all kinds can have are told before. */
function nameCauses(crd: KubeObject, spec: JsonObject): Cause[] {
  const name = crd.metadata?.name ?? "";
  const wanted = `${text(objectAt(spec, "names"), "plural")}.${text(spec, "group")}`;
  if (name === wanted) return [];
  return [invalid("metadata.name", { value: name, detail: `must be spec.names.plural+"."+spec.group` })];
}

function groupCauses(spec: JsonObject): Cause[] {
  const group = text(spec, "group");
  if (group === "") return [required("spec.group")];
  const errors = dnsSubdomainErrors(group);
  if (errors.length > 0) return [invalid("spec.group", { value: group, detail: errors.join(",") })];
  if (group.includes(".")) return [];
  return [invalid("spec.group", { value: group, detail: "should be a domain with at least one dot" })];
}

function scopeCauses(spec: JsonObject): Cause[] {
  const scope = text(spec, "scope");
  if (scope === "") return [required("spec.scope")];
  const supported = ["Cluster", "Namespaced"];
  return supported.includes(scope) ? [] : [notSupported("spec.scope", { value: scope, supported })];
}

/** Fields that may stand in each version, and where Kubernetes reports them if all versions have the same. */
const SHARED = {
  schema: "spec.validation",
  subresources: "spec.subresources",
  additionalPrinterColumns: "spec.additionalPrinterColumns",
  selectableFields: "spec.selectableFields",
} as const;

type Shared = keyof typeof SHARED;

function versionsCauses(spec: JsonObject, cel: CelLoader | undefined): Cause[] {
  const versions = objects(spec, "versions");
  const names = versions.map((version) => text(version, "name"));
  const [first = {}] = versions;
  const isShared = (key: Shared): boolean =>
    versions.every((version) => equal(getOwn(version, key), getOwn(first, key)));
  const missing = isShared("schema") && isObject(schemaOf(first))
    ? []
    : versions.flatMap((version, index) =>
      isObject(schemaOf(version)) ? [] : [required(`spec.versions[${index}].schema.openAPIV3Schema`)]
    );
  const keys = Object.keys(SHARED) as Shared[];
  const shared = keys.filter(isShared);
  const each = versions.flatMap((version, index) => {
    const path = `spec.versions[${index}]`;
    const own = keys.filter((key) => !isShared(key));
    return [
      ...versionCauses(version, path),
      ...own.flatMap((key) => partCauses(version, { key, path: `${path}.${key}`, cel })),
    ];
  });
  const value = Array.isArray(spec.versions) ? new InternalVersions(versions, shared) : null;
  const unique = new Set(names).size === names.length
    ? []
    : [invalid("spec.versions", { value, detail: "must contain unique version names" })];
  const stored = versions.filter((version) => version.storage === true).length === 1 ? [] : [
    invalid("spec.versions", { value, detail: "must have exactly one version marked as storage version" }),
  ];
  return [
    ...missing,
    ...each,
    ...unique,
    ...stored,
    ...nameOfFirst(names),
    ...namesCauses(objectAt(spec, "names") ?? {}),
    ...shared.flatMap((key) =>
      // NB: fields that all versions have in common are looked for in a schema that all have in common.
      key === "selectableFields" && !isShared("schema") && objects(first, key).length > 0
        ? [invalid(SHARED[key], { value: "", detail: "may only be set when validations.schema is included" })]
        : partCauses(first, { key, path: SHARED[key], cel })
    ),
  ];
}

/** Versions as Kubernetes prints them: by the names of its Go fields, and without the parts that all have in common. */
class InternalVersions implements Printed {
  readonly #versions: readonly JsonObject[];
  readonly #shared: readonly Shared[];

  constructor(versions: readonly JsonObject[], shared: readonly Shared[]) {
    this.#versions = versions;
    this.#shared = shared;
  }

  print(): string {
    const part = (version: JsonObject, key: Shared): unknown =>
      this.#shared.includes(key) ? null : getOwn(version, key) ?? null;
    return formatPlain(this.#versions.map((version) => ({
      Name: text(version, "name"),
      Served: version.served === true,
      Storage: version.storage === true,
      Deprecated: version.deprecated === true,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: this.#shared.includes("schema") ? null : goValidation(version),
      Subresources: part(version, "subresources"),
      AdditionalPrinterColumns: part(version, "additionalPrinterColumns"),
      SelectableFields: part(version, "selectableFields"),
    })));
  }
}

function goValidation(version: JsonObject): JsonObject | null {
  const schema = schemaOf(version);
  if (objectAt(version, "schema") === undefined) return null;
  return { OpenAPIV3Schema: isObject(schema) ? goSchema(schema) : null };
}

/** The first version's name stands in `spec.version` as well, once Kubernetes has read the definition. */
function nameOfFirst([name = ""]: readonly string[]): Cause[] {
  return name === "" ? [] : nameOfVersion(name, "spec.version");
}

function nameOfVersion(name: string, path: string): Cause[] {
  const errors = dns1035Errors(name);
  return errors.length === 0 ? [] : [invalid(path, { value: name, detail: errors.join(",") })];
}

/** Returns the faults of the defaulted `status.storedVersions`, which has the first version that is to be stored. */
function storedVersionCauses(versions: readonly JsonObject[]): Cause[] {
  const first = versions.find((version) => version.storage === true);
  if (first !== undefined) return unstoredCauses([text(first, "name")], versions);
  return [invalid("status.storedVersions", { value: null, detail: "must have at least one stored version" })];
}

/** NB: a name that two versions have counts once. */
function unstoredCauses(stored: readonly unknown[], versions: readonly JsonObject[]): Cause[] {
  const left = new Set(stored);
  return versions.flatMap((version) => {
    const name = text(version, "name");
    if (left.delete(name) || version.storage !== true) return [];
    const detail = `must have the storage version ${name}`;
    return [invalid("status.storedVersions", { value: stored, detail })];
  });
}

/** Versions in which objects may still be stored must be known. */
function keptVersionCauses(status: JsonObject | undefined, versions: readonly JsonObject[]): Cause[] {
  const stored = getOwn(status ?? {}, "storedVersions");
  const at = "status.storedVersions";
  if (!Array.isArray(stored) || stored.length === 0) {
    return [invalid(at, { value: stored ?? null, detail: "must have at least one stored version" })];
  }
  const names = versions.map((version) => text(version, "name"));
  const missing = unstoredCauses(stored, versions);
  const gone = stored.flatMap((value, index) => {
    if (names.includes(String(value))) return [];
    const detail =
      `missing from spec.versions; ${value} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${value} and removes ${value} from status.storedVersions`;
    return [invalid(`${at}[${index}]`, { value, detail })];
  });
  return [...missing, ...gone];
}

function versionCauses(version: JsonObject, path: string): Cause[] {
  return [...nameOfVersion(text(version, "name"), `${path}.name`), ...deprecationCauses(version, path)];
}

interface PartPlace {
  readonly key: Shared;
  readonly path: string;
  readonly cel: CelLoader | undefined;
}

function partCauses(version: JsonObject, { key, path, cel }: PartPlace): Cause[] {
  const subresources = objectAt(version, "subresources");
  switch (key) {
    case "schema": {
      const schema = schemaOf(version);
      const status = isObject(getOwn(subresources ?? {}, "status"));
      if (!isObject(schema)) return [];
      const at = `${path}.openAPIV3Schema`;
      const causes = schemaCauses(schema, { path: at, status });
      if (causes.length > 0 || cel === undefined || !hasRules(schema)) return causes;
      const byDefaults = defaultRuleCauses(cel.engine, schema, at);
      return byDefaults.length > 0 ? byDefaults : validationCauses(cel.engine, schema, at);
    }
    case "subresources":
      return scaleCauses(objectAt(subresources, "scale"), `${path}.scale`);
    case "additionalPrinterColumns":
      return objects(version, key).flatMap((column, index) => columnCauses(column, `${path}[${index}]`));
    case "selectableFields":
      return selectableCauses(objects(version, key), { path, schema: schemaOf(version) });
  }
}

function deprecationCauses(version: JsonObject, path: string): Cause[] {
  const warning = getOwn(version, "deprecationWarning");
  if (typeof warning !== "string") return [];
  const at = `${path}.deprecationWarning`;
  if (version.deprecated !== true) {
    return [invalid(at, { value: warning, detail: "can only be set for deprecated versions" })];
  }
  if (warning === "") return [invalid(at, { value: warning, detail: "must not be an empty string" })];
  return warning.length > 256
    ? [invalid(at, { value: warning, detail: "must be <= 256 characters long" })]
    : [];
}

function namesCauses(names: JsonObject): Cause[] {
  const missing = ["plural", "singular", "kind", "listKind"]
    .filter((key) => text(names, key) === "")
    .map((key) => required(`spec.names.${key}`));
  const malformed = ["plural", "singular", "kind", "listKind"].flatMap((key) => {
    const value = text(names, key);
    const mixed = key === "kind" || key === "listKind";
    const errors = value === "" ? [] : dns1035Errors(mixed ? value.toLowerCase() : value);
    const detail = `${mixed ? MIXED_CASE : ""}${errors.join(",")}`;
    return errors.length === 0 ? [] : [invalid(`spec.names.${key}`, { value, detail })];
  });
  const kind = text(names, "kind");
  const same = kind !== "" && kind === text(names, "listKind")
    ? [invalid("spec.names.listKind", { value: kind, detail: "kind and listKind may not be the same" })]
    : [];
  return [
    ...missing,
    ...malformed,
    ...labelListCauses(names, "shortNames"),
    ...same,
    ...labelListCauses(names, "categories"),
  ];
}

function labelListCauses(names: JsonObject, key: string): Cause[] {
  const values = getOwn(names, key);
  if (!Array.isArray(values)) return [];
  return values.flatMap((value, index) => {
    const errors = dns1035Errors(String(value));
    return errors.length === 0
      ? []
      : [invalid(`spec.names.${key}[${index}]`, { value, detail: errors.join(",") })];
  });
}

function preserveCauses(spec: JsonObject): Cause[] {
  if (spec.preserveUnknownFields !== true) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalid("spec.preserveUnknownFields", { value: true, detail })];
}

/** A definition that is not established yet may still change its names. */
function immutableCauses(spec: JsonObject, { spec: before, status }: KubeObject): Cause[] {
  const isEstablished = objects(status ?? {}, "conditions").some((condition) =>
    condition.type === "Established" && condition.status === "True"
  );
  const fields = [...(isEstablished ? [["scope"], ["names", "kind"]] : []), ["group"], ["names", "plural"]];
  return fields.flatMap((path) => {
    const [now, old] = [spec, before].map((root) =>
      path.reduce<unknown>((at, key) => objectOrText(at, key), root)
    );
    if (equal(now, old)) return [];
    return [invalid(`spec.${path.join(".")}`, { value: now, detail: "field is immutable" })];
  });
}

function objectOrText(at: unknown, key: string): unknown {
  return isObject(at) ? getOwn(at, key) : undefined;
}

function schemaOf(version: JsonObject): unknown {
  return getOwn(objectAt(version, "schema") ?? {}, "openAPIV3Schema");
}

function text(object: JsonObject | undefined, key: string): string {
  const value = object === undefined ? undefined : getOwn(object, key);
  return typeof value === "string" ? value : "";
}

function objects(object: JsonObject, key: string): JsonObject[] {
  const value = getOwn(object, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}
