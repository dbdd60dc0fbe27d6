/**
 * Every setting of an operator: its meaning, its unit and its default.
 *
 * Sections and names are Kopf's, in camelCase (its docs/configuration). There is one such tree per operator; startup
 * handlers get it to change it. Values are read when they are used. Times are in seconds; where null is allowed it means
 * "no limit", and so does Infinity. Where to keep notes on objects is chosen by `persistence`: see `presets.ts`.
 */

import type { FieldSpec } from "../model/fields.ts";
import type { KubeObject } from "../model/object.ts";
import type { SelectorTerm } from "../model/selector.ts";
import type { LogLevel } from "../runtime/logging.ts";
import type { Seconds } from "../runtime/host.ts";
import type { AdmissionServer } from "./admission_server.ts";
import type { DiffBaseStorage, ProgressStorage, Restored } from "./persistence/storage.ts";

/** Pauses between attempts, in order; one number is one pause, an empty list is no second attempt. */
export type Backoffs = Seconds | Iterable<Seconds>;

/** Values by kind, such as `{ "databases.example.com": … }`; a Map takes other forms of selectors too. */
export type ByKind<T> =
  | Readonly<Record<string, T>>
  | ReadonlyMap<SelectorTerm | readonly SelectorTerm[], T>;

/** Selector texts by kind, such as `{ "databases.example.com": "tier=gold" }`; a Map takes other forms of selectors too. */
export type SelectorTexts = ByKind<string>;

/** How the objects of a kind stand in memory: see `watching.memory`. */
export type MemoryMode = "hot" | "cold" | "auto";

/** Cuts an object of a kind down, in place or by giving another one. It gets a copy whose content is shared: replace, do not empty. */
export type ObjectTransform = (object: KubeObject) => KubeObject | void;

/** How the process ends. */
export interface ProcessSettings {
  /** How long a shutdown that a signal began may take, before the process is ended hard. Null: for ever. Default: 600. */
  ultimateExitingTimeout: Seconds | null;
  /** Whether `lotse heap-snapshot` may write the process's memory, with all Secrets in it, into a file. Default: false. */
  heapSnapshots: boolean;
}

/** Answers to probes. */
export interface ProbingSettings {
  /**
   * Whether `?verbose` says why a check fails where probes are answered beyond this machine, too: reasons name servers, kinds
   * and errors. Default: false; there, only the names of the checks are told.
   */
  reasons: boolean;
  /**
   * Whether `/metrics` answers only callers with a bearer token that the API server knows, of users who may `get` the URL
   * (TokenReview, SubjectAccessReview). Default: false; whoever reaches the port may read.
   */
  metricsReview: boolean;
}

/** Kubernetes Events about handled objects. */
export interface PostingSettings {
  /** Whether any are posted. Default: true. */
  enabled: boolean;
  /**
   * Whether failures of handlers are posted, as warnings of their objects: with the handler and its error, aggregated. Not beside
   * `loggers`, which posts the log lines about them. Default: true.
   */
  failures: boolean;
  /** Whether the handlers' log lines are posted too. Each is a request to the API server. Default: false. */
  loggers: boolean;
  /** The least level of log lines that are posted. Default: "info". */
  level: LogLevel;
  /** Which API: the newer one counts repetitions in series, and has two types only. Default: "events.k8s.io/v1". */
  api: "events.k8s.io/v1" | "v1";
  /** The reporter, as events name it. Default: "lotse". */
  reportingComponent: string;
  /** Which instance of it; good values are unique. Default: "dev". */
  reportingInstance: string;
  /** The beginning of the events' names. Default: "lotse-event-". */
  eventNamePrefix: string;
  /** Pauses before an event is posted again; afterwards it is dropped. Default: 1, 1, 2, 3, 5, 8, 13, 21. */
  defaultBackoffs: Backoffs;
  /** The same for log lines. Default: 1, 1, 2, 3, 5. */
  loggingBackoffs: Backoffs;
  /** How many objects' events are posted at once. Null: no limit. Default: null. */
  workerLimit: number | null;
  /** How long an object's queue of events is kept when it is empty. Default: 1. */
  idleTimeout: Seconds;
}

