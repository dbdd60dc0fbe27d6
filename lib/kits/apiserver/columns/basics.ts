/**
 * The tables of the remaining built-in kinds.
 *
 * Source: k8s.io/kubernetes, pkg/printers/internalversion.
 */

import type { KubeObject } from "../../../model/object.ts";
import { humanAge } from "../formats/human_duration.ts";
import { isObject } from "../values.ts";
import {
  AGE,
  ageOf,
  at,
  columnsFrom,
  conditionOf,
  CREATED_AT,
  type KindTable,
  listAt,
  NAME,
  numberAt,
  sizeAt,
  textAt,
} from "./kind_table.ts";

const EVENTS: KindTable = {
  columns: columnsFrom(
    "Last Seen",
    "Type",
    "Reason",
    "Object",
    "Subobject:string:wide",
    "Source:string:wide",
    "Message",
    "First Seen:string:wide",
    "Count:string:wide",
    { ...NAME, priority: 1 },
  ),
  cells: eventCells,
};

const WEBHOOKS: KindTable = {
  columns: columnsFrom(NAME, "Webhooks:integer", AGE),
  cells: (object, nowMs) => [object.metadata.name, listAt(object, "webhooks").length, ageOf(object, nowMs)],
};

const BINDINGS: KindTable = {
  columns: columnsFrom(
    NAME,
    "Role",
    AGE,
    "Users:string:wide",
    "Groups:string:wide",
    "ServiceAccounts:string:wide",
  ),
  cells: (object, nowMs) => [
    object.metadata.name,
    `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`,
    ageOf(object, nowMs),
    subjects(object, "User"),
    subjects(object, "Group"),
    subjects(object, "ServiceAccount"),
  ],
};

/** By plural, and group where there is one. */
export const BASICS: Readonly<Record<string, KindTable>> = {
  configmaps: {
    columns: columnsFrom(NAME, "Data", AGE),
    cells: (object, nowMs) => [
      object.metadata.name,
      sizeAt(object, "data") + sizeAt(object, "binaryData"),
      ageOf(object, nowMs),
    ],
  },
  secrets: {
    columns: columnsFrom(NAME, "Type", "Data", AGE),
    cells: (object, nowMs) => [
      object.metadata.name,
      textAt(object, "type"),
      sizeAt(object, "data"),
      ageOf(object, nowMs),
    ],
  },
  namespaces: {
    columns: columnsFrom(NAME, "Status", AGE),
    cells: (object, nowMs) => [object.metadata.name, textAt(object, "status", "phase"), ageOf(object, nowMs)],
  },
  serviceaccounts: {
    columns: columnsFrom(NAME, AGE),
    cells: (object, nowMs) => [object.metadata.name, ageOf(object, nowMs)],
  },
  nodes: {
    columns: columnsFrom(
      NAME,
      "Status",
      "Roles",
      AGE,
      "Version",
      "Internal-IP:string:wide",
      "External-IP:string:wide",
      "OS-Image:string:wide",
      "Kernel-Version:string:wide",
      "Container-Runtime:string:wide",
    ),
    cells: nodeCells,
  },
  events: EVENTS,
  "events.events.k8s.io": EVENTS,
  "leases.coordination.k8s.io": {
    columns: columnsFrom(NAME, "Holder", AGE),
    cells: (
      object,
      nowMs,
    ) => [object.metadata.name, textAt(object, "spec", "holderIdentity"), ageOf(object, nowMs)],
  },
  "poddisruptionbudgets.policy": {
    columns: columnsFrom(NAME, "Min Available", "Max Unavailable", "Allowed Disruptions:integer", AGE),
    cells: (object, nowMs) => [
      object.metadata.name,
      textAt(object, "spec", "minAvailable") || "N/A",
      textAt(object, "spec", "maxUnavailable") || "N/A",
      numberAt(object, "status", "disruptionsAllowed"),
      ageOf(object, nowMs),
    ],
  },
  "priorityclasses.scheduling.k8s.io": {
    columns: columnsFrom(NAME, "Value:integer", "Global-Default:boolean", AGE, "PreemptionPolicy"),
    cells: (object, nowMs) => [
      object.metadata.name,
      numberAt(object, "value"),
      at(object, "globalDefault") === true,
      ageOf(object, nowMs),
      textAt(object, "preemptionPolicy"),
    ],
  },
  resourcequotas: { columns: columnsFrom(NAME, "Request", "Limit", AGE), cells: quotaCells },
  "apiservices.apiregistration.k8s.io": {
    columns: columnsFrom(NAME, "Service", "Available", AGE),
    cells: (object, nowMs) => [
      object.metadata.name,
      "Local",
      textAt(conditionOf(object, "Available"), "status") || "Unknown",
      ageOf(object, nowMs),
    ],
  },
  "rolebindings.rbac.authorization.k8s.io": BINDINGS,
  "clusterrolebindings.rbac.authorization.k8s.io": BINDINGS,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": WEBHOOKS,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": WEBHOOKS,
};

