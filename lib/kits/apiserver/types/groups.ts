/**
 * The types of the other groups, and of metadata.
 *
 * Source: api/openapi-spec/swagger.json of Kubernetes 1.36.3, in the notation that `mod.ts` explains.
 * tests/conformance/apiserver/notation.ts makes it, and a test compares the two.
 */

/** By name: flags of the type, and its fields. */
export const GROUPS: Readonly<Record<string, string>> = {
  "meta.Condition": "lastTransitionTime:Time* message:s* observedGeneration:l reason:s* status:s* type:s*",
  "meta.LabelSelector": "^ matchExpressions:[LabelSelectorRequirement]= matchLabels:{s}",
  "meta.LabelSelectorRequirement": "key:s* operator:s* values:[s]=",
  "meta.ManagedFieldsEntry":
    "apiVersion:s fieldsType:s fieldsV1:FieldsV1 manager:s operation:s subresource:s time:Time",
  "meta.ObjectMeta":
    "annotations:{s} creationTimestamp:Time deletionGracePeriodSeconds:l deletionTimestamp:Time finalizers:[s]+& generateName:s generation:l labels:{s} managedFields:[ManagedFieldsEntry]= name:s namespace:s ownerReferences:[OwnerReference]@uid#uid resourceVersion:s selfLink:s uid:s",
  "meta.OwnerReference": "^ apiVersion:s* blockOwnerDeletion:b controller:b kind:s* name:s* uid:s*",
  "apps.DaemonSet": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus",
  "apps.DaemonSetCondition": "lastTransitionTime:meta.Time message:s reason:s status:s* type:s*",
  "apps.DaemonSetSpec":
    "minReadySeconds:i revisionHistoryLimit:i selector:meta.LabelSelector* template:core.PodTemplateSpec* updateStrategy:DaemonSetUpdateStrategy",
  "apps.DaemonSetStatus":
    "collisionCount:i conditions:[DaemonSetCondition]@type#type currentNumberScheduled:i* desiredNumberScheduled:i* numberAvailable:i numberMisscheduled:i* numberReady:i* numberUnavailable:i observedGeneration:l updatedNumberScheduled:i",
  "apps.DaemonSetUpdateStrategy": "rollingUpdate:RollingUpdateDaemonSet type:s",
  "apps.Deployment":
    "apiVersion:s kind:s metadata:meta.ObjectMeta spec:DeploymentSpec status:DeploymentStatus",
  "apps.DeploymentCondition":
    "lastTransitionTime:meta.Time lastUpdateTime:meta.Time message:s reason:s status:s* type:s*",
  "apps.DeploymentSpec":
    "minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i selector:meta.LabelSelector* strategy:DeploymentStrategy~ template:core.PodTemplateSpec*",
  "apps.DeploymentStatus":
    "availableReplicas:i collisionCount:i conditions:[DeploymentCondition]@type#type observedGeneration:l readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i",
  "apps.DeploymentStrategy": "rollingUpdate:RollingUpdateDeployment type:s",
  "apps.ReplicaSet":
    "apiVersion:s kind:s metadata:meta.ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus",
  "apps.ReplicaSetCondition": "lastTransitionTime:meta.Time message:s reason:s status:s* type:s*",
  "apps.ReplicaSetSpec":
    "minReadySeconds:i replicas:i selector:meta.LabelSelector* template:core.PodTemplateSpec",
  "apps.ReplicaSetStatus":
    "availableReplicas:i conditions:[ReplicaSetCondition]@type#type fullyLabeledReplicas:i observedGeneration:l readyReplicas:i replicas:i* terminatingReplicas:i",
  "apps.RollingUpdateDaemonSet": "maxSurge:IntOrString maxUnavailable:IntOrString",
  "apps.RollingUpdateDeployment": "maxSurge:IntOrString maxUnavailable:IntOrString",
  "apps.RollingUpdateStatefulSetStrategy": "maxUnavailable:IntOrString partition:i",
  "apps.StatefulSet":
    "apiVersion:s kind:s metadata:meta.ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus",
  "apps.StatefulSetCondition": "lastTransitionTime:meta.Time message:s reason:s status:s* type:s*",
  "apps.StatefulSetOrdinals": "start:i",
  "apps.StatefulSetPersistentVolumeClaimRetentionPolicy": "whenDeleted:s whenScaled:s",
  "apps.StatefulSetSpec":
    "minReadySeconds:i ordinals:StatefulSetOrdinals persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:s replicas:i revisionHistoryLimit:i selector:meta.LabelSelector* serviceName:s template:core.PodTemplateSpec* updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates:[core.PersistentVolumeClaim]=",
  "apps.StatefulSetStatus":
    "availableReplicas:i collisionCount:i conditions:[StatefulSetCondition]@type#type currentReplicas:i currentRevision:s observedGeneration:l readyReplicas:i replicas:i* updateRevision:s updatedReplicas:i",
  "apps.StatefulSetUpdateStrategy": "rollingUpdate:RollingUpdateStatefulSetStrategy type:s",
  "batch.CronJob": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:CronJobSpec* status:CronJobStatus",
  "batch.CronJobSpec":
    "concurrencyPolicy:s failedJobsHistoryLimit:i jobTemplate:JobTemplateSpec* schedule:s* startingDeadlineSeconds:l successfulJobsHistoryLimit:i suspend:b timeZone:s",
  "batch.CronJobStatus":
    "active:[core.ObjectReference]= lastScheduleTime:meta.Time lastSuccessfulTime:meta.Time",
  "batch.Job": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:JobSpec status:JobStatus",
  "batch.JobCondition":
    "lastProbeTime:meta.Time lastTransitionTime:meta.Time message:s reason:s status:s* type:s*",
  "batch.JobSpec":
    "activeDeadlineSeconds:l backoffLimit:i backoffLimitPerIndex:i completionMode:s completions:i managedBy:s manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:PodFailurePolicy podReplacementPolicy:s selector:meta.LabelSelector successPolicy:SuccessPolicy suspend:b template:core.PodTemplateSpec* ttlSecondsAfterFinished:i",
  "batch.JobStatus":
    "active:i completedIndexes:s completionTime:meta.Time conditions:[JobCondition]@type= failed:i failedIndexes:s ready:i startTime:meta.Time succeeded:i terminating:i uncountedTerminatedPods:UncountedTerminatedPods",
  "batch.JobTemplateSpec": "metadata:meta.ObjectMeta spec:JobSpec",
  "batch.PodFailurePolicy": "rules:[PodFailurePolicyRule]*=",
  "batch.PodFailurePolicyOnExitCodesRequirement": "containerName:s operator:s* values:[i]*&",
  "batch.PodFailurePolicyOnPodConditionsPattern": "status:s type:s*",
  "batch.PodFailurePolicyRule":
    "action:s* onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions:[PodFailurePolicyOnPodConditionsPattern]=",
  "batch.SuccessPolicy": "rules:[SuccessPolicyRule]*=",
  "batch.SuccessPolicyRule": "succeededCount:i succeededIndexes:s",
  "batch.UncountedTerminatedPods": "failed:[s]& succeeded:[s]&",
  "networking.HTTPIngressPath": "backend:IngressBackend* path:s pathType:s*",
  "networking.HTTPIngressRuleValue": "paths:[HTTPIngressPath]*=",
  "networking.IPBlock": "cidr:s* except:[s]=",
  "networking.Ingress": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:IngressSpec status:IngressStatus",
  "networking.IngressBackend": "resource:core.TypedLocalObjectReference service:IngressServiceBackend",
  "networking.IngressLoadBalancerIngress": "hostname:s ip:s ports:[IngressPortStatus]=",
  "networking.IngressLoadBalancerStatus": "ingress:[IngressLoadBalancerIngress]=",
  "networking.IngressPortStatus": "error:s port:i* protocol:s*",
  "networking.IngressRule": "host:s http:HTTPIngressRuleValue",
  "networking.IngressServiceBackend": "name:s* port:ServiceBackendPort",
  "networking.IngressSpec":
    "defaultBackend:IngressBackend ingressClassName:s rules:[IngressRule]= tls:[IngressTLS]=",
  "networking.IngressStatus": "loadBalancer:IngressLoadBalancerStatus",
  "networking.IngressTLS": "hosts:[s]= secretName:s",
  "networking.NetworkPolicy": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:NetworkPolicySpec",
  "networking.NetworkPolicyEgressRule": "ports:[NetworkPolicyPort]= to:[NetworkPolicyPeer]=",
  "networking.NetworkPolicyIngressRule": "from:[NetworkPolicyPeer]= ports:[NetworkPolicyPort]=",
  "networking.NetworkPolicyPeer":
    "ipBlock:IPBlock namespaceSelector:meta.LabelSelector podSelector:meta.LabelSelector",
  "networking.NetworkPolicyPort": "endPort:i port:IntOrString protocol:s",
  "networking.NetworkPolicySpec":
    "egress:[NetworkPolicyEgressRule]= ingress:[NetworkPolicyIngressRule]= podSelector:meta.LabelSelector policyTypes:[s]=",
  "networking.ServiceBackendPort": "^ name:s number:i",
  "rbac.AggregationRule": "clusterRoleSelectors:[meta.LabelSelector]=",
  "rbac.ClusterRole":
    "aggregationRule:AggregationRule apiVersion:s kind:s metadata:meta.ObjectMeta rules:[PolicyRule]=",
  "rbac.ClusterRoleBinding":
    "apiVersion:s kind:s metadata:meta.ObjectMeta roleRef:RoleRef* subjects:[Subject]=",
  "rbac.PolicyRule": "apiGroups:[s]= nonResourceURLs:[s]= resourceNames:[s]= resources:[s]= verbs:[s]*=",
  "rbac.Role": "apiVersion:s kind:s metadata:meta.ObjectMeta rules:[PolicyRule]=",
  "rbac.RoleBinding": "apiVersion:s kind:s metadata:meta.ObjectMeta roleRef:RoleRef* subjects:[Subject]=",
  "rbac.RoleRef": "^ apiGroup:s kind:s* name:s*",
  "rbac.Subject": "^ apiGroup:s kind:s* name:s* namespace:s",
  "admissionregistration.MatchCondition": "expression:s* name:s*",
  "admissionregistration.MutatingWebhook":
    "admissionReviewVersions:[s]*= clientConfig:WebhookClientConfig* failurePolicy:s matchConditions:[MatchCondition]@name#name matchPolicy:s name:s* namespaceSelector:meta.LabelSelector objectSelector:meta.LabelSelector reinvocationPolicy:s rules:[RuleWithOperations]= sideEffects:s* timeoutSeconds:i",
  "admissionregistration.MutatingWebhookConfiguration":
    "apiVersion:s kind:s metadata:meta.ObjectMeta webhooks:[MutatingWebhook]@name#name",
  "admissionregistration.RuleWithOperations":
    "apiGroups:[s]= apiVersions:[s]= operations:[s]= resources:[s]= scope:s",
  "admissionregistration.ServiceReference": "name:s* namespace:s* path:s port:i",
  "admissionregistration.ValidatingWebhook":
    "admissionReviewVersions:[s]*= clientConfig:WebhookClientConfig* failurePolicy:s matchConditions:[MatchCondition]@name#name matchPolicy:s name:s* namespaceSelector:meta.LabelSelector objectSelector:meta.LabelSelector rules:[RuleWithOperations]= sideEffects:s* timeoutSeconds:i",
  "admissionregistration.ValidatingWebhookConfiguration":
    "apiVersion:s kind:s metadata:meta.ObjectMeta webhooks:[ValidatingWebhook]@name#name",
  "admissionregistration.WebhookClientConfig": "caBundle:y service:ServiceReference url:s",
  "policy.PodDisruptionBudget":
    "apiVersion:s kind:s metadata:meta.ObjectMeta spec:PodDisruptionBudgetSpec status:PodDisruptionBudgetStatus",
  "policy.PodDisruptionBudgetSpec":
    "maxUnavailable:IntOrString minAvailable:IntOrString selector:meta.LabelSelector! unhealthyPodEvictionPolicy:s",
  "policy.PodDisruptionBudgetStatus":
    "conditions:[meta.Condition]@type#type currentHealthy:i desiredHealthy:i disruptedPods:{meta.Time} disruptionsAllowed:i expectedPods:i observedGeneration:l",
  "events.Event":
    "action:s apiVersion:s deprecatedCount:i deprecatedFirstTimestamp:meta.Time deprecatedLastTimestamp:meta.Time deprecatedSource:core.EventSource eventTime:meta.MicroTime* kind:s metadata:meta.ObjectMeta note:s reason:s regarding:core.ObjectReference related:core.ObjectReference reportingController:s reportingInstance:s series:EventSeries type:s",
  "events.EventSeries": "count:i* lastObservedTime:meta.MicroTime*",
  "coordination.Lease": "apiVersion:s kind:s metadata:meta.ObjectMeta spec:LeaseSpec",
  "coordination.LeaseSpec":
    "acquireTime:meta.MicroTime holderIdentity:s leaseDurationSeconds:i leaseTransitions:i preferredHolder:s renewTime:meta.MicroTime strategy:s",
  "scheduling.PriorityClass":
    "apiVersion:s description:s globalDefault:b kind:s metadata:meta.ObjectMeta preemptionPolicy:s value:i",
};
