/** Jobs: the labels by which each selects its own Pods. */

import type { KubeObject } from "../../../../model/object.ts";
import { objectAt } from "../../values.ts";
import type { KindModule } from "../kind_module.ts";

export const JOB: KindModule = {
  // NB: one map for both, so that the labels of its own that the template gets are the Job's as well.
  complete({ metadata, spec }) {
    const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
    if (labels === undefined || Object.keys(metadata.labels ?? {}).length > 0) return;
    metadata.labels = labels as Record<string, string>;
  },
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
  const isShared = Object.keys(metadata.labels ?? {}).length === 0 || metadata.labels === meta.labels;
  const all = { ...objectAt(meta, "labels") as Record<string, string> | undefined, ...labels };
  template.metadata = { ...meta, labels: all };
  if (isShared) metadata.labels = { ...all };
  const uid = "batch.kubernetes.io/controller-uid";
  spec.selector = { matchLabels: { ...objectAt(spec.selector, "matchLabels"), [uid]: metadata.uid } };
}
