/** ConfigMaps: keys, size, and the end of changes. */

import type { KubeObject } from "../../../../model/object.ts";
import { type Cause, forbidden, invalid } from "../../causes.ts";
import { configKeyErrors } from "../../names.ts";
import { equal, isObject } from "../../values.ts";
import { ageOf, row, sizeAt } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const CONFIG_MAP: KindModule = {
  causes: ({ data, binaryData }) => {
    const keys = [...keyCauses(data, "data"), ...keyCauses(binaryData, "binaryData")];
    return [...keys, ...sizeCauses([data, binaryData], "[]")];
  },
  sealed: dataCauses,
  cells: row((object) => sizeAt(object, "data") + sizeAt(object, "binaryData"), ageOf),
};

/** Source: k8s.io/api/core/v1, MaxSecretSize. */
const DATA_LIMIT = 1024 * 1024;
const SEALED = "field is immutable when `immutable` is set";

/** Refuses changes of data that is immutable. */
export function dataCauses(object: KubeObject, old: KubeObject): Cause[] {
  if (old.immutable !== true) return [];
  return ["immutable", "data", "binaryData"].filter((field) => !equal(object[field] ?? {}, old[field] ?? {}))
    .map((field) => forbidden(field, SEALED));
}

export function keyCauses(map: unknown, field: string): Cause[] {
  const causes: Cause[] = [];
  for (const key of Object.keys(isObject(map) ? map : {})) {
    for (const detail of configKeyErrors(key)) {
      causes.push(invalid(`${field}[${key}]`, { value: key, detail }));
    }
  }
  return causes;
}

export function sizeCauses(maps: readonly unknown[], field: string): Cause[] {
  let size = 0;
  for (const map of maps) {
    if (!isObject(map)) continue;
    for (const key of Object.keys(map)) size += String(map[key]).length;
  }
  if (size <= DATA_LIMIT) return [];
  return [{
    reason: "FieldValueTooLong",
    message: `Too long: may not be more than ${DATA_LIMIT} bytes`,
    field,
  }];
}
