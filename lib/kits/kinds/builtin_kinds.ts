/**
 * The kinds that Kubernetes 1.36 serves in stable versions, with the types of their fields.
 *
 * Made by tools/kubernetes_types.ts; do not edit.
 */

import type * as types from "./kubernetes.ts";
import type { ResourceType } from "../../registry/resource.ts";
import type { Stanzas } from "../../registry/stanzas.ts";

/** Built-in kinds by name. */
export interface Kinds {
  /** Kind "APIService" of apiregistration.k8s.io/v1. Cluster-scoped. */
  readonly APIService: ResourceType<types.APIServiceSpec, types.APIServiceStatus>;
  /** Kind "CSIDriver" of storage.k8s.io/v1. Cluster-scoped. */
  readonly CSIDriver: ResourceType<types.CSIDriverSpec>;
  /** Kind "CSINode" of storage.k8s.io/v1. Cluster-scoped. */
  readonly CSINode: ResourceType<types.CSINodeSpec>;
  /** Kind "CSIStorageCapacity" of storage.k8s.io/v1. */
  readonly CSIStorageCapacity: ResourceType<Stanzas<types.CSIStorageCapacity>>;
  /** Kind "CertificateSigningRequest" of certificates.k8s.io/v1. Cluster-scoped. */
  readonly CertificateSigningRequest: ResourceType<
    types.CertificateSigningRequestSpec,
    types.CertificateSigningRequestStatus
  >;
  /** Kind "ClusterRole" of rbac.authorization.k8s.io/v1. Cluster-scoped. */
  readonly ClusterRole: ResourceType<Stanzas<types.ClusterRole>>;
  /** Kind "ClusterRoleBinding" of rbac.authorization.k8s.io/v1. Cluster-scoped. */
  readonly ClusterRoleBinding: ResourceType<Stanzas<types.ClusterRoleBinding>>;
  /** Kind "ConfigMap" of core/v1. */
  readonly ConfigMap: ResourceType<Stanzas<types.ConfigMap>>;
  /** Kind "ControllerRevision" of apps/v1. */
  readonly ControllerRevision: ResourceType<Stanzas<types.ControllerRevision>>;
  /** Kind "CronJob" of batch/v1. */
  readonly CronJob: ResourceType<types.CronJobSpec, types.CronJobStatus>;
  /** Kind "CustomResourceDefinition" of apiextensions.k8s.io/v1. Cluster-scoped. */
  readonly CustomResourceDefinition: ResourceType<
    types.CustomResourceDefinitionSpec,
    types.CustomResourceDefinitionStatus
  >;
  /** Kind "DaemonSet" of apps/v1. */
  readonly DaemonSet: ResourceType<types.DaemonSetSpec, types.DaemonSetStatus>;
  /** Kind "Deployment" of apps/v1. */
  readonly Deployment: ResourceType<types.DeploymentSpec, types.DeploymentStatus>;
  /** Kind "DeviceClass" of resource.k8s.io/v1. Cluster-scoped. */
  readonly DeviceClass: ResourceType<types.DeviceClassSpec>;
  /** Kind "EndpointSlice" of discovery.k8s.io/v1. */
  readonly EndpointSlice: ResourceType<Stanzas<types.EndpointSlice>>;
  /** Kind "Endpoints" of core/v1. */
  readonly Endpoints: ResourceType<Stanzas<types.Endpoints>>;
  /** Kind "Event" of core/v1. */
  readonly Event: ResourceType<Stanzas<types.Event>>;
  /** Kind "FlowSchema" of flowcontrol.apiserver.k8s.io/v1. Cluster-scoped. */
  readonly FlowSchema: ResourceType<types.FlowSchemaSpec, types.FlowSchemaStatus>;
  /** Kind "HorizontalPodAutoscaler" of autoscaling/v2. */
  readonly HorizontalPodAutoscaler: ResourceType<
    types.HorizontalPodAutoscalerSpec,
    types.HorizontalPodAutoscalerStatus
  >;
  /** Kind "IPAddress" of networking.k8s.io/v1. Cluster-scoped. */
  readonly IPAddress: ResourceType<types.IPAddressSpec>;
  /** Kind "Ingress" of networking.k8s.io/v1. */
  readonly Ingress: ResourceType<types.IngressSpec, types.IngressStatus>;
  /** Kind "IngressClass" of networking.k8s.io/v1. Cluster-scoped. */
  readonly IngressClass: ResourceType<types.IngressClassSpec>;
  /** Kind "Job" of batch/v1. */
  readonly Job: ResourceType<types.JobSpec, types.JobStatus>;
  /** Kind "Lease" of coordination.k8s.io/v1. */
  readonly Lease: ResourceType<types.LeaseSpec>;
  /** Kind "LimitRange" of core/v1. */
  readonly LimitRange: ResourceType<types.LimitRangeSpec>;
  /** Kind "LocalSubjectAccessReview" of authorization.k8s.io/v1. */
  readonly LocalSubjectAccessReview: ResourceType<
    types.SubjectAccessReviewSpec,
    types.SubjectAccessReviewStatus
  >;
  /** Kind "MutatingAdmissionPolicy" of admissionregistration.k8s.io/v1. Cluster-scoped. */
  readonly MutatingAdmissionPolicy: ResourceType<types.MutatingAdmissionPolicySpec>;
  /** Kind "MutatingAdmissionPolicyBinding" of admissionregistration.k8s.io/v1. Cluster-scoped. */
  readonly MutatingAdmissionPolicyBinding: ResourceType<types.MutatingAdmissionPolicyBindingSpec>;
  /** Kind "MutatingWebhookConfiguration" of admissionregistration.k8s.io/v1. Cluster-scoped. */
  readonly MutatingWebhookConfiguration: ResourceType<Stanzas<types.MutatingWebhookConfiguration>>;
  /** Kind "Namespace" of core/v1. Cluster-scoped. */
  readonly Namespace: ResourceType<types.NamespaceSpec, types.NamespaceStatus>;
  /** Kind "NetworkPolicy" of networking.k8s.io/v1. */
  readonly NetworkPolicy: ResourceType<types.NetworkPolicySpec>;
  /** Kind "Node" of core/v1. Cluster-scoped. */
  readonly Node: ResourceType<types.NodeSpec, types.NodeStatus>;
  /** Kind "PersistentVolume" of core/v1. Cluster-scoped. */
  readonly PersistentVolume: ResourceType<types.PersistentVolumeSpec, types.PersistentVolumeStatus>;
  /** Kind "PersistentVolumeClaim" of core/v1. */
  readonly PersistentVolumeClaim: ResourceType<
    types.PersistentVolumeClaimSpec,
    types.PersistentVolumeClaimStatus
  >;
  /** Kind "Pod" of core/v1. */
  readonly Pod: ResourceType<types.PodSpec, types.PodStatus>;
  /** Kind "PodDisruptionBudget" of policy/v1. */
  readonly PodDisruptionBudget: ResourceType<types.PodDisruptionBudgetSpec, types.PodDisruptionBudgetStatus>;
  /** Kind "PodTemplate" of core/v1. */
  readonly PodTemplate: ResourceType<Stanzas<types.PodTemplate>>;
  /** Kind "PriorityClass" of scheduling.k8s.io/v1. Cluster-scoped. */
  readonly PriorityClass: ResourceType<Stanzas<types.PriorityClass>>;
  /** Kind "PriorityLevelConfiguration" of flowcontrol.apiserver.k8s.io/v1. Cluster-scoped. */
  readonly PriorityLevelConfiguration: ResourceType<
    types.PriorityLevelConfigurationSpec,
    types.PriorityLevelConfigurationStatus
  >;
  /** Kind "ReplicaSet" of apps/v1. */
  readonly ReplicaSet: ResourceType<types.ReplicaSetSpec, types.ReplicaSetStatus>;
  /** Kind "ReplicationController" of core/v1. */
  readonly ReplicationController: ResourceType<
    types.ReplicationControllerSpec,
    types.ReplicationControllerStatus
  >;
  /** Kind "ResourceClaim" of resource.k8s.io/v1. */
  readonly ResourceClaim: ResourceType<types.ResourceClaimSpec, types.ResourceClaimStatus>;
  /** Kind "ResourceClaimTemplate" of resource.k8s.io/v1. */
  readonly ResourceClaimTemplate: ResourceType<types.ResourceClaimTemplateSpec>;
  /** Kind "ResourceQuota" of core/v1. */
  readonly ResourceQuota: ResourceType<types.ResourceQuotaSpec, types.ResourceQuotaStatus>;
  /** Kind "ResourceSlice" of resource.k8s.io/v1. Cluster-scoped. */
  readonly ResourceSlice: ResourceType<types.ResourceSliceSpec>;
  /** Kind "Role" of rbac.authorization.k8s.io/v1. */
  readonly Role: ResourceType<Stanzas<types.Role>>;
  /** Kind "RoleBinding" of rbac.authorization.k8s.io/v1. */
  readonly RoleBinding: ResourceType<Stanzas<types.RoleBinding>>;
  /** Kind "RuntimeClass" of node.k8s.io/v1. Cluster-scoped. */
  readonly RuntimeClass: ResourceType<Stanzas<types.RuntimeClass>>;
  /** Kind "Secret" of core/v1. */
  readonly Secret: ResourceType<Stanzas<types.Secret>>;
  /** Kind "SelfSubjectAccessReview" of authorization.k8s.io/v1. Cluster-scoped. */
  readonly SelfSubjectAccessReview: ResourceType<
    types.SelfSubjectAccessReviewSpec,
    types.SubjectAccessReviewStatus
  >;
  /** Kind "SelfSubjectReview" of authentication.k8s.io/v1. Cluster-scoped. */
  readonly SelfSubjectReview: ResourceType<Record<string, unknown>, types.SelfSubjectReviewStatus>;
  /** Kind "SelfSubjectRulesReview" of authorization.k8s.io/v1. Cluster-scoped. */
  readonly SelfSubjectRulesReview: ResourceType<
    types.SelfSubjectRulesReviewSpec,
    types.SubjectRulesReviewStatus
  >;
  /** Kind "Service" of core/v1. */
  readonly Service: ResourceType<types.ServiceSpec, types.ServiceStatus>;
  /** Kind "ServiceAccount" of core/v1. */
  readonly ServiceAccount: ResourceType<Stanzas<types.ServiceAccount>>;
  /** Kind "ServiceCIDR" of networking.k8s.io/v1. Cluster-scoped. */
  readonly ServiceCIDR: ResourceType<types.ServiceCIDRSpec, types.ServiceCIDRStatus>;
  /** Kind "StatefulSet" of apps/v1. */
  readonly StatefulSet: ResourceType<types.StatefulSetSpec, types.StatefulSetStatus>;
  /** Kind "StorageClass" of storage.k8s.io/v1. Cluster-scoped. */
  readonly StorageClass: ResourceType<Stanzas<types.StorageClass>>;
  /** Kind "SubjectAccessReview" of authorization.k8s.io/v1. Cluster-scoped. */
  readonly SubjectAccessReview: ResourceType<types.SubjectAccessReviewSpec, types.SubjectAccessReviewStatus>;
  /** Kind "TokenReview" of authentication.k8s.io/v1. Cluster-scoped. */
  readonly TokenReview: ResourceType<types.TokenReviewSpec, types.TokenReviewStatus>;
  /** Kind "ValidatingAdmissionPolicy" of admissionregistration.k8s.io/v1. Cluster-scoped. */
  readonly ValidatingAdmissionPolicy: ResourceType<
    types.ValidatingAdmissionPolicySpec,
    types.ValidatingAdmissionPolicyStatus
  >;
  /** Kind "ValidatingAdmissionPolicyBinding" of admissionregistration.k8s.io/v1. Cluster-scoped. */
  readonly ValidatingAdmissionPolicyBinding: ResourceType<types.ValidatingAdmissionPolicyBindingSpec>;
  /** Kind "ValidatingWebhookConfiguration" of admissionregistration.k8s.io/v1. Cluster-scoped. */
  readonly ValidatingWebhookConfiguration: ResourceType<Stanzas<types.ValidatingWebhookConfiguration>>;
  /** Kind "VolumeAttachment" of storage.k8s.io/v1. Cluster-scoped. */
  readonly VolumeAttachment: ResourceType<types.VolumeAttachmentSpec, types.VolumeAttachmentStatus>;
  /** Kind "VolumeAttributesClass" of storage.k8s.io/v1. Cluster-scoped. */
  readonly VolumeAttributesClass: ResourceType<Stanzas<types.VolumeAttributesClass>>;
}

