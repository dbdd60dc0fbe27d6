/** Manifests of operators, with their definitions and roles, as `lotse generate manifests` puts them together. */

import { declaredKinds, makeCrds } from "../../lib/kits/definitions/mod.ts";
import {
  converterOf,
  makeManifests,
  type Manifests,
  type ManifestsOptions,
} from "../../lib/kits/generate/mod.ts";
import { makeRbac, type RbacOptions } from "../../lib/kits/rights/mod.ts";

/** Makes all manifests. */
export function manifestsOf(options: Omit<ManifestsOptions, "crds" | "roles"> & RbacOptions): Manifests {
  const crds = makeCrds(declaredKinds(options), converterOf(options));
  return makeManifests({ ...options, crds, roles: makeRbac(options) });
}
