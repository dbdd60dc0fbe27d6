/**
 * The options of a write in a query: CreateOptions, UpdateOptions, PatchOptions.
 *
 * Source: k8s.io/apimachinery, pkg/apis/meta/v1/validation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, invalid as invalidField, tooLong } from "../causes.ts";
import { APPLY_PATCH } from "../media_types.ts";
import { isTrue } from "../paths.ts";
import { invalid } from "../refusal.ts";
import { contentTypeOf } from "../bodies/body.ts";
import type { Call } from "../verbs/call.ts";
import { LONGEST_MANAGER } from "./writer.ts";

const KINDS: Readonly<Record<string, string>> = {
  POST: "CreateOptions",
  PUT: "UpdateOptions",
  PATCH: "PatchOptions",
};

const VALIDATIONS = ["", "Ignore", "Strict", "Warn"];

/**
 * Tells whether a write is only tried out.
 *
 * @throws {Refusal} 422 if the options of a write are none.
 */
export function isDryRun(request: Request, query: URLSearchParams): boolean {
  const dryRuns = query.getAll("dryRun");
  const kind = Object.hasOwn(KINDS, request.method) ? KINDS[request.method] : undefined;
  if (kind !== undefined) {
    const causes = optionCauses(request, query);
    if (dryRuns.some((value) => value !== "All")) {
      causes.push({
        reason: "FieldValueNotSupported",
        message: `Unsupported value: ${JSON.stringify(dryRuns)}: supported values: "All"`,
        field: "dryRun",
      });
    }
    if (causes.length > 0) {
      throw invalid({ group: "meta.k8s.io", plural: "", kind }, "", causes);
    }
  }
  return dryRuns.length > 0;
}

function optionCauses(request: Request, query: URLSearchParams): Cause[] {
  const manager = query.get("fieldManager") ?? "";
  const causes: Cause[] = [];
  const applies = request.method === "PATCH" && contentTypeOf(request) === APPLY_PATCH;
  if (applies && manager === "") {
    causes.push({
      reason: "FieldValueRequired",
      message: "Required value: is required for apply patch",
      field: "fieldManager",
    });
  }
  if (request.method === "PATCH" && !applies && query.has("force")) {
    causes.push({
      reason: "FieldValueForbidden",
      message: "Forbidden: may not be specified for non-apply patch",
      field: "force",
    });
  }
  if (manager !== "") causes.push(...managerCauses(manager));
  const validation = query.get("fieldValidation") ?? "";
  if (!VALIDATIONS.includes(validation)) {
    const supported = VALIDATIONS.map((value) => JSON.stringify(value)).join(", ");
    causes.push({
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${JSON.stringify(validation)}: supported values: ${supported}`,
      field: "fieldValidation",
    });
  }
  return causes;
}

function managerCauses(manager: string): Cause[] {
  const causes: Cause[] = [];
  if (new TextEncoder().encode(manager).length > LONGEST_MANAGER) {
    causes.push(tooLong("fieldManager", LONGEST_MANAGER));
  }
  for (const { 0: character, index } of manager.matchAll(/[\p{C}]/gu)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const detail = `invalid character U+${code} (at position ${index})`;
    causes.push(invalidField("fieldManager", { value: manager, detail }));
  }
  return causes;
}

/** Returns the options of a write as an object, for admission. */
export function optionsOf({ request, query, dryRun }: Call): JsonObject {
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  return {
    // NB: to admission, a patch is an update.
    kind: request.method === "PATCH" ? "UpdateOptions" : KINDS[request.method] ?? "",
    apiVersion: "meta.k8s.io/v1",
    ...(dryRun ? { dryRun: ["All"] } : {}),
    ...(isTrue(query.get("force")) ? { force: true } : {}),
    ...(fieldManager === "" ? {} : { fieldManager }),
    ...(fieldValidation === "" ? {} : { fieldValidation }),
  };
}
