/** Values of built-in kinds that are refused, and their neighbours that are not. */

import type { JsonObject } from "../../../../lib/model/object.ts";
import type { Answer } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const container = { name: "c", image: "i" };
const selector = { matchLabels: { a: "1" } };
const resource = { apiGroup: "example.com", kind: "B", name: "b" };

function template(more: Answer = {}): Answer {
  return { metadata: { labels: { a: "1" } }, spec: { containers: [container], ...more } };
}

function job(more: Answer): Answer {
  return { spec: { template: template({ restartPolicy: "Never" }), ...more } };
}

const numbered = { name: "s", port: { number: 1 } };
const named = { name: "s", port: { name: "web" } };

function placed(group: string): string {
  return `/apis/${group}/v1/namespaces/values`;
}

const [N, A, C] = [placed("networking.k8s.io"), placed("apps"), "/api/v1/namespaces/values"];
const [P, B] = [`${placed("policy")}/poddisruptionbudgets`, placed("batch")];
const [L, E] = [placed("coordination.k8s.io"), placed("discovery.k8s.io")];

const TRIED: readonly (readonly [path: string, object: Answer])[] = [
  [`${N}/ingresses`, { spec: {} }],
  [`${N}/ingresses`, { spec: { rules: [{ host: "a_b" }] } }],
  [`${N}/ingresses`, {
    spec: {
      rules: [{ http: { paths: [{ path: "a", pathType: "Exact", backend: { service: numbered } }] } }],
    },
  }],
  [`${N}/ingresses`, {
    spec: { rules: [{ http: { paths: [{ path: "/a", backend: { service: numbered } }] } }] },
  }],
  [`${N}/networkpolicies`, { spec: { podSelector: {}, policyTypes: ["Other"] } }],
  [`${N}/networkpolicies`, { spec: { podSelector: {}, ingress: [{ ports: [{ port: 70000 }] }] } }],
  [`${N}/networkpolicies`, { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "x" } }] }] } }],
  [P, { spec: { minAvailable: 1, maxUnavailable: 1 } }],
  [P, { spec: { minAvailable: "x" } }],
  [P, { spec: { minAvailable: -1 } }],
  [`${L}/leases`, { spec: { leaseDurationSeconds: 0 } }],
  [`${L}/leases`, { spec: { leaseTransitions: -1 } }],
  ["/apis/storage.k8s.io/v1/storageclasses", { provisioner: "" }],
  ["/apis/storage.k8s.io/v1/storageclasses", { provisioner: "a", volumeBindingMode: "x" }],
  [`${C}/persistentvolumeclaims`, { spec: {} }],
  [`${C}/persistentvolumeclaims`, {
    spec: { accessModes: ["x"], resources: { requests: { storage: "1" } } },
  }],
  [`${C}/persistentvolumeclaims`, {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "-1" } } },
  }],
  ["/api/v1/persistentvolumes", { spec: {} }],
  ["/api/v1/persistentvolumes", { spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1" } } }],
  [`${A}/deployments`, { spec: { replicas: -1, selector, template: template() } }],
  [`${A}/deployments`, { spec: { strategy: { type: "x" }, selector, template: template() } }],
  [`${A}/deployments`, {
    spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } }, selector, template: template() },
  }],
  [`${A}/deployments`, { spec: { selector: {}, template: template() } }],
  [`${A}/deployments`, { spec: { selector, template: template({ restartPolicy: "Never" }) } }],
  [`${A}/statefulsets`, { spec: { replicas: -1, selector, template: template() } }],
  [`${A}/daemonsets`, { spec: { updateStrategy: { type: "x" }, selector, template: template() } }],
  [`${B}/jobs`, job({ parallelism: -1 })],
  ["/apis/scheduling.k8s.io/v1/priorityclasses", { value: 2000000000 }],
  ["/apis/node.k8s.io/v1/runtimeclasses", { handler: "A_B" }],
  [`${E}/endpointslices`, { addressType: "x", endpoints: [] }],
  [`${E}/endpointslices`, { addressType: "IPv4", endpoints: [{ addresses: ["x"] }] }],
  [`${C}/serviceaccounts`, { imagePullSecrets: [{ name: "A_B" }] }],
  [`${N}/ingresses`, { spec: { defaultBackend: { resource } } }],
  [`${N}/ingresses`, {
    spec: { rules: [{ host: "*.example.com" }], tls: [{ hosts: ["a.example.com"], secretName: "s" }] },
  }],
  [`${N}/ingresses`, { spec: { rules: [{ host: "*.b*.com" }] } }],
  [`${N}/ingresses`, { spec: { rules: [{ host: "10.0.0.1" }] } }],
  [`${N}/ingresses`, {
    spec: {
      rules: [{ http: { paths: [{ pathType: "ImplementationSpecific", backend: { service: named } }] } }],
    },
  }],
  [`${N}/ingresses`, {
    spec: {
      rules: [{ http: { paths: [{ path: "/a//b/..", pathType: "Prefix", backend: { service: named } }] } }],
    },
  }],
  [`${N}/ingresses`, {
    spec: { rules: [{ http: { paths: [{ path: "/", pathType: "Prefix", backend: {} }] } }] },
  }],
  [`${N}/ingresses`, {
    spec: {
      rules: [{
        http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "A_", port: {} } } }] },
      }],
    },
  }],
  [`${N}/ingresses`, {
    spec: {
      rules: [{
        http: {
          paths: [{
            path: "/",
            pathType: "Prefix",
            backend: { service: { name: "a", port: { number: 1, name: "b" } } },
          }],
        },
      }],
    },
  }],
  [`${N}/ingresses`, { spec: { rules: [{ http: { paths: [] } }] } }],
  [`${N}/networkpolicies`, {
    spec: {
      podSelector: {},
      ingress: [{}],
      egress: [{
        to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
        ports: [{ port: "web" }, { port: 1, endPort: 5, protocol: "UDP" }],
      }],
    },
  }],
  [`${N}/networkpolicies`, { spec: { podSelector: {}, ingress: [{ from: [{}] }] } }],
  [`${N}/networkpolicies`, {
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }] }] },
  }],
  [P, { spec: { selector: {}, minAvailable: "50%" } }],
  [P, { spec: { selector: {}, maxUnavailable: "101%" } }],
  [P, { spec: { selector: {}, maxUnavailable: 0, unhealthyPodEvictionPolicy: "x" } }],
  [`${A}/deployments`, { spec: { strategy: { type: "Recreate" }, selector, template: template() } }],
  [`${A}/deployments`, {
    spec: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } }, selector, template: template() },
  }],
  [`${A}/deployments`, {
    spec: {
      strategy: { rollingUpdate: { maxSurge: "x", maxUnavailable: "200%" } },
      selector,
      template: template(),
    },
  }],
  [`${A}/deployments`, { spec: { minReadySeconds: 700, selector, template: template() } }],
  [`${A}/deployments`, {
    spec: {
      selector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
      template: template({ activeDeadlineSeconds: 5 }),
    },
  }],
  [`${A}/deployments`, {
    spec: {
      selector,
      template: template({
        initContainers: [{ ...container, name: "i", restartPolicy: "Always", ports: [{ containerPort: 1 }] }],
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [{
          ...container,
          volumeMounts: [{ name: "v", mountPath: "/v" }],
          ports: [{ containerPort: 80, hostPort: 80 }],
          resources: { limits: { cpu: "1" }, requests: { cpu: "500m" } },
        }],
      }),
    },
  }],
  [`${A}/statefulsets`, {
    spec: { podManagementPolicy: "x", selector, serviceName: "s", template: template() },
  }],
  [`${A}/statefulsets`, {
    spec: { updateStrategy: { type: "OnDelete" }, selector, serviceName: "s", template: template() },
  }],
  [`${A}/daemonsets`, { spec: { updateStrategy: { type: "OnDelete" }, selector, template: template() } }],
  [`${A}/replicasets`, { spec: { selector, template: template() } }],
  ["/apis/storage.k8s.io/v1/storageclasses", { provisioner: "Example.com/Own" }],
  ["/apis/storage.k8s.io/v1/storageclasses", { provisioner: "a b", reclaimPolicy: "x" }],
  [`${C}/persistentvolumeclaims`, {
    spec: {
      accessModes: ["ReadWriteOncePod", "ReadOnlyMany"],
      volumeMode: "x",
      storageClassName: "A_",
      resources: { requests: { storage: "1Gi" } },
    },
  }],
  [`${E}/endpointslices`, { addressType: "IPv6", endpoints: [{ addresses: ["10.0.0.1"] }] }],
  [`${L}/leases`, { spec: { holderIdentity: "a", leaseDurationSeconds: 15 } }],
  ["/apis/node.k8s.io/v1/runtimeclasses", { handler: "runc" }],
  [`${B}/jobs`, {
    spec: {
      ttlSecondsAfterFinished: -1,
      backoffLimit: -1,
      template: template({ restartPolicy: "OnFailure" }),
    },
  }],
  [`${B}/jobs`, {
    spec: { podFailurePolicy: { rules: [] }, template: template({ restartPolicy: "OnFailure" }) },
  }],
  [`${C}/pods`, {
    spec: {
      automountServiceAccountToken: false,
      restartPolicy: "OnFailure",
      containers: [{
        ...container,
        ports: [{ name: "web", containerPort: 80 }, { name: "udp", containerPort: 80, protocol: "UDP" }],
      }],
    },
  }],
];

