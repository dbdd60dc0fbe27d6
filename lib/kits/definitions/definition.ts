/**
 * CustomResourceDefinitions out of the options of `resource()`.
 *
 * Everything that the API server would refuse later is told here at once, in the author's words: all problems of a kind
 * in one error. Source: Kubernetes API reference, CustomResourceDefinition.
 */

import { messageOf } from "../../client/errors.ts";
import { isEmptyObject, isObject, setKey } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { hasConversion, type ResourceOptions } from "../../registry/resource.ts";
import type {
  FurtherVersionOptions,
  RuleOptions,
  SchemaLike,
  VersionOptions,
} from "../../registry/schemas.ts";
import type { WebhookClientConfig } from "../../settings/admission_server.ts";
import { toColumns, toScale, toSelectable } from "./columns.ts";
import { conversionBy } from "../../engines/definitions/conversion.ts";
import { completeDefaults, hasDefaults } from "./default_values.ts";
import { toJsonSchema } from "./json_schema.ts";
import { nodeAt } from "../../engines/definitions/nodes.ts";
import { type SchemaProblem, toStructural } from "./structural.ts";

/**
 * Makes the definition of a kind. `converter` leads to whoever converts its objects, where code does; without it the
 * definition does not say who.
 *
 * @throws {TypeError} If a name is missing or malformed, or a schema cannot be structural: with every path and reason.
 */
export function toDefinition(options: ResourceOptions, converter?: WebhookClientConfig): KubeObject {
  const problems: SchemaProblem[] = [];
  const { group = "", plural = "", kind = "", version = "" } = options;
  const complain = (path: string, reason: string): void => void problems.push({ path, reason });
  checkNames(options, complain);
  const all = versionsOf(options);
  const stored = all.filter(({ storage }) => storage === true);
  if (stored.length !== 1) {
    complain(
      "versions",
      `objects are stored in one version, not in ${stored.map(({ name }) => name).join(" and ")}`,
    );
  }
  const versions = all.map((each) =>
    toVersion(
      each,
      (path, reason) => complain(each.name === version ? path : `versions.${each.name}.${path}`, reason),
    )
  );
  const title = plural === "" && group === "" ? kind : `${plural || kind}.${group}`;
  if (problems.length > 0) throw new TypeError(describeProblems(title, problems));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: options.namespaced === false ? "Cluster" : "Namespaced",
      names: namesOf(options),
      versions,
      ...converter !== undefined && hasConversion(options) && { conversion: conversionBy(converter) },
    },
  };
}

/** Returns the sentence about all problems of one kind. */
function describeProblems(title: string, problems: readonly SchemaProblem[]): string {
  const [first, ...others] = problems.map(({ path, reason }) => `${path}: ${reason}`);
  const head = `Cannot make a definition of "${title}"`;
  return others.length === 0 ? `${head}: ${first}` : [`${head}:`, first, ...others].join("\n  ");
}

const LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

function checkNames(options: ResourceOptions, complain: (path: string, reason: string) => void): void {
  const { group, version, plural, kind, singular, shortNames = [], categories = [], versions = {} } = options;
  const label = (path: string, value: string | undefined, isNeeded = false): void => {
    if (value === undefined || value === "") {
      if (isNeeded) complain(path, "it is missing, and a definition needs it");
    } else if (!LABEL.test(value)) {
      complain(
        path,
        `"${value}" is no name (lower-case letters, digits and dashes, beginning with a letter)`,
      );
    }
  };
  if (group === undefined || !DOMAIN.test(group)) {
    complain("group", `a definition needs a domain with a dot, such as "example.com"`);
  }
  label("version", version, true);
  label("plural", plural, true);
  if (kind === undefined) complain("kind", "it is missing, and a definition needs it");
  else if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) {
    complain("kind", `"${kind}" is no kind (a capital letter, then letters and digits)`);
  }
  label("singular", singular);
  shortNames.forEach((name, index) => label(`shortNames[${index}]`, name));
  categories.forEach((name, index) => label(`categories[${index}]`, name));
  for (const name of Object.keys(versions)) label(`versions.${name}`, name);
  const names = [plural, singular ?? kind?.toLowerCase(), ...shortNames];
  const twice = names.find((name, index) => name !== undefined && names.indexOf(name) !== index);
  if (twice !== undefined && twice !== plural) complain("shortNames", `"${twice}" is there twice`);
  if (version !== undefined && Object.hasOwn(versions, version)) {
    complain(`versions.${version}`, `it is the kind's own version: describe it beside "version"`);
  }
}

