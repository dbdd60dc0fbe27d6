/**
 * Tokens of service accounts: made on request, known to this server alone, and good until they expire.
 *
 * They read as JSON web tokens do, because clients look into them; a token is valid because the server remembers it.
 * Source: Kubernetes documentation, "Managing Service Accounts".
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Host, Seconds } from "../../../runtime/host.ts";
import type { Store } from "../store.ts";
import { AUTHENTICATED, type User } from "./user.ts";

export const ISSUER = "https://kubernetes.default.svc.cluster.local";

/** An object without which a token is not valid. */
export interface BoundObject {
  readonly plural: "nodes" | "pods" | "secrets";
  /** "" for nodes. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

interface Issued {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** In milliseconds since 1970. */
  readonly expires: number;
  readonly id: string;
  readonly audiences: readonly string[];
  readonly bound?: BoundObject;
}

export interface TokenOptions {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly lifetime: Seconds;
  readonly bound?: BoundObject;
}

export class Tokens {
  readonly #host: Host;
  readonly #store: Store;
  readonly #issued = new Map<string, Issued>();

  constructor(host: Host, store: Store) {
    this.#host = host;
    this.#store = store;
  }

  /** Makes a token; gives it, and when it expires, in milliseconds since 1970. */
  issue(
    { namespace, name, uid, audiences, lifetime, bound }: TokenOptions,
  ): { readonly token: string; readonly expires: number } {
    const now = this.#host.clock.now();
    this.#forgetExpired(now);
    const expires = now + lifetime * 1000;
    const id = this.#host.random.uuid();
    const claims: JsonObject = {
      aud: [...audiences],
      exp: Math.floor(expires / 1000),
      iat: Math.floor(now / 1000),
      iss: ISSUER,
      jti: id,
      "kubernetes.io": {
        namespace,
        ...(bound === undefined ? {} : { [bound.plural.slice(0, -1)]: { name: bound.name, uid: bound.uid } }),
        serviceaccount: { name, uid },
      },
      nbf: Math.floor(now / 1000),
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const head = encode(new TextEncoder().encode(JSON.stringify({ alg: "HS256", typ: "JWT" })));
    const body = encode(new TextEncoder().encode(JSON.stringify(claims)));
    const token = `${head}.${body}.${encode(this.#host.random.bytes(32))}`;
    this.#issued.set(token, { namespace, name, uid, expires, id, audiences, bound });
    return { token, expires };
  }

  /** Takes over the tokens that another server has issued. */
  take(other: Tokens): void {
    for (const [token, issued] of other.#issued) this.#issued.set(token, issued);
  }

  /**
   * Returns the service account that holds the token; undefined if it is none, has expired, or the account or its bound object
   * has gone.
   */
  userOf(token: string): { readonly user: User; readonly audiences: readonly string[] } | undefined {
    const found = this.#issued.get(token);
    if (found === undefined || found.expires <= this.#host.clock.now()) return undefined;
    const { namespace, name, uid, id, audiences, bound } = found;
    const account = this.#store.collection("serviceaccounts").get(`${namespace}/${name}`);
    if (account?.metadata.uid !== uid) return undefined;
    if (bound !== undefined && !this.#isThere(bound)) return undefined;
    const extra = { "authentication.kubernetes.io/credential-id": [`JTI=${id}`], ...boundExtra(bound) };
    return { user: { ...accountUser(namespace, name), uid, extra }, audiences };
  }

  /** NB: an object that is being deleted counts for a minute more. */
  #isThere({ plural, namespace, name, uid }: BoundObject): boolean {
    const key = namespace === "" ? name : `${namespace}/${name}`;
    const metadata = this.#store.collection(plural).get(key)?.metadata;
    const ended = Date.parse(metadata?.deletionTimestamp ?? "") + LEEWAY * 1000;
    return metadata?.uid === uid && !(ended < this.#host.clock.now());
  }

  #forgetExpired(now: number): void {
    for (const [token, { expires }] of this.#issued) if (expires <= now) this.#issued.delete(token);
  }
}

/** Source: k8s.io/kubernetes, pkg/serviceaccount/claims.go. */
const LEEWAY: Seconds = 60;

function boundExtra(bound: BoundObject | undefined): Record<string, string[]> {
  if (bound === undefined || bound.plural === "secrets") return {};
  const kind = bound.plural.slice(0, -1);
  return {
    [`authentication.kubernetes.io/${kind}-name`]: [bound.name],
    [`authentication.kubernetes.io/${kind}-uid`]: [bound.uid],
  };
}

/** Returns a service account as a user. */
export function accountUser(namespace: string, name: string): User {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  };
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
