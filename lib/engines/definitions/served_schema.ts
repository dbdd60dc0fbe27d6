/** Reads the cluster's definition of a kind, and the schema in it. */

import type { Addressable, Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";

/** Definitions, as the API server has them. */
export const CRDS: Addressable = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** Whose definition is read, and how. */
export interface DefinitionReader {
  readonly client: Client;
  readonly signal?: AbortSignal;
  /** Called if the server refuses. Default: it is passed over silently. */
  readonly onRefusal?: (error: ApiError) => void;
}

/** Returns the definition of a kind; undefined for built-in kinds, and where it may not be read. */
export async function readDefinition(
  { group, plural }: Pick<Resource, "group" | "plural">,
  { client, signal, onRefusal }: DefinitionReader,
): Promise<KubeObject | undefined> {
  if (!group.includes(".")) return undefined; // Built-in kinds have no definitions.
  try {
    return await client.get(CRDS, { name: `${plural}.${group}` }, { signal });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    onRefusal?.(error);
    return undefined;
  }
}

/** Returns the schema of one version; undefined if it has none. */
export function schemaOf(crd: KubeObject | undefined, version: string): JsonObject | undefined {
  const versions = Array.isArray(crd?.spec?.versions) ? crd.spec.versions.filter(isObject) : [];
  const schema = versions.find(({ name }) => name === version)?.schema;
  const found = isObject(schema) ? schema.openAPIV3Schema : undefined;
  return isObject(found) ? found : undefined;
}
