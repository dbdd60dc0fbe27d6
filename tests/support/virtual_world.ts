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
import { type LogLevel, silentLogger } from "../../lib/runtime/logging.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { clockShowing } from "./jumping_clock.ts";
import { FaultyProxy } from "./faulty_proxy.ts";
import { makeKinds, type World } from "./worlds.ts";

/** Where Kubernetes events are posted, in both of their APIs. */
const EVENTS = /^\/(?:api|apis\/events\.k8s\.io)\/v1\/namespaces\/[^/]+\/events(?:\/|$)/;

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

/** A world whose time is in the test's hand, whoever answers its requests. */
export interface TimedWorld extends World {
  readonly host: VirtualHost;
  /** Requests of operators, in order; not those of the test itself. */
  readonly requests: Seen[];
  /** Only those that change something; without the Kubernetes events about it. */
  writes(): Seen[];
  /** Set to make requests of operators fail. */
  intercept: Intercept | undefined;
  /** `replicas`: how many run, each with an operator of its own, which the function makes. */
  start(
    op: Operator | (() => Operator),
    options?: Omit<RunOptions, "replicas"> & { readonly replicas?: number; readonly level?: LogLevel },
  ): Promise<Runner>;
}

export interface VirtualWorld extends TimedWorld {
  readonly server: ApiServer;
}

/** What chance depends on: another one each night. */
const SEED = Number(currentHost().process.env("LOTSE_SEED") ?? 1);

/** What the server's clock shows at first, in milliseconds since 1970. */
const START = Date.UTC(2026, 0, 1);

/** The clock of another machine: nobody sets it. */
function withRightClock(host: VirtualHost): VirtualHost {
  const { clock } = host;
  return { ...host, clock: clockShowing(clock, () => START + clock.monotonic() * 1000) };
}

/** A client of a cluster in the process, for somebody else than the operator. */
export function clientOf({ host, fetch }: ServedCluster): Client {
  const outside = "https://outside.test";
  host.network.route(outside, fetch);
  const { networking } = defaultSettings();
  const credentials = fixedCredentials({ server: outside });
  return createClient(new Transport({ host, credentials, networking, logger: silentLogger() }));
}

export interface VirtualWorldOptions {
  /** Whether the kinds of the tests are there. Default: true. */
  readonly kinds?: boolean;
  /** How the operators' wall clock goes; the server's is right always. Default: "jumping". */
  readonly wallClock?: "steady" | "jumping";
  /** Default: the variable LOTSE_SEED, else 1. */
  readonly seed?: number;
  /** For real servers: how many seconds an answer may take. Default: as virtual hosts have it. */
  readonly patience?: number;
}

export async function virtualWorld(options: VirtualWorldOptions = {}): Promise<VirtualWorld> {
  const host = hostFor(options);
  const server = apiServer({ host: withRightClock(host) });
  const timed = timedWorld({
    host,
    place: "in the process",
    namespace: "default",
    fetch: (request) => server.fetch(request),
  });
  if (options.kinds !== false) await makeKinds(timed.client, () => host.clock.advance(1));
  return Object.assign(timed, { server });
}

/** The host of operators whose wall clock is wrong, and whose answers are late. */
export function hostFor({ seed = SEED, wallClock = "jumping", patience }: VirtualWorldOptions): VirtualHost {
  return virtualHost({ seed, wallClock, latency: true, patience });
}

export interface TimedWorldOptions {
  readonly host: VirtualHost;
  readonly place: string;
  readonly namespace: string;
  /** Which namespaces operators serve, unless they say so themselves. Default: the whole cluster. */
  readonly scope?: RunOptions["scope"];
  /** The API server. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** Makes a world in which somebody answers. */
export function timedWorld({ host, place, namespace, scope, fetch: direct }: TimedWorldOptions): TimedWorld {
  const requests: Seen[] = [];
  let upstream = direct;
  const client = clientOf({ host, fetch: direct });
  const world: TimedWorld = {
    place,
    host,
    client,
    namespace,
    requests,
    intercept: undefined,
    writes: () => requests.filter(({ method, path }) => method !== "GET" && !EVENTS.test(path)),
    start: (op, { host: own = host, ...runOptions } = {}) =>
      start(op, { scope, ...runOptions, cluster: { host: own as VirtualHost, fetch } }),
    proxy: () => {
      const proxy = new FaultyProxy(async (request) => await direct(request));
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
  return world;
}
