/**
 * Answers probes over HTTP: whether the process lives, whether it serves, and the answers of the user's probe handlers.
 *
 * `/livez` is answered as long as the event loop turns and our own listeners take connections. `/readyz` tells the truth about whether the operator sees what
 * happens in the cluster. The liveness path (and `/healthz`) gives the results of the probe handlers as JSON,
 * as Kopf does; they are asked at most every ten seconds, for all callers together. `?verbose` lists all checks, in the form
 * of Kubernetes' own, and says why they fail: on this machine, and beyond it only if that is allowed, since whoever asks
 * need not be a friend. More routes, such as metrics, are handed in. Source: Kopf, docs/probing; scenarios B279–B294, G17.
 */

import { Hono } from "hono";
import { messageOf } from "../client/errors.ts";
import { withoutPassword } from "../client/transport/proxy.ts";
import type { Clock, Host, Seconds } from "../runtime/host.ts";
import { formatJson } from "../runtime/json.ts";
import type { Logger } from "../runtime/logging.ts";

/** Where probes are answered. */
export interface ProbeAddress {
  readonly hostname: string;
  readonly port: number;
  /** Of the probe handlers' results. */
  readonly path: string;
}

/** A part that must be well for the operator to be ready. */
export interface Check {
  /** Such as "streams". */
  readonly name: string;
  /** Undefined while it is well. */
  readonly problem: string | undefined;
  /** A note on how it is, while it is well. */
  readonly note?: string;
}

/** Another path on the same address. */
export interface Route {
  /** Begins with a slash. */
  readonly path: string;
  readonly handle: (request: Request) => Response | Promise<Response>;
}

export interface ProbingOptions {
  readonly clock: Clock;
  readonly address: ProbeAddress;
  /** Asks the probe handlers. Must reject with an error that names the fault, or resolve in reasonable time. */
  readonly probe: () => Promise<ReadonlyMap<string, unknown>>;
  /** The checks that liveness depends on, as they are now; it must not take long. */
  readonly vitals: () => Promise<readonly Check[]>;
  /** The checks that readiness depends on, as they are now. */
  readonly checks: () => readonly Check[] | Promise<readonly Check[]>;
  readonly routes?: readonly Route[];
  /** Whether reasons are told beyond this machine. Asked for each request. Default: they are not. */
  readonly tellsReasons?: () => boolean;
}

/** For how long the results of probe handlers are given again. Source: Kopf, `engines/probing.py`. */
const CACHED: Seconds = 10;

/**
 * Takes an address apart: "http://0.0.0.0:8080/healthz". The host defaults to "localhost", the port to 80, the path to "/".
 *
 * @throws {TypeError} If it is not such an address.
 */