/** Operators that pause for each other. */
export interface PeeringSettings {
  /** Name of the peering object. Default: "default". */
  name: string;
  /** Keeps quiet about its own keep-alives. Default: false. */
  stealth: boolean;
  /** Operators with a lower one pause while this one lives. Default: 0. */
  priority: number;
  /** How long the own record counts after its last renewal; it is renewed more often. Default: 60. */
  lifetime: Seconds;
  /** Pauses until a peering object exists; else a missing one means that there is no peering. Default: false. */
  mandatory: boolean;
  /** Ignores all peers. Default: false. */
  standalone: boolean;
  /** Uses the cluster's peering object instead of the namespace's. Default: false; a run over all namespaces sets it. */
  clusterwide: boolean;
}

/** Replicas of one operator that share its objects. Durations are the same in all of them. */
export interface ReplicasSettings {
  /** Whether there may be other replicas. Default: false; `operator({ replicas: true })` sets it. */
  enabled: boolean;
  /** The name of the operator, and of its Leases: a DNS label of at most 50 characters, the same in all replicas. Null: not known. Default: null. */
  name: string | null;
  /** The namespace of the Leases. Null: the Pod's, and outside of a cluster an error. Default: null. */
  namespace: string | null;
  /** Into how many parts the objects are divided, from 1 (one replica leads) to 64. Default: 1. */
  shards: number;
  /** After how long without a renewal others may take over: whole seconds, longer than `renewDeadline`. Default: 15. */
  leaseDuration: Seconds;
  /** After how long without an answered renewal a replica stops to work: longer than 1.2 times `retryPeriod`. Default: 10. */
  renewDeadline: Seconds;
  /** The pause between renewals. Default: 2. */
  retryPeriod: Seconds;
  /** How long handlers may go on when their part of the objects moves to another replica, before their signal aborts. Default: 30. */
  drainTimeout: Seconds;
}

/** How objects are listed and watched. */
export interface WatchingSettings {
  /** After how long the server is asked to end a stream. Null: as it likes. Default: null. */
  serverTimeout: Seconds | null;
  /** After how long we reopen a stream. Null: never. Default: null. */
  clientTimeout: Seconds | null;
  /** For opening a stream. Null: as `networking` says. Default: null. */
  connectTimeout: Seconds | null;
  /** The first pause before a stream is opened again; it grows while streams fail. Default: 0.1. */
  reconnectBackoff: Seconds;
  /** After how long a silence (no event, no bookmark) a stream is reopened. Default: 70. */
  inactivityTimeout: Seconds;
  /** Objects per page of a list: smaller ones cost requests, larger ones memory. Null: no limit. Default: 500. */
  chunkSize: number | null;
  /** Streams in place of lists: "auto" where the server has them; true and false force. Default: "auto". */
  initialStreaming: boolean | "auto";
  /** Label selectors that the server applies. Objects that they hide do not exist for this operator. Default: none. */
  labelSelectors: SelectorTexts;
  /** Field selectors that the server applies. Default: none. */
  fieldSelectors: SelectorTexts;
  /** Which shard of a kind this operator takes; the first that matches counts. Default: none. */
  shardSelectors: SelectorTexts;
  /**
   * Kinds of which only the metadata is asked for and remembered: handlers see neither spec nor status, and may write both
   * (which costs a request more). Notes must be kept in annotations. Default: none.
   */
  metadataOnly: readonly (SelectorTerm | readonly SelectorTerm[])[];
  /**
   * A function over each object of a kind before it is remembered, to spare memory: it drops the parts that no handler needs. Names,
   * versions, times and finalizers stay in any case; the framework's own notes must not be dropped. Default: nothing.
   */
  transform: ByKind<ObjectTransform>;
  /**
   * How objects stand in memory: "hot", all of them parsed; "cold", a few parsed and the others as compressed bytes, which take a
   * tenth of the heap, and a tenth of a millisecond or two for 10 KB when somebody looks at one; "auto", the thousand parsed
   * that came or were read last, and the others as bytes. For all kinds, or by kind: the first selector that matches counts, and kinds
   * without one are "auto". Default: "auto".
   */
  memory: MemoryMode | ByKind<MemoryMode>;
}

