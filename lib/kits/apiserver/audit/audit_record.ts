/**
 * One request's way into the audit log: the facts that are gathered until it is answered.
 *
 * Source: k8s.io/apiserver, pkg/audit/context.go and pkg/admission/attributes.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { isPathWish, type ResourceWish, type Wish } from "../access/attributes.ts";
import type { Decision } from "../access/authorizer.ts";
import { type User, userInfo } from "../access/user.ts";
import { qualifiedNameErrors } from "../names.ts";
import { parseResourcePath } from "../paths.ts";
import type { Refusal } from "../refusal.ts";
import { readCopy } from "../bodies/body.ts";
import { isObject } from "../values.ts";
import { type AuditLevel, type AuditWish, isAtLeast } from "./audit_policy.ts";

/** Adds an annotation to the audit event of a request. The first value of a key counts. */
export type Annotate = (key: string, value: string, level?: AuditLevel) => void;

/** A request whose level is not "None". */
export class AuditRecord {
  readonly #request: Request;
  readonly #wish: Wish;
  readonly #told: AuditWish;
  readonly #user: User | undefined;
  readonly #annotations = new Map<string, string>();
  #identity: Readonly<Record<string, unknown>> = {};
  #impersonated: User | undefined;
  #constraint: string | undefined;
  #status: Refusal["status"] | undefined;
  #requestObject: unknown;
  #responseObject: unknown;

  constructor(request: Request, { wish, told, user }: {
    readonly wish: Wish;
    readonly told: AuditWish;
    readonly user: User | undefined;
  }) {
    this.#request = request;
    this.#wish = wish;
    this.#told = told;
    this.#user = user;
  }

  readonly annotate: Annotate = (key, value, level = "Metadata") => {
    const isKey = key.split("/").length === 2 && qualifiedNameErrors(key).length === 0;
    if (!isKey || this.#annotations.has(key) || !isAtLeast(this.#told.level, level)) return;
    this.#annotations.set(key, value);
  };

  /** Says as whom the user acts. The constraint is the verb that has allowed it, if it is a narrow one. */
  impersonate(user: User, constraint: string | undefined): void {
    this.#impersonated = user;
    this.#constraint = constraint;
  }

  decide({ allowed, reason }: Decision): void {
    this.annotate("authorization.k8s.io/decision", allowed ? "allow" : "forbid");
    this.annotate("authorization.k8s.io/reason", reason);
  }

  /** Completes the reference by the metadata of the body. */
  name({ metadata }: KubeObject): void {
    const { namespace, name, uid, resourceVersion } = metadata;
    this.#identity = { namespace, name, uid, resourceVersion };
  }

  refuse({ status }: Refusal): void {
    this.#status = status;
  }

  /** Keeps the body, if it is told. Returns the request that goes on in place of the one that was read. */
  async keepRequest(request: Request): Promise<Request> {
    if (!isAtLeast(this.#told.level, "Request") || request.method === "GET") return request;
    const { value, again } = await readCopy(request);
    this.#requestObject = this.#shown(value);
    return again;
  }

  /** Keeps the answer, if it is told and has an end. */
  async keepResponse(response: Response): Promise<void> {
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    if (!isAtLeast(this.#told.level, "RequestResponse") || !isJson || this.#wish.verb === "watch") return;
    this.#responseObject = this.#shown(await response.clone().json());
  }

  /** Returns the event; undefined if its stage is left out. */
  event(code: number): JsonObject | undefined {
    // NB: of a watch, only the beginning is told.
    const stage = this.#wish.verb === "watch" ? "ResponseStarted" : "ResponseComplete";
    if (this.#told.omitStages.includes(stage)) return undefined;
    const { pathname, search } = new URL(this.#request.url);
    const { status, message, reason, details } = this.#status ?? {};
    const annotations = Object.fromEntries([...this.#annotations].sort(([a], [b]) => a < b ? -1 : 1));
    return {
      level: this.#told.level,
      stage,
      requestURI: pathname + search,
      verb: this.#wish.verb,
      user: this.#user === undefined ? {} : userInfo(this.#user),
      ...(this.#impersonated === undefined ? {} : { impersonatedUser: userInfo(this.#impersonated) }),
      ...(this.#constraint === undefined
        ? {}
        : { authenticationMetadata: { impersonationConstraint: this.#constraint } }),
      userAgent: this.#request.headers.get("user-agent") ?? undefined,
      objectRef: isPathWish(this.#wish) ? undefined : referenceOf(pathname, this.#wish, this.#identity),
      responseStatus: { metadata: {}, status, message, reason, details, code },
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      annotations: this.#annotations.size === 0 ? undefined : annotations,
    };
  }

  #shown(body: unknown): unknown {
    if (!this.#told.omitManagedFields || !isObject(body)) return body;
    if (Array.isArray(body.items)) return { ...body, items: body.items.map((item) => this.#shown(item)) };
    if (!isObject(body.metadata)) return body;
    const { managedFields: _owners, ...metadata } = body.metadata;
    return { ...body, metadata };
  }
}

function referenceOf(
  pathname: string,
  { resource, namespace, name, group, subresource }: ResourceWish,
  identity: Readonly<Record<string, unknown>>,
): JsonObject {
  const version = parseResourcePath(pathname)?.apiVersion.split("/").at(-1);
  const shown = { resource, namespace, name, apiGroup: group, apiVersion: version, subresource };
  const said = Object.entries({ ...shown }).filter(([, value]) => value !== "");
  const added = Object.entries(identity).filter(([, value]) => value !== undefined && value !== "");
  return { ...Object.fromEntries(added), ...Object.fromEntries(said) };
}
