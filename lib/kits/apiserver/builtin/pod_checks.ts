/**
 * Refusals of Pods, and of the templates of Pods in other kinds: names, volumes, containers, policies.
 *
 * Source: k8s.io/kubernetes, pkg/apis/core/validation, ValidatePodSpec, and pkg/apis/batch/validation. Not checked: DNS, and
 * most sources of volumes.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, duplicate, forbidden, invalid, notSupported, required } from "../causes.ts";
import { PrintedStruct } from "../formats/go_format.ts";
import { ipErrors } from "../formats/ip_address.ts";
import { annotationCauses, labelCauses } from "../labels.ts";
import { dnsLabelErrors, dnsSubdomainErrors, labelValueErrors, qualifiedNameErrors } from "../names.ts";
import { isObject, objectAt, objectsIn, structsIn } from "../values.ts";
import { containerCauses, nameCauses } from "./container_checks.ts";
import { affinityCauses, securityCauses, spreadCauses } from "./place_checks.ts";
import { choiceCauses } from "./value_checks.ts";
import { claimCauses } from "./volumes.ts";

/** In seconds. */
const LONGEST_DEADLINE = 2 ** 31 - 1;
const RESTARTS = ["Always", "OnFailure", "Never"];
const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

export interface PodSpecOptions {
  readonly path: string;
}

