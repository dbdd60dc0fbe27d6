/**
 * Tokens of service accounts: made on request, known to this server alone, and good until they expire.
 *
 * They read as JSON web tokens do, because clients look into them; what makes one valid is that the server remembers it.
 * Source: Kubernetes documentation, "Managing Service Accounts".
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Host, Seconds } from "../../../runtime/host.ts";
import type { Store } from "../store.ts";
import { AUTHENTICATED, type User } from "./user.ts";

export const ISSUER = "https://kubernetes.default.svc.cluster.local";

interface Issued {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** In milliseconds since 1970. */
  readonly expires: number;
  readonly id: string;
  readonly audiences: readonly string[];
}

export interface TokenOptions {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly lifetime: Seconds;
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
    { namespace, name, uid, audiences, lifetime }: TokenOptions,
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
      "kubernetes.io": { namespace, serviceaccount: { name, uid } },
      nbf: Math.floor(now / 1000),
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const head = encode(new TextEncoder().encode(JSON.stringify({ alg: "HS256", typ: "JWT" })));
    const body = encode(new TextEncoder().encode(JSON.stringify(claims)));
    const token = `${head}.${body}.${encode(this.#host.random.bytes(32))}`;
    this.#issued.set(token, { namespace, name, uid, expires, id, audiences });
    return { token, expires };
  }

  /** Returns the service account that holds the token; undefined if it is none, has expired, or the account has gone. */
  userOf(token: string): { readonly user: User; readonly audiences: readonly string[] } | undefined {
    const found = this.#issued.get(token);
    if (found === undefined || found.expires <= this.#host.clock.now()) return undefined;
    const { namespace, name, uid, id, audiences } = found;
    const account = this.#store.collection("serviceaccounts").get(`${namespace}/${name}`);
    if (account?.metadata.uid !== uid) return undefined;
    const extra = { "authentication.kubernetes.io/credential-id": [`JTI=${id}`] };
    return { user: { ...accountUser(namespace, name), uid, extra }, audiences };
  }

  #forgetExpired(now: number): void {
    for (const [token, { expires }] of this.#issued) if (expires <= now) this.#issued.delete(token);
  }
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
