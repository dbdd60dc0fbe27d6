/**
 * An operator: what was declared, and how to run it.
 */

import { type ApiClass, makeApiClient } from "../client/api_classes.ts";
import type { GivenCredentials } from "../client/auth/login.ts";
import type { LedgerRecord } from "../engines/ledger.ts";
import { detectIdentity } from "../engines/peering/peering.ts";
import { asap, type Lifecycle } from "../execution/lifecycle.ts";
import type { Referable } from "../model/references.ts";
import type { PlainMemo } from "../registry/arguments.ts";
import { type DeclaredHandler, declaredIn } from "../registry/declared.ts";
import {
  type DeclareDaemon,
  type DeclareIndex,
  declareInto,
  type DeclareTimer,
  type On,
} from "../registry/on.ts";
import { Registry } from "../registry/registry.ts";
import { pointTo } from "../runtime/call_site.ts";
import { currentHost } from "../runtime/current_host.ts";
import type { Host } from "../runtime/host.ts";
import { textSink } from "../runtime/log_format.ts";
import { toError } from "../execution/errors.ts";
import { createLogger, guardedLogger, type Logger } from "../runtime/logging.ts";
import { type Persistence, reservedNames } from "../settings/persistence/storage.ts";
import {
  defaultSettings,
  mergeSettings,
  type Settings,
  type SettingsOverrides,
} from "../settings/settings.ts";
import { createEvents, type Events } from "./events.ts";
import { type Api, type ApiSource, createApi } from "./api.ts";
import { type CurrentRun, runOperator } from "./run.ts";

/** Settings of an operator; what is left out keeps its default. */
export interface OperatorOptions<Memo extends object = PlainMemo>
  extends Omit<SettingsOverrides, "persistence"> {
  /** Where notes are kept on objects. Default: annotations under "lotse.dev". */
  readonly persistence?: Persistence | SettingsOverrides["persistence"];
  /** Which of several handlers run in one go. Default (and null): `asap`. */
  readonly lifecycle?: Lifecycle | null;
  /** The beginning of each object's `memo`: a shallow copy of this. */
  readonly memo?: Readonly<Memo>;
  /**
   * Applies the CustomResourceDefinitions of the kinds with schemas at the start, unless that would lose stored data, and
   * moves objects into the version in which they are to be stored. Default: somebody else does.
   */
  readonly crds?: "apply";
}

/** How to run an operator. */
export interface RunOptions<Memo extends object = PlainMemo> {
  /** Aborting stops the operator gracefully. Default: it runs for ever. */
  readonly signal?: AbortSignal;
  /** Called when the operator has started (its startup handlers have succeeded, the kinds are found), and begins to watch. */
  readonly ready?: () => void;
  /** Called when every kind has been listed for the first time. */
  readonly synced?: () => void;
  /** Path of a kubeconfig. Default: `KUBECONFIG`, else the pod's service account, else `~/.kube/config`. */
  readonly kubeconfig?: string;
  /** Which of its contexts. Default: the current one. */
  readonly context?: string;
  /**
   * Credentials that come from elsewhere; then no kubeconfig is read, and no login handler is called: a way in, such as
   * `{ server, token }`, or a `KubeConfig` of the official client, or what renews itself.
   */
  readonly credentials?: GivenCredentials;
  /** The beginning of each object's `memo`, for this run. Default: the operator's own. */
  readonly memo?: Readonly<Memo>;
  /**
   * Where to watch: the whole cluster, or some namespaces: names, globs such as "team-*,!team-test", or regular expressions
   * that must match the whole name. Default: "cluster", with a warning.
   */
  readonly scope?: "cluster" | readonly (string | RegExp)[];
  /**
   * Where to answer probes, such as "http://0.0.0.0:8080/healthz"; "/readyz" and "/livez" are on the same address. Default:
   * nowhere.
   */
  readonly liveness?: string;
  /** The name of the peering object to meet other operators at, which there must be then. Default: as the settings say. */
  readonly peering?: string;
  /** Operators with a lower one pause for this one. Default: as the settings say, which is 0. */
  readonly priority?: number;
  /** Take no notice of other operators. Default: as the settings say, which is false. */
  readonly standalone?: boolean;
  /** Log rejections that nobody awaited, and stop in order after exceptions that nobody caught. Default: "leave", to the runtime. */
  readonly strayErrors?: "handle" | "leave";
  /** Under which name to meet other operators; a name of one's own, or theirs. Default: $POD_ID, or one that tells who and where. */
  readonly identity?: string;
  /** A file to which the rights that the operator uses are added, for `lotse generate rbac --record`. Default: none. */
  readonly recordRights?: string;
  /** Looks at the start for rights that are missing, and for fields of handlers that no definition has. Default: false. */
  readonly selfCheck?: boolean;
  /** Default: plain lines on the standard error output, from level "info". */
  readonly logger?: Logger;
  /** The world to run in. Default: the real one. */
  readonly host?: Host;
}