export function parseProbeAddress(text: string): ProbeAddress {
  const parts = /^http:\/\/(\[[0-9a-f:.]+\]|[^/:?#[\]@\s]*)(?::(\d{1,5}))?(\/[^?#\s]*)?$/i.exec(text);
  const [, hostname = "", port = "", path = ""] = parts ?? [];
  if (parts === null) {
    throw new TypeError(
      `Cannot answer probes at "${text}": give an address such as "http://0.0.0.0:8080/healthz"`,
    );
  }
  if (Number(port || 80) > 65535) {
    throw new TypeError(`Cannot answer probes at "${text}": there is no port ${port}`);
  }
  return {
    hostname: hostname.replace(/^\[|\]$/g, "") || "localhost",
    port: port === "" ? 80 : Number(port),
    path: path || "/",
  };
}

/** Makes the function that answers requests. */
export function probingApp(options: ProbingOptions): (request: Request) => Response | Promise<Response> {
  const { address, vitals, checks, routes = [] } = options;
  const tellsReasons = (): boolean => isLocal(address) || options.tellsReasons?.() === true;
  const probes = new Probes({ ...options, tellsReasons });
  const app = new Hono();
  const paths = new Map<string, (request: Request) => Response | Promise<Response>>();
  paths.set("/healthz", (request) => probes.answer(request));
  paths.set("/livez", async (request) => {
    const ping: Check = { name: "ping", problem: undefined };
    return report(request, { title: "livez", checks: [ping, ...await vitals()], tellsReasons });
  });
  paths.set(
    "/readyz",
    async (request) => report(request, { title: "readyz", checks: await checks(), tellsReasons }),
  );
  for (const { path, handle } of routes) paths.set(path, handle);
  paths.set(address.path, (request) => probes.answer(request));
  for (const [path, handle] of paths) {
    app.on(["GET", "HEAD"], path, (context) => handle(context.req.raw));
    app.all(path, () => plain("Method not allowed: use GET\n", 405, { allow: "GET, HEAD" }));
  }
  app.notFound(() => plain(`Not found: there are ${[...paths.keys()].join(", ")}\n`, 404));
  return (request) => app.fetch(request);
}

export interface ServeProbesOptions extends ProbingOptions {
  readonly host: Host;
  readonly logger: Logger;
}

/**
 * Starts to answer probes; dispose to stop.
 *
 * @throws {Error} If the address cannot be listened on; the message says which.
 */
export async function serveProbes(options: ServeProbesOptions): Promise<AsyncDisposable> {
  const { host, logger, address } = options;
  const { hostname, port } = address;
  try {
    const server = await host.network.serve({ hostname, port, fetch: probingApp(options) });
    logger.debug("Answering probes", { hostname, port: server.port, path: address.path });
    return server;
  } catch (error) {
    throw new Error(`Cannot answer probes at "${hostname}:${port}": is the address in use, or not ours?`, {
      cause: error,
    });
  }
}

/** The results of the probe handlers. */
class Probes {
  readonly #options: ProbingOptions;
  #results: { readonly at: Seconds; readonly values: ReadonlyMap<string, unknown> } | undefined;
  #asking: Promise<ReadonlyMap<string, unknown>> | undefined;

  constructor(options: ProbingOptions) {
    this.#options = options;
  }

  async answer(request: Request): Promise<Response> {
    const title = "healthz";
    try {
      const results = await this.#current();
      const checks = [...results.keys()].map((name): Check => ({ name, problem: undefined }));
      if (isVerbose(request)) return report(request, { title, checks });
      const headers = { "content-type": "application/json" };
      return new Response(formatJson(Object.fromEntries(results)), { headers });
    } catch (error) {
      const problem = messageOf(error);
      const { tellsReasons } = this.#options;
      return report(request, { title, checks: [{ name: "probes", problem }], status: 500, tellsReasons });
    }
  }

  /** Returns the latest results. Requests that come while they are being made wait with the others; failures are not kept. */
  async #current(): Promise<ReadonlyMap<string, unknown>> {
    const { clock, probe } = this.#options;
    if (this.#results !== undefined && clock.monotonic() - this.#results.at < CACHED) {
      return this.#results.values;
    }
    this.#asking ??= probe().finally(() => this.#asking = undefined);
    const values = await this.#asking;
    this.#results = { at: clock.monotonic(), values };
    return values;
  }
}

interface ReportOptions {
  readonly title: string;
  readonly checks: readonly Check[];
  /** Of a bad report. Default: 503. */
  readonly status?: number;
  /** Default: no. */
  readonly tellsReasons?: () => boolean;
}

/** Whether only this machine can ask. */
function isLocal({ hostname }: ProbeAddress): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname.startsWith("127.");
}

/** "ok", or a line per check. Source: Kubernetes, "API health endpoints". */
function report(request: Request, options: ReportOptions): Response {
  const { title, checks, status = 503, tellsReasons } = options;
  const isGood = checks.every(({ problem }) => problem === undefined);
  if (isGood && !isVerbose(request)) return plain("ok", 200);
  const isOpen = isVerbose(request) && tellsReasons?.() === true;
  const lines = checks.map(({ name, problem, note }) => {
    const isFine = problem === undefined;
    const head = `[${isFine ? "+" : "-"}]${name} ${isFine ? "ok" : "failed"}`;
    const text = isOpen ? problem ?? note : isFine ? undefined : "reason withheld";
    return text === undefined ? head : `${head}: ${withoutPassword(text)}`;
  });
  const verdict = `${title} check ${isGood ? "passed" : "failed"}`;
  return plain(`${[...lines, verdict].join("\n")}\n`, isGood ? 200 : status);
}

function isVerbose(request: Request): boolean {
  const value = new URL(request.url).searchParams.get("verbose");
  return value !== null && value !== "false" && value !== "0";
}

function plain(text: string, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}