function one(more: Answer): Answer {
  return { containers: [{ ...container, ...more }] };
}

function volume(more: Answer): Answer {
  return { containers: [container], volumes: [{ name: "v", ...more }] };
}

function devices(resourceClaims: readonly JsonObject[], claims: readonly JsonObject[] = []): JsonObject {
  return { containers: [{ ...container, resources: { claims } }], resourceClaims };
}

const PODS: readonly Answer[] = [
  one({ env: [{ name: "" }] }),
  one({ env: [{ name: "a=b" }] }),
  one({ env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
  one({ env: [{ name: "A", valueFrom: {} }] }),
  one({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.nothing" } } }] }),
  one({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "", key: "" } } }] }),
  one({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "a", key: "b" } } }] }),
  one({ envFrom: [{}] }),
  one({ envFrom: [{ configMapRef: { name: "A_" } }] }),
  one({ livenessProbe: {} }),
  one({ livenessProbe: { httpGet: { port: 0 } } }),
  one({ readinessProbe: { httpGet: { port: "web", path: "/" } } }),
  one({ readinessProbe: { exec: { command: [] } } }),
  one({ livenessProbe: { tcpSocket: { port: 1 }, httpGet: { port: 1 } } }),
  one({ livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } }),
  one({ livenessProbe: { tcpSocket: { port: 1 }, periodSeconds: -1 } }),
  one({ imagePullPolicy: "x" }),
  one({ terminationMessagePolicy: "x" }),
  one({ lifecycle: { preStop: {} } }),

  one({ ports: [{ name: "a", containerPort: 1 }, { name: "a", containerPort: 2 }] }),
  one({ resources: { claims: [{}] } }),
  one({ resources: { claims: [{ name: "gpu" }] } }),
  devices([{ name: "a" }]),
  devices([{ name: "A_", resourceClaimName: "a", resourceClaimTemplateName: "b" }, {
    resourceClaimName: "C_",
  }]),
  devices([{ name: "gpu", resourceClaimName: "a" }, { name: "gpu", resourceClaimName: "a" }], [{
    name: "b",
  }]),
  devices([{ name: "gpu", resourceClaimName: "a" }], [{ name: "gpu" }]),
  devices([{ name: "gpu", resourceClaimName: "a" }], [{ name: "gpu" }, { name: "gpu", request: "a" }]),
  devices([{ name: "gpu", resourceClaimName: "a" }], [
    { name: "gpu", request: "a" },
    { name: "gpu", request: "a" },
    { name: "gpu", request: "B_" },
    { name: "gpu" },
  ]),
  one({ ports: [{ name: "A B", containerPort: 1 }] }),
  one({ ports: [{ containerPort: 1, hostPort: 5 }, { containerPort: 2, hostPort: 5 }] }),
  volume({}),
  volume({ emptyDir: {}, hostPath: { path: "/a" } }),
  volume({ hostPath: { path: "" } }),
  volume({ configMap: {} }),
  volume({ secret: {} }),
  volume({ persistentVolumeClaim: { claimName: "" } }),
  volume({ configMap: { name: "a", defaultMode: 9999 } }),
  { containers: [container], serviceAccountName: "A_" },
  { containers: [container], nodeName: "A_" },
  { containers: [container], nodeSelector: { "a b": "c" } },
  { containers: [container], hostname: "A_" },
  { containers: [container], subdomain: "A_" },
  { containers: [container], tolerations: [{ key: "a", operator: "x" }] },
  { containers: [container], tolerations: [{ operator: "Equal", effect: "x" }] },
  { containers: [container], hostAliases: [{ ip: "x" }] },
  { containers: [container], hostNetwork: true, hostPID: true },
  { containers: [container], priority: 5 },
  {
    containers: [container],
    initContainers: [{ name: "i", image: "i", livenessProbe: { tcpSocket: { port: 1 } } }],
  },
  { containers: [container], initContainers: [{ name: "i", image: "i", restartPolicy: "Never" }] },
];

