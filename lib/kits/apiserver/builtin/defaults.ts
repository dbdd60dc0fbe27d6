/** Defaults that follow from other fields, and that several kinds have. All others are recorded from a real server: `types/recorded.ts`. */

import type { JsonObject } from "../../../model/object.ts";
import { fill, isObject, objectsIn } from "../values.ts";

/** Images without a version are fetched always, but for names that are none. */
export function defaultContainers(pod: JsonObject): void {
  const fields = ["containers", "initContainers", "ephemeralContainers"];
  for (const container of fields.flatMap((field) => objectsIn(pod[field]))) {
    const image = String(container.image ?? "");
    const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
    const isNewest = isImage(image) && (tag === undefined || tag === "latest");
    fill(container, { imagePullPolicy: isNewest ? "Always" : "IfNotPresent" });
  }
}

const REGISTRY = /^(?:(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])(?:\.(?!$|:)|(?=$|:)))+(?::\d+)?$/;

/** Whether a repository is in lower case, behind the name of a registry. Source: github.com/distribution/reference. */
function isImage(image: string): boolean {
  const name = image.replace(/[@:][^/]*$/, "");
  const [first = "", ...rest] = name.split("/");
  const hasRegistry = rest.length > 0 &&
    (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const path = hasRegistry && REGISTRY.test(first) ? rest : [first, ...rest];
  return path.every((part) => /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/.test(part));
}

/** A field of one value, and its newer list: the first item is that value. */
export function fillPair(
  object: JsonObject | undefined,
  { one, all, key }: { readonly one: string; readonly all: string; readonly key?: string },
): void {
  if (object === undefined) return;
  const [first] = Array.isArray(object[all]) ? object[all] : [];
  const value = key === undefined || !isObject(first) ? first : first[key];
  if (value) object[one] = value;
  else if (object[one]) object[all] = [key === undefined ? object[one] : { [key]: object[one] }];
}
