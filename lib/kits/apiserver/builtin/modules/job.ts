/** Jobs: the labels by which each selects its own Pods. */

import type { KubeObject } from "../../../../model/object.ts";
import { objectAt } from "../../values.ts";
import type { KindModule } from "../kind_module.ts";

export const JOB: KindModule = {
  settle(object, old) {
    if (old === undefined) labelJob(object);
  },
};

/** A Job selects its own Pods: by labels made of its uid. */
function labelJob(job: KubeObject): void {
  const { metadata } = job;
  const spec = objectAt(job, "spec") ?? {};
  const template = objectAt(spec, "template");
  if (template === undefined || spec.manualSelector === true) return;
  const labels = {
    "batch.kubernetes.io/controller-uid": metadata.uid ?? "",
    "batch.kubernetes.io/job-name": metadata.name ?? "",
    "controller-uid": metadata.uid ?? "",
    "job-name": metadata.name ?? "",
  };
  const meta = objectAt(template, "metadata") ?? {};
  template.metadata = { ...meta, labels: { ...objectAt(meta, "labels"), ...labels } };
  metadata.labels ??= { ...objectAt(meta, "labels") as Record<string, string> | undefined, ...labels };
  const uid = "batch.kubernetes.io/controller-uid";
  spec.selector = { matchLabels: { ...objectAt(spec.selector, "matchLabels"), [uid]: metadata.uid } };
}
