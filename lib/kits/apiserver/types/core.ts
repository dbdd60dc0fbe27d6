/**
 * The types of the core group.
 *
 * Source: api/openapi-spec/swagger.json of Kubernetes 1.36.3, and the struct tags in its Go sources, in the notation that
 * `mod.ts` explains. tests/conformance/apiserver/notation.ts makes it, and a test compares the two.
 */

/** One type in a line: its name, flags of the type, and its fields. */
export const CORE = `
core.AWSElasticBlockStoreVolumeSource fsType:s/2 partition:i/3 readOnly:b/4 volumeID:s*/1
core.Affinity nodeAffinity:NodeAffinity/1? podAffinity:PodAffinity/2? podAntiAffinity:PodAntiAffinity/3?
core.AppArmorProfile localhostProfile:s/2? type:s*/1
core.AttachedVolume devicePath:s*/2 name:s*/1
core.AzureDiskVolumeSource cachingMode:s/3? diskName:s*/1 diskURI:s*/2 fsType:s/4? kind:s/6? readOnly:b/5?
core.AzureFilePersistentVolumeSource readOnly:b/3 secretName:s*/1 secretNamespace:s/4? shareName:s*/2
core.AzureFileVolumeSource readOnly:b/3 secretName:s*/1 shareName:s*/2
core.Binding apiVersion:s kind:s metadata:meta.ObjectMeta/1 target:ObjectReference*/2
core.CSIPersistentVolumeSource controllerExpandSecretRef:SecretReference/9? controllerPublishSecretRef:SecretReference/6? driver:s*/1 fsType:s/4 nodeExpandSecretRef:SecretReference/10? nodePublishSecretRef:SecretReference/8? nodeStageSecretRef:SecretReference/7? readOnly:b/3 volumeAttributes:{s}/5 volumeHandle:s*/2
core.CSIVolumeSource driver:s*/1 fsType:s/3? nodePublishSecretRef:LocalObjectReference/5? readOnly:b/2? volumeAttributes:{s}/4
core.Capabilities add:[s]=/1 drop:[s]=/2
core.CephFSPersistentVolumeSource monitors:[s]*=/1 path:s/2 readOnly:b/6 secretFile:s/4 secretRef:SecretReference/5? user:s/3
core.CephFSVolumeSource monitors:[s]*=/1 path:s/2 readOnly:b/6 secretFile:s/4 secretRef:LocalObjectReference/5? user:s/3
core.CinderPersistentVolumeSource fsType:s/2 readOnly:b/3 secretRef:SecretReference/4? volumeID:s*/1
core.CinderVolumeSource fsType:s/2 readOnly:b/3 secretRef:LocalObjectReference/4? volumeID:s*/1
core.ClientIPConfig timeoutSeconds:i/1?
core.ClusterTrustBundleProjection labelSelector:meta.LabelSelector/3? name:s/1? optional:b/5? path:s*/4 signerName:s/2?
core.ComponentCondition error:s/4 message:s/3 status:s*/2 type:s*/1
core.ComponentStatus apiVersion:s conditions:[ComponentCondition]@type#type/2 kind:s metadata:meta.ObjectMeta/1
core.ConfigMap apiVersion:s binaryData:{y}/3 data:{s}/2 immutable:b/4? kind:s metadata:meta.ObjectMeta/1
core.ConfigMapEnvSource name:s/1.1 optional:b/2?
core.ConfigMapKeySelector ^ key:s*/2 name:s/1.1 optional:b/3?
core.ConfigMapNodeConfigSource kubeletConfigKey:s*/5 name:s*/2 namespace:s*/1 resourceVersion:s/4 uid:s/3
core.ConfigMapProjection items:[KeyToPath]=/2 name:s/1.1 optional:b/4?
core.ConfigMapVolumeSource defaultMode:i/3? items:[KeyToPath]=/2 name:s/1.1 optional:b/4?
core.Container args:[s]=/4 command:[s]=/3 env:[EnvVar]@name#name/7 envFrom:[EnvFromSource]=/19 image:s/2 imagePullPolicy:s/14 lifecycle:Lifecycle/12? livenessProbe:Probe/10? name:s*/1 ports:[ContainerPort]@containerPort#containerPort,protocol/6 readinessProbe:Probe/11? resizePolicy:[ContainerResizePolicy]=/23 resources:ResourceRequirements/8 restartPolicy:s/24? restartPolicyRules:[ContainerRestartRule]=/25 securityContext:SecurityContext/15? startupProbe:Probe/22? stdin:b/16 stdinOnce:b/17 terminationMessagePath:s/13 terminationMessagePolicy:s/20 tty:b/18 volumeDevices:[VolumeDevice]@devicePath#devicePath/21 volumeMounts:[VolumeMount]@mountPath#mountPath/9 workingDir:s/5
core.ContainerExtendedResourceRequest containerName:s*/1 requestName:s*/3 resourceName:s*/2
core.ContainerImage names:[s]=/1 sizeBytes:l/2
core.ContainerPort containerPort:i*/3 hostIP:s/5 hostPort:i/2 name:s/1 protocol:s/4
core.ContainerResizePolicy resourceName:s*/1 restartPolicy:s*/2
core.ContainerRestartRule action:s*/1 exitCodes:ContainerRestartRuleOnExitCodes/2?
core.ContainerRestartRuleOnExitCodes operator:s*/1 values:[i]&/2
core.ContainerState running:ContainerStateRunning/2? terminated:ContainerStateTerminated/3? waiting:ContainerStateWaiting/1?
core.ContainerStateRunning startedAt:meta.Time/1
core.ContainerStateTerminated containerID:s/7 exitCode:i*/1 finishedAt:meta.Time/6 message:s/4 reason:s/3 signal:i/2 startedAt:meta.Time/5
core.ContainerStateWaiting message:s/2 reason:s/1
core.ContainerStatus allocatedResources:{Quantity}/10 allocatedResourcesStatus:[ResourceStatus]@name#name/14 containerID:s/8 image:s*/6 imageID:s*/7 lastState:ContainerState/3 name:s*/1 ready:b*/4 resources:ResourceRequirements/11? restartCount:i*/5 started:b/9? state:ContainerState/2 stopSignal:s/15? user:ContainerUser/13? volumeMounts:[VolumeMountStatus]@mountPath#mountPath/12
core.ContainerUser linux:LinuxContainerUser/1?
core.DaemonEndpoint Port:i*/1
core.DownwardAPIProjection items:[DownwardAPIVolumeFile]=/1
core.DownwardAPIVolumeFile fieldRef:ObjectFieldSelector/2? mode:i/4? path:s*/1 resourceFieldRef:ResourceFieldSelector/3?
core.DownwardAPIVolumeSource defaultMode:i/2? items:[DownwardAPIVolumeFile]=/1
core.EmptyDirVolumeSource medium:s/1 sizeLimit:Quantity/2?
core.EndpointAddress ^ hostname:s/3 ip:s*/1 nodeName:s/4? targetRef:ObjectReference/2?
core.EndpointPort ^ appProtocol:s/4? name:s/1 port:i*/2 protocol:s/3
core.EndpointSubset addresses:[EndpointAddress]=/1 notReadyAddresses:[EndpointAddress]=/2 ports:[EndpointPort]=/3
core.Endpoints apiVersion:s kind:s metadata:meta.ObjectMeta/1 subsets:[EndpointSubset]=/2
core.EnvFromSource configMapRef:ConfigMapEnvSource/2? prefix:s/1 secretRef:SecretEnvSource/3?
core.EnvVar name:s*/1 value:s/2 valueFrom:EnvVarSource/3?
core.EnvVarSource configMapKeyRef:ConfigMapKeySelector/3? fieldRef:ObjectFieldSelector/1? fileKeyRef:FileKeySelector/5? resourceFieldRef:ResourceFieldSelector/2? secretKeyRef:SecretKeySelector/4?
core.EphemeralContainer args:[s]=/1.4 command:[s]=/1.3 env:[EnvVar]@name#name/1.7 envFrom:[EnvFromSource]=/1.19 image:s/1.2 imagePullPolicy:s/1.14 lifecycle:Lifecycle/1.12? livenessProbe:Probe/1.10? name:s*/1.1 ports:[ContainerPort]@containerPort#containerPort,protocol/1.6 readinessProbe:Probe/1.11? resizePolicy:[ContainerResizePolicy]=/1.23 resources:ResourceRequirements/1.8 restartPolicy:s/1.24? restartPolicyRules:[ContainerRestartRule]=/1.25 securityContext:SecurityContext/1.15? startupProbe:Probe/1.22? stdin:b/1.16 stdinOnce:b/1.17 targetContainerName:s/2 terminationMessagePath:s/1.13 terminationMessagePolicy:s/1.20 tty:b/1.18 volumeDevices:[VolumeDevice]@devicePath#devicePath/1.21 volumeMounts:[VolumeMount]@mountPath#mountPath/1.9 workingDir:s/1.5
core.EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate/1?
core.Event action:s/12 apiVersion:s count:i/8 eventTime:meta.MicroTime/10 firstTimestamp:meta.Time/6 involvedObject:ObjectReference*/2 kind:s lastTimestamp:meta.Time/7 message:s/4 metadata:meta.ObjectMeta*/1 reason:s/3 related:ObjectReference/13? reportingComponent:s/14 reportingInstance:s/15 series:EventSeries/11? source:EventSource/5 type:s/9
core.EventSeries count:i/1 lastObservedTime:meta.MicroTime/2
core.EventSource component:s/1 host:s/2
core.ExecAction command:[s]=/1
core.FCVolumeSource fsType:s/3 lun:i/2? readOnly:b/4 targetWWNs:[s]=/1 wwids:[s]=/5
core.FileKeySelector ^ key:s*/3 optional:b/4? path:s*/2 volumeName:s*/1
core.FlexPersistentVolumeSource driver:s*/1 fsType:s/2 options:{s}/5 readOnly:b/4 secretRef:SecretReference/3?
core.FlexVolumeSource driver:s*/1 fsType:s/2 options:{s}/5 readOnly:b/4 secretRef:LocalObjectReference/3?
core.FlockerVolumeSource datasetName:s/1 datasetUUID:s/2
core.GCEPersistentDiskVolumeSource fsType:s/2 partition:i/3 pdName:s*/1 readOnly:b/4
core.GRPCAction port:i*/1 service:s/2?
core.GitRepoVolumeSource directory:s/3 repository:s*/1 revision:s/2
core.GlusterfsPersistentVolumeSource endpoints:s*/1 endpointsNamespace:s/4? path:s*/2 readOnly:b/3
core.GlusterfsVolumeSource endpoints:s*/1 path:s*/2 readOnly:b/3
core.HTTPGetAction host:s/3 httpHeaders:[HTTPHeader]=/5 path:s/1 port:IntOrString*/2 scheme:s/4
core.HTTPHeader name:s*/1 value:s*/2
core.HostAlias hostnames:[s]=/2 ip:s*/1
core.HostIP ip:s*/1
core.HostPathVolumeSource path:s*/1 type:s/2?
core.ISCSIPersistentVolumeSource chapAuthDiscovery:b/8 chapAuthSession:b/11 fsType:s/5 initiatorName:s/12? iqn:s*/2 iscsiInterface:s/4 lun:i*/3 portals:[s]=/7 readOnly:b/6 secretRef:SecretReference/10? targetPortal:s*/1
core.ISCSIVolumeSource chapAuthDiscovery:b/8 chapAuthSession:b/11 fsType:s/5 initiatorName:s/12? iqn:s*/2 iscsiInterface:s/4 lun:i*/3 portals:[s]=/7 readOnly:b/6 secretRef:LocalObjectReference/10? targetPortal:s*/1
core.ImageVolumeSource pullPolicy:s/2 reference:s/1
core.ImageVolumeStatus imageRef:s*/1
core.KeyToPath key:s*/1 mode:i/3? path:s*/2
core.Lifecycle postStart:LifecycleHandler/1? preStop:LifecycleHandler/2? stopSignal:s/3?
core.LifecycleHandler exec:ExecAction/1? httpGet:HTTPGetAction/2? sleep:SleepAction/4? tcpSocket:TCPSocketAction/3?
core.LimitRange apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:LimitRangeSpec/2
core.LimitRangeItem default:{Quantity}/4 defaultRequest:{Quantity}/5 max:{Quantity}/2 maxLimitRequestRatio:{Quantity}/6 min:{Quantity}/3 type:s*/1
core.LimitRangeSpec limits:[LimitRangeItem]*=/1
core.LinuxContainerUser gid:l*/2 supplementalGroups:[l]=/3 uid:l*/1
core.LoadBalancerIngress hostname:s/2 ip:s/1 ipMode:s/3? ports:[PortStatus]=/4
core.LoadBalancerStatus ingress:[LoadBalancerIngress]=/1
core.LocalObjectReference ^ name:s/1
core.LocalVolumeSource fsType:s/2? path:s*/1
core.ModifyVolumeStatus status:s*/2 targetVolumeAttributesClassName:s/1
core.NFSVolumeSource path:s*/2 readOnly:b/3 server:s*/1
core.Namespace apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:NamespaceSpec/2 status:NamespaceStatus/3
core.NamespaceCondition lastTransitionTime:meta.Time/4 message:s/6 reason:s/5 status:s*/2 type:s*/1
core.NamespaceSpec finalizers:[s]=/1
core.NamespaceStatus conditions:[NamespaceCondition]@type#type/2 phase:s/1
core.Node apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:NodeSpec/2 status:NodeStatus/3
core.NodeAddress address:s*/2 type:s*/1
core.NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]=/2 requiredDuringSchedulingIgnoredDuringExecution:NodeSelector/1?
core.NodeAllocatableResourceClaimStatus containers:[s]&/2 resourceClaimName:s*/1 resources:{Quantity}*/3
core.NodeCondition lastHeartbeatTime:meta.Time/3 lastTransitionTime:meta.Time/4 message:s/6 reason:s/5 status:s*/2 type:s*/1
core.NodeConfigSource configMap:ConfigMapNodeConfigSource/2?
core.NodeConfigStatus active:NodeConfigSource/2? assigned:NodeConfigSource/1? error:s/4 lastKnownGood:NodeConfigSource/3?
core.NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint/1
core.NodeFeatures supplementalGroupsPolicy:b/1?
core.NodeRuntimeHandler features:NodeRuntimeHandlerFeatures/2? name:s/1
core.NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:b/1? userNamespaces:b/2?
core.NodeSelector ^ nodeSelectorTerms:[NodeSelectorTerm]*=/1
core.NodeSelectorRequirement key:s*/1 operator:s*/2 values:[s]=/3
core.NodeSelectorTerm ^ matchExpressions:[NodeSelectorRequirement]=/1 matchFields:[NodeSelectorRequirement]=/2
core.NodeSpec configSource:NodeConfigSource/6? externalID:s/2 podCIDR:s/1 podCIDRs:[s]+&/7 providerID:s/3 taints:[Taint]=/5 unschedulable:b/4
core.NodeStatus addresses:[NodeAddress]@type#type/5 allocatable:{Quantity}/2 capacity:{Quantity}/1 conditions:[NodeCondition]@type#type/4 config:NodeConfigStatus/11? daemonEndpoints:NodeDaemonEndpoints/6 declaredFeatures:[s]=/14 features:NodeFeatures/13? images:[ContainerImage]=/8 nodeInfo:NodeSystemInfo/7 phase:s/3 runtimeHandlers:[NodeRuntimeHandler]=/12 volumesAttached:[AttachedVolume]=/10 volumesInUse:[s]=/9
core.NodeSwapStatus capacity:l/1?
core.NodeSystemInfo architecture:s*/10 bootID:s*/3 containerRuntimeVersion:s*/6 kernelVersion:s*/4 kubeProxyVersion:s*/8 kubeletVersion:s*/7 machineID:s*/1 operatingSystem:s*/9 osImage:s*/5 swap:NodeSwapStatus/11? systemUUID:s*/2
core.ObjectFieldSelector ^ apiVersion:s/1 fieldPath:s*/2
core.ObjectReference ^ apiVersion:s/5 fieldPath:s/7 kind:s/1 name:s/3 namespace:s/2 resourceVersion:s/6 uid:s/4
core.PersistentVolume apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:PersistentVolumeSpec/2 status:PersistentVolumeStatus/3
core.PersistentVolumeClaim apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:PersistentVolumeClaimSpec/2 status:PersistentVolumeClaimStatus/3
core.PersistentVolumeClaimCondition lastProbeTime:meta.Time/3 lastTransitionTime:meta.Time/4 message:s/6 reason:s/5 status:s*/2 type:s*/1
core.PersistentVolumeClaimSpec accessModes:[s]=/1 dataSource:TypedLocalObjectReference/7? dataSourceRef:TypedObjectReference/8? resources:VolumeResourceRequirements/2 selector:meta.LabelSelector/4? storageClassName:s/5? volumeAttributesClassName:s/9? volumeMode:s/6? volumeName:s/3
core.PersistentVolumeClaimStatus accessModes:[s]=/2 allocatedResourceStatuses:{s}/7 allocatedResources:{Quantity}/5 capacity:{Quantity}/3 conditions:[PersistentVolumeClaimCondition]@type#type/4 currentVolumeAttributesClassName:s/8? modifyVolumeStatus:ModifyVolumeStatus/9? phase:s/1
core.PersistentVolumeClaimTemplate metadata:meta.ObjectMeta/1 spec:PersistentVolumeClaimSpec*/2
core.PersistentVolumeClaimVolumeSource claimName:s*/1 readOnly:b/2
core.PersistentVolumeSpec accessModes:[s]=/3 awsElasticBlockStore:AWSElasticBlockStoreVolumeSource/2.2? azureDisk:AzureDiskVolumeSource/2.16? azureFile:AzureFilePersistentVolumeSource/2.13? capacity:{Quantity}/1 cephfs:CephFSPersistentVolumeSource/2.9? cinder:CinderPersistentVolumeSource/2.8? claimRef:ObjectReference/4? csi:CSIPersistentVolumeSource/2.22? fc:FCVolumeSource/2.10? flexVolume:FlexPersistentVolumeSource/2.12? flocker:FlockerVolumeSource/2.11? gcePersistentDisk:GCEPersistentDiskVolumeSource/2.1? glusterfs:GlusterfsPersistentVolumeSource/2.4? hostPath:HostPathVolumeSource/2.3? iscsi:ISCSIPersistentVolumeSource/2.7? local:LocalVolumeSource/2.20? mountOptions:[s]=/7 nfs:NFSVolumeSource/2.5? nodeAffinity:VolumeNodeAffinity/9? persistentVolumeReclaimPolicy:s/5 photonPersistentDisk:PhotonPersistentDiskVolumeSource/2.17? portworxVolume:PortworxVolumeSource/2.18? quobyte:QuobyteVolumeSource/2.15? rbd:RBDPersistentVolumeSource/2.6? scaleIO:ScaleIOPersistentVolumeSource/2.19? storageClassName:s/6 storageos:StorageOSPersistentVolumeSource/2.21? volumeAttributesClassName:s/10? volumeMode:s/8? vsphereVolume:VsphereVirtualDiskVolumeSource/2.14?
core.PersistentVolumeStatus lastPhaseTransitionTime:meta.Time/4? message:s/2 phase:s/1 reason:s/3
core.PhotonPersistentDiskVolumeSource fsType:s/2 pdID:s*/1
core.Pod apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:PodSpec/2 status:PodStatus/3
core.PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]=/2 requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]=/1
core.PodAffinityTerm labelSelector:meta.LabelSelector/1? matchLabelKeys:[s]=/5 mismatchLabelKeys:[s]=/6 namespaceSelector:meta.LabelSelector/4? namespaces:[s]=/2 topologyKey:s*/3
core.PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]=/2 requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]=/1
core.PodCertificateProjection certificateChainPath:s/6 credentialBundlePath:s/4 keyPath:s/5 keyType:s*/2 maxExpirationSeconds:i/3? signerName:s*/1 userAnnotations:{s}/7
core.PodCondition lastProbeTime:meta.Time/3 lastTransitionTime:meta.Time/4 message:s/6 observedGeneration:l/7 reason:s/5 status:s*/2 type:s*/1
core.PodDNSConfig nameservers:[s]=/1 options:[PodDNSConfigOption]=/3 searches:[s]=/2
core.PodDNSConfigOption name:s/1 value:s/2?
core.PodExtendedResourceClaimStatus requestMappings:[ContainerExtendedResourceRequest]*=/1 resourceClaimName:s*/2
core.PodIP ip:s*/1
core.PodOS name:s*/1
core.PodReadinessGate conditionType:s*/1
core.PodResourceClaim name:s*/1 resourceClaimName:s/3? resourceClaimTemplateName:s/4?
core.PodResourceClaimStatus name:s*/1 resourceClaimName:s/2?
core.PodSchedulingGate name:s*/1
core.PodSchedulingGroup podGroupName:s/1?
core.PodSecurityContext appArmorProfile:AppArmorProfile/11? fsGroup:l/5? fsGroupChangePolicy:s/9? runAsGroup:l/6? runAsNonRoot:b/3? runAsUser:l/2? seLinuxChangePolicy:s/13? seLinuxOptions:SELinuxOptions/1? seccompProfile:SeccompProfile/10? supplementalGroups:[l]=/4 supplementalGroupsPolicy:s/12? sysctls:[Sysctl]=/7 windowsOptions:WindowsSecurityContextOptions/8?
core.PodSpec activeDeadlineSeconds:l/5? affinity:Affinity/18? automountServiceAccountToken:b/21? containers:[Container]*@name#name/2 dnsConfig:PodDNSConfig/26? dnsPolicy:s/6 enableServiceLinks:b/30? ephemeralContainers:[EphemeralContainer]@name#name/34 hostAliases:[HostAlias]@ip#ip/23 hostIPC:b/13 hostNetwork:b/11 hostPID:b/12 hostUsers:b/37? hostname:s/16 hostnameOverride:s/41? imagePullSecrets:[LocalObjectReference]@name#name/15 initContainers:[Container]@name#name/20 nodeName:s/10 nodeSelector:{s}^/7 os:PodOS/36? overhead:{Quantity}/32 preemptionPolicy:s/31? priority:i/25? priorityClassName:s/24 readinessGates:[PodReadinessGate]=/28 resourceClaims:[PodResourceClaim]@name~#name/39 resources:ResourceRequirements/40? restartPolicy:s/3 runtimeClassName:s/29? schedulerName:s/19 schedulingGates:[PodSchedulingGate]@name#name/38 schedulingGroup:PodSchedulingGroup/43? securityContext:PodSecurityContext/14? serviceAccount:s/9 serviceAccountName:s/8 setHostnameAsFQDN:b/35? shareProcessNamespace:b/27? subdomain:s/17 terminationGracePeriodSeconds:l/4? tolerations:[Toleration]=/22 topologySpreadConstraints:[TopologySpreadConstraint]@topologyKey#topologyKey,whenUnsatisfiable/33 volumes:[Volume]@name~#name/1
core.PodStatus allocatedResources:{Quantity}/19 conditions:[PodCondition]@type#type/2 containerStatuses:[ContainerStatus]=/8 ephemeralContainerStatuses:[ContainerStatus]=/13 extendedResourceClaimStatus:PodExtendedResourceClaimStatus/18? hostIP:s/5 hostIPs:[HostIP]@ip=/16 initContainerStatuses:[ContainerStatus]=/10 message:s/3 nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus]=/21 nominatedNodeName:s/11 observedGeneration:l/17 phase:s/1 podIP:s/6 podIPs:[PodIP]@ip#ip/12 qosClass:s/9 reason:s/4 resize:s/14 resourceClaimStatuses:[PodResourceClaimStatus]@name~#name/15 resources:ResourceRequirements/20? startTime:meta.Time/7?
core.PodTemplate apiVersion:s kind:s metadata:meta.ObjectMeta/1 template:PodTemplateSpec/2
core.PodTemplateSpec metadata:meta.ObjectMeta/1 spec:PodSpec/2
core.PortStatus error:s/3? port:i*/1 protocol:s*/2
core.PortworxVolumeSource fsType:s/2 readOnly:b/3 volumeID:s*/1
core.PreferredSchedulingTerm preference:NodeSelectorTerm*/2 weight:i*/1
core.Probe exec:ExecAction/1.1? failureThreshold:i/6 grpc:GRPCAction/1.4? httpGet:HTTPGetAction/1.2? initialDelaySeconds:i/2 periodSeconds:i/4 successThreshold:i/5 tcpSocket:TCPSocketAction/1.3? terminationGracePeriodSeconds:l/7? timeoutSeconds:i/3
core.ProjectedVolumeSource defaultMode:i/2? sources:[VolumeProjection]=/1
core.QuobyteVolumeSource group:s/5 readOnly:b/3 registry:s*/1 tenant:s/6 user:s/4 volume:s*/2
core.RBDPersistentVolumeSource fsType:s/3 image:s*/2 keyring:s/6 monitors:[s]*=/1 pool:s/4 readOnly:b/8 secretRef:SecretReference/7? user:s/5
core.RBDVolumeSource fsType:s/3 image:s*/2 keyring:s/6 monitors:[s]*=/1 pool:s/4 readOnly:b/8 secretRef:LocalObjectReference/7? user:s/5
core.ReplicationController apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ReplicationControllerSpec/2 status:ReplicationControllerStatus/3
core.ReplicationControllerCondition lastTransitionTime:meta.Time/3 message:s/5 reason:s/4 status:s*/2 type:s*/1
core.ReplicationControllerSpec minReadySeconds:i/4 replicas:i/1? selector:{s}^/2 template:PodTemplateSpec/3?
core.ReplicationControllerStatus availableReplicas:i/5 conditions:[ReplicationControllerCondition]@type#type/6 fullyLabeledReplicas:i/2 observedGeneration:l/3 readyReplicas:i/4 replicas:i*/1
core.ResourceClaim name:s*/1 request:s/2
core.ResourceFieldSelector ^ containerName:s/1 divisor:Quantity/3 resource:s*/2
core.ResourceHealth health:s/2 message:s/6? resourceID:s*/1
core.ResourceQuota apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ResourceQuotaSpec/2 status:ResourceQuotaStatus/3
core.ResourceQuotaSpec hard:{Quantity}/1 scopeSelector:ScopeSelector/3? scopes:[s]=/2
core.ResourceQuotaStatus hard:{Quantity}/1 used:{Quantity}/2
core.ResourceRequirements claims:[ResourceClaim]#name/3 limits:{Quantity}/1 requests:{Quantity}/2
core.ResourceStatus name:s*/1 resources:[ResourceHealth]#resourceID/2
core.SELinuxOptions level:s/4 role:s/2 type:s/3 user:s/1
core.ScaleIOPersistentVolumeSource fsType:s/9 gateway:s*/1 protectionDomain:s/5 readOnly:b/10 secretRef:SecretReference*/3? sslEnabled:b/4 storageMode:s/7 storagePool:s/6 system:s*/2 volumeName:s/8
core.ScaleIOVolumeSource fsType:s/9 gateway:s*/1 protectionDomain:s/5 readOnly:b/10 secretRef:LocalObjectReference*/3? sslEnabled:b/4 storageMode:s/7 storagePool:s/6 system:s*/2 volumeName:s/8
core.ScopeSelector ^ matchExpressions:[ScopedResourceSelectorRequirement]=/1
core.ScopedResourceSelectorRequirement operator:s*/2 scopeName:s*/1 values:[s]=/3
core.SeccompProfile localhostProfile:s/2? type:s*/1
core.Secret apiVersion:s data:{y}/2 immutable:b/5? kind:s metadata:meta.ObjectMeta/1 stringData:{s}/4 type:s/3
core.SecretEnvSource name:s/1.1 optional:b/2?
core.SecretKeySelector ^ key:s*/2 name:s/1.1 optional:b/3?
core.SecretProjection items:[KeyToPath]=/2 name:s/1.1 optional:b/4?
core.SecretReference ^ name:s/1 namespace:s/2
core.SecretVolumeSource defaultMode:i/3? items:[KeyToPath]=/2 optional:b/4? secretName:s/1
core.SecurityContext allowPrivilegeEscalation:b/7? appArmorProfile:AppArmorProfile/12? capabilities:Capabilities/1? privileged:b/2? procMount:s/9? readOnlyRootFilesystem:b/6? runAsGroup:l/8? runAsNonRoot:b/5? runAsUser:l/4? seLinuxOptions:SELinuxOptions/3? seccompProfile:SeccompProfile/11? windowsOptions:WindowsSecurityContextOptions/10?
core.Service apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ServiceSpec/2 status:ServiceStatus/3
core.ServiceAccount apiVersion:s automountServiceAccountToken:b/4? imagePullSecrets:[LocalObjectReference]=/3 kind:s metadata:meta.ObjectMeta/1 secrets:[ObjectReference]@name#name/2
core.ServiceAccountTokenProjection audience:s/1 expirationSeconds:l/2? path:s*/3
core.ServicePort appProtocol:s/6? name:s/1 nodePort:i/5 port:i*/3 protocol:s/2 targetPort:IntOrString/4
core.ServiceSpec allocateLoadBalancerNodePorts:b/20? clusterIP:s/3 clusterIPs:[s]=/18 externalIPs:[s]=/5 externalName:s/10 externalTrafficPolicy:s/11 healthCheckNodePort:i/12 internalTrafficPolicy:s/22? ipFamilies:[s]=/19 ipFamilyPolicy:s/17? loadBalancerClass:s/21? loadBalancerIP:s/8 loadBalancerSourceRanges:[s]=/9 ports:[ServicePort]@port#port,protocol/1 publishNotReadyAddresses:b/13 selector:{s}^/2 sessionAffinity:s/7 sessionAffinityConfig:SessionAffinityConfig/14? trafficDistribution:s/23? type:s/4
core.ServiceStatus conditions:[meta.Condition]@type#type/2 loadBalancer:LoadBalancerStatus/1
core.SessionAffinityConfig clientIP:ClientIPConfig/1?
core.SleepAction seconds:l*/1
core.StorageOSPersistentVolumeSource fsType:s/3 readOnly:b/4 secretRef:ObjectReference/5? volumeName:s/1 volumeNamespace:s/2
core.StorageOSVolumeSource fsType:s/3 readOnly:b/4 secretRef:LocalObjectReference/5? volumeName:s/1 volumeNamespace:s/2
core.Sysctl name:s*/1 value:s*/2
core.TCPSocketAction host:s/2 port:IntOrString*/1
core.Taint effect:s*/3 key:s*/1 timeAdded:meta.Time/4? value:s/2
core.Toleration effect:s/4 key:s/1 operator:s/2 tolerationSeconds:l/5? value:s/3
core.TopologySelectorLabelRequirement key:s*/1 values:[s]*=/2
core.TopologySelectorTerm ^ matchLabelExpressions:[TopologySelectorLabelRequirement]=/1
core.TopologySpreadConstraint labelSelector:meta.LabelSelector/4? matchLabelKeys:[s]=/8 maxSkew:i*/1 minDomains:i/5? nodeAffinityPolicy:s/6? nodeTaintsPolicy:s/7? topologyKey:s*/2 whenUnsatisfiable:s*/3
core.TypedLocalObjectReference ^ apiGroup:s/1? kind:s*/2 name:s*/3
core.TypedObjectReference apiGroup:s/1? kind:s*/2 name:s*/3 namespace:s/4?
core.Volume awsElasticBlockStore:AWSElasticBlockStoreVolumeSource/2.4? azureDisk:AzureDiskVolumeSource/2.22? azureFile:AzureFileVolumeSource/2.18? cephfs:CephFSVolumeSource/2.14? cinder:CinderVolumeSource/2.13? configMap:ConfigMapVolumeSource/2.19? csi:CSIVolumeSource/2.28? downwardAPI:DownwardAPIVolumeSource/2.16? emptyDir:EmptyDirVolumeSource/2.2? ephemeral:EphemeralVolumeSource/2.29? fc:FCVolumeSource/2.17? flexVolume:FlexVolumeSource/2.12? flocker:FlockerVolumeSource/2.15? gcePersistentDisk:GCEPersistentDiskVolumeSource/2.3? gitRepo:GitRepoVolumeSource/2.5? glusterfs:GlusterfsVolumeSource/2.9? hostPath:HostPathVolumeSource/2.1? image:ImageVolumeSource/2.30? iscsi:ISCSIVolumeSource/2.8? name:s*/1 nfs:NFSVolumeSource/2.7? persistentVolumeClaim:PersistentVolumeClaimVolumeSource/2.10? photonPersistentDisk:PhotonPersistentDiskVolumeSource/2.23? portworxVolume:PortworxVolumeSource/2.24? projected:ProjectedVolumeSource/2.26? quobyte:QuobyteVolumeSource/2.21? rbd:RBDVolumeSource/2.11? scaleIO:ScaleIOVolumeSource/2.25? secret:SecretVolumeSource/2.6? storageos:StorageOSVolumeSource/2.27? vsphereVolume:VsphereVirtualDiskVolumeSource/2.20?
core.VolumeDevice devicePath:s*/2 name:s*/1
core.VolumeMount mountPath:s*/3 mountPropagation:s/5? name:s*/1 readOnly:b/2 recursiveReadOnly:s/7? subPath:s/4 subPathExpr:s/6
core.VolumeMountStatus mountPath:s*/2 name:s*/1 readOnly:b/3 recursiveReadOnly:s/4? volumeStatus:VolumeStatus/5?
core.VolumeNodeAffinity required:NodeSelector/1?
core.VolumeProjection clusterTrustBundle:ClusterTrustBundleProjection/5? configMap:ConfigMapProjection/3? downwardAPI:DownwardAPIProjection/2? podCertificate:PodCertificateProjection/6? secret:SecretProjection/1? serviceAccountToken:ServiceAccountTokenProjection/4?
core.VolumeResourceRequirements limits:{Quantity}/1 requests:{Quantity}/2
core.VolumeStatus image:ImageVolumeStatus/1?
core.VsphereVirtualDiskVolumeSource fsType:s/2 storagePolicyID:s/4 storagePolicyName:s/3 volumePath:s*/1
core.WeightedPodAffinityTerm podAffinityTerm:PodAffinityTerm*/2 weight:i*/1
core.WindowsSecurityContextOptions gmsaCredentialSpec:s/2? gmsaCredentialSpecName:s/1? hostProcess:b/4? runAsUserName:s/3?
`;
