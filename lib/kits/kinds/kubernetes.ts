/**
 * The types of Kubernetes' own kinds, of their specs, statuses and parts, as of 1.36.
 *
 * Made by tools/kubernetes_types.ts; do not edit. Types only: nothing of it is there at run time. Where two groups have a
 * type of the same name, one of them begins with its group: `Subject`, `FlowcontrolSubject`.
 *
 * They are type aliases, not interfaces, so that they fit where any JSON object does.
 */

import type { JsonObject, ObjectMeta } from "../../model/object.ts";

/** `APIService` of apiregistration/v1. */
export type APIService = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: APIServiceSpec;
  status?: APIServiceStatus;
};

/** `APIServiceCondition` of apiregistration/v1. */
export type APIServiceCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `APIServiceSpec` of apiregistration/v1. */
export type APIServiceSpec = {
  caBundle?: string;
  group?: string;
  groupPriorityMinimum: number;
  insecureSkipTLSVerify?: boolean;
  service?: ApiregistrationServiceReference;
  version?: string;
  versionPriority: number;
};

/** `APIServiceStatus` of apiregistration/v1. */
export type APIServiceStatus = {
  conditions?: APIServiceCondition[];
};

/** `AWSElasticBlockStoreVolumeSource` of core/v1. */
export type AWSElasticBlockStoreVolumeSource = {
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
  volumeID: string;
};

/** `Affinity` of core/v1. */
export type Affinity = {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAntiAffinity;
};

/** `AggregationRule` of rbac/v1. */
export type AggregationRule = {
  clusterRoleSelectors?: LabelSelector[];
};

/** `AllocatedDeviceStatus` of resource/v1. */
export type AllocatedDeviceStatus = {
  conditions?: Condition[];
  data?: JsonObject;
  device: string;
  driver: string;
  networkData?: NetworkDeviceData;
  pool: string;
  shareID?: string;
};

/** `AllocationResult` of resource/v1. */
export type AllocationResult = {
  allocationTimestamp?: string;
  devices?: DeviceAllocationResult;
  nodeSelector?: NodeSelector;
};

/** `ServiceReference` of apiextensions/v1. */
export type ApiextensionsServiceReference = {
  name: string;
  namespace: string;
  path?: string;
  port?: number;
};

/** `WebhookClientConfig` of apiextensions/v1. */
export type ApiextensionsWebhookClientConfig = {
  caBundle?: string;
  service?: ApiextensionsServiceReference;
  url?: string;
};

/** `ServiceReference` of apiregistration/v1. */
export type ApiregistrationServiceReference = {
  name?: string;
  namespace?: string;
  port?: number;
};

/** `AppArmorProfile` of core/v1. */
export type AppArmorProfile = {
  localhostProfile?: string;
  type: string;
};

/** `ApplyConfiguration` of admissionregistration/v1. */
export type ApplyConfiguration = {
  expression?: string;
};

/** `AttachedVolume` of core/v1. */
export type AttachedVolume = {
  devicePath: string;
  name: string;
};

/** `AuditAnnotation` of admissionregistration/v1. */
export type AuditAnnotation = {
  key: string;
  valueExpression: string;
};

/** `AzureDiskVolumeSource` of core/v1. */
export type AzureDiskVolumeSource = {
  cachingMode?: string;
  diskName: string;
  diskURI: string;
  fsType?: string;
  kind?: string;
  readOnly?: boolean;
};

/** `AzureFilePersistentVolumeSource` of core/v1. */
export type AzureFilePersistentVolumeSource = {
  readOnly?: boolean;
  secretName: string;
  secretNamespace?: string;
  shareName: string;
};

/** `AzureFileVolumeSource` of core/v1. */
export type AzureFileVolumeSource = {
  readOnly?: boolean;
  secretName: string;
  shareName: string;
};

/** `CELDeviceSelector` of resource/v1. */
export type CELDeviceSelector = {
  expression: string;
};

/** `CSIDriver` of storage/v1. */
export type CSIDriver = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: CSIDriverSpec;
};

/** `CSIDriverSpec` of storage/v1. */
export type CSIDriverSpec = {
  attachRequired?: boolean;
  fsGroupPolicy?: string;
  nodeAllocatableUpdatePeriodSeconds?: number;
  podInfoOnMount?: boolean;
  preventPodSchedulingIfMissing?: boolean;
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  serviceAccountTokenInSecrets?: boolean;
  storageCapacity?: boolean;
  tokenRequests?: TokenRequest[];
  volumeLifecycleModes?: string[];
};

/** `CSINode` of storage/v1. */
export type CSINode = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: CSINodeSpec;
};

/** `CSINodeDriver` of storage/v1. */
export type CSINodeDriver = {
  allocatable?: VolumeNodeResources;
  name: string;
  nodeID: string;
  topologyKeys?: string[];
};

/** `CSINodeSpec` of storage/v1. */
export type CSINodeSpec = {
  drivers: CSINodeDriver[];
};

/** `CSIPersistentVolumeSource` of core/v1. */
export type CSIPersistentVolumeSource = {
  controllerExpandSecretRef?: SecretReference;
  controllerPublishSecretRef?: SecretReference;
  driver: string;
  fsType?: string;
  nodeExpandSecretRef?: SecretReference;
  nodePublishSecretRef?: SecretReference;
  nodeStageSecretRef?: SecretReference;
  readOnly?: boolean;
  volumeAttributes?: Record<string, string>;
  volumeHandle: string;
};

/** `CSIStorageCapacity` of storage/v1. */
export type CSIStorageCapacity = {
  apiVersion?: string;
  capacity?: number | string;
  kind?: string;
  maximumVolumeSize?: number | string;
  metadata?: ObjectMeta;
  nodeTopology?: LabelSelector;
  storageClassName: string;
};

/** `CSIVolumeSource` of core/v1. */
export type CSIVolumeSource = {
  driver: string;
  fsType?: string;
  nodePublishSecretRef?: LocalObjectReference;
  readOnly?: boolean;
  volumeAttributes?: Record<string, string>;
};

/** `Capabilities` of core/v1. */
export type Capabilities = {
  add?: string[];
  drop?: string[];
};

/** `CapacityRequestPolicy` of resource/v1. */
export type CapacityRequestPolicy = {
  default?: number | string;
  validRange?: CapacityRequestPolicyRange;
  validValues?: (number | string)[];
};

/** `CapacityRequestPolicyRange` of resource/v1. */
export type CapacityRequestPolicyRange = {
  max?: number | string;
  min: number | string;
  step?: number | string;
};

/** `CapacityRequirements` of resource/v1. */
export type CapacityRequirements = {
  requests?: Record<string, number | string>;
};

/** `CephFSPersistentVolumeSource` of core/v1. */
export type CephFSPersistentVolumeSource = {
  monitors: string[];
  path?: string;
  readOnly?: boolean;
  secretFile?: string;
  secretRef?: SecretReference;
  user?: string;
};

/** `CephFSVolumeSource` of core/v1. */
export type CephFSVolumeSource = {
  monitors: string[];
  path?: string;
  readOnly?: boolean;
  secretFile?: string;
  secretRef?: LocalObjectReference;
  user?: string;
};

/** `CertificateSigningRequest` of certificates/v1. */
export type CertificateSigningRequest = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
};

/** `CertificateSigningRequestCondition` of certificates/v1. */
export type CertificateSigningRequestCondition = {
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `CertificateSigningRequestSpec` of certificates/v1. */
export type CertificateSigningRequestSpec = {
  expirationSeconds?: number;
  extra?: Record<string, string[]>;
  groups?: string[];
  request: string;
  signerName: string;
  uid?: string;
  usages?: string[];
  username?: string;
};

/** `CertificateSigningRequestStatus` of certificates/v1. */
export type CertificateSigningRequestStatus = {
  certificate?: string;
  conditions?: CertificateSigningRequestCondition[];
};

/** `CinderPersistentVolumeSource` of core/v1. */
export type CinderPersistentVolumeSource = {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: SecretReference;
  volumeID: string;
};

/** `CinderVolumeSource` of core/v1. */
export type CinderVolumeSource = {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  volumeID: string;
};

/** `ClientIPConfig` of core/v1. */
export type ClientIPConfig = {
  timeoutSeconds?: number;
};

/** `ClusterRole` of rbac/v1. */
export type ClusterRole = {
  aggregationRule?: AggregationRule;
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  rules?: PolicyRule[];
};

/** `ClusterRoleBinding` of rbac/v1. */
export type ClusterRoleBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  roleRef: RoleRef;
  subjects?: Subject[];
};

/** `ClusterTrustBundleProjection` of core/v1. */
export type ClusterTrustBundleProjection = {
  labelSelector?: LabelSelector;
  name?: string;
  optional?: boolean;
  path: string;
  signerName?: string;
};

/** `Condition` of meta/v1. */
export type Condition = {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: string;
  type: string;
};

/** `ConfigMap` of core/v1. */
export type ConfigMap = {
  apiVersion?: string;
  binaryData?: Record<string, string>;
  data?: Record<string, string>;
  immutable?: boolean;
  kind?: string;
  metadata?: ObjectMeta;
};

/** `ConfigMapEnvSource` of core/v1. */
export type ConfigMapEnvSource = {
  name?: string;
  optional?: boolean;
};

/** `ConfigMapKeySelector` of core/v1. */
export type ConfigMapKeySelector = {
  key: string;
  name?: string;
  optional?: boolean;
};

/** `ConfigMapNodeConfigSource` of core/v1. */
export type ConfigMapNodeConfigSource = {
  kubeletConfigKey: string;
  name: string;
  namespace: string;
  resourceVersion?: string;
  uid?: string;
};

/** `ConfigMapProjection` of core/v1. */
export type ConfigMapProjection = {
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
};

/** `ConfigMapVolumeSource` of core/v1. */
export type ConfigMapVolumeSource = {
  defaultMode?: number;
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
};

