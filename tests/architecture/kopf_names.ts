/** What a user of Kopf 1.45 may look for on the page for users of Kopf: each public name, setting and option. */

/** `kopf.__all__`, without modules. */
export const NAMES: readonly string[] = `
  subhandler register execute daemon timer index configure LogFormat login_via_pykube login_via_client
  login_via_async_client login_with_kubeconfig login_with_service_account LoginError ConnectionInfo AiohttpSession event
  info warn exception spawn_tasks run_tasks operator run adopt label not_ all_ any_ none_ get_default_lifecycle
  set_default_lifecycle build_object_reference build_owner_reference append_owner_reference remove_owner_reference
  ErrorsMode AdmissionError WebhookClientConfigService WebhookClientConfig Operation UserInfo Headers SSLPeer WebhookFn
  WebhookServerProtocol WebhookServer WebhookK3dServer WebhookMinikubeServer WebhookDockerDesktopServer
  WebhookNgrokTunnel WebhookAutoServer WebhookAutoTunnel PermanentError TemporaryError HandlerTimeoutError
  HandlerRetriesError OperatorRegistry get_default_registry set_default_registry PRESENT ABSENT OperatorSettings
  DiffBaseStorage AnnotationsDiffBaseStorage StatusDiffBaseStorage MultiDiffBaseStorage ProgressRecord ProgressStorage
  AnnotationsProgressStorage StatusProgressStorage MultiProgressStorage SmartProgressStorage RawEventType RawEvent
  RawBody Status Spec Meta Body BodyEssence Labels Annotations ObjectReference OwnerReference Memo Index Store Logger
  ObjectLogger LocalObjectLogger FieldSpec FieldPath Diff DiffItem DiffOperation HandlerId Reason Patch PatchFn
  DaemonStopped DaemonStoppingReason SyncDaemonStopperChecker AsyncDaemonStopperChecker Resource EVERYTHING
  lifecycles harmonize_naming adjust_namespace KopfRunner
`.trim().split(/\s+/);

/** `kopf.on.*`. */
export const CAUSES: readonly string[] =
  "startup cleanup login probe validate mutate resume create update delete field index event daemon timer"
    .split(" ");

/** Sections of `OperatorSettings`, with their fields. */
export const SETTINGS: Readonly<Record<string, string>> = {
  process: "ultimate_exiting_timeout",
  posting:
    "enabled loggers level default_backoffs logging_backoffs worker_limit idle_timeout reporting_component reporting_instance event_name_prefix",
  peering: "name stealth priority lifetime mandatory standalone clusterwide namespaced",
  watching:
    "server_timeout client_timeout connect_timeout reconnect_backoff inactivity_timeout chunk_size initial_streaming label_selectors field_selectors shard_selectors",
  queueing: "worker_limit idle_timeout exit_timeout error_delays batch_window",
  scanning: "disabled",
  admission: "server managed",
  execution: "default_backoff executor max_workers",
  background: "cancellation_polling instant_exit_timeout instant_exit_zero_time_cycles",
  networking: "request_timeout connect_timeout error_backoffs enforce_retry_after trust_env",
  persistence: "finalizer progress_storage diffbase_storage consistency_timeout",
};

/** Options of `kopf run`, `freeze` and `resume`, and variables. */
export const OPTIONS: readonly string[] = `
  --verbose --debug --quiet --log-format --log-refkey --log-prefix --no-log-prefix --all-namespaces --namespace --standalone
  --dev --liveness --peering --priority --module --id --lifetime --message KOPF_RUN_PEERING KOPF_FREEZE_PEERING
  KOPF_RESUME_PEERING
`.trim().split(/\s+/);
