/**
 * Projections: the part of a kind's objects that is fetched and kept. Whole objects, their metadata alone, or less.
 *
 * Fields that are not kept cost no memory. Fields that are not asked for cost no bandwidth either. A projection counts for
 * everything that is remembered of an object, so that lists, watches and the answers to writes are alike. Source: Kubernetes
 * API concepts, "Metadata-only fetches".
 */

import type { KubeObject } from "../model/object.ts";
import { apiVersionOf, type Resource } from "../model/resource.ts";
import type { Logger } from "../runtime/logging.ts";

/** The way in which a kind's objects are asked for, and the parts of them that are kept. */
export interface Projection {
  /** Ask for the metadata alone. */
  readonly metadataOnly: boolean;
  /** Returns the part of an object that is kept. Does not fail. */
  readonly project: (object: KubeObject) => KubeObject;
}

export interface ProjectionOptions {
  /** Default: false. */
  readonly metadataOnly?: boolean;
  /** Applied one after another, after all else. Default: none. */
  readonly transforms?: readonly ((object: KubeObject) => KubeObject | void)[];
  readonly logger: Logger;
}

/** Media types for metadata alone; servers that do not know them give whole objects, which are cut here. */
export const METADATA_ACCEPTS = {
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
  watch: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
} as const;

/** Returns the `accept` header of a list or watch; undefined for the usual one. */
export function acceptOf(projection: Projection | undefined, verb: "list" | "watch"): string | undefined {
  return projection?.metadataOnly ? METADATA_ACCEPTS[verb] : undefined;
}

/** Returns the projection of a kind's objects; undefined if they are taken whole. */
export function projectionOf(
  resource: Pick<Resource, "group" | "version" | "kind">,
  { metadataOnly = false, transforms = [], logger }: ProjectionOptions,
): Projection | undefined {
  if (!metadataOnly && transforms.length === 0) return undefined;
  const head = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const project = (object: KubeObject): KubeObject => {
    let result: KubeObject = metadataOnly ? { ...head, metadata: object.metadata } : object;
    for (const transform of transforms) result = transformed(result, { transform, logger });
    return result;
  };
  return { metadataOnly, project };
}

interface TransformOptions {
  readonly transform: (object: KubeObject) => KubeObject | void;
  readonly logger: Logger;
}

/** Returns the result of a user's function for an object; parts that it may not take away stay. */
function transformed(object: KubeObject, { transform, logger }: TransformOptions): KubeObject {
  const { apiVersion, kind, metadata } = object;
  try {
    const copy = { ...object, metadata: { ...metadata } };
    const result = transform(copy) ?? copy;
    return { ...result, apiVersion, kind, metadata: { ...result.metadata, ...identityOf(metadata) } };
  } catch (error) {
    const { name, namespace } = metadata;
    logger.error("The transform of a kind has failed: the object is taken as it is", {
      kind,
      namespace,
      name,
      error,
    });
    return object;
  }
}

/** Without these the object, its state and its finalizers would be unknown. */
function identityOf(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, finalizers } =
    metadata;
  const identity = {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    finalizers,
  };
  return Object.fromEntries(Object.entries(identity).filter(([, value]) => value !== undefined));
}
