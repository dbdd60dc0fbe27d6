/**
 * Requests for resources: from a method and a path to the verb or the subresource that serves it.
 */

import type { Cluster } from "./cluster.ts";
import { isOnlyCreated } from "./documents/discovery.ts";
import { isTrue } from "./paths.ts";
import { methodNotAllowed, notSupported } from "./refusal.ts";
import type { Call } from "./verbs/call.ts";
import { listResponse } from "./verbs/list.ts";
import { podResponse } from "./subresources/pods.ts";
import { scaleResponse } from "./subresources/scale.ts";
import { shapeOf } from "./answers/shape.ts";
import { timeoutIn } from "./options/timeout.ts";
import { tokenResponse } from "./subresources/token.ts";
import { watchResponse } from "./verbs/watch.ts";
import { isDryRun } from "./options/write_options.ts";
import { create, get, patch, replace } from "./verbs/objects.ts";
import { remove, removeAll } from "./verbs/removal.ts";

export type CallOptions = Pick<Call, "kind" | "path" | "query" | "user" | "record">;

/**
 * Serves a request for a resource.
 *
 * @throws {Refusal}
 */
export function serveResource(
  cluster: Cluster,
  request: Request,
  { kind, path, query, user, record }: CallOptions,
): Response | Promise<Response> {
  // NB: before the options are read, which an apply may lack.
  if (isOnlyCreated(path.subresource) && !kind.custom && request.method !== "POST") throw methodNotAllowed();
  const call: Call = {
    request,
    kind,
    path,
    query,
    shape: shapeOf(request, { query, kind, isList: path.name === undefined && request.method !== "POST" }),
    dryRun: isDryRun(request, query),
    user,
    record,
    deadline: cluster.host.clock.now() + timeoutIn(query) * 1000,
  };
  if (path.subresource === "scale" && kind.scale !== undefined) return scaleResponse(cluster, call);
  if (path.subresource === "token") return tokenResponse(cluster, call);
  if (path.name === undefined) return serveCollection(cluster, call);
  const own = podResponse(cluster, call);
  if (own !== undefined) return own;
  if (kind.namespaced && path.namespace === undefined) throw methodNotAllowed();
  switch (request.method) {
    case "GET":
      return get(cluster, call);
    case "PUT":
      return replace(cluster, call);
    case "PATCH":
      return patch(cluster, call);
    case "DELETE":
      if (path.subresource === undefined) return remove(cluster, call);
      throw unsupported(call, "delete");
    default:
      throw unsupported(call, "create");
  }
}

function unsupported({ kind, path }: Call, verb: string): Error {
  return kind.custom && path.subresource !== undefined ? notSupported(kind, verb) : methodNotAllowed();
}

function serveCollection(cluster: Cluster, call: Call): Response | Promise<Response> {
  const { request, kind, path, query, shape } = call;
  const { namespace } = path;
  switch (request.method) {
    case "GET":
      if (!isTrue(query.get("watch"))) return listResponse(cluster, { kind, namespace, query, shape });
      return watchResponse(cluster, { kind, namespace, query, shape, signal: request.signal });
    case "POST":
      if (kind.namespaced && namespace === undefined) throw methodNotAllowed();
      return create(cluster, call);
    case "DELETE":
      if (!kind.verbs.includes("deletecollection")) throw methodNotAllowed();
      if (kind.namespaced && namespace === undefined) throw methodNotAllowed();
      return removeAll(cluster, call);
    default:
      throw methodNotAllowed();
  }
}