/** The table of a kind without one of its own: roles, definitions. */
export const PLAIN: KindTable = {
  columns: columnsFrom(NAME, CREATED_AT),
  cells: (object) => [object.metadata.name, object.metadata.creationTimestamp ?? null],
};

function subjects(binding: KubeObject, kind: string): string {
  return listAt(binding, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map((subject) => {
      const name = textAt(subject, "name");
      return kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/${name}` : name;
    })
    .join(", ");
}

/** How much is used of what may be, apart for limits. */
function quotaCells(quota: KubeObject, nowMs: number): unknown[] {
  const [requests, limits]: [string[], string[]] = [[], []];
  const hard = at(quota, "status", "hard");
  for (const name of isObject(hard) ? Object.keys(hard).sort() : []) {
    const used = textAt(quota, "status", "used", name) || "0";
    (name.startsWith("limits.") ? limits : requests).push(`${name}: ${used}/${textAt(hard, name)}`);
  }
  return [quota.metadata.name, requests.join(", "), limits.join(", "), ageOf(quota, nowMs)];
}

function nodeCells(node: KubeObject, nowMs: number): unknown[] {
  const ready = conditionOf(node, "Ready");
  const status = ready === undefined ? "Unknown" : textAt(ready, "status") === "True" ? "Ready" : "NotReady";
  const cordoned = at(node, "spec", "unschedulable") === true ? ",SchedulingDisabled" : "";
  const info = (key: string): string => textAt(node, "status", "nodeInfo", key) || "<unknown>";
  const architecture = textAt(node, "status", "nodeInfo", "architecture");
  return [
    node.metadata.name,
    status + cordoned,
    rolesOf(node) || "<none>",
    ageOf(node, nowMs),
    textAt(node, "status", "nodeInfo", "kubeletVersion"),
    addressOf(node, "InternalIP"),
    addressOf(node, "ExternalIP"),
    info("osImage"),
    info("kernelVersion") + (architecture === "" ? "" : ` (${architecture})`),
    info("containerRuntimeVersion"),
  ];
}

function rolesOf(node: KubeObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(prefix) && key.length > prefix.length) return [key.slice(prefix.length)];
    return key === "kubernetes.io/role" && value !== "" ? [value] : [];
  });
  return [...new Set(roles)].sort().join(",");
}

function addressOf(node: KubeObject, type: string): string {
  const found = listAt(node, "status", "addresses").find((address) => textAt(address, "type") === type);
  return textAt(found, "address") || "<none>";
}

function eventCells(event: KubeObject, nowMs: number): unknown[] {
  const first = humanAge(
    at(event, "firstTimestamp") ?? at(event, "deprecatedFirstTimestamp") ?? at(event, "eventTime"),
    nowMs,
  );
  const series = at(event, "series");
  const lastTime = at(event, "lastTimestamp") ?? at(event, "deprecatedLastTimestamp");
  const last = series !== undefined
    ? humanAge(at(series, "lastObservedTime"), nowMs)
    : lastTime === undefined
    ? first
    : humanAge(lastTime, nowMs);
  const involved = at(event, "involvedObject") ?? at(event, "regarding");
  const name = textAt(involved, "name");
  const kind = textAt(involved, "kind").toLowerCase();
  return [
    last,
    textAt(event, "type"),
    textAt(event, "reason"),
    name === "" ? kind : `${kind}/${name}`,
    textAt(involved, "fieldPath"),
    sourceOf(event),
    (textAt(event, "message") || textAt(event, "note")).trim(),
    first,
    numberAt(series, "count") || numberAt(event, "count") || numberAt(event, "deprecatedCount") || 1,
    event.metadata.name,
  ];
}

function sourceOf(event: KubeObject): string {
  const source = at(event, "source") ?? at(event, "deprecatedSource");
  const component = textAt(source, "component") || textAt(event, "reportingComponent") ||
    textAt(event, "reportingController");
  const host = textAt(source, "host") || textAt(event, "reportingInstance");
  return host === "" ? component : `${component}, ${host}`;
}
