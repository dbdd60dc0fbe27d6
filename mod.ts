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

export type { Address, Api, Applied, ApplyOptions, NewObject, ObjectPatch } from "./lib/registry/api.ts";
export type { Events, PostOptions } from "./lib/operator/events.ts";
export { isOperator, type Operator, type OperatorOptions } from "./lib/operator/operator.ts";
export { operator } from "./lib/public/operator.ts";
export type { RunOptions } from "./lib/operator/run_options.ts";
export { webhookServer } from "./lib/handlers/admission/webhook_server.ts";
export { ActivityError } from "./lib/handlers/activity/activity_run.ts";
export { ApiError, LoginError } from "./lib/client/errors.ts";
export {
  AdmissionError,
  type ErrorsMode,
  HandlerRetriesError,
  HandlerTimeoutError,
  PermanentError,
  TemporaryError,
} from "./lib/execution/errors.ts";
export { cron } from "./lib/model/cron.ts";
export { exponential } from "./lib/execution/handler_backoff.ts";
export type { Lifecycle } from "./lib/execution/lifecycle.ts";
/** Which of several handlers run in one go: `operator({ lifecycle: lifecycles.allAtOnce })`. Default: `asap`. */
export * as lifecycles from "./lib/execution/lifecycle.ts";
/** Where notes are kept on objects: `operator({ persistence: persistence.status() })`. Default: `annotations()`. */
export * as persistence from "./lib/settings/persistence/presets.ts";
export type { ActivityArguments } from "./lib/handlers/activity/activity_handler.ts";
export type {
  AdmissionFilterArguments,
  AdmissionHandlerArguments,
} from "./lib/handlers/admission/admission_handler.ts";
export type { AttemptArguments, ObjectArguments, PlainMemo } from "./lib/handlers/arguments.ts";
export type {
  ChangeFilterArguments,
  ChangeHandlerArguments,
  Essence,
  Sub,
  SubOutcome,
  SubRunOptions,
} from "./lib/handlers/change/change_handler.ts";
export type { DaemonHandlerArguments, StopReason } from "./lib/handlers/background/background_handler.ts";
export type { EventFilterArguments, EventHandlerArguments } from "./lib/handlers/event/event_handler.ts";
export type { IndexArguments } from "./lib/handlers/index/index_handler.ts";
export type { Reason } from "./lib/handlers/change/change_cause.ts";
export type { UserInfo } from "./lib/handlers/admission/admission_handler.ts";
export type { Conditions } from "./lib/registry/object_conditions.ts";
export {
  ABSENT,
  type ChangeFilterOptions,
  type FilterOptions,
  type MetaFilter,
  PRESENT,
  type ValueFilter,
} from "./lib/handlers/filters.ts";
export type { ActivityName } from "./lib/handlers/activity/activity_handler.ts";
export type { AdmissionOperation } from "./lib/handlers/admission/admission_handler.ts";
export type { HandlerOptions, RetryOptions } from "./lib/handlers/handlers.ts";
export type { Index } from "./lib/handlers/index/index_handle.ts";
export { kinds } from "./lib/kits/kinds/kinds.ts";
export type { On } from "./lib/handlers/on.ts";
export type { ActivityOptions } from "./lib/handlers/activity/activity_handler.ts";
export type { AdmissionOptions } from "./lib/handlers/admission/admission_handler.ts";
export type { ChangeOptions } from "./lib/handlers/change/change_handler.ts";
export type { DaemonOptions, TimerOptions } from "./lib/handlers/background/background_handler.ts";
export type { EventOptions } from "./lib/handlers/event/event_handler.ts";
export type { IndexOptions } from "./lib/handlers/index/index_handler.ts";
export type { ReconcileArguments, ReconcileOptions } from "./lib/handlers/reconcile/reconcile_handler.ts";
export {
  resource,
  type ResourceLike,
  type ResourceOptions,
  type ResourceType,
} from "./lib/registry/resource.ts";
export type { Stopped } from "./lib/async/stop_flag.ts";
export type { CallOptions, DeleteOptions, ListOptions } from "./lib/client/client.ts";
export type { ConnectionInfo } from "./lib/client/auth/connection_info.ts";
export type { GivenCredentials } from "./lib/client/auth/login.ts";
export type { Condition } from "./lib/model/conditions.ts";
export type { Diff, DiffItem } from "./lib/model/diff.ts";
export type { JsonObject, KubeObject, ObjectMeta, OwnerReference, WatchEvent } from "./lib/model/object.ts";
export { Patch, type PatchOf } from "./lib/model/patch.ts";
export { type ObjectReference, ownerReference } from "./lib/model/references.ts";
export type { Resource } from "./lib/model/resource.ts";
export { EVERYTHING } from "./lib/model/selector.ts";
export type { Host, Seconds } from "./lib/runtime/host.ts";
export type { Logger, LogLevel } from "./lib/runtime/logging.ts";
export type { Settings, SettingsOverrides } from "./lib/settings/sections.ts";
