/**
 * An API server that listens, for programs and tests that want one line: `await using server = await startApiServer()`.
 */

import { currentHost } from "../../runtime/current_host.ts";
import type { Host } from "../../runtime/host.ts";
import {
  type ApiServer,
  apiServer,
  type ApiServerOptions,
  openApiServer,
  type ServeApiOptions,
} from "./server.ts";
import type { ServedApi } from "./serving.ts";

/** The ways of an API server, and where it listens. */
export interface StartApiServerOptions extends Omit<ApiServerOptions, "host">, ServeApiOptions {
  /** The folder in which the state is kept. Default: none. */
  readonly data?: string;
}

/** An API server that listens, and its hands. */
export interface StartedApiServer extends ServedApi {
  /** The server behind the port: faults, checkpoints, forks. */
  readonly server: ApiServer;
}

/**
 * Starts an API server on this machine: in memory, unless `data` names a folder, on any free port, unless `port` names one.
 *
 * @throws {StateError} If the folder cannot be used.
 * @throws {Error} With `code: "EADDRINUSE"` if the port is taken.
 * @example
 * ```ts
 * import { startApiServer } from "@lotse/lotse/apiserver";
 *
 * await using api = await startApiServer();
 * console.log(api.url, api.kubeconfig.length > 0); // give the kubeconfig to any client
 * ```
 */
export async function startApiServer(
  { port, hostname, authority, token, certificate, clientAuthorities, data, ...options }:
    StartApiServerOptions = {},
): Promise<StartedApiServer> {
  const host: Host = currentHost();
  const server: ApiServer & Partial<AsyncDisposable> = data === undefined
    ? apiServer({ ...options, host })
    : await openApiServer({ ...options, host, data });
  const letGo = async () => await server[Symbol.asyncDispose]?.();
  try {
    const served = await server.serve({ port, hostname, authority, token, certificate, clientAuthorities });
    const close = async () => {
      await served.close();
      await letGo();
    };
    return { ...served, server, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await letGo();
    throw error;
  }
}
