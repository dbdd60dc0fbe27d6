/**
 * The gate in front of the server: a request's user, impersonation, and rights.
 *
 * Source: Kubernetes documentation, "Authenticating", "User impersonation"; k8s.io/apiserver, pkg/endpoints/filters.
 */

import { badRequest, unauthorized } from "../refusal.ts";
import { forbiddenWish, isPathWish, type ResourceWish, type Wish } from "./attributes.ts";
import { Authorizer, type Decision } from "./authorizer.ts";
import type { Host } from "../../../runtime/host.ts";
import type { Store } from "../store.ts";
import { Tokens } from "./tokens.ts";
import { ADMIN, AUTHENTICATED, MASTERS, type User } from "./user.ts";

const ANONYMOUS: User = { username: "system:anonymous", groups: ["system:unauthenticated"] };
/** Probes are answered without credentials, as on the real server. */
const OPEN_PATHS = ["/healthz", "/livez", "/readyz", "/version"];
const UNAUTHENTICATED = "system:unauthenticated";

/** The credentials that a request brings. */
export interface Credentials {
  /** The user that the client's certificate names. It counts before any token, as on the real server. */
  readonly certified?: User;
  /** The user of a call in the process, unless the request has a token. */
  readonly caller?: User;
}

export class Gate {
  /** Whether roles and bindings count; without, every known user may do everything. */
  readonly rbac: boolean;
  /** The token that makes one the administrator, once the server listens. */
  adminToken: string | undefined;
  readonly authorizer: Authorizer;
  readonly tokens: Tokens;
  /** Users by the tokens that they were given for ever. */
  readonly #known: ReadonlyMap<string, User>;

  constructor(
    { host, store }: { readonly host: Host; readonly store: Store },
    { rbac, users = {} }: { readonly rbac: boolean; readonly users?: Readonly<Record<string, User>> },
  ) {
    this.rbac = rbac;
    this.#known = new Map(Object.entries(users));
    this.authorizer = new Authorizer(store);
    this.tokens = new Tokens(host, store);
  }

  /**
   * Returns the user that sends a request.
   *
   * @throws {Refusal} 401 if it has unknown credentials.
   */
  authenticate(request: Request, credentials: Credentials, wish: Wish): User {
    const isOpen = !this.rbac && isPathWish(wish) && OPEN_PATHS.includes(wish.path);
    return this.#authenticate(
      request,
      isOpen ? { ...credentials, caller: credentials.caller ?? ANONYMOUS } : credentials,
    );
  }

  /**
   * Returns the narrow verb that lets a user act as another one, if one does; else they have the old right to impersonate.
   *
   * Source: Kubernetes documentation, "User impersonation"; k8s.io/apiserver, pkg/endpoints/filters/impersonation.
   */
  constraintFor(user: User, as: User, wish: Wish): string | undefined {
    if (as.groups.includes(MASTERS)) return undefined;
    const [, namespace = "", account] = ACCOUNT.exec(as.username) ?? [];
    const node = /^system:node:(.+)$/.exec(as.username)?.[1];
    const mode = account === undefined
      ? node === undefined ? "user-info" : "arbitrary-node"
      : "serviceaccount";
    const resource = account === undefined ? node === undefined ? "users" : "nodes" : "serviceaccounts";
    const verb = `impersonate:${mode}`;
    const name = account ?? node ?? as.username;
    const target = { verb, group: "authentication.k8s.io", resource, subresource: "", name, namespace };
    const isAllowed = this.may(user, target) &&
      this.may(user, { ...wish, verb: `impersonate-on:${mode}:${wish.verb}` });
    return isAllowed ? verb : undefined;
  }

  /** @throws {Refusal} 403 */
  check(user: User, wish: Wish): void {
    const { allowed, reason } = this.decide(user, wish);
    if (!allowed) throw forbiddenWish(user, wish, reason);
  }

  /** Tells whether a user may make a request. */
  may(user: User, wish: Wish): boolean {
    return this.decide(user, wish).allowed;
  }

  decide(user: User, wish: Wish): Decision {
    return this.rbac ? this.authorizer.decide(user, wish) : { allowed: true, reason: "" };
  }

  /** Source: k8s.io/apiserver, pkg/authentication/request/bearertoken: other schemes, and an empty token, are none. */
  #authenticate({ headers }: Request, { certified, caller }: Credentials): User {
    if (certified !== undefined) return certified;
    const [scheme = "", token = ""] = (headers.get("authorization") ?? "").trim().split(" ", 2);
    if (scheme.toLowerCase() === "bearer" && token !== "") {
      if (token === this.adminToken) return ADMIN;
      const found = this.#known.get(token) ?? this.tokens.userOf(token)?.user;
      if (found !== undefined) return found;
      throw unauthorized();
    }
    if (caller !== undefined) return caller;
    // NB: without roles, no rule could say which requests anonymous users may make.
    if (!this.rbac) throw unauthorized();
    return ANONYMOUS;
  }

  /**
   * Returns the user as whom a user acts: they themselves, unless the request names another one.
   *
   * @throws {Refusal} 400 if it does not say as whom, 403 if they may not.
   */
  impersonate({ headers }: Request, user: User): User {
    if (!speaksForOthers(headers)) return user;
    const wanted = headers.get("impersonate-user") ?? "";
    const groups = listOf(headers.get("impersonate-group"));
    const uid = headers.get("impersonate-uid") ?? undefined;
    const extra = extraIn(headers);
    if (wanted === "") {
      if (groups.length === 0 && uid === undefined && extra.size === 0) return user;
      throw badRequest(`requested ${goUser({ groups, uid, extra })} without impersonating a user name`);
    }
    for (const wish of wishes(wanted, { groups, uid, extra })) this.check(user, wish);
    return {
      username: wanted,
      groups: groupsOf(wanted, groups),
      ...(uid === undefined ? {} : { uid }),
      ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
    };
  }
}

