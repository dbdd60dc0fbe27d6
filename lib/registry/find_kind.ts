/**
 * Which kind of the server is meant by one that an author names, for calls that are about one kind.
 */

import type { Discovery } from "../client/discovery.ts";
import type { Resource } from "../model/resource.ts";
import { formatSelector, select } from "../model/selector.ts";
import { isResourceType, type ResourceType } from "./resource.ts";

/**
 * Returns the kind as the server serves it. Discovery is asked once more for an unknown kind: definitions come later, too.
 *
 * @throws {TypeError} If it is no kind; or if the server serves no such kind, or several.
 */
export async function findKind(
  discovery: Pick<Discovery, "all" | "group" | "refresh">,
  kind: ResourceType<unknown, unknown>,
): Promise<Resource> {
  if (!isResourceType(kind)) {
    // The compiler says so as well, but not to authors of JavaScript.
    const told = typeof kind === "string" ? JSON.stringify(kind) : String(kind);
    throw new TypeError(
      `Cannot take ${told} as a kind: pass a constant such as kinds.ConfigMap, or one of resource() (is it imported?)`,
    );
  }
  const { options, selector } = kind;
  const { group, version, plural } = options;
  const among = (served: readonly Resource[]): readonly Resource[] => {
    const known = served.find((each) =>
      each.plural === plural && each.version === version && each.group === group
    );
    return known === undefined ? select(selector, served) : [known];
  };
  let found = among(group === undefined ? await discovery.all() : await discovery.group(group));
  if (found.length === 0) found = among(await discovery.refresh(group));
  const [first, second] = found;
  if (first === undefined) {
    throw new TypeError(`Cannot find "${formatSelector(selector)}": the server serves no such kind`);
  }
  if (second !== undefined) {
    throw new TypeError(
      `Cannot tell which kind "${formatSelector(selector)}" is: name its group and version`,
    );
  }
  return first;
}

/**
 * Returns the kind that a manifest is of.
 *
 * @throws {TypeError} If the manifest does not say it, or the server serves no such kind.
 */
export async function findKindOf(
  discovery: Pick<Discovery, "group" | "refresh">,
  { apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string },
): Promise<Resource> {
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw new TypeError("Cannot tell the kind of a manifest without apiVersion and kind");
  }
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const among = (served: readonly Resource[]): Resource | undefined =>
    served.find((each) => each.kind === kind && each.version === version && each.group === group);
  const found = among(await discovery.group(group)) ?? among(await discovery.refresh(group));
  if (found === undefined) {
    throw new TypeError(`Cannot find kind "${kind}" of "${apiVersion}": the server serves no such kind`);
  }
  return found;
}
