/**
 * An operator: what was declared, and how to run it.
 */

import type { Client } from "../client/client.ts";
import { type ApiClass, makeApiClient } from "../client/api_classes.ts";
import type { GivenCredentials } from "../client/auth/login.ts";
import type { Ledger, LedgerRecord } from "../engines/ledger.ts";
import { detectIdentity } from "../engines/peering/peering.ts";
import type { Poster } from "../engines/posting/poster.ts";
import { asap, type Lifecycle } from "../execution/lifecycle.ts";
import { type IndexWord, indexWord } from "../registry/indexes.ts";
import { type Daemon, declareDaemon, declareTimer, type Timer } from "../registry/background.ts";
import type { Referable } from "../model/references.ts";
import type { PlainMemo } from "../registry/arguments.ts";
import { type DeclaredHandler, declaredIn } from "../registry/declared.ts";
import { On } from "../registry/on.ts";
import { Registry } from "../registry/registry.ts";
import { currentHost } from "../runtime/current_host.ts";
import type { Host } from "../runtime/host.ts";
import { textSink } from "../runtime/log_format.ts";
import { createLogger, type Logger } from "../runtime/logging.ts";
import { type Persistence, reservedNames } from "../settings/persistence/storage.ts";
import {
  defaultSettings,
  mergeSettings,
  type Settings,
  type SettingsOverrides,
} from "../settings/settings.ts";
import {
  announce,
  type Announcement,
  describeError,
  type EventPostOptions,
  type ExceptionPostOptions,
  type Postable,
  type PostOptions,
} from "./announcing.ts";
import { Api } from "./api.ts";
import { runOperator } from "./run.ts";

/** Settings of an operator; what is left out keeps its default. */
export interface OperatorOptions<Memo extends object = PlainMemo>
  extends Omit<SettingsOverrides, "persistence"> {
  /** Where notes are kept on objects. Default: annotations under "lotse.dev". */
  readonly persistence?: Persistence | SettingsOverrides["persistence"];
  /** Which of several handlers run in one go. Default (and null): `asap`. */
  readonly lifecycle?: Lifecycle | null;
  /** What each object's `memo` begins with: a shallow copy of this. */
  readonly memo?: Readonly<Memo>;
}

/** How to run an operator. */
export interface RunOptions<Memo extends object = PlainMemo> {
  /** Aborting stops the operator gracefully. Default: it runs for ever. */
  readonly signal?: AbortSignal;
  /** Called when the operator has started (its startup handlers have succeeded, the kinds are found), and begins to watch. */
  readonly ready?: () => void;
  /** Called when every kind has been listed for the first time. */
  readonly synced?: () => void;
  /** Path of a kubeconfig. Default: KUBECONFIG, `~/.kube/config`, or the service account. */
  readonly kubeconfig?: string;
  /** Which of its contexts. Default: the current one. */
  readonly context?: string;
  /**
   * Credentials that come from elsewhere; then no kubeconfig is read, and no login handler is called: a way in, such as
   * `{ server, token }`, or a `KubeConfig` of the official client, or what renews itself.
   */
  readonly credentials?: GivenCredentials;
  /** What each object's `memo` begins with, for this run. Default: the operator's own. */
  readonly memo?: Readonly<Memo>;
  /**
   * Watch these namespaces only: names, globs such as "team-*,!team-test", or regular expressions that must match the whole
   * name. Default: the whole cluster.
   */
  readonly namespaces?: readonly (string | RegExp)[];
  /** Watch the whole cluster; the opposite of `namespaces`. */
  readonly clusterwide?: boolean;
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
  /** Under which name to meet other operators; a name of one's own, or theirs. Default: $POD_ID, or one that tells who and where. */
  readonly identity?: string;
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
  readonly index: IndexWord<Memo>;
  /** Declares a function that runs as long as an object is there: once, in the background. */
  readonly daemon: Daemon<Memo>;
  /** Declares a function that runs every now and then as long as an object is there. */
  readonly timer: Timer<Memo>;
  /** Other objects, for handlers; while the operator runs. */
  readonly api: Api;
  /** All settings; may be changed until the operator runs. */
  readonly settings: Settings;
  /** The operator's own memo, which startup handlers may fill. Each object's begins with a shallow copy of it. */
  readonly memo: Memo;
  readonly #registry: Registry;
  #lifecycle: Lifecycle | undefined;
  #client: Client | undefined;
  #isRunning = false;
  #poster: Poster | undefined;
  #ledger: Ledger | undefined;

