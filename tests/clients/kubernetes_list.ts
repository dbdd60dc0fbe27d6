/**
 * Which of Kubernetes' end-to-end tests are run against the server in the process, which are not, and which are known not to pass.
 *
 * Names are parts of the tests' own, as regular expressions. A test that is known to fail, and passes, makes the run red: then
 * its line has to go.
 */

/** The tests that are about the API. */
export const CHOSEN: readonly string[] = [
  "\\[sig-api-machinery\\]",
  "\\[sig-auth\\] (Certificates API.*API operations|SelfSubjectReview|SubjectReview)",
  "no secret-based service account token|run through the lifecycle of a ServiceAccount",
  "kube-root-ca.crt exist|should update a ServiceAccount|serviceAccountToken and ensure a successful TokenReview",
  "lease API should be available|fail to create ConfigMap|update ConfigMap successfully|a ConfigMap lifecycle",
  "fail to create secret|should patch a secret|PodTemplates",
  "manage the lifecycle of an event|delete a collection of events|event can be fetched",
  "support creating (EndpointSlice|Ingress|IngressClass) API operations|support (ServiceCIDR|IPAddress) API operations",
  "Kubectl (api-versions|prune|apply|diff|server-side|validation|cluster-info|describe|label|patch|version|run pod|replace|taint|create quota)",
  "Kubectl (delete interactive|rollout undo)|kubectl (wait|subresource)|Proxy server should",
  "CronJob (API operations|should set the cronjob-scheduled)|CronJob should support CronJob API|TTLAfterFinished",
  "working scale subresource|(Deployment|Statefulset|Replicaset) Status endpoints|changes to a daemon set status",
  "delete a collection of (DaemonSets|StatefulSets|ReplicaSets|services)|lifecycle of a Deployment|Replace and Patch tests",
  "lifecycle of Pods and PodStatus|patch a pod status|lifecycle of a node|LimitRange should|support creating NetworkPolicy API operations",
  "service status lifecycle|lifecycle of an Endpoint",
];

/** By part of a name: why tests are not run. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "AdmissionWebhook|CustomResourceConversionWebhook|CustomResourceFieldSelectors":
    "a webhook runs in a container; ours is tried with servers of our own in tests/conformance/apiserver",
  "Aggregator|Aggregated APIServer|sample-apiserver": "another API server runs in a container",
  "Etcd failure|apiserver identity|StorageVersion|CoordinatedLeaderElection":
    "of a cluster's machines, or alpha",
  "continue listing from the last key": "waits for a compaction by the clock, for minutes",
  "drowned": "Kubernetes itself leaves it out",
  "delete fast|ComprehensiveNamespaceDraining": "measures a cluster with a hundred namespaces of Pods",
  "type check":
    "types of objects in policies are not checked when they are declared, and there are no warnings of it",
  "ResourceClaim": "quotas do not count the devices that are claimed",
  "requests can be classified": "FlowSchemas are only stored",
  "Flaky": "Kubernetes itself does not rely on it",
};

/** How many tests have run: there must not be fewer. */
export const FEWEST = 222;

/** By part of a name: why tests do not pass. */
export const KNOWN: Readonly<Record<string, string>> = {};
