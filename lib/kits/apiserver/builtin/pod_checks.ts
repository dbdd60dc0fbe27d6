/**
 * Refusals of Pods, and of the templates of those who make Pods: names, ports, mounts, and what containers may have.
 *
 * Source: k8s.io/kubernetes, pkg/apis/core/validation, ValidatePodSpec. Not checked: probes, variables, volumes' sources,
 * security contexts, affinity.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, duplicate, forbidden, invalid, notFound, notSupported, required } from "../causes.ts";
import { formatQuantity, readQuantity } from "../formats/quantity.ts";
import { dnsLabelErrors } from "../names.ts";
import { isObject, objectAt, objectsIn } from "../values.ts";
import { negativeCauses, portCauses } from "./value_checks.ts";

/** In seconds. */
const LONGEST_DEADLINE = 2 ** 31 - 1;
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const RESTARTS = ["Always", "OnFailure", "Never"];

export interface PodSpecOptions {
  readonly path: string;
  /** Names of volumes beside those of the spec. Default: none. */
  readonly claims?: readonly unknown[];
}

/** Says what is wrong with the spec of a Pod. */
export function podSpecCauses(spec: JsonObject, { path, claims = [] }: PodSpecOptions): Cause[] {
  const causes = volumeCauses(objectsIn(spec.volumes), `${path}.volumes`);
  const volumes = new Set([...objectsIn(spec.volumes).map(({ name }) => name), ...claims]);
  const { restartPolicy } = spec;
  const names = new Set<unknown>();
  for (const field of ["containers", "initContainers"]) {
    const containers = Array.isArray(spec[field]) ? spec[field] : [];
    if (field === "containers" && containers.length === 0) causes.push(required(`${path}.containers`));
    for (const [index, container] of containers.entries()) {
      const at = `${path}.${field}[${index}]`;
      causes.push(...containerCauses(isObject(container) ? container : {}, { path: at, names, volumes }));
    }
  }
  if (restartPolicy !== undefined && !RESTARTS.includes(String(restartPolicy))) {
    causes.push(notSupported(`${path}.restartPolicy`, { value: restartPolicy, supported: RESTARTS }));
  }
  const { activeDeadlineSeconds: value } = spec;
  if (typeof value === "number" && (value < 1 || value > LONGEST_DEADLINE)) {
    const detail = `must be between 1 and ${LONGEST_DEADLINE}, inclusive`;
    causes.push(invalid(`${path}.activeDeadlineSeconds`, { value, detail }));
  }
  return causes;
}

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];

/** Says what is wrong with a Job, whose Pods come to an end. */
export function jobCauses(spec: JsonObject, path: string): Cause[] {
  const pod = objectAt(objectAt(spec, "template"), "spec") ?? {};
  const causes = negativeCauses(spec, path, COUNTS);
  causes.push(...podSpecCauses(pod, { path: `${path}.template.spec` }));
  const { restartPolicy: value } = pod;
  const [field, supported] = [`${path}.template.spec.restartPolicy`, ["OnFailure", "Never"]];
  if (value === undefined || value === "" || value === "Always") {
    return [...causes, required(field, 'valid values: "OnFailure", "Never"')];
  }
  if (!supported.includes(String(value))) return [...causes, notSupported(field, { value, supported })];
  if (spec.podFailurePolicy === undefined || value === "Never") return causes;
  const detail = 'only "Never" is supported when podFailurePolicy is specified';
  return [...causes, invalid(field, { value, detail })];
}

