/**
 * The types of the core group.
 *
 * Source: api/openapi-spec/swagger.json of Kubernetes 1.36.3, in the notation that `mod.ts` explains.
 * tests/conformance/apiserver/notation.ts makes it, and a test compares the two.
 */

/** By name: flags of the type, and its fields. */
export const CORE: Readonly<Record<string, string>> = {
  "core.AWSElasticBlockStoreVolumeSource": "fsType:s partition:i readOnly:b volumeID:s*",
  "core.Affinity": "nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity",
  "core.AppArmorProfile": "localhostProfile:s type:s*",
  "core.AttachedVolume": "devicePath:s* name:s*",
  "core.AzureDiskVolumeSource": "cachingMode:s diskName:s* diskURI:s* fsType:s kind:s readOnly:b",
  "core.AzureFilePersistentVolumeSource": "readOnly:b secretName:s* secretNamespace:s shareName:s*",
  "core.AzureFileVolumeSource": "readOnly:b secretName:s* shareName:s*",
  "core.CSIPersistentVolumeSource":
    "controllerExpandSecretRef:SecretReference controllerPublishSecretRef:SecretReference driver:s* fsType:s nodeExpandSecretRef:SecretReference nodePublishSecretRef:SecretReference nodeStageSecretRef:SecretReference readOnly:b volumeAttributes:{s} volumeHandle:s*",
  "core.CSIVolumeSource":
    "driver:s* fsType:s nodePublishSecretRef:LocalObjectReference readOnly:b volumeAttributes:{s}",
  "core.Capabilities": "add:[s]= drop:[s]=",
  "core.CephFSPersistentVolumeSource":
    "monitors:[s]*= path:s readOnly:b secretFile:s secretRef:SecretReference user:s",
  "core.CephFSVolumeSource":
    "monitors:[s]*= path:s readOnly:b secretFile:s secretRef:LocalObjectReference user:s",
  "core.CinderPersistentVolumeSource": "fsType:s readOnly:b secretRef:SecretReference volumeID:s*",
  "core.CinderVolumeSource": "fsType:s readOnly:b secretRef:LocalObjectReference volumeID:s*",
  "core.ClientIPConfig": "timeoutSeconds:i",
  "core.ClusterTrustBundleProjection":
    "labelSelector:meta.LabelSelector name:s optional:b path:s* signerName:s",
  "core.ConfigMap": "apiVersion:s binaryData:{y} data:{s} immutable:b kind:s metadata:meta.ObjectMeta",
  "core.ConfigMapEnvSource": "name:s optional:b",
  "core.ConfigMapKeySelector": "^ key:s* name:s optional:b",
  "core.ConfigMapNodeConfigSource": "kubeletConfigKey:s* name:s* namespace:s* resourceVersion:s uid:s",
  "core.ConfigMapProjection": "items:[KeyToPath]= name:s optional:b",
  "core.ConfigMapVolumeSource": "defaultMode:i items:[KeyToPath]= name:s optional:b",
  "core.Container":
    "args:[s]= command:[s]= env:[EnvVar]@name#name envFrom:[EnvFromSource]= image:s imagePullPolicy:s lifecycle:Lifecycle livenessProbe:Probe name:s* ports:[ContainerPort]@containerPort#containerPort,protocol readinessProbe:Probe resizePolicy:[ContainerResizePolicy]= resources:ResourceRequirements restartPolicy:s restartPolicyRules:[ContainerRestartRule]= securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[VolumeDevice]@devicePath#devicePath volumeMounts:[VolumeMount]@mountPath#mountPath workingDir:s",
  "core.ContainerExtendedResourceRequest": "containerName:s* requestName:s* resourceName:s*",
  "core.ContainerImage": "names:[s]= sizeBytes:l",
  "core.ContainerPort": "containerPort:i* hostIP:s hostPort:i name:s protocol:s",
  "core.ContainerResizePolicy": "resourceName:s* restartPolicy:s*",
  "core.ContainerRestartRule": "action:s* exitCodes:ContainerRestartRuleOnExitCodes",
  "core.ContainerRestartRuleOnExitCodes": "operator:s* values:[i]&",
  "core.ContainerState":
    "running:ContainerStateRunning terminated:ContainerStateTerminated waiting:ContainerStateWaiting",
  "core.ContainerStateRunning": "startedAt:meta.Time",
  "core.ContainerStateTerminated":
    "containerID:s exitCode:i* finishedAt:meta.Time message:s reason:s signal:i startedAt:meta.Time",
  "core.ContainerStateWaiting": "message:s reason:s",
  "core.ContainerStatus":
    "allocatedResources:{Quantity} allocatedResourcesStatus:[ResourceStatus]@name#name containerID:s image:s* imageID:s* lastState:ContainerState name:s* ready:b* resources:ResourceRequirements restartCount:i* started:b state:ContainerState stopSignal:s user:ContainerUser volumeMounts:[VolumeMountStatus]@mountPath#mountPath",
  "core.ContainerUser": "linux:LinuxContainerUser",
  "core.DaemonEndpoint": "Port:i*",
  "core.DownwardAPIProjection": "items:[DownwardAPIVolumeFile]=",
  "core.DownwardAPIVolumeFile":
    "fieldRef:ObjectFieldSelector mode:i path:s* resourceFieldRef:ResourceFieldSelector",
  "core.DownwardAPIVolumeSource": "defaultMode:i items:[DownwardAPIVolumeFile]=",
  "core.EmptyDirVolumeSource": "medium:s sizeLimit:Quantity",
  "core.EndpointAddress": "^ hostname:s ip:s* nodeName:s targetRef:ObjectReference",
  "core.EndpointPort": "^ appProtocol:s name:s port:i* protocol:s",
  "core.EndpointSubset":
    "addresses:[EndpointAddress]= notReadyAddresses:[EndpointAddress]= ports:[EndpointPort]=",
  "core.Endpoints": "apiVersion:s kind:s metadata:meta.ObjectMeta subsets:[EndpointSubset]=",
  "core.EnvFromSource": "configMapRef:ConfigMapEnvSource prefix:s secretRef:SecretEnvSource",
  "core.EnvVar": "name:s* value:s valueFrom:EnvVarSource",
  "core.EnvVarSource":
    "configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector",
  "core.EphemeralContainer":
    "args:[s]= command:[s]= env:[EnvVar]@name#name envFrom:[EnvFromSource]= image:s imagePullPolicy:s lifecycle:Lifecycle livenessProbe:Probe name:s* ports:[ContainerPort]@containerPort#containerPort,protocol readinessProbe:Probe resizePolicy:[ContainerResizePolicy]= resources:ResourceRequirements restartPolicy:s restartPolicyRules:[ContainerRestartRule]= securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b targetContainerName:s terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[VolumeDevice]@devicePath#devicePath volumeMounts:[VolumeMount]@mountPath#mountPath workingDir:s",
  "core.EphemeralVolumeSource": "volumeClaimTemplate:PersistentVolumeClaimTemplate",
  "core.Event":
    "action:s apiVersion:s count:i eventTime:meta.MicroTime firstTimestamp:meta.Time involvedObject:ObjectReference* kind:s lastTimestamp:meta.Time message:s metadata:meta.ObjectMeta* reason:s related:ObjectReference reportingComponent:s reportingInstance:s series:EventSeries source:EventSource type:s",
  "core.EventSeries": "count:i lastObservedTime:meta.MicroTime",
  "core.EventSource": "component:s host:s",
  "core.ExecAction": "command:[s]=",
  "core.FCVolumeSource": "fsType:s lun:i readOnly:b targetWWNs:[s]= wwids:[s]=",
  "core.FileKeySelector": "^ key:s* optional:b path:s* volumeName:s*",
  "core.FlexPersistentVolumeSource": "driver:s* fsType:s options:{s} readOnly:b secretRef:SecretReference",
  "core.FlexVolumeSource": "driver:s* fsType:s options:{s} readOnly:b secretRef:LocalObjectReference",
  "core.FlockerVolumeSource": "datasetName:s datasetUUID:s",
  "core.GCEPersistentDiskVolumeSource": "fsType:s partition:i pdName:s* readOnly:b",
  "core.GRPCAction": "port:i* service:s",
  "core.GitRepoVolumeSource": "directory:s repository:s* revision:s",
  "core.GlusterfsPersistentVolumeSource": "endpoints:s* endpointsNamespace:s path:s* readOnly:b",
  "core.GlusterfsVolumeSource": "endpoints:s* path:s* readOnly:b",
  "core.HTTPGetAction": "host:s httpHeaders:[HTTPHeader]= path:s port:IntOrString* scheme:s",
  "core.HTTPHeader": "name:s* value:s*",
  "core.HostAlias": "hostnames:[s]= ip:s*",
  "core.HostIP": "ip:s*",
  "core.HostPathVolumeSource": "path:s* type:s",
  "core.ISCSIPersistentVolumeSource":
    "chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn:s* iscsiInterface:s lun:i* portals:[s]= readOnly:b secretRef:SecretReference targetPortal:s*",
  "core.ISCSIVolumeSource":
    "chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn:s* iscsiInterface:s lun:i* portals:[s]= readOnly:b secretRef:LocalObjectReference targetPortal:s*",
  "core.ImageVolumeSource": "pullPolicy:s reference:s",
  "core.ImageVolumeStatus": "imageRef:s*",
  "core.KeyToPath": "key:s* mode:i path:s*",
  "core.Lifecycle": "postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:s",
  "core.LifecycleHandler":
    "exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction",
  "core.LinuxContainerUser": "gid:l* supplementalGroups:[l]= uid:l*",
  "core.LoadBalancerIngress": "hostname:s ip:s ipMode:s ports:[PortStatus]=",
  "core.LoadBalancerStatus": "ingress:[LoadBalancerIngress]=",
  "core.LocalObjectReference": "^ name:s",
  "core.LocalVolumeSource": "fsType:s path:s*",
  "core.ModifyVolumeStatus": "status:s* targetVolumeAttributesClassName:s",
  "core.NFSVolumeSource": "path:s* readOnly:b server:s*",
  "core.Namespace": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:NamespaceSpec status:NamespaceStatus",
  "core.NamespaceCondition": "lastTransitionTime:meta.Time message:s reason:s status:s* type:s*",
  "core.NamespaceSpec": "finalizers:[s]=",
  "core.NamespaceStatus": "conditions:[NamespaceCondition]@type#type phase:s",
  "core.Node": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:NodeSpec status:NodeStatus",
  "core.NodeAddress": "address:s* type:s*",
  "core.NodeAffinity":
    "preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]= requiredDuringSchedulingIgnoredDuringExecution:NodeSelector",
  "core.NodeAllocatableResourceClaimStatus": "containers:[s]& resourceClaimName:s* resources:{Quantity}*",
  "core.NodeCondition":
    "lastHeartbeatTime:meta.Time lastTransitionTime:meta.Time message:s reason:s status:s* type:s*",
  "core.NodeConfigSource": "configMap:ConfigMapNodeConfigSource",
  "core.NodeConfigStatus":
    "active:NodeConfigSource assigned:NodeConfigSource error:s lastKnownGood:NodeConfigSource",
  "core.NodeDaemonEndpoints": "kubeletEndpoint:DaemonEndpoint",
  "core.NodeFeatures": "supplementalGroupsPolicy:b",
  "core.NodeRuntimeHandler": "features:NodeRuntimeHandlerFeatures name:s",
  "core.NodeRuntimeHandlerFeatures": "recursiveReadOnlyMounts:b userNamespaces:b",
  "core.NodeSelector": "^ nodeSelectorTerms:[NodeSelectorTerm]*=",
  "core.NodeSelectorRequirement": "key:s* operator:s* values:[s]=",
  "core.NodeSelectorTerm":
    "^ matchExpressions:[NodeSelectorRequirement]= matchFields:[NodeSelectorRequirement]=",
  "core.NodeSpec":
    "configSource:NodeConfigSource externalID:s podCIDR:s podCIDRs:[s]+& providerID:s taints:[Taint]= unschedulable:b",
  "core.NodeStatus":
    "addresses:[NodeAddress]@type#type allocatable:{Quantity} capacity:{Quantity} conditions:[NodeCondition]@type#type config:NodeConfigStatus daemonEndpoints:NodeDaemonEndpoints declaredFeatures:[s]= features:NodeFeatures images:[ContainerImage]= nodeInfo:NodeSystemInfo phase:s runtimeHandlers:[NodeRuntimeHandler]= volumesAttached:[AttachedVolume]= volumesInUse:[s]=",
  "core.NodeSwapStatus": "capacity:l",
  "core.NodeSystemInfo":
    "architecture:s* bootID:s* containerRuntimeVersion:s* kernelVersion:s* kubeProxyVersion:s* kubeletVersion:s* machineID:s* operatingSystem:s* osImage:s* swap:NodeSwapStatus systemUUID:s*",
  "core.ObjectFieldSelector": "^ apiVersion:s fieldPath:s*",
  "core.ObjectReference": "^ apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:s",
  "core.PersistentVolume":
    "apiVersion:s kind:s metadata:meta.ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus",
  "core.PersistentVolumeClaim":
    "apiVersion:s kind:s metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec status:PersistentVolumeClaimStatus",
  "core.PersistentVolumeClaimCondition":
    "lastProbeTime:meta.Time lastTransitionTime:meta.Time message:s reason:s status:s* type:s*",
  "core.PersistentVolumeClaimSpec":
    "accessModes:[s]= dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements selector:meta.LabelSelector storageClassName:s volumeAttributesClassName:s volumeMode:s volumeName:s",
  "core.PersistentVolumeClaimStatus":
    "accessModes:[s]= allocatedResourceStatuses:{s} allocatedResources:{Quantity} capacity:{Quantity} conditions:[PersistentVolumeClaimCondition]@type#type currentVolumeAttributesClassName:s modifyVolumeStatus:ModifyVolumeStatus phase:s",
  "core.PersistentVolumeClaimTemplate": "metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec*",
  "core.PersistentVolumeClaimVolumeSource": "claimName:s* readOnly:b",
  "core.PersistentVolumeSpec":
    "accessModes:[s]= awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFilePersistentVolumeSource capacity:{Quantity} cephfs:CephFSPersistentVolumeSource cinder:CinderPersistentVolumeSource claimRef:ObjectReference csi:CSIPersistentVolumeSource fc:FCVolumeSource flexVolume:FlexPersistentVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource glusterfs:GlusterfsPersistentVolumeSource hostPath:HostPathVolumeSource iscsi:ISCSIPersistentVolumeSource local:LocalVolumeSource mountOptions:[s]= nfs:NFSVolumeSource nodeAffinity:VolumeNodeAffinity persistentVolumeReclaimPolicy:s photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource quobyte:QuobyteVolumeSource rbd:RBDPersistentVolumeSource scaleIO:ScaleIOPersistentVolumeSource storageClassName:s storageos:StorageOSPersistentVolumeSource volumeAttributesClassName:s volumeMode:s vsphereVolume:VsphereVirtualDiskVolumeSource",
  "core.PersistentVolumeStatus": "lastPhaseTransitionTime:meta.Time message:s phase:s reason:s",
  "core.PhotonPersistentDiskVolumeSource": "fsType:s pdID:s*",
  "core.Pod": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:PodSpec status:PodStatus",
  "core.PodAffinity":
    "preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]= requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]=",
  "core.PodAffinityTerm":
    "labelSelector:meta.LabelSelector matchLabelKeys:[s]= mismatchLabelKeys:[s]= namespaceSelector:meta.LabelSelector namespaces:[s]= topologyKey:s*",
  "core.PodAntiAffinity":
    "preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]= requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]=",
  "core.PodCertificateProjection":
    "certificateChainPath:s credentialBundlePath:s keyPath:s keyType:s* maxExpirationSeconds:i signerName:s* userAnnotations:{s}",
  "core.PodCondition":
    "lastProbeTime:meta.Time lastTransitionTime:meta.Time message:s observedGeneration:l reason:s status:s* type:s*",
  "core.PodDNSConfig": "nameservers:[s]= options:[PodDNSConfigOption]= searches:[s]=",
  "core.PodDNSConfigOption": "name:s value:s",
  "core.PodExtendedResourceClaimStatus":
    "requestMappings:[ContainerExtendedResourceRequest]*= resourceClaimName:s*",
  "core.PodIP": "ip:s*",
  "core.PodOS": "name:s*",
  "core.PodReadinessGate": "conditionType:s*",
  "core.PodResourceClaim": "name:s* resourceClaimName:s resourceClaimTemplateName:s",
  "core.PodResourceClaimStatus": "name:s* resourceClaimName:s",
  "core.PodSchedulingGate": "name:s*",
  "core.PodSchedulingGroup": "podGroupName:s",
  "core.PodSecurityContext":
    "appArmorProfile:AppArmorProfile fsGroup:l fsGroupChangePolicy:s runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxChangePolicy:s seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups:[l]= supplementalGroupsPolicy:s sysctls:[Sysctl]= windowsOptions:WindowsSecurityContextOptions",
  "core.PodSpec":
    "activeDeadlineSeconds:l affinity:Affinity automountServiceAccountToken:b containers:[Container]*@name#name dnsConfig:PodDNSConfig dnsPolicy:s enableServiceLinks:b ephemeralContainers:[EphemeralContainer]@name#name hostAliases:[HostAlias]@ip#ip hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s imagePullSecrets:[LocalObjectReference]@name#name initContainers:[Container]@name#name nodeName:s nodeSelector:{s}^ os:PodOS overhead:{Quantity} preemptionPolicy:s priority:i priorityClassName:s readinessGates:[PodReadinessGate]= resourceClaims:[PodResourceClaim]@name~#name resources:ResourceRequirements restartPolicy:s runtimeClassName:s schedulerName:s schedulingGates:[PodSchedulingGate]@name#name schedulingGroup:PodSchedulingGroup securityContext:PodSecurityContext serviceAccount:s serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s terminationGracePeriodSeconds:l tolerations:[Toleration]= topologySpreadConstraints:[TopologySpreadConstraint]@topologyKey#topologyKey,whenUnsatisfiable volumes:[Volume]@name~#name",
  "core.PodStatus":
    "allocatedResources:{Quantity} conditions:[PodCondition]@type#type containerStatuses:[ContainerStatus]= ephemeralContainerStatuses:[ContainerStatus]= extendedResourceClaimStatus:PodExtendedResourceClaimStatus hostIP:s hostIPs:[HostIP]@ip= initContainerStatuses:[ContainerStatus]= message:s nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus]= nominatedNodeName:s observedGeneration:l phase:s podIP:s podIPs:[PodIP]@ip#ip qosClass:s reason:s resize:s resourceClaimStatuses:[PodResourceClaimStatus]@name~#name resources:ResourceRequirements startTime:meta.Time",
  "core.PodTemplateSpec": "metadata:meta.ObjectMeta spec:PodSpec",
  "core.PortStatus": "error:s port:i* protocol:s*",
  "core.PortworxVolumeSource": "fsType:s readOnly:b volumeID:s*",
  "core.PreferredSchedulingTerm": "preference:NodeSelectorTerm* weight:i*",
  "core.Probe":
    "exec:ExecAction failureThreshold:i grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:i periodSeconds:i successThreshold:i tcpSocket:TCPSocketAction terminationGracePeriodSeconds:l timeoutSeconds:i",
  "core.ProjectedVolumeSource": "defaultMode:i sources:[VolumeProjection]=",
  "core.QuobyteVolumeSource": "group:s readOnly:b registry:s* tenant:s user:s volume:s*",
  "core.RBDPersistentVolumeSource":
    "fsType:s image:s* keyring:s monitors:[s]*= pool:s readOnly:b secretRef:SecretReference user:s",
  "core.RBDVolumeSource":
    "fsType:s image:s* keyring:s monitors:[s]*= pool:s readOnly:b secretRef:LocalObjectReference user:s",
  "core.ResourceClaim": "name:s* request:s",
  "core.ResourceFieldSelector": "^ containerName:s divisor:Quantity resource:s*",
  "core.ResourceHealth": "health:s message:s resourceID:s*",
  "core.ResourceRequirements": "claims:[ResourceClaim]#name limits:{Quantity} requests:{Quantity}",
  "core.ResourceStatus": "name:s* resources:[ResourceHealth]#resourceID",
  "core.SELinuxOptions": "level:s role:s type:s user:s",
  "core.ScaleIOPersistentVolumeSource":
    "fsType:s gateway:s* protectionDomain:s readOnly:b secretRef:SecretReference* sslEnabled:b storageMode:s storagePool:s system:s* volumeName:s",
  "core.ScaleIOVolumeSource":
    "fsType:s gateway:s* protectionDomain:s readOnly:b secretRef:LocalObjectReference* sslEnabled:b storageMode:s storagePool:s system:s* volumeName:s",
  "core.SeccompProfile": "localhostProfile:s type:s*",
  "core.Secret": "apiVersion:s data:{y} immutable:b kind:s metadata:meta.ObjectMeta stringData:{s} type:s",
  "core.SecretEnvSource": "name:s optional:b",
  "core.SecretKeySelector": "^ key:s* name:s optional:b",
  "core.SecretProjection": "items:[KeyToPath]= name:s optional:b",
  "core.SecretReference": "^ name:s namespace:s",
  "core.SecretVolumeSource": "defaultMode:i items:[KeyToPath]= optional:b secretName:s",
  "core.SecurityContext":
    "allowPrivilegeEscalation:b appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:b procMount:s readOnlyRootFilesystem:b runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions",
  "core.Service": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:ServiceSpec status:ServiceStatus",
  "core.ServiceAccount":
    "apiVersion:s automountServiceAccountToken:b imagePullSecrets:[LocalObjectReference]= kind:s metadata:meta.ObjectMeta secrets:[ObjectReference]@name#name",
  "core.ServiceAccountTokenProjection": "audience:s expirationSeconds:l path:s*",
  "core.ServicePort": "appProtocol:s name:s nodePort:i port:i* protocol:s targetPort:IntOrString",
  "core.ServiceSpec":
    "allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[s]= externalIPs:[s]= externalName:s externalTrafficPolicy:s healthCheckNodePort:i internalTrafficPolicy:s ipFamilies:[s]= ipFamilyPolicy:s loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[s]= ports:[ServicePort]@port#port,protocol publishNotReadyAddresses:b selector:{s}^ sessionAffinity:s sessionAffinityConfig:SessionAffinityConfig trafficDistribution:s type:s",
  "core.ServiceStatus": "conditions:[meta.Condition]@type#type loadBalancer:LoadBalancerStatus",
  "core.SessionAffinityConfig": "clientIP:ClientIPConfig",
  "core.SleepAction": "seconds:l*",
  "core.StorageOSPersistentVolumeSource":
    "fsType:s readOnly:b secretRef:ObjectReference volumeName:s volumeNamespace:s",
  "core.StorageOSVolumeSource":
    "fsType:s readOnly:b secretRef:LocalObjectReference volumeName:s volumeNamespace:s",
  "core.Sysctl": "name:s* value:s*",
  "core.TCPSocketAction": "host:s port:IntOrString*",
  "core.Taint": "effect:s* key:s* timeAdded:meta.Time value:s",
  "core.Toleration": "effect:s key:s operator:s tolerationSeconds:l value:s",
  "core.TopologySpreadConstraint":
    "labelSelector:meta.LabelSelector matchLabelKeys:[s]= maxSkew:i* minDomains:i nodeAffinityPolicy:s nodeTaintsPolicy:s topologyKey:s* whenUnsatisfiable:s*",
  "core.TypedLocalObjectReference": "^ apiGroup:s kind:s* name:s*",
  "core.TypedObjectReference": "apiGroup:s kind:s* name:s* namespace:s",
  "core.Volume":
    "awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource flexVolume:FlexVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource name:s* nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource",
  "core.VolumeDevice": "devicePath:s* name:s*",
  "core.VolumeMount":
    "mountPath:s* mountPropagation:s name:s* readOnly:b recursiveReadOnly:s subPath:s subPathExpr:s",
  "core.VolumeMountStatus": "mountPath:s* name:s* readOnly:b recursiveReadOnly:s volumeStatus:VolumeStatus",
  "core.VolumeNodeAffinity": "required:NodeSelector",
  "core.VolumeProjection":
    "clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection",
  "core.VolumeResourceRequirements": "limits:{Quantity} requests:{Quantity}",
  "core.VolumeStatus": "image:ImageVolumeStatus",
  "core.VsphereVirtualDiskVolumeSource": "fsType:s storagePolicyID:s storagePolicyName:s volumePath:s*",
  "core.WeightedPodAffinityTerm": "podAffinityTerm:PodAffinityTerm* weight:i*",
  "core.WindowsSecurityContextOptions":
    "gmsaCredentialSpec:s gmsaCredentialSpecName:s hostProcess:b runAsUserName:s",
};
