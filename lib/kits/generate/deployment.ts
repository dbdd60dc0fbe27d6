/**
 * How an operator runs in a cluster: namespace, deployment, services, disruption budget; monitoring and network policy on
 * request.
 *
 * The values fit a cluster with the "restricted" Pod Security Standard, and one operator of medium size. They are meant to be
 * read and changed.
 */

import { labelsOf } from "../../model/labels.ts";
import type { KubeObject } from "../../model/object.ts";
import { formatTraces, type Traces, TRACES_ANNOTATION } from "../../registry/traces.ts";
import type { Settings } from "../../settings/settings.ts";
import { alertsOf } from "./alerts.ts";
import type { Webhooks } from "./webhooks.ts";

/** How an operator is to run. */
export interface DeploymentOptions {
  /** The name of all objects. */
  readonly name: string;
  /** The namespace in which it lives. */
  readonly home: string;
  /** The image, whose entry point takes the options of `lotse run`, as an executable of `lotse build` does. */
  readonly image: string;
  /** The namespaces that it serves: names and patterns. Default: the whole cluster. */
  readonly namespaces?: readonly string[];
  /** The peering object that it must meet others at. Default: it takes no notice of others. */
  readonly peering?: string;
  /** How many replicas there are; with more than one, or none named, they share the objects by Leases if `replicas` is on. Default: 1. */
  readonly replicas?: number;
  /** The way to its webhooks, where it has any. */
  readonly webhooks?: Webhooks;
  readonly settings: Pick<Settings, "process" | "replicas" | "queueing">;
  /** The traces that it leaves, so that `lotse uninstall` needs no code. */
  readonly traces: Traces;
  /** The page with a heading for each alert. Default: `docs/alerts.md` of Lotse. */
  readonly runbook?: string;
}

/** Where probes and metrics are answered. */
const PORT = 8080;

/** How long Kubernetes waits beyond the operator's own limit for stopping. In seconds. */
const GRACE_BEYOND = 10;

/** The longest grace period, for operators that take as long as they need. In seconds. */
const LONGEST_GRACE = 3600;

/** The namespace of the operator. */
export function namespaceOf({ name, home }: DeploymentOptions): KubeObject {
  const labels = { ...labelsOf(name), "pod-security.kubernetes.io/enforce": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: home, labels } };
}

/**
 * The Deployment. Without Leases there is one replica, and never two at once: both would handle everything. With Leases a new
 * Pod is ready before an old one goes.
 */
export function deploymentOf(options: DeploymentOptions): KubeObject {
  const { name, home, image, settings, webhooks, replicas } = options;
  const isShared = replicas !== undefined;
  const labels = labelsOf(name);
  const limit = settings.process.ultimateExitingTimeout ?? Infinity;
  const ports = [
    { name: "http", containerPort: PORT },
    ...webhooks === undefined ? [] : [{ name: "webhook", containerPort: webhooks.port }],
  ];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name,
      namespace: home,
      labels,
      annotations: { [TRACES_ANNOTATION]: formatTraces(options.traces) },
    },
    spec: {
      replicas: replicas ?? 1,
      strategy: isShared
        ? { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
        : { type: "Recreate" },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          ...isShared && { topologySpreadConstraints: spreadOver(labels) },
          terminationGracePeriodSeconds: Math.min(limit + GRACE_BEYOND, LONGEST_GRACE),
          // No user: the image names one, and OpenShift gives a number of its own.
          securityContext: {
            runAsNonRoot: true,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [{
            name: "operator",
            image,
            args: argumentsOf(options),
            env: [
              { name: "POD_ID", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              ...isShared ? [{ name: "LOTSE_REPLICAS_NAME", value: settings.replicas.name ?? name }] : [],
            ],
            ports,
            startupProbe: {
              httpGet: { path: "/livez", port: "http" },
              periodSeconds: 2,
              failureThreshold: 60,
            },
            livenessProbe: {
              httpGet: { path: "/healthz", port: "http" },
              timeoutSeconds: 10,
              periodSeconds: 20,
            },
            readinessProbe: { httpGet: { path: "/readyz", port: "http" }, timeoutSeconds: 5 },
            resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] },
            },
            volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
          }],
          volumes: [{ name: "tmp", emptyDir: {} }],
        },
      },
    },
  };
}

/** Nodes first, as they fail more often than zones do. */
function spreadOver(labels: Readonly<Record<string, string>>): object[] {
  return ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: labels },
  }));
}

function argumentsOf({ namespaces = [], peering, replicas }: DeploymentOptions): string[] {
  return [
    ...namespaces.length === 0 ? ["--all-namespaces"] : namespaces.map((pattern) => `--namespace=${pattern}`),
    `--liveness=http://0.0.0.0:${PORT}/healthz`,
    "--log-format=json",
    peering === undefined ? "--standalone" : `--peering=${peering}`,
    ...replicas === undefined ? [] : ["--replicas"],
  ];
}

/** The Services: of metrics, and of webhooks where there are any. */
export function servicesOf({ name, home, webhooks }: DeploymentOptions): KubeObject[] {
  const labels = labelsOf(name);
  const service = (title: string, port: number, targetPort: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: title, namespace: home, labels },
    spec: { selector: labels, ports: [{ name: targetPort, port, targetPort }] },
  });
  return [
    service(name, PORT, "http"),
    ...webhooks === undefined ? [] : [service(webhooks.service, 443, "webhook")],
  ];
}

/** The PodDisruptionBudget: nodes can be drained, one Pod at a time. */
export function budgetOf({ name, home }: DeploymentOptions): KubeObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: home, labels: labelsOf(name) },
    spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } },
  };
}

/** The NetworkPolicy: in come scrapes and reviews, out go requests to DNS and API servers. */
export function networkPolicyOf({ name, home, webhooks }: DeploymentOptions): KubeObject {
  const tcp = (...ports: number[]) => ports.map((port) => ({ protocol: "TCP", port }));
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace: home, labels: labelsOf(name) },
    spec: {
      podSelector: { matchLabels: labelsOf(name) },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ ports: tcp(PORT, ...webhooks === undefined ? [] : [webhooks.port]) }],
      egress: [
        { ports: [{ protocol: "UDP", port: 53 }, { protocol: "TCP", port: 53 }] },
        { ports: tcp(443, 6443) },
      ],
    },
  };
}

/** The ServiceMonitor and the alerts, for clusters with the Prometheus operator. */
export function monitoringOf({ name, home, runbook }: DeploymentOptions): KubeObject[] {
  const labels = labelsOf(name);
  const apiVersion = "monitoring.coreos.com/v1";
  const metadata = { name, namespace: home, labels };
  return [
    {
      apiVersion,
      kind: "ServiceMonitor",
      metadata,
      spec: {
        selector: { matchLabels: labels },
        endpoints: [{ port: "http", path: "/metrics", interval: "30s" }],
      },
    },
    {
      apiVersion,
      kind: "PrometheusRule",
      metadata,
      spec: { groups: alertsOf({ name, runbook }) },
    },
  ];
}