/** Declares handlers by `on`, and runs them by `run()`. `Memo` is the type of the `memo` that handlers see. */
export class Operator<Memo extends object = PlainMemo> {
  /** Declares handlers of causes and events. */
  readonly on: On<Memo>;
  /** Declares an index of a kind's objects: a map that is kept up to date in memory. */
  readonly index: DeclareIndex<Memo>;
  /** Declares a function that runs as long as an object is there: once, in the background. */
  readonly daemon: DeclareDaemon<Memo>;
  /** Declares a function that runs every now and then as long as an object is there. */
  readonly timer: DeclareTimer<Memo>;
  /** Other objects, for handlers; while the operator runs. */
  readonly api: Api;
  /** Kubernetes events about objects, for handlers; while the operator runs. */
  readonly events: Events;
  /** The operator's own memo, which startup handlers may fill. Each object's begins with a shallow copy of it. */
  readonly memo: Memo;
  /** Whether the definitions of its own kinds are applied at the start. */
  readonly crds: "apply" | undefined;
  readonly #registry: Registry;
  readonly #settings: Settings;
  /** Those of the run that goes on. */
  #runSettings: Settings | undefined;
  #lifecycle: Lifecycle | undefined;
  /** The run that goes on, or the last one. */
  #current: CurrentRun = {};

