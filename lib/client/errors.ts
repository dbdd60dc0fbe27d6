/**
 * Errors between us and an API server, as far as someone catches them: `ApiError` for an answer that refuses,
 * `LoginError` where there is no way to log in (any more).
 *
 * Where no answer came at all, the host's own errors pass through (connection refused, reset, TLS); a request that took
 * too long fails with an Error named "TimeoutError". All of them were retried before anybody sees them.
 */

import type { StatusBody } from "../model/object.ts";
import { errorMessage } from "../runtime/error_text.ts";

/** How much of a refusal without a Status object is shown, in characters. Source: Kopf, `clients/errors.py`. */
const TEXT_LIMIT = 256;

/** Parts of an {@linkcode ApiError}. */
export interface ApiErrorOptions {
  /** The HTTP status code. */
  readonly status: number;
  /** "GET /api/v1/pods": what was asked. */
  readonly request: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The Status object that the server sent, if it sent one. */
  readonly body?: StatusBody;
  /** The text that the server sent instead of a Status object. Cut to 256 characters. */
  readonly text?: string;
  /** The error that led to it, if there was one. */
  readonly cause?: unknown;
  /** The right that was needed, where the server says only "forbidden". */
  readonly right?: MissingRight;
}

/** A right that a role must allow. */
export interface MissingRight {
  /** Such as "patch". */
  readonly verb: string;
  /** As roles name it: "deployments", "deployments/scale". */
  readonly resource: string;
  /** "" for the core group. */
  readonly group: string;
}

/** An API server's refusal: any HTTP status from 400 up, or an ERROR event in a watch stream. */
export class ApiError extends Error {
  /** "ApiError", or the name of a class below it. */
  override readonly name: string = "ApiError";
  /** The HTTP status code, or the `code` of an ERROR event. */
  readonly status: number;
  /** Machine-readable, such as "NotFound", "AlreadyExists", "Conflict", "Invalid", "Expired". */
  readonly reason: string | undefined;
  /** Details of the reason: the object, the fields, how long to wait. */
  readonly details: StatusBody["details"];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole Status object, if the server sent one. */
  readonly body: StatusBody | undefined;
  /** "GET /api/v1/pods": what was asked. */
  readonly request: string;
  /** The right that is missing, if that is why. */
  readonly missingRight: MissingRight | undefined;
  /** The message without the request: "404 NotFound: …". */
  readonly explanation: string;

  /** Makes the error from an answer. */
  constructor(options: ApiErrorOptions) {
    const { status, request, headers = {}, body, text, cause } = options;
    const right = status === 403 ? missingRight(body, options.right) : undefined;
    const explanation = `${describe(status, body, text)}${hint(right)}`;
    super(`Server refused "${request}": ${explanation}`, { cause });
    this.explanation = explanation;
    this.status = status;
    this.reason = body?.reason;
    this.details = body?.details;
    this.headers = headers;
    this.body = body;
    this.request = request;
    this.missingRight = right;
  }

  /** How long the server asks us to stay away, in seconds; undefined if it does not say. */
  get retryAfter(): number | undefined {
    const { "retry-after": asked, date } = this.headers;
    for (const value of [asked, secondsBetween(date, asked), this.details?.retryAfterSeconds]) {
      const seconds = value === undefined || value === "" ? NaN : Number(value);
      if (Number.isFinite(seconds) && seconds >= 0) return seconds;
    }
    return undefined;
  }
}

/** Proxies name a date. It is compared with the answer's own, since our clock may be another one. Source: RFC 9110, 10.2.3. */
function secondsBetween(from = "", to = ""): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

/** There are no credentials that a server would take. The message names the ways that were tried, and the remedy. */
export class LoginError extends Error {
  /** Always "LoginError". */
  override readonly name = "LoginError";
}

/** Makes the error of an answer with a status from 400 up. Bodies that are not of kind Status count as text. */
export function toApiError(
  response: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  options: { readonly request: string; readonly text: string; readonly right?: MissingRight },
): ApiError {
  const { status, headers } = response;
  const { request, text, right } = options;
  const body = parseStatus(text);
  return new ApiError({
    status,
    headers,
    request,
    body,
    right,
    text: body === undefined ? plainText(text) : undefined,
  });
}

/** Returns the value if it is a Status object. */
export function asStatus(value: unknown): StatusBody | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  // Only the kind is checked; the fields are read as if they could be missing or of any kind.
  return (value as { kind?: unknown }).kind === "Status" ? value as StatusBody : undefined;
}

/** Tells whether it is an error of that name ("AbortError", "TimeoutError"). */
export function isNamed(error: unknown, name: string): boolean {
  return typeof error === "object" && error !== null && (error as { name?: unknown }).name === name;
}

/** Whether the server says of a kind that was just defined that it is not ready to be asked: that heals by itself. */
export function isUnready(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429 &&
    error.message.includes("storage is (re)initializing");
}

/** Returns the message of an error, whatever it is. */
export function messageOf(error: unknown): string {
  return errorMessage(error);
}

function parseStatus(text: string): StatusBody | undefined {
  try {
    return asStatus(JSON.parse(text));
  } catch {
    return undefined; // plain text, as proxies send it
  }
}

/** JSON that is no Status does not help a reader, and is dropped. */
function plainText(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed === "" || trimmed.startsWith("{") || trimmed.startsWith("[") ? undefined : trimmed;
}

/**
 * Reads which right is missing. Quotas and other checks answer 403 as well: then none is. Source: Kubernetes,
 * `apiserver/pkg/endpoints/handlers/responsewriters/errors.go`.
 */
function missingRight(
  body: StatusBody | undefined,
  asked: MissingRight | undefined,
): MissingRight | undefined {
  if (body?.message === undefined) return asked;
  const said = /cannot (\S{1,63}) resource "([^"]{1,253})" in API group "([^"]{0,253})"/.exec(body.message);
  const [, verb, resource, group] = said ?? [];
  return verb === undefined || resource === undefined || group === undefined
    ? undefined
    : { verb, resource, group };
}

function hint(right: MissingRight | undefined): string {
  if (right === undefined) return "";
  const { verb, resource, group } = right;
  return `; a role must allow "${verb}" on "${resource}"${group === "" ? "" : ` of "${group}"`}`;
}

function describe(status: number, body?: StatusBody, text?: string): string {
  const said = body?.message ?? text?.slice(0, TEXT_LIMIT);
  const reason = body?.reason === undefined ? `${status}` : `${status} ${body.reason}`;
  return said === undefined || said === "" ? reason : `${reason}: ${said}`;
}
