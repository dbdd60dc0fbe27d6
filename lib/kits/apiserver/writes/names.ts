/**
 * The faults in an object's name.
 *
 * Source: k8s.io/apimachinery, pkg/api/validation/objectmeta.go.
 */

import { type Cause, invalid } from "../causes.ts";
import { ipErrors } from "../formats/ip_address.ts";
import type { Kind } from "../kinds.ts";
import { dnsLabelErrors, dnsSubdomainErrors, pathSegmentErrors } from "../names.ts";

/** Kinds whose names may hold almost anything. */
const PATH_SEGMENT_GROUPS = ["rbac.authorization.k8s.io", "apiregistration.k8s.io"];
const LABEL_KINDS = ["Namespace", "Service"];

/** Returns the faults of an object's name. */
export function nameCauses(kind: Pick<Kind, "kind" | "group">, name: string): Cause[] {
  return nameErrors(kind, name).map((detail) => invalid("metadata.name", { value: name, detail }));
}

function nameErrors({ kind, group }: Pick<Kind, "kind" | "group">, name: string): string[] {
  if (PATH_SEGMENT_GROUPS.includes(group)) return pathSegmentErrors(name);
  if (kind === "IPAddress" && group === "networking.k8s.io") return ipErrors(name);
  return group === "" && LABEL_KINDS.includes(kind) ? dnsLabelErrors(name) : dnsSubdomainErrors(name);
}

/** Returns the faults of the beginning of a name that is to be generated; a dash may end it. */
export function generateNameCauses(kind: Pick<Kind, "kind" | "group">, base: string): Cause[] {
  return nameErrors(kind, base.replace(/-$/, "a"))
    .map((detail) => invalid("metadata.generateName", { value: base, detail }));
}
