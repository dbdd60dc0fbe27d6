/**
 * What a query says about a write: CreateOptions, UpdateOptions, PatchOptions.
 */

import type { JsonObject } from "../../../model/object.ts";
import { invalid } from "../refusal.ts";
import type { Call } from "./call.ts";
import { isTrue } from "./shape.ts";

const KINDS: Readonly<Record<string, string>> = {
  POST: "CreateOptions",
  PUT: "UpdateOptions",
  PATCH: "PatchOptions",
  DELETE: "DeleteOptions",
};

/** @throws {Refusal} 422 */
export function isDryRun({ method }: Request, query: URLSearchParams): boolean {
  const values = query.getAll("dryRun").filter((value) => value !== "");
  if (values.some((value) => value !== "All") && Object.hasOwn(KINDS, method)) {
    throw invalid({ group: "meta.k8s.io", plural: "", kind: KINDS[method] ?? "" }, "", [{
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`,
      field: "dryRun",
    }]);
  }
  return values.length > 0;
}

/** Gives the options of a write as an object, for admission. */
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
