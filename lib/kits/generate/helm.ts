/**
 * Manifests as a Helm chart: a few values where people differ, everything else as it is generated.
 *
 * Placeholders are put into objects before they are written as YAML, so that the rest is never touched by hand-written
 * templates. Source: Helm, "Charts" and "Chart template guide".
 */

import { isObject, shallowCopy } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { formatYaml } from "../../runtime/yaml.ts";
import type { FileTexts, FormatOptions, Manifests } from "./manifests.ts";

/** The name of a chart, and the options that it switches on. */
export interface ChartOptions extends FormatOptions {
  readonly name: string;
  /** Semantic, such as "0.1.0". */
  readonly version: string;
}

/** Writes the files of a chart. The namespace is the one of the release: `helm install --create-namespace`. */
export function toChart(
  { crds, rbac, operator, monitoring, networkPolicy }: Manifests,
  { name, version, ...wanted }: ChartOptions,
): FileTexts {
  const container = containerOf(operator);
  const [repository = "", tag = "latest"] = splitImage(String(container.image));
  const values = {
    image: { repository, tag, pullPolicy: "IfNotPresent" },
    args: container.args,
    resources: container.resources,
    ...crds.length > 0 && { crds: { enabled: true } },
    monitoring: { enabled: wanted.monitoring },
    networkPolicy: { enabled: wanted.networkPolicy },
  };
  const home = rbac[0]?.metadata.namespace ?? "";
  const template = (objects: readonly KubeObject[]): string =>
    objects.map((object) => toTemplate(object, home)).join("---\n");
  const when = (value: string, text: string): string =>
    `{{- if .Values.${value}.enabled }}\n${text}{{- end }}\n`;
  const files = new Map([
    [
      "Chart.yaml",
      formatYaml({
        apiVersion: "v2",
        name,
        description: `The operator ${name}`,
        type: "application",
        version,
      }),
    ],
    ["values.yaml", formatYaml(values)],
    ["templates/rbac.yaml", template(rbac)],
    ["templates/operator.yaml", template(operator)],
    ["templates/monitoring.yaml", when("monitoring", template(monitoring))],
    ["templates/network-policy.yaml", when("networkPolicy", template([networkPolicy]))],
  ]);
  if (crds.length > 0) files.set("templates/crds.yaml", when("crds", template(crds.map(kept))));
  return files;
}

/**
 * Returns a definition that stays when the release goes: all objects would go with it.
 *
 * Not in the folder `crds/`: Helm does not look at it in an upgrade, and fills in no namespace there, where conversions need
 * one. Source: Helm, "Custom Resource Definitions".
 */
function kept(crd: KubeObject): KubeObject {
  const { metadata } = crd;
  const annotations = { ...metadata.annotations, "helm.sh/resource-policy": "keep" };
  return { ...crd, metadata: { ...metadata, annotations } };
}

function splitImage(image: string): [repository: string, tag: string | undefined] {
  const colon = image.lastIndexOf(":");
  return colon > image.lastIndexOf("/")
    ? [image.slice(0, colon), image.slice(colon + 1)]
    : [image, undefined];
}

function containerOf(objects: readonly KubeObject[]): JsonObject {
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  // Made by deploymentOf().
  const spec = deployment?.spec as { template: { spec: { containers: [JsonObject] } } };
  return spec.template.spec.containers[0];
}

/** Stand for templates, and look like plain words to YAML. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  HELM_NAMESPACE: "{{ .Release.Namespace }}",
  HELM_IMAGE: '"{{ .Values.image.repository }}:{{ .Values.image.tag }}"',
  HELM_PULL_POLICY: "{{ .Values.image.pullPolicy }}",
  HELM_ARGS: "{{- toYaml .Values.args | nindent 12 }}",
  HELM_RESOURCES: "{{- toYaml .Values.resources | nindent 12 }}",
};

function toTemplate(object: KubeObject, home: string): string {
  const copy = object.kind === "CustomResourceDefinition"
    ? convertedInRelease(object, home)
    : inRelease(object, home);
  if (isObject(copy) && copy.kind === "Deployment") {
    const container = containerOf([copy as KubeObject]); // A copy of one.
    container.image = "HELM_IMAGE";
    container.imagePullPolicy = "HELM_PULL_POLICY";
    container.args = "HELM_ARGS";
    container.resources = "HELM_RESOURCES";
  }
  // Objects for Prometheus have braces of their own, and so may descriptions have.
  const text = formatYaml(copy).replaceAll("{{", '{{ "{{" }}');
  return text.replace(/HELM_[A-Z_]+/g, (word) => PLACEHOLDERS[word] ?? word);
}

/** Of a definition, only the way to the conversion webhook has a namespace: defaults in its schema may look like one. */
function convertedInRelease(crd: KubeObject, home: string): KubeObject {
  const conversion = isObject(crd.spec) ? crd.spec.conversion : undefined;
  return conversion === undefined
    ? crd
    : { ...crd, spec: { ...crd.spec, conversion: inRelease(conversion, home) } };
}

/** A copy in the namespace of the release, where it was in the operator's own. */
function inRelease(value: unknown, home: string): unknown {
  if (Array.isArray(value)) return value.map((item) => inRelease(item, home));
  if (!isObject(value)) return value;
  const copy = shallowCopy(value);
  for (const key of Object.keys(copy)) {
    copy[key] = key === "namespace" && copy[key] === home ? "HELM_NAMESPACE" : inRelease(copy[key], home);
  }
  return copy;
}
