/**
 * CustomResourceDefinitions: what is wrong with one, what it leaves out, and which resources it makes.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import type { Cause } from "./causes.ts";
import type { PrinterColumn } from "./tables.ts";

/** One served version of a CRD: an entry for discovery, and what the store must know of it. */
export interface ServedResource extends Resource {
  readonly listKind: string;
  /** Whether objects are stored in this version. */
  readonly storage: boolean;
  /** `openAPIV3Schema`, for compileSchema(). */
  readonly schema?: JsonObject;
  /** `additionalPrinterColumns`, for toTable(). */
  readonly columns: readonly PrinterColumn[];
  readonly scale?: ScalePaths;
  /** The text of the `Warning` header, if the version is deprecated. */
  readonly deprecation?: string;
}

/** Where the scale subresource finds its numbers: paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** Gives what Kubernetes would refuse in a definition (after defaultDefinition()). */
export function validateDefinition(_crd: KubeObject): Cause[] {
  return [];
}

/** Gives the resources of all served versions, in Kubernetes' order of preference (v2, v1, v1beta1). */
export function servedResources(_crd: KubeObject): ServedResource[] {
  return [];
}

/** Fills in what a definition may leave out, in place: singular, listKind, conversion, printer columns. */
export function defaultDefinition(_crd: KubeObject): void {}

/** Gives the `status` of a definition whose names are accepted and which is established. */
export function establishedStatus(_crd: KubeObject, _nowIso: string): JsonObject {
  return {};
}
