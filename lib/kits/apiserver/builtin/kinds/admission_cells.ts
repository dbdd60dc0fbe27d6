/** The cells of webhook configurations, policies and their bindings, whose rules are in `admission/`. */

import type { KubeObject } from "../../../../model/object.ts";
import { ageOf, at, countCell, row, selectorText, textAt, textCell } from "../cells.ts";

export const HOOK_CELLS: ReturnType<typeof row> = row(countCell("webhooks"), ageOf);
export const BINDING_CELLS: ReturnType<typeof row> = row(textCell("spec.policyName"), parameterText, ageOf);

/** Returns the cells of a policy, whose rules are at a dotted path. */
export function policyCells(path: string): ReturnType<typeof row> {
  return row(
    countCell(path),
    (object) => {
      const kind = at(object, "spec", "paramKind");
      return kind === undefined ? "<unset>" : `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}`;
    },
    ageOf,
  );
}

function parameterText(object: KubeObject): string {
  const reference = at(object, "spec", "paramRef");
  const name = textAt(reference, "name");
  if (name !== "") return `${textAt(reference, "namespace") || "*"}/${name}`;
  const selector = at(reference, "selector");
  return selector === undefined ? "<unset>" : selectorText(selector);
}
