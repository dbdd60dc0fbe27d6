/**
 * Reads admission reviews. They come from whoever reaches the server: nothing in them is believed before it was looked at.
 *
 * Source: Kubernetes API reference, AdmissionReview; Kopf, B §3.2.
 */

import { getKey, isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { UserInfo } from "../../registry/admission.ts";
import type { AdmissionOperation } from "../../registry/handlers.ts";

/** There is no answer to a review: it is malformed, or about something that no handler is for. */
export class ReviewError extends Error {
  /** The name of the class. */
  override readonly name: string = "ReviewError";
  /** The HTTP status code. 400: malformed; 404: not for us; 409: ambiguous; 503: not now. */
  readonly status: 400 | 404 | 409 | 503;

  /** The message goes to whoever sent the review. */
  constructor(status: 400 | 404 | 409 | 503, message: string) {
    super(message);
    this.status = status;
  }
}

/** A review, as far as we read it. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly uid: string;
  readonly resource: { readonly group: string; readonly version: string; readonly plural: string };
  /** Undefined: the object itself. */
  readonly subresource: string | undefined;
  readonly operation: AdmissionOperation;
  readonly dryrun: boolean;
  readonly userinfo: UserInfo;
  readonly old: KubeObject | undefined;
  readonly new: KubeObject | undefined;
  /** The new one, else the old one. */
  readonly body: KubeObject;
}

/** How deep a review may be nested: far more than objects are, far less than what hurts. */
const DEEPEST = 500;

const OPERATIONS: readonly string[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/**
 * Reads a review.
 *
 * @throws {ReviewError} 400, if something is missing or of the wrong kind; the message says what.
 */
export function parseReview(payload: unknown): Review {
  if (!isObject(payload)) throw malformed("it is not an object");
  if (isTooDeep(payload)) throw malformed(`it is nested more than ${DEEPEST} levels deep`);
  const request = getKey(payload, "request");
  if (!isObject(request)) throw malformed('it has no "request"');
  const old = objectIn(request, "oldObject");
  const now = objectIn(request, "object");
  const body = now ?? old;
  if (body === undefined) throw malformed('the request has neither "object" nor "oldObject"');
  return {
    apiVersion: textIn(payload, "apiVersion") ?? "admission.k8s.io/v1",
    kind: textIn(payload, "kind") ?? "AdmissionReview",
    uid: textIn(request, "uid") ?? "",
    resource: resourceIn(request),
    subresource: textIn(request, "subResource") || undefined,
    operation: operationIn(request),
    dryrun: getKey(request, "dryRun") === true,
    userinfo: userIn(request),
    old,
    new: now,
    body,
  };
}

function malformed(reason: string): ReviewError {
  return new ReviewError(400, `Cannot read the admission review: ${reason}`);
}

function textIn(object: JsonObject, key: string): string | undefined {
  const value = getKey(object, key);
  if (value === undefined || typeof value === "string") return value;
  throw malformed(`"${key}" is not a text`);
}

function resourceIn(request: JsonObject): Review["resource"] {
  const resource = getKey(request, "resource");
  if (!isObject(resource)) throw malformed('the request has no "resource"');
  const group = textIn(resource, "group");
  const version = textIn(resource, "version");
  const plural = textIn(resource, "resource");
  if (group === undefined || !version || !plural) {
    throw malformed('its "resource" must have a group, a version and a resource');
  }
  return { group, version, plural };
}

function operationIn(request: JsonObject): AdmissionOperation {
  const operation = textIn(request, "operation") ?? "";
  // Checked by the list, which the compiler cannot follow.
  if (OPERATIONS.includes(operation)) return operation as AdmissionOperation;
  throw malformed(`its "operation" must be one of ${OPERATIONS.join(", ")}`);
}

function userIn(request: JsonObject): UserInfo {
  const user = getKey(request, "userInfo");
  if (isObject(user)) return user;
  throw malformed('the request has no "userInfo"');
}

/** Objects have metadata, as far as they have any, of the kinds that filters and views rely on. */
function objectIn(request: JsonObject, key: "object" | "oldObject"): KubeObject | undefined {
  const object = getKey(request, key);
  if (object === undefined) return undefined;
  if (!isObject(object)) throw malformed(`"${key}" is not an object`);
  const metadata = getKey(object, "metadata") ?? {};
  if (!isObject(metadata)) throw malformed(`the metadata of "${key}" is not an object`);
  for (const name of ["labels", "annotations"]) {
    const value = getKey(metadata, name) ?? {};
    if (!isObject(value)) throw malformed(`"metadata.${name}" of "${key}" is not an object`);
  }
  for (const name of ["name", "namespace", "uid"]) textIn(metadata, name);
  for (const name of ["apiVersion", "kind"]) textIn(object, name);
  // What every object has was checked above; options of subresources have no metadata, and views know that.
  return object as KubeObject;
}

/** Without recursion: that is what it protects from. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((each) => typeof each === "object" && each !== null ? Object.values(each) : []);
  }
  return false;
}
