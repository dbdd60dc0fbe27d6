/**
 * The paths in the OpenAPI documents: one entry per address and method, with the members that kubectl looks for.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Resource } from "../../../model/resource.ts";

/** How a resource's paths are written. */
export interface PathsOptions {
  readonly version: 2 | 3;
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly root: string;
  /** The reference to the kind's schema. */
  readonly reference: string;
  /** Whether the kind takes strategic merge patches. */
  readonly strategic: boolean;
}

/** By HTTP method of a collection and of an object: the verb that allows it. */
const OF_COLLECTION = { get: "list", post: "create", delete: "deletecollection" } as const;
const OF_OBJECT = { get: "get", put: "update", patch: "patch", delete: "delete" } as const;
const OF_SUBRESOURCE = { get: "get", put: "update", patch: "patch" } as const;

const JSON_TYPE = "application/json";
const PATCH_TYPES = ["application/json-patch+json", "application/merge-patch+json"];
const APPLY_TYPE = "application/apply-patch+yaml";
const STRATEGIC_TYPE = "application/strategic-merge-patch+json";

/** Returns the path items of a resource and its subresources. */
export function resourcePaths(resource: Resource, options: PathsOptions): JsonObject {
  const { root } = options;
  const place = resource.namespaced
    ? `${root}/namespaces/{namespace}/${resource.plural}`
    : `${root}/${resource.plural}`;
  const paths: JsonObject = {};
  const add = (path: string, methods: Readonly<Record<string, string>>): void => {
    const item = pathItem(path, { resource, methods, options });
    if (Object.keys(item).length > 0) paths[path] = item;
  };
  add(place, OF_COLLECTION);
  if (resource.namespaced) add(`${root}/${resource.plural}`, { get: "list" });
  add(`${place}/{name}`, OF_OBJECT);
  for (const name of resource.subresources) add(`${place}/{name}/${name}`, OF_SUBRESOURCE);
  return paths;
}

interface Item {
  readonly resource: Resource;
  readonly methods: Readonly<Record<string, string>>;
  readonly options: PathsOptions;
}

function pathItem(path: string, { resource, methods, options }: Item): JsonObject {
  const operations = Object.entries(methods)
    .filter(([, verb]) => resource.verbs.includes(verb))
    .map(([method, verb]) => [method, operation({ resource, method, verb, options })] as const);
  if (operations.length === 0) return {};
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    parameter(name!, { at: "path", options })
  );
  return { ...Object.fromEntries(operations), ...(inPath.length === 0 ? {} : { parameters: inPath }) };
}

interface Operation {
  readonly resource: Resource;
  readonly method: string;
  readonly verb: string;
  readonly options: PathsOptions;
}

function operation({ resource, method, verb, options }: Operation): JsonObject {
  const { group, version, kind } = resource;
  const writes = ["post", "put", "patch"].includes(method);
  const query = writes
    ? ["dryRun", "fieldManager", "fieldValidation", ...(method === "patch" ? ["force"] : [])]
    : [];
  const types = method !== "patch"
    ? [JSON_TYPE]
    : [...PATCH_TYPES, ...(options.strategic ? [STRATEGIC_TYPE] : []), APPLY_TYPE];
  const parameters = [
    ...query.map((name) => parameter(name, { at: "query", options })),
    ...(writes && options.version === 2 ? [{ name: "body", in: "body", required: true, schema: {} }] : []),
  ];
  return {
    ...body({ writes, types, options }),
    // NB: Kubernetes' own types leave empty lists out, and find a document with one unlike its copy.
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { "200": answer(verb, options) },
    "x-kubernetes-action": verb,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

function body(of: { writes: boolean; types: readonly string[]; options: PathsOptions }): JsonObject {
  const { writes, types, options } = of;
  if (options.version === 2) return { consumes: writes ? types : ["*/*"], produces: [JSON_TYPE] };
  if (!writes) return {};
  const schema = types.length === 1 ? { $ref: options.reference } : {};
  return {
    requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) },
  };
}

/** Lists are described as objects without fields. */
function answer(verb: string, { version, reference }: PathsOptions): JsonObject {
  const schema = verb === "list" || verb.startsWith("delete") ? { type: "object" } : { $ref: reference };
  return { description: "OK", ...(version === 2 ? { schema } : { content: { [JSON_TYPE]: { schema } } }) };
}

function parameter(
  name: string,
  { at, options }: { at: "path" | "query"; options: PathsOptions },
): JsonObject {
  const type = { type: name === "force" ? "boolean" : "string", uniqueItems: true };
  const required = at === "path" ? { required: true } : {};
  return options.version === 2
    ? { name, in: at, ...type, ...required }
    : { name, in: at, schema: type, ...required };
}
