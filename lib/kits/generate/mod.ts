/**
 * Generates what a cluster needs to run an operator: definitions of its kinds, roles, manifests; and types of kinds of others.
 *
 * Everything is made of what the operator declares; nothing is written, and no cluster is asked.
 *
 * @module
 */

export { type Declarations, declaredKinds, peeringCrds } from "./crds.ts";
export { makeCrds } from "../../engines/definitions/crds.ts";
export { isCrd, makeTypes } from "./types.ts";
export { converterOf } from "./webhooks.ts";
export {
  type FileTexts,
  type FormatOptions,
  makeManifests,
  type Manifests,
  type ManifestsOptions,
  toKustomize,
  toYaml,
} from "./manifests.ts";
export { type ChartOptions, toChart } from "./helm.ts";
export { makeRbac, type Rbac, type RbacOptions, type RolesOfOperator } from "./rbac.ts";
export { formatRights, parseRights, type Right } from "../../engines/rights/rights.ts";
