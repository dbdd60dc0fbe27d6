/**
 * Requests about a Pod besides itself and its status: to bind it to a node, to evict it, to add containers for
 * debugging. Requests that would need a running container are refused.
 *
 * Source: k8s.io/kubernetes, pkg/registry/core/pod/storage (storage.go, eviction.go).
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { keyFor, type Kind, type ObjectKey } from "../kinds.ts";
import { copyTopology, NODES } from "../builtin/pod_topology.ts";
import { badRequest, conflict, internal, notFound, tooManyRequests } from "../refusal.ts";
import { selects } from "../selectors/selector.ts";
import type { Stored } from "../storage/stored.ts";
import { timestamp } from "../formats/timestamp.ts";
import { clone, isObject, objectAt, objectsIn } from "../values.ts";
import { deleteObject } from "../writes/delete.ts";
import { updateObject } from "../writes/update.ts";
import { askAbout } from "../verbs/admitted.ts";
import { readValue } from "../bodies/body.ts";
import type { Call } from "../verbs/call.ts";
import { deleteOptionsFrom } from "../options/delete_options.ts";
import { encodedResponse } from "../answers/respond.ts";

const BINDING = { group: "", version: "v1", kind: "Binding" };
const EVICTION = { group: "policy", version: "v1", kind: "Eviction" };
const DISRUPTION = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Serves `binding` and `eviction` of a Pod; undefined for other subresources. */
export function podResponse(cluster: Cluster, call: Call): Promise<Response> | undefined {
  const { kind, path } = call;
  if (kind.group !== "" || kind.plural !== "pods") return undefined;
  if (path.subresource === "binding") return bind(cluster, call);
  return path.subresource === "eviction" ? evict(cluster, call) : undefined;
}

