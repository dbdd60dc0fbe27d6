/**
 * The activities of one run: which handlers they have, how long they may take, and where their results go.
 *
 * Source: scenarios B260–B278, B240–B259; scenarios G17, D10.
 */

import type { ConnectionInfo } from "../client/auth/connection_info.ts";
import { isLogin, toConnectionInfo } from "../client/auth/login.ts";
import { ActivityError, runActivity } from "../handlers/activity/activity_run.ts";
import type { Check } from "../engines/probing.ts";
import type { Observer } from "../execution/observer.ts";
import { PermanentError, toError } from "../execution/errors.ts";
import {
  activitiesOf,
  type ActivityHandler,
  type ActivityName,
} from "../handlers/activity/activity_handler.ts";
import type { Index } from "../handlers/index/index_handle.ts";
import type { Registry } from "../handlers/registry.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import { type Logger, terseLogger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";

export interface ActivitiesOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly settings: Settings;
  readonly memo: Record<string, unknown>;
  readonly indices: Readonly<Record<string, Index>>;
  /** Aborts when the operator is told to stop. */
  readonly signal: AbortSignal;
  readonly observer: Observer;
}

/** How long a probe handler may take that has no `timeout`. */
const PROBE_TIMEOUT: Seconds = 5;

/** For how long the latest answers of the readiness handlers are given again. */
const READINESS_KEPT: Seconds = 10;

/** The activities of an operator, apart from objects. */
export class Activities {
  readonly #options: ActivitiesOptions;
  /** Probe handlers that were called and have not ended. */
  readonly #probing = new Set<string>();
  /** The latest answers of the readiness handlers. */
  #readiness: { readonly at: Seconds; readonly checks: Promise<readonly Check[]> } | undefined;

  constructor(options: ActivitiesOptions) {
    this.#options = options;
  }

  /** Before anything else. @throws {ActivityError} If a handler fails. @throws The signal's reason, if it aborts first. */
  async startup(): Promise<void> {
    await this.#run("startup");
  }

  /** After everything else, within `process.ultimateExitingTimeout`. @throws {ActivityError} If a handler fails. */
  async cleanup(): Promise<void> {
    const { settings, host } = this.#options;
    const { ultimateExitingTimeout: limit } = settings.process;
    const deadline = new AbortController();
    const timer = limit === null ? undefined : host.clock.after(limit, () => {
      deadline.abort(new DOMException(`The cleanup has taken more than ${limit} s`, "TimeoutError"));
    });
    try {
      await this.#run("cleanup", { signal: deadline.signal });
    } finally {
      timer?.[Symbol.dispose]();
    }
  }

  /** Returns all ways in that login handlers find, by their ids. @throws {ActivityError} If a handler fails. */
  async login(): Promise<ReadonlyMap<string, ConnectionInfo>> {
    const results = await this.#run("login");
    const { host } = this.#options;
    const infos = new Map<string, ConnectionInfo>();
    for (const [id, result] of results) infos.set(id, await connectionOf(result, { host, id }));
    return infos;
  }

  /** Returns the results of the probe handlers, by id. @throws {ActivityError} If one fails, or takes too long. */
  async probe(): Promise<ReadonlyMap<string, unknown>> {
    const { registry, logger } = this.#options;
    const handlers = activitiesOf(registry, "probe").map((handler) => this.#guard(handler));
    const quiet = terseLogger(logger.child({ name: "lotse.activities.probe" }));
    return await this.#run("probe", { handlers, logger: quiet });
  }

  /** Asks the readiness handlers, each by itself; at most every ten seconds, for all callers together. Never rejects. */
  async readiness(): Promise<readonly Check[]> {
    const { host: { clock }, registry } = this.#options;
    const handlers = activitiesOf(registry, "ready");
    if (handlers.length === 0) return [];
    if (this.#readiness === undefined || clock.monotonic() - this.#readiness.at >= READINESS_KEPT) {
      const checks = Promise.all(handlers.map((handler) => this.#checkOf(handler)));
      this.#readiness = { at: clock.monotonic(), checks };
    }
    return await this.#readiness.checks;
  }

  async #checkOf(handler: ActivityHandler): Promise<Check> {
    const logger = terseLogger(this.#options.logger.child({ name: "lotse.activities.ready" }));
    try {
      await this.#run("ready", { handlers: [this.#guard(handler)], logger });
      return { name: handler.id, problem: undefined };
    } catch (error) {
      const { message } = error instanceof ActivityError ? toError(error.cause) : toError(error);
      return { name: handler.id, problem: message };
    }
  }

  /**
   * Makes errors final, as a probe does not wait for another attempt. A handler that hangs is called again only when its call
   * has ended: else each request would leave one more call behind.
   */
  #guard(handler: ActivityHandler): ActivityHandler {
    const fn = async (args: never): Promise<unknown> => {
      const key = `${handler.activity}/${handler.id}`;
      if (this.#probing.has(key)) throw new Error("It is still at the probe before");
      this.#probing.add(key);
      try {
        return await handler.fn(args);
      } catch (error) {
        if (handler.errors === "ignored") throw error;
        throw new PermanentError(toError(error).message, { cause: error });
      } finally {
        this.#probing.delete(key);
      }
    };
    return { ...handler, fn, timeout: handler.timeout ?? PROBE_TIMEOUT };
  }

  async #run(
    activity: ActivityName,
    options: Partial<Parameters<typeof runActivity>[0]> = {},
  ): Promise<ReadonlyMap<string, unknown>> {
    const { registry, host, logger } = this.#options;
    return await runActivity({
      ...this.#options,
      clock: host.clock,
      random: host.random,
      logger: logger.child({ name: `lotse.activities.${activity}` }),
      handlers: activitiesOf(registry, activity),
      ...options,
    });
  }
}

async function connectionOf(
  result: unknown,
  { host, id }: { readonly host: Host; readonly id: string },
): Promise<ConnectionInfo> {
  if (isLogin(result)) return await toConnectionInfo(host, result);
  throw new TypeError(
    `Cannot log in with what handler "${id}" returned: it must be nothing, or an object with the URL of a "server"`,
  );
}
