/**
 * The row of Pods, whose STATUS is a story of its own.
 *
 * Source: k8s.io/kubernetes, pkg/printers/internalversion, printPod.
 */

import type { KubeObject } from "../../../../model/object.ts";
import { humanAge } from "../../formats/human_duration.ts";
import { ageOf, at, conditionOf, listAt, numberAt, textAt } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const POD_ROW: Pick<KindModule, "cells" | "conditions"> = {
  cells(pod, nowMs) {
    const { ready, total, reason, restarts, lastRestart } = summarize(pod);
    const ago = restarts > 0 && lastRestart !== "" ? ` (${humanAge(lastRestart, nowMs)} ago)` : "";
    return [
      pod.metadata.name,
      `${ready}/${total}`,
      reason,
      `${restarts}${ago}`,
      ageOf(pod, nowMs),
      textAt(listAt(pod, "status", "podIPs")[0], "ip") || "<none>",
      textAt(pod, "spec", "nodeName") || "<none>",
      textAt(pod, "status", "nominatedNodeName") || "<none>",
      readinessGates(pod),
    ];
  },
  conditions(pod) {
    const phase = textAt(pod, "status", "phase");
    if (phase !== "Succeeded" && phase !== "Failed") return undefined;
    const message = phase === "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
    return [{ type: "Completed", status: "True", reason: phase, message }];
  },
};

interface Summary {
  ready: number;
  total: number;
  reason: string;
  restarts: number;
  lastRestart: string;
}

function summarize(pod: KubeObject): Summary {
  const summary: Summary = {
    ready: 0,
    total: listAt(pod, "spec", "containers").length + sidecars(pod).size,
    reason: textAt(pod, "status", "reason") || textAt(pod, "status", "phase"),
    restarts: 0,
    lastRestart: "",
  };
  if (textAt(conditionOf(pod, "PodScheduled"), "reason") === "SchedulingGated") {
    summary.reason = "SchedulingGated";
  }
  const initializing = readInitContainers(pod, summary);
  if (!initializing || textAt(conditionOf(pod, "Initialized"), "status") === "True") {
    readContainers(pod, summary);
  }
  if (pod.metadata.deletionTimestamp) summary.reason = deletionReason(pod, summary.reason);
  return summary;
}

function deletionReason(pod: KubeObject, reason: string): string {
  if (textAt(pod, "status", "reason") === "NodeLost") return "Unknown";
  const phase = textAt(pod, "status", "phase");
  return phase === "Succeeded" || phase === "Failed" ? reason : "Terminating";
}

/** The names of init containers that keep running. */
function sidecars(pod: KubeObject): Set<string> {
  const restartable = listAt(pod, "spec", "initContainers")
    .filter((container) => textAt(container, "restartPolicy") === "Always");
  return new Set(restartable.map((container) => textAt(container, "name")));
}

/** Tells whether the pod is still initializing. */
function readInitContainers(pod: KubeObject, summary: Summary): boolean {
  const names = sidecars(pod);
  const statuses = listAt(pod, "status", "initContainerStatuses");
  const all = { restarts: 0, lastRestart: "" };
  let initializing = false;
  for (const [index, status] of statuses.entries()) {
    countRestarts(status, all);
    const isSidecar = names.has(textAt(status, "name"));
    if (isSidecar) countRestarts(status, summary);
    const terminated = at(status, "state", "terminated");
    if (terminated !== undefined && numberAt(terminated, "exitCode") === 0) continue;
    if (isSidecar && at(status, "started") === true) {
      if (at(status, "ready") === true) summary.ready++;
      continue;
    }
    summary.reason = initReason(pod, { status, index });
    initializing = true;
    break;
  }
  if (initializing && textAt(conditionOf(pod, "Initialized"), "status") !== "True") {
    Object.assign(summary, all);
  }
  return initializing;
}

function initReason(pod: KubeObject, { status, index }: { status: unknown; index: number }): string {
  const terminated = at(status, "state", "terminated");
  if (terminated !== undefined) return `Init:${endOf(terminated)}`;
  const waiting = textAt(status, "state", "waiting", "reason");
  if (waiting !== "" && waiting !== "PodInitializing") return `Init:${waiting}`;
  return `Init:${index}/${listAt(pod, "spec", "initContainers").length}`;
}

function readContainers(pod: KubeObject, summary: Summary): void {
  let running = false;
  let failure = "";
  for (const status of listAt(pod, "status", "containerStatuses").reverse()) {
    countRestarts(status, summary);
    const waiting = textAt(status, "state", "waiting", "reason");
    const terminated = at(status, "state", "terminated");
    if (waiting !== "") summary.reason = waiting;
    else if (terminated !== undefined) {
      summary.reason = endOf(terminated);
      if (numberAt(terminated, "exitCode") !== 0) failure = summary.reason;
    } else if (at(status, "ready") === true && at(status, "state", "running") !== undefined) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason !== "Completed") return;
  const ready = textAt(conditionOf(pod, "Ready"), "status") === "True";
  if (running && ready) summary.reason = "Running";
  else if (failure !== "") summary.reason = failure;
  else if (running) summary.reason = "NotReady";
}

function endOf(terminated: unknown): string {
  const reason = textAt(terminated, "reason");
  if (reason !== "") return reason;
  const signal = numberAt(terminated, "signal");
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, "exitCode")}`;
}

function countRestarts(status: unknown, into: { restarts: number; lastRestart: string }): void {
  into.restarts += numberAt(status, "restartCount");
  const finished = textAt(status, "lastState", "terminated", "finishedAt");
  if (finished > into.lastRestart) into.lastRestart = finished;
}

function readinessGates(pod: KubeObject): string {
  const gates = listAt(pod, "spec", "readinessGates");
  if (gates.length === 0) return "<none>";
  const open = gates.filter((gate) =>
    textAt(conditionOf(pod, textAt(gate, "conditionType")), "status") === "True"
  );
  return `${open.length}/${gates.length}`;
}
