/**
 * CustomResourceDefinitions of an operator's kinds: made of schemas, compared with the cluster's, and applied.
 *
 * @module
 */

export { type Declarations, declaredKinds } from "../../registry/declared_kinds.ts";
export { makeCrds, peeringCrds } from "./crds.ts";
export { applyDefinitions, checkFields } from "./start.ts";
