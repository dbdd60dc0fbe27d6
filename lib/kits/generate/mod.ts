/**
 * Generates the manifests that a cluster needs to run an operator, and types of kinds of others.
 *
 * Everything is made of an operator's declarations, and of definitions and roles that other kits make; no file is written, and
 * no cluster is asked.
 *
 * @module
 */

export { isCrd, makeTypes, type Types } from "./types.ts";
export { converterOf } from "./webhooks.ts";
export {
  type FileTexts,
  type FormatOptions,
  makeManifests,
  type Manifests,
  type ManifestsOptions,
  type Roles,
  toKustomize,
  toYaml,
} from "./manifests.ts";
export { type ChartOptions, toChart } from "./helm.ts";
