/**
 * AdmissionReviews: the request to a webhook, and the check of its answer.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/webhook/request/admissionreview.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { parseJson } from "../../../runtime/json.ts";
import { userInfo } from "../access/user.ts";
import type { Kind } from "../kinds.ts";
import { getOwn, isObject, objectAt } from "../values.ts";
import type { Attributes, Subject } from "./attributes.ts";
import { CallError } from "../hooks/client.ts";

const GROUP = "admission.k8s.io";

/** The object, before and after, in the version in which a webhook wants it. */
export interface Shown {
  readonly kind: Kind;
  readonly object?: JsonObject;
  readonly oldObject?: JsonObject;
}

/** The newest version of reviews that the webhook and the server have in common; undefined if there is none. */
export function reviewVersion(accepted: unknown): string | undefined {
  return Array.isArray(accepted)
    ? accepted.find((version) => version === "v1" || version === "v1beta1")
    : undefined;
}

/** Returns the review to send. */
export function admissionReview(
  attributes: Attributes,
  { shown, uid, version }: { readonly shown: Shown; readonly uid: string; readonly version: string },
): JsonObject {
  return {
    kind: "AdmissionReview",
    apiVersion: `${GROUP}/${version}`,
    request: {
      uid,
      ...admissionRequest(attributes, shown.kind),
      object: shown.object ?? null,
      oldObject: shown.oldObject ?? null,
    },
  };
}

/** Returns the members of a review besides the object; `shown` is the version that is asked for. */
export function admissionRequest(attributes: Attributes, shown: Kind): JsonObject {
  const { kind, subject, subresource, name, namespace, operation, dryRun, options, user } = attributes;
  return {
    kind: kindNames(subject ?? shown),
    resource: resourceNames(shown),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kindNames(subject ?? kind),
    requestResource: resourceNames(kind),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options,
  };
}

function kindNames({ group, version, kind }: Subject): JsonObject {
  return { group, version, kind };
}

function resourceNames({ group, version, plural }: Kind): JsonObject {
  return { group, version, resource: plural };
}

/** An answer that is one. */
export interface Verdict {
  readonly allowed: boolean;
  /** A Status, as the webhook gave it. */
  readonly result?: JsonObject;
  readonly warnings: readonly string[];
  /** For the audit log. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Operations of a JSON patch. */
  readonly patch: readonly unknown[];
}

export interface Expected {
  readonly uid: string;
  readonly version: string;
  readonly mutating: boolean;
}

/**
 * Reads a webhook's answer.
 *
 * @throws {CallError} If it is not the answer to the question.
 */
export function readVerdict(review: JsonObject, expected: Expected): Verdict {
  const response = objectAt(review, "response");
  if (response === undefined) throw invalidResponse("webhook response was absent");
  const patch = getOwn(response, "patch") ?? "";
  const patchType = getOwn(response, "patchType") ?? undefined;
  if (expected.version === "v1") checkIdentity(review, response, expected.uid);
  if (!expected.mutating && expected.version === "v1") {
    if (patch !== "") throw invalidResponse("validating webhook may not return response.patch");
    if (patchType !== undefined) {
      throw invalidResponse("validating webhook may not return response.patchType");
    }
  }
  if (expected.mutating && expected.version === "v1") checkPatch(patch, patchType);
  const result = objectAt(response, "status") ?? objectAt(response, "result");
  const { warnings } = response;
  const noted = Object.entries(objectAt(response, "auditAnnotations") ?? {});
  return {
    allowed: response.allowed === true,
    ...(result === undefined ? {} : { result }),
    warnings: Array.isArray(warnings) ? warnings.filter((text) => typeof text === "string") : [],
    annotations: Object.fromEntries(noted.map(([key, value]) => [key, String(value)])),
    patch: expected.mutating && patch !== "" ? decodePatch(patch, patchType) : [],
  };
}

function invalidResponse(message: string): CallError {
  return new CallError(`received invalid webhook response: ${message}`);
}

function checkIdentity(review: JsonObject, response: JsonObject, uid: string): void {
  const found = String(getOwn(response, "uid") ?? "");
  if (found !== uid) {
    throw invalidResponse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(found)}`);
  }
  const apiVersion = String(getOwn(review, "apiVersion") ?? "") || "/";
  if (apiVersion === `${GROUP}/v1beta1`) {
    const fault = "converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion";
    throw new CallError(`failed to call webhook: ${fault}`);
  }
  const kind = String(getOwn(review, "kind") ?? "");
  if (apiVersion === `${GROUP}/v1` && kind === "AdmissionReview") return;
  throw invalidResponse(
    `expected webhook response of ${GROUP}/v1, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`,
  );
}

function checkPatch(patch: unknown, patchType: unknown): void {
  if (patch !== "" && patchType === undefined) {
    throw invalidResponse("webhook returned response.patch but not response.patchType");
  }
  if (patch === "" && patchType !== undefined) {
    throw invalidResponse("webhook returned response.patchType but not response.patch");
  }
  if (patchType === "") throw invalidResponse(`webhook returned invalid response.patchType of ""`);
}

/** NB: the type of an empty patch is not looked at. Older reviews need not have one. */
function decodePatch(patch: unknown, patchType: unknown = "JSONPatch"): readonly unknown[] {
  const operations = parsePatch(patch);
  if (operations.length > 0 && patchType !== "JSONPatch") {
    throw new CallError(`unsupported patch type ${JSON.stringify(patchType)}`);
  }
  return operations;
}

function parsePatch(patch: unknown): readonly unknown[] {
  try {
    const bytes = Uint8Array.from(atob(String(patch)), (character) => character.charCodeAt(0));
    const operations = parseJson(new TextDecoder().decode(bytes), 64);
    if (Array.isArray(operations) && operations.every(isObject)) return operations;
    throw new TypeError("json: cannot unmarshal into Go value of type jsonpatch.Patch");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CallError(`received undecodable patch in webhook response: ${message}`, { cause: error });
  }
}
