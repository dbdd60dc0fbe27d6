/**
 * The tables of kinds that few clients look at.
 *
 * Source: k8s.io/kubernetes, pkg/printers/internalversion.
 */

import type { KubeObject } from "../../../model/object.ts";
import { humanDuration } from "../formats/human_duration.ts";
import { isObject } from "../values.ts";
import {
  AGE,
  ageOf,
  at,
  columnsFrom,
  conditionOf,
  containersText,
  type KindTable,
  labelText,
  listAt,
  NAME,
  numberAt,
  selectorText,
  textAt,
} from "./kind_table.ts";

type Cell = (object: KubeObject, nowMs: number) => unknown;

/** A table that begins with the name; each column has a title and type, and what is in its cells. */
function table(...columns: readonly (readonly [title: string | typeof AGE, cell: Cell])[]): KindTable {
  return {
    columns: columnsFrom(NAME, ...columns.map(([title]) => title)),
    cells: (object, nowMs) => [object.metadata.name, ...columns.map(([, cell]) => cell(object, nowMs))],
  };
}

const AGED = [AGE, ageOf] as const;
const text = (...path: readonly string[]): Cell => (object) => textAt(object, ...path);
const flag = (fallback: boolean, ...path: readonly string[]): Cell => (object) =>
  at(object, ...path) ?? fallback;
const orNone = (...path: readonly string[]): Cell => (object) => at(object, ...path) ?? "<none>";

function policies(title: string, field: string): KindTable {
  return table(
    [`${title}:integer`, (object) => listAt(object, "spec", field).length],
    ["ParamKind", (object) => {
      const kind = at(object, "spec", "paramKind");
      return kind === undefined ? "<unset>" : `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}`;
    }],
    AGED,
  );
}

const POLICY_BINDINGS = table(
  ["PolicyName", text("spec", "policyName")],
  ["ParamRef", parameterText],
  AGED,
);

const LIMITS = ["spec", "limited"] as const;
const QUEUES = [...LIMITS, "limitResponse", "queuing"] as const;