/** How each is addressed: its group and version, its plural, and whether it is cluster-scoped. */
export const ADDRESSES: Readonly<Record<keyof Kinds, readonly [string, string, "cluster"?]>> = {
  APIService: ["apiregistration.k8s.io/v1", "apiservices", "cluster"],
  CSIDriver: ["storage.k8s.io/v1", "csidrivers", "cluster"],
  CSINode: ["storage.k8s.io/v1", "csinodes", "cluster"],
  CSIStorageCapacity: ["storage.k8s.io/v1", "csistoragecapacities"],
  CertificateSigningRequest: ["certificates.k8s.io/v1", "certificatesigningrequests", "cluster"],
  ClusterRole: ["rbac.authorization.k8s.io/v1", "clusterroles", "cluster"],
  ClusterRoleBinding: ["rbac.authorization.k8s.io/v1", "clusterrolebindings", "cluster"],
  ConfigMap: ["v1", "configmaps"],
  ControllerRevision: ["apps/v1", "controllerrevisions"],
  CronJob: ["batch/v1", "cronjobs"],
  CustomResourceDefinition: ["apiextensions.k8s.io/v1", "customresourcedefinitions", "cluster"],
  DaemonSet: ["apps/v1", "daemonsets"],
  Deployment: ["apps/v1", "deployments"],
  DeviceClass: ["resource.k8s.io/v1", "deviceclasses", "cluster"],
  EndpointSlice: ["discovery.k8s.io/v1", "endpointslices"],
  Endpoints: ["v1", "endpoints"],
  Event: ["v1", "events"],
  FlowSchema: ["flowcontrol.apiserver.k8s.io/v1", "flowschemas", "cluster"],
  HorizontalPodAutoscaler: ["autoscaling/v2", "horizontalpodautoscalers"],
  IPAddress: ["networking.k8s.io/v1", "ipaddresses", "cluster"],
  Ingress: ["networking.k8s.io/v1", "ingresses"],
  IngressClass: ["networking.k8s.io/v1", "ingressclasses", "cluster"],
  Job: ["batch/v1", "jobs"],
  Lease: ["coordination.k8s.io/v1", "leases"],
  LimitRange: ["v1", "limitranges"],
  LocalSubjectAccessReview: ["authorization.k8s.io/v1", "localsubjectaccessreviews"],
  MutatingAdmissionPolicy: ["admissionregistration.k8s.io/v1", "mutatingadmissionpolicies", "cluster"],
  MutatingAdmissionPolicyBinding: [
    "admissionregistration.k8s.io/v1",
    "mutatingadmissionpolicybindings",
    "cluster",
  ],
  MutatingWebhookConfiguration: [
    "admissionregistration.k8s.io/v1",
    "mutatingwebhookconfigurations",
    "cluster",
  ],
  Namespace: ["v1", "namespaces", "cluster"],
  NetworkPolicy: ["networking.k8s.io/v1", "networkpolicies"],
  Node: ["v1", "nodes", "cluster"],
  PersistentVolume: ["v1", "persistentvolumes", "cluster"],
  PersistentVolumeClaim: ["v1", "persistentvolumeclaims"],
  Pod: ["v1", "pods"],
  PodDisruptionBudget: ["policy/v1", "poddisruptionbudgets"],
  PodTemplate: ["v1", "podtemplates"],
  PriorityClass: ["scheduling.k8s.io/v1", "priorityclasses", "cluster"],
  PriorityLevelConfiguration: ["flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations", "cluster"],
  ReplicaSet: ["apps/v1", "replicasets"],
  ReplicationController: ["v1", "replicationcontrollers"],
  ResourceClaim: ["resource.k8s.io/v1", "resourceclaims"],
  ResourceClaimTemplate: ["resource.k8s.io/v1", "resourceclaimtemplates"],
  ResourceQuota: ["v1", "resourcequotas"],
  ResourceSlice: ["resource.k8s.io/v1", "resourceslices", "cluster"],
  Role: ["rbac.authorization.k8s.io/v1", "roles"],
  RoleBinding: ["rbac.authorization.k8s.io/v1", "rolebindings"],
  RuntimeClass: ["node.k8s.io/v1", "runtimeclasses", "cluster"],
  Secret: ["v1", "secrets"],
  SelfSubjectAccessReview: ["authorization.k8s.io/v1", "selfsubjectaccessreviews", "cluster"],
  SelfSubjectReview: ["authentication.k8s.io/v1", "selfsubjectreviews", "cluster"],
  SelfSubjectRulesReview: ["authorization.k8s.io/v1", "selfsubjectrulesreviews", "cluster"],
  Service: ["v1", "services"],
  ServiceAccount: ["v1", "serviceaccounts"],
  ServiceCIDR: ["networking.k8s.io/v1", "servicecidrs", "cluster"],
  StatefulSet: ["apps/v1", "statefulsets"],
  StorageClass: ["storage.k8s.io/v1", "storageclasses", "cluster"],
  SubjectAccessReview: ["authorization.k8s.io/v1", "subjectaccessreviews", "cluster"],
  TokenReview: ["authentication.k8s.io/v1", "tokenreviews", "cluster"],
  ValidatingAdmissionPolicy: ["admissionregistration.k8s.io/v1", "validatingadmissionpolicies", "cluster"],
  ValidatingAdmissionPolicyBinding: [
    "admissionregistration.k8s.io/v1",
    "validatingadmissionpolicybindings",
    "cluster",
  ],
  ValidatingWebhookConfiguration: [
    "admissionregistration.k8s.io/v1",
    "validatingwebhookconfigurations",
    "cluster",
  ],
  VolumeAttachment: ["storage.k8s.io/v1", "volumeattachments", "cluster"],
  VolumeAttributesClass: ["storage.k8s.io/v1", "volumeattributesclasses", "cluster"],
};
