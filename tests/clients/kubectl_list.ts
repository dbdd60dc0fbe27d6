/**
 * Which of Kubernetes' tests of kubectl are not run against the server in the process, and which are known not to pass.
 *
 * Names are those of functions in Kubernetes' test/cmd, as regular expressions. A test that is known to fail, and passes,
 * makes the run red: then its line has to go.
 */

/** By name: why tests are not run. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "_config_|client_config|kuberc|exec_credentials|plugins|kubectl_help|convert|kubectl_tests":
    "about kubectl alone, or a plugin of it",
};

/** How many tests have run: there must not be fewer. */
export const FEWEST = 81;

/** By name: why tests do not pass. */
export const KNOWN: Readonly<Record<string, string>> = {
  "events": "the controllers write no Events",
  "deprecated_api": "the kubectl that the tests build words its own errors in another way",
  "multi_resources": "reads a manifest from the internet",
  "nodes": "nobody writes the conditions of a Node without a kubelet",
  "swagger": "OpenAPI does not describe operations",
};
