/**
 * The cluster's half of a connection info, as kubeconfigs hold it.
 */

import type { JsonObject } from "../model/object.ts";
import type { ConnectionInfo } from "./connection_info.ts";
import { LoginError } from "./errors.ts";
import { placeOf, readMaterial, type Source, textField } from "./kubeconfig_fields.ts";

/** @throws {LoginError} If it names no server, or its certificates cannot be read. */
export async function readCluster(source: Source, content: JsonObject): Promise<ConnectionInfo> {
  const server = textField(content, "server");
  if (server === undefined || !/^https?:\/\//.test(server) || !URL.canParse(server)) {
    const problem = server === undefined
      ? "it has no server"
      : `its server "${server}" is not an http or https URL`;
    throw new LoginError(`Cannot use ${placeOf(source)}: ${problem}`);
  }
  const insecure = content["insecure-skip-tls-verify"] === true;
  return {
    server: server.replace(/\/+$/, ""),
    ca: insecure ? undefined : await readMaterial(source, content, "certificate-authority"),
    insecure: insecure || undefined,
    serverName: textField(content, "tls-server-name"),
    proxy: textField(content, "proxy-url"),
  };
}