/** By plural and group. */
export const RARE: Readonly<Record<string, KindTable>> = {
  podtemplates: table(
    ["Containers", (object) => containersText(at(object, "template", "spec"))[0]],
    ["Images", (object) => containersText(at(object, "template", "spec"))[1]],
    ["Pod Labels", (object) => labelText(at(object, "template", "metadata", "labels"))],
  ),
  replicationcontrollers: table(
    ["Desired:integer", (object) => numberAt(object, "spec", "replicas")],
    ["Current:integer", (object) => numberAt(object, "status", "replicas")],
    ["Ready:integer", (object) => numberAt(object, "status", "readyReplicas")],
    AGED,
    ["Containers:string:wide", (object) => containersText(at(object, "spec", "template", "spec"))[0]],
    ["Images:string:wide", (object) => containersText(at(object, "spec", "template", "spec"))[1]],
    ["Selector:string:wide", (object) => labelText(at(object, "spec", "selector"))],
  ),
  "validatingadmissionpolicies.admissionregistration.k8s.io": policies("Validations", "validations"),
  "mutatingadmissionpolicies.admissionregistration.k8s.io": policies("Mutations", "mutations"),
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": POLICY_BINDINGS,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": POLICY_BINDINGS,
  "controllerrevisions.apps": table(
    ["Controller", controllerText],
    ["Revision", (object) => numberAt(object, "revision")],
    AGED,
  ),
  "horizontalpodautoscalers.autoscaling": table(
    ["Reference", (object) => {
      const target = at(object, "spec", "scaleTargetRef");
      return `${textAt(target, "kind")}/${textAt(target, "name")}`;
    }],
    ["Targets", metricsText],
    ["MinPods", (object) => textAt(object, "spec", "minReplicas") || "<unset>"],
    ["MaxPods", (object) => numberAt(object, "spec", "maxReplicas")],
    ["Replicas", (object) => numberAt(object, "status", "currentReplicas")],
    AGED,
  ),
  "certificatesigningrequests.certificates.k8s.io": table(
    AGED,
    ["SignerName", text("spec", "signerName")],
    ["Requestor", text("spec", "username")],
    ["RequestedDuration", (object) => {
      const seconds = at(object, "spec", "expirationSeconds");
      return typeof seconds === "number" ? humanDuration(seconds * 1000) : "<none>";
    }],
    ["Condition", requestState],
  ),
  "endpointslices.discovery.k8s.io": table(
    ["AddressType", text("addressType")],
    [
      "Ports",
      (object) => fewOf(listAt(object, "ports").map((port) => at(port, "port") ?? at(port, "name") ?? "*")),
    ],
    ["Endpoints", (object) => fewOf(listAt(object, "endpoints").flatMap((one) => listAt(one, "addresses")))],
    AGED,
  ),
  "flowschemas.flowcontrol.apiserver.k8s.io": table(
    ["PriorityLevel", text("spec", "priorityLevelConfiguration", "name")],
    ["MatchingPrecedence", (object) => numberAt(object, "spec", "matchingPrecedence")],
    ["DistinguisherMethod", orNone("spec", "distinguisherMethod", "type")],
    AGED,
    ["MissingPL", (object) => textAt(conditionOf(object, "Dangling"), "status") || "?"],
  ),
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": table(
    ["Type", text("spec", "type")],
    ["NominalConcurrencyShares", orNone(...LIMITS, "nominalConcurrencyShares")],
    ["Queues", orNone(...QUEUES, "queues")],
    ["HandSize", orNone(...QUEUES, "handSize")],
    ["QueueLengthLimit", orNone(...QUEUES, "queueLengthLimit")],
    AGED,
  ),
  "ingressclasses.networking.k8s.io": byDefault(
    "ingressclass.kubernetes.io/is-default-class",
    table(["Controller", text("spec", "controller")], ["Parameters", ingressParameters], AGED),
  ),
  // NB: the real server has no column for the age of addresses, and yet a cell.
  "ipaddresses.networking.k8s.io": {
    columns: columnsFrom(NAME, "ParentRef"),
    cells: (object, nowMs) => [object.metadata.name, parentText(object), ageOf(object, nowMs)],
  },
  "servicecidrs.networking.k8s.io": table(
    ["CIDRs", (object) => listAt(object, "spec", "cidrs").join(",")],
    AGED,
  ),
  "runtimeclasses.node.k8s.io": table(["Handler", text("handler")], AGED),
  "csidrivers.storage.k8s.io": table(
    ["AttachRequired:boolean", flag(true, "spec", "attachRequired")],
    ["PodInfoOnMount:boolean", flag(false, "spec", "podInfoOnMount")],
    ["StorageCapacity:boolean", flag(false, "spec", "storageCapacity")],
    [
      "TokenRequests",
      (object) =>
        at(object, "spec", "tokenRequests") === undefined
          ? "<unset>"
          : listAt(object, "spec", "tokenRequests").map((one) => textAt(one, "audience")).join(","),
    ],
    ["RequiresRepublish:boolean", flag(false, "spec", "requiresRepublish")],
    ["Modes", (object) => listAt(object, "spec", "volumeLifecycleModes").join(",") || "<none>"],
    AGED,
  ),
  "csinodes.storage.k8s.io": table(
    ["Drivers:integer", (object) => listAt(object, "spec", "drivers").length],
    AGED,
  ),
  "storageclasses.storage.k8s.io": byDefault(
    "storageclass.kubernetes.io/is-default-class",
    table(
      ["Provisioner", text("provisioner")],
      ["ReclaimPolicy", text("reclaimPolicy")],
      ["VolumeBindingMode", text("volumeBindingMode")],
      ["AllowVolumeExpansion", flag(false, "allowVolumeExpansion")],
      AGED,
    ),
  ),
  "volumeattachments.storage.k8s.io": table(
    [{ ...NAME, name: "Attacher", description: "" }, text("spec", "attacher")],
    ["PV", text("spec", "source", "persistentVolumeName")],
    ["Node", text("spec", "nodeName")],
    ["Attached:boolean", flag(false, "status", "attached")],
    AGED,
  ),
  "volumeattributesclasses.storage.k8s.io": table(["DriverName", text("driverName")], AGED),
};

