/** IPAddresses: there is no column for their age, and yet a cell, as on the real server. */

import type { KubeObject } from "../../../../model/object.ts";
import { ageOf, at, row, textAt } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const IP_ADDRESS: KindModule = { cells: row(parentText, ageOf) };

function parentText(object: KubeObject): string {
  const parent = at(object, "spec", "parentRef");
  if (parent === undefined) return "<none>";
  const group = textAt(parent, "group");
  const resource = `${textAt(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  const namespace = textAt(parent, "namespace");
  return `${resource}${namespace === "" ? "" : `/${namespace}`}/${textAt(parent, "name")}`;
}