/** `Container` of core/v1. */
export type Container = {
  args?: string[];
  command?: string[];
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  image?: string;
  imagePullPolicy?: string;
  lifecycle?: Lifecycle;
  livenessProbe?: Probe;
  name: string;
  ports?: ContainerPort[];
  readinessProbe?: Probe;
  resizePolicy?: ContainerResizePolicy[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  securityContext?: SecurityContext;
  startupProbe?: Probe;
  stdin?: boolean;
  stdinOnce?: boolean;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  tty?: boolean;
  volumeDevices?: VolumeDevice[];
  volumeMounts?: VolumeMount[];
  workingDir?: string;
};

/** `ContainerExtendedResourceRequest` of core/v1. */
export type ContainerExtendedResourceRequest = {
  containerName: string;
  requestName: string;
  resourceName: string;
};

/** `ContainerImage` of core/v1. */
export type ContainerImage = {
  names?: string[];
  sizeBytes?: number;
};

/** `ContainerPort` of core/v1. */
export type ContainerPort = {
  containerPort: number;
  hostIP?: string;
  hostPort?: number;
  name?: string;
  protocol?: string;
};

/** `ContainerResizePolicy` of core/v1. */
export type ContainerResizePolicy = {
  resourceName: string;
  restartPolicy: string;
};

/** `ContainerResourceMetricSource` of autoscaling/v2. */
export type ContainerResourceMetricSource = {
  container: string;
  name: string;
  target: MetricTarget;
};

/** `ContainerResourceMetricStatus` of autoscaling/v2. */
export type ContainerResourceMetricStatus = {
  container: string;
  current: MetricValueStatus;
  name: string;
};

/** `ContainerRestartRule` of core/v1. */
export type ContainerRestartRule = {
  action: string;
  exitCodes?: ContainerRestartRuleOnExitCodes;
};

/** `ContainerRestartRuleOnExitCodes` of core/v1. */
export type ContainerRestartRuleOnExitCodes = {
  operator: string;
  values?: number[];
};

/** `ContainerState` of core/v1. */
export type ContainerState = {
  running?: ContainerStateRunning;
  terminated?: ContainerStateTerminated;
  waiting?: ContainerStateWaiting;
};

/** `ContainerStateRunning` of core/v1. */
export type ContainerStateRunning = {
  startedAt?: string;
};

/** `ContainerStateTerminated` of core/v1. */
export type ContainerStateTerminated = {
  containerID?: string;
  exitCode: number;
  finishedAt?: string;
  message?: string;
  reason?: string;
  signal?: number;
  startedAt?: string;
};

/** `ContainerStateWaiting` of core/v1. */
export type ContainerStateWaiting = {
  message?: string;
  reason?: string;
};

/** `ContainerStatus` of core/v1. */
export type ContainerStatus = {
  allocatedResources?: Record<string, number | string>;
  allocatedResourcesStatus?: ResourceStatus[];
  containerID?: string;
  image: string;
  imageID: string;
  lastState?: ContainerState;
  name: string;
  ready: boolean;
  resources?: ResourceRequirements;
  restartCount: number;
  started?: boolean;
  state?: ContainerState;
  stopSignal?: string;
  user?: ContainerUser;
  volumeMounts?: VolumeMountStatus[];
};

/** `ContainerUser` of core/v1. */
export type ContainerUser = {
  linux?: LinuxContainerUser;
};

/** `ControllerRevision` of apps/v1. */
export type ControllerRevision = {
  apiVersion?: string;
  data?: JsonObject;
  kind?: string;
  metadata?: ObjectMeta;
  revision: number;
};

/** `ResourceClaim` of core/v1. */
export type CoreResourceClaim = {
  name: string;
  request?: string;
};

/** `Counter` of resource/v1. */
export type Counter = {
  value: number | string;
};

/** `CounterSet` of resource/v1. */
export type CounterSet = {
  counters: Record<string, Counter>;
  name: string;
};

/** `CronJob` of batch/v1. */
export type CronJob = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: CronJobSpec;
  status?: CronJobStatus;
};

/** `CronJobSpec` of batch/v1. */
export type CronJobSpec = {
  concurrencyPolicy?: string;
  failedJobsHistoryLimit?: number;
  jobTemplate: JobTemplateSpec;
  schedule: string;
  startingDeadlineSeconds?: number;
  successfulJobsHistoryLimit?: number;
  suspend?: boolean;
  timeZone?: string;
};

/** `CronJobStatus` of batch/v1. */
export type CronJobStatus = {
  active?: ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
};

/** `CrossVersionObjectReference` of autoscaling/v2. */
export type CrossVersionObjectReference = {
  apiVersion?: string;
  kind: string;
  name: string;
};

/** `CustomResourceColumnDefinition` of apiextensions/v1. */
export type CustomResourceColumnDefinition = {
  description?: string;
  format?: string;
  jsonPath: string;
  name: string;
  priority?: number;
  type: string;
};

/** `CustomResourceConversion` of apiextensions/v1. */
export type CustomResourceConversion = {
  strategy: string;
  webhook?: WebhookConversion;
};

/** `CustomResourceDefinition` of apiextensions/v1. */
export type CustomResourceDefinition = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: CustomResourceDefinitionSpec;
  status?: CustomResourceDefinitionStatus;
};

/** `CustomResourceDefinitionCondition` of apiextensions/v1. */
export type CustomResourceDefinitionCondition = {
  lastTransitionTime?: string;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status: string;
  type: string;
};

/** `CustomResourceDefinitionNames` of apiextensions/v1. */
export type CustomResourceDefinitionNames = {
  categories?: string[];
  kind: string;
  listKind?: string;
  plural: string;
  shortNames?: string[];
  singular?: string;
};

/** `CustomResourceDefinitionSpec` of apiextensions/v1. */
export type CustomResourceDefinitionSpec = {
  conversion?: CustomResourceConversion;
  group: string;
  names: CustomResourceDefinitionNames;
  preserveUnknownFields?: boolean;
  scope: string;
  versions: CustomResourceDefinitionVersion[];
};

/** `CustomResourceDefinitionStatus` of apiextensions/v1. */
export type CustomResourceDefinitionStatus = {
  acceptedNames?: CustomResourceDefinitionNames;
  conditions?: CustomResourceDefinitionCondition[];
  observedGeneration?: number;
  storedVersions?: string[];
};

/** `CustomResourceDefinitionVersion` of apiextensions/v1. */
export type CustomResourceDefinitionVersion = {
  additionalPrinterColumns?: CustomResourceColumnDefinition[];
  deprecated?: boolean;
  deprecationWarning?: string;
  name: string;
  schema?: CustomResourceValidation;
  selectableFields?: SelectableField[];
  served: boolean;
  storage: boolean;
  subresources?: CustomResourceSubresources;
};

/** `CustomResourceSubresourceScale` of apiextensions/v1. */
export type CustomResourceSubresourceScale = {
  labelSelectorPath?: string;
  specReplicasPath: string;
  statusReplicasPath: string;
};

/** `CustomResourceSubresourceStatus` of apiextensions/v1. */
export type CustomResourceSubresourceStatus = JsonObject;

/** `CustomResourceSubresources` of apiextensions/v1. */
export type CustomResourceSubresources = {
  scale?: CustomResourceSubresourceScale;
  status?: CustomResourceSubresourceStatus;
};

/** `CustomResourceValidation` of apiextensions/v1. */
export type CustomResourceValidation = {
  openAPIV3Schema?: JSONSchemaProps;
};

/** `DaemonEndpoint` of core/v1. */
export type DaemonEndpoint = {
  Port: number;
};

/** `DaemonSet` of apps/v1. */
export type DaemonSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
};

/** `DaemonSetCondition` of apps/v1. */
export type DaemonSetCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `DaemonSetSpec` of apps/v1. */
export type DaemonSetSpec = {
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
};

/** `DaemonSetStatus` of apps/v1. */
export type DaemonSetStatus = {
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
  currentNumberScheduled: number;
  desiredNumberScheduled: number;
  numberAvailable?: number;
  numberMisscheduled: number;
  numberReady: number;
  numberUnavailable?: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
};

/** `DaemonSetUpdateStrategy` of apps/v1. */
export type DaemonSetUpdateStrategy = {
  rollingUpdate?: RollingUpdateDaemonSet;
  type?: string;
};

/** `Deployment` of apps/v1. */
export type Deployment = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
};

/** `DeploymentCondition` of apps/v1. */
export type DeploymentCondition = {
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `DeploymentSpec` of apps/v1. */
export type DeploymentSpec = {
  minReadySeconds?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
  replicas?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  strategy?: DeploymentStrategy;
  template: PodTemplateSpec;
};

/** `DeploymentStatus` of apps/v1. */
export type DeploymentStatus = {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: DeploymentCondition[];
  observedGeneration?: number;
  readyReplicas?: number;
  replicas?: number;
  terminatingReplicas?: number;
  unavailableReplicas?: number;
  updatedReplicas?: number;
};

/** `DeploymentStrategy` of apps/v1. */
export type DeploymentStrategy = {
  rollingUpdate?: RollingUpdateDeployment;
  type?: string;
};

/** `Device` of resource/v1. */
export type Device = {
  allNodes?: boolean;
  allowMultipleAllocations?: boolean;
  attributes?: Record<string, DeviceAttribute>;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  bindsToNode?: boolean;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  name: string;
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
  nodeName?: string;
  nodeSelector?: NodeSelector;
  taints?: DeviceTaint[];
};

/** `DeviceAllocationConfiguration` of resource/v1. */
export type DeviceAllocationConfiguration = {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
  source: string;
};

/** `DeviceAllocationResult` of resource/v1. */
export type DeviceAllocationResult = {
  config?: DeviceAllocationConfiguration[];
  results?: DeviceRequestAllocationResult[];
};

/** `DeviceAttribute` of resource/v1. */
export type DeviceAttribute = {
  bool?: boolean;
  bools?: boolean[];
  int?: number;
  ints?: number[];
  string?: string;
  strings?: string[];
  version?: string;
  versions?: string[];
};

/** `DeviceCapacity` of resource/v1. */
export type DeviceCapacity = {
  requestPolicy?: CapacityRequestPolicy;
  value: number | string;
};

/** `DeviceClaim` of resource/v1. */
export type DeviceClaim = {
  config?: DeviceClaimConfiguration[];
  constraints?: DeviceConstraint[];
  requests?: DeviceRequest[];
};

/** `DeviceClaimConfiguration` of resource/v1. */
export type DeviceClaimConfiguration = {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
};

/** `DeviceClass` of resource/v1. */
export type DeviceClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: DeviceClassSpec;
};

/** `DeviceClassConfiguration` of resource/v1. */
export type DeviceClassConfiguration = {
  opaque?: OpaqueDeviceConfiguration;
};

/** `DeviceClassSpec` of resource/v1. */
export type DeviceClassSpec = {
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
  selectors?: DeviceSelector[];
};

/** `DeviceConstraint` of resource/v1. */
export type DeviceConstraint = {
  distinctAttribute?: string;
  matchAttribute?: string;
  requests?: string[];
};

/** `DeviceCounterConsumption` of resource/v1. */
export type DeviceCounterConsumption = {
  counterSet: string;
  counters: Record<string, Counter>;
};

/** `DeviceRequest` of resource/v1. */
export type DeviceRequest = {
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
  name: string;
};

/** `DeviceRequestAllocationResult` of resource/v1. */
export type DeviceRequestAllocationResult = {
  adminAccess?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  consumedCapacity?: Record<string, number | string>;
  device: string;
  driver: string;
  pool: string;
  request: string;
  shareID?: string;
  tolerations?: DeviceToleration[];
};

/** `DeviceSelector` of resource/v1. */
export type DeviceSelector = {
  cel?: CELDeviceSelector;
};

/** `DeviceSubRequest` of resource/v1. */
export type DeviceSubRequest = {
  allocationMode?: string;
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName: string;
  name: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
};

/** `DeviceTaint` of resource/v1. */
export type DeviceTaint = {
  effect: string;
  key: string;
  timeAdded?: string;
  value?: string;
};

/** `DeviceToleration` of resource/v1. */
export type DeviceToleration = {
  effect?: string;
  key?: string;
  operator?: string;
  tolerationSeconds?: number;
  value?: string;
};

/** `EndpointPort` of discovery/v1. */
export type DiscoveryEndpointPort = {
  appProtocol?: string;
  name?: string;
  port?: number;
  protocol?: string;
};

/** `DownwardAPIProjection` of core/v1. */
export type DownwardAPIProjection = {
  items?: DownwardAPIVolumeFile[];
};

