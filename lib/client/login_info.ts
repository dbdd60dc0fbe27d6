/**
 * What a login may give, in the forms that people have it in, and how it becomes a connection info.
 *
 * Certificates come as PEM text, as base64 of it, or as files; expirations as numbers, dates or timestamps. What cannot be
 * meant is refused here, where it can be said which field it is. Source: behaviour-b §6.2.
 */

import { parseTimestamp } from "../model/timestamps.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import { nearest } from "../settings/nearest.ts";
import { type ConnectionInfo, toPem } from "./connection_info.ts";
import { LoginError, messageOf } from "./errors.ts";
import { fromKubeConfig, isKubeConfig, type KubeConfigLike } from "./kubeconfig_object.ts";

/** How often certificates and keys that live in files are read again. Source: client-go. */
const REREAD: Seconds = 60;

/** A way into an API server, as login handlers give it. Certificates and keys: PEM text, or base64 of it. */
export interface LoginInfo extends Omit<ConnectionInfo, "expiration" | "refresh"> {
  /** A file with the authority's certificates, in place of `ca`. */
  readonly caPath?: string;
  /** A file with the client certificate, in place of `cert`. */
  readonly certPath?: string;
  /** A file with its key, in place of `key`. */
  readonly keyPath?: string;
  /** Milliseconds since 1970, a date, or a timestamp; one without a zone is UTC. Default: never. */
  readonly expiration?: number | string | Date;
  /** Gives the next credentials. Default: the login handlers are called again; what is in files is read again. */
  readonly refresh?: () => LoginInfo | Promise<LoginInfo>;
}

const NAMES: ReadonlySet<string> = new Set(
  [
    ...["server", "ca", "caPath", "cert", "certPath", "key", "keyPath", "insecure", "serverName", "token"],
    ...[
      "scheme",
      "username",
      "password",
      "proxy",
      "impersonate",
      "defaultNamespace",
      "userAgent",
      "priority",
    ],
    ...["expiration", "refreshAfter", "refresh"],
  ],
);

/** Tells whether a value could be a login's: it has a server's URL, or is a `KubeConfig` of the official client. */
export function isLogin(value: unknown): value is LoginInfo | KubeConfigLike {
  if (typeof value !== "object" || value === null) return false;
  return isKubeConfig(value) || ("server" in value && typeof value.server === "string");
}

/**
 * Gives the connection info of a login.
 *
 * @throws {TypeError} If fields are unknown, or contradict each other.
 * @throws {LoginError} If a file cannot be read, or holds no PEM.
 */
export async function toConnectionInfo(
  host: Host,
  login: LoginInfo | KubeConfigLike,
): Promise<ConnectionInfo> {
  if (isKubeConfig(login)) return await fromKubeConfig(host, login);
  rejectNonsense(login);
  const { ca, caPath, cert, certPath, key, keyPath, expiration, refresh, refreshAfter, ...rest } = login;
  const hasFiles = (caPath ?? certPath ?? keyPath) !== undefined;
  const renew = refresh ?? (hasFiles ? () => login : undefined);
  return {
    ...rest,
    server: rest.server.replace(/\/+$/, ""),
    ca: await pemOf(host, { name: "ca", text: ca, path: caPath }),
    cert: await pemOf(host, { name: "cert", text: cert, path: certPath }),
    key: await pemOf(host, { name: "key", text: key, path: keyPath }),
    expiration: toMilliseconds(expiration),
    refreshAfter: refreshAfter ?? (hasFiles ? host.clock.now() + REREAD * 1000 : undefined),
    refresh: renew && (async () => await toConnectionInfo(host, await renew())),
  };
}

function rejectNonsense(login: LoginInfo): void {
  const fail = (problem: string): never => {
    throw new TypeError(`Cannot log in to "${login.server}": ${problem}`);
  };
  for (const name of Object.keys(login)) {
    if (NAMES.has(name)) continue;
    const meant = nearest(name, NAMES);
    fail(`there is no field "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`);
  }
  if (!/^https?:\/\//.test(login.server) || !URL.canParse(login.server)) {
    fail("the server must be an http or https URL");
  }
  for (const name of ["ca", "cert", "key"] as const) {
    if (login[name] !== undefined && login[`${name}Path`] !== undefined) {
      fail(`"${name}" and "${name}Path" are both given: take one of them`);
    }
  }
  const [cert, key] = [login.cert ?? login.certPath, login.key ?? login.keyPath];
  if ((cert === undefined) !== (key === undefined)) {
    fail(`"${cert === undefined ? "key" : "cert"}" is given alone: a certificate and its key go together`);
  }
  const { expiration } = login;
  if (expiration !== undefined && toMilliseconds(expiration) === undefined) {
    fail(`its expiration "${String(expiration)}" is not a time`);
  }
}

async function pemOf(
  host: Host,
  { name, text, path }: { readonly name: string; readonly text?: string; readonly path?: string },
): Promise<string | undefined> {
  const what = path === undefined ? `"${name}" of a login` : `file "${path}", the "${name}Path" of a login`;
  try {
    const data = path === undefined ? text : await host.files.readText(path);
    return data === undefined ? undefined : toPem(data);
  } catch (error) {
    throw new LoginError(`Cannot use ${what}: ${messageOf(error)}`, { cause: error });
  }
}

function toMilliseconds(expiration: number | string | Date | undefined): number | undefined {
  if (typeof expiration === "string") return parseTimestamp(expiration);
  const time = expiration instanceof Date ? expiration.getTime() : expiration;
  return time === undefined || Number.isNaN(time) ? undefined : time;
}
