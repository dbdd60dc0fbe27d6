/**
 * How handlers of activities are declared: `op.on.startup`, `cleanup`, `login`, `probe` and `ready`, and their arguments.
 *
 * Source: Kopf, docs/startup, docs/authentication, docs/probing.
 */

import type { KubeConfigLike } from "../../client/auth/kubeconfig_object.ts";
import type { LoginInfo } from "../../client/auth/login.ts";
import type { Handler } from "../../execution/handler.ts";
import { calledFrom } from "../../runtime/call_site.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { Settings } from "../../settings/settings.ts";
import type { AttemptArguments, PlainMemo } from "../arguments.ts";
import { idOption, takeOptions } from "../declare.ts";
import type { HandlerType } from "../handler_type.ts";
import { type HandlerOptions, idOf, type RetryOptions } from "../handlers.ts";
import type { Index } from "../index/index_handle.ts";
import { acceptAny, checkOptions, checkString, type OptionChecks, RETRY } from "../option_checks.ts";
import type { Registry } from "../registry.ts";

/** An activity: work of an operator apart from objects. */
export type ActivityName = "startup" | "cleanup" | "login" | "probe" | "ready";

/** Options of `on.startup`, `on.cleanup`, `on.login` and `on.probe`. */
export type ActivityOptions<Param = undefined> = HandlerOptions<Param> & RetryOptions;

/** Arguments of handlers of activities. */
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
  /** The operator's indexes by name. Activities do not wait for them: they may be empty, or incomplete. */
  readonly indices: Readonly<Record<string, Index>>;
}

/** The result of a login: a way into the API server, a `KubeConfig` of the official client, or none. */
export type LoginResult = LoginInfo | KubeConfigLike | null | undefined | void;

/** Declares handlers of an activity: work of an operator apart from objects. */
export interface DeclareActivity<Result = unknown, Memo extends object = PlainMemo> {
  (fn: (args: ActivityArguments<undefined, Memo>) => Result | Promise<Result>): void;
  <Param = undefined>(
    options: ActivityOptions<Param>,
    fn: (args: ActivityArguments<Param, Memo>) => Result | Promise<Result>,
  ): void;
}

/** Called for an activity: at start and end, for logins and for probes. */
export interface ActivityHandler extends Handler {
  readonly type: "activity";
  readonly activity: ActivityName;
}

/** Handlers of activities. The same function may be declared again: it is one handler. */
export const ACTIVITY: HandlerType<ActivityHandler> = {
  name: "activity",
  about: "operator",
  causeOf: ({ activity }) => activity,
  hasBegun: ({ activity }) => activity === "startup" || activity === "login",
  isAmong(others, { activity, id, fn }) {
    const same = others.find((other) => other.activity === activity && other.id === id);
    if (same === undefined || same.fn === fn) return same !== undefined;
    throw new TypeError(
      `Cannot register two handlers of "${activity}" with the id "${id}": give one of them another id`,
    );
  },
};

const KNOWN: OptionChecks = { id: checkString, param: acceptAny, ...RETRY };

/** Returns `op.on.startup`, `cleanup`, `login`, `probe` and `ready`. */
export function declareActivities(
  registry: Registry,
): Record<ActivityName, (...args: readonly unknown[]) => void> {
  const declare = (activity: ActivityName) =>
    calledFrom((...args: readonly unknown[]) => registry.add(ACTIVITY, activityHandler(activity, args)));
  return {
    startup: declare("startup"),
    cleanup: declare("cleanup"),
    login: declare("login"),
    probe: declare("probe"),
    ready: declare("ready"),
  };
}

/** Returns the handlers of an activity, in order. */
export function activitiesOf(registry: Registry, activity: ActivityName): readonly ActivityHandler[] {
  return registry.all(ACTIVITY).filter((handler) => handler.activity === activity);
}

/** @throws {TypeError | RangeError} If an option is wrong. */
function activityHandler(activity: ActivityName, args: readonly unknown[]): ActivityHandler {
  const { options: given, fn } = takeOptions(args);
  const options = checkOptions(activity, given, KNOWN);
  const id = idOf({ id: idOption(options), fn, fallback: activity });
  return { ...options, type: "activity", activity, fn, id };
}