/** `DownwardAPIVolumeFile` of core/v1. */
export type DownwardAPIVolumeFile = {
  fieldRef?: ObjectFieldSelector;
  mode?: number;
  path: string;
  resourceFieldRef?: ResourceFieldSelector;
};

/** `DownwardAPIVolumeSource` of core/v1. */
export type DownwardAPIVolumeSource = {
  defaultMode?: number;
  items?: DownwardAPIVolumeFile[];
};

/** `EmptyDirVolumeSource` of core/v1. */
export type EmptyDirVolumeSource = {
  medium?: string;
  sizeLimit?: number | string;
};

/** `Endpoint` of discovery/v1. */
export type Endpoint = {
  addresses: string[];
  conditions?: EndpointConditions;
  deprecatedTopology?: Record<string, string>;
  hints?: EndpointHints;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
  zone?: string;
};

/** `EndpointAddress` of core/v1. */
export type EndpointAddress = {
  hostname?: string;
  ip: string;
  nodeName?: string;
  targetRef?: ObjectReference;
};

/** `EndpointConditions` of discovery/v1. */
export type EndpointConditions = {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
};

/** `EndpointHints` of discovery/v1. */
export type EndpointHints = {
  forNodes?: ForNode[];
  forZones?: ForZone[];
};

/** `EndpointPort` of core/v1. */
export type EndpointPort = {
  appProtocol?: string;
  name?: string;
  port: number;
  protocol?: string;
};

/** `EndpointSlice` of discovery/v1. */
export type EndpointSlice = {
  addressType: string;
  apiVersion?: string;
  endpoints?: Endpoint[];
  kind?: string;
  metadata?: ObjectMeta;
  ports?: DiscoveryEndpointPort[];
};

/** `EndpointSubset` of core/v1. */
export type EndpointSubset = {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
};

/** `Endpoints` of core/v1. */
export type Endpoints = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  subsets?: EndpointSubset[];
};

/** `EnvFromSource` of core/v1. */
export type EnvFromSource = {
  configMapRef?: ConfigMapEnvSource;
  prefix?: string;
  secretRef?: SecretEnvSource;
};

/** `EnvVar` of core/v1. */
export type EnvVar = {
  name: string;
  value?: string;
  valueFrom?: EnvVarSource;
};

/** `EnvVarSource` of core/v1. */
export type EnvVarSource = {
  configMapKeyRef?: ConfigMapKeySelector;
  fieldRef?: ObjectFieldSelector;
  fileKeyRef?: FileKeySelector;
  resourceFieldRef?: ResourceFieldSelector;
  secretKeyRef?: SecretKeySelector;
};

/** `EphemeralContainer` of core/v1. */
export type EphemeralContainer = {
  args?: string[];
  command?: string[];
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  image?: string;
  imagePullPolicy?: string;
  lifecycle?: Lifecycle;
  livenessProbe?: Probe;
  name: string;
  ports?: ContainerPort[];
  readinessProbe?: Probe;
  resizePolicy?: ContainerResizePolicy[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  securityContext?: SecurityContext;
  startupProbe?: Probe;
  stdin?: boolean;
  stdinOnce?: boolean;
  targetContainerName?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  tty?: boolean;
  volumeDevices?: VolumeDevice[];
  volumeMounts?: VolumeMount[];
  workingDir?: string;
};

/** `EphemeralVolumeSource` of core/v1. */
export type EphemeralVolumeSource = {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
};

/** `Event` of core/v1. */
export type Event = {
  action?: string;
  apiVersion?: string;
  count?: number;
  eventTime?: string;
  firstTimestamp?: string;
  involvedObject: ObjectReference;
  kind?: string;
  lastTimestamp?: string;
  message?: string;
  metadata: ObjectMeta;
  reason?: string;
  related?: ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
  series?: EventSeries;
  source?: EventSource;
  type?: string;
};

/** `EventSeries` of core/v1. */
export type EventSeries = {
  count?: number;
  lastObservedTime?: string;
};

/** `EventSource` of core/v1. */
export type EventSource = {
  component?: string;
  host?: string;
};

/** `ExactDeviceRequest` of resource/v1. */
export type ExactDeviceRequest = {
  adminAccess?: boolean;
  allocationMode?: string;
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
};

/** `ExecAction` of core/v1. */
export type ExecAction = {
  command?: string[];
};

/** `ExemptPriorityLevelConfiguration` of flowcontrol/v1. */
export type ExemptPriorityLevelConfiguration = {
  lendablePercent?: number;
  nominalConcurrencyShares?: number;
};

/** `ExpressionWarning` of admissionregistration/v1. */
export type ExpressionWarning = {
  fieldRef: string;
  warning: string;
};

/** `ExternalDocumentation` of apiextensions/v1. */
export type ExternalDocumentation = {
  description?: string;
  url?: string;
};

/** `ExternalMetricSource` of autoscaling/v2. */
export type ExternalMetricSource = {
  metric: MetricIdentifier;
  target: MetricTarget;
};

/** `ExternalMetricStatus` of autoscaling/v2. */
export type ExternalMetricStatus = {
  current: MetricValueStatus;
  metric: MetricIdentifier;
};

/** `FCVolumeSource` of core/v1. */
export type FCVolumeSource = {
  fsType?: string;
  lun?: number;
  readOnly?: boolean;
  targetWWNs?: string[];
  wwids?: string[];
};

/** `FieldSelectorAttributes` of authorization/v1. */
export type FieldSelectorAttributes = {
  rawSelector?: string;
  requirements?: FieldSelectorRequirement[];
};

/** `FieldSelectorRequirement` of meta/v1. */
export type FieldSelectorRequirement = {
  key: string;
  operator: string;
  values?: string[];
};

/** `FileKeySelector` of core/v1. */
export type FileKeySelector = {
  key: string;
  optional?: boolean;
  path: string;
  volumeName: string;
};

/** `FlexPersistentVolumeSource` of core/v1. */
export type FlexPersistentVolumeSource = {
  driver: string;
  fsType?: string;
  options?: Record<string, string>;
  readOnly?: boolean;
  secretRef?: SecretReference;
};

/** `FlexVolumeSource` of core/v1. */
export type FlexVolumeSource = {
  driver: string;
  fsType?: string;
  options?: Record<string, string>;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
};

/** `FlockerVolumeSource` of core/v1. */
export type FlockerVolumeSource = {
  datasetName?: string;
  datasetUUID?: string;
};

/** `FlowDistinguisherMethod` of flowcontrol/v1. */
export type FlowDistinguisherMethod = {
  type: string;
};

/** `FlowSchema` of flowcontrol/v1. */
export type FlowSchema = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: FlowSchemaSpec;
  status?: FlowSchemaStatus;
};

/** `FlowSchemaCondition` of flowcontrol/v1. */
export type FlowSchemaCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
};

/** `FlowSchemaSpec` of flowcontrol/v1. */
export type FlowSchemaSpec = {
  distinguisherMethod?: FlowDistinguisherMethod;
  matchingPrecedence?: number;
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  rules?: PolicyRulesWithSubjects[];
};

/** `FlowSchemaStatus` of flowcontrol/v1. */
export type FlowSchemaStatus = {
  conditions?: FlowSchemaCondition[];
};

/** `Subject` of flowcontrol/v1. */
export type FlowcontrolSubject = {
  group?: GroupSubject;
  kind: string;
  serviceAccount?: ServiceAccountSubject;
  user?: UserSubject;
};

/** `ForNode` of discovery/v1. */
export type ForNode = {
  name: string;
};

/** `ForZone` of discovery/v1. */
export type ForZone = {
  name: string;
};

/** `GCEPersistentDiskVolumeSource` of core/v1. */
export type GCEPersistentDiskVolumeSource = {
  fsType?: string;
  partition?: number;
  pdName: string;
  readOnly?: boolean;
};

/** `GRPCAction` of core/v1. */
export type GRPCAction = {
  port: number;
  service?: string;
};

/** `GitRepoVolumeSource` of core/v1. */
export type GitRepoVolumeSource = {
  directory?: string;
  repository: string;
  revision?: string;
};

/** `GlusterfsPersistentVolumeSource` of core/v1. */
export type GlusterfsPersistentVolumeSource = {
  endpoints: string;
  endpointsNamespace?: string;
  path: string;
  readOnly?: boolean;
};

/** `GlusterfsVolumeSource` of core/v1. */
export type GlusterfsVolumeSource = {
  endpoints: string;
  path: string;
  readOnly?: boolean;
};

/** `GroupSubject` of flowcontrol/v1. */
export type GroupSubject = {
  name: string;
};

/** `HPAScalingPolicy` of autoscaling/v2. */
export type HPAScalingPolicy = {
  periodSeconds: number;
  type: string;
  value: number;
};

/** `HPAScalingRules` of autoscaling/v2. */
export type HPAScalingRules = {
  policies?: HPAScalingPolicy[];
  selectPolicy?: string;
  stabilizationWindowSeconds?: number;
  tolerance?: number | string;
};

/** `HTTPGetAction` of core/v1. */
export type HTTPGetAction = {
  host?: string;
  httpHeaders?: HTTPHeader[];
  path?: string;
  port: number | string;
  scheme?: string;
};

/** `HTTPHeader` of core/v1. */
export type HTTPHeader = {
  name: string;
  value: string;
};

/** `HTTPIngressPath` of networking/v1. */
export type HTTPIngressPath = {
  backend: IngressBackend;
  path?: string;
  pathType: string;
};

/** `HTTPIngressRuleValue` of networking/v1. */
export type HTTPIngressRuleValue = {
  paths: HTTPIngressPath[];
};

/** `HorizontalPodAutoscaler` of autoscaling/v2. */
export type HorizontalPodAutoscaler = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
};

/** `HorizontalPodAutoscalerBehavior` of autoscaling/v2. */
export type HorizontalPodAutoscalerBehavior = {
  scaleDown?: HPAScalingRules;
  scaleUp?: HPAScalingRules;
};

/** `HorizontalPodAutoscalerCondition` of autoscaling/v2. */
export type HorizontalPodAutoscalerCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `HorizontalPodAutoscalerSpec` of autoscaling/v2. */
export type HorizontalPodAutoscalerSpec = {
  behavior?: HorizontalPodAutoscalerBehavior;
  maxReplicas: number;
  metrics?: MetricSpec[];
  minReplicas?: number;
  scaleTargetRef: CrossVersionObjectReference;
};

/** `HorizontalPodAutoscalerStatus` of autoscaling/v2. */
export type HorizontalPodAutoscalerStatus = {
  conditions?: HorizontalPodAutoscalerCondition[];
  currentMetrics?: MetricStatus[];
  currentReplicas?: number;
  desiredReplicas: number;
  lastScaleTime?: string;
  observedGeneration?: number;
};

/** `HostAlias` of core/v1. */
export type HostAlias = {
  hostnames?: string[];
  ip: string;
};

/** `HostIP` of core/v1. */
export type HostIP = {
  ip: string;
};

/** `HostPathVolumeSource` of core/v1. */
export type HostPathVolumeSource = {
  path: string;
  type?: string;
};

/** `IPAddress` of networking/v1. */
export type IPAddress = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: IPAddressSpec;
};

/** `IPAddressSpec` of networking/v1. */
export type IPAddressSpec = {
  parentRef: ParentReference;
};

/** `IPBlock` of networking/v1. */
export type IPBlock = {
  cidr: string;
  except?: string[];
};

