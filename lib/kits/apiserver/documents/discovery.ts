/**
 * Discovery: the served resources, in the legacy documents and in the aggregated one.
 *
 * Source: Kubernetes documentation, "The Kubernetes API", "Discovery API".
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Resource } from "../../../model/resource.ts";
import { sha256 } from "../../../runtime/digest.ts";
import { apiVersionFor } from "../paths.ts";

/** The versions of a group, the preferred one first. */
interface Group {
  readonly name: string;
  readonly versions: readonly string[];
  readonly resources: readonly Resource[];
}

const SUBRESOURCE_VERBS = ["get", "patch", "update"];
/** Subresources that are of a kind of their own. */
const OTHER_KINDS: Readonly<Record<string, JsonObject>> = Object.assign(Object.create(null), {
  scale: { group: "autoscaling", version: "v1", kind: "Scale" },
  token: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
  binding: { group: "", version: "v1", kind: "Binding" },
  eviction: { group: "policy", version: "v1", kind: "Eviction" },
});
const CORE: Resource["group"] = "";

/** Returns `/api`. */
export function coreVersions(address: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** Returns `/apis`. */
export function groupList(resources: readonly Resource[]): JsonObject {
  const groups = groupsOf(resources).filter(({ name }) => name !== CORE);
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(describeGroup) };
}

/** Returns `/apis/<group>`; undefined if there is no such group. */
export function groupDocument(resources: readonly Resource[], name: string): JsonObject | undefined {
  const group = groupsOf(resources).find((candidate) => candidate.name === name && name !== CORE);
  return group === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...describeGroup(group) };
}

function describeGroup({ name, versions }: Group): JsonObject {
  const described = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: described, preferredVersion: described[0] };
}

/** Returns `/api/v1` or `/apis/<group>/<version>`; undefined if no resource is served there. */
export function resourceList(resources: readonly Resource[], apiVersion: string): JsonObject | undefined {
  const served = resources.filter((resource) => apiVersionFor(resource) === apiVersion);
  if (served.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    ...(apiVersion === "v1" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersion,
    resources: served.flatMap(describeResource),
  };
}

function describeResource(
  resource: Resource & { readonly storedIn?: string; readonly hash?: string },
): JsonObject[] {
  const { plural, singular, namespaced, kind, verbs, shortcuts, categories, subresources, storedIn } =
    resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortcuts.length > 0 ? { shortNames: shortcuts } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(storedIn === undefined ? {} : { storageVersionHash: resource.hash ?? hashOf(storedIn, kind) }),
  };
  return [
    main,
    ...subresources.map((subresource) => ({
      name: `${plural}/${subresource}`,
      singularName: "",
      namespaced,
      ...(Object.hasOwn(OTHER_KINDS, subresource) ? OTHER_KINDS[subresource] : { kind }),
      verbs: verbsOf(subresource),
    })),
  ];
}

/** Source: k8s.io/apiserver, pkg/endpoints/discovery/storageversionhash.go. */
function hashOf(storedIn: string, kind: string): string {
  const version = storedIn.includes("/") ? storedIn : `/${storedIn}`;
  return btoa(String.fromCharCode(...sha256(`${version}/${kind}`).subarray(0, 8)));
}

/** Whether a subresource takes only POST. */
export function isOnlyCreated(subresource: string | undefined): boolean {
  return subresource === "binding" || subresource === "eviction" || subresource === "token";
}

function verbsOf(subresource: string): readonly string[] {
  if (isOnlyCreated(subresource)) return ["create"];
  return subresource === "finalize" ? ["update"] : SUBRESOURCE_VERBS;
}

/** Returns the aggregated document: of the core group (`/api`) or of all others (`/apis`). */
export function aggregated(resources: readonly Resource[], core: boolean): JsonObject {
  const groups = groupsOf(resources).filter(({ name }) => (name === CORE) === core);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map((group) => ({
      metadata: core ? {} : { name: group.name },
      versions: group.versions.map((version) => ({
        version,
        resources: group.resources.filter((resource) => resource.version === version).map(aggregateResource),
        freshness: "Current",
      })),
    })),
  };
}

function aggregateResource(resource: Resource & { readonly custom?: boolean }): JsonObject {
  const { group, version, plural, singular, namespaced, kind, verbs, shortcuts, categories, subresources } =
    resource;
  // NB: built-in kinds leave out the group and the version that they share with the resource.
  const responseKind = resource.custom ? { group, version, kind } : { group: "", version: "", kind };
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortcuts.length > 0 ? { shortNames: shortcuts } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0
      ? {
        subresources: subresources.map((subresource) => ({
          subresource,
          responseKind: OTHER_KINDS[subresource] ?? responseKind,
          verbs: verbsOf(subresource),
        })),
      }
      : {}),
  };
}

function groupsOf(resources: readonly Resource[]): Group[] {
  const found = new Map<string, Resource[]>();
  for (const resource of resources) {
    const members = found.get(resource.group);
    if (members === undefined) found.set(resource.group, [resource]);
    else members.push(resource);
  }
  return [...found].map(([name, members]) => ({
    name,
    versions: [...new Set(members.map(({ version }) => version))].sort(compareVersions),
    resources: members,
  }));
}

/** Orders as Kubernetes prefers: v2, v1, v1beta2, v1beta1, v1alpha1, and others by name. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? -1 : a > b ? 1 : 0;
    return left === undefined ? 1 : -1;
  }
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function rankOf(version: string): { stability: number; major: number; minor: number } | undefined {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(version);
  if (match === null) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
