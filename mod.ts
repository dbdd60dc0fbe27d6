/**
 * Lotse: Kubernetes operators in TypeScript, for Deno, Bun and Node, packed into one executable.
 *
 * Make an operator with `operator()`, declare a kind with `resource()`, add handlers with `op.on`, and run it: with
 * `lotse run`, or with `op.run()`.
 *
 * @example
 * ```ts
 * import { operator, resource } from "@lotse/lotse";
 *
 * interface DatabaseSpec { engine: string; replicas?: number }
 * interface DatabaseStatus { state?: string }
 *
 * const Database = resource<DatabaseSpec, DatabaseStatus>({ group: "example.com", version: "v1", plural: "databases" });
 * const op = operator();
 *
 * op.on.create(Database, function provision({ spec, patch, logger }) {
 *   logger.info("Provisioning", { engine: spec.engine });
 *   patch.status.state = "Provisioning";
 * });
 *
 * export default op;
 * ```
 *
 * @module
 */

export { type Address, Api, type NewObject } from "./lib/operator/api.ts";
export type {
  EventPostOptions,
  ExceptionPostOptions,
  Postable,
  PostOptions,
} from "./lib/operator/announcing.ts";
export {
  daemon,
  defaultOperator,
  event,
  exception,
  index,
  info,
  isOperator,
  on,
  Operator,
  operator,
  type OperatorOptions,
  type RunOptions,
  timer,
  warn,
} from "./lib/operator/operator.ts";
export { ReviewError } from "./lib/engines/admission/review.ts";
export { webhookServer, type WebhookServerOptions } from "./lib/engines/admission/webhook_server.ts";
export {
  freezePeers,
  type FreezePeersOptions,
  resumePeers,
  type ResumePeersOptions,
} from "./lib/operator/freeze.ts";
export { detectIdentity } from "./lib/engines/peering/peering.ts";
export type { LedgerEntry, LedgerHandler, LedgerRecord } from "./lib/engines/ledger.ts";
export { ApiError, LoginError } from "./lib/client/errors.ts";
export {
  AdmissionError,
  type ErrorsMode,
  HandlerRetriesError,
  HandlerTimeoutError,
  PermanentError,
  TemporaryError,
  type TemporaryErrorOptions,
} from "./lib/execution/errors.ts";
export { ActivityError } from "./lib/engines/activities.ts";
export {
  allAtOnce,
  asap,
  type Candidate,
  type Lifecycle,
  type LifecycleContext,
  oneByOne,
  randomized,
  shuffled,
} from "./lib/execution/lifecycle.ts";
export type {
  ActivityArguments,
  ActivityFn,
  ActivityOptions,
  LoginResult,
  OnActivities,
} from "./lib/registry/activities.ts";
export type {
  AdmissionArguments,
  AdmissionFilterArguments,
  AdmissionFn,
  AdmissionHandlerArguments,
  AdmissionOptions,
  OnAdmission,
  UserInfo,
} from "./lib/registry/admission.ts";
export type { ActivityName, AdmissionOperation } from "./lib/registry/handlers.ts";
export type {
  AttemptArguments,
  ChangeArguments,
  ChangeFilterArguments,
  ChangeHandlerArguments,
  DaemonHandlerArguments,
  Essence,
  EventArguments,
  EventFilterArguments,
  EventHandlerArguments,
  ObjectArguments,
  PlainMemo,
  StopReason,
  Sub,
  SubField,
  SubFn,
  SubOptions,
  SubValue,
} from "./lib/registry/arguments.ts";
export type { Index } from "./lib/registry/index_handle.ts";
export type {
  IndexArguments,
  IndexFn,
  IndexKey,
  IndexOf,
  IndexOptions,
  IndexValue,
  IndexWord,
  Whole,
} from "./lib/registry/indexes.ts";
export type {
  BackgroundOptions,
  Daemon,
  DaemonFn,
  DaemonOptions,
  InitialDelay,
  Timer,
  TimerFn,
  TimerOptions,
} from "./lib/registry/background.ts";
export type { Stopped } from "./lib/async/stop_flag.ts";
export type { Reason } from "./lib/registry/causes.ts";
export {
  ABSENT,
  all,
  any,
  type MetaFilter,
  none,
  not,
  PRESENT,
  type ValueFilter,
} from "./lib/registry/filters.ts";
export type {
  ChangeFilters,
  ChangeFn,
  CreateOptions,
  DeleteOptions,
  EventFn,
  EventOptions,
  FieldPathOf,
  On,
  ResumeOptions,
  Seen,
  UpdateOptions,
} from "./lib/registry/on.ts";
export type {
  ChangeFilterOptions,
  FilterOptions,
  HandlerOptions,
  RetryOptions,
} from "./lib/registry/options.ts";
export type {
  Addressable,
  DeepReadonly,
  FieldOf,
  FieldValue,
  PathOf,
  PathOfObject,
  Present,
  ValueAt,
} from "./lib/registry/field_paths.ts";
export { type Kinds, kinds } from "./lib/registry/kinds.ts";
export type { DeclaredHandler } from "./lib/registry/declared.ts";
export type {
  ColumnOptions,
  FurtherVersionOptions,
  JsonSchemaConverter,
  JsonSchemaOptions,
  OutputOf,
  RuleOptions,
  ScaleOptions,
  SchemaLike,
  StandardJsonSchema,
  VersionOptions,
} from "./lib/registry/schemas.ts";
export {
  resource,
  type ResourceLike,
  type ResourceOptions,
  type ResourceType,
} from "./lib/registry/resource.ts";
export type { Child, ChildMeta, Children } from "./lib/kits/hierarchies/children.ts";
export { label, type LabelOptions, type NestedPath } from "./lib/kits/hierarchies/labels.ts";
export type { Owner, OwnerOption } from "./lib/kits/hierarchies/children.ts";
export {
  adjustNamespace,
  adopt,
  type AdoptOptions,
  disown,
  harmonizeNaming,
  type NamespaceOptions,
  type NamingOptions,
  own,
  type OwnOptions,
} from "./lib/kits/hierarchies/adopt.ts";
export type { Diff, DiffItem, DiffOperation } from "./lib/model/diff.ts";
export type {
  Json,
  JsonObject,
  KubeObject,
  ObjectMeta,
  OwnerReference,
  WatchEvent,
} from "./lib/model/object.ts";
export { Patch, type PatchFunction, type PatchOf } from "./lib/model/patch.ts";
export {
  addOwnerReference,
  type ObjectReference,
  objectReference,
  ownerReference,
  type OwnerReferenceOptions,
  type Referable,
  removeOwnerReference,
} from "./lib/model/references.ts";
export type { Resource } from "./lib/model/resource.ts";
export { EVERYTHING, type ResourcePredicate, type SelectorTerm } from "./lib/model/selector.ts";
export type { LogFields, Logger, LoggerChild, LogLevel, LogReference } from "./lib/runtime/logging.ts";
export type {
  Clock,
  Connection,
  ConnectOptions,
  Files,
  Host,
  HttpRequest,
  HttpResponse,
  Network,
  Peer,
  Process,
  Random,
  RunOptions as ProgramOptions,
  RunResult as ProgramResult,
  Seconds,
  ServeOptions,
  Server,
  ServerLimits,
  ServerTls,
} from "./lib/runtime/host.ts";
export { currentHost } from "./lib/runtime/current_host.ts";
export type { ApiClass } from "./lib/client/api_classes.ts";
export type { ConnectionInfo, Credentials, Impersonation } from "./lib/client/auth/connection_info.ts";
export type {
  KubeConfigCluster,
  KubeConfigLike,
  KubeConfigUser,
} from "./lib/client/auth/kubeconfig_object.ts";
export {
  type GivenCredentials,
  type LoginSource,
  loginWithKubeconfig,
  loginWithServiceAccount,
} from "./lib/client/auth/login.ts";
export type { LoginInfo } from "./lib/client/auth/login.ts";
export type {
  CallOptions,
  DeleteOptions as DeleteCallOptions,
  ListOptions as ListCallOptions,
} from "./lib/client/client.ts";
export type { FieldPath, FieldSpec } from "./lib/model/fields.ts";
export type { StatusBody } from "./lib/model/object.ts";
export type { PatchOfMeta } from "./lib/model/patch.ts";
export type { Selector } from "./lib/model/selector.ts";
export type {
  DiffBaseStorage,
  EssenceNote,
  FetchEssenceOptions,
  FetchOptions,
  Garbage,
  Persistence,
  ProgressRecord,
  ProgressStorage,
  ProgressTarget,
} from "./lib/settings/persistence/storage.ts";
export { MultiDiffBase, type MultiOptions, MultiProgress } from "./lib/settings/persistence/multi.ts";
export {
  annotationsDiffBase,
  type AnnotationsDiffBaseOptions,
  type DiffBaseOptions,
  statusDiffBase,
  type StatusDiffBaseOptions,
} from "./lib/settings/persistence/diff_base.ts";
export type { KeyForm } from "./lib/settings/persistence/annotations.ts";
export {
  annotations,
  type AnnotationsOptions,
  kopf,
  type KopfOptions,
  migrate,
  type MigrateOptions,
  type NotesOptions,
  status,
  type StatusOptions,
} from "./lib/settings/persistence/presets.ts";
export {
  AnnotationsProgress,
  type AnnotationsProgressOptions,
  StatusProgress,
  type StatusProgressOptions,
} from "./lib/settings/persistence/progress.ts";
export type { RecordForm } from "./lib/settings/persistence/record.ts";
export type {
  AdmissionAnswer,
  AdmissionServer,
  AdmissionServerContext,
  AdmissionServerFn,
  AdmissionServerObject,
  CertificateValidity,
  ReviewFn,
  ReviewHints,
  WebhookClientConfig,
} from "./lib/settings/admission_server.ts";
export type * from "./lib/settings/sections.ts";
