/**
 * The rules of `metadata`: which fields there are, who may set them, and what they may hold.
 *
 * Sources: Kubernetes API reference, ObjectMeta; k8s.io/apimachinery, pkg/api/validation/objectmeta.go; k8s.io/apiserver,
 * pkg/registry/rest/{create,update}.go.
 */

import type { KubeObject, ObjectMeta } from "../../../model/object.ts";
import type { Random } from "../../../runtime/host.ts";
import type { Cause } from "../causes.ts";
import type { Kind } from "../kinds.ts";
import { annotationCauses, labelCauses, nameCauses, qualifiedNameFault } from "./names.ts";

/** Letters and digits without vowels and look-alikes. Source: k8s.io/apimachinery, pkg/util/rand. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const LONGEST_BASE = 63 - SUFFIX_LENGTH;

/** Gives a name that begins with `generateName`. */
export function generateName(base: string, random: Random): string {
  let name = base.slice(0, LONGEST_BASE);
  for (let i = 0; i < SUFFIX_LENGTH; i++) name += ALPHABET[Math.floor(random.next() * ALPHABET.length)];
  return name;
}

/** Says what is wrong with the metadata of an object, new or changed. */
export function metadataCauses(kind: Kind, { metadata }: KubeObject): Cause[] {
  const causes: Cause[] = [];
  if (metadata.name === undefined) {
    causes.push({
      reason: "FieldValueRequired",
      message: "Required value: name or generateName is required",
      field: "metadata.name",
    });
  } else {
    causes.push(...nameCauses(kind, metadata.name));
  }
  causes.push(...labelCauses(metadata.labels), ...annotationCauses(metadata.annotations));
  causes.push(...finalizerCauses(kind, metadata.finalizers ?? []));
  causes.push(...ownerCauses(metadata));
  return causes;
}

/** The only finalizers of built-in kinds without a domain. */
const STANDARD_FINALIZERS = ["kubernetes", "orphan", "foregroundDeletion"];

function finalizerCauses({ custom }: Kind, finalizers: readonly string[]): Cause[] {
  const causes: Cause[] = [];
  const add = (finalizer: string, fault: string, field: string) =>
    causes.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(finalizer)}: ${fault}`,
      field,
    });
  for (const [index, finalizer] of finalizers.entries()) {
    const fault = qualifiedNameFault(finalizer);
    if (fault !== undefined) add(finalizer, fault, "metadata.finalizers");
    else if (!custom && !finalizer.includes("/") && !STANDARD_FINALIZERS.includes(finalizer)) {
      const words = "name is neither a standard finalizer name nor is it fully qualified";
      add(finalizer, words, `metadata.finalizers[${index}]`);
    }
  }
  return causes;
}

const OWNER_WORDS = {
  apiVersion: "version must not be empty",
  kind: "must not be empty",
  name: "must not be empty",
  uid: "must not be empty",
} as const;

function ownerCauses({ ownerReferences = [] }: ObjectMeta): Cause[] {
  const causes: Cause[] = [];
  for (const owner of ownerReferences) {
    for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
      if (typeof owner[field] === "string" && owner[field] !== "") continue;
      causes.push({
        reason: "FieldValueInvalid",
        message: `Invalid value: "": ${OWNER_WORDS[field]}`,
        // NB: the real server does not say which one, either.
        field: `metadata.ownerReferences.${field}`,
      });
    }
  }
  return causes;
}

/** Says which fields of `metadata` were changed that must not be, or not so. */
export function metadataChangeCauses(metadata: ObjectMeta, old: ObjectMeta): Cause[] {
  const causes: Cause[] = [];
  for (
    const field of ["name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const
  ) {
    if (metadata[field] === old[field]) continue;
    causes.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(metadata[field] ?? "")}: field is immutable`,
      field: `metadata.${field}`,
    });
  }
  if (old.deletionTimestamp === undefined) return causes;
  const added = (metadata.finalizers ?? []).filter((name) => !(old.finalizers ?? []).includes(name));
  if (added.length > 0) {
    const list = added.map((name) => JSON.stringify(name)).join(", ");
    causes.push({
      reason: "FieldValueForbidden",
      message:
        `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
      field: "metadata.finalizers",
    });
  }
  return causes;
}