  /**
   * Begins with no handlers.
   *
   * @throws {TypeError} If a setting is unknown or of the wrong kind.
   */
  constructor(options: OperatorOptions<Memo> = {}) {
    const { lifecycle, memo, ...overrides } = options;
    this.settings = mergeSettings(defaultSettings(), overrides);
    // Who names a type promises that it holds by the time that handlers look, at the latest by startup handlers.
    this.memo = { ...memo } as Memo;
    this.#lifecycle = lifecycle ?? undefined;
    this.#registry = new Registry(
      (id) => this.settings.persistence.progress.keys(id),
      () => reservedNames(this.settings.persistence),
    );
    this.on = new On(this.#registry);
    this.index = indexWord(this.#registry);
    this.daemon = declareDaemon(this.#registry);
    this.timer = declareTimer(this.#registry);
    this.api = new Api(() => this.#connected());
  }

  /** Which of several handlers run in one go; setting null gives the default back. */
  get lifecycle(): Lifecycle {
    return this.#lifecycle ?? asap;
  }
  set lifecycle(value: Lifecycle | null) {
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
   * What happened to objects in the run that goes on, or in the last one: what woke them, which handlers matched or not
   * and why, what was written, what they wait for. The latest ten looks at each of the latest two thousand objects.
   */
  get ledger(): { of(object: Referable): LedgerRecord | undefined } {
    return { of: (object) => this.#ledger?.of(object) };
  }

  /**
   * Makes a client of one of the official client's API classes, such as `CoreV1Api`, which you import.
   *
   * Its requests go the way of all others, with the operator's credentials, retries and timeouts; while the operator runs.
   * It throws the official client's `ApiException` where the server refuses.
   */
  makeApiClient<ApiOfClass>(Class: ApiClass<ApiOfClass>): ApiOfClass {
    return makeApiClient(Class, () => this.#connected().transport);
  }

  /** Posts a Kubernetes event about objects, in the background. @throws {ReferenceError} If the operator does not run. */
  event(objects: Postable, options: EventPostOptions): void {
    this.#announce(objects, options);
  }

  /** Posts an event of type "Normal", if `posting.level` is "info" or lower. @throws {ReferenceError} If the operator does not run. */
  info(objects: Postable, options: PostOptions): void {
    this.#announce(objects, { ...options, type: "Normal", level: "info" });
  }

  /** Posts an event of type "Warning", if `posting.level` is "warn" or lower. @throws {ReferenceError} If the operator does not run. */
  warn(objects: Postable, options: PostOptions): void {
    this.#announce(objects, { ...options, type: "Warning", level: "warn" });
  }

  /**
   * Posts an event about an error: the reason is its name (unless one is given), the message ends with its own.
   *
   * @throws {ReferenceError} If the operator does not run.
   */
  exception(objects: Postable, error: unknown, options: ExceptionPostOptions = {}): void {
    this.#announce(objects, { ...describeError(error, options), type: "Error", level: "error" });
  }

  /**
   * Runs the operator until the signal aborts, and stops it in order. What is declared later counts for the next run.
   *
   * Several operators may run at the same time; one operator runs once at a time, and any number of times in a row.
   *
   * @throws {ActivityError} If a startup or cleanup handler fails.
   * @throws {LoginError} If there is no way into a cluster, or none any more.
   * @throws {ApiError} If the server does not tell what it serves.
   * @throws {TypeError} If it is running already, or `namespaces` and `clusterwide` contradict each other.
   */
  async run(options: RunOptions<Memo> = {}): Promise<void> {
    if (this.#isRunning) {
      throw new TypeError(
        "Cannot run an operator that is running: wait until it has stopped, or make another",
      );
    }
    this.#isRunning = true;
    const { peering } = this.settings;
    const overrides = peeringOverrides(options);
    const before = { ...peering };
    try {
      Object.assign(peering, overrides);
      await this.#run(options);
    } finally {
      for (const key of Object.keys(overrides)) Object.assign(peering, { [key]: Reflect.get(before, key) });
      this.#isRunning = false;
    }
  }

  async #run(options: RunOptions<Memo>): Promise<void> {
    const { host = currentHost(), namespaces, clusterwide } = options;
    if (clusterwide === true && namespaces !== undefined && namespaces.length > 0) {
      throw new TypeError("Cannot run both cluster-wide and in namespaces: take one of them");
    }
    const logger = options.logger ?? defaultLogger(host);
    const isNamed = namespaces !== undefined && namespaces.length > 0;
    await runOperator({
      ...options,
      host,
      namespaces: isNamed ? [...new Set(namespaces)] : undefined,
      logger,
      registry: this.#registry.copy(),
      settings: this.settings,
      lifecycle: () => this.lifecycle,
      identity: options.identity ?? detectIdentity(host),
      // The layers below hand it on, whatever it holds.
      memo: (options.memo === undefined ? this.memo : { ...options.memo }) as PlainMemo,
      signal: options.signal ?? new AbortController().signal,
      onReady: () => {
        if (!isNamed && clusterwide === undefined) warnOfScope(logger);
        options.ready?.();
      },
      onSynced: options.synced ?? (() => {}),
      onClient: (client) => {
        this.#client = client;
      },
      onLedger: (ledger) => {
        this.#ledger = ledger;
      },
      onPoster: (poster) => {
        this.#poster = poster;
      },
    });
  }

  #announce(objects: Postable, announcement: Announcement): void {
    const poster = this.#poster;
    if (poster === undefined) {
      throw new ReferenceError(
        "Cannot post events: the operator is not running (call it from handlers only)",
      );
    }
    announce(objects, announcement, { poster, settings: this.settings.posting });
  }

  #connected(): Client {
    if (this.#client !== undefined) return this.#client;
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
  return new Operator<Memo>(options);
}

/** What the options of a run say in place of the settings; startup handlers may change it. */
function peeringOverrides(
  { peering, priority, standalone, namespaces = [] }: RunOptions,
): Partial<Settings["peering"]> {
  return {
    ...peering !== undefined && { name: peering, mandatory: true },
    ...priority !== undefined && { priority },
    ...standalone !== undefined && { standalone },
    clusterwide: namespaces.length === 0,
  };
}

/** Tells whether a value is an operator, of whichever copy of this package. */
export function isOperator(value: unknown): value is Operator {
  return typeof value === "object" && value !== null && "on" in value && "run" in value &&
    typeof value.run === "function";
}

/** Source: Kopf, B §5.11, B257: whoever means the whole cluster says so. */
function warnOfScope(logger: Logger): void {
  logger.warn("No namespaces are named: the whole cluster is served", {
    hint: 'say so with "clusterwide: true" (--all-namespaces), or name some',
  });
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

/** The operator of `on`: for programs of one file that need no other. */
export const defaultOperator: Operator = new Operator();

/** Declares handlers of the default operator. */
export const on: On = defaultOperator.on;

/** Posts a Kubernetes event about objects, by the default operator. */
export function event(objects: Postable, options: EventPostOptions): void {
  defaultOperator.event(objects, options);
}

/** Posts an event of type "Normal", by the default operator. */
export function info(objects: Postable, options: PostOptions): void {
  defaultOperator.info(objects, options);
}

/** Posts an event of type "Warning", by the default operator. */
export function warn(objects: Postable, options: PostOptions): void {
  defaultOperator.warn(objects, options);
}

/** Posts an event about an error, by the default operator. */
export function exception(objects: Postable, error: unknown, options?: ExceptionPostOptions): void {
  defaultOperator.exception(objects, error, options);
}

/** Declares indexes of the default operator. */
export const index: IndexWord = defaultOperator.index;
/** Declares daemons of the default operator. */
export const daemon: Daemon = defaultOperator.daemon;

/** Declares timers of the default operator. */
export const timer: Timer = defaultOperator.timer;