/** One worker for each object, and its pauses after failures. */
export interface QueueingSettings {
  /** How many objects of one watch are worked on at once. Null: no limit. Default: null. */
  workerLimit: number | null;
  /** How long workers may go on when their watch ends. Default: 2. */
  exitTimeout: Seconds;
  /**
   * Pauses after each failure in a row of the framework itself with one object; the last one repeats.
   * Default: 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610. Empty: as `execution.defaultBackoff`.
   */
  errorDelays: readonly Seconds[];
  /**
   * How many events of one object may wait for `on.event` handlers. When there are more, a warning says so, and only the
   * newest of each kind of event (added, modified, deleted) is kept until the handlers have caught up. Null: no limit, and so
   * as much memory as it takes. Default: 100.
   */
  eventLimit: number | null;
}

/** Looking for kinds and namespaces. */
export interface ScanningSettings {
  /** Looks only at the start, not at kinds and namespaces that come later. Default: false. */
  disabled: boolean;
  /**
   * From how many namespaces on that match patterns a kind is watched by one stream for the whole cluster, where rights
   * allow, instead of one for each; objects of other namespaces are dropped as they come. Null: never. Default: 10.
   */
  clusterwideFrom: number | null;
}

/** Admission webhooks. */
export interface AdmissionSettings {
  /** The server or tunnel through which Kubernetes reaches us. Null: none, and admission handlers are an error. Default: null. */
  server: AdmissionServer | null;
  /**
   * Name of the webhook configurations that the operator keeps up to date: a domain of one's own, such as
   * "lotse.example.com". Null: the operator leaves them to others. Default: null.
   */
  managed: string | null;
  /**
   * The webhooks that an operator takes back when it stops, but for `persistent` ones. "own": webhooks that lead to this process
   * alone, by a URL; behind a Service other replicas may answer. "all": webhooks with our Service too, unless a replica that
   * started later has written them. "nothing": they stay. With `replicas` webhooks stay, whatever they lead to, unless it is
   * "all": then the last replica takes them back. Default: "own".
   */
  release: "own" | "all" | "nothing";
  /** How long a certificate is valid that replicas share; it is replaced after two thirds of that. Default: 31,536,000, a year. */
  certificateValidity: Seconds;
  /**
   * How long after the last configuration was told of the next authority its certificate is presented: the time that API servers
   * have to notice. Default: 60.
   */
  certificateSettle: Seconds;
  /**
   * How long a replica that stops goes on to answer reviews, for API servers and nodes that have not noticed that it leaves. With
   * `replicas` only. Default: 10.
   */
  linger: Seconds;
}

/** How handlers are run. */
export interface ExecutionSettings {
  /** The pause after an arbitrary error of a handler that has no `backoff` of its own. Default: 60. */
  defaultBackoff: Seconds;
  /**
   * After how long a call of a handler that has not ended is warned of, by its name, and shown in `/readyz?verbose` and in the
   * metric `lotse_handlers_stuck`; daemons may run for ever. Null: never. Default: 60.
   */
  warnAfter: Seconds | null;
  /** Whether the annotation `lotse.dev/pause` may pause an object. Default: true. */
  objectPauses: boolean;
  /** How many workers of `op.offload()` run at once; the others wait. Null: any number. Default: null. */
  maxWorkers: number | null;
}

/** Daemons and timers. */
export interface BackgroundSettings {
  /** How often a daemon that is slow to stop is looked after. Default: 60. */
  cancellationPolling: Seconds;
  /** How long a stopping daemon is waited for at once, before it is let go on in the background. Null: see below. Default: null. */
  instantExitTimeout: Seconds | null;
  /** If that is null: how many turns of the event loop instead. Null: none. Default: 10. */
  instantExitZeroTimeCycles: number | null;
}

