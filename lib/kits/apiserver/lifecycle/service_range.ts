/**
 * The range that addresses of Services come from, as clients may read it: the ServiceCIDR `kubernetes`; and the first Service,
 * which stands for the server itself, and has the same name.
 *
 * Source: k8s.io/kubernetes, pkg/controlplane/controller/defaultservicecidr and pkg/controlplane/controller/kubernetesservice.
 */

import type { Cluster } from "../cluster.ts";
import { timestamp } from "../formats/timestamp.ts";
import { createObject } from "../writes/create.ts";
import { updateObject } from "../writes/update.ts";

/** The range of all addresses that Services are given, as kubeadm has it. */
export const SERVICE_RANGE = "10.96.0.0/12";
const NAME = "kubernetes";
const FIRST_ADDRESS = "10.96.0.1";

/** Makes it, unless it is there. */
export function createServiceRange(cluster: Cluster): void {
  const kind = cluster.kinds.at("networking.k8s.io/v1", "servicecidrs");
  if (kind === undefined || kind.collection.get(NAME) !== undefined) return;
  const writer = { manager: "kube-apiserver" };
  const { apiVersion } = kind;
  const object = { apiVersion, kind: kind.kind, metadata: { name: NAME }, spec: { cidrs: [SERVICE_RANGE] } };
  createObject(cluster, object, { kind, writer });
  const ready = {
    type: "Ready",
    status: "True",
    lastTransitionTime: timestamp(cluster.host.clock.now()),
    reason: "",
    message: "Kubernetes default Service CIDR is ready",
  };
  updateObject(cluster, {
    kind,
    reference: { name: NAME },
    subresource: "status",
    writer: { manager: "kubernetes-service-cidr-controller", subresource: "status" },
    change: (current) => ({ ...current, status: { conditions: [ready] } }),
  });
}

/** Makes the Service, unless it is there. */
export function createServerService(cluster: Cluster): void {
  const kind = cluster.kinds.at("v1", "services");
  if (kind === undefined || kind.collection.get(`default/${NAME}`) !== undefined) return;
  const { apiVersion } = kind;
  const metadata = { name: NAME, namespace: "default", labels: { component: "apiserver", provider: NAME } };
  const ports = [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }];
  const spec = { type: "ClusterIP", clusterIP: FIRST_ADDRESS, ports };
  createObject(cluster, { apiVersion, kind: kind.kind, metadata, spec }, {
    kind,
    namespace: "default",
    writer: { manager: "kube-apiserver" },
  });
}
