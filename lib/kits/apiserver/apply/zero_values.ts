/**
 * The values of a built-in kind's object before anything is written into it.
 *
 * The real server compares a new object with the zero value of a Go struct, which is not empty: the creator
 * of a Deployment does not own `spec`, because that is there anyway. It follows from the types, and from the empty values
 * that were recorded from a real server.
 */

import type { JsonObject } from "../../../model/object.ts";
import { keepsEmpty, recordedFill } from "../types/completion.ts";
import { type Field, fieldsByName, isSingle, typeOfKind } from "../types/mod.ts";

/** Kinds whose defaults hide their zero values, or could not be recorded. */
const OTHERS: Readonly<Record<string, JsonObject>> = {
  ClusterRoleBinding: { roleRef: { apiGroup: "", kind: "", name: "" } },
  ControllerRevision: { revision: 0 },
  CustomResourceDefinition: {
    spec: { group: "", names: { plural: "", kind: "" }, scope: "", versions: null },
    status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null },
  },
  FlowSchema: { spec: { priorityLevelConfiguration: { name: "" }, matchingPrecedence: 0 }, status: {} },
  RoleBinding: { roleRef: { apiGroup: "", kind: "", name: "" } },
  ServiceCIDR: { spec: { cidrs: null }, status: {} },
  ValidatingAdmissionPolicyBinding: { spec: {} },
};

const known = new Map<string, JsonObject>();

/** Returns the zero value of a kind. For custom kinds it is empty. */
export function zeroValue(
  { apiVersion, kind, custom }: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly custom: boolean;
  },
): JsonObject {
  const type = custom ? undefined : typeOfKind(apiVersion, kind);
  if (type === undefined) return { metadata: {} };
  if (Object.hasOwn(OTHERS, kind)) return { metadata: {}, ...OTHERS[kind] };
  const zero = known.get(type) ?? zeroOf(type);
  known.set(type, zero);
  return { ...zero, metadata: {} };
}

function zeroOf(type: string): JsonObject {
  const zero: JsonObject = {};
  const filled = recordedFill(type);
  for (const field of fieldsByName(type)?.values() ?? []) {
    const value = zeroOfField(type, field, filled[field.name]);
    if (value !== undefined) zero[field.name] = value;
  }
  return zero;
}

/** Returns the value that a field has without anything written; undefined: it is not shown. */
function zeroOfField(type: string, field: Field, filled: unknown): JsonObject[string] | undefined {
  const { shape, required, isPointer } = field;
  if (filled === null) return null;
  if (isPointer) return undefined;
  if (filled === 0 || filled === "" || filled === false) return filled;
  const isShown = required && keepsEmpty(type, field);
  switch (shape.kind) {
    case "scalar":
      if (!isShown) return undefined;
      if (shape.format === "byte") return null;
      return shape.type === "string" ? "" : shape.type === "boolean" ? false : 0;
    case "list":
    case "map":
      return isShown ? null : undefined;
    case "type":
      if (shape.name === "meta.ObjectMeta") return {};
      if (isSingle(shape.name)) return required ? null : undefined;
      return zeroOf(shape.name);
  }
}
