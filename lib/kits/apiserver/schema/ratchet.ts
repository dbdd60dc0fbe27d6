/**
 * Ratcheting: what was wrong before an update and did not change does not stand in its way.
 *
 * Source: Kubernetes documentation, "Validation ratcheting"; k8s.io/apiextensions-apiserver,
 * pkg/apiserver/validation/ratcheting.go. What corresponds to what: `correlation.ts`.
 */

import { levelsAboveBranches } from "./branches.ts";
import type { Correlation } from "./correlation.ts";
import type { Fault } from "./validation.ts";

/** The value that was checked, and what it was. */
export interface Update {
  readonly root: Correlation;
  /** It is a whole object, and not the status of one. */
  readonly isObject: boolean;
}

/** Returns the faults that an update brought in. */
export function onlyNewFaults(faults: readonly Fault[], update: Update): Fault[] {
  return faults.filter((fault) => !isOldFault(fault, update));
}

/** NB: inside of allOf, anyOf and oneOf, only what these are about is compared, and nothing below. */
function isOldFault({ instancePath, schemaPath }: Fault, { root, isObject }: Update): boolean {
  const tokens = instancePath.split("/").slice(1, 1 + levelsAboveBranches(schemaPath));
  // Both states have been made the same version: nobody can see whether these have changed.
  if (isObject && (tokens[0] === "apiVersion" || tokens[0] === "kind")) tokens.length = 0;
  let place: Correlation | undefined = root;
  for (const token of tokens) {
    if (place.isUnchanged) return true;
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    place = Array.isArray(place.value) ? place.index(Number(key)) : place.key(key);
    if (place === undefined) return false;
  }
  return place.isUnchanged;
}
