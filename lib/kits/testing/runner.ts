/**
 * Runs an operator in a virtual world: no threads, no sleeps, no sockets.
 */

import { fixedCredentials } from "../../client/auth/connection_info.ts";
import { createClient } from "../../client/object_client.ts";
// NB: operators load these when they need them, and a virtual clock does not wait for files that are really read.
import "../../engines/metrics/metrics.ts";
import "../../engines/tracing.ts";
import { Transport } from "../../client/transport/transport.ts";
import { type Api, createApi } from "../../operator/api.ts";
import type { RunOptions } from "../../operator/run_options.ts";
import type { Seconds } from "../../runtime/host.ts";
import { createLogger, type LogLevel, type LogRecord, silentLogger } from "../../runtime/logging.ts";
import type { VirtualHost } from "../../runtime/virtual/host.ts";
import { defaultSettings } from "../../settings/settings.ts";

/** Something that answers Kubernetes' API: the in-process API server, or a function of the test's own. */
export interface Cluster {
  /** The world that both the cluster and the operator live in. */
  readonly host: VirtualHost;
  /** Answers a request. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** An operator, whatever its memo. */
export interface Runnable {
  /** Runs it. */
  run(options?: RunOptions<never>): Promise<void>;
}

/** How to start an operator in a test: the options of `op.run()`, but those of its world. */
export interface StartOptions
  extends Omit<RunOptions, "host" | "logger" | "signal" | "credentials" | "memo"> {
  /** The beginning of each object's `memo`. Default: the operator's own. */
  readonly memo?: object;
  /** The cluster that it talks to. */
  readonly cluster: Cluster;
  /** The least level that is recorded in `logs`. Default: "debug". */
  readonly level?: LogLevel;
  /** Whether the runner's methods throw what the operator failed with; else it is in `failure` only. Default: true. */
  readonly reraise?: boolean;
  /** How long `stop()` waits for the operator's end. Default: an hour. */
  readonly timeout?: Seconds;
}

const ORIGIN = "https://cluster.test";

/**
 * Starts an operator, and lets everything run until nothing happens any more without time passing.
 *
 * @throws What `op.run()` throws.
 */
export async function start(op: Runnable, options: StartOptions): Promise<Runner> {
  const runner = new Runner(op, options);
  await runner.settle();
  return runner;
}

/** An operator that runs, and the hands on its clock. */
export class Runner implements AsyncDisposable {
  /** The world of the cluster and the operator. */
  readonly host: VirtualHost;
  /** All log lines so far. */
  readonly logs: LogRecord[] = [];
  /** Objects of the same cluster, for somebody else than the operator. */
  readonly api: Api;
  readonly #controller = new AbortController();
  readonly #run: Promise<void>;
  readonly #transport: Transport;
  readonly #reraise: boolean;
  readonly #timeout: Seconds | undefined;
  #failure: { readonly error: unknown; told: boolean } | undefined;
  #isRunning = true;

  /** Starts it. */
  constructor(op: Runnable, { cluster, level = "debug", reraise = true, timeout, ...options }: StartOptions) {
    const { host } = cluster;
    this.host = host;
    this.#reraise = reraise;
    this.#timeout = timeout;
    host.network.route(ORIGIN, cluster.fetch);
    const credentials = fixedCredentials({ server: ORIGIN });
    const settings = defaultSettings();
    const { networking } = settings;
    this.#transport = new Transport({ host, credentials, networking, logger: silentLogger() });
    const outside = { host, settings, client: createClient(this.#transport), logger: silentLogger() };
    this.api = createApi(() => outside);
    const logger = createLogger({ level, write: (record) => this.logs.push(record) }, host.clock);
    const runOptions = {
      ...options,
      scope: options.scope ?? "cluster",
      host,
      logger,
      credentials,
      signal: this.#controller.signal,
    };
    // Whether the memo has the operator's type is for the test to know.
    this.#run = op.run(runOptions as RunOptions<never>)
      .catch((error) => {
        this.#failure = { error, told: false };
      })
      .finally(() => {
        this.#isRunning = false;
      });
  }

  /** Whether the operator has not ended. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The error that the operator failed with; undefined if it runs, or has ended well. */
  get failure(): unknown {
    return this.#failure?.error;
  }

  /** With which code `lotse run` would have ended; undefined while the operator runs. */
  get exitCode(): number | undefined {
    if (this.#isRunning) return undefined;
    return this.#failure === undefined ? 0 : 1;
  }

  /** Lets everything run, without time passing. @throws What the operator failed with. */
  async settle(): Promise<void> {
    await this.host.clock.settle();
    this.#check();
  }

  /** Lets time pass, timer by timer. @throws What the operator failed with. */
  async advance(seconds: Seconds): Promise<void> {
    await this.host.clock.advance(seconds);
    this.#check();
  }

  /** Lets time pass until the condition holds. @throws {Error} If it does not within (default) an hour. */
  async until(
    condition: () => boolean | Promise<boolean>,
    options?: { readonly within?: Seconds },
  ): Promise<void> {
    await this.host.clock.until(condition, options);
    this.#check();
  }

  /** The messages of all lines so far, of one level if one is given. */
  messages(level?: LogLevel): string[] {
    return this.logs.filter((record) => level === undefined || record.level === level).map(({ message }) =>
      message
    );
  }

  /** Stops the operator gracefully, and waits until it has. @throws What the operator failed with. */
  async stop(): Promise<void> {
    this.#controller.abort();
    if (this.#isRunning) {
      await this.host.clock.until(() => !this.#isRunning, { within: this.#timeout });
    }
    await this.#run;
    this.#transport[Symbol.dispose]();
    this.#check();
  }

  /** Stops it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #check(): void {
    if (this.#failure === undefined || this.#failure.told || !this.#reraise) return;
    this.#failure.told = true;
    throw this.#failure.error;
  }
}
