/**
 * Labels for objects that are being made, and for the templates inside them.
 */

import { isObject, setKey } from "../../model/json.ts";
import { type Child, type ChildMeta, type Children, eachChild, metadataOf } from "./children.ts";
import { type OwnerOption, resolveOwner } from "./children.ts";

/** A structure inside an object: a dotted path such as "spec.template", or a list of keys. */
export type NestedPath = string | readonly string[];

/** Options of {@linkcode label}. */
export interface LabelOptions extends OwnerOption {
  /** Overwrites labels that are there. Default: false. */
  readonly forced?: boolean;
  /**
   * Structures that get the labels too, in their `metadata`: one dotted path, or a list of paths. Lists at a path get them
   * item by item; a structure that is not there is left out. Default: none.
   */
  readonly nested?: string | readonly NestedPath[];
}

/**
 * Adds labels to objects, in place; without labels, the owner's. Labels that are there are kept.
 *
 * @throws {TypeError} If a child is no object, or if no labels are given and there is no owner.
 * @example
 * ```ts
 * import { label } from "@lotse/lotse/hierarchies";
 *
 * const deployment = { apiVersion: "apps/v1", kind: "Deployment", spec: { template: {} } };
 * label(deployment, { app: "shop" }, { nested: "spec.template" });
 * ```
 */
export function label(
  children: Children,
  labels?: Readonly<Record<string, string>>,
  options: LabelOptions = {},
): void {
  const wanted = Object.entries(labels ?? resolveOwner(options).metadata?.labels ?? {});
  const { forced = false } = options;
  for (const child of eachChild(children)) {
    if (wanted.length === 0) continue;
    for (const target of [child, ...structuresIn(child, options.nested)]) {
      addLabels(metadataOf(target), { wanted, forced });
    }
  }
}

function addLabels(
  metadata: ChildMeta,
  { wanted, forced }: { readonly wanted: readonly [string, string][]; readonly forced: boolean },
): void {
  const labels = metadata.labels ??= {};
  for (const [key, value] of wanted) {
    if (Object.hasOwn(labels, key) && !forced) continue;
    setKey(labels, key, value);
  }
}

function structuresIn(child: Child, nested: LabelOptions["nested"] = []): Child[] {
  const paths = typeof nested === "string" ? [nested] : nested;
  return paths.flatMap((path) => structuresAt(child, typeof path === "string" ? path.split(".") : path));
}

function structuresAt(value: unknown, path: readonly string[]): Child[] {
  if (Array.isArray(value)) return value.flatMap((item) => structuresAt(item, path));
  if (!isStructure(value)) return [];
  const [key, ...rest] = path;
  if (key === undefined) return [value];
  return Object.hasOwn(value, key) ? structuresAt(Reflect.get(value, key), rest) : [];
}

/** Whether it can have metadata: instances of model classes too, but not the dates in them. */
function isStructure(value: unknown): value is Child {
  return isObject(value) && !(value instanceof Date);
}