/** `ISCSIPersistentVolumeSource` of core/v1. */
export type ISCSIPersistentVolumeSource = {
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  fsType?: string;
  initiatorName?: string;
  iqn: string;
  iscsiInterface?: string;
  lun: number;
  portals?: string[];
  readOnly?: boolean;
  secretRef?: SecretReference;
  targetPortal: string;
};

/** `ISCSIVolumeSource` of core/v1. */
export type ISCSIVolumeSource = {
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  fsType?: string;
  initiatorName?: string;
  iqn: string;
  iscsiInterface?: string;
  lun: number;
  portals?: string[];
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  targetPortal: string;
};

/** `ImageVolumeSource` of core/v1. */
export type ImageVolumeSource = {
  pullPolicy?: string;
  reference?: string;
};

/** `ImageVolumeStatus` of core/v1. */
export type ImageVolumeStatus = {
  imageRef: string;
};

/** `Ingress` of networking/v1. */
export type Ingress = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: IngressSpec;
  status?: IngressStatus;
};

/** `IngressBackend` of networking/v1. */
export type IngressBackend = {
  resource?: TypedLocalObjectReference;
  service?: IngressServiceBackend;
};

/** `IngressClass` of networking/v1. */
export type IngressClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: IngressClassSpec;
};

/** `IngressClassParametersReference` of networking/v1. */
export type IngressClassParametersReference = {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
  scope?: string;
};

/** `IngressClassSpec` of networking/v1. */
export type IngressClassSpec = {
  controller?: string;
  parameters?: IngressClassParametersReference;
};

/** `IngressLoadBalancerIngress` of networking/v1. */
export type IngressLoadBalancerIngress = {
  hostname?: string;
  ip?: string;
  ports?: IngressPortStatus[];
};

/** `IngressLoadBalancerStatus` of networking/v1. */
export type IngressLoadBalancerStatus = {
  ingress?: IngressLoadBalancerIngress[];
};

/** `IngressPortStatus` of networking/v1. */
export type IngressPortStatus = {
  error?: string;
  port: number;
  protocol: string;
};

/** `IngressRule` of networking/v1. */
export type IngressRule = {
  host?: string;
  http?: HTTPIngressRuleValue;
};

/** `IngressServiceBackend` of networking/v1. */
export type IngressServiceBackend = {
  name: string;
  port?: ServiceBackendPort;
};

/** `IngressSpec` of networking/v1. */
export type IngressSpec = {
  defaultBackend?: IngressBackend;
  ingressClassName?: string;
  rules?: IngressRule[];
  tls?: IngressTLS[];
};

/** `IngressStatus` of networking/v1. */
export type IngressStatus = {
  loadBalancer?: IngressLoadBalancerStatus;
};

/** `IngressTLS` of networking/v1. */
export type IngressTLS = {
  hosts?: string[];
  secretName?: string;
};

/** `JSONPatch` of admissionregistration/v1. */
export type JSONPatch = {
  expression?: string;
};

/** `JSONSchemaProps` of apiextensions/v1. */
export type JSONSchemaProps = {
  "$ref"?: string;
  "$schema"?: string;
  additionalItems?: JSONSchemaProps | boolean;
  additionalProperties?: JSONSchemaProps | boolean;
  allOf?: JSONSchemaProps[];
  anyOf?: JSONSchemaProps[];
  default?: unknown;
  definitions?: Record<string, JSONSchemaProps>;
  dependencies?: Record<string, JSONSchemaProps | string[]>;
  description?: string;
  enum?: unknown[];
  example?: unknown;
  exclusiveMaximum?: boolean;
  exclusiveMinimum?: boolean;
  externalDocs?: ExternalDocumentation;
  format?: string;
  id?: string;
  items?: JSONSchemaProps | JSONSchemaProps[];
  maxItems?: number;
  maxLength?: number;
  maxProperties?: number;
  maximum?: number;
  minItems?: number;
  minLength?: number;
  minProperties?: number;
  minimum?: number;
  multipleOf?: number;
  not?: JSONSchemaProps;
  nullable?: boolean;
  oneOf?: JSONSchemaProps[];
  pattern?: string;
  patternProperties?: Record<string, JSONSchemaProps>;
  properties?: Record<string, JSONSchemaProps>;
  required?: string[];
  title?: string;
  type?: string;
  uniqueItems?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-validations"?: ValidationRule[];
};

/** `Job` of batch/v1. */
export type Job = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: JobSpec;
  status?: JobStatus;
};

/** `JobCondition` of batch/v1. */
export type JobCondition = {
  lastProbeTime?: string;
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `JobSpec` of batch/v1. */
export type JobSpec = {
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  completionMode?: string;
  completions?: number;
  managedBy?: string;
  manualSelector?: boolean;
  maxFailedIndexes?: number;
  parallelism?: number;
  podFailurePolicy?: PodFailurePolicy;
  podReplacementPolicy?: string;
  selector?: LabelSelector;
  successPolicy?: SuccessPolicy;
  suspend?: boolean;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
};

/** `JobStatus` of batch/v1. */
export type JobStatus = {
  active?: number;
  completedIndexes?: string;
  completionTime?: string;
  conditions?: JobCondition[];
  failed?: number;
  failedIndexes?: string;
  ready?: number;
  startTime?: string;
  succeeded?: number;
  terminating?: number;
  uncountedTerminatedPods?: UncountedTerminatedPods;
};

/** `JobTemplateSpec` of batch/v1. */
export type JobTemplateSpec = {
  metadata?: ObjectMeta;
  spec?: JobSpec;
};

/** `KeyToPath` of core/v1. */
export type KeyToPath = {
  key: string;
  mode?: number;
  path: string;
};

/** `LabelSelector` of meta/v1. */
export type LabelSelector = {
  matchExpressions?: LabelSelectorRequirement[];
  matchLabels?: Record<string, string>;
};

/** `LabelSelectorAttributes` of authorization/v1. */
export type LabelSelectorAttributes = {
  rawSelector?: string;
  requirements?: LabelSelectorRequirement[];
};

/** `LabelSelectorRequirement` of meta/v1. */
export type LabelSelectorRequirement = {
  key: string;
  operator: string;
  values?: string[];
};

/** `Lease` of coordination/v1. */
export type Lease = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: LeaseSpec;
};

/** `LeaseSpec` of coordination/v1. */
export type LeaseSpec = {
  acquireTime?: string;
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  leaseTransitions?: number;
  preferredHolder?: string;
  renewTime?: string;
  strategy?: string;
};

/** `Lifecycle` of core/v1. */
export type Lifecycle = {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
  stopSignal?: string;
};

/** `LifecycleHandler` of core/v1. */
export type LifecycleHandler = {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  sleep?: SleepAction;
  tcpSocket?: TCPSocketAction;
};

/** `LimitRange` of core/v1. */
export type LimitRange = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: LimitRangeSpec;
};

/** `LimitRangeItem` of core/v1. */
export type LimitRangeItem = {
  default?: Record<string, number | string>;
  defaultRequest?: Record<string, number | string>;
  max?: Record<string, number | string>;
  maxLimitRequestRatio?: Record<string, number | string>;
  min?: Record<string, number | string>;
  type: string;
};

/** `LimitRangeSpec` of core/v1. */
export type LimitRangeSpec = {
  limits: LimitRangeItem[];
};

/** `LimitResponse` of flowcontrol/v1. */
export type LimitResponse = {
  queuing?: QueuingConfiguration;
  type: string;
};

/** `LimitedPriorityLevelConfiguration` of flowcontrol/v1. */
export type LimitedPriorityLevelConfiguration = {
  borrowingLimitPercent?: number;
  lendablePercent?: number;
  limitResponse?: LimitResponse;
  nominalConcurrencyShares?: number;
};

/** `LinuxContainerUser` of core/v1. */
export type LinuxContainerUser = {
  gid: number;
  supplementalGroups?: number[];
  uid: number;
};

/** `LoadBalancerIngress` of core/v1. */
export type LoadBalancerIngress = {
  hostname?: string;
  ip?: string;
  ipMode?: string;
  ports?: PortStatus[];
};

/** `LoadBalancerStatus` of core/v1. */
export type LoadBalancerStatus = {
  ingress?: LoadBalancerIngress[];
};

/** `LocalObjectReference` of core/v1. */
export type LocalObjectReference = {
  name?: string;
};

/** `LocalSubjectAccessReview` of authorization/v1. */
export type LocalSubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
};

/** `LocalVolumeSource` of core/v1. */
export type LocalVolumeSource = {
  fsType?: string;
  path: string;
};

/** `MatchCondition` of admissionregistration/v1. */
export type MatchCondition = {
  expression: string;
  name: string;
};

/** `MatchResources` of admissionregistration/v1. */
export type MatchResources = {
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
};

/** `MetricIdentifier` of autoscaling/v2. */
export type MetricIdentifier = {
  name: string;
  selector?: LabelSelector;
};

/** `MetricSpec` of autoscaling/v2. */
export type MetricSpec = {
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  type: string;
};

/** `MetricStatus` of autoscaling/v2. */
export type MetricStatus = {
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  type: string;
};

/** `MetricTarget` of autoscaling/v2. */
export type MetricTarget = {
  averageUtilization?: number;
  averageValue?: number | string;
  type: string;
  value?: number | string;
};

/** `MetricValueStatus` of autoscaling/v2. */
export type MetricValueStatus = {
  averageUtilization?: number;
  averageValue?: number | string;
  value?: number | string;
};

/** `ModifyVolumeStatus` of core/v1. */
export type ModifyVolumeStatus = {
  status: string;
  targetVolumeAttributesClassName?: string;
};

/** `MutatingAdmissionPolicy` of admissionregistration/v1. */
export type MutatingAdmissionPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: MutatingAdmissionPolicySpec;
};

/** `MutatingAdmissionPolicyBinding` of admissionregistration/v1. */
export type MutatingAdmissionPolicyBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: MutatingAdmissionPolicyBindingSpec;
};

/** `MutatingAdmissionPolicyBindingSpec` of admissionregistration/v1. */
export type MutatingAdmissionPolicyBindingSpec = {
  matchResources?: MatchResources;
  paramRef?: ParamRef;
  policyName?: string;
};

/** `MutatingAdmissionPolicySpec` of admissionregistration/v1. */
export type MutatingAdmissionPolicySpec = {
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchConstraints?: MatchResources;
  mutations?: Mutation[];
  paramKind?: ParamKind;
  reinvocationPolicy?: string;
  variables?: Variable[];
};

/** `MutatingWebhook` of admissionregistration/v1. */
export type MutatingWebhook = {
  admissionReviewVersions: string[];
  clientConfig: WebhookClientConfig;
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchPolicy?: string;
  name: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  reinvocationPolicy?: string;
  rules?: RuleWithOperations[];
  sideEffects: string;
  timeoutSeconds?: number;
};

/** `MutatingWebhookConfiguration` of admissionregistration/v1. */
export type MutatingWebhookConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  webhooks?: MutatingWebhook[];
};

/** `Mutation` of admissionregistration/v1. */
export type Mutation = {
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
  patchType: string;
};

/** `NFSVolumeSource` of core/v1. */
export type NFSVolumeSource = {
  path: string;
  readOnly?: boolean;
  server: string;
};

