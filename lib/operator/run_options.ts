/** How an operator is run: options, their check, and the settings that they override. */

import type { GivenCredentials } from "../client/auth/login.ts";
import type { HandlerCall } from "../engines/calls.ts";
import type { PlainMemo } from "../handlers/arguments.ts";
import { isObject } from "../model/json.ts";
import { currentHost } from "../runtime/current_host.ts";
import type { Files, Host, Seconds } from "../runtime/host.ts";
import type { Logger, LogLevel } from "../runtime/logging.ts";
import { mergeSettings, type Settings, type SettingsOverrides } from "../settings/settings.ts";
import { SETTINGS_FILE, settingsFromDocuments, settingsFromVariables } from "../settings/sources.ts";

/** Whether several replicas share the objects: settings turn it on, too. */
export type ReplicasOption = boolean | Omit<NonNullable<SettingsOverrides["replicas"]>, "enabled">;

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
   * `{ server, token }`, or a `KubeConfig` of the official client, or credentials that renew themselves.
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
  /** Log unhandled rejections, and stop in order after uncaught exceptions. Default: "leave", to the runtime. */
  readonly strayErrors?: "handle" | "leave";
  /** Whether several replicas share the objects; over the operator's own settings. Default: as the settings say. */
  readonly replicas?: ReplicasOption;
  /**
   * Under which name to meet other operators; a name of one's own, or theirs. Default: $POD_ID, or one of user, host and time.
   */
  readonly identity?: string;
  /** Path of a file with settings, in YAML or JSON. Default: `LOTSE_SETTINGS`, or none. */
  readonly settings?: string;
  /** A file to which the rights that the operator uses are added, for `lotse generate rbac --record`. Default: none. */
  readonly recordRights?: string;
  /** Looks at the start for rights that are missing, and for fields of handlers that no definition has. Default: false. */
  readonly selfCheck?: boolean;
  /**
   * Answers questions of `lotse why`, `lotse queue` and `lotse top` from this machine, of callers who may read a file of the
   * operator's user. Default: false; `lotse run` and executables do.
   */
  readonly questions?: boolean;
  /**
   * The author's own release, such as "1.4.0" of commit "1a2b3c4d5e6f", for the metric `lotse_build_info`. Executables of
   * `lotse build` know theirs. Default: unknown.
   */
  readonly release?: { readonly version?: string; readonly commit?: string };
  /** Called when a handler is called, and again with the same value when it has ended: then that has its outcome. */
  readonly onCall?: (call: HandlerCall) => void;
  /** Changes the level of the logger's lines for some time, for `lotse log-level`. Default: it cannot be changed. */
  readonly logLevels?: { readonly level: LogLevel; set(level: LogLevel, seconds: Seconds): void };
  /** Default: plain lines on the standard error output, from level "info". */
  readonly logger?: Logger;
  /** The world to run in. Default: the real one. */
  readonly host?: Host;
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
  replicas: true,
  strayErrors: true,
  identity: true,
  settings: true,
  recordRights: true,
  selfCheck: true,
  questions: true,
  release: true,
  onCall: true,
  logLevels: true,
  logger: true,
  host: true,
};

/** @throws {TypeError | RangeError} If an option is unknown or of the wrong type. */
export function checkRunOptions(options: object): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(RUN_OPTIONS, name)) continue;
    throw new TypeError(
      `Cannot run an operator with option "${name}": known are ${Object.keys(RUN_OPTIONS).join(", ")}`,
    );
  }
  if ("signal" in options && options.signal !== undefined && !isSignal(options.signal)) {
    throw new TypeError("Cannot run an operator with this signal: pass that of an AbortController");
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

function isSignal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}

/**
 * Returns the settings of a run: of the code, then of the file, then of variables, then of its options. Startup
 * handlers may change them.
 */
export async function settingsOf(base: Settings, options: Omit<RunOptions, "memo">): Promise<Settings> {
  const { host: { files, process } = currentHost() } = options;
  const path = options.settings ?? (process.env(SETTINGS_FILE) || undefined);
  const file = path === undefined ? {} : settingsFromDocuments(await readDocuments(files, path), path);
  const variables = settingsFromVariables(process.envNames(), (name) => process.env(name));
  const own = { peering: peeringOf(options), replicas: replicasOf(options.replicas) };
  return [file, variables, own].reduce<Settings>(mergeSettings, base);
}

/** Returns the settings that the option stands for; undefined leaves them as they are. Values are checked when they are merged. */
export function replicasOf(option: ReplicasOption | undefined): SettingsOverrides["replicas"] {
  if (typeof option === "boolean") return { enabled: option };
  // A value of another type is refused where settings are merged.
  return isObject(option) ? { ...option, enabled: true } : option;
}

async function readDocuments(files: Files, path: string): Promise<readonly unknown[]> {
  const text = await files.readText(path).catch((error: unknown) => {
    throw new TypeError(`Cannot read the settings in "${path}"`, { cause: error });
  });
  // Few have such a file, and the parser takes its time to load.
  const { parseYaml } = await import("../runtime/yaml.ts");
  try {
    return parseYaml(text);
  } catch (error) {
    throw new SyntaxError(`Cannot read the settings in "${path}": it is neither YAML nor JSON`, {
      cause: error,
    });
  }
}

/** Returns the options of a run over the settings; startup handlers may change them. */
function peeringOf(
  { peering, priority, standalone, scope = "cluster" }: Omit<RunOptions, "memo">,
): Partial<Settings["peering"]> {
  const named = peering === undefined ? {} : { name: peering, mandatory: true };
  return { ...named, priority, standalone, clusterwide: scope === "cluster" };
}
