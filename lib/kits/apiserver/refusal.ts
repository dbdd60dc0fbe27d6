/**
 * How the API server says no: Status objects, worded as Kubernetes words them.
 *
 * Everything that serves a request throws a Refusal; the server turns it into the response. Sources: k8s.io/apimachinery,
 * pkg/api/errors; k8s.io/apiserver, pkg/endpoints/handlers.
 */

import type { StatusBody } from "../../model/object.ts";
import { formatJson } from "../../runtime/json.ts";
import { type Cause, invalidStatus } from "./causes.ts";

/** The names by which errors call a kind. */
export interface KindNames {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** A Status, which may not say that it is one. */
type RefusedStatus = Omit<StatusBody, "kind" | "apiVersion"> & {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** A request that is answered with a Status of failure. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** The HTTP status. */
  readonly code: number;
  /** The `Warning` header of the answer, if a rule or a webhook has warned before the refusal. */
  warning: string | null = null;
  /** The status that the client gets; `metadata` is written on the way out. */
  readonly status: RefusedStatus;

  constructor(status: RefusedStatus) {
    super(status.message ?? status.reason ?? "Refused");
    this.status = status;
    this.code = status.code ?? 500;
  }
}

interface RefusalOptions {
  readonly code: number;
  readonly reason: string;
  readonly details?: StatusBody["details"];
}

function refusal(message: string, { code, reason, details }: RefusalOptions): Refusal {
  return new Refusal({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  });
}

function qualified(names: KindNames): string {
  return names.group === "" ? names.plural : `${names.plural}.${names.group}`;
}

function detailsOf(names: KindNames, name: string): NonNullable<StatusBody["details"]> {
  return {
    ...(name === "" ? {} : { name }),
    ...(names.group === "" ? {} : { group: names.group }),
    kind: names.plural,
  };
}

export function notFound(names: KindNames, name: string): Refusal {
  return refusal(`${qualified(names)} "${name}" not found`, {
    code: 404,
    reason: "NotFound",
    details: detailsOf(names, name),
  });
}

export function alreadyExists(names: KindNames, name: string, isDeleted: boolean): Refusal {
  const prefix = isDeleted ? "object is being deleted: " : "";
  return refusal(`${prefix}${qualified(names)} "${name}" already exists`, {
    code: 409,
    reason: "AlreadyExists",
    details: detailsOf(names, name),
  });
}

/** The default reason is that someone else was faster. */
export function conflict(
  names: KindNames,
  name: string,
  reason: string =
    "the object has been modified; please apply your changes to the latest version and try again",
): Refusal {
  return refusal(`Operation cannot be fulfilled on ${qualified(names)} "${name}": ${reason}`, {
    code: 409,
    reason: "Conflict",
    details: detailsOf(names, name),
  });
}

/** Applied fields that belong to others. NB: the real server does not say of which object. */
export function applyConflict(
  { message, causes }: { readonly message: string; readonly causes: readonly Cause[] },
): Refusal {
  return refusal(message, {
    code: 409,
    reason: "Conflict",
    details: { causes: causes.map((cause) => ({ ...cause })) },
  });
}

export function forbidden(names: KindNames, name: string, reason: string): Refusal {
  const subject = name === "" ? qualified(names) : `${qualified(names)} "${name}"`;
  return refusal(`${subject} is forbidden: ${reason}`, {
    code: 403,
    reason: "Forbidden",
    details: detailsOf(names, name),
  });
}

/** The refusal to put an object into a namespace that is going away. */
export function terminating(names: KindNames, name: string, namespace: string): Refusal {
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return refusal(`${qualified(names)} "${name}" is forbidden: ${message}`, {
    code: 403,
    reason: "Forbidden",
    details: {
      ...detailsOf(names, name),
      causes: [{
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      }],
    },
  });
}

export function invalid(names: KindNames, name: string, causes: readonly Cause[]): Refusal {
  // Events are judged in the version in which they are kept, which is of no group.
  const judgedIn = names.group === "events.k8s.io" ? "" : names.group;
  const status = invalidStatus(causes, { group: judgedIn, kind: names.kind, name });
  const { group, ...details } = status.details ?? {};
  return new Refusal({
    ...status,
    details: {
      ...details,
      kind: names.kind === "" ? undefined : names.kind,
      name: name === "" ? undefined : name,
      ...(group === "" ? {} : { group }),
    },
  });
}

export function badRequest(message: string): Refusal {
  return refusal(message, { code: 400, reason: "BadRequest" });
}

/** The client waits no longer. */
export function timedOut(): Refusal {
  const message = "Timeout: request did not complete within the allotted timeout";
  // NB: the timeout filter of the real server sends its Status without `kind` and `apiVersion`.
  return new Refusal({ status: "Failure", message, reason: "Timeout", details: {}, code: 504 });
}

/** A JSON patch that cannot be applied. NB: the real server does not say why, either. */
export function unprocessable(): Refusal {
  return refusal("the server rejected our request due to an error in our request", {
    code: 422,
    reason: "Invalid",
    details: {},
  });
}

/** A patch whose result is not an object of its kind. */
export function invalidPatch(result: unknown, reason: string): Refusal {
  const message = `Invalid value: ${JSON.stringify(formatJson(result))}: ${reason}`;
  return refusal(` "" is invalid: patch: ${message}`, {
    code: 422,
    reason: "Invalid",
    details: { causes: [{ reason: "FieldValueInvalid", message, field: "patch" }] },
  });
}

/** A path below a group that the server has, which leads nowhere. */
export function noSuchResource(): Refusal {
  return refusal("the server could not find the requested resource", {
    code: 404,
    reason: "NotFound",
    details: {},
  });
}

export function methodNotAllowed(
  message: string = "the server does not allow this method on the requested resource",
): Refusal {
  return refusal(message, { code: 405, reason: "MethodNotAllowed", details: {} });
}

/** A verb that a subresource of a custom kind does not have. */
export function notSupported(names: KindNames, verb: string): Refusal {
  return refusal(`${verb} is not supported on resources of kind "${qualified(names)}"`, {
    code: 405,
    reason: "MethodNotAllowed",
    details: detailsOf(names, ""),
  });
}

/** A patch in an unknown format. */
export function unknownPatchType(): Refusal {
  return refusal("415: Unsupported Media Type", { code: 415, reason: "UnsupportedMediaType", details: {} });
}

export function unsupportedMediaType(accepted: readonly string[]): Refusal {
  return refusal(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    { code: 415, reason: "UnsupportedMediaType" },
  );
}

export function notAcceptable(accepted: readonly string[]): Refusal {
  return refusal(`406: Not Acceptable\n\nAvailable representations: ${accepted.join(", ")}`, {
    code: 406,
    reason: "NotAcceptable",
    details: {},
  });
}

/** The same of objects of custom kinds. NB: other words, another form, and a media type that is not accepted. */
export function onlyAccepted(accepted: readonly string[]): Refusal {
  return refusal(`only the following media types are accepted: ${accepted.join(", ")}`, {
    code: 406,
    reason: "NotAcceptable",
  });
}

/** A form in which the object cannot be shown. */
export function unwantedForm(message: string): Refusal {
  return refusal(message, { code: 406, reason: "NotAcceptable" });
}

export function entityTooLarge(limit: number): Refusal {
  return tooLarge(`limit is ${limit}`);
}

/** A JSON patch with more operations than a patch may have. */
export function tooManyOperations(count: number, limit: number): Refusal {
  return tooLarge(`The allowed maximum operations in a JSON patch is ${limit}, got ${count}`);
}

function tooLarge(why: string): Refusal {
  return refusal(`Request entity too large: ${why}`, { code: 413, reason: "RequestEntityTooLarge" });
}

export function unauthorized(): Refusal {
  return refusal("Unauthorized", { code: 401, reason: "Unauthorized" });
}

/** A request that may be made again later; with `retryAfter`, in so many seconds. */
export function tooManyRequests(
  message: string,
  { retryAfter, causes }: {
    readonly retryAfter?: number;
    readonly causes?: readonly { readonly reason: string; readonly message: string }[];
  } = {},
): Refusal {
  return refusal(message, {
    code: 429,
    reason: "TooManyRequests",
    details: {
      ...(causes === undefined ? {} : { causes: causes.map((cause) => ({ ...cause })) }),
      ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
    },
  });
}

/** A part of Kubernetes that this server does not have. */
export function notServed(what: string): Refusal {
  return refusal(`the API server in the process does not serve ${what}: see docs/apiserver.md`, {
    code: 501,
    reason: "NotImplemented",
  });
}

/** An error of the storage, which the real server passes on as it is. */
export function storageFault(message: string): Refusal {
  return new Refusal({ kind: "Status", apiVersion: "v1", status: "Failure", message, code: 500 });
}

export function internal(message: string): Refusal {
  return refusal(`Internal error occurred: ${message}`, {
    code: 500,
    reason: "InternalError",
    details: { causes: [{ message }] },
  });
}

/** A version of the past that is no longer kept. */
export function expired(message: string, metadata?: Readonly<Record<string, unknown>>): Refusal {
  return new Refusal({
    kind: "Status",
    apiVersion: "v1",
    ...(metadata === undefined ? {} : { metadata }),
    status: "Failure",
    message,
    reason: "Expired",
    code: 410,
  });
}

/** A version of the future. */
export function tooLargeVersion(wanted: number, current: number): Refusal {
  return refusal(`Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    code: 504,
    reason: "Timeout",
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}
