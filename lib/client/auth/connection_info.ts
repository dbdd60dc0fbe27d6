/**
 * How to reach one API server, and as whom: everything that a kubeconfig, a service account or a login handler can say.
 *
 * Infos are values: never changed, compared by content. Values in files, and results of programs, are read again through
 * `refresh()`, which gives a new info. All certificates and keys are PEM text by now, wherever they came from.
 */

import { fromBase64 } from "../../model/encoding.ts";
import type { ConnectOptions, Seconds } from "../../runtime/host.ts";

/** Whom to act as. Source: Kubernetes, "User impersonation". */
export interface Impersonation {
  /** Its name. */
  readonly user: string;
  /** Its uid. */
  readonly uid?: string;
  /** Its groups. */
  readonly groups?: readonly string[];
  /** Anything else that is known of it. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** One way into one API server. */
export interface ConnectionInfo extends Omit<ConnectOptions, "connectTimeout"> {
  /** A token; sent as "Bearer <token>", or as "<scheme> <token>". A scheme alone is sent as it is. */
  readonly token?: string;
  /** See `token`. */
  readonly scheme?: string;
  /** Basic authentication, if both are there and not empty. It wins over tokens, as in Kopf. */
  readonly username?: string;
  /** See `username`. */
  readonly password?: string;
  /** Act as another user. */
  readonly impersonate?: Impersonation;
  /** Where objects without a place of their own go, such as events of cluster-scoped objects. */
  readonly defaultNamespace?: string;
  /** Whether answers are asked for as they are, where they could be compressed. Default: false. */
  readonly disableCompression?: boolean;
  /** The user agent of requests. Default: "lotse/<version>". */
  readonly userAgent?: string;
  /** Higher ones are preferred. Default: 0. */
  readonly priority?: number;
  /** When the credentials stop being valid, in milliseconds since 1970. They are renewed before. Default: never. */
  readonly expiration?: number;
  /** When to read them again although they are still valid, in milliseconds since 1970. Default: never. */
  readonly refreshAfter?: number;
  /** After how long to read them again although they are still valid. Default: never. */
  readonly refreshEvery?: Seconds;
  /** Re-reads credentials that live in files or programs. @throws {LoginError} If there are none any more. */
  readonly refresh?: () => Promise<ConnectionInfo>;
}

/** Where a transport takes its connection infos from: a vault, or one info for ever. */
export interface Credentials {
  /** The info to use now. Waits for a login that is under way, until the signal aborts. @throws {LoginError} If there is none. */
  current(signal?: AbortSignal): Promise<ConnectionInfo>;
  /** Says that the server did not accept this very info (401). Without effect if it was replaced meanwhile. */
  invalidate(info: ConnectionInfo, cause?: unknown): void;
  /**
   * Says that the server has taken this very info. A holder that wants to know that sees to it that refusals come to an end:
   * requests then wait for other credentials as often as it takes.
   */
  confirm?(info: ConnectionInfo): void;
  /**
   * Says that the server's certificate is not trusted by this very info: its authority may have been replaced, in a file.
   * Resolves to whether there is another info by now. Default: there is none.
   */
  reread?(info: ConnectionInfo): Promise<boolean>;
  /** The info that `current()` gave last, if any. */
  peek?(): ConnectionInfo | undefined;
}

/** Header values; the ones that may come several times are lists. */
export type HeaderFields = Record<string, string | readonly string[]>;

/**
 * Returns the headers of our identity: `authorization` and `impersonate-*`.
 *
 * Source: scenarios C1–C32: basic first, then scheme and token, scheme alone, bearer token. Text goes as UTF-8.
 */
export function authHeaders(info: ConnectionInfo): HeaderFields {
  const headers: HeaderFields = {};
  const authorization = authorizationOf(info);
  if (authorization !== undefined) headers["authorization"] = authorization;
  return info.impersonate === undefined ? headers : { ...headers, ...impersonationHeaders(info.impersonate) };
}

/** Tells whether a server would see no difference between the two. Priorities and expirations do not count. */
export function equalInfos(a: ConnectionInfo, b: ConnectionInfo): boolean {
  return connectionKey(a) === connectionKey(b) && a.token === b.token && a.scheme === b.scheme &&
    a.username === b.username && a.password === b.password &&
    JSON.stringify(a.impersonate) === JSON.stringify(b.impersonate);
}

/** Returns a string that is the same for all infos that can share connections: infos that differ in headers only. */
export function connectionKey(info: ConnectionInfo): string {
  const { server, ca, cert, key, insecure, serverName, proxy } = info;
  return JSON.stringify([server, ca, cert, key, insecure === true, serverName, proxy]);
}

/** Returns the parts of an info that may be printed: no secrets. */
export function describeInfo(info: ConnectionInfo): string {
  return `${info.server} (${identityOf(info)})`;
}

/**
 * Returns PEM text from PEM text, or from base64 of PEM text (as kubeconfigs hold it).
 *
 * @throws {SyntaxError} If it is neither.
 */
export function toPem(data: string): string {
  if (data.includes("-----BEGIN ")) return data;
  const decoded = fromBase64(data);
  if (decoded?.includes("-----BEGIN ")) return decoded;
  throw new SyntaxError(`Cannot read a certificate or key: it is neither PEM nor base64 of PEM`);
}

/** Returns credentials that are always the same info: for tests, and where other code renews. */
export function fixedCredentials(info: ConnectionInfo): Credentials {
  return { current: () => Promise.resolve(info), invalidate: () => {}, peek: () => info };
}

function authorizationOf(info: ConnectionInfo): string | undefined {
  const { username, password, scheme, token } = info;
  if (username && password) return `Basic ${encodeBase64(`${username}:${password}`)}`;
  if (scheme && token) return `${scheme} ${token}`;
  if (scheme) return scheme;
  return token ? `Bearer ${token}` : undefined;
}

function impersonationHeaders(impersonate: Impersonation): HeaderFields {
  const headers: HeaderFields = { "impersonate-user": impersonate.user };
  if (impersonate.uid !== undefined) headers["impersonate-uid"] = impersonate.uid;
  // NB: a header for each: Kubernetes does not split at commas.
  if (impersonate.groups?.length) headers["impersonate-group"] = impersonate.groups;
  for (const [name, values] of Object.entries(impersonate.extra ?? {})) {
    // Source: Kubernetes, "User impersonation": keys are percent-encoded and in lower case.
    headers[`impersonate-extra-${encodeURIComponent(name).toLowerCase()}`] = values;
  }
  return headers;
}

function identityOf(info: ConnectionInfo): string {
  if (info.impersonate !== undefined) return `as "${info.impersonate.user}"`;
  if (info.username && info.password) return `user "${info.username}"`;
  if (info.token || info.scheme) return "with a token";
  return info.cert === undefined ? "anonymous" : "with a client certificate";
}

function encodeBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
