/**
 * Which of Kubernetes' integration tests are run against the server in the process, which are not, and which are known not to pass.
 *
 * Names are a package and a test, with its parts, as regular expressions. A test that is known to fail, and passes, makes the run
 * red: then its line has to go.
 */

/** The packages, below k8s.io. */
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
  "kubernetes/test/integration/quota",
  "kubernetes/test/integration/secrets",
  "kubernetes/test/integration/serviceaccount",
] as const;

/** By part of a name: why tests are not run. */
export const LEFT_OUT: Readonly<Record<string, string>> = {};

/** By part of a name: why tests do not pass. */
export const KNOWN: Readonly<Record<string, string>> = {};