/** `NamedRuleWithOperations` of admissionregistration/v1. */
export type NamedRuleWithOperations = {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resourceNames?: string[];
  resources?: string[];
  scope?: string;
};

/** `Namespace` of core/v1. */
export type Namespace = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: NamespaceSpec;
  status?: NamespaceStatus;
};

/** `NamespaceCondition` of core/v1. */
export type NamespaceCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `NamespaceSpec` of core/v1. */
export type NamespaceSpec = {
  finalizers?: string[];
};

/** `NamespaceStatus` of core/v1. */
export type NamespaceStatus = {
  conditions?: NamespaceCondition[];
  phase?: string;
};

/** `NetworkDeviceData` of resource/v1. */
export type NetworkDeviceData = {
  hardwareAddress?: string;
  interfaceName?: string;
  ips?: string[];
};

/** `NetworkPolicy` of networking/v1. */
export type NetworkPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: NetworkPolicySpec;
};

/** `NetworkPolicyEgressRule` of networking/v1. */
export type NetworkPolicyEgressRule = {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
};

/** `NetworkPolicyIngressRule` of networking/v1. */
export type NetworkPolicyIngressRule = {
  from?: NetworkPolicyPeer[];
  ports?: NetworkPolicyPort[];
};

/** `NetworkPolicyPeer` of networking/v1. */
export type NetworkPolicyPeer = {
  ipBlock?: IPBlock;
  namespaceSelector?: LabelSelector;
  podSelector?: LabelSelector;
};

/** `NetworkPolicyPort` of networking/v1. */
export type NetworkPolicyPort = {
  endPort?: number;
  port?: number | string;
  protocol?: string;
};

/** `NetworkPolicySpec` of networking/v1. */
export type NetworkPolicySpec = {
  egress?: NetworkPolicyEgressRule[];
  ingress?: NetworkPolicyIngressRule[];
  podSelector?: LabelSelector;
  policyTypes?: string[];
};

/** `Node` of core/v1. */
export type Node = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: NodeSpec;
  status?: NodeStatus;
};

/** `NodeAddress` of core/v1. */
export type NodeAddress = {
  address: string;
  type: string;
};

/** `NodeAffinity` of core/v1. */
export type NodeAffinity = {
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
};

/** `NodeAllocatableResourceClaimStatus` of core/v1. */
export type NodeAllocatableResourceClaimStatus = {
  containers?: string[];
  resourceClaimName: string;
  resources: Record<string, number | string>;
};

/** `NodeAllocatableResourceMapping` of resource/v1. */
export type NodeAllocatableResourceMapping = {
  allocationMultiplier?: number | string;
  capacityKey?: string;
};

/** `NodeCondition` of core/v1. */
export type NodeCondition = {
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `NodeConfigSource` of core/v1. */
export type NodeConfigSource = {
  configMap?: ConfigMapNodeConfigSource;
};

/** `NodeConfigStatus` of core/v1. */
export type NodeConfigStatus = {
  active?: NodeConfigSource;
  assigned?: NodeConfigSource;
  error?: string;
  lastKnownGood?: NodeConfigSource;
};

/** `NodeDaemonEndpoints` of core/v1. */
export type NodeDaemonEndpoints = {
  kubeletEndpoint?: DaemonEndpoint;
};

/** `NodeFeatures` of core/v1. */
export type NodeFeatures = {
  supplementalGroupsPolicy?: boolean;
};

/** `NodeRuntimeHandler` of core/v1. */
export type NodeRuntimeHandler = {
  features?: NodeRuntimeHandlerFeatures;
  name?: string;
};

/** `NodeRuntimeHandlerFeatures` of core/v1. */
export type NodeRuntimeHandlerFeatures = {
  recursiveReadOnlyMounts?: boolean;
  userNamespaces?: boolean;
};

/** `NodeSelector` of core/v1. */
export type NodeSelector = {
  nodeSelectorTerms: NodeSelectorTerm[];
};

/** `NodeSelectorRequirement` of core/v1. */
export type NodeSelectorRequirement = {
  key: string;
  operator: string;
  values?: string[];
};

/** `NodeSelectorTerm` of core/v1. */
export type NodeSelectorTerm = {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
};

/** `NodeSpec` of core/v1. */
export type NodeSpec = {
  configSource?: NodeConfigSource;
  externalID?: string;
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  taints?: Taint[];
  unschedulable?: boolean;
};

/** `NodeStatus` of core/v1. */
export type NodeStatus = {
  addresses?: NodeAddress[];
  allocatable?: Record<string, number | string>;
  capacity?: Record<string, number | string>;
  conditions?: NodeCondition[];
  config?: NodeConfigStatus;
  daemonEndpoints?: NodeDaemonEndpoints;
  declaredFeatures?: string[];
  features?: NodeFeatures;
  images?: ContainerImage[];
  nodeInfo?: NodeSystemInfo;
  phase?: string;
  runtimeHandlers?: NodeRuntimeHandler[];
  volumesAttached?: AttachedVolume[];
  volumesInUse?: string[];
};

/** `NodeSwapStatus` of core/v1. */
export type NodeSwapStatus = {
  capacity?: number;
};

/** `NodeSystemInfo` of core/v1. */
export type NodeSystemInfo = {
  architecture: string;
  bootID: string;
  containerRuntimeVersion: string;
  kernelVersion: string;
  kubeProxyVersion: string;
  kubeletVersion: string;
  machineID: string;
  operatingSystem: string;
  osImage: string;
  swap?: NodeSwapStatus;
  systemUUID: string;
};

/** `NonResourceAttributes` of authorization/v1. */
export type NonResourceAttributes = {
  path?: string;
  verb?: string;
};

/** `NonResourcePolicyRule` of flowcontrol/v1. */
export type NonResourcePolicyRule = {
  nonResourceURLs: string[];
  verbs: string[];
};

/** `NonResourceRule` of authorization/v1. */
export type NonResourceRule = {
  nonResourceURLs?: string[];
  verbs: string[];
};

/** `ObjectFieldSelector` of core/v1. */
export type ObjectFieldSelector = {
  apiVersion?: string;
  fieldPath: string;
};

/** `ObjectMetricSource` of autoscaling/v2. */
export type ObjectMetricSource = {
  describedObject: CrossVersionObjectReference;
  metric: MetricIdentifier;
  target: MetricTarget;
};

/** `ObjectMetricStatus` of autoscaling/v2. */
export type ObjectMetricStatus = {
  current: MetricValueStatus;
  describedObject: CrossVersionObjectReference;
  metric: MetricIdentifier;
};

/** `ObjectReference` of core/v1. */
export type ObjectReference = {
  apiVersion?: string;
  fieldPath?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  resourceVersion?: string;
  uid?: string;
};

/** `OpaqueDeviceConfiguration` of resource/v1. */
export type OpaqueDeviceConfiguration = {
  driver: string;
  parameters: JsonObject;
};

/** `Overhead` of node/v1. */
export type Overhead = {
  podFixed?: Record<string, number | string>;
};

/** `ParamKind` of admissionregistration/v1. */
export type ParamKind = {
  apiVersion?: string;
  kind?: string;
};

/** `ParamRef` of admissionregistration/v1. */
export type ParamRef = {
  name?: string;
  namespace?: string;
  parameterNotFoundAction?: string;
  selector?: LabelSelector;
};

/** `ParentReference` of networking/v1. */
export type ParentReference = {
  group?: string;
  name: string;
  namespace?: string;
  resource: string;
};

/** `PersistentVolume` of core/v1. */
export type PersistentVolume = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PersistentVolumeSpec;
  status?: PersistentVolumeStatus;
};

/** `PersistentVolumeClaim` of core/v1. */
export type PersistentVolumeClaim = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
};

/** `PersistentVolumeClaimCondition` of core/v1. */
export type PersistentVolumeClaimCondition = {
  lastProbeTime?: string;
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `PersistentVolumeClaimSpec` of core/v1. */
export type PersistentVolumeClaimSpec = {
  accessModes?: string[];
  dataSource?: TypedLocalObjectReference;
  dataSourceRef?: TypedObjectReference;
  resources?: VolumeResourceRequirements;
  selector?: LabelSelector;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  volumeMode?: string;
  volumeName?: string;
};

/** `PersistentVolumeClaimStatus` of core/v1. */
export type PersistentVolumeClaimStatus = {
  accessModes?: string[];
  allocatedResourceStatuses?: Record<string, string>;
  allocatedResources?: Record<string, number | string>;
  capacity?: Record<string, number | string>;
  conditions?: PersistentVolumeClaimCondition[];
  currentVolumeAttributesClassName?: string;
  modifyVolumeStatus?: ModifyVolumeStatus;
  phase?: string;
};

/** `PersistentVolumeClaimTemplate` of core/v1. */
export type PersistentVolumeClaimTemplate = {
  metadata?: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
};

/** `PersistentVolumeClaimVolumeSource` of core/v1. */
export type PersistentVolumeClaimVolumeSource = {
  claimName: string;
  readOnly?: boolean;
};

/** `PersistentVolumeSpec` of core/v1. */
export type PersistentVolumeSpec = {
  accessModes?: string[];
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  azureFile?: AzureFilePersistentVolumeSource;
  capacity?: Record<string, number | string>;
  cephfs?: CephFSPersistentVolumeSource;
  cinder?: CinderPersistentVolumeSource;
  claimRef?: ObjectReference;
  csi?: CSIPersistentVolumeSource;
  fc?: FCVolumeSource;
  flexVolume?: FlexPersistentVolumeSource;
  flocker?: FlockerVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  glusterfs?: GlusterfsPersistentVolumeSource;
  hostPath?: HostPathVolumeSource;
  iscsi?: ISCSIPersistentVolumeSource;
  local?: LocalVolumeSource;
  mountOptions?: string[];
  nfs?: NFSVolumeSource;
  nodeAffinity?: VolumeNodeAffinity;
  persistentVolumeReclaimPolicy?: string;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  quobyte?: QuobyteVolumeSource;
  rbd?: RBDPersistentVolumeSource;
  scaleIO?: ScaleIOPersistentVolumeSource;
  storageClassName?: string;
  storageos?: StorageOSPersistentVolumeSource;
  volumeAttributesClassName?: string;
  volumeMode?: string;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
};

/** `PersistentVolumeStatus` of core/v1. */
export type PersistentVolumeStatus = {
  lastPhaseTransitionTime?: string;
  message?: string;
  phase?: string;
  reason?: string;
};

/** `PhotonPersistentDiskVolumeSource` of core/v1. */
export type PhotonPersistentDiskVolumeSource = {
  fsType?: string;
  pdID: string;
};

/** `Pod` of core/v1. */
export type Pod = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PodSpec;
  status?: PodStatus;
};

/** `PodAffinity` of core/v1. */
export type PodAffinity = {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
};

/** `PodAffinityTerm` of core/v1. */
export type PodAffinityTerm = {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey: string;
};

/** `PodAntiAffinity` of core/v1. */
export type PodAntiAffinity = {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
};

/** `PodCertificateProjection` of core/v1. */
export type PodCertificateProjection = {
  certificateChainPath?: string;
  credentialBundlePath?: string;
  keyPath?: string;
  keyType: string;
  maxExpirationSeconds?: number;
  signerName: string;
  userAnnotations?: Record<string, string>;
};

