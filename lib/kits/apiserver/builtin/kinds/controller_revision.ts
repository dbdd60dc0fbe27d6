/** ControllerRevisions. */

import type { KubeObject } from "../../../../model/object.ts";
import { ageOf, numberCell, row } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const CONTROLLER_REVISION: KindModule = { cells: row(controllerText, numberCell("revision"), ageOf) };

function controllerText({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const [group = ""] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : [];
  return `${(group === "" ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
}