  /**
   * Begins with no handlers.
   *
   * @throws {TypeError} If a setting is unknown or of the wrong type.
   */
  constructor(options: OperatorOptions<Memo> = {}) {
    const { lifecycle = null, memo, crds, ...overrides } = options;
    if (crds !== undefined && crds !== "apply") {
      throw new TypeError(`Cannot make an operator with crds "${crds}": take "apply", or leave it out`);
    }
    this.crds = crds;
    this.#settings = mergeSettings(defaultSettings(), overrides);
    // Who names a type promises that it holds by the time that handlers look, at the latest by startup handlers.
    this.memo = { ...memo } as Memo;
    this.lifecycle = lifecycle;
    this.#registry = new Registry(
      (id) => this.settings.persistence.progress.keys(id),
      () => reservedNames(this.settings.persistence),
    );
    const { on, index, daemon, timer } = declareInto<Memo>(this.#registry);
    this.on = on;
    this.index = index;
    this.daemon = daemon;
    this.timer = timer;
    this.api = createApi(() => this.#connected());
    this.events = createEvents(() => {
      const poster = this.#current.serving?.poster;
      return poster && { poster, settings: this.settings.posting };
    });
  }

  /**
   * All settings. May be changed until the operator runs; while it runs, those of the run: its options and its startup
   * handlers may have changed them.
   */
  get settings(): Settings {
    return this.#runSettings ?? this.#settings;
  }

  /** Which of several handlers run in one go; setting null brings the default back. */
  get lifecycle(): Lifecycle {
    return this.#lifecycle ?? asap;
  }
  set lifecycle(value: Lifecycle | null) {
    if (value !== null && typeof value !== "function") {
      throw new TypeError(
        `Cannot take ${JSON.stringify(value)} for a lifecycle: take one of \`lifecycles\`, or a function`,
      );
    }
    this.#lifecycle = value ?? undefined;
  }

  /** Whether nothing was declared. */
  get isEmpty(): boolean {
    return this.#registry.isEmpty;
  }

  /** The handlers of objects that were declared so far, for tools such as `lotse generate`. */
  get declared(): readonly DeclaredHandler[] {
    return declaredIn(this.#registry);
  }

  /**
   * Forgets what was declared, so that files can declare it anew.
   *
   * A run in progress keeps what was declared when it began.
   */
  reset(): void {
    this.#registry.clear();
  }

  /**
   * The record of objects in the run that goes on, or in the last one: what woke them, which handlers matched or not
   * and why, what was written, what they wait for. The latest ten reconciles of each of the latest two thousand objects.
   */
  get ledger(): { of(object: Referable): LedgerRecord | undefined } {
    return { of: (object) => this.#current.ledger?.of(object) };
  }

  /**
   * Makes a client of one of the official client's API classes, such as `CoreV1Api`, which you import.
   *
   * Its requests go the way of all others, with the operator's credentials, retries and timeouts; while the operator runs.
   * It throws the official client's `ApiException` where the server refuses.
   */
  makeApiClient<ApiOfClass>(Class: ApiClass<ApiOfClass>): ApiOfClass {
    return makeApiClient(Class, () => this.#connected().client.transport);
  }

  /**
   * Runs the operator until the signal aborts, and stops it in order. What is declared later counts for the next run.
   *
   * Several operators may run at the same time; one operator runs once at a time, and any number of times in a row.
   *
   * @throws {ActivityError} If a startup or cleanup handler fails.
   * @throws {LoginError} If there is no way into a cluster, or none any more.
   * @throws {ApiError} If the server does not tell what it serves.
   * @throws {TypeError} If it is running already, or an option is unknown or of the wrong type.
   */
  async run(options: RunOptions<Memo> = {}): Promise<void> {
    try {
      checkRunOptions(options);
      if (this.#runSettings !== undefined) {
        throw new TypeError(
          "Cannot run an operator that is running: wait until it has stopped, or make another",
        );
      }
      this.#runSettings = mergeSettings(this.#settings, { peering: peeringOf(options) });
    } catch (error) {
      pointTo(error, Operator.prototype.run);
      throw error;
    }
    try {
      await this.#run(options, this.#runSettings);
    } finally {
      this.#runSettings = undefined;
    }
  }

  async #run(options: RunOptions<Memo>, settings: Settings): Promise<void> {
    const { host = currentHost(), scope } = options;
    const logger = options.logger === undefined
      ? defaultLogger(host)
      : guardedLogger(options.logger, reportOnce(host));
    this.#current = {};
    await runOperator({
      host,
      namespaces: scope === undefined || scope === "cluster" ? undefined : [...new Set(scope)],
      logger,
      registry: this.#registry.copy(),
      settings,
      lifecycle: () => this.lifecycle,
      identity: options.identity ?? detectIdentity(host),
      // The layers below hand it on, whatever it holds.
      memo: (options.memo === undefined ? this.memo : { ...options.memo }) as PlainMemo,
      signal: options.signal ?? new AbortController().signal,
      credentials: options.credentials,
      kubeconfig: options.kubeconfig,
      context: options.context,
      liveness: options.liveness,
      handlesStrayErrors: options.strayErrors === "handle",
      crds: this.crds,
      recordRights: options.recordRights,
      selfCheck: options.selfCheck,
      ready: () => {
        if (scope === undefined) warnOfScope(logger);
        options.ready?.();
      },
      synced: () => options.synced?.(),
    }, this.#current);
  }

  #connected(): ApiSource {
    const source = this.#current.serving?.api;
    if (source !== undefined) return source;
    throw new TypeError("Cannot reach the API: the operator is not running (call it from handlers only)");
  }
}

/**
 * Makes an operator, to which handlers are added.
 *
 * With a type, `operator<Memo>()`, the `memo` of all its handlers has that type; else it is a record of anything.
 *
 * @throws {TypeError} If a setting is unknown or of the wrong kind.
 * @example
 * ```ts
 * import { operator } from "@lotse/lotse";
 *
 * const op = operator({ execution: { defaultBackoff: 10 } });
 *
 * op.on.create("databases.example.com", ({ name, logger }) => {
 *   logger.info("Hello", { name });
 * });
 * ```
 */
export function operator<Memo extends object = PlainMemo>(
  options?: OperatorOptions<NoInfer<Memo>>,
): Operator<Memo>;
/** The same without a type. NB: the last overload, so that `ReturnType<typeof operator>` is the plain one. */
export function operator(options?: OperatorOptions): Operator;
export function operator<Memo extends object>(options: OperatorOptions<Memo> = {}): Operator<Memo> {
  try {
    return new Operator<Memo>(options);
  } catch (error) {
    pointTo(error, operator);
    throw error;
  }
}

const RUN_OPTIONS: Readonly<Record<keyof RunOptions, true>> = {
  signal: true,
  ready: true,
  synced: true,
  kubeconfig: true,
  context: true,
  credentials: true,
  memo: true,
  scope: true,
  liveness: true,
  peering: true,
  priority: true,
  standalone: true,
  strayErrors: true,
  identity: true,
  recordRights: true,
  selfCheck: true,
  logger: true,
  host: true,
};

function checkRunOptions(options: object): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(RUN_OPTIONS, name)) continue;
    throw new TypeError(
      `Cannot run an operator with option "${name}": known are ${Object.keys(RUN_OPTIONS).join(", ")}`,
    );
  }
  const scope: unknown = "scope" in options ? options.scope : undefined;
  if (scope === undefined || scope === "cluster") return;
  const isListed = Array.isArray(scope) &&
    scope.every((each) => typeof each === "string" || each instanceof RegExp);
  if (!isListed) {
    throw new TypeError(
      'Cannot run in this scope: take "cluster", or a list of namespaces, globs or regular expressions',
    );
  }
  if (scope.length === 0) {
    throw new RangeError('Cannot run in no namespace: name some, or take "cluster"');
  }
}

