/**
 * Health: of the server as a whole (`/healthz`, `/livez`, `/readyz`), of its parts by name, with `?verbose` and `?exclude`.
 *
 * Parts are called as on the real server; their work is done here by other means, before a server answers.
 * Only `etcd` can fail: when the state folder cannot be written. Source: Kubernetes documentation, "Kubernetes API health
 * endpoints"; k8s.io/apiserver, pkg/server/healthz.
 */

const HOOKS = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
  "autoregister-completion",
  "apiservice-openapi-controller",
  "apiservice-openapiv3-controller",
].map((name) => name === "autoregister-completion" ? name : `poststarthook/${name}`);

const ALIVE = ["ping", "log", "loopback-serving-certificate", "etcd", ...HOOKS];
const READY = ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...HOOKS, "shutdown"];

/** The parts of which the health of each path is made. */
export const HEALTH_PARTS: Readonly<Record<string, readonly string[]>> = {
  "/healthz": ALIVE,
  "/livez": ALIVE,
  "/readyz": READY,
};

/** Returns the health of all parts; `failed` says which of them do not work. */
export function healthResponse(path: string, query: URLSearchParams, failed: readonly string[]): Response {
  const excluded = new Set(query.getAll("exclude"));
  const lines: string[] = [];
  let isHealthy = true;
  for (const part of HEALTH_PARTS[path] ?? []) {
    const isBad = failed.includes(part) && !excluded.has(part);
    if (isBad) isHealthy = false;
    lines.push(
      isBad ? `[-]${part} failed: reason withheld` : `[+]${part} ${excluded.has(part) ? "excluded: " : ""}ok`,
    );
    excluded.delete(part);
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort().map((name) => JSON.stringify(name)).join(",");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  lines.push(`${path.slice(1)} check ${isHealthy ? "passed" : "failed"}`, "");
  const text = isHealthy && !query.has("verbose") ? "ok" : lines.join("\n");
  return plain(text, isHealthy ? 200 : 500, { "x-content-type-options": "nosniff" });
}

/** Returns the health of one part. */
export function partResponse(part: string, failed: readonly string[]): Response {
  return failed.includes(part)
    ? plain("internal server error: the state cannot be kept\n", 500)
    : plain("ok", 200);
}

function plain(text: string, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers } });
}
