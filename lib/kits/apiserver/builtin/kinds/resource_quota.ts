/** ResourceQuotas. */

import type { KubeObject } from "../../../../model/object.ts";
import { invalid } from "../../causes.ts";
import { quotaCauses } from "../../quota/rules.ts";
import { equal, isObject } from "../../values.ts";
import { ageOf, at, textAt } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const RESOURCE_QUOTA: KindModule = {
  status: {},
  causes: quotaCauses,
  sealed: ({ spec }, old) => {
    const [now, before] = [spec?.scopes, old.spec?.scopes].map((list) => objectsOrTexts(list).sort());
    return equal(now, before)
      ? []
      : [invalid("spec.scopes", { value: spec?.scopes ?? null, detail: "field is immutable" })];
  },
  cells: quotaCells,
};

function objectsOrTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

/** The used amounts beside the allowed ones, apart for limits. */
function quotaCells(quota: KubeObject, nowMs: number): unknown[] {
  const [requests, limits]: [string[], string[]] = [[], []];
  const hard = at(quota, "status", "hard");
  for (const name of isObject(hard) ? Object.keys(hard).sort() : []) {
    const used = textAt(quota, "status", "used", name) || "0";
    (name.startsWith("limits.") ? limits : requests).push(`${name}: ${used}/${textAt(hard, name)}`);
  }
  return [quota.metadata.name, requests.join(", "), limits.join(", "), ageOf(quota, nowMs)];
}