function namesOf(
  { plural, kind = "", singular, shortNames = [], categories = [] }: ResourceOptions,
): JsonObject {
  return {
    plural,
    singular: singular ?? kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    ...shortNames.length > 0 && { shortNames: [...shortNames] },
    ...categories.length > 0 && { categories: [...categories] },
  };
}

/** A version by its name. */
type NamedVersion = FurtherVersionOptions & { readonly name: string };

function versionsOf(options: ResourceOptions): NamedVersion[] {
  const { version = "", versions = {}, spec, status, columns, scale, selectable, rules } = options;
  const others = Object.entries(versions).map(([name, each]): NamedVersion => ({ ...each, name }));
  const storage = !others.some((each) => each.storage === true);
  return [{ name: version, storage, spec, status, columns, scale, selectable, rules }, ...others];
}

type Complain = (path: string, reason: string) => void;

function toVersion(version: NamedVersion, complain: Complain): JsonObject {
  const { name, served = true, storage = false, deprecated = false, status, columns, scale, selectable } =
    version;
  const schema = toSchema(version, complain);
  const additionalPrinterColumns = toColumns(columns ?? {}, { schema, complain });
  const selectableFields = toSelectable(selectable ?? [], { schema, complain });
  const subresources = {
    ...status !== undefined && { status: {} },
    ...scale !== undefined && { scale: toScale(scale, { schema, complain }) },
  };
  return {
    name,
    served,
    storage,
    ...deprecated !== false && { deprecated: true },
    ...typeof deprecated === "string" && { deprecationWarning: deprecated },
    schema: { openAPIV3Schema: schema },
    ...!isEmptyObject(subresources) && { subresources },
    ...additionalPrinterColumns.length > 0 && { additionalPrinterColumns },
    ...selectableFields.length > 0 && { selectableFields },
  };
}

/** The schema of whole objects. */
function toSchema({ spec, status, rules = [] }: VersionOptions, complain: Complain): JsonObject {
  const properties: JsonObject = {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: partOf(spec, "spec", complain),
    status: withRoom(partOf(status, "status", complain)),
  };
  const schema: JsonObject = { type: "object", properties };
  const wanted = isObject(properties.spec) ? properties.spec : {};
  if (Array.isArray(wanted.required) && wanted.required.length > 0) schema.required = ["spec"];
  // Defaults are filled into objects that are there: an absent spec must be there first.
  else if (hasDefaults(wanted) && wanted.default === undefined) wanted.default = {};
  completeDefaults(schema);
  for (const [index, rule] of rules.entries()) addRule(schema, { rule, index, complain });
  return schema;
}

/** Lets notes through that an operator keeps in the status: else the server would drop them. */
function withRoom(status: JsonObject): JsonObject {
  if (!isObject(status.properties) || Object.hasOwn(status.properties, "lotse")) return status;
  const lotse = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return { ...status, properties: { ...status.properties, lotse } };
}

function partOf(schema: SchemaLike | undefined, path: "spec" | "status", complain: Complain): JsonObject {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  if (schema === undefined) return open;
  let json: JsonObject;
  try {
    json = toJsonSchema(schema);
  } catch (error) {
    complain(path, messageOf(error));
    return open;
  }
  const node = toStructural(json, { path, onProblem: (problem) => complain(problem.path, problem.reason) });
  if (node.type !== undefined && node.type !== "object") {
    complain(path, `it must be an object, not ${node.type}`);
  }
  // A node that may hold anything is an object at least.
  return node.type === undefined ? { ...open, ...node } : node;
}

function addRule(
  schema: JsonObject,
  { rule: options, index, complain }: {
    readonly rule: RuleOptions;
    readonly index: number;
    readonly complain: Complain;
  },
): void {
  const { at = "", rule, message, messageExpression, reason, fieldPath, optionalOldSelf } = options;
  const node = at === "" ? schema : nodeAt(schema, at.split("."));
  if (!isObject(node) || node["x-kubernetes-preserve-unknown-fields"] === true && node.type === undefined) {
    return complain(`rules[${index}]`, `"${at}" is not in the schema`);
  }
  const before = Array.isArray(node["x-kubernetes-validations"]) ? node["x-kubernetes-validations"] : [];
  setKey(node, "x-kubernetes-validations", [...before, {
    rule,
    ...message !== undefined && { message },
    ...messageExpression !== undefined && { messageExpression },
    ...reason !== undefined && { reason },
    ...fieldPath !== undefined && { fieldPath },
    ...optionalOldSelf !== undefined && { optionalOldSelf },
  }]);
}