/** The table of one that may be the default of its kind, which an annotation says. */
function byDefault(annotation: string, { columns, cells }: KindTable): KindTable {
  return {
    columns,
    cells: (object, nowMs) => {
      const [name, ...rest] = cells(object, nowMs);
      const isDefault = object.metadata.annotations?.[annotation] === "true";
      return [isDefault ? `${name} (default)` : name, ...rest];
    },
  };
}

function parameterText(object: KubeObject): string {
  const reference = at(object, "spec", "paramRef");
  const name = textAt(reference, "name");
  if (name !== "") return `${textAt(reference, "namespace") || "*"}/${name}`;
  const selector = at(reference, "selector");
  return selector === undefined ? "<unset>" : selectorText(selector);
}

function controllerText({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const [group = ""] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : [];
  return `${(group === "" ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
}

/** Up to three, and how many more there are. */
function fewOf(all: readonly unknown[]): string {
  const shown = all.slice(0, 3).map(String).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown || "<unset>";
}

function requestState(request: KubeObject): string {
  const has = (type: string) => conditionOf(request, type) !== undefined;
  const failed = has("Failed") ? ",Failed" : "";
  const issued = textAt(request, "status", "certificate") === "" ? "" : ",Issued";
  return (has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending") + failed + issued;
}

function ingressParameters(object: KubeObject): string {
  const parameters = at(object, "spec", "parameters");
  if (parameters === undefined) return "<none>";
  const group = textAt(parameters, "apiGroup");
  return `${textAt(parameters, "kind")}${group === "" ? "" : `.${group}`}/${textAt(parameters, "name")}`;
}

function parentText(object: KubeObject): string {
  const parent = at(object, "spec", "parentRef");
  if (parent === undefined) return "<none>";
  const group = textAt(parent, "group");
  const resource = `${textAt(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  const namespace = textAt(parent, "namespace");
  return `${resource}${namespace === "" ? "" : `/${namespace}`}/${textAt(parent, "name")}`;
}

/** NB: version 1 knows the CPU only. */
function metricsText(object: KubeObject): string {
  const share = at(object, "spec", "targetCPUUtilizationPercentage");
  const cpu = { type: "Resource", resource: { name: "cpu", target: { averageUtilization: share } } };
  const metrics = share === undefined ? listAt(object, "spec", "metrics") : [cpu];
  if (metrics.length === 0) return "<none>";
  const measured = listAt(object, "status", "currentMetrics");
  const known = at(object, "status", "currentCPUUtilizationPercentage");
  const states = known === undefined ? measured : [{ resource: { current: { averageUtilization: known } } }];
  const shown = metrics.slice(0, 2).map((metric, index) => metricText(metric, states[index])).join(", ");
  return metrics.length > 2 ? `${shown} + ${metrics.length - 2} more...` : shown;
}

function metricText(metric: unknown, state: unknown): string {
  const type = textAt(metric, "type");
  const field = type.slice(0, 1).toLowerCase() + type.slice(1);
  const [source, current] = [at(metric, field), at(state, field, "current")];
  if (!isObject(source)) return "<unknown type>";
  const average = textAt(source, "target", "averageValue");
  const name = type === "Resource" || type === "ContainerResource" ? textAt(source, "name") : undefined;
  if (name !== undefined && average === "") {
    const [now, wanted] = [current, at(source, "target")].map((one) => textAt(one, "averageUtilization"));
    return `${name}: ${now ? `${now}%` : "<unknown>"}/${wanted ? `${wanted}%` : "<auto>"}`;
  }
  const wanted = average || textAt(source, "target", "value");
  const now = textAt(current, average === "" ? "value" : "averageValue") || "<unknown>";
  if (name !== undefined) return `${name}: ${now}/${wanted}`;
  return `${now}/${wanted}${average === "" || type === "Pods" ? "" : " (avg)"}`;
}
