/**
 * The forms in which API servers list their kinds: aggregated (APIGroupDiscoveryList) and old (APIGroupList,
 * APIResourceList). Pure. Entries of another form are left out: aggregated servers are written by many hands.
 */

import type { Resource } from "../model/resource.ts";

/** A group as the old discovery names it. */
export interface ApiGroup {
  readonly group: string;
  readonly versions: readonly string[];
  /** The preferred version, if the server prefers one. */
  readonly preferred: string | undefined;
}

/** A group as aggregated discovery describes it. */
export interface DiscoveredGroup {
  readonly group: string;
  readonly resources: readonly Resource[];
  /** Versions whose server did not answer; their resources may be missing. */
  readonly stale: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Tells whether the server answered in the aggregated form. */
export function isAggregated(answer: unknown): boolean {
  return toFields(answer)["kind"] === "APIGroupDiscoveryList";
}

/** Reads an APIGroupDiscoveryList. The first version of a group is the preferred one. */
export function parseAggregated(answer: unknown): DiscoveredGroup[] {
  return toList(toFields(answer)["items"]).map((item) => {
    const group = toText(toFields(item["metadata"])["name"]);
    const versions = toList(item["versions"]);
    const stale = versions.filter((version) => version["freshness"] === "Stale").map((it) =>
      toText(it["version"])
    );
    const resources = versions.flatMap((entry, index) => {
      const version = toText(entry["version"]);
      const preferred = group === "" || index === 0;
      return toList(entry["resources"]).flatMap((it) =>
        parseAggregatedResource(it, { group, version, preferred })
      );
    });
    return { group, resources, stale };
  });
}

/** Reads an APIGroupList. */
export function parseGroups(answer: unknown): ApiGroup[] {
  return toList(toFields(answer)["groups"])
    .map((item) => parseGroup(item, toText(item["name"])))
    .filter(({ group }) => group !== "");
}

/** Reads an APIGroup, or the APIVersions of the core group. */
export function parseGroup(answer: unknown, group: string): ApiGroup {
  const fields = toFields(answer);
  const listed = Array.isArray(fields["versions"]) ? fields["versions"] : [];
  const versions = listed.map((it) => typeof it === "string" ? it : toText(toFields(it)["version"]));
  const preferred = toText(toFields(fields["preferredVersion"])["version"]) || undefined;
  return { group, versions: versions.filter((version) => version !== ""), preferred };
}

/** Reads an APIResourceList. Subresources are entries named "plural/subresource". */
export function parseResources(
  answer: unknown,
  options: { readonly group: string; readonly version: string; readonly preferred: boolean },
): Resource[] {
  const entries = toList(toFields(answer)["resources"]);
  const subresources = new Map<string, string[]>();
  for (const entry of entries) {
    const [plural = "", ...rest] = toText(entry["name"]).split("/");
    if (rest.length > 0) subresources.set(plural, [...subresources.get(plural) ?? [], rest.join("/")]);
  }
  return entries.flatMap((entry) => {
    const plural = toText(entry["name"]);
    const kind = toText(entry["kind"]);
    if (plural === "" || plural.includes("/") || kind === "") return [];
    return {
      ...options,
      plural,
      kind,
      singular: toText(entry["singularName"]) || kind.toLowerCase(),
      shortcuts: toTexts(entry["shortNames"]),
      categories: toTexts(entry["categories"]),
      subresources: subresources.get(plural) ?? [],
      namespaced: entry["namespaced"] === true,
      verbs: toTexts(entry["verbs"]),
    };
  });
}

function parseAggregatedResource(
  entry: Fields,
  options: { readonly group: string; readonly version: string; readonly preferred: boolean },
): Resource[] {
  const plural = toText(entry["resource"]);
  const kind = toText(toFields(entry["responseKind"])["kind"]);
  // Without a kind there are only subresources, and no objects to list or watch.
  if (plural === "" || kind === "") return [];
  return [{
    ...options,
    plural,
    kind,
    singular: toText(entry["singularResource"]) || kind.toLowerCase(),
    shortcuts: toTexts(entry["shortNames"]),
    categories: toTexts(entry["categories"]),
    subresources: toList(entry["subresources"]).map((it) => toText(it["subresource"])).filter((name) =>
      name !== ""
    ),
    namespaced: entry["scope"] === "Namespaced",
    verbs: toTexts(entry["verbs"]),
  }];
}

function toFields(value: unknown): Fields {
  // Any object can be read as fields of unknown content.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Fields : {};
}

function toList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(toFields) : [];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