/** `PodCondition` of core/v1. */
export type PodCondition = {
  lastProbeTime?: string;
  lastTransitionTime?: string;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status: string;
  type: string;
};

/** `PodDNSConfig` of core/v1. */
export type PodDNSConfig = {
  nameservers?: string[];
  options?: PodDNSConfigOption[];
  searches?: string[];
};

/** `PodDNSConfigOption` of core/v1. */
export type PodDNSConfigOption = {
  name?: string;
  value?: string;
};

/** `PodDisruptionBudget` of policy/v1. */
export type PodDisruptionBudget = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
};

/** `PodDisruptionBudgetSpec` of policy/v1. */
export type PodDisruptionBudgetSpec = {
  maxUnavailable?: number | string;
  minAvailable?: number | string;
  selector?: LabelSelector;
  unhealthyPodEvictionPolicy?: string;
};

/** `PodDisruptionBudgetStatus` of policy/v1. */
export type PodDisruptionBudgetStatus = {
  conditions?: Condition[];
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, string>;
  disruptionsAllowed?: number;
  expectedPods?: number;
  observedGeneration?: number;
};

/** `PodExtendedResourceClaimStatus` of core/v1. */
export type PodExtendedResourceClaimStatus = {
  requestMappings: ContainerExtendedResourceRequest[];
  resourceClaimName: string;
};

/** `PodFailurePolicy` of batch/v1. */
export type PodFailurePolicy = {
  rules: PodFailurePolicyRule[];
};

/** `PodFailurePolicyOnExitCodesRequirement` of batch/v1. */
export type PodFailurePolicyOnExitCodesRequirement = {
  containerName?: string;
  operator: string;
  values: number[];
};

/** `PodFailurePolicyOnPodConditionsPattern` of batch/v1. */
export type PodFailurePolicyOnPodConditionsPattern = {
  status?: string;
  type: string;
};

/** `PodFailurePolicyRule` of batch/v1. */
export type PodFailurePolicyRule = {
  action: string;
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
};

/** `PodIP` of core/v1. */
export type PodIP = {
  ip: string;
};

/** `PodOS` of core/v1. */
export type PodOS = {
  name: string;
};

/** `PodReadinessGate` of core/v1. */
export type PodReadinessGate = {
  conditionType: string;
};

/** `PodResourceClaim` of core/v1. */
export type PodResourceClaim = {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
};

/** `PodResourceClaimStatus` of core/v1. */
export type PodResourceClaimStatus = {
  name: string;
  resourceClaimName?: string;
};

/** `PodSchedulingGate` of core/v1. */
export type PodSchedulingGate = {
  name: string;
};

/** `PodSchedulingGroup` of core/v1. */
export type PodSchedulingGroup = {
  podGroupName?: string;
};

/** `PodSecurityContext` of core/v1. */
export type PodSecurityContext = {
  appArmorProfile?: AppArmorProfile;
  fsGroup?: number;
  fsGroupChangePolicy?: string;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxChangePolicy?: string;
  seLinuxOptions?: SELinuxOptions;
  seccompProfile?: SeccompProfile;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: string;
  sysctls?: Sysctl[];
  windowsOptions?: WindowsSecurityContextOptions;
};

/** `PodSpec` of core/v1. */
export type PodSpec = {
  activeDeadlineSeconds?: number;
  affinity?: Affinity;
  automountServiceAccountToken?: boolean;
  containers: Container[];
  dnsConfig?: PodDNSConfig;
  dnsPolicy?: string;
  enableServiceLinks?: boolean;
  ephemeralContainers?: EphemeralContainer[];
  hostAliases?: HostAlias[];
  hostIPC?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostUsers?: boolean;
  hostname?: string;
  hostnameOverride?: string;
  imagePullSecrets?: LocalObjectReference[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  os?: PodOS;
  overhead?: Record<string, number | string>;
  preemptionPolicy?: string;
  priority?: number;
  priorityClassName?: string;
  readinessGates?: PodReadinessGate[];
  resourceClaims?: PodResourceClaim[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  runtimeClassName?: string;
  schedulerName?: string;
  schedulingGates?: PodSchedulingGate[];
  schedulingGroup?: PodSchedulingGroup;
  securityContext?: PodSecurityContext;
  serviceAccount?: string;
  serviceAccountName?: string;
  setHostnameAsFQDN?: boolean;
  shareProcessNamespace?: boolean;
  subdomain?: string;
  terminationGracePeriodSeconds?: number;
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  volumes?: Volume[];
};

/** `PodStatus` of core/v1. */
export type PodStatus = {
  allocatedResources?: Record<string, number | string>;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  hostIP?: string;
  hostIPs?: HostIP[];
  initContainerStatuses?: ContainerStatus[];
  message?: string;
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
  nominatedNodeName?: string;
  observedGeneration?: number;
  phase?: string;
  podIP?: string;
  podIPs?: PodIP[];
  qosClass?: string;
  reason?: string;
  resize?: string;
  resourceClaimStatuses?: PodResourceClaimStatus[];
  resources?: ResourceRequirements;
  startTime?: string;
};

/** `PodTemplate` of core/v1. */
export type PodTemplate = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  template?: PodTemplateSpec;
};

/** `PodTemplateSpec` of core/v1. */
export type PodTemplateSpec = {
  metadata?: ObjectMeta;
  spec?: PodSpec;
};

/** `PodsMetricSource` of autoscaling/v2. */
export type PodsMetricSource = {
  metric: MetricIdentifier;
  target: MetricTarget;
};

/** `PodsMetricStatus` of autoscaling/v2. */
export type PodsMetricStatus = {
  current: MetricValueStatus;
  metric: MetricIdentifier;
};

/** `PolicyRule` of rbac/v1. */
export type PolicyRule = {
  apiGroups?: string[];
  nonResourceURLs?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
};

/** `PolicyRulesWithSubjects` of flowcontrol/v1. */
export type PolicyRulesWithSubjects = {
  nonResourceRules?: NonResourcePolicyRule[];
  resourceRules?: ResourcePolicyRule[];
  subjects: FlowcontrolSubject[];
};

/** `PortStatus` of core/v1. */
export type PortStatus = {
  error?: string;
  port: number;
  protocol: string;
};

/** `PortworxVolumeSource` of core/v1. */
export type PortworxVolumeSource = {
  fsType?: string;
  readOnly?: boolean;
  volumeID: string;
};

/** `PreferredSchedulingTerm` of core/v1. */
export type PreferredSchedulingTerm = {
  preference: NodeSelectorTerm;
  weight: number;
};

/** `PriorityClass` of scheduling/v1. */
export type PriorityClass = {
  apiVersion?: string;
  description?: string;
  globalDefault?: boolean;
  kind?: string;
  metadata?: ObjectMeta;
  preemptionPolicy?: string;
  value?: number;
};

/** `PriorityLevelConfiguration` of flowcontrol/v1. */
export type PriorityLevelConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PriorityLevelConfigurationSpec;
  status?: PriorityLevelConfigurationStatus;
};

/** `PriorityLevelConfigurationCondition` of flowcontrol/v1. */
export type PriorityLevelConfigurationCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
};

/** `PriorityLevelConfigurationReference` of flowcontrol/v1. */
export type PriorityLevelConfigurationReference = {
  name: string;
};

/** `PriorityLevelConfigurationSpec` of flowcontrol/v1. */
export type PriorityLevelConfigurationSpec = {
  exempt?: ExemptPriorityLevelConfiguration;
  limited?: LimitedPriorityLevelConfiguration;
  type: string;
};

/** `PriorityLevelConfigurationStatus` of flowcontrol/v1. */
export type PriorityLevelConfigurationStatus = {
  conditions?: PriorityLevelConfigurationCondition[];
};

/** `Probe` of core/v1. */
export type Probe = {
  exec?: ExecAction;
  failureThreshold?: number;
  grpc?: GRPCAction;
  httpGet?: HTTPGetAction;
  initialDelaySeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  tcpSocket?: TCPSocketAction;
  terminationGracePeriodSeconds?: number;
  timeoutSeconds?: number;
};

/** `ProjectedVolumeSource` of core/v1. */
export type ProjectedVolumeSource = {
  defaultMode?: number;
  sources?: VolumeProjection[];
};

/** `QueuingConfiguration` of flowcontrol/v1. */
export type QueuingConfiguration = {
  handSize?: number;
  queueLengthLimit?: number;
  queues?: number;
};

/** `QuobyteVolumeSource` of core/v1. */
export type QuobyteVolumeSource = {
  group?: string;
  readOnly?: boolean;
  registry: string;
  tenant?: string;
  user?: string;
  volume: string;
};

/** `RBDPersistentVolumeSource` of core/v1. */
export type RBDPersistentVolumeSource = {
  fsType?: string;
  image: string;
  keyring?: string;
  monitors: string[];
  pool?: string;
  readOnly?: boolean;
  secretRef?: SecretReference;
  user?: string;
};

/** `RBDVolumeSource` of core/v1. */
export type RBDVolumeSource = {
  fsType?: string;
  image: string;
  keyring?: string;
  monitors: string[];
  pool?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  user?: string;
};

/** `ReplicaSet` of apps/v1. */
export type ReplicaSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ReplicaSetSpec;
  status?: ReplicaSetStatus;
};

/** `ReplicaSetCondition` of apps/v1. */
export type ReplicaSetCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `ReplicaSetSpec` of apps/v1. */
export type ReplicaSetSpec = {
  minReadySeconds?: number;
  replicas?: number;
  selector: LabelSelector;
  template?: PodTemplateSpec;
};

/** `ReplicaSetStatus` of apps/v1. */
export type ReplicaSetStatus = {
  availableReplicas?: number;
  conditions?: ReplicaSetCondition[];
  fullyLabeledReplicas?: number;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
  terminatingReplicas?: number;
};

/** `ReplicationController` of core/v1. */
export type ReplicationController = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ReplicationControllerSpec;
  status?: ReplicationControllerStatus;
};

/** `ReplicationControllerCondition` of core/v1. */
export type ReplicationControllerCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `ReplicationControllerSpec` of core/v1. */
export type ReplicationControllerSpec = {
  minReadySeconds?: number;
  replicas?: number;
  selector?: Record<string, string>;
  template?: PodTemplateSpec;
};

/** `ReplicationControllerStatus` of core/v1. */
export type ReplicationControllerStatus = {
  availableReplicas?: number;
  conditions?: ReplicationControllerCondition[];
  fullyLabeledReplicas?: number;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
};

/** `ResourceAttributes` of authorization/v1. */
export type ResourceAttributes = {
  fieldSelector?: FieldSelectorAttributes;
  group?: string;
  labelSelector?: LabelSelectorAttributes;
  name?: string;
  namespace?: string;
  resource?: string;
  subresource?: string;
  verb?: string;
  version?: string;
};

/** `ResourceClaim` of resource/v1. */
export type ResourceClaim = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: ResourceClaimSpec;
  status?: ResourceClaimStatus;
};

/** `ResourceClaimConsumerReference` of resource/v1. */
export type ResourceClaimConsumerReference = {
  apiGroup?: string;
  name: string;
  resource: string;
  uid: string;
};

/** `ResourceClaimSpec` of resource/v1. */
export type ResourceClaimSpec = {
  devices?: DeviceClaim;
};

