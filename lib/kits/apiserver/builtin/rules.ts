/**
 * The rules particular to each built-in kind when it is written.
 *
 * Types and unknown fields are a matter of decoding (`bodies/typed_decode.ts`); of the values, only some are checked.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { defaultBuiltin, initialStatus, tolerate } from "./defaults.ts";
import { refuseServices } from "./api_service_checks.ts";
import { builtinCauses } from "./checks.ts";
import { newPodCauses } from "./pod_checks.ts";
import { defaultDevices, deviceCauses } from "./device_rules.ts";
import { eventCauses } from "./event_rules.ts";
import { immutableCauses } from "./immutable_fields.ts";
import type { KindRules } from "../kinds.ts";
import { PRIORITY_CLASSES, setPriority } from "./priority_classes.ts";
import { copyTopology, NODES } from "./pod_topology.ts";
import type { Store } from "../store.ts";
import { equal, fill, isObject, objectAt, setOwn } from "../values.ts";

interface BuiltinRulesOptions {
  readonly group: string;
  readonly store: Store;
  /** Whether Pods live, and so get a service account. */
  readonly runsPods?: boolean;
}

/** Returns the rules of a built-in kind; `store` has objects of others, which some ask for. */
export function builtinRules(
  kind: string,
  { group, store, runsPods = false }: BuiltinRulesOptions,
): KindRules {
  const rules: KindRules = {
    normalize(object) {
      if (kind === "Secret") foldStringData(object);
      defaultBuiltin(kind, object);
      defaultDevices(kind, object);
      if (kind === "DaemonSet") annotateDaemonSet(object);
      return [];
    },
    settle(object, old) {
      if (kind === "DaemonSet") countTemplates(object, old);
      if (old !== undefined) return;
      initialStatus(kind, object);
      if (kind === "Job") labelJob(object);
    },
    validate: (object, { old, part }) => [
      ...(part === "status" ? [] : builtinCauses(kind, object)),
      ...(kind === "Pod" && old === undefined ? newPodCauses(object.spec ?? {}) : []),
      ...(kind === "Event" ? eventCauses(object, { old, isStrict: group === "events.k8s.io" }) : []),
      ...deviceCauses(kind, object, old),
      ...(old === undefined || part === "status" ? [] : immutableCauses(kind, { object, old, part })),
    ],
  };
  if (kind === "APIService") return { ...rules, prepare: refuseServices };
  if (kind === "Pod") {
    return {
      ...rules,
      admit(object, old) {
        setPriority(object, old, store.collection(PRIORITY_CLASSES));
        tolerate(object);
        if (runsPods && object.spec !== undefined) {
          fill(object.spec, { serviceAccountName: "default", serviceAccount: "default" });
        }
        if (old === undefined) {
          copyTopology(object.metadata, object.spec?.nodeName, store.collection(NODES));
        }
      },
      gracePeriod: podGracePeriod,
    };
  }
  // NB: kubelets say all about their node when they make it. Source: k8s.io/kubernetes, pkg/registry/core/node.
  if (kind === "Node") return { ...rules, takesStatus: true };
  return kind === "Namespace" ? { ...rules, ...NAMESPACE_RULES } : rules;
}

/** Pods that nobody runs need no time to end. Source: k8s.io/kubernetes, pkg/registry/core/pod/strategy.go. */
function podGracePeriod({ spec, status }: KubeObject, asked: number | undefined): number {
  const isOver = status?.phase === "Failed" || status?.phase === "Succeeded";
  if (isOver || spec?.nodeName === undefined || spec.nodeName === "") return 0;
  const seconds = asked ?? Number(spec.terminationGracePeriodSeconds ?? 0);
  return seconds < 0 ? 1 : seconds;
}

const NAMESPACE_RULES: Omit<KindRules, "validate"> = {
  normalize(object) {
    const { metadata } = object;
    metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name ?? "" };
    defaultBuiltin("Namespace", object);
    return [];
  },
  settle(object, old) {
    if (old !== undefined) return;
    initialStatus("Namespace", object);
    object.spec = { ...object.spec, finalizers: ["kubernetes"] };
  },
  terminate(object) {
    delete object.metadata.deletionGracePeriodSeconds;
    object.status = { ...object.status, phase: "Terminating" };
  },
  holds(object) {
    const finalizers = objectAt(object, "spec")?.finalizers;
    return Array.isArray(finalizers) && finalizers.length > 0;
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

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** NB: to whoever writes no annotation, it is 0 until the server sets it right: so they own it. */
function annotateDaemonSet({ metadata }: KubeObject): void {
  metadata.annotations = { [TEMPLATE_GENERATION]: "0", ...metadata.annotations };
}

/** Source: k8s.io/kubernetes, pkg/registry/apps/daemonset/strategy.go. */
function countTemplates({ metadata, spec }: KubeObject, old: KubeObject | undefined): void {
  const given = Number((old ?? { metadata }).metadata.annotations?.[TEMPLATE_GENERATION]);
  const isNew = old !== undefined && !equal(spec?.template, old.spec?.template);
  const count = Math.max(1, Number.isInteger(given) ? given : 1) + (isNew ? 1 : 0);
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(count) };
}

/** `stringData` can only be written: it ends up in `data`. */
function foldStringData(secret: KubeObject): void {
  const { stringData } = secret;
  if (!isObject(stringData)) return;
  const data: JsonObject = isObject(secret.data) ? { ...secret.data } : {};
  for (const [key, value] of Object.entries(stringData)) setOwn(data, key, toBase64(String(value)));
  secret.data = data;
  delete secret.stringData;
}

function toBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
