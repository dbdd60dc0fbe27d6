/**
 * From a CustomResourceDefinition to kinds that can be served.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, type CauseReason, invalid, NO_FIELD } from "../causes.ts";
import { type ScalePaths, type ServedResource, servedResources } from "./crd.ts";
import { formatValue, printType, printVerb } from "../formats/go_format.ts";
import type { Change, Kind, KindRules, KindSchemas } from "../kinds.ts";
import { compileSchema } from "../schema/mod.ts";
import { hasRules, Validations } from "../cel/validations.ts";
import type { CelLoader } from "../cel/loader.ts";
import type { Cluster } from "../cluster.ts";
import { Converter } from "./converter.ts";
import { apiVersionFor } from "../paths.ts";
import { badRequest } from "../refusal.ts";
import type { RefuseMetadata } from "../schema/pruning.ts";
import type { Stored } from "../storage/stored.ts";
import { clone, equal, isObject, objectAt, objectsIn } from "../values.ts";
import type { Host } from "../../../runtime/host.ts";

const MOST = 2 ** 31 - 1;

/** Returns the kinds of all served versions. Schemas are compiled here, once. */
export function customKinds(
  { host, store, cel }: Pick<Cluster, "host" | "store" | "cel">,
  definition: KubeObject,
): Kind[] {
  const converter = converterOf(host, definition);
  const own = converter === undefined ? {} : { converter };
  const versions = schemasOf(definition);
  return servedResources(definition).map((version) => ({
    ...toKind({ store, cel }, version),
    ...own,
    versions,
  }));
}

/** NB: the version in which objects are kept may be one that is not served. */
function schemasOf({ spec }: KubeObject): ReadonlyMap<string, JsonObject | undefined> {
  return new Map(
    objectsIn(spec?.versions).map((version) => [
      `${spec?.group}/${version.name}`,
      objectAt(objectAt(version, "schema"), "openAPIV3Schema"),
    ]),
  );
}

/** The webhook that converts, if the definition has one, and more than one version. */
function converterOf(host: Host, { spec }: KubeObject): Converter | undefined {
  const conversion = objectAt(spec, "conversion");
  const webhook = objectAt(conversion, "webhook");
  const versions = objectsIn(spec?.versions);
  const stored = versions.find(({ storage }) => storage === true);
  if (conversion?.strategy !== "Webhook" || webhook === undefined || stored === undefined) return undefined;
  return new Converter(host, { storage: `${spec?.group}/${stored.name}`, webhook });
}

/**
 * Returns the kind so that it shows objects that were written by another schema as its own schema has them.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/customresource_handler.go, crdConversionRESTOptionsGetter.
 */
export function showingOldObjects(kind: Kind): Kind {
  const { versions = new Map<string, JsonObject | undefined>(), storedIn } = kind;
  const compiled = new Map([...versions].map(([version, schema]) => [version, compileSchema(schema)]));
  const schemaOf = (apiVersion = storedIn) => compiled.get(apiVersion) ?? compiled.get(storedIn);
  const schemas: KindSchemas = {
    read(kept) {
      const object = clone(kept);
      schemaOf(kept.apiVersion)?.prune(object);
      schemaOf(kept.apiVersion)?.default(object);
      return object;
    },
    prune(object) {
      schemaOf(object.apiVersion)?.prune(object);
    },
  };
  const [first, ...others] = versions.values();
  const differs = ({ object }: Stored) => !equal(schemas.read(object), object);
  if (others.every((other) => equal(other, first)) && ![...kind.collection.values()].some(differs)) {
    return kind;
  }
  return { ...kind, schemas };
}

/** The part of a cluster that its kinds are made with. */
type Served = Pick<Cluster, "store" | "cel">;

function toKind({ store, cel }: Served, served: ServedResource): Kind {
  return {
    ...served,
    apiVersion: apiVersionFor(served),
    collection: store.collection(`${served.plural}.${served.group}`),
    custom: true,
    counted: true,
    rules: schemaRules(served, cel),
    createOnUpdate: false,
    unconditionalUpdate: false,
    returnsDeleted: false,
  };
}

function schemaRules(served: ServedResource, cel: CelLoader): KindRules {
  const schema = compileSchema(served.schema);
  const check = ruleCheck(served.schema, cel);
  const refuse: RefuseMetadata = ({ path, value, fault }) => {
    const start = `${served.kind} in version "${served.version}" cannot be handled as a ${served.kind}`;
    throw badRequest(`${start}: ${path}: Invalid value: ${formatValue(value)}: ${fault}`);
  };
  return {
    normalize(object, { applied = false } = {}) {
      const unknown = schema.prune(object, { keepsNulls: applied, refuse });
      schema.default(object);
      return unknown;
    },
    validate(object, change) {
      const causes = [...schema.validate(object, change), ...scaleCauses(object, served.scale)];
      return [...causes, ...check(object, { ...change, causes })];
    },
  };
}

interface Checked extends Change {
  /** The faults of the object so far. */
  readonly causes: readonly Cause[];
}

/** Faults after which rules might stumble, so that they are not evaluated at all. */
const BLOCKING: readonly CauseReason[] = [
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
];

/** Returns a function that evaluates the rules of a schema. They are compiled when the first object is written. */
function ruleCheck(
  schema: JsonObject | undefined,
  cel: CelLoader,
): (object: KubeObject, checked: Checked) => readonly Cause[] {
  if (schema === undefined || !hasRules(schema)) return () => [];
  let validations: Validations | undefined;
  return (object, { causes, old, warn }) => {
    if (causes.some(({ reason }) => BLOCKING.includes(reason))) {
      const detail =
        "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
      return [invalid(NO_FIELD, { value: null, detail })];
    }
    validations ??= new Validations(cel.engine, schema);
    return validations.validate(object, { old, warn });
  };
}

/** The numbers of the scale subresource must be numbers of replicas, whatever the schema says. */
function scaleCauses(object: KubeObject, scale: ScalePaths | undefined): Cause[] {
  const paths = scale === undefined ? [] : [scale.specReplicasPath, scale.statusReplicasPath];
  return paths.flatMap((path) => {
    const { value, fault } = numberAt(object, path);
    if (fault !== undefined) return [invalid(path, { value: 0, detail: fault })];
    if (value < 0) return [invalid(path, { value, detail: "should be a non-negative integer" })];
    return value > MOST ? [invalid(path, { value, detail: `should be less than or equal to ${MOST}` })] : [];
  });
}

interface Reading {
  /** 0 if there is none. */
  readonly value: number | bigint;
  readonly fault?: string;
}

/** Reads a whole number. Source: k8s.io/apimachinery, pkg/apis/meta/v1/unstructured, NestedInt64. */
function numberAt(object: KubeObject, path: string): Reading {
  const fields = path.replace(/^\./, "").split(".");
  const fault = (count: number, value: unknown, wanted: string) => ({
    value: 0,
    fault: `.${fields.slice(0, count).join(".")} accessor error: ${printVerb(value)} is of the type ${
      printType(value)
    }, expected ${wanted}`,
  });
  let found: unknown = object;
  for (const [index, field] of fields.entries()) {
    if (found === null || found === undefined) return { value: 0 };
    if (!isObject(found)) return fault(index + 1, found, "map[string]interface{}");
    if (!Object.hasOwn(found, field)) return { value: 0 };
    found = found[field];
  }
  const isWhole = typeof found === "bigint" || (typeof found === "number" && Number.isInteger(found));
  return isWhole ? { value: found as number | bigint } : fault(fields.length, found, "int64");
}