/** `ResourceClaimStatus` of resource/v1. */
export type ResourceClaimStatus = {
  allocation?: AllocationResult;
  devices?: AllocatedDeviceStatus[];
  reservedFor?: ResourceClaimConsumerReference[];
};

/** `ResourceClaimTemplate` of resource/v1. */
export type ResourceClaimTemplate = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: ResourceClaimTemplateSpec;
};

/** `ResourceClaimTemplateSpec` of resource/v1. */
export type ResourceClaimTemplateSpec = {
  metadata?: ObjectMeta;
  spec: ResourceClaimSpec;
};

/** `ResourceFieldSelector` of core/v1. */
export type ResourceFieldSelector = {
  containerName?: string;
  divisor?: number | string;
  resource: string;
};

/** `ResourceHealth` of core/v1. */
export type ResourceHealth = {
  health?: string;
  message?: string;
  resourceID: string;
};

/** `ResourceMetricSource` of autoscaling/v2. */
export type ResourceMetricSource = {
  name: string;
  target: MetricTarget;
};

/** `ResourceMetricStatus` of autoscaling/v2. */
export type ResourceMetricStatus = {
  current: MetricValueStatus;
  name: string;
};

/** `ResourcePolicyRule` of flowcontrol/v1. */
export type ResourcePolicyRule = {
  apiGroups: string[];
  clusterScope?: boolean;
  namespaces?: string[];
  resources: string[];
  verbs: string[];
};

/** `ResourcePool` of resource/v1. */
export type ResourcePool = {
  generation: number;
  name: string;
  resourceSliceCount: number;
};

/** `ResourceQuota` of core/v1. */
export type ResourceQuota = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ResourceQuotaSpec;
  status?: ResourceQuotaStatus;
};

/** `ResourceQuotaSpec` of core/v1. */
export type ResourceQuotaSpec = {
  hard?: Record<string, number | string>;
  scopeSelector?: ScopeSelector;
  scopes?: string[];
};

/** `ResourceQuotaStatus` of core/v1. */
export type ResourceQuotaStatus = {
  hard?: Record<string, number | string>;
  used?: Record<string, number | string>;
};

/** `ResourceRequirements` of core/v1. */
export type ResourceRequirements = {
  claims?: CoreResourceClaim[];
  limits?: Record<string, number | string>;
  requests?: Record<string, number | string>;
};

/** `ResourceRule` of authorization/v1. */
export type ResourceRule = {
  apiGroups?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
};

/** `ResourceSlice` of resource/v1. */
export type ResourceSlice = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: ResourceSliceSpec;
};

/** `ResourceSliceSpec` of resource/v1. */
export type ResourceSliceSpec = {
  allNodes?: boolean;
  devices?: Device[];
  driver: string;
  nodeName?: string;
  nodeSelector?: NodeSelector;
  perDeviceNodeSelection?: boolean;
  pool: ResourcePool;
  sharedCounters?: CounterSet[];
};

/** `ResourceStatus` of core/v1. */
export type ResourceStatus = {
  name: string;
  resources?: ResourceHealth[];
};

/** `Role` of rbac/v1. */
export type Role = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  rules?: PolicyRule[];
};

/** `RoleBinding` of rbac/v1. */
export type RoleBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  roleRef: RoleRef;
  subjects?: Subject[];
};

/** `RoleRef` of rbac/v1. */
export type RoleRef = {
  apiGroup?: string;
  kind: string;
  name: string;
};

/** `RollingUpdateDaemonSet` of apps/v1. */
export type RollingUpdateDaemonSet = {
  maxSurge?: number | string;
  maxUnavailable?: number | string;
};

/** `RollingUpdateDeployment` of apps/v1. */
export type RollingUpdateDeployment = {
  maxSurge?: number | string;
  maxUnavailable?: number | string;
};

/** `RollingUpdateStatefulSetStrategy` of apps/v1. */
export type RollingUpdateStatefulSetStrategy = {
  maxUnavailable?: number | string;
  partition?: number;
};

/** `RuleWithOperations` of admissionregistration/v1. */
export type RuleWithOperations = {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resources?: string[];
  scope?: string;
};

/** `RuntimeClass` of node/v1. */
export type RuntimeClass = {
  apiVersion?: string;
  handler: string;
  kind?: string;
  metadata?: ObjectMeta;
  overhead?: Overhead;
  scheduling?: Scheduling;
};

/** `SELinuxOptions` of core/v1. */
export type SELinuxOptions = {
  level?: string;
  role?: string;
  type?: string;
  user?: string;
};

/** `ScaleIOPersistentVolumeSource` of core/v1. */
export type ScaleIOPersistentVolumeSource = {
  fsType?: string;
  gateway: string;
  protectionDomain?: string;
  readOnly?: boolean;
  secretRef: SecretReference;
  sslEnabled?: boolean;
  storageMode?: string;
  storagePool?: string;
  system: string;
  volumeName?: string;
};

/** `ScaleIOVolumeSource` of core/v1. */
export type ScaleIOVolumeSource = {
  fsType?: string;
  gateway: string;
  protectionDomain?: string;
  readOnly?: boolean;
  secretRef: LocalObjectReference;
  sslEnabled?: boolean;
  storageMode?: string;
  storagePool?: string;
  system: string;
  volumeName?: string;
};

/** `Scheduling` of node/v1. */
export type Scheduling = {
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
};

/** `ScopeSelector` of core/v1. */
export type ScopeSelector = {
  matchExpressions?: ScopedResourceSelectorRequirement[];
};

/** `ScopedResourceSelectorRequirement` of core/v1. */
export type ScopedResourceSelectorRequirement = {
  operator: string;
  scopeName: string;
  values?: string[];
};

/** `SeccompProfile` of core/v1. */
export type SeccompProfile = {
  localhostProfile?: string;
  type: string;
};

/** `Secret` of core/v1. */
export type Secret = {
  apiVersion?: string;
  data?: Record<string, string>;
  immutable?: boolean;
  kind?: string;
  metadata?: ObjectMeta;
  stringData?: Record<string, string>;
  type?: string;
};

/** `SecretEnvSource` of core/v1. */
export type SecretEnvSource = {
  name?: string;
  optional?: boolean;
};

/** `SecretKeySelector` of core/v1. */
export type SecretKeySelector = {
  key: string;
  name?: string;
  optional?: boolean;
};

/** `SecretProjection` of core/v1. */
export type SecretProjection = {
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
};

/** `SecretReference` of core/v1. */
export type SecretReference = {
  name?: string;
  namespace?: string;
};

/** `SecretVolumeSource` of core/v1. */
export type SecretVolumeSource = {
  defaultMode?: number;
  items?: KeyToPath[];
  optional?: boolean;
  secretName?: string;
};

/** `SecurityContext` of core/v1. */
export type SecurityContext = {
  allowPrivilegeEscalation?: boolean;
  appArmorProfile?: AppArmorProfile;
  capabilities?: Capabilities;
  privileged?: boolean;
  procMount?: string;
  readOnlyRootFilesystem?: boolean;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxOptions?: SELinuxOptions;
  seccompProfile?: SeccompProfile;
  windowsOptions?: WindowsSecurityContextOptions;
};

/** `SelectableField` of apiextensions/v1. */
export type SelectableField = {
  jsonPath: string;
};

/** `SelfSubjectAccessReview` of authorization/v1. */
export type SelfSubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
};

/** `SelfSubjectAccessReviewSpec` of authorization/v1. */
export type SelfSubjectAccessReviewSpec = {
  nonResourceAttributes?: NonResourceAttributes;
  resourceAttributes?: ResourceAttributes;
};

/** `SelfSubjectReview` of authentication/v1. */
export type SelfSubjectReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  status?: SelfSubjectReviewStatus;
};

/** `SelfSubjectReviewStatus` of authentication/v1. */
export type SelfSubjectReviewStatus = {
  userInfo?: UserInfo;
};

/** `SelfSubjectRulesReview` of authorization/v1. */
export type SelfSubjectRulesReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
};

/** `SelfSubjectRulesReviewSpec` of authorization/v1. */
export type SelfSubjectRulesReviewSpec = {
  namespace?: string;
};

/** `Service` of core/v1. */
export type Service = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ServiceSpec;
  status?: ServiceStatus;
};

/** `ServiceAccount` of core/v1. */
export type ServiceAccount = {
  apiVersion?: string;
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: LocalObjectReference[];
  kind?: string;
  metadata?: ObjectMeta;
  secrets?: ObjectReference[];
};

/** `ServiceAccountSubject` of flowcontrol/v1. */
export type ServiceAccountSubject = {
  name: string;
  namespace: string;
};

/** `ServiceAccountTokenProjection` of core/v1. */
export type ServiceAccountTokenProjection = {
  audience?: string;
  expirationSeconds?: number;
  path: string;
};

/** `ServiceBackendPort` of networking/v1. */
export type ServiceBackendPort = {
  name?: string;
  number?: number;
};

/** `ServiceCIDR` of networking/v1. */
export type ServiceCIDR = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
};

/** `ServiceCIDRSpec` of networking/v1. */
export type ServiceCIDRSpec = {
  cidrs?: string[];
};

/** `ServiceCIDRStatus` of networking/v1. */
export type ServiceCIDRStatus = {
  conditions?: Condition[];
};

/** `ServicePort` of core/v1. */
export type ServicePort = {
  appProtocol?: string;
  name?: string;
  nodePort?: number;
  port: number;
  protocol?: string;
  targetPort?: number | string;
};

/** `ServiceReference` of admissionregistration/v1. */
export type ServiceReference = {
  name: string;
  namespace: string;
  path?: string;
  port?: number;
};

/** `ServiceSpec` of core/v1. */
export type ServiceSpec = {
  allocateLoadBalancerNodePorts?: boolean;
  clusterIP?: string;
  clusterIPs?: string[];
  externalIPs?: string[];
  externalName?: string;
  externalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  internalTrafficPolicy?: string;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  loadBalancerClass?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  ports?: ServicePort[];
  publishNotReadyAddresses?: boolean;
  selector?: Record<string, string>;
  sessionAffinity?: string;
  sessionAffinityConfig?: SessionAffinityConfig;
  trafficDistribution?: string;
  type?: string;
};

/** `ServiceStatus` of core/v1. */
export type ServiceStatus = {
  conditions?: Condition[];
  loadBalancer?: LoadBalancerStatus;
};

/** `SessionAffinityConfig` of core/v1. */
export type SessionAffinityConfig = {
  clientIP?: ClientIPConfig;
};

/** `SleepAction` of core/v1. */
export type SleepAction = {
  seconds: number;
};

/** `StatefulSet` of apps/v1. */
export type StatefulSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: StatefulSetSpec;
  status?: StatefulSetStatus;
};

/** `StatefulSetCondition` of apps/v1. */
export type StatefulSetCondition = {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

/** `StatefulSetOrdinals` of apps/v1. */
export type StatefulSetOrdinals = {
  start?: number;
};

/** `StatefulSetPersistentVolumeClaimRetentionPolicy` of apps/v1. */
export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  whenDeleted?: string;
  whenScaled?: string;
};

/** `StatefulSetSpec` of apps/v1. */
export type StatefulSetSpec = {
  minReadySeconds?: number;
  ordinals?: StatefulSetOrdinals;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  podManagementPolicy?: string;
  replicas?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  serviceName?: string;
  template: PodTemplateSpec;
  updateStrategy?: StatefulSetUpdateStrategy;
  volumeClaimTemplates?: PersistentVolumeClaim[];
};