/** Returns the options of a run over the settings; startup handlers may change them. */
function peeringOf(
  { peering, priority, standalone, scope = "cluster" }: Omit<RunOptions, "memo">,
): Partial<Settings["peering"]> {
  const named = peering === undefined ? {} : { name: peering, mandatory: true };
  return { ...named, priority, standalone, clusterwide: scope === "cluster" };
}

/** Tells whether a value is an operator, of whichever copy of this package. */
export function isOperator(value: unknown): value is Operator {
  return typeof value === "object" && value !== null && "on" in value && "run" in value &&
    typeof value.run === "function";
}

/** Whoever means the whole cluster says so. Scenario: B257. */
function warnOfScope(logger: Logger): void {
  logger.warn("No namespaces are named: the whole cluster is served", {
    hint: 'say so with `scope: "cluster"` (--all-namespaces), or name some',
  });
}

/** Says once, where it cannot be overlooked, that the author's own logger throws: its lines are lost. */
function reportOnce(host: Host): (error: unknown) => void {
  let isReported = false;
  return (error) => {
    if (isReported) return;
    isReported = true;
    defaultLogger(host).error("The given logger throws: its lines are lost", { error: toError(error) });
  };
}

function defaultLogger(host: Host): Logger {
  const sink = textSink({
    format: "plain",
    level: "info",
    write: (text) => host.process.write("stderr", text),
    color: host.process.isTerminal("stderr"),
  });
  return createLogger(sink, host.clock);
}