/** Requests to the API server. */
export interface NetworkingSettings {
  /** For one attempt of a request as a whole; watches excepted. Null: no limit. Default: 300. */
  requestTimeout: Seconds | null;
  /**
   * Until an answer begins; watches excepted. kube-apiserver itself gives up after 60 seconds, so that a client without an answer by
   * then has a dead connection. Null: `requestTimeout` counts. Default: 75.
   */
  responseTimeout: Seconds | null;
  /** For TCP and TLS. Null: `requestTimeout` counts. Default: null. */
  connectTimeout: Seconds | null;
  /**
   * How many requests are under way at once, and so how many connections are open; watches excepted. The others wait in
   * order: more at once are not faster, but cost a TLS handshake each. Fewer while the server says that it has too many.
   * Null: no limit but that. Default: 64.
   */
  requestLimit: number | null;
  /**
   * In whose name `op.api.apply` writes: the server keeps for each name which fields it holds. Operators that apply to the
   * same objects must have different ones. Default: "lotse".
   */
  fieldManager: string;
  /** Pauses between attempts. Default: 1, 1, 2, 3, 5, 8, 13, 21. */
  errorBackoffs: Backoffs;
  /** Whether a server's Retry-After replaces the pause even if it is shorter. Default: false. */
  enforceRetryAfter: boolean;
  /** Whether proxies are taken from the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY). Default: false. */
  trustEnv: boolean;
}

/** The settings for the notes that the operator keeps on objects. A preset such as `kopf()` sets where and in which form. */
export interface PersistenceSettings {
  /** The name of the finalizer. Changing it strands objects that hold the old one. Default: "lotse.dev/finalizer". */
  finalizer: string;
  /** Where the state is kept that was handled last. Default: the status where the kind keeps it, else annotations, as `auto()`. */
  diffBase: DiffBaseStorage;
  /** Where the progress of unfinished handlers is kept. Default: as for the state. */
  progress: ProgressStorage;
  /**
   * The meaning of an object that was restored from a backup with its notes, under another uid: a new one ("create"), or the former
   * one, whose handlers resume ("resume"; notes are in annotations then, unless `status()` was chosen). Of no effect on Kopf's notes. Default: "create".
   */
  restored: Restored;
  /** Warnings to be said once at the start about how notes are kept; presets set it. Default: nothing. */
  warnings?: readonly string[];
  /**
   * Fields by kind whose values must be read neither off notes (which hold digests of them) nor off the framework's log lines
   * and events (which name only the fields), such as `{ "databases.example.com": ["spec.password"] }`. The data of core
   * Secrets are confidential in any case. Default: none.
   */
  confidential: ByKind<readonly FieldSpec[]>;
  /** How long to wait for one's own writes, where resource versions cannot be compared. 0: not at all. Default: 5. */
  consistencyTimeout: Seconds;
}

/** All settings of one operator. */
export interface Settings {
  /** How the process ends. */
  process: ProcessSettings;
  /** Answers to probes. */
  probing: ProbingSettings;
  /** Kubernetes Events about handled objects. */
  posting: PostingSettings;
  /** Operators that pause for each other. */
  peering: PeeringSettings;
  /** Replicas that share the objects. */
  replicas: ReplicasSettings;
  /** How objects are listed and watched. */
  watching: WatchingSettings;
  /** One worker per object. */
  queueing: QueueingSettings;
  /** Looking for kinds and namespaces. */
  scanning: ScanningSettings;
  /** Admission webhooks. */
  admission: AdmissionSettings;
  /** How handlers are run. */
  execution: ExecutionSettings;
  /** Daemons and timers. */
  background: BackgroundSettings;
  /** Requests to the API server. */
  networking: NetworkingSettings;
  /** The settings for notes on objects. */
  persistence: PersistenceSettings;
}

/** A part of the settings: any section, and of it any setting. */
export type SettingsOverrides = { readonly [Section in keyof Settings]?: Partial<Settings[Section]> };

/** How one kind is watched: the settings of watching without the selectors of kinds and objects. */
export type WatcherSettings = Readonly<
  Omit<
    WatchingSettings,
    "labelSelectors" | "fieldSelectors" | "shardSelectors" | "metadataOnly" | "transform" | "memory"
  >
>;
