/** DeleteOptions: in the query, in the body, or both (the body wins). */

import type { JsonObject } from "../../../model/object.ts";
import { badRequest, invalid } from "../refusal.ts";
import { isObject, objectAt } from "../values.ts";
import type { DeleteOptions, Propagation } from "../writes/delete.ts";
import { readValue } from "./body.ts";

export interface DeleteRequest
  extends Pick<DeleteOptions, "propagation" | "preconditions" | "dryRun" | "gracePeriodSeconds"> {
  /** `orphanDependents: false`: an object that stays for a while is answered with 202. */
  readonly cascades?: boolean;
}

/** @throws {Refusal} 400 or 415 */
export async function readDeleteOptions(request: Request, query: URLSearchParams): Promise<DeleteRequest> {
  const value = await readValue(request, "couldn't get version/kind; json parse error: ");
  if (value !== undefined && value !== null && !isObject(value)) {
    const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${word} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const { kind = "DeleteOptions" } = value ?? {};
  if (kind !== "DeleteOptions") {
    throw badRequest(`decoded object cannot be converted to DeleteOptions: kind ${JSON.stringify(kind)}`);
  }
  checkBody(value ?? {});
  checkGracePeriod(query.get("gracePeriodSeconds"));
  return deleteOptionsFrom(value ?? {}, query);
}

/** @throws {Refusal} 400 or 422 if an option in the body has a wrong type, or a value that it cannot have. */
function checkBody({ gracePeriodSeconds, dryRun }: JsonObject): void {
  if (typeof gracePeriodSeconds === "string") {
    throw badRequest(
      "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    );
  }
  const dryRuns = Array.isArray(dryRun) ? dryRun : [];
  if (dryRuns.every((value) => value === "All")) return;
  throw invalid({ group: "meta.k8s.io", plural: "", kind: "DeleteOptions" }, "", [{
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${JSON.stringify(dryRuns)}: supported values: "All"`,
    field: "dryRun",
  }]);
}

/** @throws {Refusal} 400 unless it is a whole number. */
function checkGracePeriod(text: string | null): void {
  if (text === null || /^[+-]?\d+$/.test(text)) return;
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** Reads the options out of a body, and out of the query. @throws {Refusal} 422 */
export function deleteOptionsFrom(body: JsonObject, query: URLSearchParams): DeleteRequest {
  const propagation = propagationOf(body.propagationPolicy ?? query.get("propagationPolicy"));
  const orphan = body.orphanDependents ?? query.get("orphanDependents");
  if (propagation !== undefined && orphan !== undefined && orphan !== null) {
    throw invalid({ group: "meta.k8s.io", plural: "", kind: "DeleteOptions" }, "", [{
      reason: "FieldValueInvalid",
      message: `Invalid value: ${
        JSON.stringify(propagation)
      }: orphanDependents and deletionPropagation cannot be both set`,
      field: "propagationPolicy",
    }]);
  }
  const preconditions = objectAt(body, "preconditions") ?? {};
  const dryRun = body.dryRun ?? query.getAll("dryRun");
  const grace = body.gracePeriodSeconds ?? query.get("gracePeriodSeconds") ?? undefined;
  const seconds = Number(grace);
  return {
    ...(grace === undefined || !Number.isInteger(seconds) ? {} : { gracePeriodSeconds: seconds }),
    ...(propagation === undefined ? legacyPropagation(orphan) : { propagation }),
    preconditions: { uid: textOf(preconditions.uid), resourceVersion: textOf(preconditions.resourceVersion) },
    dryRun: Array.isArray(dryRun) && dryRun.includes("All"),
  };
}

function propagationOf(value: unknown): Propagation | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (value === "Orphan" || value === "Background" || value === "Foreground") return value;
  throw invalid({ group: "meta.k8s.io", plural: "", kind: "DeleteOptions" }, "", [{
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${
      JSON.stringify(value)
    }: supported values: "Foreground", "Background", "Orphan", "nil"`,
    field: "propagationPolicy",
  }]);
}

function legacyPropagation(orphan: unknown): Pick<DeleteRequest, "propagation" | "cascades"> {
  if (orphan === true || orphan === "true") return { propagation: "Orphan" };
  if (orphan === false || orphan === "false") return { propagation: "Background", cascades: true };
  return {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
