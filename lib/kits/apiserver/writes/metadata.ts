/**
 * The rules of `metadata`: which fields there are, who may set them, and what they may hold.
 *
 * Sources: Kubernetes API reference, ObjectMeta; k8s.io/apimachinery, pkg/api/validation/objectmeta.go; k8s.io/apiserver,
 * pkg/registry/rest/{create,update}.go.
 */

import type { JsonObject, KubeObject, ObjectMeta } from "../../../model/object.ts";
import type { Random } from "../../../runtime/host.ts";
import type { Cause } from "../causes.ts";
import type { Kind } from "../kinds.ts";
import { badRequest } from "../refusal.ts";
import { getOwn, isObject } from "../values.ts";
import { annotationCauses, labelCauses, nameCauses, qualifiedNameFault } from "./names.ts";

/** What each field must be. Fields that are not listed are dropped, as Kubernetes drops them. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: isString,
  generateName: isString,
  namespace: isString,
  uid: isString,
  resourceVersion: isString,
  generation: Number.isInteger,
  creationTimestamp: isString,
  deletionTimestamp: isString,
  deletionGracePeriodSeconds: Number.isInteger,
  labels: isStringMap,
  annotations: isStringMap,
  finalizers: (value) => Array.isArray(value) && value.every(isString),
  ownerReferences: (value) => Array.isArray(value) && value.every(isObject),
};

/** Letters and digits without vowels and look-alikes. Source: k8s.io/apimachinery, pkg/util/rand. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const LONGEST_BASE = 63 - SUFFIX_LENGTH;

/**
 * Gives the known fields of what a client sent as `metadata`; empty ones are left out.
 *
 * @throws {Refusal} 400, if a field has the wrong type.
 */
export function readMetadata(value: unknown, kind: Pick<Kind, "kind" | "version">): ObjectMeta {
  const metadata: JsonObject = {};
  if (value !== undefined && value !== null && !isObject(value)) throw wrongType("metadata", kind);
  for (const [field, fits] of Object.entries(FIELDS)) {
    const found = isObject(value) ? getOwn(value, field) : undefined;
    if (found === undefined || found === null || found === "") continue;
    if (!fits(found)) throw wrongType(`metadata.${field}`, kind);
    if (!isEmpty(found)) metadata[field] = found;
  }
  return metadata;
}

function wrongType(field: string, kind: Pick<Kind, "kind" | "version">): Error {
  return badRequest(
    `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: json: cannot unmarshal into Go struct field ObjectMeta.${field}`,
  );
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isStringMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isString);
}

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
  for (const finalizer of metadata.finalizers ?? []) causes.push(...finalizerCauses(finalizer));
  causes.push(...ownerCauses(metadata));
  return causes;
}

function finalizerCauses(finalizer: string): Cause[] {
  const fault = qualifiedNameFault(finalizer);
  if (fault === undefined) return [];
  return [{
    reason: "FieldValueInvalid",
    message: `Invalid value: ${JSON.stringify(finalizer)}: ${fault}`,
    field: "metadata.finalizers",
  }];
}

function ownerCauses({ ownerReferences = [] }: ObjectMeta): Cause[] {
  const causes: Cause[] = [];
  for (const [index, owner] of ownerReferences.entries()) {
    for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
      if (typeof owner[field] === "string" && owner[field] !== "") continue;
      const words: Readonly<Record<string, string>> = {
        apiVersion: 'Invalid value: "": version must not be empty',
        kind: 'Invalid value: "": kind must not be empty',
        name: 'Invalid value: "": name must not be empty',
        uid: 'Invalid value: "": uid must not be empty',
      };
      causes.push({
        reason: "FieldValueInvalid",
        message: words[field] ?? "",
        field: `metadata.ownerReferences[${index}].${field}`,
      });
    }
  }
  return causes;
}

/** Says which fields of `metadata` were changed that must not be, or not so. */
export function metadataChangeCauses(metadata: ObjectMeta, old: ObjectMeta): Cause[] {
  const causes: Cause[] = [];
  for (const field of ["name", "namespace", "uid", "creationTimestamp"] as const) {
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
