/**
 * Refusals of Kubernetes for the parts of a definition's versions besides their schemas, and for its conversion.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/validation/validation.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { clientCauses, reviewVersionCauses } from "../hooks/client_rules.ts";
import { type Cause, duplicate, forbidden, invalid, notSupported, required, tooMany } from "../causes.ts";
import { type Schema, subSchema } from "../schema/structural.ts";
import { getOwn, isObject, objectAt } from "../values.ts";

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
/** Returns the faults of the paths of a scale. */
export function scaleCauses(scale: JsonObject | undefined, path: string): Cause[] {
  if (scale === undefined) return [];
  const roots = {
    specReplicasPath: [".spec."],
    statusReplicasPath: [".status."],
    labelSelectorPath: [".spec.", ".status."],
  };
  return Object.entries(roots).flatMap(([key, allowed]) => {
    const value = text(scale, key);
    const at = `${path}.${key}`;
    if (value === "") return key === "labelSelectorPath" ? [] : [required(at)];
    if (!value.startsWith(".")) {
      return [invalid(at, { value, detail: "must be a simple json path starting with ." })];
    }
    if (allowed.some((root) => value.startsWith(root))) return [];
    const under = allowed.map((root) => root.slice(0, -1)).join(" or ");
    return [
      invalid(at, {
        value,
        detail: `should be a json path under ${allowed.length > 1 ? "either " : ""}${under}`,
      }),
    ];
  });
}

/** Returns the faults of a column. */
export function columnCauses(column: JsonObject, path: string): Cause[] {
  const [name, type, format, jsonPath] = ["name", "type", "format", "jsonPath"].map((key) =>
    text(column, key)
  );
  const causes: Cause[] = [];
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  if (name === "") causes.push(required(`${path}.name`));
  if (type === "") causes.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type!)) {
    causes.push(invalid(`${path}.type`, { value: type, detail: types }));
  }
  if (format !== "" && !COLUMN_FORMATS.includes(format!)) {
    causes.push(
      invalid(`${path}.format`, { value: format, detail: `must be one of ${COLUMN_FORMATS.join(",")}` }),
    );
  }
  if (jsonPath === "") causes.push(required(`${path}.JSONPath`));
  else if (!jsonPath!.startsWith(".")) {
    causes.push(
      invalid(`${path}.JSONPath`, { value: jsonPath, detail: "must be a simple json path starting with ." }),
    );
  }
  return causes;
}

interface Selectable {
  readonly path: string;
  readonly schema: unknown;
}

const MOST_SELECTABLE = 8;

/** Returns the faults of the fields that selectors may use. */
export function selectableCauses(
  fields: readonly JsonObject[],
  { path, schema }: Selectable,
): Cause[] {
  const seen = new Set<string>();
  const causes = fields.flatMap((field, index): Cause[] => {
    const value = text(field, "jsonPath");
    const at = `${path}[${index}].jsonPath`;
    if (value === "") return [required(at)];
    const found = fieldAt(value, isObject(schema) ? schema : {});
    if (typeof found === "string") return [invalid(at, { value, detail: `is an invalid path: ${found}` })];
    const isMetadata = value.startsWith(".metadata.") || value === ".metadata";
    const wrong = isMetadata ? [invalid(at, { value, detail: "must not point to fields in metadata" })] : [];
    if (!["string", "boolean", "integer"].includes(text(found, "type"))) {
      const detail =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      wrong.push(invalid(at, { value, detail }));
    }
    if (seen.has(value)) wrong.push(duplicate(at, value));
    seen.add(value);
    return wrong;
  });
  if (seen.size <= MOST_SELECTABLE) return causes;
  return [...causes, tooMany(path, { actual: seen.size, maximum: MOST_SELECTABLE })];
}

/** Returns the schema that a path leads to, or the fault of the path, in the words of a rule's fieldPath. */
function fieldAt(path: string, root: Schema): Schema | string {
  let schema = root;
  const tokens = path.match(/[.[\]]|[^.[\]]+/g) ?? [];
  for (let i = 0; i < tokens.length; i += 2) {
    const token = tokens[i];
    if (token === "[") return "array notation is not allowed";
    if (token !== ".") return `expected [ or . but got: ${token}`;
    const name = tokens[i + 1];
    if (name === undefined) return "unexpected end of JSON path";
    const properties = subSchema(schema, "properties");
    const next = properties === undefined
      ? subSchema(schema, "additionalProperties")
      : subSchema(properties, name);
    if (next === undefined) return "does not refer to a valid field";
    schema = next;
  }
  return schema;
}

/** Returns the faults of a conversion. */
export function conversionCauses(conversion: JsonObject | undefined): Cause[] {
  if (conversion === undefined) return [];
  const strategy = text(conversion, "strategy");
  const path = "spec.conversion";
  const supported = ["None", "Webhook"];
  if (strategy === "") return [required(`${path}.strategy`)];
  const webhook = objectAt(conversion, "webhook") ?? {};
  const client = objectAt(webhook, "clientConfig");
  const versions = getOwn(webhook, "conversionReviewVersions");
  const list = Array.isArray(versions) ? versions.map(String) : [];
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    return [
      ...(supported.includes(strategy)
        ? []
        : [notSupported(`${path}.strategy`, { value: strategy, supported })]),
      ...(client === undefined ? [] : [forbidden(`${path}.webhookClientConfig`, detail)]),
      ...(list.length === 0 ? [] : [forbidden(`${path}.conversionReviewVersions`, detail)]),
    ];
  }
  const at = `${path}.webhookClientConfig`;
  return [
    ...(client === undefined
      ? [required(at, "required when strategy is set to Webhook")]
      : clientCauses(client, at)),
    ...reviewVersionCauses(list, `${path}.conversionReviewVersions`),
  ];
}

function text(object: JsonObject | undefined, key: string): string {
  const value = object === undefined ? undefined : getOwn(object, key);
  return typeof value === "string" ? value : "";
}