export const VALUES: readonly Scenario[] = [
  {
    name: "refuses values of Pods that cannot be, and takes those beside them",
    async run(api) {
      await api.namespace("pod-values");
      for (const [index, spec] of PODS.entries()) {
        await api.call("POST", "/api/v1/namespaces/pod-values/pods", {
          metadata: { name: `value-${index}` },
          spec: { automountServiceAccountToken: false, ...spec },
        });
      }
    },
  },
  {
    name: "refuses values of built-in kinds that cannot be, and takes those beside them",
    accepted: [{
      line: /spec\.(updateStrategy|strategy): Unsupported value|Unsupported value: \{\\?"Type\\?":\\?"x/,
      because:
        "ours fills rollingUpdate into a strategy of an unknown type, and prints it: defaults were recorded of known types",
    }],
    async run(api) {
      await api.namespace("values");
      for (const [index, [path, object]] of TRIED.entries()) {
        await api.call("POST", path, { metadata: { name: `value-${index}` }, ...object });
      }
      for (const plural of ["storageclasses", "priorityclasses", "runtimeclasses"]) {
        const group =
          { storageclasses: "storage", priorityclasses: "scheduling", runtimeclasses: "node" }[plural];
        const path = `/apis/${group}.k8s.io/v1/${plural}`;
        const made = (await api.peek("GET", path)).body.items.map(({ metadata }: Answer) => metadata.name);
        for (const name of made) if (/^value-/.test(name)) await api.ok("DELETE", `${path}/${name}`);
      }
    },
  },
  {
    name: "completes objects whose values are empty, or stand in a newer field",
    async run(api) {
      await api.namespace("filled");
      const core = "/api/v1/namespaces/filled";
      await api.call("POST", "/api/v1/nodes?dryRun=All", {
        metadata: { name: "a" },
        spec: {
          podCIDR: "10.0.0.0/24",
          taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
        },
      });
      for (const [index, image] of ["", "A", "a@sha256:b", "A.B/c", "localhost/a:latest", "a//b"].entries()) {
        await api.call("POST", `${core}/podtemplates?dryRun=All`, {
          metadata: { name: `images-${index}` },
          template: { spec: { containers: [{ name: "a", image }] } },
        });
      }
      await api.call("POST", "/apis/apps/v1/namespaces/filled/statefulsets?dryRun=All", {
        metadata: { name: "a" },
        spec: {
          selector,
          template: { metadata: { labels: selector.matchLabels }, spec: { containers: [container] } },
          volumeClaimTemplates: [{
            apiVersion: "example.com/v1",
            kind: "B",
            metadata: { name: "a" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          }],
        },
      });
    },
  },
];
