/**
 * The life of an operator: start, log in, serve until told to stop, clean up.
 *
 * Startup handlers come before anything that could reach the API server, and see indexes that are empty. Once they have
 * succeeded the cleanup handlers run whatever happens, after everything else has stopped, while the API can still be used.
 * Source: Kopf, A §2.4, B §5.11; deviations C29, D10.
 */

import type { Credentials } from "../client/auth/connection_info.ts";
import { credentialsFrom, login } from "../client/auth/login.ts";
import { createClient } from "../client/object_client.ts";
import { shapeOf } from "../client/projection.ts";
import { Transport } from "../client/transport/transport.ts";
import { Vault } from "../client/auth/vault.ts";
import { parseProbeAddress, type Route, serveProbes } from "../engines/probing.ts";
import { formatSelector } from "../model/selector.ts";
import { keptPartsFor } from "../settings/server_selectors.ts";
import { checkSettings } from "../settings/settings.ts";
import { Activities } from "./activities.ts";
import { type Ground, prepareGround, type RunningOptions } from "./components.ts";
import { Run } from "./operator_run.ts";

/**
 * Runs an operator until its signal aborts.
 *
 * @throws {ActivityError} If a startup or cleanup handler fails.
 * @throws {LoginError} If there is no way into a cluster, or none any more.
 * @throws {ApiError} If the server does not tell what it serves.
 * @throws {TypeError} If something was declared or set that cannot be served.
 */
export async function runOperator(options: RunningOptions): Promise<void> {
  const { signal, liveness } = options;
  if (signal.aborted) return;
  if (liveness !== undefined) parseProbeAddress(liveness);
  using _telling = tellOfStopping(options);
  const ground = await prepareGround(options);
  using _indexes = ground.indexing;
  using onlookers = ground.onlookers;
  const { observer } = onlookers;
  const activities = new Activities({ ...options, indices: ground.indexing.indices, observer });
  if (!await isDone(() => activities.startup(), signal)) return;
  await new Lifetime(options, { activities, ground }).serve();
}

/** Says why the operator stops, where somebody has given a reason. Source: Kopf, B §5.11. */
function tellOfStopping({ signal, logger }: RunningOptions): Disposable {
  const tell = (): void => {
    const { reason } = signal;
    const isPlain = reason instanceof DOMException && reason.name === "AbortError";
    logger.info(
      "Operator is stopping",
      isPlain ? {} : { reason: reason instanceof Error ? reason.message : reason },
    );
  };
  signal.addEventListener("abort", tell, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", tell) };
}

/** Whether it was done; false if it ended since the signal aborted. @throws What else it ends with. */
async function isDone(work: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (signal.aborted && error === signal.reason) return false;
    throw error;
  }
}

interface Parts {
  readonly activities: Activities;
  readonly ground: Ground;
}

class Lifetime {
  readonly #options: RunningOptions;
  readonly #activities: Activities;
  readonly #ground: Ground;
  #transport: Transport | undefined;
  #run: Run | undefined;

  constructor(options: RunningOptions, { activities, ground }: Parts) {
    this.#options = options;
    this.#activities = activities;
    this.#ground = ground;
  }

  /** Serves, and cleans up after that, whether or not it went well. */
  async serve(): Promise<void> {
    const { logger, signal, onClient } = this.#options;
    let failure: { readonly error: unknown } | undefined;
    try {
      await isDone(() => this.#serveWithProbes(), signal);
    } catch (error) {
      failure = { error };
    }
    try {
      await this.#activities.cleanup();
    } catch (error) {
      if (failure !== undefined) logger.error("The cleanup has failed, too", { error });
      failure ??= { error };
    } finally {
      await this.#run?.leave();
      onClient(undefined);
      this.#transport?.[Symbol.dispose]();
    }
    if (failure !== undefined) throw failure.error;
  }

  async #serveWithProbes(): Promise<void> {
    const { registry, settings } = this.#options;
    checkSettings(settings);
    const [admission] = registry.admissionHandlers;
    if (admission !== undefined && settings.admission.server === null) {
      const title = `"${admission.id}" for "${formatSelector(admission.selector)}"`;
      throw new TypeError(
        `Cannot serve admission handler ${title}: there is no server for it (set admission.server, such as to webhookServer())`,
      );
    }
    await using _probes = await this.#answerProbes();
    await this.#connectAndRun();
  }

  async #answerProbes(): Promise<AsyncDisposable | undefined> {
    const { liveness, host, logger } = this.#options;
    if (liveness === undefined) return undefined;
    const { metrics } = this.#ground.onlookers;
    const routes: readonly Route[] = metrics === undefined
      ? []
      : [{ path: "/metrics", handle: (request) => metrics.answer(request) }];
    return await serveProbes({
      host,
      clock: host.clock,
      logger: logger.child({ name: "lotse.probing" }),
      address: parseProbeAddress(liveness),
      probe: () => this.#activities.probe(),
      checks: () => this.#run?.checks() ?? [{ name: "login", problem: "not logged in yet" }],
      routes,
    });
  }

  async #connectAndRun(): Promise<void> {
    const { host, logger, settings, onClient } = this.#options;
    this.#transport = new Transport({
      host,
      credentials: await this.#credentials(),
      logger: logger.child({ name: "lotse.client" }),
      networking: settings.networking,
      observers: this.#ground.onlookers.requests,
    });
    const watching = logger.child({ name: "lotse.watching" });
    const client = createClient(this.#transport, {
      shapeOf: (resource) =>
        shapeOf(resource, { ...keptPartsFor(settings.watching, resource), logger: watching }),
    });
    onClient(client);
    this.#run = new Run(this.#options, { client, ground: this.#ground });
    await this.#run.untilStopped();
  }

  /** Those that were given; else those of login handlers; else those that are found. */
  async #credentials(): Promise<Credentials> {
    const { host, logger, credentials, registry, signal, kubeconfig, context } = this.#options;
    const onFailure = (error: Error): void => this.#ground.failed.abort(error);
    if (credentials !== undefined) return await credentialsFrom(credentials, { host, logger, onFailure });
    if (registry.activitiesOf("login").length === 0) {
      return await login({ host, logger, kubeconfig, context, onFailure });
    }
    const vault = new Vault({
      host,
      logger: logger.child({ name: "lotse.activities.login" }),
      login: () => this.#activities.login(),
      onFailure,
    });
    await vault.current(signal);
    return vault;
  }
}
