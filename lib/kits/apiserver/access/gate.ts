/**
 * The gate in front of the server: who asks, as whom, and whether they may.
 *
 * Source: Kubernetes documentation, "Authenticating", "User impersonation"; k8s.io/apiserver, pkg/endpoints/filters.
 */

import { internal, unauthorized } from "../refusal.ts";
import { forbiddenWish, isPathWish, type ResourceWish, type Wish, wishOf } from "./attributes.ts";
import { Authorizer, type Decision } from "./authorizer.ts";
import type { Host } from "../../../runtime/host.ts";
import type { Store } from "../store.ts";
import { Tokens } from "./tokens.ts";
import { ADMIN, AUTHENTICATED, type User } from "./user.ts";

const ANONYMOUS: User = { username: "system:anonymous", groups: ["system:unauthenticated"] };
/** Probes are answered without credentials, as on the real server. */
const OPEN_PATHS = ["/healthz", "/livez", "/readyz", "/version"];
const UNAUTHENTICATED = "system:unauthenticated";

/** The credentials that a request brings. */
export interface Credentials {
  /** Whom the connection itself speaks for: by a certificate, or because it is a call in the process. */
  readonly peer?: User;
}

export class Gate {
  /** Whether roles and bindings count; without, everyone who is known may do everything. */
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
   * Returns the user of a request, after all that may stop it.
   *
   * @throws {Refusal} 401 if it has credentials that nobody knows, 403 if it may not be made.
   */
  admit(request: Request, credentials: Credentials, wish: Wish = wishOf(request)): User {
    const isOpen = !this.rbac && isPathWish(wish) && OPEN_PATHS.includes(wish.path);
    const known = this.#authenticate(
      request,
      isOpen ? { ...credentials, peer: credentials.peer ?? ANONYMOUS } : credentials,
    );
    const user = this.#impersonated(request, known);
    this.check(user, wish);
    return user;
  }

  /** @throws {Refusal} 403 */
  check(user: User, wish: Wish): void {
    const { allowed, reason } = this.decide(user, wish);
    if (!allowed) throw forbiddenWish(user, wish, reason);
  }

  /** Tells whether a user may do something. */
  may(user: User, wish: Wish): boolean {
    return this.decide(user, wish).allowed;
  }

  decide(user: User, wish: Wish): Decision {
    return this.rbac ? this.authorizer.decide(user, wish) : { allowed: true, reason: "" };
  }

  #authenticate({ headers }: Request, { peer }: Credentials): User {
    const header = headers.get("authorization");
    if (header !== null) {
      const [, token = ""] = /^Bearer +(\S+)$/i.exec(header) ?? [];
      if (token !== "" && token === this.adminToken) return ADMIN;
      const found = this.#known.get(token) ?? this.tokens.userOf(token)?.user;
      if (found !== undefined) return found;
      throw unauthorized();
    }
    if (peer !== undefined) return peer;
    // NB: where there are no roles, nobody could say what strangers may do.
    if (!this.rbac) throw unauthorized();
    return ANONYMOUS;
  }

  #impersonated({ headers }: Request, user: User): User {
    const wanted = headers.get("impersonate-user");
    const groups = listOf(headers.get("impersonate-group"));
    const uid = headers.get("impersonate-uid") ?? undefined;
    const extra = extraIn(headers);
    if (wanted === null) {
      if (groups.length === 0 && uid === undefined && extra.size === 0) return user;
      throw internal("requested groups, a uid or extra fields without impersonating a user");
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

function extraIn(headers: Headers): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const [name, value] of headers) {
    if (name.startsWith(EXTRA)) extra.set(unescaped(name.slice(EXTRA.length)), listOf(value));
  }
  return extra;
}

const EXTRA = "impersonate-extra-";

/** NB: as the real server does it: what cannot be unescaped stays as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
