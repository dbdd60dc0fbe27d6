/**
 * The rules of `metadata`: which fields there are, which of them clients may set, and the faults of their values.
 *
 * Sources: Kubernetes API reference, ObjectMeta; k8s.io/apimachinery, pkg/api/validation/objectmeta.go; k8s.io/apiserver,
 * pkg/registry/rest/{create,update}.go.
 */

import type { KubeObject, ObjectMeta, OwnerReference } from "../../../model/object.ts";
import type { Random } from "../../../runtime/host.ts";
import { formatJson } from "../../../runtime/json.ts";
import { type Cause, invalid } from "../causes.ts";
import type { Printed } from "../formats/go_format.ts";
import type { Kind } from "../kinds.ts";
import { annotationCauses, labelCauses } from "../labels.ts";
import { qualifiedNameErrors } from "../names.ts";
import { generateNameCauses, nameCauses } from "./names.ts";

/** Letters and digits without vowels and look-alikes. Source: k8s.io/apimachinery, pkg/util/rand. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const LONGEST_BASE = 63 - SUFFIX_LENGTH;

/** Returns a name that begins with `generateName`. */
export function generateName(base: string, random: Random): string {
  let name = base.slice(0, LONGEST_BASE);
  for (let i = 0; i < SUFFIX_LENGTH; i++) name += ALPHABET[Math.floor(random.next() * ALPHABET.length)];
  return name;
}

/** Returns the faults of the metadata of an object, new or changed. */
export function metadataCauses(kind: Kind, { metadata }: KubeObject): Cause[] {
  const causes: Cause[] = metadata.generateName === undefined
    ? []
    : generateNameCauses(kind, metadata.generateName);
  if (metadata.name === undefined) {
    causes.push({
      reason: "FieldValueRequired",
      message: "Required value: name or generateName is required",
      field: "metadata.name",
    });
  } else {
    causes.push(...nameCauses(kind, metadata.name));
  }
  causes.push(
    ...labelCauses(metadata.labels, "metadata.labels"),
    ...annotationCauses(metadata.annotations, "metadata.annotations"),
  );
  // Most objects have neither.
  if (metadata.finalizers !== undefined) causes.push(...finalizerCauses(kind, metadata.finalizers));
  if (metadata.ownerReferences !== undefined) causes.push(...ownerCauses(metadata.ownerReferences));
  return causes;
}

/**
 * Drops owners that are there twice, wholly alike, with a warning.
 *
 * Source: k8s.io/apiserver, pkg/endpoints/handlers/rest.go, dedupOwnerReferencesAndAddWarning().
 */
export function dropRepeatedOwners(
  { metadata }: KubeObject,
  { warn, isMutated }: { readonly warn: (text: string) => void; readonly isMutated: boolean },
): void {
  const kept = new Map<string, OwnerReference>();
  const repeated: string[] = [];
  for (const owner of metadata.ownerReferences ?? []) {
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
    const identity = formatJson([
      apiVersion,
      kind,
      name,
      uid,
      controller ?? null,
      blockOwnerDeletion ?? null,
    ]);
    if (kept.has(identity)) repeated.push(uid);
    else kept.set(identity, owner);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = [...kept.values()];
  const when = isMutated ? " after mutating admission happens" : "";
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${
      repeated.join(", ")
    }`,
  );
}

/** The only finalizers of built-in kinds without a domain. */
const STANDARD_FINALIZERS = ["kubernetes", "orphan", "foregroundDeletion"];

/**
 * Returns the warnings about finalizers that a custom object gets, but not about finalizers that it had.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/registry/customresource/validator.go.
 */
export function finalizerWarnings({ metadata }: KubeObject, before?: KubeObject): string[] {
  const had = before?.metadata.finalizers ?? [];
  const added = new Set((metadata.finalizers ?? []).filter((name) => !had.includes(name)));
  return [...added].sort().flatMap((name) => {
    const faults = qualifiedNameErrors(name);
    if (!name.includes("/") && !STANDARD_FINALIZERS.includes(name)) {
      const path = name.includes(".") ? " including a path (/)" : "";
      faults.push(
        `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
      );
    }
    return faults.map((fault) => `metadata.finalizers: ${JSON.stringify(name)}: ${fault}`);
  });
}

function finalizerCauses({ custom }: Kind, finalizers: readonly string[]): Cause[] {
  return finalizers.flatMap((value, index) => {
    const errors = qualifiedNameErrors(value).map((detail) =>
      invalid("metadata.finalizers", { value, detail })
    );
    if (custom || value.includes("/") || STANDARD_FINALIZERS.includes(value)) return errors;
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    return [...errors, invalid(`metadata.finalizers[${index}]`, { value, detail })];
  });
}

const OWNER_WORDS = {
  apiVersion: "version must not be empty",
  kind: "must not be empty",
  name: "must not be empty",
  uid: "must not be empty",
} as const;

function ownerCauses(ownerReferences: readonly OwnerReference[]): Cause[] {
  const missing = ownerReferences.flatMap((owner) =>
    (["apiVersion", "kind", "name", "uid"] as const)
      .filter((field) => typeof owner[field] !== "string" || owner[field] === "")
      // NB: the real server does not say which owner it is, either.
      .map((field) => invalid(`metadata.ownerReferences.${field}`, { value: "", detail: OWNER_WORDS[field] }))
  );
  const [first, second] = ownerReferences.filter(({ controller }) => controller === true);
  if (first === undefined || second === undefined) return missing;
  const [a, b] = [first, second].map(({ kind, name }) => `${kind}/${name}`);
  const detail =
    `Only one reference can have Controller set to true. Found "true" in references for ${a} and ${b}`;
  return [
    ...missing,
    invalid("metadata.ownerReferences", { value: new PrintedOwners(ownerReferences), detail }),
  ];
}

/** Owners as Go prints them: in the order of its fields. */
class PrintedOwners implements Printed {
  readonly #owners: readonly OwnerReference[];

  constructor(owners: readonly OwnerReference[]) {
    this.#owners = owners;
  }

  print(): string {
    return JSON.stringify(
      this.#owners.map(({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }) => (
        { apiVersion, kind, name, uid, controller, blockOwnerDeletion }
      )),
    );
  }
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
