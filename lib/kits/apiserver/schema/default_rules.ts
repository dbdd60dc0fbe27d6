/**
 * Defaults in a schema must themselves be valid, and must not hold fields that pruning would remove.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/defaulting/validation.go.
 */

import { type Cause, invalid } from "../causes.ts";
import { clone, equal } from "../values.ts";
import { pruneValue } from "./pruning.ts";
import { isSet, own, RESOURCE_FIELDS, type Schema, schemaEntries, subSchema } from "./structural.ts";
import { Validator } from "./validator.ts";

/** A default, and where it stands. */
export interface Default {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: string;
  /** Unknown fields of metadata are no fault: they are left out where the default is filled in. */
  readonly isMetadata: boolean;
}

/** Returns the faults of the defaults in a whole schema. */
export function defaultCauses(schema: Schema, path: string): Cause[] {
  const defaults = defaultsIn(schema, path);
  if (defaults.length === 0) return [];
  return [...prunedCauses(defaults), ...invalidCauses(defaults)];
}

/** Returns the defaults in a whole schema. */
export function defaultsIn(schema: Schema, path: string): Default[] {
  return schemaEntries(schema, "properties")
    .filter(([key]) => !RESOURCE_FIELDS.has(key))
    .flatMap(([key, child]) => collect(child, `${path}.properties[${key}]`));
}

function collect(schema: Schema, path: string, isMetadata = false): Default[] {
  const value = own(schema, "default") ?? undefined;
  const items = subSchema(schema, "items");
  const inItems = items === undefined ? [] : collect(items, `${path}.items`);
  const isResource = isSet(schema, "x-kubernetes-embedded-resource");
  const named = schemaEntries(schema, "properties").flatMap(([key, child]) =>
    collect(child, `${path}.properties[${key}]`, isResource && key === "metadata")
  );
  return [
    ...(value === undefined ? [] : [{ schema, value, path: `${path}.default`, isMetadata }]),
    ...inItems,
    ...named,
  ];
}

function prunedCauses(defaults: readonly Default[]): Cause[] {
  return defaults.filter(({ isMetadata }) => !isMetadata).flatMap(({ schema, value, path }) => {
    const pruned = clone(value);
    pruneValue(pruned, schema);
    return equal(pruned, value) ? [] : [invalid(path, { value, detail: "must not have unknown fields" })];
  });
}

function invalidCauses(defaults: readonly Default[]): Cause[] {
  return defaults.flatMap(({ schema, value, path }) =>
    new Validator(schema).validate(value, { field: path })
  );
}
