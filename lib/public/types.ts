/**
 * `@lotse/lotse/types`: types that the types of the main door are made from. Programs seldom name them.
 *
 * @module
 */

export type { CronOptions, CronSchedule } from "../model/cron.ts";
export type { Before, ChangeArguments, DeclareField } from "../handlers/change/change_handler.ts";
export type { Declare, Manners, Takes } from "../handlers/on.ts";
export type { DeclareActivity, LoginResult } from "../handlers/activity/activity_handler.ts";
export type { DeclareIndex } from "../handlers/index/index_handler.ts";
export type { SeenBy, SubFn, SubOptions } from "../handlers/change/change_handler.ts";
export type { LedgerCall, LedgerEntry, LedgerHandler, LedgerRecord } from "../engines/ledger.ts";
export type { BackgroundOptions } from "../handlers/background/background_handler.ts";
export type { ChangeHandlerCause, OptionsOfCause } from "../handlers/change/change_handler.ts";
export type {
  Addressable,
  DeepReadonly,
  FieldOf,
  FieldPathOf,
  FieldValue,
  PathOf,
  PathOfObject,
  Present,
  ValueAt,
} from "../registry/field_paths.ts";
export type {
  PredicateArguments,
  ReconcileFn,
  ReconcileResult,
  Requeue,
} from "../handlers/reconcile/reconcile_handler.ts";
export type {
  ChildHandlerArguments,
  ChildHandlerOptions,
  DeclareChild,
} from "../handlers/child/child_handler.ts";
export type {
  DeclareOwns,
  DeclareWatches,
  Mapper,
  OwnsOptions,
  RelatedChange,
  WatchesOptions,
} from "../handlers/reconcile/source_handler.ts";
export type {
  Cache,
  CachedView,
  CacheIndex,
  CacheListOptions,
  CacheOptions,
  DeclareCache,
} from "../handlers/cache.ts";
export type { TargetAddress, TriggerTarget } from "../handlers/reconcile/targets.ts";
export type { ExponentialBackoff, HandlerBackoff } from "../execution/handler_backoff.ts";
export type { RateLimit, ReconcileReason } from "../handlers/reconcile/reconcile_record.ts";
export type { IndexKey, IndexOf, IndexValue, SingleValue } from "../handlers/index/index_handle.ts";
export type { DeclaredHandler } from "../registry/declared.ts";
export type { Kinds } from "../kits/kinds/kinds.ts";
export type {
  ColumnOptions,
  Conversion,
  ConvertedParts,
  FurtherVersionOptions,
  InputOf,
  JsonSchemaConverter,
  JsonSchemaOptions,
  OutputOf,
  RuleOptions,
  ScaleOptions,
  SchemaLike,
  StandardJsonSchema,
  VersionedObject,
  VersionOptions,
} from "../registry/schemas.ts";
export type { DiffOperation } from "../model/diff.ts";
export type { StatusBody } from "../model/object.ts";
export type { PatchFunction, PatchOfMeta } from "../model/patch.ts";
export type { ResourcePredicate, Selector, SelectorTerm } from "../model/selector.ts";
export type { HandlerCall } from "../engines/calls.ts";
export type { Candidate, LifecycleContext } from "../execution/lifecycle.ts";
export type { Postable, TypedPostOptions } from "../operator/events.ts";
export type {
  AppliedFields,
  EvictOptions,
  JsonPatchOperation,
  LogOptions,
  PartAddress,
  PartOf,
  PatchOptions,
  Preconditions,
  RemoveManyOptions,
  RemoveOptions,
  ReplaceOptions,
  Scale,
  ServiceAccountToken,
  TokenOptions,
  WaitCondition,
  WaitOptions,
  WatchScope,
} from "../registry/api.ts";
export type { WriteOptions } from "../client/client.ts";
export type { ExecOptions, ExecResult } from "../client/exec.ts";
export type { ReplicasOption } from "../operator/run_options.ts";
export type { MissingRight } from "../client/errors.ts";
export type { ConditionOptions } from "../registry/object_conditions.ts";
export type { ObjectOf, STANZAS, Stanzas, StanzasOf } from "../registry/stanzas.ts";
export type { DeclareTask, TaskArguments, TaskOptions } from "../handlers/task/task_handler.ts";
export type {
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  LabelValues,
  MetricOptions,
  MetricsMaker,
} from "../engines/metrics/custom.ts";
export type { Offload, OffloadOptions } from "../operator/offload.ts";
export type { Explanation, Look, Question } from "../operator/why.ts";
export type { Queued, QueuedObject } from "../controller/work_queue.ts";
