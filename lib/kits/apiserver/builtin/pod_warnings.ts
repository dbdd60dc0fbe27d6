/**
 * The warnings of Pods and of their templates: deprecated labels and volumes, repeated names, ports and variables, amounts that
 * are not whole.
 *
 * Not told: addresses in unusual notations.
 * Source: k8s.io/kubernetes, pkg/api/pod/warnings.go and pkg/api/node/util.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { formatQuantity, readQuantity, UNIT } from "../formats/quantity.ts";
import { labelValueErrors } from "../names.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";

/** By label of nodes: the advice. */
export const DEPRECATED_LABELS: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods":
    "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

/** By annotation: the advice on its replacement. */
const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

/** By source of a volume, in the order in which the real server looks at them. */
const DEPRECATED_VOLUMES: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

/** A Pod, or a template of Pods. */
interface PodLike {
  readonly metadata: { readonly annotations?: unknown };
  readonly spec: JsonObject;
  /** Dotted; "" for a Pod. */
  readonly path: string;
}

/** Returns the warnings of a Pod or a template, in the order of the real server. */
export function podWarnings({ metadata, spec, path }: PodLike): string[] {
  const base = path === "" ? "" : `${path}.`;
  const at = `${base}spec`;
  const notes = `${base}metadata.annotations`;
  const annotations = objectAt(metadata, "annotations") ?? {};
  const containers = containersOf(spec, at);
  const hasProfile = isObject(objectAt(spec, "securityContext")?.seccompProfile);
  return [
    ...placeWarnings(spec, at),
    ...Object.keys(DEPRECATED_ANNOTATIONS).filter((key) => Object.hasOwn(annotations, key))
      .map((key) => `${notes}[${key}]: ${DEPRECATED_ANNOTATIONS[key]}`),
    ...volumeWarnings(spec, at),
    ...repeatedWarnings(spec, at),
    ...fractionWarnings({ overhead: spec.overhead }, { path: at, names: BYTES, lists: ["overhead"] }),
    ...(!hasProfile && Object.hasOwn(annotations, SECCOMP) ? [`${notes}[${SECCOMP}]: ${USE_PROFILE}`] : []),
    ...containers.flatMap(({ container, field }) => [
      ...profileWarnings(container, { annotations, notes, spec, isTemplate: path !== "" }),
      ...fractionWarnings(objectAt(container, "resources"), { path: `${field}.resources`, names: BYTES }),
      ...variableWarnings(objectsIn(container.env), field),
    ]),
    ...portWarnings(containers),
    ...(typeof spec.terminationGracePeriodSeconds === "number" && spec.terminationGracePeriodSeconds < 0
      ? [
        `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
      ]
      : []),
    ...affinityWarnings(spec, at),
  ];
}

/** Containers as the real server goes through them, each with its path. */
function containersOf(spec: JsonObject, at: string): { container: JsonObject; field: string }[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    objectsIn(spec[list]).map((container, index) => ({ container, field: `${at}.${list}[${index}]` }))
  );
}

const NO_SELECTOR = "a null labelSelector results in matching no pod";

/** The nodes that it asks for. */
function placeWarnings(spec: JsonObject, at: string): string[] {
  const affinity = objectAt(objectAt(spec, "affinity"), "nodeAffinity");
  const required = objectAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const terms =
    `${at}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  return [
    ...Object.keys(objectAt(spec, "nodeSelector") ?? {}).filter((label) =>
      Object.hasOwn(DEPRECATED_LABELS, label)
    ).map((label) => `${at}.nodeSelector[${label}]: ${DEPRECATED_LABELS[label]}`),
    ...objectsIn(required?.nodeSelectorTerms).flatMap((term, index) =>
      termWarnings(term, `${terms}[${index}]`)
    ),
    ...objectsIn(affinity?.[preferred]).flatMap(({ preference }, index) =>
      termWarnings(
        isObject(preference) ? preference : {},
        `${at}.affinity.nodeAffinity.${preferred}[${index}].preference`,
        true,
      )
    ),
    ...objectsIn(spec.topologySpreadConstraints).flatMap(({ topologyKey, labelSelector }, index) => {
      const field = `${at}.topologySpreadConstraints[${index}]`;
      const key = String(topologyKey);
      return [
        ...(Object.hasOwn(DEPRECATED_LABELS, key)
          ? [`${field}.topologyKey: ${key} is ${DEPRECATED_LABELS[key]}`]
          : []),
        ...(labelSelector === undefined ? [`${field}.labelSelector: ${NO_SELECTOR}`] : []),
      ];
    }),
  ];
}

/** Returns the warnings of a term that selects nodes; values are looked at where the real server does. */
export function termWarnings(term: JsonObject, path: string, checksValues = false): string[] {
  return ["matchExpressions"].flatMap((part) =>
    objectsIn(term[part]).flatMap(({ key, values }, index) => {
      const field = `${path}.${part}[${index}]`;
      const name = String(key);
      return [
        ...(Object.hasOwn(DEPRECATED_LABELS, name)
          ? [`${field}.key: ${name} is ${DEPRECATED_LABELS[name]}`]
          : []),
        ...(checksValues && Array.isArray(values) ? values : []).flatMap((value, i) =>
          labelValueErrors(String(value)).map((error) =>
            `${field}.values[${i}]: ${value} is invalid, ${error}`
          )
        ),
      ];
    })
  );
}

function affinityWarnings(spec: JsonObject, at: string): string[] {
  return ["podAffinity", "podAntiAffinity"].flatMap((kind) => {
    const affinity = objectAt(objectAt(spec, "affinity"), kind);
    const [required, preferred] = ["required", "preferred"].map((word) =>
      `${word}DuringSchedulingIgnoredDuringExecution`
    ) as [string, string];
    const path = `${at}.affinity.${kind}`;
    return [
      ...objectsIn(affinity?.[required]).flatMap(({ labelSelector }, index) =>
        labelSelector === undefined ? [`${path}.${required}[${index}].labelSelector: ${NO_SELECTOR}`] : []
      ),
      ...objectsIn(affinity?.[preferred]).flatMap(({ podAffinityTerm }, index) =>
        objectAt(podAffinityTerm, "labelSelector") === undefined
          ? [`${path}.${preferred}[${index}].podAffinityTerm.labelSelector: ${NO_SELECTOR}`]
          : []
      ),
    ];
  });
}

function volumeWarnings(spec: JsonObject, at: string): string[] {
  const volumes = objectsIn(spec.volumes);
  const deprecated = volumes.flatMap((volume, index) => {
    const field = `${at}.volumes[${index}]`;
    const claim = objectAt(objectAt(objectAt(volume, "ephemeral"), "volumeClaimTemplate"), "spec");
    return [
      ...Object.keys(DEPRECATED_VOLUMES).filter((source) => isObject(volume[source])).map((source) =>
        `${field}.${source === "storageos" ? "storageOS" : source}: ${DEPRECATED_VOLUMES[source]}`
      ),
      ...fractionWarnings(objectAt(claim, "resources"), {
        path: `${field}.ephemeral.volumeClaimTemplate.spec.resources`,
        names: ["storage"],
      }),
    ];
  });
  return [...deprecated, ...volumes.flatMap(overlapWarnings)];
}

interface MappedPath {
  readonly path: string;
  /** Says where it comes from, if the volume has several sources. */
  readonly source: string;
}

/** Paths within one volume of which one is below another. */
function overlapWarnings(volume: JsonObject): string[] {
  const name = JSON.stringify(volume.name ?? "");
  const itemsOf = (of: JsonObject | undefined, source: string): MappedPath[] =>
    objectsIn(of?.items).map(({ path }) => ({ path: String(path ?? ""), source }));
  const [map, secret] = [objectAt(volume, "configMap"), objectAt(volume, "secret")];
  const down = objectAt(volume, "downwardAPI");
  const lists: [string, MappedPath[]][] = [
    [`ConfigMap ${JSON.stringify(map?.name ?? "")}`, itemsOf(map, "")],
    [`Secret ${JSON.stringify(secret?.secretName ?? "")}`, itemsOf(secret, "")],
    ["DownwardAPI", itemsOf(down, "")],
  ];
  const projected = objectsIn(objectAt(volume, "projected")?.sources);
  lists.push([
    "Projected",
    projected.flatMap((source) => {
      const [map, secret] = [objectAt(source, "configMap"), objectAt(source, "secret")];
      const token = objectAt(source, "serviceAccountToken");
      return [
        ...itemsOf(map, `ConfigMap ${JSON.stringify(map?.name ?? "")}`),
        ...itemsOf(secret, `Secret ${JSON.stringify(secret?.name ?? "")}`),
        ...itemsOf(objectAt(source, "downwardAPI"), "DownwardAPI"),
        ...(token === undefined ? [] : [{ path: String(token.path ?? ""), source: "ServiceAccountToken" }]),
      ];
    }),
  ]);
  return lists.flatMap(([description, paths]) =>
    overlapsIn(paths).map((overlap) => `volume ${name} (${description}): overlapping paths: ${overlap}`)
  );
}

function overlapsIn(paths: readonly MappedPath[]): string[] {
  const shown = ({ path, source }: MappedPath) =>
    source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
  const before: MappedPath[] = [];
  return paths.flatMap((each) => {
    const one = { ...each, path: each.path.replace(/\/$/, "") };
    const found = one.path === ""
      ? []
      : before.filter(({ path }) =>
        path !== "" && (`${path}/`.startsWith(`${one.path}/`) || `${one.path}/`.startsWith(`${path}/`))
      );
    before.push(one);
    return found.map((other) => `${shown(one)} with ${shown(other)}`);
  });
}

function repeatedWarnings(spec: JsonObject, at: string): string[] {
  const warnings: string[] = [];
  for (const [list, field, word] of [["hostAliases", "ip", "ip"], ["imagePullSecrets", "name", "name"]]) {
    const seen = new Set<unknown>();
    for (const [index, item] of objectsIn(spec[list!]).entries()) {
      const value = item[field!] ?? "";
      if (seen.has(value)) {
        warnings.push(`${at}.${list}[${index}].${field}: duplicate ${word} ${JSON.stringify(value)}`);
      }
      seen.add(value);
    }
  }
  for (const [index, { name = "" }] of objectsIn(spec.imagePullSecrets).entries()) {
    if (name === "") warnings.push(`${at}.imagePullSecrets[${index}].name: invalid empty name ""`);
  }
  return warnings;
}

const BYTES = ["memory", "ephemeral-storage"];

interface Amounts {
  readonly path: string;
  /** The resources that are counted in whole bytes. */
  readonly names: readonly string[];
  readonly lists?: readonly string[];
}

/** Returns the warnings of amounts of bytes that are not whole. */
export function fractionWarnings(
  resources: JsonObject | undefined,
  { path, names, lists = names === BYTES ? ["limits", "requests"] : ["requests", "limits"] }: Amounts,
): string[] {
  return names.flatMap((name) =>
    lists.flatMap((list) => {
      const amount = readQuantity(String(objectAt(resources, list)?.[name] ?? ""));
      // NB: an amount smaller than a thousandth is rounded up to one.
      if (amount === undefined || amount.value % UNIT === 0n) return [];
      const value = JSON.stringify(formatQuantity(amount));
      return [`${path}.${list}[${name}]: fractional byte value ${value} is invalid, must be an integer`];
    })
  );
}

const SECCOMP = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_OF = "container.apparmor.security.beta.kubernetes.io/";
const USE_PROFILE = 'non-functional in v1.27+; use the "seccompProfile" field instead';

interface Profiles {
  readonly annotations: JsonObject;
  readonly notes: string;
  readonly spec: JsonObject;
  readonly isTemplate: boolean;
}

function profileWarnings(
  { name, securityContext }: JsonObject,
  { annotations, notes, spec, isTemplate }: Profiles,
): string[] {
  const [seccomp, appArmor] = [`${SECCOMP_OF}${name}`, `${APP_ARMOR_OF}${name}`];
  const has = (field: string) => isObject(securityContext) && isObject(securityContext[field]);
  const warnings: string[] = [];
  if (!has("seccompProfile") && Object.hasOwn(annotations, seccomp)) {
    warnings.push(`${notes}[${seccomp}]: ${USE_PROFILE}`);
  }
  const isSaid = isObject(objectAt(spec, "securityContext")?.appArmorProfile);
  if (isTemplate && !isSaid && !has("appArmorProfile") && Object.hasOwn(annotations, appArmor)) {
    warnings.push(`${notes}[${appArmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
  return warnings;
}

/** A variable that stands twice is fine if the second one goes on with the value of the first. */
function variableWarnings(env: readonly JsonObject[], field: string): string[] {
  const seen = new Set<unknown>();
  return env.flatMap(({ name = "", value = "", valueFrom }, index) => {
    const isNew = !seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const goesOn = valueFrom === undefined && value !== reference && String(value).includes(reference);
    if (isNew || goesOn) return [];
    const what = JSON.stringify(name);
    return [
      `${field}.env[${index}]: hides previous definition of ${what}, which may be dropped when using apply`,
    ];
  });
}

interface PlacedPort {
  readonly port: JsonObject;
  readonly field: string;
}

function portWarnings(containers: readonly { container: JsonObject; field: string }[]): string[] {
  const ports: PlacedPort[] = containers.flatMap(({ container, field }) =>
    objectsIn(container.ports).map((port, index) => ({ port, field: `${field}.ports[${index}]` }))
  );
  const warnings: string[] = [];
  const before = new Map<string, PlacedPort[]>();
  for (const placed of ports) {
    const { containerPort, protocol = "TCP" } = placed.port;
    const key = `${containerPort}/${protocol}`;
    const others = before.get(key) ?? [];
    for (const other of others) {
      const clash = clashOf(placed.port, other.port);
      if (clash !== undefined) warnings.push(`${placed.field}: ${clash} port definition with ${other.field}`);
    }
    before.set(key, [...others, placed]);
  }
  const names = new Map<unknown, string>();
  for (const { port: { name = "" }, field } of ports) {
    const first = names.get(name);
    if (name === "") continue;
    if (first === undefined) names.set(name, field);
    else {
      warnings.push(
        `${field}: duplicate port name ${
          JSON.stringify(name)
        } with ${first}, services and probes that select ports by name will use ${first}`,
      );
    }
  }
  return warnings;
}

function clashOf(one: JsonObject, other: JsonObject): string | undefined {
  const [ip, port] = [one.hostIP ?? "", one.hostPort ?? 0];
  const [otherIp, otherPort] = [other.hostIP ?? "", other.hostPort ?? 0];
  if (ip === otherIp && port === otherPort) return "duplicate";
  if (port === 0 || otherPort === 0) return "overlapping";
  return port === otherPort && (ip === "") !== (otherIp === "") ? "dangerously ambiguous" : undefined;
}
