/**
 * Reads admission reviews. They come from any client that reaches the server: each field is checked before it is used.
 *
 * Source: Kubernetes API reference, AdmissionReview; scenarios B101–B127.
 */

import { messageOf } from "../../client/errors.ts";
import { getKey, isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { parseJson } from "../../runtime/json.ts";
import type { UserInfo } from "./admission_handler.ts";
import type { AdmissionOperation } from "./admission_handler.ts";

/** There is no answer to a review: it is malformed, or about an object that no handler is for. */
export class ReviewError extends Error {
  /** The name of the class. */
  override readonly name: string = "ReviewError";
  /**
   * The HTTP status code. 400: malformed; 404: not for us; 409: ambiguous; 413: too large; 415: no JSON; 429: too many at
   * once; 503: not now.
   */
  readonly status: 400 | 404 | 409 | 413 | 415 | 429 | 503;

  /** The message goes to the sender of the review. */
  constructor(status: ReviewError["status"], message: string) {
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

/** How deep a review may be nested: far deeper than objects are, and far less deep than the recursion of readers can go. */
const DEEPEST = 500;

/** How many values a review may have: an object of 3 MiB, the most that Kubernetes takes, has a tenth of that. */
const MOST_VALUES = 500_000;

/** Both have the fields that are read here; answers have the version of their review. */
const VERSIONS: readonly string[] = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];

const OPERATIONS: readonly string[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/**
 * Reads the text of a review, once it is known to be neither too deep nor too rich: a few bytes for each value become a
 * hundred when they are parsed, and much more when handlers get copies.
 *
 * @throws {ReviewError} 400 or 413.
 */
export function parseReviewText(text: string): unknown {
  let values = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === COMMA) values++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      values++;
      if (++depth > DEEPEST) throw malformed(`it is nested more than ${DEEPEST} levels deep`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    if (values > MOST_VALUES) throw new ReviewError(413, `The review has more than ${MOST_VALUES} values`);
  }
  try {
    return parseJson(text);
  } catch (cause) {
    throw malformed(`it is not JSON (${messageOf(cause).slice(0, 200)})`);
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index++;
    else if (code === QUOTE) return index;
  }
  return text.length;
}

/**
 * Reads a review.
 *
 * @throws {ReviewError} 400, if a field is missing or of the wrong kind; the message names it.
 */
export function parseReview(payload: unknown): Review {
  if (!isObject(payload)) throw malformed("it is not an object");
  const apiVersion = getKey(payload, "apiVersion");
  const kind = getKey(payload, "kind");
  if (
    !VERSIONS.includes(String(apiVersion)) || typeof apiVersion !== "string" || kind !== "AdmissionReview"
  ) {
    throw malformed(
      `it is "${String(kind).slice(0, 100)}" of "${String(apiVersion).slice(0, 100)}", ` +
        'not "AdmissionReview" of "admission.k8s.io/v1"',
    );
  }
  const request = getKey(payload, "request");
  if (!isObject(request)) throw malformed('it has no "request"');
  const uid = textIn(request, "uid");
  if (!uid) throw malformed('the request has no "uid"');
  const old = objectIn(request, "oldObject");
  const now = objectIn(request, "object");
  const body = now ?? old;
  if (body === undefined) throw malformed('the request has neither "object" nor "oldObject"');
  return {
    apiVersion,
    kind,
    uid,
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
  // The fields that every object has were checked above; options of subresources have no metadata, and views know that.
  return object as KubeObject;
}
