/**
 * Which of kube-rs' tests that want a cluster are known not to pass against the server in the process.
 *
 * Names are those that cargo prints, as regular expressions. A test that is known to fail, and passes, makes the run red: then
 * its line has to go.
 */

/** The crates that have such tests. */
export const CRATES = ["kube", "kube-client", "kube-runtime"] as const;

/** How many tests have run: there must not be fewer. */
export const FEWEST = 26;

/** By part of a name: why tests do not pass. */
export const KNOWN: Readonly<Record<string, string>> = {
  "exec_and_write_to_stdin|can_get_pod_logs_and_evict": "needs a running container",
  "event_recorder_attaches_events_without_namespace":
    "ComponentStatuses, which are deprecated, are not served",
};
