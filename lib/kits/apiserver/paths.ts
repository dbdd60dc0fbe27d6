/**
 * URLs of the Kubernetes API, read: which kind, which object, which subresource.
 *
 * Source: k8s.io/apiserver, pkg/endpoints/request/requestinfo.go.
 */

/** The parts of a URL under /api or /apis. */
export interface ResourcePath {
  /** "v1" or "group/version". */
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Returns "version" in the core group, "group/version" elsewhere. */
export function apiVersionFor(
  { group, version }: { readonly group: string; readonly version: string },
): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Subresources that are a part of their object, and have rules of their own. */
export type ObjectPart = "status" | "binding" | "ephemeralcontainers";

const NAMESPACE_SUBRESOURCES = ["status", "finalize"];

/** Reads a path below /api/v1 or /apis/group/version; undefined if it names no resource. */
export function parseResourcePath(pathname: string): ResourcePath | undefined {
  // NB: an encoded slash is a slash, as to Go's router.
  const parts = decode(pathname)?.split("/") ?? [];
  if (parts.at(-1) === "") parts.pop();
  if (parts.includes("", 1)) return undefined;
  const root = parts[1];
  if (root === "api") return parseRest(parts[2] ?? "", parts.slice(3));
  if (root === "apis" && parts.length > 4) return parseRest(`${parts[2]}/${parts[3]}`, parts.slice(4));
  return undefined;
}

function decode(pathname: string): string | undefined {
  if (!pathname.includes("%")) return pathname;
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

function parseRest(apiVersion: string, parts: readonly string[]): ResourcePath | undefined {
  const [first, second, third] = parts;
  if (first === undefined) return undefined;
  const isContent = first === "namespaces" && second !== undefined && third !== undefined &&
    !NAMESPACE_SUBRESOURCES.includes(third);
  if (!isContent) return build({ apiVersion, plural: first }, parts.slice(1));
  return build({ apiVersion, plural: third, namespace: second }, parts.slice(3));
}

function build(
  base: ResourcePath,
  [name, subresource, ...more]: readonly string[],
): ResourcePath | undefined {
  if (more.length > 0) return undefined;
  if (name === undefined) return base;
  return subresource === undefined ? { ...base, name } : { ...base, name, subresource };
}

/** Reads a switch in a query. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}
