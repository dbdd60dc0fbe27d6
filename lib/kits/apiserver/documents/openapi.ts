/**
 * The OpenAPI documents, which kubectl reads before it applies, edits, explains or validates.
 *
 * kubectl asks for version 3 as JSON, one document per group and version, and looks in it for three things: whether PATCH
 * takes `fieldValidation` and strategic merge patches, and the schema with the kind's
 * `x-kubernetes-group-version-kind`. It asks for version 2 only as protobuf (`protobuf/openapi.ts`).
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Resource } from "../../../model/resource.ts";
import { servedResources } from "../definitions/crd.ts";
import type { Describe } from "./descriptions.ts";
import { resourcePaths } from "./openapi_paths.ts";
import { customSchemas, definitionNameOf, schemasOf, toVersion2 } from "./openapi_schemas.ts";
import { definitionName, typeOfKind } from "../types/mod.ts";

const INFO = { title: "Kubernetes", version: "v1.36.3" };

/** The served resources, and the definitions of the custom ones. */
export interface Served {
  readonly resources: readonly Resource[];
  readonly crds: readonly KubeObject[];
  readonly describe: Describe;
}

/** Returns `/openapi/v2`, as JSON. */
export function openapiV2(served: Served): JsonObject {
  const documents = pathsOf(served.resources).map((path) => documentOf(path, served, 2));
  return {
    swagger: "2.0",
    info: INFO,
    paths: Object.assign({}, ...documents.map((document) => document.paths)),
    definitions: Object.assign({}, ...documents.map((document) => document.schemas)),
  };
}

/** Returns `/openapi/v3`: the list of documents. Their addresses change whenever they do: kubectl keeps them on disk. */
export function openapiV3Index(resources: readonly Resource[], crds: readonly KubeObject[]): JsonObject {
  const paths: JsonObject = {};
  for (const path of pathsOf(resources)) {
    const source = [
      resources.filter((resource) => pathOfGroup(resource) === path).map((
        { plural, subresources },
      ) => [plural, subresources]),
      crds.filter((crd) => path.startsWith(`apis/${String(crd.spec?.group)}/`)).map((crd) => crd.spec),
    ];
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${digest(JSON.stringify(source))}` };
  }
  return { paths };
}

/**
 * Returns `/openapi/v3/<path>`, the path being `api/v1` or `apis/<group>/<version>`; undefined if no resource is served there.
 */
export function openapiV3(path: string, served: Served): JsonObject | undefined {
  const known = served.resources.some((resource) => pathOfGroup(resource) === path);
  if (!known) return undefined;
  const { paths, schemas } = documentOf(path, served, 3);
  return { openapi: "3.0.0", info: INFO, paths, components: { schemas } };
}

interface Document {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}

function documentOf(path: string, { resources, crds, describe }: Served, version: 2 | 3): Document {
  const here = resources.filter((resource) => pathOfGroup(resource) === path);
  const types = here.flatMap((resource) => typeOfKind(apiVersionOf(resource), resource.kind) ?? []);
  const prefix = version === 2 ? "#/definitions/" : "#/components/schemas/";
  const custom = crds.flatMap(servedResources).filter((resource) => pathOfGroup(resource) === path);
  const style = { version, prefix, describe };
  const schemas = { ...schemasOf(types, style), ...customSchemas(custom, style) };
  const paths = here.map((resource) => {
    const type = typeOfKind(apiVersionOf(resource), resource.kind);
    const name = type === undefined ? definitionNameOf(resource) : definitionName(type);
    return resourcePaths(resource, {
      version,
      root: `/${path}`,
      reference: prefix + name,
      strategic: type !== undefined,
    });
  });
  return {
    paths: Object.assign({}, ...paths),
    schemas: version === 2 ? toVersion2(schemas) : schemas,
  };
}

function pathsOf(resources: readonly Resource[]): string[] {
  return [...new Set(resources.map(pathOfGroup))].sort();
}

function pathOfGroup({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function apiVersionOf({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** FNV-1a, twice: no secret, only a name for a content. */
function digest(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b + text.charCodeAt(i), 0x811c9dc5);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).toUpperCase().padStart(8, "0")).join("");
}
