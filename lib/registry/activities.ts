/**
 * Activities: what an operator does apart from objects: starting, logging in, answering probes, cleaning up.
 *
 * Source: Kopf, docs/startup, docs/shutdown, docs/authentication, docs/probing; A §2.4.
 */

import type { KubeConfigLike } from "../client/auth/kubeconfig_object.ts";
import type { LoginInfo } from "../client/auth/login.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";
import type { AttemptArguments, PlainMemo } from "./arguments.ts";
import { rejectOptions, takeOptions } from "./declare.ts";
import { type ActivityHandler, type ActivityName, idOf } from "./handlers.ts";
import type { Index } from "./index_handle.ts";
import type { HandlerOptions, RetryOptions } from "./options.ts";
import type { Registry } from "./registry.ts";

/** What handlers of activities are called with. */
export interface ActivityArguments<Param = unknown, Memo extends object = PlainMemo>
  extends AttemptArguments<Param> {
  /** Which activity it is. */
  readonly activity: ActivityName;
  /** The operator's settings. They are there to be changed in `on.startup`. */
  readonly settings: Settings;
  /** Named after the activity. */
  readonly logger: Logger;
  /** The operator's own memo: each object's begins with a shallow copy of it. */
  readonly memo: Memo;
  /** The operator's indexes by name. Nothing waits for them here: they may be empty, or incomplete. */
  readonly indices: Readonly<Record<string, Index>>;
}

/** Options of activities. */
export type ActivityOptions<Param> = HandlerOptions<Param> & RetryOptions;

/** A handler of an activity. */
export type ActivityFn<Param, Result = unknown, Memo extends object = PlainMemo> = (
  args: ActivityArguments<Param, Memo>,
) => Result | Promise<Result>;

/** What a login may give: a way into the API server, a `KubeConfig` of the official client, or nothing. */
export type LoginResult = LoginInfo | KubeConfigLike | null | undefined | void;

/** The words for activities: `op.on.startup`, `cleanup`, `login`, `probe`. Options may be left out. */
export class OnActivities<Memo extends object = PlainMemo> {
  readonly #registry: Registry;

  /** Handlers go into this registry. */
  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * Calls the function before anything else, the API server included. It may change `settings`.
   *
   * Errors are retried unless they are permanent, or `errors` says otherwise; if a handler fails, the operator does.
   */
  startup(fn: ActivityFn<undefined, unknown, Memo>): void;
  /** The same with options. */
  startup<Param = undefined>(options: ActivityOptions<Param>, fn: ActivityFn<Param, unknown, Memo>): void;
  startup(...rest: unknown[]): void {
    this.#add("startup", rest);
  }

  /** Calls the function when everything else has stopped; also if the operator has failed, but not if it failed to start. */
  cleanup(fn: ActivityFn<undefined, unknown, Memo>): void;
  /** The same with options. */
  cleanup<Param = undefined>(options: ActivityOptions<Param>, fn: ActivityFn<Param, unknown, Memo>): void;
  cleanup(...rest: unknown[]): void {
    this.#add("cleanup", rest);
  }

  /**
   * Calls the function whenever credentials are wanted: at the start, and when the server refuses those that there are.
   *
   * With such a handler no kubeconfig or service account is looked for. Of several ways in those with the highest
   * `priority` are used.
   */
  login(fn: ActivityFn<undefined, LoginResult, Memo>): void;
  /** The same with options. */
  login<Param = undefined>(options: ActivityOptions<Param>, fn: ActivityFn<Param, LoginResult, Memo>): void;
  login(...rest: unknown[]): void {
    this.#add("login", rest);
  }

  /**
   * Calls the function when the liveness endpoint is asked, at most every ten seconds; what it returns is in the answer.
   *
   * An error, or more than `timeout` (default: 5 s), makes the answer a 500.
   */
  probe(fn: ActivityFn<undefined, unknown, Memo>): void;
  /** The same with options. */
  probe<Param = undefined>(options: ActivityOptions<Param>, fn: ActivityFn<Param, unknown, Memo>): void;
  probe(...rest: unknown[]): void {
    this.#add("probe", rest);
  }

  #add(activity: ActivityName, rest: readonly unknown[]): void {
    const { options, fn } = takeOptions(rest);
    const id = rejectOptions(activity, options);
    this.#registry.addActivity({ ...options, fn, activity, id: idOf({ id, fn, fallback: activity }) });
  }
}

/** Makes the argument object of one attempt; what is not taken is not computed. */
export function activityArgs(
  handler: ActivityHandler,
  options: Omit<ActivityArguments, "activity" | "param" | "runtime">,
  runtime: () => number,
): ActivityArguments {
  // NB: one by one: the caller may have more in there (credentials, for example), which is nobody's business.
  const { settings, logger, memo, indices, retry, started, signal } = options;
  return {
    settings,
    logger,
    memo,
    indices,
    retry,
    started,
    signal,
    activity: handler.activity,
    param: handler.param,
    get runtime() {
      return runtime();
    },
  };
}
