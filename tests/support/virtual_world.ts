/**
 * The API server in the process, with a virtual clock: an hour takes milliseconds.
 */

import type { Client } from "../../lib/client/client.ts";
import { createClient } from "../../lib/client/object_client.ts";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { Transport } from "../../lib/client/transport/transport.ts";
import { type ApiServer, apiServer } from "../../lib/kits/apiserver/mod.ts";
import {
  type Runner,
  type ServedCluster,
  start,
  type VirtualHost,
  virtualHost,
} from "../../lib/kits/testing/mod.ts";
import type { Operator } from "../../lib/operator/operator.ts";
import type { RunOptions } from "../../lib/operator/run_options.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { FaultyProxy } from "./faulty_proxy.ts";
import { makeKinds, type World } from "./worlds.ts";

/** A request that the server got. */
export interface Seen {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string;
}

/** Answers in the server's place; undefined lets the request through. */
export type Intercept = (
  request: Request,
  seen: Seen,
) => Response | undefined | Promise<Response | undefined>;

export interface VirtualWorld extends World {
  readonly host: VirtualHost;
  readonly server: ApiServer;
  /** Requests of operators, in order; not those of the test itself. */
  readonly requests: Seen[];
  /** Only those that change something. */
  writes(): Seen[];
  /** Set to make requests of operators fail. */
  intercept: Intercept | undefined;
  start(op: Operator, options?: RunOptions): Promise<Runner>;
}

/** A client of a cluster in the process, for somebody else than the operator. */
export function clientOf({ host, fetch }: ServedCluster): Client {
  const outside = "https://outside.test";
  host.network.route(outside, fetch);
  const { networking } = defaultSettings();
  const credentials = fixedCredentials({ server: outside });
  return createClient(new Transport({ host, credentials, networking, logger: silentLogger() }));
}

export async function virtualWorld(options: { readonly kinds?: boolean } = {}): Promise<VirtualWorld> {
  const host = virtualHost();
  const server = apiServer({ host });
  const requests: Seen[] = [];
  const direct = (request: Request): Response | Promise<Response> => server.fetch(request);
  let upstream = direct;
  const client = clientOf({ host, fetch: direct });
  const world: VirtualWorld = {
    place: "in the process",
    host,
    server,
    client,
    namespace: "default",
    requests,
    intercept: undefined,
    writes: () => requests.filter(({ method }) => method !== "GET"),
    start: (op, { host: own = host, ...runOptions } = {}) =>
      start(op, { ...runOptions, cluster: { host: own as VirtualHost, fetch } }),
    proxy: () => {
      const proxy = new FaultyProxy((request) => server.fetch(request));
      upstream = (request) => proxy.fetch(request);
      const stop = (): Promise<void> => Promise.resolve(void (upstream = direct));
      return Promise.resolve({
        proxy,
        breakAll: () => host.network.breakAll(),
        [Symbol.asyncDispose]: stop,
      });
    },
    until: (condition, within) => host.clock.until(condition, { within }),
    settle: () => host.clock.settle(),
    close: () => Promise.resolve(),
  };
  async function fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const seen = {
      method: request.method,
      path: url.pathname + url.search,
      body: await request.clone().text(),
    };
    requests.push(seen);
    return await world.intercept?.(request, seen) ?? await upstream(request);
  }
  if (options.kinds !== false) await makeKinds(client, () => host.clock.advance(1));
  return world;
}
