/**
 * Manifests as a Helm chart: values where people differ, everything else as it is generated. Names are the release's, but for those
 * that the code itself gives: definitions, webhook configurations, the Service of webhooks, and Leases with a name of their own.
 *
 * Placeholders are put into objects before they are written as YAML, so that the rest is never touched by hand-written
 * templates. Source: Helm, "Charts" and "Chart template guide".
 */

import { isObject, shallowCopy } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { formatYaml } from "../../runtime/yaml.ts";
import { parseTraces, TRACES_ANNOTATION } from "../../registry/traces.ts";
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
  const names: Names = { name, home: rbac[0]?.metadata.namespace ?? "", leases: leasesOf(operator) };
  const values = valuesOf(operator, { ...wanted, hasDefinitions: crds.length > 0 });
  const template = (objects: readonly KubeObject[]): string =>
    objects.map((object) => toTemplate(object, names)).join("---\n");
  const when = (value: string, text: string): string => `{{- if .Values.${value} }}\n${text}{{- end }}\n`;
  const accounts = rbac.filter(({ kind }) => kind === "ServiceAccount");
  const roles = rbac.filter((each) => !accounts.includes(each));
  const [deployment, ...others] = operator;
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
    ["values.yaml", values.map(([comment, value]) => `# ${comment}\n${formatYaml(value)}`).join("")],
    ["templates/_helpers.tpl", helpersOf(name)],
    ["templates/NOTES.txt", notesOf(name)],
    ["templates/service-account.yaml", when("serviceAccount.create", template(accounts))],
    ["templates/rbac.yaml", template(roles)],
    [
      "templates/operator.yaml",
      `${guardOf(deployment)}${template(deployment === undefined ? others : [deployment, ...others])}`,
    ],
    ["templates/monitoring.yaml", when("monitoring.enabled", template(monitoring))],
    ["templates/network-policy.yaml", when("networkPolicy.enabled", template([networkPolicy]))],
    ["templates/extra.yaml", "{{- range .Values.extraObjects }}\n---\n{{ tpl (toYaml .) $ }}\n{{- end }}\n"],
  ]);
  if (crds.length > 0) files.set("templates/crds.yaml", when("crds.enabled", template(crds.map(kept))));
  return files;
}

interface ValuesOptions extends FormatOptions {
  readonly hasDefinitions: boolean;
}

/** Returns the values with a comment each, in the order in which people read them. */
function valuesOf(
  operator: readonly KubeObject[],
  { hasDefinitions, monitoring, networkPolicy }: ValuesOptions,
): readonly (readonly [comment: string, value: object])[] {
  const { container, pod, spec } = partsOf(operator);
  const [repository = "", tag = "latest"] = splitImage(String(container.image));
  return [
    ["The operator's image.", { image: { repository, tag, pullPolicy: "IfNotPresent" } }],
    ["Secrets with which the image is pulled: a list of { name }.", { imagePullSecrets: [] }],
    [
      isShared(spec)
        ? "How many Pods share the objects by Leases."
        : "One Pod, or none: this operator shares no objects. For more, make the chart with --replicas.",
      { replicas: spec.replicas },
    ],
    ["The name of all objects, in place of one made of release and chart.", { fullnameOverride: "" }],
    ["The name of the chart in names.", { nameOverride: "" }],
    ["The options of `lotse run`.", { args: container.args }],
    ["Further variables: a list of { name, value } or { name, valueFrom }.", { env: [] }],
    ["Requests and limits.", { resources: container.resources }],
    [
      "Created, with these annotations; or one that is there already, by its name.",
      { serviceAccount: { create: true, name: "", annotations: {} } },
    ],
    ["Put onto the Deployment, onto its Pods, and labels onto these.", {
      annotations: {},
      podAnnotations: {},
      podLabels: {},
    }],
    ["Where Pods run.", { nodeSelector: {}, tolerations: [], affinity: {}, priorityClassName: "" }],
    [
      "Longer than the operator takes to stop (settings.process.ultimateExitingTimeout).",
      { terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds },
    ],
    ...hasDefinitions
      ? [["Definitions of the operator's kinds; they stay when the release goes.", {
        crds: { enabled: true },
      }]] as const
      : [],
    [
      "A ServiceMonitor and alerts, for the Prometheus operator, which may look for certain labels.",
      { monitoring: { enabled: monitoring, labels: {} } },
    ],
    ["Which connections the Pods may have.", { networkPolicy: { enabled: networkPolicy } }],
    ["Further objects, which may hold templates.", { extraObjects: [] }],
  ];
}

