/**
 * Holds the fields that handlers are about against the definitions of the cluster: a misspelt field never changes, and its
 * handler would wait for ever without a word.
 */

import type { Client } from "../../client/client.ts";
import type { FieldPath } from "../../model/fields.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import { nearest } from "../../settings/rules.ts";
import { nodeAt } from "../../engines/definitions/nodes.ts";
import { readDefinition, schemaOf } from "../../engines/definitions/served_schema.ts";

/** A handler's field, and the kind whose field it is to be. */
export interface HandledField {
  readonly handler: string;
  readonly field: FieldPath;
  readonly resource: Resource;
}

/** A field that is in no schema. */
export interface UnknownField extends HandledField {
  /** The nearest name that there is, if one is near. */
  readonly nearest: string | undefined;
}

/** Returns the fields that the definitions do not know. Kinds whose definitions may not be read are not checked. */
export async function findUnknownFields(
  fields: readonly HandledField[],
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<UnknownField[]> {
  const definitions = new Map<string, KubeObject | undefined>();
  const unknown: UnknownField[] = [];
  for (const handled of fields) {
    const { resource, field } = handled;
    if (field.length === 0) continue;
    const name = `${resource.plural}.${resource.group}`;
    if (!definitions.has(name)) definitions.set(name, await readDefinition(resource, { client, signal }));
    const schema = schemaOf(definitions.get(name), resource.version);
    if (schema === undefined || nodeAt(schema, field) !== undefined) continue;
    unknown.push({ ...handled, nearest: nearestField(schema, field) });
  }
  return unknown;
}

/** The path with its first unknown key replaced by the one that is most like it. */
function nearestField(schema: JsonObject, field: FieldPath): string | undefined {
  const wrong = field.findIndex((_, index) => nodeAt(schema, field.slice(0, index + 1)) === undefined);
  const parent = nodeAt(schema, field.slice(0, wrong));
  const properties = isObject(parent) && isObject(parent.properties) ? parent.properties : {};
  const found = nearest(field[wrong] ?? "", Object.keys(properties));
  return found === undefined ? undefined : [...field.slice(0, wrong), found].join(".");
}
