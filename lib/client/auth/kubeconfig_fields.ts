/**
 * Single fields of a kubeconfig: texts, and certificates and keys that stand inline or in files.
 */

import type { JsonObject } from "../../model/object.ts";
import type { Host } from "../../runtime/host.ts";
import { type ConnectionInfo, toPem } from "./connection_info.ts";
import { LoginError, messageOf } from "../errors.ts";
import { withoutPassword } from "../transport/proxy.ts";
import { checkFields, CLUSTER_FIELDS } from "./field_types.ts";

/** Where a field stands, for reading files next to it and for messages. */
export interface Source {
  readonly host: Host;
  readonly kind: "user" | "cluster";
  /** The user's or the cluster's name. */
  readonly name: string;
  /** The kubeconfig's path. */
  readonly path: string;
}

/** Returns a field's text; undefined if it is absent or empty. Numbers count as text. */
export function textField(content: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(content, name) ? content[name] : undefined;
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Returns the PEM text of `<name>-data` or else of the file that `<name>` names; undefined if there is neither.
 *
 * @throws {LoginError} If the file is missing, or the text is no PEM.
 */
export async function readMaterial(
  source: Source,
  content: JsonObject,
  name: string,
): Promise<string | undefined> {
  const data = textField(content, `${name}-data`);
  if (data !== undefined) return checkPem(source, data, `${name}-data`);
  const path = textField(content, name);
  if (path === undefined) return undefined;
  const { file, text } = await readNeighbour(source, path, name);
  return checkPem(source, text, `${name} (file "${file}")`);
}

/** Reads a file that a field names; a relative path starts at the kubeconfig's folder. @throws {LoginError} If it cannot be read. */
export async function readNeighbour(
  source: Source,
  path: string,
  field: string,
): Promise<{ readonly file: string; readonly text: string }> {
  const { files } = source.host;
  const file = files.resolve(files.folderOf(source.path), path);
  try {
    return { file, text: await files.readText(file) };
  } catch (error) {
    throw new LoginError(
      `Cannot read file "${file}", the ${field} of ${placeOf(source)}: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** `user "admin" in kubeconfig "/home/me/.kube/config"`. */
export function placeOf(source: Source): string {
  return `${source.kind} "${source.name}" in kubeconfig "${source.path}"`;
}

/** Returns PEM text, decoded where needed. @throws {LoginError} If it is neither PEM nor base64 of PEM. */
export function checkPem(source: Source, data: string, field: string): string {
  try {
    return toPem(data);
  } catch (error) {
    throw new LoginError(
      `Cannot use the ${field} of ${placeOf(source)}: it is neither PEM nor base64 of PEM`,
      {
        cause: error,
      },
    );
  }
}

// The cluster's half of a connection info, as kubeconfigs hold it.

/** @throws {LoginError} If it names no server, or its certificates cannot be read. */
export async function readCluster(source: Source, content: JsonObject): Promise<ConnectionInfo> {
  checkFields(placeOf(source), content, CLUSTER_FIELDS);
  const server = toUrl(textField(content, "server"), content);
  if (server === undefined || !/^https?:\/\//i.test(server) || !URL.canParse(server)) {
    const problem = server === undefined
      ? "it has no server"
      : `its server "${withoutPassword(server)}" is not an http or https URL`;
    throw new LoginError(`Cannot use ${placeOf(source)}: ${problem}`);
  }
  const insecure = content["insecure-skip-tls-verify"] === true;
  const authorities = ["certificate-authority", "certificate-authority-data"];
  if (insecure && authorities.some((name) => textField(content, name))) {
    throw new LoginError(
      `Cannot use ${
        placeOf(source)
      }: "insecure-skip-tls-verify" stands beside a certificate authority, which it would ignore: remove one`,
    );
  }
  return {
    server: server.replace(/^https?(?=:)/i, (scheme) => scheme.toLowerCase()).replace(/(?<!\/)\/+$/, ""),
    ca: await readMaterial(source, content, "certificate-authority"),
    insecure: insecure || undefined,
    serverName: textField(content, "tls-server-name"),
    proxy: proxyOf(source, content),
    disableCompression: content["disable-compression"] === true || undefined,
  };
}

/** Without a scheme it is https where certificates are named. Source: client-go, `rest/url_utils.go`. */
function toUrl(server: string | undefined, content: JsonObject): string | undefined {
  if (server === undefined || /:\/\/|^\/|@/.test(server)) return server;
  const isSecure = content["insecure-skip-tls-verify"] === true ||
    ["certificate-authority", "certificate-authority-data"].some((name) =>
      textField(content, name) !== undefined
    );
  return `${isSecure ? "https" : "http"}://${server}`;
}

/** Proxies that hosts know; their schemes may have capital letters, as in Go. */
const PROXIES = /^(https?|socks5h?):\/\//i;

/** @throws {LoginError} If the proxy is of another kind. The message has no password. */
function proxyOf(source: Source, content: JsonObject): string | undefined {
  const proxy = textField(content, "proxy-url");
  if (proxy === undefined || (PROXIES.test(proxy) && URL.canParse(proxy))) {
    return proxy?.replace(/^[^:]*/, (scheme) => scheme.toLowerCase());
  }
  throw new LoginError(
    `Cannot use the proxy-url "${withoutPassword(proxy)}" of ${
      placeOf(source)
    }: it must be http://, https:// or socks5://, with a host`,
  );
}
