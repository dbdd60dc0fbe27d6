/**
 * The EndpointSlices of Services: which Pods are behind them.
 *
 * Source: k8s.io/kubernetes, pkg/controller/endpointslice.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { ObjectKey } from "../kinds.ts";
import { selects } from "../selectors/selector.ts";
import { clone, equal, objectAt, objectsIn } from "../values.ts";
import { controllerReference, isReady } from "./pods.ts";
import type { Pod } from "./types.ts";
import { PLACES, type World } from "./world.ts";

const SERVICE = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const CONTROLLER = "endpointslice-controller.k8s.io";
const HEADLESS = "service.kubernetes.io/headless";
/** How many endpoints one slice has at most. */
const MOST = 100;

/** Brings the slices of a Service in order. */
export async function reconcileEndpoints(world: World, key: ObjectKey): Promise<undefined> {
  const service = world.get<KubeObject>(PLACES.services, key);
  const selector = service?.spec?.selector;
  const isGone = service === undefined || service.metadata.deletionTimestamp !== undefined;
  if (isGone || selector === undefined || service.spec?.type === "ExternalName") return undefined;
  const { namespace } = key;
  const labels = objectAt(service.spec, "selector") ?? {};
  const pods = world.labelled<Pod>(PLACES.pods, { namespace, labels }).filter(({ metadata, status }) =>
    selects({ matchLabels: selector }, metadata.labels) && status?.podIP !== undefined &&
    status.phase !== "Succeeded" && status.phase !== "Failed"
  );
  const endpoints = pods.map((pod) => endpointOf(service, pod));
  const ports = portsOf(service, pods[0]);
  const own = { [SERVICE]: key.name };
  const there = world.labelled<KubeObject>(PLACES.slices, { namespace, labels: own }).filter(({ metadata }) =>
    metadata.labels?.[MANAGED_BY] === CONTROLLER
  );
  const pages = Math.max(1, Math.ceil(endpoints.length / MOST));
  for (let page = 0; page < pages; page++) {
    const content = { endpoints: endpoints.slice(page * MOST, (page + 1) * MOST), ports };
    const slice = there[page];
    if (slice === undefined) {
      await world.create(PLACES.slices, newSlice(service, content));
      continue;
    }
    if (equal(slice.endpoints, content.endpoints) && equal(slice.ports, content.ports)) continue;
    await world.replace(PLACES.slices, Object.assign(clone(slice), content));
  }
  for (const slice of there.slice(pages)) await world.remove(PLACES.slices, slice);
  return undefined;
}

function newSlice(service: KubeObject, content: JsonObject): KubeObject {
  const { name, namespace, labels } = service.metadata;
  const isHeadless = service.spec?.clusterIP === "None";
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: {
        ...labels,
        [MANAGED_BY]: CONTROLLER,
        [SERVICE]: name ?? "",
        ...(isHeadless ? { [HEADLESS]: "" } : {}),
      },
      ownerReferences: [controllerReference({ apiVersion: "v1", kind: "Service", object: service })],
    },
    addressType: "IPv4",
    ...content,
  };
}

function endpointOf(service: KubeObject, pod: Pod): JsonObject {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const { hostname, subdomain, nodeName } = pod.spec ?? {};
  const terminating = deletionTimestamp !== undefined;
  const serving = isReady(pod);
  const published = service.spec?.publishNotReadyAddresses === true;
  const hasHostname = hostname !== undefined && subdomain === service.metadata.name;
  return {
    addresses: [pod.status?.podIP],
    conditions: { ready: published || (serving && !terminating), serving, terminating },
    ...(hasHostname ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: "Pod", name, namespace, uid },
  };
}

/** The ports of Pods; ports that a Service calls by their names are looked up in one of its Pods. */
function portsOf(service: KubeObject, pod: Pod | undefined): JsonObject[] {
  return objectsIn(service.spec?.ports).flatMap(({ name = "", port, targetPort, protocol, appProtocol }) => {
    const named = (pod?.spec?.containers ?? []).flatMap(({ ports = [] }) => ports)
      .find((candidate) => candidate.name === targetPort);
    const number = typeof targetPort === "string" ? named?.containerPort : targetPort ?? port;
    if (number === undefined) return [];
    return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}
