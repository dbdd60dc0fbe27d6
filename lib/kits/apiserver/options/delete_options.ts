/** DeleteOptions: in the body, or else in the query. Source: k8s.io/apiserver, pkg/endpoints/handlers/delete.go. */

import type { JsonObject } from "../../../model/object.ts";
import type { Cause } from "../causes.ts";
import { isTrue } from "../paths.ts";
import { badRequest, invalid } from "../refusal.ts";
import { isObject, objectAt } from "../values.ts";
import type { DeleteOptions, Propagation } from "../writes/delete.ts";
import { readValue } from "../bodies/body.ts";
import { decodeTyped } from "../bodies/typed_decode.ts";

export interface DeleteRequest
  extends Pick<DeleteOptions, "propagation" | "preconditions" | "dryRun" | "gracePeriodSeconds"> {
  /** `orphanDependents: false`: an object that stays for a while is answered with 202. */
  readonly cascades?: boolean;
}

const POLICIES = ["Foreground", "Background", "Orphan"];

/** Reads the options of a body, if there is one, or else of the query. @throws {Refusal} 400, 415 or 422 */
export async function readDeleteOptions(request: Request, query: URLSearchParams): Promise<DeleteRequest> {
  const value = await readValue(request, "couldn't get version/kind; json parse error: ");
  if (value === undefined) return deleteOptionsFrom(optionsOf(query));
  if (value !== null && !isObject(value)) {
    const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${word} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const body = value ?? {};
  const { apiVersion = "meta.k8s.io/v1", kind = "DeleteOptions" } = body;
  if (kind !== "DeleteOptions") {
    const [word, version] = [JSON.stringify(kind), JSON.stringify(apiVersion)];
    throw badRequest(
      `no kind ${word} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const fail = (fault: string): never => {
    throw badRequest(fault);
  };
  decodeTyped(body, "meta.DeleteOptions", { fail, unknown: [] });
  return deleteOptionsFrom(body);
}

/** @throws {Refusal} 400 */
function optionsOf(query: URLSearchParams): JsonObject {
  const [grace, orphan, policy] = ["gracePeriodSeconds", "orphanDependents", "propagationPolicy"]
    .map((name) => query.get(name));
  if (grace !== null && grace !== undefined && !/^[+-]?\d+$/.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return {
    dryRun: query.getAll("dryRun"),
    gracePeriodSeconds: grace ?? undefined,
    orphanDependents: typeof orphan === "string" ? isTrue(orphan) : undefined,
    propagationPolicy: policy ?? undefined,
    preconditions: {
      uid: query.get("uid") || undefined,
      resourceVersion: query.get("resourceVersion") || undefined,
    },
  };
}

/** Understands options. @throws {Refusal} 422 */
export function deleteOptionsFrom(options: JsonObject): DeleteRequest {
  const { propagationPolicy, orphanDependents, gracePeriodSeconds } = options;
  const dryRun = Array.isArray(options.dryRun) ? options.dryRun : [];
  checkOptions(options, dryRun);
  const preconditions = objectAt(options, "preconditions") ?? {};
  const seconds = Number(gracePeriodSeconds ?? undefined);
  return {
    ...(Number.isInteger(seconds) ? { gracePeriodSeconds: seconds } : {}),
    ...(isPolicy(propagationPolicy)
      ? { propagation: propagationPolicy }
      : legacyPropagation(orphanDependents)),
    preconditions: { uid: textOf(preconditions.uid), resourceVersion: textOf(preconditions.resourceVersion) },
    dryRun: dryRun.length > 0,
  };
}

function checkOptions({ propagationPolicy, orphanDependents }: JsonObject, dryRun: readonly unknown[]): void {
  const causes: Cause[] = [];
  const policy = propagationPolicy ?? undefined;
  const shown = JSON.stringify(policy);
  if (policy !== undefined && typeof orphanDependents === "boolean") {
    causes.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: ${shown}: orphanDependents and deletionPropagation cannot be both set`,
      field: "propagationPolicy",
    });
  }
  if (policy !== undefined && !isPolicy(policy)) {
    causes.push({
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${shown}: supported values: "Foreground", "Background", "Orphan", "nil"`,
      field: "propagationPolicy",
    });
  }
  if (dryRun.some((value) => value !== "All")) {
    causes.push({
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`,
      field: "dryRun",
    });
  }
  if (causes.length === 0) return;
  throw invalid({ group: "meta.k8s.io", plural: "", kind: "DeleteOptions" }, "", causes);
}

function isPolicy(value: unknown): value is Propagation {
  return typeof value === "string" && POLICIES.includes(value);
}

function legacyPropagation(orphan: unknown): Pick<DeleteRequest, "propagation" | "cascades"> {
  if (orphan === true) return { propagation: "Orphan" };
  if (orphan === false) return { propagation: "Background", cascades: true };
  return {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
