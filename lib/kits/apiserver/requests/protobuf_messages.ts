/**
 * What Kubernetes' built-in kinds look like as protocol buffers: one line per message, "Name number:field=type …".
 *
 * Types: s text, b bytes (base64 in JSON), i integer, t truth; time, microtime, intstr, quantity and json have forms of
 * their own; anything else is a message. "*" before it: a list, "%": a map of texts to that, "^": its fields stand in the
 * outer message in JSON. "?" after it: zero is a value, and not the lack of one.
 *
 * Source: the struct tags in k8s.io/api and k8s.io/apimachinery v0.36.3, from which this was generated.
 */

/** The messages. */
export const MESSAGES = `
Namespace 1:metadata=ObjectMeta 2:spec=NamespaceSpec 3:status=NamespaceStatus
ConfigMap 1:metadata=ObjectMeta 4:immutable=t? 2:data=%s 3:binaryData=%b
Secret 1:metadata=ObjectMeta 5:immutable=t? 2:data=%b 4:stringData=%s 3:type=s
ServiceAccount 1:metadata=ObjectMeta 2:secrets=*ObjectReference 3:imagePullSecrets=*LocalObjectReference 4:automountServiceAccountToken=t?
Service 1:metadata=ObjectMeta 2:spec=ServiceSpec 3:status=ServiceStatus
Pod 1:metadata=ObjectMeta 2:spec=PodSpec 3:status=PodStatus
PersistentVolumeClaim 1:metadata=ObjectMeta 2:spec=PersistentVolumeClaimSpec 3:status=PersistentVolumeClaimStatus
ResourceQuota 1:metadata=ObjectMeta 2:spec=ResourceQuotaSpec 3:status=ResourceQuotaStatus
Event 1:metadata=ObjectMeta 2:involvedObject=ObjectReference 3:reason=s 4:message=s 5:source=EventSource 6:firstTimestamp=time 7:lastTimestamp=time 8:count=i 9:type=s 10:eventTime=microtime 11:series=EventSeries 12:action=s 13:related=ObjectReference 14:reportingComponent=s 15:reportingInstance=s
Deployment 1:metadata=ObjectMeta 2:spec=DeploymentSpec 3:status=DeploymentStatus
StatefulSet 1:metadata=ObjectMeta 2:spec=StatefulSetSpec 3:status=StatefulSetStatus
DaemonSet 1:metadata=ObjectMeta 2:spec=DaemonSetSpec 3:status=DaemonSetStatus
ReplicaSet 1:metadata=ObjectMeta 2:spec=ReplicaSetSpec 3:status=ReplicaSetStatus
Job 1:metadata=ObjectMeta 2:spec=JobSpec 3:status=JobStatus
CronJob 1:metadata=ObjectMeta 2:spec=CronJobSpec 3:status=CronJobStatus
Role 1:metadata=ObjectMeta 2:rules=*PolicyRule
RoleBinding 1:metadata=ObjectMeta 2:subjects=*Subject 3:roleRef=RoleRef
ClusterRole 1:metadata=ObjectMeta 2:rules=*PolicyRule 3:aggregationRule=AggregationRule
ClusterRoleBinding 1:metadata=ObjectMeta 2:subjects=*Subject 3:roleRef=RoleRef
Ingress 1:metadata=ObjectMeta 2:spec=IngressSpec 3:status=IngressStatus
PodDisruptionBudget 1:metadata=ObjectMeta 2:spec=PodDisruptionBudgetSpec 3:status=PodDisruptionBudgetStatus
PriorityClass 1:metadata=ObjectMeta 2:value=i? 3:globalDefault=t 4:description=s 5:preemptionPolicy=s?
Lease 1:metadata=ObjectMeta 2:spec=LeaseSpec
SelfSubjectAccessReview 1:metadata=ObjectMeta 2:spec=SelfSubjectAccessReviewSpec 3:status=SubjectAccessReviewStatus
SelfSubjectRulesReview 1:metadata=ObjectMeta 2:spec=SelfSubjectRulesReviewSpec 3:status=SubjectRulesReviewStatus
SubjectAccessReview 1:metadata=ObjectMeta 2:spec=SubjectAccessReviewSpec 3:status=SubjectAccessReviewStatus
SelfSubjectReview 1:metadata=ObjectMeta 2:status=SelfSubjectReviewStatus
TokenReview 1:metadata=ObjectMeta 2:spec=TokenReviewSpec 3:status=TokenReviewStatus
DeleteOptions 1:gracePeriodSeconds=i? 2:preconditions=Preconditions 3:orphanDependents=t? 4:propagationPolicy=s? 5:dryRun=*s 6:ignoreStoreReadErrorWithClusterBreakingPotential=t?
ObjectMeta 1:name=s 2:generateName=s 3:namespace=s 4:selfLink=s 5:uid=s 6:resourceVersion=s 7:generation=i 8:creationTimestamp=time 9:deletionTimestamp=time 10:deletionGracePeriodSeconds=i? 11:labels=%s 12:annotations=%s 13:ownerReferences=*OwnerReference 14:finalizers=*s 17:managedFields=*ManagedFieldsEntry
NamespaceSpec 1:finalizers=*s
NamespaceStatus 1:phase=s 2:conditions=*NamespaceCondition
ObjectReference 1:kind=s 2:namespace=s 3:name=s 4:uid=s 5:apiVersion=s 6:resourceVersion=s 7:fieldPath=s
LocalObjectReference 1:name=s
ServiceSpec 1:ports=*ServicePort 2:selector=%s 3:clusterIP=s 18:clusterIPs=*s 4:type=s 5:externalIPs=*s 7:sessionAffinity=s 8:loadBalancerIP=s 9:loadBalancerSourceRanges=*s 10:externalName=s 11:externalTrafficPolicy=s 12:healthCheckNodePort=i 13:publishNotReadyAddresses=t 14:sessionAffinityConfig=SessionAffinityConfig 19:ipFamilies=*s 17:ipFamilyPolicy=s? 20:allocateLoadBalancerNodePorts=t? 21:loadBalancerClass=s? 22:internalTrafficPolicy=s? 23:trafficDistribution=s?
ServiceStatus 1:loadBalancer=LoadBalancerStatus 2:conditions=*Condition
PodSpec 1:volumes=*Volume 20:initContainers=*Container 2:containers=*Container 34:ephemeralContainers=*EphemeralContainer 3:restartPolicy=s 4:terminationGracePeriodSeconds=i? 5:activeDeadlineSeconds=i? 6:dnsPolicy=s 7:nodeSelector=%s 8:serviceAccountName=s 9:serviceAccount=s 21:automountServiceAccountToken=t? 10:nodeName=s 11:hostNetwork=t 12:hostPID=t 13:hostIPC=t 27:shareProcessNamespace=t? 14:securityContext=PodSecurityContext 15:imagePullSecrets=*LocalObjectReference 16:hostname=s 17:subdomain=s 18:affinity=Affinity 19:schedulerName=s 22:tolerations=*Toleration 23:hostAliases=*HostAlias 24:priorityClassName=s 25:priority=i? 26:dnsConfig=PodDNSConfig 28:readinessGates=*PodReadinessGate 29:runtimeClassName=s? 30:enableServiceLinks=t? 31:preemptionPolicy=s? 32:overhead=%quantity 33:topologySpreadConstraints=*TopologySpreadConstraint 35:setHostnameAsFQDN=t? 36:os=PodOS 37:hostUsers=t? 38:schedulingGates=*PodSchedulingGate 39:resourceClaims=*PodResourceClaim 40:resources=ResourceRequirements 41:hostnameOverride=s? 43:schedulingGroup=PodSchedulingGroup
PodStatus 17:observedGeneration=i 1:phase=s 2:conditions=*PodCondition 3:message=s 4:reason=s 11:nominatedNodeName=s 5:hostIP=s 16:hostIPs=*HostIP 6:podIP=s 12:podIPs=*PodIP 7:startTime=time 10:initContainerStatuses=*ContainerStatus 8:containerStatuses=*ContainerStatus 9:qosClass=s 13:ephemeralContainerStatuses=*ContainerStatus 14:resize=s 15:resourceClaimStatuses=*PodResourceClaimStatus 18:extendedResourceClaimStatus=PodExtendedResourceClaimStatus 19:allocatedResources=%quantity 20:resources=ResourceRequirements 21:nodeAllocatableResourceClaimStatuses=*NodeAllocatableResourceClaimStatus
PersistentVolumeClaimSpec 1:accessModes=*s 4:selector=LabelSelector 2:resources=VolumeResourceRequirements 3:volumeName=s 5:storageClassName=s? 6:volumeMode=s? 7:dataSource=TypedLocalObjectReference 8:dataSourceRef=TypedObjectReference 9:volumeAttributesClassName=s?
PersistentVolumeClaimStatus 1:phase=s 2:accessModes=*s 3:capacity=%quantity 4:conditions=*PersistentVolumeClaimCondition 5:allocatedResources=%quantity 7:allocatedResourceStatuses=%s 8:currentVolumeAttributesClassName=s? 9:modifyVolumeStatus=ModifyVolumeStatus
ResourceQuotaSpec 1:hard=%quantity 2:scopes=*s 3:scopeSelector=ScopeSelector
ResourceQuotaStatus 1:hard=%quantity 2:used=%quantity
EventSource 1:component=s 2:host=s
EventSeries 1:count=i 2:lastObservedTime=microtime
DeploymentSpec 1:replicas=i? 2:selector=LabelSelector 3:template=PodTemplateSpec 4:strategy=DeploymentStrategy 5:minReadySeconds=i 6:revisionHistoryLimit=i? 7:paused=t 9:progressDeadlineSeconds=i?
DeploymentStatus 1:observedGeneration=i 2:replicas=i 3:updatedReplicas=i 7:readyReplicas=i 4:availableReplicas=i 5:unavailableReplicas=i 9:terminatingReplicas=i? 6:conditions=*DeploymentCondition 8:collisionCount=i?
StatefulSetSpec 1:replicas=i? 2:selector=LabelSelector 3:template=PodTemplateSpec 4:volumeClaimTemplates=*PersistentVolumeClaim 5:serviceName=s 6:podManagementPolicy=s 7:updateStrategy=StatefulSetUpdateStrategy 8:revisionHistoryLimit=i? 9:minReadySeconds=i 10:persistentVolumeClaimRetentionPolicy=StatefulSetPersistentVolumeClaimRetentionPolicy 11:ordinals=StatefulSetOrdinals
StatefulSetStatus 1:observedGeneration=i 2:replicas=i? 3:readyReplicas=i 4:currentReplicas=i 5:updatedReplicas=i 6:currentRevision=s 7:updateRevision=s 9:collisionCount=i? 10:conditions=*StatefulSetCondition 11:availableReplicas=i?
DaemonSetSpec 1:selector=LabelSelector 2:template=PodTemplateSpec 3:updateStrategy=DaemonSetUpdateStrategy 4:minReadySeconds=i 6:revisionHistoryLimit=i?
DaemonSetStatus 1:currentNumberScheduled=i? 2:numberMisscheduled=i? 3:desiredNumberScheduled=i? 4:numberReady=i? 5:observedGeneration=i 6:updatedNumberScheduled=i 7:numberAvailable=i 8:numberUnavailable=i 9:collisionCount=i? 10:conditions=*DaemonSetCondition
ReplicaSetSpec 1:replicas=i? 4:minReadySeconds=i 2:selector=LabelSelector 3:template=PodTemplateSpec
ReplicaSetStatus 1:replicas=i? 2:fullyLabeledReplicas=i 4:readyReplicas=i 5:availableReplicas=i 7:terminatingReplicas=i? 3:observedGeneration=i 6:conditions=*ReplicaSetCondition
JobSpec 1:parallelism=i? 2:completions=i? 3:activeDeadlineSeconds=i? 11:podFailurePolicy=PodFailurePolicy 16:successPolicy=SuccessPolicy 7:backoffLimit=i? 12:backoffLimitPerIndex=i? 13:maxFailedIndexes=i? 4:selector=LabelSelector 5:manualSelector=t? 6:template=PodTemplateSpec 8:ttlSecondsAfterFinished=i? 9:completionMode=s? 10:suspend=t? 14:podReplacementPolicy=s? 15:managedBy=s?
JobStatus 1:conditions=*JobCondition 2:startTime=time 3:completionTime=time 4:active=i 5:succeeded=i 6:failed=i 11:terminating=i? 7:completedIndexes=s 10:failedIndexes=s? 8:uncountedTerminatedPods=UncountedTerminatedPods 9:ready=i?
CronJobSpec 1:schedule=s 8:timeZone=s? 2:startingDeadlineSeconds=i? 3:concurrencyPolicy=s 4:suspend=t? 5:jobTemplate=JobTemplateSpec 6:successfulJobsHistoryLimit=i? 7:failedJobsHistoryLimit=i?
CronJobStatus 1:active=*ObjectReference 4:lastScheduleTime=time 5:lastSuccessfulTime=time
PolicyRule 1:verbs=*s 2:apiGroups=*s 3:resources=*s 4:resourceNames=*s 5:nonResourceURLs=*s
Subject 1:kind=s 2:apiGroup=s 3:name=s 4:namespace=s
RoleRef 1:apiGroup=s 2:kind=s 3:name=s
AggregationRule 1:clusterRoleSelectors=*LabelSelector
IngressSpec 4:ingressClassName=s? 1:defaultBackend=IngressBackend 2:tls=*IngressTLS 3:rules=*IngressRule
IngressStatus 1:loadBalancer=IngressLoadBalancerStatus
PodDisruptionBudgetSpec 1:minAvailable=intstr 2:selector=LabelSelector 3:maxUnavailable=intstr 4:unhealthyPodEvictionPolicy=s?
PodDisruptionBudgetStatus 1:observedGeneration=i 2:disruptedPods=%time 3:disruptionsAllowed=i? 4:currentHealthy=i? 5:desiredHealthy=i? 6:expectedPods=i? 7:conditions=*Condition
LeaseSpec 1:holderIdentity=s? 2:leaseDurationSeconds=i? 3:acquireTime=microtime 4:renewTime=microtime 5:leaseTransitions=i? 6:strategy=s? 7:preferredHolder=s?
SelfSubjectAccessReviewSpec 1:resourceAttributes=ResourceAttributes 2:nonResourceAttributes=NonResourceAttributes
SubjectAccessReviewStatus 1:allowed=t? 4:denied=t 2:reason=s 3:evaluationError=s
SelfSubjectRulesReviewSpec 1:namespace=s
SubjectRulesReviewStatus 1:resourceRules=*ResourceRule 2:nonResourceRules=*NonResourceRule 3:incomplete=t? 4:evaluationError=s
SubjectAccessReviewSpec 1:resourceAttributes=ResourceAttributes 2:nonResourceAttributes=NonResourceAttributes 3:user=s 4:groups=*s 5:extra=%*s 6:uid=s
SelfSubjectReviewStatus 1:userInfo=UserInfo
TokenReviewSpec 1:token=s 2:audiences=*s
TokenReviewStatus 1:authenticated=t 2:user=UserInfo 4:audiences=*s 3:error=s
Preconditions 1:uid=s? 2:resourceVersion=s?
OwnerReference 5:apiVersion=s 1:kind=s 3:name=s 4:uid=s 6:controller=t? 7:blockOwnerDeletion=t?
ManagedFieldsEntry 1:manager=s 2:operation=s 3:apiVersion=s 4:time=time 6:fieldsType=s 7:fieldsV1=json 8:subresource=s
NamespaceCondition 1:type=s 2:status=s 4:lastTransitionTime=time 5:reason=s 6:message=s
ServicePort 1:name=s 2:protocol=s 6:appProtocol=s? 3:port=i? 4:targetPort=intstr 5:nodePort=i
SessionAffinityConfig 1:clientIP=ClientIPConfig
LoadBalancerStatus 1:ingress=*LoadBalancerIngress
Condition 1:type=s 2:status=s 3:observedGeneration=i 4:lastTransitionTime=time 5:reason=s 6:message=s
Volume 1:name=s 2:=^VolumeSource
Container 1:name=s 2:image=s 3:command=*s 4:args=*s 5:workingDir=s 6:ports=*ContainerPort 19:envFrom=*EnvFromSource 7:env=*EnvVar 8:resources=ResourceRequirements 23:resizePolicy=*ContainerResizePolicy 24:restartPolicy=s? 25:restartPolicyRules=*ContainerRestartRule 9:volumeMounts=*VolumeMount 21:volumeDevices=*VolumeDevice 10:livenessProbe=Probe 11:readinessProbe=Probe 22:startupProbe=Probe 12:lifecycle=Lifecycle 13:terminationMessagePath=s 20:terminationMessagePolicy=s 14:imagePullPolicy=s 15:securityContext=SecurityContext 16:stdin=t 17:stdinOnce=t 18:tty=t
EphemeralContainer 1:=^EphemeralContainerCommon 2:targetContainerName=s
PodSecurityContext 1:seLinuxOptions=SELinuxOptions 8:windowsOptions=WindowsSecurityContextOptions 2:runAsUser=i? 6:runAsGroup=i? 3:runAsNonRoot=t? 4:supplementalGroups=*i 12:supplementalGroupsPolicy=s? 5:fsGroup=i? 7:sysctls=*Sysctl 9:fsGroupChangePolicy=s? 10:seccompProfile=SeccompProfile 11:appArmorProfile=AppArmorProfile 13:seLinuxChangePolicy=s?
Affinity 1:nodeAffinity=NodeAffinity 2:podAffinity=PodAffinity 3:podAntiAffinity=PodAntiAffinity
Toleration 1:key=s 2:operator=s 3:value=s 4:effect=s 5:tolerationSeconds=i?
HostAlias 1:ip=s 2:hostnames=*s
PodDNSConfig 1:nameservers=*s 2:searches=*s 3:options=*PodDNSConfigOption
PodReadinessGate 1:conditionType=s
TopologySpreadConstraint 1:maxSkew=i? 2:topologyKey=s 3:whenUnsatisfiable=s 4:labelSelector=LabelSelector 5:minDomains=i? 6:nodeAffinityPolicy=s? 7:nodeTaintsPolicy=s? 8:matchLabelKeys=*s
PodOS 1:name=s
PodSchedulingGate 1:name=s
PodResourceClaim 1:name=s 3:resourceClaimName=s? 4:resourceClaimTemplateName=s?
ResourceRequirements 1:limits=%quantity 2:requests=%quantity 3:claims=*ResourceClaim
PodSchedulingGroup 1:podGroupName=s?
PodCondition 1:type=s 7:observedGeneration=i 2:status=s 3:lastProbeTime=time 4:lastTransitionTime=time 5:reason=s 6:message=s
HostIP 1:ip=s
PodIP 1:ip=s
ContainerStatus 1:name=s 2:state=ContainerState 3:lastState=ContainerState 4:ready=t? 5:restartCount=i? 6:image=s 7:imageID=s 8:containerID=s 9:started=t? 10:allocatedResources=%quantity 11:resources=ResourceRequirements 12:volumeMounts=*VolumeMountStatus 13:user=ContainerUser 14:allocatedResourcesStatus=*ResourceStatus 15:stopSignal=s?
PodResourceClaimStatus 1:name=s 2:resourceClaimName=s?
PodExtendedResourceClaimStatus 1:requestMappings=*ContainerExtendedResourceRequest 2:resourceClaimName=s
NodeAllocatableResourceClaimStatus 1:resourceClaimName=s 2:containers=*s 3:resources=%quantity
LabelSelector 1:matchLabels=%s 2:matchExpressions=*LabelSelectorRequirement
VolumeResourceRequirements 1:limits=%quantity 2:requests=%quantity
TypedLocalObjectReference 1:apiGroup=s? 2:kind=s 3:name=s
TypedObjectReference 1:apiGroup=s? 2:kind=s 3:name=s 4:namespace=s?
PersistentVolumeClaimCondition 1:type=s 2:status=s 3:lastProbeTime=time 4:lastTransitionTime=time 5:reason=s 6:message=s
ModifyVolumeStatus 1:targetVolumeAttributesClassName=s 2:status=s
ScopeSelector 1:matchExpressions=*ScopedResourceSelectorRequirement
PodTemplateSpec 1:metadata=ObjectMeta 2:spec=PodSpec
DeploymentStrategy 1:type=s 2:rollingUpdate=RollingUpdateDeployment
DeploymentCondition 1:type=s 2:status=s 6:lastUpdateTime=time 7:lastTransitionTime=time 4:reason=s 5:message=s
StatefulSetUpdateStrategy 1:type=s 2:rollingUpdate=RollingUpdateStatefulSetStrategy
StatefulSetPersistentVolumeClaimRetentionPolicy 1:whenDeleted=s 2:whenScaled=s
StatefulSetOrdinals 1:start=i?
StatefulSetCondition 1:type=s 2:status=s 3:lastTransitionTime=time 4:reason=s 5:message=s
DaemonSetUpdateStrategy 1:type=s 2:rollingUpdate=RollingUpdateDaemonSet
DaemonSetCondition 1:type=s 2:status=s 3:lastTransitionTime=time 4:reason=s 5:message=s
ReplicaSetCondition 1:type=s 2:status=s 3:lastTransitionTime=time 4:reason=s 5:message=s
PodFailurePolicy 1:rules=*PodFailurePolicyRule
SuccessPolicy 1:rules=*SuccessPolicyRule
JobCondition 1:type=s 2:status=s 3:lastProbeTime=time 4:lastTransitionTime=time 5:reason=s 6:message=s
UncountedTerminatedPods 1:succeeded=*s 2:failed=*s
JobTemplateSpec 1:metadata=ObjectMeta 2:spec=JobSpec
IngressBackend 4:service=IngressServiceBackend 3:resource=TypedLocalObjectReference
IngressTLS 1:hosts=*s 2:secretName=s
IngressRule 1:host=s 2:=^IngressRuleValue
IngressLoadBalancerStatus 1:ingress=*IngressLoadBalancerIngress
ResourceAttributes 1:namespace=s 2:verb=s 3:group=s 4:version=s 5:resource=s 6:subresource=s 7:name=s 8:fieldSelector=FieldSelectorAttributes 9:labelSelector=LabelSelectorAttributes
NonResourceAttributes 1:path=s 2:verb=s
ResourceRule 1:verbs=*s 2:apiGroups=*s 3:resources=*s 4:resourceNames=*s
NonResourceRule 1:verbs=*s 2:nonResourceURLs=*s
UserInfo 1:username=s 2:uid=s 3:groups=*s 4:extra=%*s
ClientIPConfig 1:timeoutSeconds=i?
LoadBalancerIngress 1:ip=s 2:hostname=s 3:ipMode=s? 4:ports=*PortStatus
VolumeSource 1:hostPath=HostPathVolumeSource 2:emptyDir=EmptyDirVolumeSource 3:gcePersistentDisk=GCEPersistentDiskVolumeSource 4:awsElasticBlockStore=AWSElasticBlockStoreVolumeSource 5:gitRepo=GitRepoVolumeSource 6:secret=SecretVolumeSource 7:nfs=NFSVolumeSource 8:iscsi=ISCSIVolumeSource 9:glusterfs=GlusterfsVolumeSource 10:persistentVolumeClaim=PersistentVolumeClaimVolumeSource 11:rbd=RBDVolumeSource 12:flexVolume=FlexVolumeSource 13:cinder=CinderVolumeSource 14:cephfs=CephFSVolumeSource 15:flocker=FlockerVolumeSource 16:downwardAPI=DownwardAPIVolumeSource 17:fc=FCVolumeSource 18:azureFile=AzureFileVolumeSource 19:configMap=ConfigMapVolumeSource 20:vsphereVolume=VsphereVirtualDiskVolumeSource 21:quobyte=QuobyteVolumeSource 22:azureDisk=AzureDiskVolumeSource 23:photonPersistentDisk=PhotonPersistentDiskVolumeSource 26:projected=ProjectedVolumeSource 24:portworxVolume=PortworxVolumeSource 25:scaleIO=ScaleIOVolumeSource 27:storageos=StorageOSVolumeSource 28:csi=CSIVolumeSource 29:ephemeral=EphemeralVolumeSource 30:image=ImageVolumeSource
ContainerPort 1:name=s 2:hostPort=i 3:containerPort=i? 4:protocol=s 5:hostIP=s
EnvFromSource 1:prefix=s 2:configMapRef=ConfigMapEnvSource 3:secretRef=SecretEnvSource
EnvVar 1:name=s 2:value=s 3:valueFrom=EnvVarSource
ContainerResizePolicy 1:resourceName=s 2:restartPolicy=s
ContainerRestartRule 1:action=s 2:exitCodes=ContainerRestartRuleOnExitCodes
VolumeMount 1:name=s 2:readOnly=t 7:recursiveReadOnly=s? 3:mountPath=s 4:subPath=s 5:mountPropagation=s? 6:subPathExpr=s
VolumeDevice 1:name=s 2:devicePath=s
Probe 1:=^ProbeHandler 2:initialDelaySeconds=i 3:timeoutSeconds=i 4:periodSeconds=i 5:successThreshold=i 6:failureThreshold=i 7:terminationGracePeriodSeconds=i?
Lifecycle 1:postStart=LifecycleHandler 2:preStop=LifecycleHandler 3:stopSignal=s?
SecurityContext 1:capabilities=Capabilities 2:privileged=t? 3:seLinuxOptions=SELinuxOptions 10:windowsOptions=WindowsSecurityContextOptions 4:runAsUser=i? 8:runAsGroup=i? 5:runAsNonRoot=t? 6:readOnlyRootFilesystem=t? 7:allowPrivilegeEscalation=t? 9:procMount=s? 11:seccompProfile=SeccompProfile 12:appArmorProfile=AppArmorProfile
EphemeralContainerCommon 1:name=s 2:image=s 3:command=*s 4:args=*s 5:workingDir=s 6:ports=*ContainerPort 19:envFrom=*EnvFromSource 7:env=*EnvVar 8:resources=ResourceRequirements 23:resizePolicy=*ContainerResizePolicy 24:restartPolicy=s? 25:restartPolicyRules=*ContainerRestartRule 9:volumeMounts=*VolumeMount 21:volumeDevices=*VolumeDevice 10:livenessProbe=Probe 11:readinessProbe=Probe 22:startupProbe=Probe 12:lifecycle=Lifecycle 13:terminationMessagePath=s 20:terminationMessagePolicy=s 14:imagePullPolicy=s 15:securityContext=SecurityContext 16:stdin=t 17:stdinOnce=t 18:tty=t
SELinuxOptions 1:user=s 2:role=s 3:type=s 4:level=s
WindowsSecurityContextOptions 1:gmsaCredentialSpecName=s? 2:gmsaCredentialSpec=s? 3:runAsUserName=s? 4:hostProcess=t?
Sysctl 1:name=s 2:value=s
SeccompProfile 1:type=s 2:localhostProfile=s?
AppArmorProfile 1:type=s 2:localhostProfile=s?
NodeAffinity 1:requiredDuringSchedulingIgnoredDuringExecution=NodeSelector 2:preferredDuringSchedulingIgnoredDuringExecution=*PreferredSchedulingTerm
PodAffinity 1:requiredDuringSchedulingIgnoredDuringExecution=*PodAffinityTerm 2:preferredDuringSchedulingIgnoredDuringExecution=*WeightedPodAffinityTerm
PodAntiAffinity 1:requiredDuringSchedulingIgnoredDuringExecution=*PodAffinityTerm 2:preferredDuringSchedulingIgnoredDuringExecution=*WeightedPodAffinityTerm
PodDNSConfigOption 1:name=s 2:value=s?
ResourceClaim 1:name=s 2:request=s
ContainerState 1:waiting=ContainerStateWaiting 2:running=ContainerStateRunning 3:terminated=ContainerStateTerminated
VolumeMountStatus 1:name=s 2:mountPath=s 3:readOnly=t 4:recursiveReadOnly=s? 5:volumeStatus=VolumeStatus
ContainerUser 1:linux=LinuxContainerUser
ResourceStatus 1:name=s 2:resources=*ResourceHealth
ContainerExtendedResourceRequest 1:containerName=s 2:resourceName=s 3:requestName=s
LabelSelectorRequirement 1:key=s 2:operator=s 3:values=*s
ScopedResourceSelectorRequirement 1:scopeName=s 2:operator=s 3:values=*s
RollingUpdateDeployment 1:maxUnavailable=intstr 2:maxSurge=intstr
RollingUpdateStatefulSetStrategy 1:partition=i? 2:maxUnavailable=intstr
RollingUpdateDaemonSet 1:maxUnavailable=intstr 2:maxSurge=intstr
PodFailurePolicyRule 1:action=s 2:onExitCodes=PodFailurePolicyOnExitCodesRequirement 3:onPodConditions=*PodFailurePolicyOnPodConditionsPattern
SuccessPolicyRule 1:succeededIndexes=s? 2:succeededCount=i?
IngressServiceBackend 1:name=s 2:port=ServiceBackendPort
IngressRuleValue 1:http=HTTPIngressRuleValue
IngressLoadBalancerIngress 1:ip=s 2:hostname=s 4:ports=*IngressPortStatus
FieldSelectorAttributes 1:rawSelector=s 2:requirements=*FieldSelectorRequirement
LabelSelectorAttributes 1:rawSelector=s 2:requirements=*LabelSelectorRequirement
PortStatus 1:port=i? 2:protocol=s 3:error=s?
HostPathVolumeSource 1:path=s 2:type=s?
EmptyDirVolumeSource 1:medium=s 2:sizeLimit=quantity
GCEPersistentDiskVolumeSource 1:pdName=s 2:fsType=s 3:partition=i 4:readOnly=t
AWSElasticBlockStoreVolumeSource 1:volumeID=s 2:fsType=s 3:partition=i 4:readOnly=t
GitRepoVolumeSource 1:repository=s 2:revision=s 3:directory=s
SecretVolumeSource 1:secretName=s 2:items=*KeyToPath 3:defaultMode=i? 4:optional=t?
NFSVolumeSource 1:server=s 2:path=s 3:readOnly=t
ISCSIVolumeSource 1:targetPortal=s 2:iqn=s 3:lun=i? 4:iscsiInterface=s 5:fsType=s 6:readOnly=t 7:portals=*s 8:chapAuthDiscovery=t 11:chapAuthSession=t 10:secretRef=LocalObjectReference 12:initiatorName=s?
GlusterfsVolumeSource 1:endpoints=s 2:path=s 3:readOnly=t
PersistentVolumeClaimVolumeSource 1:claimName=s 2:readOnly=t
RBDVolumeSource 1:monitors=*s 2:image=s 3:fsType=s 4:pool=s 5:user=s 6:keyring=s 7:secretRef=LocalObjectReference 8:readOnly=t
FlexVolumeSource 1:driver=s 2:fsType=s 3:secretRef=LocalObjectReference 4:readOnly=t 5:options=%s
CinderVolumeSource 1:volumeID=s 2:fsType=s 3:readOnly=t 4:secretRef=LocalObjectReference
CephFSVolumeSource 1:monitors=*s 2:path=s 3:user=s 4:secretFile=s 5:secretRef=LocalObjectReference 6:readOnly=t
FlockerVolumeSource 1:datasetName=s 2:datasetUUID=s
DownwardAPIVolumeSource 1:items=*DownwardAPIVolumeFile 2:defaultMode=i?
FCVolumeSource 1:targetWWNs=*s 2:lun=i? 3:fsType=s 4:readOnly=t 5:wwids=*s
AzureFileVolumeSource 1:secretName=s 2:shareName=s 3:readOnly=t
ConfigMapVolumeSource 1:=^LocalObjectReference 2:items=*KeyToPath 3:defaultMode=i? 4:optional=t?
VsphereVirtualDiskVolumeSource 1:volumePath=s 2:fsType=s 3:storagePolicyName=s 4:storagePolicyID=s
QuobyteVolumeSource 1:registry=s 2:volume=s 3:readOnly=t 4:user=s 5:group=s 6:tenant=s
AzureDiskVolumeSource 1:diskName=s 2:diskURI=s 3:cachingMode=s? 4:fsType=s? 5:readOnly=t? 6:kind=s?
PhotonPersistentDiskVolumeSource 1:pdID=s 2:fsType=s
ProjectedVolumeSource 1:sources=*VolumeProjection 2:defaultMode=i?
PortworxVolumeSource 1:volumeID=s 2:fsType=s 3:readOnly=t
ScaleIOVolumeSource 1:gateway=s 2:system=s 3:secretRef=LocalObjectReference 4:sslEnabled=t 5:protectionDomain=s 6:storagePool=s 7:storageMode=s 8:volumeName=s 9:fsType=s 10:readOnly=t
StorageOSVolumeSource 1:volumeName=s 2:volumeNamespace=s 3:fsType=s 4:readOnly=t 5:secretRef=LocalObjectReference
CSIVolumeSource 1:driver=s 2:readOnly=t? 3:fsType=s? 4:volumeAttributes=%s 5:nodePublishSecretRef=LocalObjectReference
EphemeralVolumeSource 1:volumeClaimTemplate=PersistentVolumeClaimTemplate
ImageVolumeSource 1:reference=s 2:pullPolicy=s
ConfigMapEnvSource 1:=^LocalObjectReference 2:optional=t?
SecretEnvSource 1:=^LocalObjectReference 2:optional=t?
EnvVarSource 1:fieldRef=ObjectFieldSelector 2:resourceFieldRef=ResourceFieldSelector 3:configMapKeyRef=ConfigMapKeySelector 4:secretKeyRef=SecretKeySelector 5:fileKeyRef=FileKeySelector
ContainerRestartRuleOnExitCodes 1:operator=s 2:values=*i
ProbeHandler 1:exec=ExecAction 2:httpGet=HTTPGetAction 3:tcpSocket=TCPSocketAction 4:grpc=GRPCAction
LifecycleHandler 1:exec=ExecAction 2:httpGet=HTTPGetAction 3:tcpSocket=TCPSocketAction 4:sleep=SleepAction
Capabilities 1:add=*s 2:drop=*s
NodeSelector 1:nodeSelectorTerms=*NodeSelectorTerm
PreferredSchedulingTerm 1:weight=i? 2:preference=NodeSelectorTerm
PodAffinityTerm 1:labelSelector=LabelSelector 2:namespaces=*s 3:topologyKey=s 4:namespaceSelector=LabelSelector 5:matchLabelKeys=*s 6:mismatchLabelKeys=*s
WeightedPodAffinityTerm 1:weight=i? 2:podAffinityTerm=PodAffinityTerm
ContainerStateWaiting 1:reason=s 2:message=s
ContainerStateRunning 1:startedAt=time
ContainerStateTerminated 1:exitCode=i? 2:signal=i 3:reason=s 4:message=s 5:startedAt=time 6:finishedAt=time 7:containerID=s
VolumeStatus 1:image=ImageVolumeStatus
LinuxContainerUser 1:uid=i? 2:gid=i? 3:supplementalGroups=*i
ResourceHealth 1:resourceID=s 2:health=s 6:message=s?
PodFailurePolicyOnExitCodesRequirement 1:containerName=s? 2:operator=s 3:values=*i
PodFailurePolicyOnPodConditionsPattern 1:type=s 2:status=s
ServiceBackendPort 1:name=s 2:number=i
HTTPIngressRuleValue 1:paths=*HTTPIngressPath
IngressPortStatus 1:port=i? 2:protocol=s 3:error=s?
FieldSelectorRequirement 1:key=s 2:operator=s 3:values=*s
KeyToPath 1:key=s 2:path=s 3:mode=i?
DownwardAPIVolumeFile 1:path=s 2:fieldRef=ObjectFieldSelector 3:resourceFieldRef=ResourceFieldSelector 4:mode=i?
VolumeProjection 1:secret=SecretProjection 2:downwardAPI=DownwardAPIProjection 3:configMap=ConfigMapProjection 4:serviceAccountToken=ServiceAccountTokenProjection 5:clusterTrustBundle=ClusterTrustBundleProjection 6:podCertificate=PodCertificateProjection
PersistentVolumeClaimTemplate 1:metadata=ObjectMeta 2:spec=PersistentVolumeClaimSpec
ObjectFieldSelector 1:apiVersion=s 2:fieldPath=s
ResourceFieldSelector 1:containerName=s 2:resource=s 3:divisor=quantity
ConfigMapKeySelector 1:=^LocalObjectReference 2:key=s 3:optional=t?
SecretKeySelector 1:=^LocalObjectReference 2:key=s 3:optional=t?
FileKeySelector 1:volumeName=s 2:path=s 3:key=s 4:optional=t?
ExecAction 1:command=*s
HTTPGetAction 1:path=s 2:port=intstr 3:host=s 4:scheme=s 5:httpHeaders=*HTTPHeader
TCPSocketAction 1:port=intstr 2:host=s
GRPCAction 1:port=i? 2:service=s?
SleepAction 1:seconds=i?
NodeSelectorTerm 1:matchExpressions=*NodeSelectorRequirement 2:matchFields=*NodeSelectorRequirement
ImageVolumeStatus 1:imageRef=s
HTTPIngressPath 1:path=s 3:pathType=s? 2:backend=IngressBackend
SecretProjection 1:=^LocalObjectReference 2:items=*KeyToPath 4:optional=t?
DownwardAPIProjection 1:items=*DownwardAPIVolumeFile
ConfigMapProjection 1:=^LocalObjectReference 2:items=*KeyToPath 4:optional=t?
ServiceAccountTokenProjection 1:audience=s 2:expirationSeconds=i? 3:path=s
ClusterTrustBundleProjection 1:name=s? 2:signerName=s? 3:labelSelector=LabelSelector 5:optional=t? 4:path=s
PodCertificateProjection 1:signerName=s 2:keyType=s 3:maxExpirationSeconds=i? 4:credentialBundlePath=s 5:keyPath=s 6:certificateChainPath=s 7:userAnnotations=%s
HTTPHeader 1:name=s 2:value=s
NodeSelectorRequirement 1:key=s 2:operator=s 3:values=*s
`;
