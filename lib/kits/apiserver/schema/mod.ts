/**
 * A CRD version's schema, ready to use: fills defaults in, drops unknown fields, and returns faults.
 *
 * The order on a write is Kubernetes': prune, default, validate; on a read from a store that an older schema filled:
 * prune, default. Source: Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions".
 * `x-kubernetes-validations` are not looked at here: see `cel/validations.ts`.
 */

import type { ObjectPart } from "../paths.ts";
import type { JsonObject } from "../../../model/object.ts";
import type { Cause } from "../causes.ts";
import { Correlation } from "./correlation.ts";
import { applyDefaults, dropNulls } from "./defaults.ts";
import { checkEmbedded } from "./embedded.ts";
import { findDuplicates } from "./list_types.ts";
import { pruneResource, type RefuseMetadata } from "./pruning.ts";
import { own, propertySchema, type Schema } from "./structural.ts";
import { Validator } from "./validator.ts";

/** The facts besides the object that validate() may know. */
export interface ValidateOptions {
  /** The object before the update: a fault in an unchanged part of it is let pass. */
  readonly old?: JsonObject;
  /** "status": an update of the status subresource, of which only the status is checked. Default: the whole object. */
  readonly part?: ObjectPart;
}

/** How much is removed. */
export interface PruneOptions {
  /** Whether nulls stay where they are not allowed, and are refused later, as in applied configurations. Default: false. */
  readonly keepsNulls?: boolean;
  /** Default: metadata of embedded resources that cannot be read stays. */
  readonly refuse?: RefuseMetadata;
}

/** The checks of a schema for an object of its kind. All three leave `apiVersion`, `kind` and `metadata` alone. */
export interface CompiledSchema {
  /** Fills the defaults in, in place. */
  default(object: JsonObject): void;
  /** Removes the fields that the schema does not know, and nulls that it does not allow, in place. Gives the paths of unknown fields. */
  prune(object: JsonObject, options?: PruneOptions): string[];
  /** Returns the faults; none if the object is valid. */
  validate(object: JsonObject, options?: ValidateOptions): Cause[];
}

/** Compiles a `spec.versions[].schema.openAPIV3Schema`. Without one, everything is kept and valid. */
export function compileSchema(schema: JsonObject | undefined): CompiledSchema {
  if (schema === undefined) return { default: () => {}, prune: () => [], validate: () => [] };
  const status = propertySchema(schema, "status");
  const isEmbedding = JSON.stringify(schema).includes("x-kubernetes-embedded-resource");
  const whole: Part = { schema, validator: new Validator(schema), field: "" };
  const part: Part | undefined = status &&
    { schema: status, validator: new Validator(status), field: "status" };
  return {
    default(object) {
      applyDefaults(object, schema);
      // NB: defaults may have metadata with unknown fields in it.
      if (isEmbedding) pruneResource(object, schema);
    },
    prune(object, { keepsNulls = false, refuse } = {}) {
      const removed = pruneResource(object, schema, refuse);
      if (!keepsNulls) dropNulls(object, schema);
      return removed;
    },
    validate(object, options = {}) {
      const shown = options.part === "status" ? part : whole;
      const bySchema = shown === undefined ? [] : checkPart(object, { ...shown, old: options.old });
      return [...bySchema, ...checkStructure(object, { schema, ...options })];
    },
  };
}

interface Part {
  readonly schema: Schema;
  readonly validator: Validator;
  readonly field: "" | "status";
}

function checkPart(object: JsonObject, part: Part & { readonly old?: JsonObject }): Cause[] {
  const { schema, field } = part;
  const value = field === "" ? object : own(object, field);
  if (value === undefined) return [];
  const before = field === "" ? part.old : own(part.old, field);
  const history = part.old === undefined ? undefined : new Correlation(value, before, schema);
  return part.validator.validate(value, { history, field });
}

/** Duplicates and broken embedded resources; duplicates that were there before an update are let pass. */
function checkStructure(object: JsonObject, options: ValidateOptions & { readonly schema: Schema }): Cause[] {
  const { schema, old, part } = options;
  const embedded = part === "status" ? [] : checkEmbedded(object, schema);
  const hadDuplicates = old !== undefined && findDuplicates(old, schema).length > 0;
  return hadDuplicates ? embedded : [...embedded, ...findDuplicates(object, schema)];
}
