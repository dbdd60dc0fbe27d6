/**
 * The defaults of Pods and of the templates of Pods. Source: k8s.io/kubernetes, pkg/apis/core/v1/defaults.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { fill, objectAt, objectsIn } from "../values.ts";

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const READABLE = 0o644;

/** Fills in the defaults of a Pod's spec, in place. `restartPolicy` depends on the kind, and is the caller's. */
export function defaultPodSpec(spec: JsonObject): void {
  fill(spec, {
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  });
  if (spec.serviceAccountName !== undefined) fill(spec, { serviceAccount: spec.serviceAccountName });
  for (
    const container of [
      ...objectsIn(spec.containers),
      ...objectsIn(spec.initContainers),
      ...objectsIn(spec.ephemeralContainers),
    ]
  ) {
    defaultContainer(container);
    // NB: on the host's network, ports are the host's.
    if (spec.hostNetwork !== true) continue;
    for (const port of objectsIn(container.ports)) {
      if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
    }
  }
  for (const volume of objectsIn(spec.volumes)) {
    if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
    for (const source of ["configMap", "secret", "projected", "downwardAPI"]) {
      const found = objectAt(volume, source);
      if (found !== undefined) fill(found, { defaultMode: READABLE });
    }
    for (const source of objectsIn(objectAt(volume, "projected")?.sources)) {
      const token = objectAt(source, "serviceAccountToken");
      if (token !== undefined) fill(token, { expirationSeconds: 3600 });
      defaultFieldRefs(objectAt(source, "downwardAPI"));
    }
    defaultFieldRefs(objectAt(volume, "downwardAPI"));
    const claim = objectAt(objectAt(objectAt(volume, "ephemeral"), "volumeClaimTemplate"), "spec");
    if (claim !== undefined) fill(claim, { volumeMode: "Filesystem" });
    const hostPath = objectAt(volume, "hostPath");
    if (hostPath !== undefined) fill(hostPath, { type: "" });
  }
}

function defaultContainer(container: JsonObject): void {
  const image = String(container.image ?? "");
  const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
  fill(container, {
    imagePullPolicy: tag === undefined || tag === "latest" ? "Always" : "IfNotPresent",
    resources: {},
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });
  for (const port of objectsIn(container.ports)) fill(port, { protocol: "TCP" });
  for (const variable of objectsIn(container.env)) {
    const field = objectAt(objectAt(variable, "valueFrom"), "fieldRef");
    if (field !== undefined) fill(field, { apiVersion: "v1" });
  }
  for (const name of PROBES) {
    const probe = objectAt(container, name);
    if (probe === undefined) continue;
    fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
    defaultHttp(probe);
    const grpc = objectAt(probe, "grpc");
    if (grpc !== undefined) fill(grpc, { service: "" });
  }
  const lifecycle = objectAt(container, "lifecycle");
  for (const hook of ["postStart", "preStop"]) defaultHttp(objectAt(lifecycle, hook));
}

function defaultHttp(handler: JsonObject | undefined): void {
  const http = objectAt(handler, "httpGet");
  if (http !== undefined) fill(http, { path: "/", scheme: "HTTP" });
}

function defaultFieldRefs(source: JsonObject | undefined): void {
  for (const item of objectsIn(source?.items)) {
    const field = objectAt(item, "fieldRef");
    if (field !== undefined) fill(field, { apiVersion: "v1" });
  }
}
