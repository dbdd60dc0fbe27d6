/**
 * The names that a definition gets, if no other definition of its group has them.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/controller/status/naming_controller.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { clone, equal, getOwn, objectAt } from "../values.ts";

/** The outcome of the names that a definition wants. */
export interface Naming {
  readonly accepted: JsonObject;
  /** The condition `NamesAccepted`, without its time. */
  readonly condition: {
    readonly status: "True" | "False";
    readonly reason: string;
    readonly message: string;
  };
}

const RESOURCES = ["plural", "singular"];
const KINDS = ["kind", "listKind"];
const REASONS: Readonly<Record<string, string>> = {
  plural: "PluralConflict",
  singular: "SingularConflict",
  kind: "KindConflict",
  listKind: "ListKindConflict",
};

/** Returns the names of a definition, as far as the others leave them. */
export function nameDefinition(definition: KubeObject, others: readonly KubeObject[]): Naming {
  const wanted = objectAt(definition.spec, "names") ?? {};
  const before = objectAt(objectAt(definition, "status"), "acceptedNames") ?? {};
  const accepted: JsonObject = clone(before);
  const [resources, kinds] = namesTaken(definition, others);
  let condition: Naming["condition"] = {
    status: "True",
    reason: "NoConflicts",
    message: "no conflicts found",
  };
  const refuse = (reason: string, names: readonly string[]) => {
    const list = names.map((name) => `${JSON.stringify(name)} is already in use`);
    condition = {
      status: "False",
      reason,
      message: list.length > 1 ? `[${list.join(", ")}]` : list.join(""),
    };
  };
  const take = (key: string, taken: ReadonlySet<string>) => {
    const name = getOwn(wanted, key);
    if (name !== before[key] && taken.has(String(name))) refuse(REASONS[key] ?? "", [String(name)]);
    else if (name !== undefined) accepted[key] = name;
  };
  for (const key of RESOURCES) take(key, resources);
  const short = texts(wanted.shortNames).filter((name) => !texts(before.shortNames).includes(name));
  const clashes = short.filter((name) => resources.has(name));
  if (clashes.length > 0) refuse("ShortNamesConflict", clashes);
  else if (wanted.shortNames !== undefined) accepted.shortNames = clone(wanted.shortNames);
  else delete accepted.shortNames;
  for (const key of KINDS) take(key, kinds);
  if (wanted.categories !== undefined) accepted.categories = clone(wanted.categories);
  else delete accepted.categories;
  return {
    accepted: equal(accepted, wanted) ? clone(wanted) : { plural: "", kind: "", ...accepted },
    condition,
  };
}

function namesTaken(
  definition: KubeObject,
  others: readonly KubeObject[],
): readonly [resources: ReadonlySet<string>, kinds: ReadonlySet<string>] {
  const [resources, kinds] = [new Set<string>(), new Set<string>()];
  for (const other of others) {
    if (other.metadata.name === definition.metadata.name || other.spec?.group !== definition.spec?.group) {
      continue;
    }
    const names = objectAt(objectAt(other, "status"), "acceptedNames") ?? {};
    for (const key of RESOURCES) resources.add(String(names[key] ?? ""));
    for (const name of texts(names.shortNames)) resources.add(name);
    for (const key of KINDS) kinds.add(String(names[key] ?? ""));
  }
  return [resources, kinds];
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