/** A user as Go prints one. */
function goUser({ groups, uid = "", extra }: Impersonated): string {
  const listed = (list: readonly string[]) =>
    list.length === 0 ? "[]string(nil)" : `[]string{${list.map((text) => JSON.stringify(text)).join(", ")}}`;
  const keys = [...extra].sort(([a], [b]) => a < b ? -1 : 1);
  const fields = keys.map(([key, values]) => `${JSON.stringify(key)}:${listed(values)}`).join(", ");
  const more = extra.size === 0 ? "map[string][]string(nil)" : `map[string][]string{${fields}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${listed(groups)}, Extra:${more}}`;
}

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

interface Impersonated {
  readonly groups: readonly string[];
  readonly uid: string | undefined;
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

function wishes(username: string, { groups, uid, extra }: Impersonated): ResourceWish[] {
  const wish = (resource: string, name: string, more: Partial<ResourceWish> = {}): ResourceWish => ({
    verb: "impersonate",
    group: "",
    resource,
    subresource: "",
    name,
    namespace: "",
    ...more,
  });
  const [, namespace, account] = ACCOUNT.exec(username) ?? [];
  const group = "authentication.k8s.io";
  return [
    account === undefined ? wish("users", username) : wish("serviceaccounts", account, { namespace }),
    ...groups.map((name) => wish("groups", name)),
    ...[...extra].flatMap(([key, values]) =>
      values.map((value) => wish("userextras", value, { group, subresource: key }))
    ),
    ...(uid === undefined ? [] : [wish("uids", uid, { group })]),
  ];
}

function groupsOf(username: string, given: readonly string[]): string[] {
  const [, namespace] = ACCOUNT.exec(username) ?? [];
  const known = given.length > 0 || namespace === undefined
    ? [...given]
    : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  if (username === ANONYMOUS.username) {
    return known.includes(UNAUTHENTICATED) ? known : [...known, UNAUTHENTICATED];
  }
  return known.includes(AUTHENTICATED) || known.includes(UNAUTHENTICATED) ? known : [...known, AUTHENTICATED];
}

/** NB: several headers of one name come joined by a comma and a space; commas alone are part of a name. */
function listOf(header: string | null): string[] {
  return (header ?? "").split(", ").map((part) => part.trim()).filter((part) => part !== "");
}

/** NB: an iterator of headers takes five times as long. */
function speaksForOthers(headers: Headers): boolean {
  let found = false;
  headers.forEach((_value, name) => {
    if (name.startsWith("impersonate-")) found = true;
  });
  return found;
}

function extraIn(headers: Headers): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const [name, value] of headers) {
    if (name.startsWith(EXTRA)) extra.set(unescaped(name.slice(EXTRA.length)), listOf(value));
  }
  return extra;
}

const EXTRA = "impersonate-extra-";

/** A key that cannot be unescaped stays as it is, as on the real server. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