/** Returns the faults of the spec of a Pod. */
export function podSpecCauses(spec: JsonObject, { path }: PodSpecOptions): Cause[] {
  const { causes, names: volumes } = volumeCauses(structsIn(spec.volumes), `${path}.volumes`);
  const devices = structsIn(spec.resourceClaims);
  causes.push(...deviceCauses(devices, `${path}.resourceClaims`));
  const deviceNames = new Set(devices.map(({ name }) => String(name ?? "")).filter((name) => name !== ""));
  const names = new Set<unknown>();
  for (const field of ["containers", "initContainers"]) {
    const containers = Array.isArray(spec[field]) ? spec[field] : [];
    const isInitial = field === "initContainers";
    if (!isInitial && containers.length === 0) causes.push(required(`${path}.containers`));
    for (const [index, container] of containers.entries()) {
      const options = { path: `${path}.${field}[${index}]`, names, volumes, claims: deviceNames, isInitial };
      causes.push(...containerCauses(isObject(container) ? container : {}, options));
    }
    if (!isInitial) causes.push(...hostPortCauses(objectsIn(containers), `${path}.containers`));
  }
  causes.push(...choiceCauses(spec.restartPolicy, `${path}.restartPolicy`, RESTARTS));
  causes.push(...choiceCauses(spec.dnsPolicy, `${path}.dnsPolicy`, DNS_POLICIES));
  for (const [key, value] of Object.entries(objectAt(spec, "nodeSelector") ?? {})) {
    if (typeof value !== "string") continue;
    causes.push(
      ...qualifiedNameErrors(key).map((detail) => invalid(`${path}.nodeSelector`, { value: key, detail })),
      ...labelValueErrors(value).map((detail) => invalid(`${path}.nodeSelector`, { value, detail })),
    );
  }
  causes.push(
    ...securityCauses(spec.securityContext, `${path}.securityContext`),
    ...affinityCauses(spec.affinity, `${path}.affinity`),
    ...spreadCauses(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`),
  );
  const subdomains = { fields: ["serviceAccountName", "nodeName"], errors: dnsSubdomainErrors };
  causes.push(...namesCauses(spec, path, subdomains));
  const { activeDeadlineSeconds: value } = spec;
  if (typeof value === "number" && (value < 1 || value > LONGEST_DEADLINE)) {
    const detail = `must be between 1 and ${LONGEST_DEADLINE}, inclusive`;
    causes.push(invalid(`${path}.activeDeadlineSeconds`, { value, detail }));
  }
  return [...causes, ...hostCauses(spec, path)];
}

/** The Pod's claims of devices: each with a name of its own, and with either a claim or a template. */
function deviceCauses(claims: readonly JsonObject[], path: string): Cause[] {
  const names = new Set<unknown>();
  return claims.flatMap((claim, index) => {
    const at = `${path}[${index}]`;
    const { name = "", resourceClaimName, resourceClaimTemplateName } = claim;
    const causes = names.has(name) ? [duplicate(`${at}.name`, name)] : nameCauses(name, `${at}.name`);
    if (name !== "") names.add(name);
    const sources = Object.entries({ resourceClaimName, resourceClaimTemplateName })
      .filter(([, value]) => value !== undefined && value !== null);
    if (sources.length !== 1) {
      const detail = sources.length === 0
        ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      causes.push(
        invalid(at, {
          value: new PrintedStruct({
            Name: name,
            ResourceClaimName: resourceClaimName ?? null,
            ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
          }),
          detail,
        }),
      );
    }
    const bad = sources.flatMap(([field, value]) =>
      dnsSubdomainErrors(String(value)).map((detail) => invalid(`${at}.${field}`, { value, detail }))
    );
    return [...causes, ...bad];
  });
}

/** Returns the faults of a template of Pods. */
export function templateCauses(template: unknown, { path }: PodSpecOptions): Cause[] {
  const metadata = objectAt(template, "metadata") ?? {};
  return [
    ...labelCauses(metadata.labels, `${path}.labels`),
    ...annotationCauses(metadata.annotations, `${path}.annotations`),
    ...podSpecCauses(objectAt(template, "spec") ?? {}, { path: `${path}.spec` }),
  ];
}

/** The names in these fields, as far as there are any. */
function namesCauses(
  spec: JsonObject,
  path: string,
  { fields, errors }: { readonly fields: readonly string[]; readonly errors: (name: string) => string[] },
): Cause[] {
  return fields.flatMap((field) => {
    const value = spec[field];
    if (!value) return [];
    return errors(String(value)).map((detail) => invalid(`${path}.${field}`, { value, detail }));
  });
}

/** Its names, and the taints that it bears. */
function hostCauses(spec: JsonObject, path: string): Cause[] {
  const causes = namesCauses(spec, path, { fields: ["hostname", "subdomain"], errors: dnsLabelErrors });
  causes.push(
    ...objectsIn(spec.tolerations).flatMap((each, index) =>
      tolerationCauses(each, `${path}.tolerations[${index}]`)
    ),
  );
  for (const [index, { ip: value = "" }] of objectsIn(spec.hostAliases).entries()) {
    const field = `${path}.hostAliases[${index}].ip`;
    causes.push(...ipErrors(String(value)).map((detail) => invalid(field, { value, detail })));
  }
  return causes;
}

function tolerationCauses(toleration: JsonObject, path: string): Cause[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const causes: Cause[] = [];
  const bad = (field: string, value: unknown, detail: string) =>
    causes.push(invalid(`${path}.${field}`, { value, detail }));
  if (key !== "") { for (const detail of qualifiedNameErrors(String(key))) bad("key", key, detail); }
  else if (operator !== "Exists") {
    bad(
      "operator",
      operator,
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
    );
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    bad("effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (operator === "Exists" && value !== "") {
    bad("operator", value, "value must be empty when `operator` is 'Exists'");
  }
  if (!["", "Equal", "Exists"].includes(String(operator))) {
    causes.push(notSupported(`${path}.operator`, { value: operator, supported: ["Equal", "Exists"] }));
  }
  const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
  return effect === "" ? causes : [...causes, ...choiceCauses(effect, `${path}.effect`, effects)];
}

/** By source: the field that it must have, if any. */
const NAMED: Readonly<Record<string, string>> = {
  hostPath: "path",
  secret: "secretName",
  configMap: "name",
  persistentVolumeClaim: "claimName",
};

interface Volumes {
  readonly causes: Cause[];
  /** The names of the volumes without faults: only these can be mounted. */
  readonly names: Set<unknown>;
}

function volumeCauses(volumes: readonly JsonObject[], path: string): Volumes {
  const names = new Set<unknown>();
  const causes = volumes.flatMap((volume, index) => {
    const { name = "" } = volume;
    const at = `${path}[${index}]`;
    const field = `${at}.name`;
    const sources = Object.keys(volume).filter((key) => isObject(volume[key]));
    const [first, ...more] = ORDER.filter((source) => sources.includes(source));
    const causes = first === undefined
      ? []
      : sourceCauses(objectAt(volume, first) ?? {}, first, `${at}.${first}`);
    for (const other of more) {
      causes.push(forbidden(`${at}.${other}`, "may not specify more than 1 volume type"));
    }
    causes.push(...nameCauses(name, field), ...(names.has(name) ? [duplicate(field, name)] : []));
    if (causes.length === 0) names.add(name);
    return causes;
  });
  return { causes, names };
}

/** In the order in which the real server looks at them; sources that it looks at in other ways are not here. */
const ORDER = [
  "emptyDir",
  "hostPath",
  "secret",
  "nfs",
  "persistentVolumeClaim",
  "configMap",
  "projected",
  "csi",
  "ephemeral",
];

function sourceCauses(source: JsonObject, kind: string, path: string): Cause[] {
  if (kind === "ephemeral") {
    const at = `${path}.volumeClaimTemplate`;
    const template = objectAt(source, "volumeClaimTemplate");
    if (template === undefined) return [required(at)];
    return claimCauses(objectAt(template, "spec") ?? {}, `${at}.spec`);
  }
  const field = NAMED[kind];
  const causes = field !== undefined && (source[field] ?? "") === "" ? [required(`${path}.${field}`)] : [];
  const { defaultMode: value } = source;
  if (typeof value !== "number" || (value >= 0 && value <= 0o777)) return causes;
  const detail = "must be a number between 0 and 0777 (octal), both inclusive";
  return [...causes, invalid(`${path}.defaultMode`, { value, detail })];
}

/** No two containers listen at the same port of the node. */
function hostPortCauses(containers: readonly JsonObject[], path: string): Cause[] {
  const seen = new Set<string>();
  return containers.flatMap(({ ports }, index) =>
    objectsIn(ports).flatMap(({ protocol = "TCP", hostIP = "", hostPort }, i) => {
      if (!hostPort) return [];
      const place = `${protocol}/${hostIP}/${hostPort}`;
      const isTaken = seen.has(place);
      seen.add(place);
      return isTaken ? [duplicate(`${path}[${index}].ports[${i}].hostPort`, place)] : [];
    })
  );
}