/** Says what a Pod cannot begin with. */
export function newPodCauses({ ephemeralContainers, nodeName, schedulingGates }: JsonObject): Cause[] {
  const causes: Cause[] = [];
  if (objectsIn(ephemeralContainers).length > 0) {
    causes.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (nodeName && objectsIn(schedulingGates).length > 0) {
    causes.push(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  return causes;
}

function volumeCauses(volumes: readonly JsonObject[], path: string): Cause[] {
  const names = new Set<unknown>();
  return volumes.flatMap(({ name = "" }, index) => {
    const field = `${path}[${index}].name`;
    return [...nameCauses(name, field), ...repeatedCauses(name, { field, names })];
  });
}

function nameCauses(name: unknown, field: string): Cause[] {
  if (name === "") return [required(field)];
  return dnsLabelErrors(String(name)).map((detail) => invalid(field, { value: name, detail }));
}

/** No name stands twice; this one is added to those before. */
function repeatedCauses(
  name: unknown,
  { field, names }: { readonly field: string; readonly names: Set<unknown> },
): Cause[] {
  const causes = names.has(name) ? [duplicate(field, name)] : [];
  if (name !== "") names.add(name);
  return causes;
}

interface ContainerOptions {
  readonly path: string;
  /** Names of the containers before. */
  readonly names: Set<unknown>;
  readonly volumes: ReadonlySet<unknown>;
}

function containerCauses(container: JsonObject, { path, names, volumes }: ContainerOptions): Cause[] {
  const { name = "", image = "", ports, volumeMounts, resources } = container;
  return [
    ...nameCauses(name, `${path}.name`),
    ...(image === "" ? [required(`${path}.image`)] : []),
    ...portsCauses(objectsIn(ports), `${path}.ports`),
    ...mountCauses(objectsIn(volumeMounts), { path: `${path}.volumeMounts`, volumes }),
    ...resourceCauses(isObject(resources) ? resources : {}, `${path}.resources`),
    ...repeatedCauses(name, { field: `${path}.name`, names }),
  ];
}

function portsCauses(ports: readonly JsonObject[], path: string): Cause[] {
  return ports.flatMap(({ containerPort = 0, hostPort = 0, protocol = "TCP" }, index) => {
    const causes: Cause[] = [];
    if (containerPort === 0) causes.push(required(`${path}[${index}].containerPort`));
    for (const [field, value] of Object.entries({ containerPort, hostPort })) {
      if (value !== 0) causes.push(...portCauses(value, `${path}[${index}].${field}`));
    }
    if (!PROTOCOLS.includes(String(protocol))) {
      causes.push(notSupported(`${path}[${index}].protocol`, { value: protocol, supported: PROTOCOLS }));
    }
    return causes;
  });
}

function mountCauses(
  mounts: readonly JsonObject[],
  { path, volumes }: { readonly path: string; readonly volumes: ReadonlySet<unknown> },
): Cause[] {
  const places = new Set<unknown>();
  return mounts.flatMap(({ name = "", mountPath = "" }, index) => {
    const [named, place] = [`${path}[${index}].name`, `${path}[${index}].mountPath`];
    const causes = name === "" ? [required(named)] : [];
    if (!volumes.has(name)) causes.push(notFound(named, name));
    if (mountPath === "") causes.push(required(place));
    if (places.has(mountPath)) causes.push(invalid(place, { value: mountPath, detail: "must be unique" }));
    places.add(mountPath);
    return causes;
  });
}

/** Requests must not be above limits. */
function resourceCauses(resources: JsonObject, path: string): Cause[] {
  const [limits, requests] = [objectAt(resources, "limits") ?? {}, objectAt(resources, "requests") ?? {}];
  const causes: Cause[] = [];
  for (const [field, amounts] of Object.entries({ limits, requests })) {
    for (const name of Object.keys(amounts).sort()) {
      const amount = readQuantity(String(amounts[name]));
      if (amount === undefined) continue;
      const value = formatQuantity(amount);
      if (amount.value < 0n) {
        causes.push(
          invalid(`${path}.${field}[${name}]`, { value, detail: "must be greater than or equal to 0" }),
        );
      }
      const limit = field === "requests" ? readQuantity(String(limits[name] ?? "")) : undefined;
      if (limit === undefined || amount.value <= limit.value) continue;
      const detail = `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`;
      causes.push(invalid(`${path}.requests`, { value, detail }));
    }
  }
  return causes;
}
