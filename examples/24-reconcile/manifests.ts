/** The objects that a Website turns into. */
import type { Applied } from "@lotse/lotse";
import type { DeploymentSpec, DeploymentStatus, ServiceSpec, ServiceStatus } from "@lotse/lotse/kubernetes";
import type { WebsiteSpec } from "./website.ts";

export interface Origin {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly spec: Readonly<WebsiteSpec>;
}

export function page({ name, namespace, spec }: Origin) {
  return { metadata: { name: `${name}-page`, namespace }, data: { "index.html": `<h1>${spec.text}</h1>` } };
}

export function deployment({ name, namespace, spec }: Origin): Applied<DeploymentSpec, DeploymentStatus> {
  const labels = { website: name };
  const volume = { name: "page", configMap: { name: `${name}-page` } };
  const container = {
    name: "server",
    image: "nginx:1.29",
    volumeMounts: [{ name: "page", mountPath: "/usr/share/nginx/html" }],
  };
  const template = { metadata: { labels }, spec: { containers: [container], volumes: [volume] } };
  return {
    metadata: { name, namespace, labels },
    spec: { replicas: spec.replicas, selector: { matchLabels: labels }, template },
  };
}

export function service({ name, namespace }: Origin): Applied<ServiceSpec, ServiceStatus> {
  return { metadata: { name, namespace }, spec: { selector: { website: name }, ports: [{ port: 80 }] } };
}
