/** What the package exports, by door; and how to read it off a module. */

/** How many names the main door may have. */
export const MOST = 100;

/** Returns the names that a module exports, sorted. `export *` without a name is not understood: no door has it. */
export function namesIn(source: string): string[] {
  const text = source.replaceAll(/\/\*\*[^]*?\*\//g, "");
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim().replace(/^type /, "").replace(/^\w+ as /, ""))
  );
  const declared = [
    ...text.matchAll(/^export (?:\* as|interface|type|class|const|function|async function) (\w+)/gm),
  ].map(([, name = ""]) => name);
  return [...listed, ...declared].filter((name) => name !== "").sort();
}

/** The names behind each door. */
export const SURFACE: Readonly<Record<string, string>> = {
  ".": `
    ABSENT ActivityArguments ActivityError ActivityName ActivityOptions Address AdmissionError
    AdmissionFilterArguments AdmissionHandlerArguments AdmissionOperation AdmissionOptions Api ApiError
    Applied ApplyOptions AttemptArguments CallOptions ChangeFilterArguments ChangeFilterOptions
    ChangeHandlerArguments ChangeOptions Condition Conditions ConnectionInfo DaemonHandlerArguments
    DaemonOptions DeleteOptions Diff DiffItem EVERYTHING ErrorsMode Essence EventFilterArguments
    EventHandlerArguments EventOptions Events FilterOptions GivenCredentials HandlerOptions
    HandlerRetriesError HandlerTimeoutError Host Index IndexArguments IndexOptions JsonObject KubeObject
    Lifecycle ListOptions LogLevel Logger LoginError MetaFilter NewObject ObjectArguments ObjectMeta
    ObjectPatch ObjectReference On Operator OperatorOptions OwnerReference PRESENT Patch PatchOf
    PermanentError PlainMemo PostOptions Reason ReconcileArguments ReconcileOptions Resource
    ResourceLike ResourceOptions ResourceType RetryOptions RunOptions Seconds Settings SettingsOverrides
    StopReason Stopped Sub SubOutcome SubRunOptions TemporaryError TimerOptions UserInfo ValueFilter WatchEvent cron exponential
    isOperator kinds lifecycles operator ownerReference persistence resource webhookServer`,
  "./cli": `
    main
  `,
  "./executable": `
    EmbeddedFile ExecutableOptions runExecutable startExecutable
  `,
  "./admission": `
    AdmissionAnswer AdmissionServer AdmissionServerContext AdmissionServerFn AdmissionServerObject
    CertificateValidity ConversionAnswer ConvertFn ReviewError ReviewFn ReviewHints ServedCertificate WebhookClientConfig WebhookServerOptions
    webhookServer
  `,
  "./children": `
    AnyChild AnyReadiness Child ChildMeta ChildOptions Children ChildrenError ChildrenOptions ChildrenState DesiredChildren
    FailedChild LiveChild LiveChildren LiveObject Manifest Readiness TypedManifest WaitedFor child hasCondition hasLoadBalancer
    isAvailable isClaimBound isDaemonSetReady isDefinitionServed isDeploymentReady isJobComplete isPodReady
    isReady isStatefulSetReady
  `,
  "./client": `
    ApiClass ApplyConflictError ConnectionInfo Credentials FieldConflict GivenCredentials Impersonation
    KubeConfigCluster KubeConfigLike KubeConfigUser LoginInfo LoginSource loginWithKubeconfig
    loginWithServiceAccount
  `,
  "./filters": `
    ChangeFilterOptions FilterOptions MetaFilter ValueFilter all any none not
  `,
  "./hierarchies": `
    AdoptOptions Child ChildMeta Children LabelOptions NamespaceOptions NamingOptions NestedPath
    ObjectReference OwnOptions Owner OwnerOption OwnerReferenceOptions Referable addOwnerReference
    adjustNamespace adopt disown harmonizeNaming label objectReference own ownerReference
    removeOwnerReference
  `,
  "./host": `
    Block Clock ConnectOptions Connection Files Host HttpRequest HttpResponse LogFields LogLevel LogReference
    Logger LoggerChild Network Peer Process Random RunOptions RunResult Seconds ServeOptions Server
    ServerLimits ServerTls Terminal TerminalOptions currentHost
  `,
  "./peering": `
    FreezePeersOptions ResumePeersOptions detectIdentity freezePeers resumePeers
  `,
  "./persistence": `
    AnnotationNotesOptions AnnotationsOptions AutoOptions CombineOptions DiffBaseStorage EssenceNote
    FetchEssenceOptions FetchOptions FieldPath FieldSpec ForeignNote KeyForm KopfOptions MigrateOptions
    Notes NotesOptions NotesRoom Persistence ProgressRecord ProgressStorage ProgressTarget RecordForm
    Restored RestoredOptions StatusNotesOptions StatusOptions UnreadableRecord annotationNotes annotations
    auto combineNotes kopf migrate status statusNotes
  `,
  "./settings": `
    AdmissionSettings BackgroundSettings Backoffs ByKind ExecutionSettings NetworkingSettings
    MemoryMode ObjectTransform PeeringSettings PersistenceSettings PostingSettings ProbingSettings ProcessSettings QueueingSettings
    ReplicasSettings ScanningSettings SelectorTexts Settings SettingsOverrides WatcherSettings WatchingSettings
  `,
  "./types": `
    Addressable AppliedFields BackgroundOptions Before Cache CacheIndex CacheListOptions CacheOptions
    CachedView Candidate ChangeArguments ChangeHandlerCause ChildHandlerArguments ChildHandlerOptions
    ColumnOptions ConditionOptions Conversion ConvertedParts Counter CronOptions CronSchedule Declare DeclareActivity
    DeclareCache DeclareChild DeclareField DeclareIndex DeclareOwns DeclareTask DeclareWatches
    DeclaredHandler DeepReadonly DiffOperation EvictOptions ExecOptions ExecResult Explanation
    ExponentialBackoff FieldOf
    FieldPathOf FieldValue FurtherVersionOptions Gauge HandlerBackoff HandlerCall Histogram
    HistogramOptions IndexKey IndexOf IndexValue InputOf JsonPatchOperation JsonSchemaConverter
    JsonSchemaOptions Kinds LabelValues LedgerCall LedgerEntry LedgerHandler LedgerRecord
    LifecycleContext LogOptions LoginResult Look Manners Mapper MetricOptions MetricsMaker MissingRight
    ObjectOf Offload OffloadOptions OptionsOfCause OutputOf OwnsOptions PartAddress PartOf PatchFunction
    PatchOfMeta PatchOptions PathOf PathOfObject Postable Preconditions PredicateArguments Present
    Question Queued QueuedObject RateLimit ReconcileFn ReconcileReason ReconcileResult RelatedChange
    RemoveManyOptions RemoveOptions ReplaceOptions ReplicasOption Requeue ResourcePredicate RuleOptions
    STANZAS Scale ScaleOptions SchemaLike SeenBy Selector SelectorTerm ServiceAccountToken SingleValue
    StandardJsonSchema Stanzas StanzasOf StatusBody SubFn SubOptions Takes TargetAddress TaskArguments
    TaskOptions TokenOptions TriggerTarget TypedPostOptions ValueAt VersionOptions VersionedObject
    WaitCondition WaitOptions WatchScope WatchesOptions WriteOptions
  `,
  "./testing": `
    Action ClockStep Cluster ClusterOfTest ConnectedCluster Counterexample CreateStep DeleteStep EditStep
    Expected ExpectedPart Exploration ExplorationError ExplorationProgress ExploreOptions FailStep Finding
    Found GapStep GlobalName HandlerCall HarmStep HoldStep Invariant KillMoment KillStep LaboratoryOptions
    LagStep LeaseStep LogRecord Manifest Manifests ObjectSource PauseStep Plan PlannedObject RealCluster
    RealClusterOptions RequestFault RestartStep RestingWorld Runnable Runner ServedCluster SimulateOptions
    SimulatedFaults SimulatedOperator Simulation SimulationError SimulationProgress Snapshot StartOptions
    Step SuspendStep TestCluster TestClusterOptions TestReplica UntilOptions VirtualClock VirtualFetch
    VirtualHost VirtualHostOptions VirtualNetwork VirtualProcess VirtualProgram WatchStep WriteStep explore
    realCluster simulate start testCluster virtualHost
  `,
  "./apiserver": `
    AnswerFault ApiServer ApiServerOptions ApiUser Authority CertificateOptions CopiedObjects CutFault DelayFault DuplicateFault
    ErrorEventFault Fault FaultRule FaultTime FaultedRequest Faults ForkOptions InjectedFault IssuedCertificate KeptApiServer
    LagFault RefuseFault ReorderFault ResetFault RestartOptions ServeApiOptions ServedApi ServerCertificate SilenceFault
    StartApiServerOptions StartedApiServer StateError Strike WorkloadsOptions apiServer copiedApiServer openApiServer startApiServer
  `,
  "./kubernetes": `
    APIService APIServiceCondition APIServiceSpec APIServiceStatus AWSElasticBlockStoreVolumeSource
    Affinity AggregationRule AllocatedDeviceStatus AllocationResult ApiextensionsServiceReference
    ApiextensionsWebhookClientConfig ApiregistrationServiceReference AppArmorProfile ApplyConfiguration
    AttachedVolume AuditAnnotation AzureDiskVolumeSource AzureFilePersistentVolumeSource
    AzureFileVolumeSource CELDeviceSelector CSIDriver CSIDriverSpec CSINode CSINodeDriver CSINodeSpec
    CSIPersistentVolumeSource CSIStorageCapacity CSIVolumeSource Capabilities CapacityRequestPolicy
    CapacityRequestPolicyRange CapacityRequirements CephFSPersistentVolumeSource CephFSVolumeSource
    CertificateSigningRequest CertificateSigningRequestCondition CertificateSigningRequestSpec
    CertificateSigningRequestStatus CinderPersistentVolumeSource CinderVolumeSource ClientIPConfig
    ClusterRole ClusterRoleBinding ClusterTrustBundleProjection Condition ConfigMap ConfigMapEnvSource
    ConfigMapKeySelector ConfigMapNodeConfigSource ConfigMapProjection ConfigMapVolumeSource Container
    ContainerExtendedResourceRequest ContainerImage ContainerPort ContainerResizePolicy
    ContainerResourceMetricSource ContainerResourceMetricStatus ContainerRestartRule
    ContainerRestartRuleOnExitCodes ContainerState ContainerStateRunning ContainerStateTerminated
    ContainerStateWaiting ContainerStatus ContainerUser ControllerRevision CoreResourceClaim Counter
    CounterSet CronJob CronJobSpec CronJobStatus CrossVersionObjectReference
    CustomResourceColumnDefinition CustomResourceConversion CustomResourceDefinition
    CustomResourceDefinitionCondition CustomResourceDefinitionNames CustomResourceDefinitionSpec
    CustomResourceDefinitionStatus CustomResourceDefinitionVersion CustomResourceSubresourceScale
    CustomResourceSubresourceStatus CustomResourceSubresources CustomResourceValidation DaemonEndpoint
    DaemonSet DaemonSetCondition DaemonSetSpec DaemonSetStatus DaemonSetUpdateStrategy Deployment
    DeploymentCondition DeploymentSpec DeploymentStatus DeploymentStrategy Device
    DeviceAllocationConfiguration DeviceAllocationResult DeviceAttribute DeviceCapacity DeviceClaim
    DeviceClaimConfiguration DeviceClass DeviceClassConfiguration DeviceClassSpec DeviceConstraint
    DeviceCounterConsumption DeviceRequest DeviceRequestAllocationResult DeviceSelector DeviceSubRequest
    DeviceTaint DeviceToleration DiscoveryEndpointPort DownwardAPIProjection DownwardAPIVolumeFile
    DownwardAPIVolumeSource EmptyDirVolumeSource Endpoint EndpointAddress EndpointConditions EndpointHints
    EndpointPort EndpointSlice EndpointSubset Endpoints EnvFromSource EnvVar EnvVarSource
    EphemeralContainer EphemeralVolumeSource Event EventSeries EventSource ExactDeviceRequest ExecAction
    ExemptPriorityLevelConfiguration ExpressionWarning ExternalDocumentation ExternalMetricSource
    ExternalMetricStatus FCVolumeSource FieldSelectorAttributes FieldSelectorRequirement FileKeySelector
    FlexPersistentVolumeSource FlexVolumeSource FlockerVolumeSource FlowDistinguisherMethod FlowSchema
    FlowSchemaCondition FlowSchemaSpec FlowSchemaStatus FlowcontrolSubject ForNode ForZone
    GCEPersistentDiskVolumeSource GRPCAction GitRepoVolumeSource GlusterfsPersistentVolumeSource
    GlusterfsVolumeSource GroupSubject HPAScalingPolicy HPAScalingRules HTTPGetAction HTTPHeader
    HTTPIngressPath HTTPIngressRuleValue HorizontalPodAutoscaler HorizontalPodAutoscalerBehavior
    HorizontalPodAutoscalerCondition HorizontalPodAutoscalerSpec HorizontalPodAutoscalerStatus HostAlias
    HostIP HostPathVolumeSource IPAddress IPAddressSpec IPBlock ISCSIPersistentVolumeSource
    ISCSIVolumeSource ImageVolumeSource ImageVolumeStatus Ingress IngressBackend IngressClass
    IngressClassParametersReference IngressClassSpec IngressLoadBalancerIngress IngressLoadBalancerStatus
    IngressPortStatus IngressRule IngressServiceBackend IngressSpec IngressStatus IngressTLS JSONPatch
    JSONSchemaProps Job JobCondition JobSpec JobStatus JobTemplateSpec KeyToPath LabelSelector
    LabelSelectorAttributes LabelSelectorRequirement Lease LeaseSpec Lifecycle LifecycleHandler LimitRange
    LimitRangeItem LimitRangeSpec LimitResponse LimitedPriorityLevelConfiguration LinuxContainerUser
    LoadBalancerIngress LoadBalancerStatus LocalObjectReference LocalSubjectAccessReview LocalVolumeSource
    MatchCondition MatchResources MetricIdentifier MetricSpec MetricStatus MetricTarget MetricValueStatus
    ModifyVolumeStatus MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
    MutatingAdmissionPolicyBindingSpec MutatingAdmissionPolicySpec MutatingWebhook
    MutatingWebhookConfiguration Mutation NFSVolumeSource NamedRuleWithOperations Namespace
    NamespaceCondition NamespaceSpec NamespaceStatus NetworkDeviceData NetworkPolicy
    NetworkPolicyEgressRule NetworkPolicyIngressRule NetworkPolicyPeer NetworkPolicyPort NetworkPolicySpec
    Node NodeAddress NodeAffinity NodeAllocatableResourceClaimStatus NodeAllocatableResourceMapping
    NodeCondition NodeConfigSource NodeConfigStatus NodeDaemonEndpoints NodeFeatures NodeRuntimeHandler
    NodeRuntimeHandlerFeatures NodeSelector NodeSelectorRequirement NodeSelectorTerm NodeSpec NodeStatus
    NodeSwapStatus NodeSystemInfo NonResourceAttributes NonResourcePolicyRule NonResourceRule
    ObjectFieldSelector ObjectMetricSource ObjectMetricStatus ObjectReference OpaqueDeviceConfiguration
    Overhead ParamKind ParamRef ParentReference PersistentVolume PersistentVolumeClaim
    PersistentVolumeClaimCondition PersistentVolumeClaimSpec PersistentVolumeClaimStatus
    PersistentVolumeClaimTemplate PersistentVolumeClaimVolumeSource PersistentVolumeSpec
    PersistentVolumeStatus PhotonPersistentDiskVolumeSource Pod PodAffinity PodAffinityTerm
    PodAntiAffinity PodCertificateProjection PodCondition PodDNSConfig PodDNSConfigOption
    PodDisruptionBudget PodDisruptionBudgetSpec PodDisruptionBudgetStatus PodExtendedResourceClaimStatus
    PodFailurePolicy PodFailurePolicyOnExitCodesRequirement PodFailurePolicyOnPodConditionsPattern
    PodFailurePolicyRule PodIP PodOS PodReadinessGate PodResourceClaim PodResourceClaimStatus
    PodSchedulingGate PodSchedulingGroup PodSecurityContext PodSpec PodStatus PodTemplate PodTemplateSpec
    PodsMetricSource PodsMetricStatus PolicyRule PolicyRulesWithSubjects PortStatus PortworxVolumeSource
    PreferredSchedulingTerm PriorityClass PriorityLevelConfiguration PriorityLevelConfigurationCondition
    PriorityLevelConfigurationReference PriorityLevelConfigurationSpec PriorityLevelConfigurationStatus
    Probe ProjectedVolumeSource QueuingConfiguration QuobyteVolumeSource RBDPersistentVolumeSource
    RBDVolumeSource ReplicaSet ReplicaSetCondition ReplicaSetSpec ReplicaSetStatus ReplicationController
    ReplicationControllerCondition ReplicationControllerSpec ReplicationControllerStatus
    ResourceAttributes ResourceClaim ResourceClaimConsumerReference ResourceClaimSpec ResourceClaimStatus
    ResourceClaimTemplate ResourceClaimTemplateSpec ResourceFieldSelector ResourceHealth
    ResourceMetricSource ResourceMetricStatus ResourcePolicyRule ResourcePool ResourceQuota
    ResourceQuotaSpec ResourceQuotaStatus ResourceRequirements ResourceRule ResourceSlice
    ResourceSliceSpec ResourceStatus Role RoleBinding RoleRef RollingUpdateDaemonSet
    RollingUpdateDeployment RollingUpdateStatefulSetStrategy RuleWithOperations RuntimeClass
    SELinuxOptions ScaleIOPersistentVolumeSource ScaleIOVolumeSource Scheduling ScopeSelector
    ScopedResourceSelectorRequirement SeccompProfile Secret SecretEnvSource SecretKeySelector
    SecretProjection SecretReference SecretVolumeSource SecurityContext SelectableField
    SelfSubjectAccessReview SelfSubjectAccessReviewSpec SelfSubjectReview SelfSubjectReviewStatus
    SelfSubjectRulesReview SelfSubjectRulesReviewSpec Service ServiceAccount ServiceAccountSubject
    ServiceAccountTokenProjection ServiceBackendPort ServiceCIDR ServiceCIDRSpec ServiceCIDRStatus
    ServicePort ServiceReference ServiceSpec ServiceStatus SessionAffinityConfig SleepAction StatefulSet
    StatefulSetCondition StatefulSetOrdinals StatefulSetPersistentVolumeClaimRetentionPolicy
    StatefulSetSpec StatefulSetStatus StatefulSetUpdateStrategy StorageClass
    StorageOSPersistentVolumeSource StorageOSVolumeSource Subject SubjectAccessReview
    SubjectAccessReviewSpec SubjectAccessReviewStatus SubjectRulesReviewStatus SuccessPolicy
    SuccessPolicyRule Sysctl TCPSocketAction Taint TokenRequest TokenReview TokenReviewSpec
    TokenReviewStatus Toleration TopologySelectorLabelRequirement TopologySelectorTerm
    TopologySpreadConstraint TypeChecking TypedLocalObjectReference TypedObjectReference
    UncountedTerminatedPods UserInfo UserSubject ValidatingAdmissionPolicy
    ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingSpec ValidatingAdmissionPolicySpec
    ValidatingAdmissionPolicyStatus ValidatingWebhook ValidatingWebhookConfiguration Validation
    ValidationRule Variable Volume VolumeAttachment VolumeAttachmentSource VolumeAttachmentSpec
    VolumeAttachmentStatus VolumeAttributesClass VolumeDevice VolumeError VolumeMount VolumeMountStatus
    VolumeNodeAffinity VolumeNodeResources VolumeProjection VolumeResourceRequirements VolumeStatus
    VsphereVirtualDiskVolumeSource WebhookClientConfig WebhookConversion WeightedPodAffinityTerm
    WindowsSecurityContextOptions
  `,
};
