/**
 * A kind that an API server serves (group, version, plural), and the paths under which it serves it.
 *
 * A `Resource` is a kind that discovery found; a kind that a user declares (`resource()` in `registry/`) is only a selector until
 * discovery has matched it. Identity is (group, version, plural), as in Kopf.
 */

/** A kind as discovered. */
export interface Resource {
  /** "" for the core group. */
  readonly group: string;
  /** Such as "v1". */
  readonly version: string;
  /** As in URLs, such as "deployments". */
  readonly plural: string;
  /** As in objects, such as "Deployment". */
  readonly kind: string;
  /** Such as "deployment". */
  readonly singular: string;
  /** Short names, such as "deploy". */
  readonly shortcuts: readonly string[];
  /** Groups of kinds, such as "all". */
  readonly categories: readonly string[];
  /** Names such as "status" and "scale". */
  readonly subresources: readonly string[];
  /** Whether its objects live in namespaces. */
  readonly namespaced: boolean;
  /** Whether this is its group's preferred version; always true in the core group. */
  readonly preferred: boolean;
  /** The verbs that it knows, such as "list" and "watch". */
  readonly verbs: readonly string[];
}

/** Which URL of a kind is meant. */
export interface PathOptions {
  /** Default: all namespaces, or none. */
  readonly namespace?: string;
  /** Default: the whole list. */
  readonly name?: string;
  /** Such as "status". */
  readonly subresource?: string;
}

/** Returns "group/version", or "version" in the core group: an object's `apiVersion`. */
export function apiVersionOf(resource: Pick<Resource, "group" | "version">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** Returns "plural.group" (or "plural" in the core group), whatever the version, as kubectl names kinds. */
export function groupResource({ group, plural }: Pick<Resource, "group" | "plural">): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** Returns "plural.version.group" (or "plural.version" in the core group): the identity of a kind as one string. */
export function keyOf(resource: Pick<Resource, "group" | "version" | "plural">): string {
  return resource.group === ""
    ? `${resource.plural}.${resource.version}`
    : `${resource.plural}.${resource.version}.${resource.group}`;
}

/**
 * Returns the URL path of a kind, an object or a subresource, beginning with a slash.
 *
 * @throws {TypeError} If a namespace is given for a cluster-scoped kind, a name of a namespaced object without its
 * namespace, or a subresource without a name.
 */
export function pathOf(
  resource: Pick<Resource, "group" | "version" | "plural" | "namespaced">,
  options: PathOptions = {},
): string {
  const { namespace, name, subresource } = options;
  if (!resource.namespaced && namespace !== undefined) {
    throw new TypeError(
      `Cannot address "${keyOf(resource)}" in namespace "${namespace}": it is cluster-scoped`,
    );
  }
  if (resource.namespaced && name !== undefined && namespace === undefined) {
    throw new TypeError(`Cannot address "${keyOf(resource)}" "${name}": its namespace is missing`);
  }
  if (subresource !== undefined && name === undefined) {
    throw new TypeError(
      `Cannot address subresource "${subresource}" of "${keyOf(resource)}": a name is missing`,
    );
  }
  const parts = resource.group === "" && resource.version === "v1"
    ? ["/api", resource.version]
    : ["/apis", resource.group, resource.version];
  if (namespace !== undefined) parts.push("namespaces", encodeURIComponent(namespace));
  parts.push(resource.plural);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource !== undefined) parts.push(subresource);
  return parts.join("/");
}
