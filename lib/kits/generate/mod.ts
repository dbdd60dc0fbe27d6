/**
 * Generates what a cluster needs to know of an operator: definitions of its kinds, and types of those of strangers.
 *
 * Everything is made of what the operator declares; nothing is written, and no cluster is asked.
 *
 * @module
 */

export { type Declarations, declaredKinds, makeCrds, peeringCrds } from "./crds.ts";
export { isCrd, makeTypes } from "./types.ts";
