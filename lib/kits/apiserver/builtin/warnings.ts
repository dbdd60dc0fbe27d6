/**
 * The warnings that come with the answer to a write of a built-in kind: the object is taken, and may do otherwise than its author
 * thinks.
 *
 * Templates of Pods are told in `pod_warnings.ts`. Updates are told of templates that have changed alone.
 * Source: k8s.io/kubernetes, the strategies in pkg/registry (WarningsOnCreate, WarningsOnUpdate).
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { dnsLabelErrors } from "../names.ts";
import { equal, isObject, objectAt, objectsIn } from "../values.ts";
import { DEPRECATED_LABELS, fractionWarnings, podWarnings, termWarnings } from "./pod_warnings.ts";

type Warn = (object: KubeObject, old: KubeObject | undefined) => readonly string[];

const WARNINGS: Readonly<Record<string, Warn>> = {
  CronJob: (object, old) =>
    templateWarnings(object, old, {
      path: "spec.jobTemplate.spec.template",
      isNamed: true,
    }),
  DaemonSet: (object, old) => templateWarnings(object, old, { path: "spec.template" }),
  Deployment: (object, old) => templateWarnings(object, old, { path: "spec.template", isNamed: true }),
  Ingress: ({ metadata, spec }, old) =>
    old === undefined && Object.hasOwn(metadata.annotations ?? {}, INGRESS_CLASS) &&
      spec?.ingressClassName === undefined
      ? [`annotation "${INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  Job: (object, old) => templateWarnings(object, old, { path: "spec.template", isNamed: true }),
  PersistentVolume: volumeWarnings,
  PersistentVolumeClaim: ({ metadata, spec }) => [
    ...annotationWarnings(metadata, [[STORAGE_CLASS, STORAGE_CLASS_SAYS]]),
    ...fractionWarnings(objectAt(spec, "resources"), { path: "spec.resources", names: ["storage"] }),
  ],
  Pod: ({ metadata, spec = {} }, old) =>
    old === undefined
      ? [...nameWarnings(metadata, "the Pod's hostname"), ...podWarnings({ metadata, spec, path: "" })]
      : [],
  PodTemplate: (object, old) => templateWarnings(object, old, { path: "template" }),
  ReplicaSet: (object, old) => templateWarnings(object, old, { path: "spec.template", isNamed: true }),
  ReplicationController: (object, old) =>
    templateWarnings(object, old, { path: "spec.template", isNamed: true }),
  RuntimeClass: ({ scheduling }) =>
    Object.keys(objectAt(scheduling, "nodeSelector") ?? {}).filter(isDeprecatedLabel)
      .map((label) => `scheduling.nodeSelector: ${DEPRECATED_LABELS[label]}`),
  Service: ({ spec = {}, metadata }) => serviceWarnings(spec, metadata),
  StatefulSet: (object, old) => [
    ...templateWarnings(object, old, { path: "spec.template" }),
    ...(old === undefined ? setWarnings(object.spec ?? {}) : []),
  ],
  StorageClass: ({ allowedTopologies }) =>
    objectsIn(allowedTopologies).flatMap(({ matchLabelExpressions }, index) =>
      objectsIn(matchLabelExpressions).flatMap(({ key }, i) =>
        isDeprecatedLabel(String(key))
          ? [`allowedTopologies[${index}].matchLabelExpressions[${i}].key: ${DEPRECATED_LABELS[String(key)]}`]
          : []
      )
    ),
};

/** Returns the warnings of an object that is written; without `old`, of a new one. */
export function builtinWarnings(
  kind: string,
  object: KubeObject,
  old: KubeObject | undefined,
): readonly string[] {
  return Object.hasOwn(WARNINGS, kind) ? WARNINGS[kind]?.(object, old) ?? [] : [];
}

const INGRESS_CLASS = "kubernetes.io/ingress.class";
const STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class";
const STORAGE_CLASS_SAYS = 'deprecated since v1.8; use "storageClassName" attribute instead';

function isDeprecatedLabel(label: string): boolean {
  return Object.hasOwn(DEPRECATED_LABELS, label);
}

interface TemplatePlace {
  /** Dotted. */
  readonly path: string;
  /** Whether the name of the object becomes part of those of its Pods. */
  readonly isNamed?: boolean;
}

function templateWarnings(
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

function nameWarnings({ name = "" }: KubeObject["metadata"], use: string): string[] {
  const errors = dnsLabelErrors(name);
  if (errors.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${
      errors.join(" ")
    }]`,
  ];
}

function annotationWarnings(
  { annotations = {} }: KubeObject["metadata"],
  deprecated: readonly (readonly [string, string])[],
): string[] {
  return deprecated.filter(([key]) => Object.hasOwn(annotations, key))
    .map(([key, says]) => `metadata.annotations[${key}]: ${says}`);
}

function setWarnings({ volumeClaimTemplates, revisionHistoryLimit }: JsonObject): string[] {
  const claims = objectsIn(volumeClaimTemplates).flatMap(({ spec }, index) =>
    fractionWarnings(objectAt(spec, "resources"), {
      path: `spec.volumeClaimTemplates[${index}].resources`,
      names: ["storage"],
    })
  );
  return typeof revisionHistoryLimit === "number" && revisionHistoryLimit < 0
    ? [
      ...claims,
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    ]
    : claims;
}

/** The sources of volumes whose plugins have gone, by since when. */
const GONE: Readonly<Record<string, string>> = {
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

function volumeWarnings({ metadata, spec = {} }: KubeObject): string[] {
  const terms = objectAt(objectAt(spec, "nodeAffinity"), "required")?.nodeSelectorTerms;
  return [
    ...annotationWarnings(metadata, [
      [STORAGE_CLASS, STORAGE_CLASS_SAYS],
      [
        "volume.beta.kubernetes.io/mount-options",
        'deprecated since v1.31; use "mountOptions" attribute instead',
      ],
    ]),
    ...(spec.persistentVolumeReclaimPolicy === "Recycle"
      ? [
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      ]
      : []),
    ...objectsIn(terms).flatMap((term, index) =>
      termWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`)
    ),
    ...Object.keys(GONE).filter((source) => isObject(spec[source])).map((source) =>
      `spec.${source === "storageos" ? "storageOS" : source}: ${GONE[source]}`
    ),
  ];
}

const HINTS = "service.kubernetes.io/topology-aware-hints";

function serviceWarnings(spec: JsonObject, { annotations = {} }: KubeObject["metadata"]): string[] {
  const isHeadless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  const isExternal = spec.type === "ExternalName";
  const hasExternal = Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0;
  const said: readonly (readonly [boolean, string])[] = [
    [
      Object.hasOwn(annotations, HINTS),
      `annotation ${HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    ],
    [isHeadless && Boolean(spec.loadBalancerIP), "spec.loadBalancerIP is ignored for headless services"],
    [isHeadless && hasExternal, "spec.externalIPs is ignored for headless services"],
    [
      isHeadless && spec.sessionAffinity !== "None",
      "spec.SessionAffinity is ignored for headless services",
    ],
    [
      hasExternal && !isHeadless && !isExternal,
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ],
    [isExternal && hasExternal, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [
      !isExternal && Boolean(spec.externalName),
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    [
      spec.trafficDistribution === "PreferClose",
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return said.filter(([isSo]) => isSo).map(([, text]) => text);
}
