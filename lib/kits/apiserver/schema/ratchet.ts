/**
 * Ratcheting: what was wrong before an update and did not change does not stand in its way.
 *
 * Source: Kubernetes documentation, "Validation ratcheting"; k8s.io/apiextensions-apiserver,
 * pkg/apiserver/validation/ratcheting.go. An item of a list has a predecessor only where the list is of type map; an
 * unchanged list is one unchanged value.
 */

import { formatJson } from "../go_format.ts";
import { keyOfItem, mapKeys } from "./list_types.ts";
import { isObject } from "../values.ts";
import { own, type Schema, schemaOfKey, subSchema } from "./structural.ts";
import type { Fault } from "./validation.ts";

/** The two states of an object, and its schema. */
export interface Update {
  readonly schema: Schema;
  readonly value: unknown;
  readonly old: unknown;
}

/** Returns the faults that an update brought in. */
export function onlyNewFaults(faults: readonly Fault[], update: Update): Fault[] {
  return faults.filter((fault) => !isOldFault(fault, update));
}

function isOldFault(fault: Fault, update: Update): boolean {
  let schema: Schema | undefined = update.schema;
  let { value, old } = update;
  for (const token of ["", ...fault.instancePath.split("/").slice(1)]) {
    if (token !== "") {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      old = predecessor({ schema: schema ?? {}, value, old }, key);
      schema = Array.isArray(value) ? subSchema(schema, "items") : schemaOfKey(schema, key);
      value = Array.isArray(value) ? value[Number(key)] : own(value, key);
    }
    if (old === undefined) return false;
    if (formatJson(old) === formatJson(value)) return true;
  }
  return false;
}

function predecessor({ schema, value, old }: Update, key: string): unknown {
  if (!Array.isArray(value)) return isObject(old) ? own(old, key) : undefined;
  const keys = mapKeys(schema);
  if (keys === undefined || !Array.isArray(old)) return undefined;
  const wanted = formatJson(keyOfItem(value[Number(key)], keys));
  return old.find((item) => formatJson(keyOfItem(item, keys)) === wanted);
}
