/**
 * Rules of the kinds that make Pods: selectors, templates, warnings.
 *
 * Source: k8s.io/kubernetes, pkg/apis/apps/validation, and the strategies in pkg/registry.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { formatJson } from "../formats/go_format.ts";
import { selectorCauses } from "../labels.ts";
import { dnsLabelErrors } from "../names.ts";
import { selects } from "../selectors/selector.ts";
import { equal, isObject, objectAt, objectsIn } from "../values.ts";
import { templateCauses } from "./pod_checks.ts";
import { DEPRECATED_LABELS, podWarnings } from "./pod_warnings.ts";

/** NB: where a selector selects by no valid label, the template is not looked at, but for a DaemonSet. */
export function podsCauses(kind: string, spec: JsonObject): Cause[] {
  const selection = selectionCauses(kind, spec);
  const isUnreadable = selectorCauses(spec.selector, "spec.selector").length > 0;
  if (kind === "DaemonSet" || !isUnreadable) return [...selection, ...replicatedTemplateCauses(spec)];
  const detail = kind === "StatefulSet" ? "" : "invalid label selector";
  return [...selection, invalid("spec.selector", { value: spec.selector, detail })];
}

function selectionCauses(kind: string, { selector }: JsonObject): Cause[] {
  // NB: a DaemonSet without a selector is told of its template alone, whose labels are not selected.
  if (!isObject(selector)) return kind === "DaemonSet" ? [] : [required("spec.selector")];
  const causes = selectorCauses(selector, "spec.selector");
  const parts = [
    ...Object.keys(objectAt(selector, "matchLabels") ?? {}),
    ...objectsIn(selector.matchExpressions),
  ];
  if (parts.length > 0) return causes;
  const detail = `empty selector is invalid for ${kind.toLowerCase()}`;
  return [invalid("spec.selector", { value: selector, detail })];
}

/** The template has the labels that are selected. */
function replicatedTemplateCauses(spec: JsonObject): Cause[] {
  return [...mismatchCauses(spec), ...lastingTemplateCauses(spec, "ReplicaSet")];
}

/** The Pods of the template are always started again. */
export function lastingTemplateCauses(spec: JsonObject, kind: string): Cause[] {
  const template = objectAt(spec, "template");
  const path = "spec.template.spec";
  const pod = objectAt(template, "spec") ?? {};
  const causes = templateCauses(mountingClaims(spec), { path: "spec.template" });
  const { restartPolicy: value } = pod;
  if (value !== undefined && value !== "Always") {
    causes.push(notSupported(`${path}.restartPolicy`, { value, supported: ["Always"] }));
  }
  if (pod.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    causes.push(forbidden(`${path}.activeDeadlineSeconds`, detail));
  }
  return causes;
}

/** The template of Pods with the volumes of their own claims, which come before all others. */
function mountingClaims(spec: JsonObject): JsonObject | undefined {
  const template = objectAt(spec, "template");
  const claims = new Map(
    objectsIn(spec.volumeClaimTemplates).map((claim) => {
      const { name = "" } = objectAt(claim, "metadata") ?? {};
      return [name, { name, persistentVolumeClaim: { claimName: name } }];
    }),
  );
  if (claims.size === 0) return template;
  const pod = objectAt(template, "spec") ?? {};
  const others = objectsIn(pod.volumes).filter(({ name = "" }) => !claims.has(name));
  return { ...template, spec: { ...pod, volumes: [...claims.values(), ...others] } };
}

/** Says so if a selector does not select the labels of the template; one that is not there selects no labels. */
export function mismatchCauses({ selector, template }: JsonObject): Cause[] {
  const given = objectAt(objectAt(template, "metadata"), "labels");
  const field = "spec.template.metadata.labels";
  // NB: labels are texts, as decoding has made sure.
  const labels = given as Readonly<Record<string, string>> | undefined;
  if (isObject(selector) && selects(selector, labels)) return [];
  const detail = "`selector` does not match template `labels`";
  return [{
    ...invalid(field, { value: null, detail }),
    message: `Invalid value: ${given === undefined ? "null" : formatJson(given)}: ${detail}`,
  }];
}

interface TemplatePlace {
  /** Dotted. */
  readonly path: string;
  /** Whether the name of the object becomes part of the names of its Pods. */
  readonly isNamed?: boolean;
}

export function templateWarnings(
  object: KubeObject,
  old: KubeObject | undefined,
  { path, isNamed = false }: TemplatePlace,
): string[] {
  const [template, before] = [object, old].map((root) =>
    path.split(".").reduce<JsonObject | undefined>((at, key) => objectAt(at, key), root)
  );
  const named = isNamed && old === undefined ? nameWarnings(object.metadata, "Pod names and hostnames") : [];
  if (template === undefined || (old !== undefined && equal(template, before))) return named;
  const [metadata, spec] = [objectAt(template, "metadata") ?? {}, objectAt(template, "spec") ?? {}];
  return [...named, ...podWarnings({ metadata, spec, path })];
}

export function nameWarnings({ name = "" }: KubeObject["metadata"], use: string): string[] {
  const errors = dnsLabelErrors(name);
  if (errors.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${
      errors.join(" ")
    }]`,
  ];
}

export function annotationWarnings(
  { annotations = {} }: KubeObject["metadata"],
  deprecated: readonly (readonly [string, string])[],
): string[] {
  return deprecated.filter(([key]) => Object.hasOwn(annotations, key))
    .map(([key, says]) => `metadata.annotations[${key}]: ${says}`);
}

export function isDeprecatedLabel(label: string): boolean {
  return Object.hasOwn(DEPRECATED_LABELS, label);
}