/** `StatefulSetStatus` of apps/v1. */
export type StatefulSetStatus = {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  currentReplicas?: number;
  currentRevision?: string;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
  updateRevision?: string;
  updatedReplicas?: number;
};

/** `StatefulSetUpdateStrategy` of apps/v1. */
export type StatefulSetUpdateStrategy = {
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  type?: string;
};

/** `StorageClass` of storage/v1. */
export type StorageClass = {
  allowVolumeExpansion?: boolean;
  allowedTopologies?: TopologySelectorTerm[];
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  mountOptions?: string[];
  parameters?: Record<string, string>;
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
};

/** `StorageOSPersistentVolumeSource` of core/v1. */
export type StorageOSPersistentVolumeSource = {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: ObjectReference;
  volumeName?: string;
  volumeNamespace?: string;
};

/** `StorageOSVolumeSource` of core/v1. */
export type StorageOSVolumeSource = {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  volumeName?: string;
  volumeNamespace?: string;
};

/** `Subject` of rbac/v1. */
export type Subject = {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
};

/** `SubjectAccessReview` of authorization/v1. */
export type SubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
};

/** `SubjectAccessReviewSpec` of authorization/v1. */
export type SubjectAccessReviewSpec = {
  extra?: Record<string, string[]>;
  groups?: string[];
  nonResourceAttributes?: NonResourceAttributes;
  resourceAttributes?: ResourceAttributes;
  uid?: string;
  user?: string;
};

/** `SubjectAccessReviewStatus` of authorization/v1. */
export type SubjectAccessReviewStatus = {
  allowed: boolean;
  denied?: boolean;
  evaluationError?: string;
  reason?: string;
};

/** `SubjectRulesReviewStatus` of authorization/v1. */
export type SubjectRulesReviewStatus = {
  evaluationError?: string;
  incomplete: boolean;
  nonResourceRules: NonResourceRule[];
  resourceRules: ResourceRule[];
};

/** `SuccessPolicy` of batch/v1. */
export type SuccessPolicy = {
  rules: SuccessPolicyRule[];
};

/** `SuccessPolicyRule` of batch/v1. */
export type SuccessPolicyRule = {
  succeededCount?: number;
  succeededIndexes?: string;
};

/** `Sysctl` of core/v1. */
export type Sysctl = {
  name: string;
  value: string;
};

/** `TCPSocketAction` of core/v1. */
export type TCPSocketAction = {
  host?: string;
  port: number | string;
};

/** `Taint` of core/v1. */
export type Taint = {
  effect: string;
  key: string;
  timeAdded?: string;
  value?: string;
};

/** `TokenRequest` of storage/v1. */
export type TokenRequest = {
  audience: string;
  expirationSeconds?: number;
};

/** `TokenReview` of authentication/v1. */
export type TokenReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus;
};

/** `TokenReviewSpec` of authentication/v1. */
export type TokenReviewSpec = {
  audiences?: string[];
  token: string;
};

/** `TokenReviewStatus` of authentication/v1. */
export type TokenReviewStatus = {
  audiences?: string[];
  authenticated?: boolean;
  error?: string;
  user?: UserInfo;
};

/** `Toleration` of core/v1. */
export type Toleration = {
  effect?: string;
  key?: string;
  operator?: string;
  tolerationSeconds?: number;
  value?: string;
};

/** `TopologySelectorLabelRequirement` of core/v1. */
export type TopologySelectorLabelRequirement = {
  key: string;
  values: string[];
};

/** `TopologySelectorTerm` of core/v1. */
export type TopologySelectorTerm = {
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
};

/** `TopologySpreadConstraint` of core/v1. */
export type TopologySpreadConstraint = {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  maxSkew: number;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  topologyKey: string;
  whenUnsatisfiable: string;
};

/** `TypeChecking` of admissionregistration/v1. */
export type TypeChecking = {
  expressionWarnings?: ExpressionWarning[];
};

/** `TypedLocalObjectReference` of core/v1. */
export type TypedLocalObjectReference = {
  apiGroup?: string;
  kind: string;
  name: string;
};

/** `TypedObjectReference` of core/v1. */
export type TypedObjectReference = {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
};

/** `UncountedTerminatedPods` of batch/v1. */
export type UncountedTerminatedPods = {
  failed?: string[];
  succeeded?: string[];
};

/** `UserInfo` of authentication/v1. */
export type UserInfo = {
  extra?: Record<string, string[]>;
  groups?: string[];
  uid?: string;
  username?: string;
};

/** `UserSubject` of flowcontrol/v1. */
export type UserSubject = {
  name: string;
};

/** `ValidatingAdmissionPolicy` of admissionregistration/v1. */
export type ValidatingAdmissionPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
};

/** `ValidatingAdmissionPolicyBinding` of admissionregistration/v1. */
export type ValidatingAdmissionPolicyBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: ValidatingAdmissionPolicyBindingSpec;
};

/** `ValidatingAdmissionPolicyBindingSpec` of admissionregistration/v1. */
export type ValidatingAdmissionPolicyBindingSpec = {
  matchResources?: MatchResources;
  paramRef?: ParamRef;
  policyName: string;
  validationActions: string[];
};

/** `ValidatingAdmissionPolicySpec` of admissionregistration/v1. */
export type ValidatingAdmissionPolicySpec = {
  auditAnnotations?: AuditAnnotation[];
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchConstraints?: MatchResources;
  paramKind?: ParamKind;
  validations?: Validation[];
  variables?: Variable[];
};

/** `ValidatingAdmissionPolicyStatus` of admissionregistration/v1. */
export type ValidatingAdmissionPolicyStatus = {
  conditions?: Condition[];
  observedGeneration?: number;
  typeChecking?: TypeChecking;
};

/** `ValidatingWebhook` of admissionregistration/v1. */
export type ValidatingWebhook = {
  admissionReviewVersions: string[];
  clientConfig: WebhookClientConfig;
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchPolicy?: string;
  name: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  rules?: RuleWithOperations[];
  sideEffects: string;
  timeoutSeconds?: number;
};

/** `ValidatingWebhookConfiguration` of admissionregistration/v1. */
export type ValidatingWebhookConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  webhooks?: ValidatingWebhook[];
};

/** `Validation` of admissionregistration/v1. */
export type Validation = {
  expression: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
};

/** `ValidationRule` of apiextensions/v1. */
export type ValidationRule = {
  fieldPath?: string;
  message?: string;
  messageExpression?: string;
  optionalOldSelf?: boolean;
  reason?: string;
  rule: string;
};

/** `Variable` of admissionregistration/v1. */
export type Variable = {
  expression: string;
  name: string;
};

/** `Volume` of core/v1. */
export type Volume = {
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  azureFile?: AzureFileVolumeSource;
  cephfs?: CephFSVolumeSource;
  cinder?: CinderVolumeSource;
  configMap?: ConfigMapVolumeSource;
  csi?: CSIVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  emptyDir?: EmptyDirVolumeSource;
  ephemeral?: EphemeralVolumeSource;
  fc?: FCVolumeSource;
  flexVolume?: FlexVolumeSource;
  flocker?: FlockerVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  gitRepo?: GitRepoVolumeSource;
  glusterfs?: GlusterfsVolumeSource;
  hostPath?: HostPathVolumeSource;
  image?: ImageVolumeSource;
  iscsi?: ISCSIVolumeSource;
  name: string;
  nfs?: NFSVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  projected?: ProjectedVolumeSource;
  quobyte?: QuobyteVolumeSource;
  rbd?: RBDVolumeSource;
  scaleIO?: ScaleIOVolumeSource;
  secret?: SecretVolumeSource;
  storageos?: StorageOSVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
};

/** `VolumeAttachment` of storage/v1. */
export type VolumeAttachment = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
};

/** `VolumeAttachmentSource` of storage/v1. */
export type VolumeAttachmentSource = {
  inlineVolumeSpec?: PersistentVolumeSpec;
  persistentVolumeName?: string;
};

/** `VolumeAttachmentSpec` of storage/v1. */
export type VolumeAttachmentSpec = {
  attacher: string;
  nodeName: string;
  source: VolumeAttachmentSource;
};

/** `VolumeAttachmentStatus` of storage/v1. */
export type VolumeAttachmentStatus = {
  attachError?: VolumeError;
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  detachError?: VolumeError;
};

/** `VolumeAttributesClass` of storage/v1. */
export type VolumeAttributesClass = {
  apiVersion?: string;
  driverName: string;
  kind?: string;
  metadata?: ObjectMeta;
  parameters?: Record<string, string>;
};

/** `VolumeDevice` of core/v1. */
export type VolumeDevice = {
  devicePath: string;
  name: string;
};

/** `VolumeError` of storage/v1. */
export type VolumeError = {
  errorCode?: number;
  message?: string;
  time?: string;
};

/** `VolumeMount` of core/v1. */
export type VolumeMount = {
  mountPath: string;
  mountPropagation?: string;
  name: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  subPath?: string;
  subPathExpr?: string;
};

/** `VolumeMountStatus` of core/v1. */
export type VolumeMountStatus = {
  mountPath: string;
  name: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  volumeStatus?: VolumeStatus;
};

/** `VolumeNodeAffinity` of core/v1. */
export type VolumeNodeAffinity = {
  required?: NodeSelector;
};

/** `VolumeNodeResources` of storage/v1. */
export type VolumeNodeResources = {
  count?: number;
};

/** `VolumeProjection` of core/v1. */
export type VolumeProjection = {
  clusterTrustBundle?: ClusterTrustBundleProjection;
  configMap?: ConfigMapProjection;
  downwardAPI?: DownwardAPIProjection;
  podCertificate?: PodCertificateProjection;
  secret?: SecretProjection;
  serviceAccountToken?: ServiceAccountTokenProjection;
};

/** `VolumeResourceRequirements` of core/v1. */
export type VolumeResourceRequirements = {
  limits?: Record<string, number | string>;
  requests?: Record<string, number | string>;
};

/** `VolumeStatus` of core/v1. */
export type VolumeStatus = {
  image?: ImageVolumeStatus;
};

/** `VsphereVirtualDiskVolumeSource` of core/v1. */
export type VsphereVirtualDiskVolumeSource = {
  fsType?: string;
  storagePolicyID?: string;
  storagePolicyName?: string;
  volumePath: string;
};

/** `WebhookClientConfig` of admissionregistration/v1. */
export type WebhookClientConfig = {
  caBundle?: string;
  service?: ServiceReference;
  url?: string;
};

/** `WebhookConversion` of apiextensions/v1. */
export type WebhookConversion = {
  clientConfig?: ApiextensionsWebhookClientConfig;
  conversionReviewVersions: string[];
};

/** `WeightedPodAffinityTerm` of core/v1. */
export type WeightedPodAffinityTerm = {
  podAffinityTerm: PodAffinityTerm;
  weight: number;
};

/** `WindowsSecurityContextOptions` of core/v1. */
export type WindowsSecurityContextOptions = {
  gmsaCredentialSpec?: string;
  gmsaCredentialSpecName?: string;
  hostProcess?: boolean;
  runAsUserName?: string;
};
