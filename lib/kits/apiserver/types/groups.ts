/**
 * The types of the other groups, and of metadata.
 *
 * Source: api/openapi-spec/swagger.json of Kubernetes 1.36.3, and the struct tags in its Go sources, in the notation that
 * `mod.ts` explains. tests/conformance/apiserver/notation.ts makes it, and a test compares the two.
 */

/** One type in a line: its name, flags of the type, and its fields. */
export const GROUPS = `
admissionregistration.ApplyConfiguration expression:s/1
admissionregistration.AuditAnnotation key:s*/1 valueExpression:s*/2
admissionregistration.ExpressionWarning fieldRef:s*/2 warning:s*/3
admissionregistration.JSONPatch expression:s/1
admissionregistration.MatchCondition expression:s*/2 name:s*/1
admissionregistration.MatchResources ^ excludeResourceRules:[NamedRuleWithOperations]=/4 matchPolicy:s/7? namespaceSelector:meta.LabelSelector/1? objectSelector:meta.LabelSelector/2? resourceRules:[NamedRuleWithOperations]=/3
admissionregistration.MutatingAdmissionPolicy apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:MutatingAdmissionPolicySpec/2
admissionregistration.MutatingAdmissionPolicyBinding apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:MutatingAdmissionPolicyBindingSpec/2
admissionregistration.MutatingAdmissionPolicyBindingSpec matchResources:MatchResources/3? paramRef:ParamRef/2? policyName:s/1
admissionregistration.MutatingAdmissionPolicySpec failurePolicy:s/5? matchConditions:[MatchCondition]@name#name/6 matchConstraints:MatchResources/2? mutations:[Mutation]=/4 paramKind:ParamKind/1? reinvocationPolicy:s/7 variables:[Variable]=/3
admissionregistration.MutatingWebhook admissionReviewVersions:[s]*=/8 clientConfig:WebhookClientConfig*/2 failurePolicy:s/4? matchConditions:[MatchCondition]@name#name/12 matchPolicy:s/9? name:s*/1 namespaceSelector:meta.LabelSelector/5? objectSelector:meta.LabelSelector/11? reinvocationPolicy:s/10? rules:[RuleWithOperations]=/3 sideEffects:s*/6? timeoutSeconds:i/7?
admissionregistration.MutatingWebhookConfiguration apiVersion:s kind:s metadata:meta.ObjectMeta/1 webhooks:[MutatingWebhook]@name#name/2
admissionregistration.Mutation applyConfiguration:ApplyConfiguration/3? jsonPatch:JSONPatch/4? patchType:s*/2
admissionregistration.NamedRuleWithOperations ^ apiGroups:[s]=/2.2.1 apiVersions:[s]=/2.2.2 operations:[s]=/2.1 resourceNames:[s]=/1 resources:[s]=/2.2.3 scope:s/2.2.4?
admissionregistration.ParamKind ^ apiVersion:s/1 kind:s/2
admissionregistration.ParamRef ^ name:s/1 namespace:s/2 parameterNotFoundAction:s/4? selector:meta.LabelSelector/3?
admissionregistration.RuleWithOperations apiGroups:[s]=/2.1 apiVersions:[s]=/2.2 operations:[s]=/1 resources:[s]=/2.3 scope:s/2.4?
admissionregistration.ServiceReference name:s*/2 namespace:s*/1 path:s/3? port:i/4?
admissionregistration.TypeChecking expressionWarnings:[ExpressionWarning]=/1
admissionregistration.ValidatingAdmissionPolicy apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ValidatingAdmissionPolicySpec/2 status:ValidatingAdmissionPolicyStatus/3
admissionregistration.ValidatingAdmissionPolicyBinding apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ValidatingAdmissionPolicyBindingSpec*/2
admissionregistration.ValidatingAdmissionPolicyBindingSpec matchResources:MatchResources/3? paramRef:ParamRef/2? policyName:s*/1 validationActions:[s]*&/4
admissionregistration.ValidatingAdmissionPolicySpec auditAnnotations:[AuditAnnotation]=/5 failurePolicy:s/4? matchConditions:[MatchCondition]@name#name/6 matchConstraints:MatchResources/2? paramKind:ParamKind/1? validations:[Validation]=/3 variables:[Variable]@name#name/7
admissionregistration.ValidatingAdmissionPolicyStatus conditions:[meta.Condition]#type/3 observedGeneration:l/1 typeChecking:TypeChecking/2?
admissionregistration.ValidatingWebhook admissionReviewVersions:[s]*=/8 clientConfig:WebhookClientConfig*/2 failurePolicy:s/4? matchConditions:[MatchCondition]@name#name/11 matchPolicy:s/9? name:s*/1 namespaceSelector:meta.LabelSelector/5? objectSelector:meta.LabelSelector/10? rules:[RuleWithOperations]=/3 sideEffects:s*/6? timeoutSeconds:i/7?
admissionregistration.ValidatingWebhookConfiguration apiVersion:s kind:s metadata:meta.ObjectMeta/1 webhooks:[ValidatingWebhook]@name#name/2
admissionregistration.Validation expression:s*/1 message:s/2 messageExpression:s/4 reason:s/3?
admissionregistration.Variable ^ expression:s*/2 name:s*/1
admissionregistration.WebhookClientConfig caBundle:y/2 service:ServiceReference/1? url:s/3?
apps.ControllerRevision apiVersion:s data:RawExtension/2 kind:s metadata:meta.ObjectMeta/1 revision:l*/3
apps.DaemonSet apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:DaemonSetSpec/2 status:DaemonSetStatus/3
apps.DaemonSetCondition lastTransitionTime:meta.Time/3 message:s/5 reason:s/4 status:s*/2 type:s*/1
apps.DaemonSetSpec minReadySeconds:i/4 revisionHistoryLimit:i/6? selector:meta.LabelSelector*/1? template:core.PodTemplateSpec*/2 updateStrategy:DaemonSetUpdateStrategy/3
apps.DaemonSetStatus collisionCount:i/9? conditions:[DaemonSetCondition]@type#type/10 currentNumberScheduled:i*/1 desiredNumberScheduled:i*/3 numberAvailable:i/7 numberMisscheduled:i*/2 numberReady:i*/4 numberUnavailable:i/8 observedGeneration:l/5 updatedNumberScheduled:i/6
apps.DaemonSetUpdateStrategy rollingUpdate:RollingUpdateDaemonSet/2? type:s/1
apps.Deployment apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:DeploymentSpec/2 status:DeploymentStatus/3
apps.DeploymentCondition lastTransitionTime:meta.Time/7 lastUpdateTime:meta.Time/6 message:s/5 reason:s/4 status:s*/2 type:s*/1
apps.DeploymentSpec minReadySeconds:i/5 paused:b/7 progressDeadlineSeconds:i/9? replicas:i/1? revisionHistoryLimit:i/6? selector:meta.LabelSelector*/2? strategy:DeploymentStrategy~/4 template:core.PodTemplateSpec*/3
apps.DeploymentStatus availableReplicas:i/4 collisionCount:i/8? conditions:[DeploymentCondition]@type#type/6 observedGeneration:l/1 readyReplicas:i/7 replicas:i/2 terminatingReplicas:i/9? unavailableReplicas:i/5 updatedReplicas:i/3
apps.DeploymentStrategy rollingUpdate:RollingUpdateDeployment/2? type:s/1
apps.ReplicaSet apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ReplicaSetSpec/2 status:ReplicaSetStatus/3
apps.ReplicaSetCondition lastTransitionTime:meta.Time/3 message:s/5 reason:s/4 status:s*/2 type:s*/1
apps.ReplicaSetSpec minReadySeconds:i/4 replicas:i/1? selector:meta.LabelSelector*/2? template:core.PodTemplateSpec/3
apps.ReplicaSetStatus availableReplicas:i/5 conditions:[ReplicaSetCondition]@type#type/6 fullyLabeledReplicas:i/2 observedGeneration:l/3 readyReplicas:i/4 replicas:i*/1 terminatingReplicas:i/7?
apps.RollingUpdateDaemonSet maxSurge:IntOrString/2? maxUnavailable:IntOrString/1?
apps.RollingUpdateDeployment maxSurge:IntOrString/2? maxUnavailable:IntOrString/1?
apps.RollingUpdateStatefulSetStrategy maxUnavailable:IntOrString/2? partition:i/1?
apps.StatefulSet apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:StatefulSetSpec/2 status:StatefulSetStatus/3
apps.StatefulSetCondition lastTransitionTime:meta.Time/3 message:s/5 reason:s/4 status:s*/2 type:s*/1
apps.StatefulSetOrdinals start:i/1
apps.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:s/1 whenScaled:s/2
apps.StatefulSetSpec minReadySeconds:i/9 ordinals:StatefulSetOrdinals/11? persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy/10? podManagementPolicy:s/6 replicas:i/1? revisionHistoryLimit:i/8? selector:meta.LabelSelector*/2? serviceName:s/5 template:core.PodTemplateSpec*/3 updateStrategy:StatefulSetUpdateStrategy/7 volumeClaimTemplates:[core.PersistentVolumeClaim]=/4
apps.StatefulSetStatus availableReplicas:i/11 collisionCount:i/9? conditions:[StatefulSetCondition]@type#type/10 currentReplicas:i/4 currentRevision:s/6 observedGeneration:l/1 readyReplicas:i/3 replicas:i*/2 updateRevision:s/7 updatedReplicas:i/5
apps.StatefulSetUpdateStrategy rollingUpdate:RollingUpdateStatefulSetStrategy/2? type:s/1
authentication.BoundObjectReference apiVersion:s/2 kind:s/1 name:s/3 uid:s/4
authentication.SelfSubjectReview apiVersion:s kind:s metadata:meta.ObjectMeta/1 status:SelfSubjectReviewStatus/2
authentication.SelfSubjectReviewStatus userInfo:UserInfo/1
authentication.TokenRequest apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:TokenRequestSpec/2 status:TokenRequestStatus/3
authentication.TokenRequestSpec audiences:[s]=/1 boundObjectRef:BoundObjectReference/3? expirationSeconds:l/4?
authentication.TokenRequestStatus expirationTimestamp:meta.Time/2 token:s/1
authentication.TokenReview apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:TokenReviewSpec*/2 status:TokenReviewStatus/3
authentication.TokenReviewSpec audiences:[s]=/2 token:s*/1
authentication.TokenReviewStatus audiences:[s]=/4 authenticated:b/1 error:s/3 user:UserInfo/2
authentication.UserInfo extra:{[s]}/4 groups:[s]=/3 uid:s/2 username:s/1
authorization.FieldSelectorAttributes rawSelector:s/1 requirements:[meta.FieldSelectorRequirement]=/2
authorization.LabelSelectorAttributes rawSelector:s/1 requirements:[meta.LabelSelectorRequirement]=/2
authorization.LocalSubjectAccessReview apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:SubjectAccessReviewSpec*/2 status:SubjectAccessReviewStatus/3
authorization.NonResourceAttributes path:s/1 verb:s/2
authorization.NonResourceRule nonResourceURLs:[s]=/2 verbs:[s]*=/1
authorization.ResourceAttributes fieldSelector:FieldSelectorAttributes/8? group:s/3 labelSelector:LabelSelectorAttributes/9? name:s/7 namespace:s/1 resource:s/5 subresource:s/6 verb:s/2 version:s/4
authorization.ResourceRule apiGroups:[s]=/2 resourceNames:[s]=/4 resources:[s]=/3 verbs:[s]*=/1
authorization.SelfSubjectAccessReview apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:SelfSubjectAccessReviewSpec*/2 status:SubjectAccessReviewStatus/3
authorization.SelfSubjectAccessReviewSpec nonResourceAttributes:NonResourceAttributes/2? resourceAttributes:ResourceAttributes/1?
authorization.SelfSubjectRulesReview apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:SelfSubjectRulesReviewSpec*/2 status:SubjectRulesReviewStatus/3
authorization.SelfSubjectRulesReviewSpec namespace:s/1
authorization.SubjectAccessReview apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:SubjectAccessReviewSpec*/2 status:SubjectAccessReviewStatus/3
authorization.SubjectAccessReviewSpec extra:{[s]}/5 groups:[s]=/4 nonResourceAttributes:NonResourceAttributes/2? resourceAttributes:ResourceAttributes/1? uid:s/6 user:s/3
authorization.SubjectAccessReviewStatus allowed:b*/1 denied:b/4 evaluationError:s/3 reason:s/2
authorization.SubjectRulesReviewStatus evaluationError:s/4 incomplete:b*/3 nonResourceRules:[NonResourceRule]*=/2 resourceRules:[ResourceRule]*=/1
autoscaling.CrossVersionObjectReference ^ apiVersion:s/3 kind:s*/1 name:s*/2
autoscaling.HorizontalPodAutoscaler apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:HorizontalPodAutoscalerSpec*/2 status:HorizontalPodAutoscalerStatus/3
autoscaling.HorizontalPodAutoscalerSpec maxReplicas:i*/3 minReplicas:i/2? scaleTargetRef:CrossVersionObjectReference*/1 targetCPUUtilizationPercentage:i/4?
autoscaling.HorizontalPodAutoscalerStatus currentCPUUtilizationPercentage:i/5? currentReplicas:i*/3 desiredReplicas:i*/4 lastScaleTime:meta.Time/2? observedGeneration:l/1?
autoscaling.Scale apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ScaleSpec/2 status:ScaleStatus/3
autoscaling.ScaleSpec replicas:i/1
autoscaling.ScaleStatus replicas:i*/1 selector:s/2
autoscaling2.ContainerResourceMetricSource container:s*/3 name:s*/1 target:MetricTarget*/2
autoscaling2.ContainerResourceMetricStatus container:s*/3 current:MetricValueStatus*/2 name:s*/1
autoscaling2.CrossVersionObjectReference apiVersion:s/3 kind:s*/1 name:s*/2
autoscaling2.ExternalMetricSource metric:MetricIdentifier*/1 target:MetricTarget*/2
autoscaling2.ExternalMetricStatus current:MetricValueStatus*/2 metric:MetricIdentifier*/1
autoscaling2.HPAScalingPolicy periodSeconds:i*/3 type:s*/1 value:i*/2
autoscaling2.HPAScalingRules policies:[HPAScalingPolicy]=/2 selectPolicy:s/1? stabilizationWindowSeconds:i/3? tolerance:Quantity/4?
autoscaling2.HorizontalPodAutoscaler apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:HorizontalPodAutoscalerSpec*/2 status:HorizontalPodAutoscalerStatus/3
autoscaling2.HorizontalPodAutoscalerBehavior scaleDown:HPAScalingRules/2? scaleUp:HPAScalingRules/1?
autoscaling2.HorizontalPodAutoscalerCondition lastTransitionTime:meta.Time/3 message:s/5 reason:s/4 status:s*/2 type:s*/1
autoscaling2.HorizontalPodAutoscalerSpec behavior:HorizontalPodAutoscalerBehavior/5? maxReplicas:i*/3 metrics:[MetricSpec]=/4 minReplicas:i/2? scaleTargetRef:CrossVersionObjectReference*/1
autoscaling2.HorizontalPodAutoscalerStatus conditions:[HorizontalPodAutoscalerCondition]@type#type/6 currentMetrics:[MetricStatus]=/5 currentReplicas:i/3 desiredReplicas:i*/4 lastScaleTime:meta.Time/2? observedGeneration:l/1?
autoscaling2.MetricIdentifier name:s*/1 selector:meta.LabelSelector/2?
autoscaling2.MetricSpec containerResource:ContainerResourceMetricSource/7? external:ExternalMetricSource/5? object:ObjectMetricSource/2? pods:PodsMetricSource/3? resource:ResourceMetricSource/4? type:s*/1
autoscaling2.MetricStatus containerResource:ContainerResourceMetricStatus/7? external:ExternalMetricStatus/5? object:ObjectMetricStatus/2? pods:PodsMetricStatus/3? resource:ResourceMetricStatus/4? type:s*/1
autoscaling2.MetricTarget averageUtilization:i/4? averageValue:Quantity/3? type:s*/1 value:Quantity/2?
autoscaling2.MetricValueStatus averageUtilization:i/3? averageValue:Quantity/2? value:Quantity/1?
autoscaling2.ObjectMetricSource describedObject:CrossVersionObjectReference*/1 metric:MetricIdentifier*/3 target:MetricTarget*/2
autoscaling2.ObjectMetricStatus current:MetricValueStatus*/2 describedObject:CrossVersionObjectReference*/3 metric:MetricIdentifier*/1
autoscaling2.PodsMetricSource metric:MetricIdentifier*/1 target:MetricTarget*/2
autoscaling2.PodsMetricStatus current:MetricValueStatus*/2 metric:MetricIdentifier*/1
autoscaling2.ResourceMetricSource name:s*/1 target:MetricTarget*/2
autoscaling2.ResourceMetricStatus current:MetricValueStatus*/2 name:s*/1
batch.CronJob apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:CronJobSpec*/2 status:CronJobStatus/3
batch.CronJobSpec concurrencyPolicy:s/3 failedJobsHistoryLimit:i/7? jobTemplate:JobTemplateSpec*/5 schedule:s*/1 startingDeadlineSeconds:l/2? successfulJobsHistoryLimit:i/6? suspend:b/4? timeZone:s/8?
batch.CronJobStatus active:[core.ObjectReference]=/1 lastScheduleTime:meta.Time/4? lastSuccessfulTime:meta.Time/5?
batch.Job apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:JobSpec/2 status:JobStatus/3
batch.JobCondition lastProbeTime:meta.Time/3 lastTransitionTime:meta.Time/4 message:s/6 reason:s/5 status:s*/2 type:s*/1
batch.JobSpec activeDeadlineSeconds:l/3? backoffLimit:i/7? backoffLimitPerIndex:i/12? completionMode:s/9? completions:i/2? managedBy:s/15? manualSelector:b/5? maxFailedIndexes:i/13? parallelism:i/1? podFailurePolicy:PodFailurePolicy/11? podReplacementPolicy:s/14? selector:meta.LabelSelector/4? successPolicy:SuccessPolicy/16? suspend:b/10? template:core.PodTemplateSpec*/6 ttlSecondsAfterFinished:i/8?
batch.JobStatus active:i/4 completedIndexes:s/7 completionTime:meta.Time/3? conditions:[JobCondition]@type=/1 failed:i/6 failedIndexes:s/10? ready:i/9? startTime:meta.Time/2? succeeded:i/5 terminating:i/11? uncountedTerminatedPods:UncountedTerminatedPods/8?
batch.JobTemplateSpec metadata:meta.ObjectMeta/1 spec:JobSpec/2
batch.PodFailurePolicy rules:[PodFailurePolicyRule]*=/1
batch.PodFailurePolicyOnExitCodesRequirement containerName:s/1? operator:s*/2 values:[i]*&/3
batch.PodFailurePolicyOnPodConditionsPattern status:s/2 type:s*/1
batch.PodFailurePolicyRule action:s*/1 onExitCodes:PodFailurePolicyOnExitCodesRequirement/2? onPodConditions:[PodFailurePolicyOnPodConditionsPattern]=/3
batch.SuccessPolicy rules:[SuccessPolicyRule]*=/1
batch.SuccessPolicyRule succeededCount:i/2? succeededIndexes:s/1?
batch.UncountedTerminatedPods failed:[s]&/2 succeeded:[s]&/1
certificates.CertificateSigningRequest apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:CertificateSigningRequestSpec*/2 status:CertificateSigningRequestStatus/3
certificates.CertificateSigningRequestCondition lastTransitionTime:meta.Time/5 lastUpdateTime:meta.Time/4 message:s/3 reason:s/2 status:s*/6 type:s*/1
certificates.CertificateSigningRequestSpec expirationSeconds:i/8? extra:{[s]}/6 groups:[s]=/4 request:y*/1 signerName:s*/7 uid:s/3 usages:[s]=/5 username:s/2
certificates.CertificateSigningRequestStatus certificate:y/2 conditions:[CertificateSigningRequestCondition]#type/1
coordination.Lease apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:LeaseSpec/2
coordination.LeaseSpec acquireTime:meta.MicroTime/3? holderIdentity:s/1? leaseDurationSeconds:i/2? leaseTransitions:i/5? preferredHolder:s/7? renewTime:meta.MicroTime/4? strategy:s/6?
discovery.Endpoint addresses:[s]*&/1 conditions:EndpointConditions/2 deprecatedTopology:{s}/5 hints:EndpointHints/8? hostname:s/3? nodeName:s/6? targetRef:core.ObjectReference/4? zone:s/7?
discovery.EndpointConditions ready:b/1? serving:b/2? terminating:b/3?
discovery.EndpointHints forNodes:[ForNode]=/2 forZones:[ForZone]=/1
discovery.EndpointPort ^ appProtocol:s/4? name:s/1? port:i/3? protocol:s/2?
discovery.EndpointSlice addressType:s*/4 apiVersion:s endpoints:[Endpoint]=/2 kind:s metadata:meta.ObjectMeta/1 ports:[EndpointPort]=/3
discovery.ForNode name:s*/1
discovery.ForZone name:s*/1
events.Event action:s/6 apiVersion:s deprecatedCount:i/15 deprecatedFirstTimestamp:meta.Time/13 deprecatedLastTimestamp:meta.Time/14 deprecatedSource:core.EventSource/12 eventTime:meta.MicroTime*/2 kind:s metadata:meta.ObjectMeta/1 note:s/10 reason:s/7 regarding:core.ObjectReference/8 related:core.ObjectReference/9? reportingController:s/4 reportingInstance:s/5 series:EventSeries/3? type:s/11
events.EventSeries count:i*/1 lastObservedTime:meta.MicroTime*/2
flowcontrol.ExemptPriorityLevelConfiguration lendablePercent:i/2? nominalConcurrencyShares:i/1?
flowcontrol.FlowDistinguisherMethod type:s*/1
flowcontrol.FlowSchema apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:FlowSchemaSpec/2 status:FlowSchemaStatus/3
flowcontrol.FlowSchemaCondition lastTransitionTime:meta.Time/3 message:s/5 reason:s/4 status:s/2 type:s/1
flowcontrol.FlowSchemaSpec distinguisherMethod:FlowDistinguisherMethod/3? matchingPrecedence:i/2 priorityLevelConfiguration:PriorityLevelConfigurationReference*/1 rules:[PolicyRulesWithSubjects]=/4
flowcontrol.FlowSchemaStatus conditions:[FlowSchemaCondition]@type#type/1
flowcontrol.GroupSubject name:s*/1
flowcontrol.LimitResponse queuing:QueuingConfiguration/2? type:s*/1
flowcontrol.LimitedPriorityLevelConfiguration borrowingLimitPercent:i/4? lendablePercent:i/3? limitResponse:LimitResponse/2 nominalConcurrencyShares:i/1?
flowcontrol.NonResourcePolicyRule nonResourceURLs:[s]*&/6 verbs:[s]*&/1
flowcontrol.PolicyRulesWithSubjects nonResourceRules:[NonResourcePolicyRule]=/3 resourceRules:[ResourcePolicyRule]=/2 subjects:[Subject]*=/1
flowcontrol.PriorityLevelConfiguration apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:PriorityLevelConfigurationSpec/2 status:PriorityLevelConfigurationStatus/3
flowcontrol.PriorityLevelConfigurationCondition lastTransitionTime:meta.Time/3 message:s/5 reason:s/4 status:s/2 type:s/1
flowcontrol.PriorityLevelConfigurationReference name:s*/1
flowcontrol.PriorityLevelConfigurationSpec exempt:ExemptPriorityLevelConfiguration/3? limited:LimitedPriorityLevelConfiguration/2? type:s*/1
flowcontrol.PriorityLevelConfigurationStatus conditions:[PriorityLevelConfigurationCondition]@type#type/1
flowcontrol.QueuingConfiguration handSize:i/2 queueLengthLimit:i/3 queues:i/1
flowcontrol.ResourcePolicyRule apiGroups:[s]*&/2 clusterScope:b/4 namespaces:[s]&/5 resources:[s]*&/3 verbs:[s]*&/1
flowcontrol.ServiceAccountSubject name:s*/2 namespace:s*/1
flowcontrol.Subject group:GroupSubject/3? kind:s*/1 serviceAccount:ServiceAccountSubject/4? user:UserSubject/2?
flowcontrol.UserSubject name:s*/1
networking.HTTPIngressPath backend:IngressBackend*/2 path:s/1 pathType:s*/3?
networking.HTTPIngressRuleValue paths:[HTTPIngressPath]*=/1
networking.IPAddress apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:IPAddressSpec*/2
networking.IPAddressSpec parentRef:ParentReference*/1?
networking.IPBlock cidr:s*/1 except:[s]=/2
networking.Ingress apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:IngressSpec/2 status:IngressStatus/3
networking.IngressBackend resource:core.TypedLocalObjectReference/3? service:IngressServiceBackend/4?
networking.IngressClass apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:IngressClassSpec/2
networking.IngressClassParametersReference apiGroup:s/1? kind:s*/2 name:s*/3 namespace:s/5? scope:s/4?
networking.IngressClassSpec controller:s/1 parameters:IngressClassParametersReference/2?
networking.IngressLoadBalancerIngress hostname:s/2 ip:s/1 ports:[IngressPortStatus]=/4
networking.IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress]=/1
networking.IngressPortStatus error:s/3? port:i*/1 protocol:s*/2
networking.IngressRule host:s/1 http:HTTPIngressRuleValue/2.1?
networking.IngressServiceBackend name:s*/1 port:ServiceBackendPort/2
networking.IngressSpec defaultBackend:IngressBackend/1? ingressClassName:s/4? rules:[IngressRule]=/3 tls:[IngressTLS]=/2
networking.IngressStatus loadBalancer:IngressLoadBalancerStatus/1
networking.IngressTLS hosts:[s]=/1 secretName:s/2
networking.NetworkPolicy apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:NetworkPolicySpec/2
networking.NetworkPolicyEgressRule ports:[NetworkPolicyPort]=/1 to:[NetworkPolicyPeer]=/2
networking.NetworkPolicyIngressRule from:[NetworkPolicyPeer]=/2 ports:[NetworkPolicyPort]=/1
networking.NetworkPolicyPeer ipBlock:IPBlock/3? namespaceSelector:meta.LabelSelector/2? podSelector:meta.LabelSelector/1?
networking.NetworkPolicyPort endPort:i/3? port:IntOrString/2? protocol:s/1?
networking.NetworkPolicySpec egress:[NetworkPolicyEgressRule]=/3 ingress:[NetworkPolicyIngressRule]=/2 podSelector:meta.LabelSelector/1 policyTypes:[s]=/4
networking.ParentReference group:s/1 name:s*/4 namespace:s/3 resource:s*/2
networking.ServiceBackendPort ^ name:s/1 number:i/2
networking.ServiceCIDR apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ServiceCIDRSpec/2 status:ServiceCIDRStatus/3
networking.ServiceCIDRSpec cidrs:[s]=/1
networking.ServiceCIDRStatus conditions:[meta.Condition]@type#type/1
node.Overhead podFixed:{Quantity}/1
node.RuntimeClass apiVersion:s handler:s*/2 kind:s metadata:meta.ObjectMeta/1 overhead:Overhead/3? scheduling:Scheduling/4?
node.Scheduling nodeSelector:{s}^/1 tolerations:[core.Toleration]=/2
policy.Eviction apiVersion:s deleteOptions:meta.DeleteOptions/2? kind:s metadata:meta.ObjectMeta/1
policy.PodDisruptionBudget apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:PodDisruptionBudgetSpec/2 status:PodDisruptionBudgetStatus/3
policy.PodDisruptionBudgetSpec maxUnavailable:IntOrString/3? minAvailable:IntOrString/1? selector:meta.LabelSelector!/2? unhealthyPodEvictionPolicy:s/4?
policy.PodDisruptionBudgetStatus conditions:[meta.Condition]@type#type/7 currentHealthy:i/4 desiredHealthy:i/5 disruptedPods:{meta.Time}/2 disruptionsAllowed:i/3 expectedPods:i/6 observedGeneration:l/1
rbac.AggregationRule clusterRoleSelectors:[meta.LabelSelector]=/1
rbac.ClusterRole aggregationRule:AggregationRule/3? apiVersion:s kind:s metadata:meta.ObjectMeta/1 rules:[PolicyRule]=/2
rbac.ClusterRoleBinding apiVersion:s kind:s metadata:meta.ObjectMeta/1 roleRef:RoleRef*/3 subjects:[Subject]=/2
rbac.PolicyRule apiGroups:[s]=/2 nonResourceURLs:[s]=/5 resourceNames:[s]=/4 resources:[s]=/3 verbs:[s]*=/1
rbac.Role apiVersion:s kind:s metadata:meta.ObjectMeta/1 rules:[PolicyRule]=/2
rbac.RoleBinding apiVersion:s kind:s metadata:meta.ObjectMeta/1 roleRef:RoleRef*/3 subjects:[Subject]=/2
rbac.RoleRef ^ apiGroup:s/1 kind:s*/2 name:s*/3
rbac.Subject ^ apiGroup:s/2 kind:s*/1 name:s*/3 namespace:s/4
resource.AllocatedDeviceStatus conditions:[meta.Condition]#type/4 data:RawExtension/5? device:s*/3 driver:s*/1 networkData:NetworkDeviceData/6? pool:s*/2 shareID:s/7?
resource.AllocationResult allocationTimestamp:meta.Time/5? devices:DeviceAllocationResult/1 nodeSelector:core.NodeSelector/3?
resource.CELDeviceSelector expression:s*/1
resource.CapacityRequestPolicy default:Quantity/1? validRange:CapacityRequestPolicyRange/4? validValues:[Quantity]=/3
resource.CapacityRequestPolicyRange max:Quantity/2? min:Quantity*/1? step:Quantity/3?
resource.CapacityRequirements requests:{Quantity}/1
resource.Counter value:Quantity*/1
resource.CounterSet counters:{Counter}*/2 name:s*/1
resource.Device allNodes:b/7? allowMultipleAllocations:b/12? attributes:{DeviceAttribute}/2 bindingConditions:[s]=/10 bindingFailureConditions:[s]=/11 bindsToNode:b/9? capacity:{DeviceCapacity}/3 consumesCounters:[DeviceCounterConsumption]=/4 name:s*/1 nodeAllocatableResourceMappings:{NodeAllocatableResourceMapping}/13 nodeName:s/5? nodeSelector:core.NodeSelector/6? taints:[DeviceTaint]=/8
resource.DeviceAllocationConfiguration opaque:OpaqueDeviceConfiguration/3.1? requests:[s]=/2 source:s*/1
resource.DeviceAllocationResult config:[DeviceAllocationConfiguration]=/2 results:[DeviceRequestAllocationResult]=/1
resource.DeviceAttribute bool:b/3? bools:[b]=/7 int:l/2? ints:[l]=/6 string:s/4? strings:[s]=/8 version:s/5? versions:[s]=/9
resource.DeviceCapacity requestPolicy:CapacityRequestPolicy/2? value:Quantity*/1
resource.DeviceClaim config:[DeviceClaimConfiguration]=/3 constraints:[DeviceConstraint]=/2 requests:[DeviceRequest]=/1
resource.DeviceClaimConfiguration opaque:OpaqueDeviceConfiguration/2.1? requests:[s]=/1
resource.DeviceClass apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:DeviceClassSpec*/2
resource.DeviceClassConfiguration opaque:OpaqueDeviceConfiguration/1.1?
resource.DeviceClassSpec config:[DeviceClassConfiguration]=/2 extendedResourceName:s/4? selectors:[DeviceSelector]=/1
resource.DeviceConstraint distinctAttribute:s/3? matchAttribute:s/2? requests:[s]=/1
resource.DeviceCounterConsumption counterSet:s*/1 counters:{Counter}*/2
resource.DeviceRequest exactly:ExactDeviceRequest/2? firstAvailable:[DeviceSubRequest]=/3 name:s*/1
resource.DeviceRequestAllocationResult adminAccess:b/5? bindingConditions:[s]=/7 bindingFailureConditions:[s]=/8 consumedCapacity:{Quantity}/10 device:s*/4 driver:s*/2 pool:s*/3 request:s*/1 shareID:s/9? tolerations:[DeviceToleration]=/6
resource.DeviceSelector cel:CELDeviceSelector/1?
resource.DeviceSubRequest allocationMode:s/4 capacity:CapacityRequirements/7? count:l/5 deviceClassName:s*/2 name:s*/1 selectors:[DeviceSelector]=/3 tolerations:[DeviceToleration]=/6
resource.DeviceTaint effect:s*/3 key:s*/1 timeAdded:meta.Time/4? value:s/2
resource.DeviceToleration effect:s/4 key:s/1 operator:s/2 tolerationSeconds:l/5? value:s/3
resource.ExactDeviceRequest adminAccess:b/5? allocationMode:s/3 capacity:CapacityRequirements/7? count:l/4 deviceClassName:s*/1 selectors:[DeviceSelector]=/2 tolerations:[DeviceToleration]=/6
resource.NetworkDeviceData hardwareAddress:s/3 interfaceName:s/1 ips:[s]=/2
resource.NodeAllocatableResourceMapping allocationMultiplier:Quantity/2? capacityKey:s/1?
resource.OpaqueDeviceConfiguration driver:s*/1 parameters:RawExtension*/2
resource.ResourceClaim apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ResourceClaimSpec*/2 status:ResourceClaimStatus/3
resource.ResourceClaimConsumerReference apiGroup:s/1 name:s*/4 resource:s*/3 uid:s*/5
resource.ResourceClaimSpec devices:DeviceClaim/1
resource.ResourceClaimStatus allocation:AllocationResult/1? devices:[AllocatedDeviceStatus]#driver,device,pool,shareID/4 reservedFor:[ResourceClaimConsumerReference]@uid#uid/2
resource.ResourceClaimTemplate apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ResourceClaimTemplateSpec*/2
resource.ResourceClaimTemplateSpec metadata:meta.ObjectMeta/1 spec:ResourceClaimSpec*/2
resource.ResourcePool generation:l*/2 name:s*/1 resourceSliceCount:l*/3
resource.ResourceSlice apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:ResourceSliceSpec*/2
resource.ResourceSliceSpec allNodes:b/5? devices:[Device]=/6 driver:s*/1 nodeName:s/3? nodeSelector:core.NodeSelector/4? perDeviceNodeSelection:b/7? pool:ResourcePool*/2 sharedCounters:[CounterSet]=/8
scheduling.PriorityClass apiVersion:s description:s/4 globalDefault:b/3 kind:s metadata:meta.ObjectMeta/1 preemptionPolicy:s/5? value:i/2
storage.CSIDriver apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:CSIDriverSpec*/2
storage.CSIDriverSpec attachRequired:b/1? fsGroupPolicy:s/5? nodeAllocatableUpdatePeriodSeconds:l/9? podInfoOnMount:b/2? preventPodSchedulingIfMissing:b/11? requiresRepublish:b/7? seLinuxMount:b/8? serviceAccountTokenInSecrets:b/10? storageCapacity:b/4? tokenRequests:[TokenRequest]=/6 volumeLifecycleModes:[s]&/3
storage.CSINode apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:CSINodeSpec*/2
storage.CSINodeDriver allocatable:VolumeNodeResources/4? name:s*/1 nodeID:s*/2 topologyKeys:[s]=/3
storage.CSINodeSpec drivers:[CSINodeDriver]*@name#name/1
storage.CSIStorageCapacity apiVersion:s capacity:Quantity/4? kind:s maximumVolumeSize:Quantity/5? metadata:meta.ObjectMeta/1 nodeTopology:meta.LabelSelector/2? storageClassName:s*/3
storage.StorageClass allowVolumeExpansion:b/6? allowedTopologies:[core.TopologySelectorTerm]=/8 apiVersion:s kind:s metadata:meta.ObjectMeta/1 mountOptions:[s]=/5 parameters:{s}/3 provisioner:s*/2 reclaimPolicy:s/4? volumeBindingMode:s/7?
storage.TokenRequest audience:s*/1 expirationSeconds:l/2?
storage.VolumeAttachment apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:VolumeAttachmentSpec*/2 status:VolumeAttachmentStatus/3
storage.VolumeAttachmentSource inlineVolumeSpec:core.PersistentVolumeSpec/2? persistentVolumeName:s/1?
storage.VolumeAttachmentSpec attacher:s*/1 nodeName:s*/3 source:VolumeAttachmentSource*/2
storage.VolumeAttachmentStatus attachError:VolumeError/3? attached:b*/1 attachmentMetadata:{s}/2 detachError:VolumeError/4?
storage.VolumeAttributesClass apiVersion:s driverName:s*/2 kind:s metadata:meta.ObjectMeta/1 parameters:{s}/3
storage.VolumeError errorCode:i/3? message:s/2 time:meta.Time/1
storage.VolumeNodeResources count:i/1?
meta.Condition lastTransitionTime:Time*/4 message:s*/6 observedGeneration:l/3 reason:s*/5 status:s*/2 type:s*/1
meta.DeleteOptions apiVersion:s dryRun:[s]=/5 gracePeriodSeconds:l/1? ignoreStoreReadErrorWithClusterBreakingPotential:b/6? kind:s orphanDependents:b/3? preconditions:Preconditions/2? propagationPolicy:s/4?
meta.FieldSelectorRequirement key:s*/1 operator:s*/2 values:[s]=/3
meta.LabelSelector ^ matchExpressions:[LabelSelectorRequirement]=/2 matchLabels:{s}/1
meta.LabelSelectorRequirement key:s*/1 operator:s*/2 values:[s]=/3
meta.ListMeta continue:s/3 remainingItemCount:l/4? resourceVersion:s/2 selfLink:s/1 shardInfo:ShardInfo/5?
meta.ManagedFieldsEntry apiVersion:s/3 fieldsType:s/6 fieldsV1:FieldsV1/7? manager:s/1 operation:s/2 subresource:s/8 time:Time/4?
meta.ObjectMeta annotations:{s}/12 creationTimestamp:Time/8 deletionGracePeriodSeconds:l/10? deletionTimestamp:Time/9? finalizers:[s]+&/14 generateName:s/2 generation:l/7 labels:{s}/11 managedFields:[ManagedFieldsEntry]=/17 name:s/1 namespace:s/3 ownerReferences:[OwnerReference]@uid#uid/13 resourceVersion:s/6 selfLink:s/4 uid:s/5
meta.OwnerReference ^ apiVersion:s*/5 blockOwnerDeletion:b/7? controller:b/6? kind:s*/1 name:s*/3 uid:s*/4
meta.Preconditions resourceVersion:s/2? uid:s/1?
meta.ShardInfo selector:s*/1
meta.Status apiVersion:s code:i/6 details:StatusDetails/5? kind:s message:s/3 metadata:ListMeta/1 reason:s/4 status:s/2
meta.StatusCause field:s/3 message:s/2 reason:s/1
meta.StatusDetails causes:[StatusCause]=/4 group:s/2 kind:s/3 name:s/1 retryAfterSeconds:i/5 uid:s/6
`;
