/**
 * The faults in an object's name, labels and annotations.
 *
 * Source: k8s.io/apimachinery, pkg/api/validation/objectmeta.go.
 */

import { type Cause, invalid, tooLong } from "../causes.ts";
import { ipErrors } from "../formats/ip_address.ts";
import type { Kind } from "../kinds.ts";
import { dnsLabelErrors, dnsSubdomainErrors, labelValueErrors, qualifiedNameErrors } from "../names.ts";

const ANNOTATIONS_LIMIT = 256 * 1024;

/** Kinds whose names may hold almost anything. */
const PATH_SEGMENT_GROUPS = ["rbac.authorization.k8s.io", "apiregistration.k8s.io"];
const LABEL_KINDS = ["Namespace", "Service"];

/** Says what is wrong with an object's name. */
export function nameCauses(kind: Pick<Kind, "kind" | "group">, name: string): Cause[] {
  return nameErrors(kind, name).map((detail) => invalid("metadata.name", { value: name, detail }));
}

function nameErrors({ kind, group }: Pick<Kind, "kind" | "group">, name: string): string[] {
  if (PATH_SEGMENT_GROUPS.includes(group)) return pathSegmentErrors(name);
  if (kind === "IPAddress" && group === "networking.k8s.io") return ipErrors(name);
  return group === "" && LABEL_KINDS.includes(kind) ? dnsLabelErrors(name) : dnsSubdomainErrors(name);
}

/** Returns what is wrong with a name that only has to fit into a path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** Says what is wrong with the beginning of a name that is to be generated; a dash may end it. */
export function generateNameCauses(kind: Pick<Kind, "kind" | "group">, base: string): Cause[] {
  return nameErrors(kind, base.replace(/-$/, "a"))
    .map((detail) => invalid("metadata.generateName", { value: base, detail }));
}

/** Says what is wrong with labels. */
export function labelCauses(labels: Readonly<Record<string, string>> = {}): Cause[] {
  const causes: Cause[] = [];
  const blame = (value: string, errors: readonly string[]) => {
    for (const detail of errors) causes.push(invalid("metadata.labels", { value, detail }));
  };
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? "";
    blame(key, qualifiedNameErrors(key));
    blame(value, labelValueErrors(value));
  }
  return causes;
}

/** Says what is wrong with annotations. */
export function annotationCauses(annotations: Readonly<Record<string, string>> = {}): Cause[] {
  const causes: Cause[] = [];
  let size = 0;
  for (const key of Object.keys(annotations)) {
    size += key.length + (annotations[key] ?? "").length;
    const errors = qualifiedNameErrors(key.toLowerCase());
    causes.push(...errors.map((detail) => invalid("metadata.annotations", { value: key, detail })));
  }
  return size > ANNOTATIONS_LIMIT ? [...causes, tooLong("metadata.annotations", ANNOTATIONS_LIMIT)] : causes;
}