/** Puts a Pod onto a node. */
async function bind(cluster: Cluster, call: Call): Promise<Response> {
  const { reference, body: wanted } = await readBody(call, "Binding");
  const headers = new Headers();
  const asked = { subject: BINDING, operation: "CREATE", headers } as const;
  const body = await askAbout(cluster, call, { ...asked, object: wanted });
  const target = objectAt(body, "target");
  const node = target?.name;
  if (typeof node !== "string" || node === "") throw badRequest("target.name: Required value");
  const change = (object: KubeObject) => {
    const { name = "", deletionTimestamp } = object.metadata;
    const refuse = (why: string) => conflict({ group: "", plural: "pods/binding", kind: "Pod" }, name, why);
    if (deletionTimestamp !== undefined) {
      throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
    }
    if (object.spec?.nodeName !== undefined) {
      throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(object.spec.nodeName)}`);
    }
    if (objectsIn(object.spec?.schedulingGates).length > 0) {
      throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
    }
    return bound(cluster, object, { node, metadata: objectAt(body, "metadata") ?? {} });
  };
  updateObject(cluster, { kind: call.kind, reference, subresource: "binding", dryRun: call.dryRun, change });
  return done(call, headers);
}

function bound(
  { host, store }: Cluster,
  pod: KubeObject,
  { node, metadata }: { readonly node: string; readonly metadata: JsonObject },
): KubeObject {
  const next = clone(pod);
  for (const field of ["annotations", "labels"] as const) {
    for (const [key, value] of Object.entries(objectAt(metadata, field) ?? {})) {
      next.metadata[field] = { ...next.metadata[field], [key]: String(value) };
    }
  }
  copyTopology(next.metadata, node, store.collection(NODES));
  next.spec = { ...next.spec, nodeName: node };
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(host.clock.now()),
  };
  const others = objectsIn(next.status?.conditions).filter(({ type }) => type !== "PodScheduled");
  next.status = { ...next.status, conditions: [...others, scheduled] };
  return next;
}

/** Deletes a Pod, unless too few of its kind would be left. */
async function evict(cluster: Cluster, call: Call): Promise<Response> {
  const { kind } = call;
  const { reference, body } = await readBody(call, "Eviction");
  const options = deleteOptionsFrom(objectAt(body, "deleteOptions") ?? {});
  const dryRun = call.dryRun || options.dryRun === true;
  const headers = new Headers();
  const asked = { subject: EVICTION, operation: "CREATE", dryRun, headers } as const;
  await askAbout(cluster, call, { ...asked, object: body });
  const pod = find(kind, reference).object;
  const { phase } = pod.status ?? {};
  const isFree = phase === "Succeeded" || phase === "Failed" || phase === "Pending" ||
    pod.metadata.deletionTimestamp !== undefined;
  if (!isFree) takeDisruption(cluster, pod, dryRun);
  // NB: the deletion itself is not admitted.
  const deletion = { ...options, kind, reference };
  deleteObject(cluster, { ...deletion, dryRun: true });
  if (dryRun) return done(call, headers);
  markEvicted(cluster, kind, reference);
  const { preconditions: _checked, ...checked } = deletion;
  deleteObject(cluster, checked);
  return done(call, headers);
}

/** Notes on a Pod why it goes, which is seen where it stays for a while. */
function markEvicted(cluster: Cluster, kind: Kind, reference: ObjectKey): void {
  const next = clone(find(kind, reference).object);
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(cluster.host.clock.now()),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const conditions = objectsIn(next.status?.conditions);
  if (conditions.some(({ type }) => type === condition.type)) return;
  next.status = { ...next.status, conditions: [...conditions, condition] };
  cluster.store.put(kind.collection, keyFor(kind, reference), next);
}

/** Counts the Pod as disrupted, if its budget lets it. @throws {Refusal} 429 or 500 */
function takeDisruption(cluster: Cluster, pod: KubeObject, dryRun: boolean): void {
  const { namespace = "", name = "", labels } = pod.metadata;
  const kind = cluster.kinds.at("policy/v1", "poddisruptionbudgets");
  const budgets = [...kind?.collection.values(`${namespace}/`) ?? []]
    .filter(({ object }) => isObject(object.spec?.selector) && selects(object.spec.selector, labels));
  const [budget] = budgets;
  if (kind === undefined || budget === undefined) return;
  if (budgets.length > 1) {
    throw internal(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const { metadata, spec = {}, status = {} } = budget.object;
  const [healthy, wanted] = [Number(status.currentHealthy ?? 0), Number(status.desiredHealthy ?? 0)];
  // A Pod that is not ready is not among the counted ones.
  const isSpare = spec.unhealthyPodEvictionPolicy === "AlwaysAllow" || (healthy >= wanted && wanted > 0);
  if (!isReady(pod) && isSpare) return;
  const cause = (message: string) => ({ reason: "DisruptionBudget", message });
  if (Number(status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    const message = `The disruption budget ${metadata.name} is still being processed by the server.`;
    throw tooManyRequests(DISRUPTION, { retryAfter: 10, causes: [cause(message)] });
  }
  const allowed = Number(status.disruptionsAllowed ?? 0);
  if (allowed <= 0) {
    const message =
      `The disruption budget ${metadata.name} needs ${wanted} healthy pods and has ${healthy} currently`;
    throw tooManyRequests(DISRUPTION, { causes: [cause(message)] });
  }
  if (dryRun) return;
  const disruptedPods = { ...objectAt(status, "disruptedPods"), [name]: timestamp(cluster.host.clock.now()) };
  const updated = clone(budget.object);
  updated.status = { ...status, disruptionsAllowed: allowed - 1, disruptedPods };
  cluster.store.put(kind.collection, `${namespace}/${metadata.name}`, updated);
}

function isReady({ status }: KubeObject): boolean {
  return objectsIn(status?.conditions).some((each) => each.type === "Ready" && each.status === "True");
}

function find(kind: Kind, reference: ObjectKey): Stored {
  const stored = kind.collection.get(keyFor(kind, reference));
  if (stored === undefined) throw notFound(kind, reference.name);
  return stored;
}

interface Asked {
  readonly reference: ObjectKey;
  readonly body: JsonObject;
}

async function readBody({ request, kind, path }: Call, wanted: string): Promise<Asked> {
  const body = await readValue(request);
  if (!isObject(body)) throw badRequest(`the request body is not an object of kind ${wanted}`);
  checkNames(body, wanted);
  const reference = { namespace: path.namespace, name: path.name ?? "" };
  const named = objectAt(body, "metadata")?.name;
  if (named !== undefined && named !== reference.name) {
    throw badRequest(
      wanted === "Binding"
        ? "name in URL does not match name in Binding object"
        : "name in URL does not match name in Eviction object",
    );
  }
  find(kind, reference);
  return { reference, body };
}

const VERSIONS: Readonly<Record<string, readonly unknown[]>> = {
  Binding: ["v1"],
  Eviction: ["policy/v1", "policy/v1beta1"],
};

/** @throws {Refusal} 400 if a body has another kind or version. A body without them is of the wanted ones. */
function checkNames({ apiVersion = "", kind = "" }: JsonObject, wanted: string): void {
  const versions = VERSIONS[wanted] ?? [];
  const isKnown = (kind === "" || kind === wanted) && (apiVersion === "" || versions.includes(apiVersion));
  if (isKnown) return;
  const [version = ""] = String(apiVersion || versions[0]).split("/").slice(-1);
  const name = kind === "" ? wanted : kind;
  const fault = `no kind "${name}" is registered for version "${apiVersion}"`;
  // NB: Go names its tables of kinds by where they are made.
  const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
  throw badRequest(`${name} in version "${version}" cannot be handled as a ${wanted}: ${fault} ${scheme}`);
}

function done({ shape }: Call, headers: Headers): Response {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return encodedResponse(status, { shape, code: 201, headers });
}
