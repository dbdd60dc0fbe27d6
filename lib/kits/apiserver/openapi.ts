/**
 * The OpenAPI documents that kubectl reads before it writes.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";

/** Gives `/openapi/v2`. */
export function openapiV2(_resources: readonly Resource[], _crds: readonly KubeObject[]): JsonObject {
  return { swagger: "2.0", info: { title: "Kubernetes", version: "v1" }, paths: {}, definitions: {} };
}

/** Gives `/openapi/v3`: the list of documents. */
export function openapiV3Index(_resources: readonly Resource[], _crds: readonly KubeObject[]): JsonObject {
  return { paths: {} };
}

/** Gives `/openapi/v3/<path>`, the path being `api/v1` or `apis/<group>/<version>`; undefined if nothing is served there. */
export function openapiV3(
  _path: string,
  _served: { resources: readonly Resource[]; crds: readonly KubeObject[] },
): JsonObject | undefined {
  return undefined;
}