/** Source: Helm, "Chart template guide", "Named templates". As `helm create` writes them; but Leases leave room for 50 characters. */
function helpersOf(name: string): string {
  return `{{- define "${name}.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "${name}.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "${name}.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "${name}.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "${name}.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "${name}.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- required "serviceAccount.name is needed where serviceAccount.create is false" .Values.serviceAccount.name }}
{{- end }}
{{- end }}
`;
}

function notesOf(name: string): string {
  return `The operator ${name} runs as {{ include "${name}.fullname" . }} in {{ .Release.Namespace }}.

Before you uninstall the release, take away what the operator leaves on objects (finalizers, webhooks, Leases):

  helm -n {{ .Release.Namespace }} get manifest {{ .Release.Name }} > operator.yaml
  lotse uninstall -f operator.yaml --home {{ .Release.Namespace }}
`;
}

/** Two Pods of an operator without Leases would both handle everything. */
function guardOf(deployment: KubeObject | undefined): string {
  if (deployment === undefined || isShared(partsOf([deployment]).spec)) return "";
  return `{{- if gt (int .Values.replicas) 1 }}
{{- fail "This operator shares no objects, so there can be one replica: make the chart with --replicas for more" }}
{{- end }}
`;
}

function isShared({ strategy }: JsonObject): boolean {
  return isObject(strategy) && strategy.type === "RollingUpdate";
}

