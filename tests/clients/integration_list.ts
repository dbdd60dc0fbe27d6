/**
 * Which of Kubernetes' integration tests are run against the server in the process, which are not, and which are known not to pass.
 *
 * Names are a package and a test, with its parts, as regular expressions. A test that is known to fail, and passes, makes the run
 * red: then its line has to go.
 */

/** The packages, below k8s.io. Those of service accounts sign tokens with the key of a server in their own process. */
export const PACKAGES = [
  "apiextensions-apiserver/test/integration",
  "apiextensions-apiserver/test/integration/conversion",
  "kubernetes/test/integration/apiserver",
  "kubernetes/test/integration/apiserver/admissionwebhook",
  "kubernetes/test/integration/apiserver/apply",
  "kubernetes/test/integration/apiserver/cel",
  "kubernetes/test/integration/apiserver/openapi",
  "kubernetes/test/integration/apimachinery",
  "kubernetes/test/integration/auth",
  "kubernetes/test/integration/client",
  "kubernetes/test/integration/configmap",
  "kubernetes/test/integration/dryrun",
  "kubernetes/test/integration/events",
  "kubernetes/test/integration/evictions",
  "kubernetes/test/integration/garbagecollector",
  "kubernetes/test/integration/namespace",
  "kubernetes/test/integration/pods",
  "kubernetes/test/integration/quota",
  "kubernetes/test/integration/scale",
  "kubernetes/test/integration/secrets",
  "kubernetes/test/integration/service",
  "kubernetes/test/integration/storageclasses",
] as const;

/** How many tests have run: there must not be fewer. */
export const FEWEST = 1999;

/** By part of a name: why tests are not run, and parts of tests not counted. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "CBOR|TestNondeterministicResponseEncoding": "CBOR is not spoken",
  "TestApplyCRDNoSchema|TestApplyCRDUnhandledSchema|TestUpdateStatusWithOldVersion|Test_UpgradeService|TestWebhookAdmissionWith|non-structural_schema_containing_x-k":
    "writes into etcd",
  "TestEtcdStorage": "reads etcd",
  "TestApplyResetFields//v1,_Resource=resourcequotas":
    "now and then our controller of quotas writes the status before the test does",
  "TestPolicyAdmission/.v1.namespaces/delete":
    "now and then a namespace has ended before the test asks for it again: here it needs no controller",
  "TestWatchCacheUpdatedByEtcd|TestReflectorWatchListFallback|TestBrokenWebhook|TestRBACContextContamination|TestDiscoveryUpgradeBootstrapping|TestCRDsOnStartup":
    "starts another server on the same etcd",
  "DropFields$|FieldSelectorDisablement|TestShardedListFeatureGateDisabled|FeatureDisabled|TestRelaxedDNS|FeatureGateEnableDisable":
    "switches features off that cannot be",
  "TestSharded": "sharded lists are alpha",
  "EmulatedStorageVersion|MinCompatibilityStorageVersion|V1beta1$|PolicyAdmissionV1beta1":
    "of versions that are served no more, or not by default",
  "TestPodSecurity(GAOnly)?$|TestNodeAuthorizer|TestNodeRestriction|AuthzConfig$|TestSloppySANCertificates|TestAuthnToKAS":
    "Pod security, the authorizer of nodes and configured authorizers are not there",
  "TestStaticWebhook|TestStaticPolicy": "policies and webhooks from files are not there",
  "APIServiceOpenAPI|TestFetchingOpenAPIBeforeReady|AggregatorRouting": "other API servers are not asked",
  "TestWebhookLoadBalance": "webhooks are asked by HTTP/1.1, and Services lead nowhere",
  "TestHSTS|TestHealthHandler|TestMonitoringURLs": "of a server's flags, encryption, and metrics",
  "TestWatchRestartsIfTimeoutNotReached": "the server does not end watches by itself that soon",
  "TestClient$|TestExecPlugin": "wants the version and the certificates of a server in its own process",
};

/** Why the tests of integration_known.txt do not pass, by part of a name; the first that fits. */
export const REASONS: Readonly<Record<string, string>> = {
  "TestPodResize|NodeDeclaredFeature": "pods/resize is not served",
  "/v1beta1": "MutatingAdmissionPolicies of v1beta1 are not served",
  "TestMatchConditions|CostLimit":
    "what the expressions of one policy or webhook cost together is not limited",
  "AuthorizationDecisionCaching": "there is no authorizer but roles",
  "ConstrainedImpersonationDisabled": "flags of an audit log do not reach this server",
  "ImpersonateWithUID/impersonating_UID_without":
    "to kube_apiserver.ts, nobody who would be somebody else is the administrator",
  "TestServiceAccountTokenCreate": "tokens are not held against the objects that they are bound to",
  "TestWebsocketWatch": "watches are not spoken by WebSocket",
  "TestGetScaleSubresourceAsTable": "its client, with all alpha features, sends CBOR",
  "TestRequestObjectConvertible": "it wants a stream of HTTP/2 to break; the answer is 400",
  "TestQuotaLimitedResourceDenial": "admission is not configured by files",
  "wnerReferences": "what has an owner that is not there is collected before the test goes on",
  "TestPodSubresourceAuth/": "what needs a running container (`exec`, `attach`, `portforward`) is not served",
  "TestCertRotation$":
    "it watches service accounts where there are none, but each namespace has one from the start",
  "TestCanaryCVE": "it switches the strict check of addresses off, which Kubernetes 1.36 has by default",
  "TestBuiltinResolution": "documents of OpenAPI have no lists, and no Status",
  "TestExcludedResources":
    "what is below Pods to look into them (`attach`, `exec` and the like) is not served",
  "MatchExcludedResource": "tokens from a file have users without a uid",
  "SpecRoundTrip//version": "`/openapi/v3/version` is not served",
  "TestOpenAPIV3MultipleCRDs": "documents of custom kinds have no schemas of Scale and Status",
  "AlwaysAllow": "Pods are bound at their own address, not by a POST to `bindings`",
  "procMount": "the `procMount` of containers is not checked",
  "GranularStatus": "there are no rights of their own to parts of the status of a ResourceClaim",
  "AnnotationDeprecation": "nobody is warned of an annotation of ServiceAccounts",
};
