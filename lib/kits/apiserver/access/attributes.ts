/**
 * The attributes of a request, as authorization sees it.
 *
 * Source: k8s.io/apiserver, pkg/endpoints/request/requestinfo.go; the words of refusals: pkg/endpoints/handlers/responsewriters.
 */

import { groupOf } from "../kinds.ts";
import { isTrue, parseResourcePath, type ResourcePath } from "../paths.ts";
import { Refusal } from "../refusal.ts";
import type { User } from "./user.ts";

/** A wish for a resource. */
export interface ResourceWish {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** "" where no single object is meant. */
  readonly name: string;
  /** "" in all namespaces, and for kinds without. */
  readonly namespace: string;
}

/** A wish for a path that is no resource, such as /version. */
export interface PathWish {
  readonly verb: string;
  readonly path: string;
}

export type Wish = ResourceWish | PathWish;

export function isPathWish(wish: Wish): wish is PathWish {
  return "path" in wish;
}

const VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** A URL that has been read. */
export interface Target {
  readonly url: URL;
  /** Undefined if it leads to no resource. */
  readonly path: ResourcePath | undefined;
  /** The path says that it is a watch. */
  readonly watches?: boolean;
}

/** Reads a URL. */
export function targetOf(text: string): Target {
  const url = new URL(text);
  const { pathname } = url;
  const [, root, rest] = pathname.includes("/watch/")
    ? /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/watch(\/.+)$/.exec(pathname) ?? []
    : [];
  if (rest === undefined) return { url, path: parseResourcePath(pathname) };
  return watchTarget(url, `${root}${rest}`);
}

/** Reads a path with `/watch/` in it, the old way to say `watch=1`. NB: it may name an object. */
function watchTarget(url: URL, pathname: string): Target {
  const found = parseResourcePath(pathname);
  if (found === undefined || found.subresource !== undefined) return { url, path: undefined };
  const { name, ...path } = found;
  url.searchParams.set("watch", "1");
  if (name !== undefined && !url.searchParams.has("fieldSelector")) {
    url.searchParams.set("fieldSelector", `metadata.name=${name}`);
  }
  return { url, path, watches: true };
}

/** Reads the verb and the target of a request. */
export function wishOf({ method, url }: Request, target: Target = targetOf(url)): Wish {
  const { url: { pathname, searchParams }, path, watches = false } = target;
  if (path === undefined) return { verb: method.toLowerCase(), path: pathname };
  const { apiVersion, plural, name: named, namespace, subresource = "" } = path;
  const name = named ?? nameInQuery(searchParams);
  const isNamespace = apiVersion === "v1" && plural === "namespaces" && namespace === undefined;
  return {
    verb: watches
      ? "watch"
      : verbOf(method, { isOne: named !== undefined, watch: isTrue(searchParams.get("watch")) }),
    group: groupOf(apiVersion),
    resource: plural,
    subresource,
    name,
    // NB: a namespace is in itself.
    namespace: isNamespace ? named ?? "" : namespace ?? "",
  };
}

function verbOf(
  method: string,
  { isOne, watch }: { readonly isOne: boolean; readonly watch: boolean },
): string {
  const verb = VERBS[method] ?? method.toLowerCase();
  if (isOne) return verb;
  if (verb === "get") return watch ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}

/** A list or watch of one object by its name is about that object. */
function nameInQuery(query: URLSearchParams): string {
  return /^metadata\.name==?([^,=!]+)$/.exec(query.get("fieldSelector") ?? "")?.[1] ?? "";
}

/** Returns the refusal of a wish, worded as Kubernetes words it. */
export function forbiddenWish({ username }: User, wish: Wish, reason = ""): Refusal {
  const what = isPathWish(wish)
    ? `User ${JSON.stringify(username)} cannot ${wish.verb} path ${JSON.stringify(wish.path)}`
    : `User ${JSON.stringify(username)} cannot ${wish.verb} resource ${
      JSON.stringify(resourceOf(wish))
    } in API group ${JSON.stringify(wish.group)} ${
      wish.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(wish.namespace)}`
    }`;
  const why = reason === "" ? what : `${what}: ${reason}`;
  const { group, resource, name } = isPathWish(wish) ? { group: "", resource: "", name: "" } : wish;
  const qualified = group === "" ? resource : `${resource}.${group}`;
  const subject = resource === ""
    ? ""
    : name === ""
    ? `${qualified} is `
    : `${qualified} ${JSON.stringify(name)} is `;
  return new Refusal({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: `${subject}forbidden: ${why}`,
    reason: "Forbidden",
    details: {
      ...(name === "" ? {} : { name }),
      ...(group === "" ? {} : { group }),
      ...(resource === "" ? {} : { kind: resource }),
    },
    code: 403,
  });
}

function resourceOf({ resource, subresource }: ResourceWish): string {
  return subresource === "" ? resource : `${resource}/${subresource}`;
}