/** Returns the name of the Leases that the code itself gives, which no release changes. */
function leasesOf(operator: readonly KubeObject[]): string | undefined {
  const { annotations = {} } = operator.find(({ kind }) => kind === "Deployment")?.metadata ?? {};
  const text = annotations[TRACES_ANNOTATION];
  return text === undefined ? undefined : parseTraces(text).replicas?.name;
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

/** The parts of a Deployment that deploymentOf() has made. */
interface Parts {
  readonly container: JsonObject;
  readonly pod: JsonObject;
  readonly spec: JsonObject;
}

function partsOf(objects: readonly KubeObject[]): Parts {
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  // Made by deploymentOf().
  const spec = deployment?.spec as { template: { spec: { containers: [JsonObject] } } };
  return { container: spec.template.spec.containers[0], pod: spec.template.spec, spec };
}

/** The names that a release changes, and the ones that it must not. */
interface Names {
  readonly name: string;
  readonly home: string;
  readonly leases: string | undefined;
}

/** Stand for templates, and look like plain words to YAML. */
function placeholdersOf(name: string): Readonly<Record<string, string>> {
  return {
    HELM_NAMESPACE: "{{ .Release.Namespace }}",
    HELM_RELEASE: "{{ .Release.Name }}",
    HELM_SERVICE: "{{ .Release.Service }}",
    HELM_CHART: '{{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}',
    HELM_FULLNAME: `{{ include "${name}.fullname" . }}`,
    HELM_ACCOUNT: `{{ include "${name}.serviceAccountName" . }}`,
    HELM_REPLICAS: "{{ .Values.replicas }}",
    HELM_GRACE: "{{ .Values.terminationGracePeriodSeconds }}",
    HELM_IMAGE: '"{{ .Values.image.repository }}:{{ .Values.image.tag }}"',
    HELM_PULL_POLICY: "{{ .Values.image.pullPolicy }}",
    HELM_ARGS: "{{- toYaml .Values.args | nindent 12 }}",
    HELM_RESOURCES: "{{- toYaml .Values.resources | nindent 12 }}",
  };
}

/** Begins a key "KEY/VALUE" whose line becomes the value of that name, as a member of the object; or its members; or items of a list. */
const MEMBER = "HELM_MEMBER_";
const MEMBERS = "HELM_MEMBERS_";
const ITEMS = "HELM_ITEMS_";

/** Values that stand in the Pod's specification under their own names. */
const POD_VALUES = [
  "imagePullSecrets",
  "nodeSelector",
  "tolerations",
  "affinity",
  "priorityClassName",
];

function toTemplate(object: KubeObject, { name, home, leases }: Names): string {
  const copy = copyFor(object, { name, home, leases });
  // Objects for Prometheus have braces of their own, and so may descriptions have.
  const text = formatYaml(copy).replaceAll("{{", '{{ "{{" }}');
  const placeholders = placeholdersOf(name);
  return text
    .replace(/^( *)HELM_MEMBER_([^/]+)\/(\S+): .*$/gm, (_, indent: string, key: string, value: string) => {
      const member = `${indent}${key}: {{- toYaml . | nindent ${indent.length + 2} }}`;
      return `${indent}{{- with .Values.${value} }}\n${member}\n${indent}{{- end }}`;
    })
    .replace(/^( *)(?:HELM_MEMBERS_(\S+): .*|- HELM_ITEMS_(\S+))$/gm, (_, indent: string, ...found) => {
      const value = found.find((each) => typeof each === "string");
      const members = `${indent}{{- toYaml . | nindent ${indent.length} }}`;
      return `${indent}{{- with .Values.${value} }}\n${members}\n${indent}{{- end }}`;
    })
    .replace(/HELM_[A-Z_]+/g, (word) => placeholders[word] ?? word);
}

function copyFor(object: KubeObject, names: Names): unknown {
  const { kind } = object;
  if (kind === "CustomResourceDefinition") return convertedInRelease(object, names.home);
  // A copy of an object of ours, with the same members.
  const copy = named(inRelease(object, names.home), names) as KubeObject & { metadata: JsonObject };
  const { metadata } = copy;
  metadata.labels = {
    ...metadata.labels as object,
    "app.kubernetes.io/managed-by": "HELM_SERVICE",
    "helm.sh/chart": "HELM_CHART",
    ...kind === "ServiceMonitor" || kind === "PrometheusRule" ? { [`${MEMBERS}monitoring.labels`]: "" } : {},
  };
  // The code names webhook configurations, and the Service that leads to it.
  const isFixed = kind?.endsWith("WebhookConfiguration") ||
    (kind === "Service" && object.metadata.name !== names.name);
  if (!isFixed) metadata.name = "HELM_FULLNAME";
  if (kind === "ServiceAccount") {
    metadata.name = "HELM_ACCOUNT";
    metadata[`${MEMBER}annotations/serviceAccount.annotations`] = "";
  }
  if (kind === "Deployment") parametrize(copy);
  return copy;
}

/** Puts placeholders into a Deployment. */
function parametrize(deployment: KubeObject & { metadata: JsonObject }): void {
  const { container, pod, spec } = partsOf([deployment]);
  deployment.metadata.annotations = {
    ...deployment.metadata.annotations as object,
    [`${MEMBERS}annotations`]: "",
  };
  spec.replicas = "HELM_REPLICAS";
  const { metadata } = spec.template as { metadata: JsonObject }; // Made by deploymentOf().
  metadata.labels = { ...metadata.labels as object, [`${MEMBERS}podLabels`]: "" };
  metadata[`${MEMBER}annotations/podAnnotations`] = "";
  pod.serviceAccountName = "HELM_ACCOUNT";
  pod.terminationGracePeriodSeconds = "HELM_GRACE";
  for (const value of POD_VALUES) pod[`${MEMBER}${value}/${value}`] = "";
  container.image = "HELM_IMAGE";
  container.imagePullPolicy = "HELM_PULL_POLICY";
  container.args = "HELM_ARGS";
  container.resources = "HELM_RESOURCES";
  container.env = [...container.env as readonly unknown[], `${ITEMS}env`];
}

/** The names of the release in references, selectors and rules. */
function named(value: unknown, { name, home, leases }: Names): unknown {
  const again = (each: unknown): unknown => named(each, { name, home, leases });
  if (Array.isArray(value)) return value.map(again);
  if (typeof value === "string") return value.replaceAll(`job="${name}"`, 'job="HELM_FULLNAME"');
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, each] of Object.entries(value)) copy[key] = again(each);
  if ("app.kubernetes.io/name" in copy) copy["app.kubernetes.io/instance"] = "HELM_RELEASE";
  if (copy.kind === "ServiceAccount" && copy.apiVersion === undefined) copy.name = "HELM_ACCOUNT";
  if (isObject(copy.roleRef)) copy.roleRef.name = "HELM_FULLNAME";
  if (copy.name === "LOTSE_REPLICAS_NAME" && leases === undefined) copy.value = "HELM_FULLNAME";
  return copy;
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
