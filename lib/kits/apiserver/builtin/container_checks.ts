/**
 * Refusals of containers: names, ports, variables, mounts, resources, probes.
 *
 * Source: k8s.io/kubernetes, pkg/apis/core/validation, validateContainerCommon.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, duplicate, forbidden, invalid, notFound, required } from "../causes.ts";
import { formatQuantity, readQuantity } from "../formats/quantity.ts";
import { configKeyErrors, dnsLabelErrors, dnsSubdomainErrors, portNameErrors } from "../names.ts";
import { isObject, objectAt, objectsIn, structsIn } from "../values.ts";
import { securityCauses } from "./place_checks.ts";
import { choiceCauses, negativeCauses, portCauses } from "./value_checks.ts";

const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const PULLS = ["Always", "IfNotPresent", "Never"];
const TERMINATIONS = ["File", "FallbackToLogsOnError"];
/** The fields that variables may have their values from. */
const FIELDS =
  /^(metadata\.(name|namespace|uid|(labels|annotations)\['.+'\])|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?))$/;

export interface ContainerOptions {
  readonly path: string;
  /** Names of the containers before. */
  readonly names: Set<unknown>;
  readonly volumes: ReadonlySet<unknown>;
  /** Names of the Pod's claims of devices. */
  readonly claims: ReadonlySet<string>;
  /** Whether it runs before the others, and ends. */
  readonly isInitial: boolean;
}

/** Returns the faults of a container. */
export function containerCauses(container: JsonObject, options: ContainerOptions): Cause[] {
  const { path, names, volumes, claims, isInitial } = options;
  const { name = "", image = "", ports, env, envFrom, volumeMounts, resources } = container;
  return [
    ...nameCauses(name, `${path}.name`),
    ...(image === "" ? [required(`${path}.image`)] : []),
    ...choiceCauses(container.terminationMessagePolicy, `${path}.terminationMessagePolicy`, TERMINATIONS),
    ...portsCauses(objectsIn(ports), `${path}.ports`),
    ...objectsIn(env).flatMap((each, index) => variableCauses(each, `${path}.env[${index}]`)),
    ...objectsIn(envFrom).flatMap((each, index) => variablesCauses(each, { path: `${path}.envFrom`, index })),
    ...mountCauses(objectsIn(volumeMounts), { path: `${path}.volumeMounts`, volumes }),
    ...choiceCauses(container.imagePullPolicy, `${path}.imagePullPolicy`, PULLS),
    ...resourceCauses(isObject(resources) ? resources : {}, `${path}.resources`),
    ...claimCauses(isObject(resources) ? resources.claims : [], { path: `${path}.resources.claims`, claims }),
    ...securityCauses(container.securityContext, `${path}.securityContext`),
    ...repeatedCauses(name, { field: `${path}.name`, names }),
    ...(isInitial && container.restartPolicy !== "Always"
      ? lastingCauses(container, path)
      : hookCauses(container, path)),
  ];
}

/** Says that a name is no label. */
export function nameCauses(name: unknown, field: string): Cause[] {
  if (name === "") return [required(field)];
  return dnsLabelErrors(String(name)).map((detail) => invalid(field, { value: name, detail }));
}

/** No name stands twice; this one is added to the names before. */
export function repeatedCauses(
  name: unknown,
  { field, names }: { readonly field: string; readonly names: Set<unknown> },
): Cause[] {
  const causes = names.has(name) ? [duplicate(field, name)] : [];
  names.add(name);
  return causes;
}

function portsCauses(ports: readonly JsonObject[], path: string): Cause[] {
  const names = new Set<unknown>();
  return ports.flatMap(({ name = "", containerPort = 0, hostPort = 0, protocol = "TCP" }, index) => {
    const at = `${path}[${index}]`;
    const causes = name === ""
      ? []
      : portNameErrors(String(name)).map((detail) => invalid(`${at}.name`, { value: name, detail }));
    if (name !== "" && causes.length === 0) {
      causes.push(...repeatedCauses(name, { field: `${at}.name`, names }));
    }
    if (containerPort === 0) causes.push(required(`${at}.containerPort`));
    for (const [field, value] of Object.entries({ containerPort, hostPort })) {
      if (value !== 0) causes.push(...portCauses(value, `${at}.${field}`));
    }
    return [...causes, ...choiceCauses(protocol, `${at}.protocol`, PROTOCOLS)];
  });
}

const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];

function variableCauses(variable: JsonObject, path: string): Cause[] {
  const { name = "", value = "" } = variable;
  const causes: Cause[] = [];
  if (name === "") causes.push(required(`${path}.name`));
  else if (!/^[ -<>-~]+$/.test(String(name))) {
    const detail =
      "a valid environment variable name must consist only of printable ASCII characters other than '='";
    causes.push(invalid(`${path}.name`, { value: name, detail }));
  }
  const from = objectAt(variable, "valueFrom");
  if (from === undefined) return causes;
  const bad = (detail: string) => causes.push(invalid(`${path}.valueFrom`, { value: "", detail }));
  const sources = SOURCES.filter((source) => isObject(from[source]));
  for (const source of sources) {
    causes.push(
      ...sourceCauses(objectAt(from, source) ?? {}, { source, path: `${path}.valueFrom.${source}` }),
    );
  }
  if (sources.length === 0) {
    bad(
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    );
  } else if (value !== "") bad("may not be specified when `value` is not empty");
  else if (sources.length > 1) bad("may not have more than one field specified at a time");
  return causes;
}

function sourceCauses(
  from: JsonObject,
  { source, path }: { readonly source: string; readonly path: string },
): Cause[] {
  if (source === "fieldRef") {
    const { fieldPath: value = "" } = from;
    const field = `${path}.fieldPath`;
    if (value === "") return [required(field)];
    const detail = `error converting fieldPath: field label not supported: ${value}`;
    return FIELDS.test(String(value)) ? [] : [invalid(field, { value, detail })];
  }
  if (source !== "configMapKeyRef" && source !== "secretKeyRef") return [];
  const { name = "", key = "" } = from;
  const causes = dnsSubdomainErrors(String(name)).map((detail) =>
    invalid(`${path}.name`, { value: name, detail })
  );
  if (key === "") return [...causes, required(`${path}.key`)];
  return [
    ...causes,
    ...configKeyErrors(String(key)).map((detail) => invalid(`${path}.key`, { value: key, detail })),
  ];
}

function variablesCauses(
  from: JsonObject,
  { path, index }: { readonly path: string; readonly index: number },
): Cause[] {
  const sources = ["configMapRef", "secretRef"].filter((source) => isObject(from[source]));
  const bad = (detail: string) => [invalid(path, { value: "", detail })];
  const causes = sources.flatMap((source) => {
    const { name: value = "" } = objectAt(from, source) ?? {};
    const field = `${path}[${index}].${source}.name`;
    return dnsSubdomainErrors(String(value)).map((detail) => invalid(field, { value, detail }));
  });
  if (sources.length === 0) return [...causes, ...bad("must specify one of: `configMapRef` or `secretRef`")];
  return sources.length > 1
    ? [...causes, ...bad("may not have more than one field specified at a time")]
    : causes;
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
        const detail = "must be greater than or equal to 0";
        causes.push(invalid(`${path}.${field}[${name}]`, { value, detail }));
      }
      const limit = field === "requests" ? readQuantity(String(limits[name] ?? "")) : undefined;
      if (limit === undefined || amount.value <= limit.value) continue;
      const detail = `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`;
      causes.push(invalid(`${path}.requests`, { value, detail }));
    }
  }
  return causes;
}

/** The Pod has a claim of each name, and none stands twice, as a whole or with the same request. */
function claimCauses(
  references: unknown,
  { path, claims }: { readonly path: string; readonly claims: ReadonlySet<string> },
): Cause[] {
  const before = new Set<string>();
  return structsIn(references).flatMap((reference, index) => {
    const at = `${path}[${index}]`;
    const name = String(reference.name ?? "");
    const request = String(reference.request ?? "");
    if (name === "") return [required(at)];
    const key = request === "" ? name : `${name}/${request}`;
    const causes: Cause[] = [];
    if (before.has(name)) causes.push(duplicate(at, name));
    else {
      if (request !== "") {
        causes.push(
          ...dnsLabelErrors(request).map((detail) => invalid(`${at}.request`, { value: request, detail })),
        );
      }
      if (before.has(key)) causes.push(duplicate(at, key));
      else if (request === "") {
        const parts = [...before].filter((each) => each.startsWith(`${name}/`));
        causes.push(...parts.map(() => duplicate(at, name)));
      }
      before.add(key);
    }
    if (claims.has(name)) return causes;
    const known = claims.size === 0 ? " which is empty" : `: ${[...claims].sort().join(", ")}`;
    return [...causes, notFound(at, name, `must be one of the names in pod.spec.resourceClaims${known}`)];
  });
}

const HOOKS = ["postStart", "preStop"];
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const TIMES = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
];

/** A container that ends before the others begin has no probes and no lifecycle. */
function lastingCauses(container: JsonObject, path: string): Cause[] {
  const detail = "may not be set for init containers without restartPolicy=Always";
  return ["lifecycle", ...PROBES].flatMap((field) =>
    isObject(container[field]) ? [forbidden(`${path}.${field}`, detail)] : []
  );
}

function hookCauses(container: JsonObject, path: string): Cause[] {
  const lifecycle = objectAt(container, "lifecycle") ?? {};
  const causes = HOOKS.flatMap((hook) => {
    const handler = objectAt(lifecycle, hook);
    return handler === undefined ? [] : actionCauses(handler, `${path}.lifecycle.${hook}`);
  });
  for (const name of PROBES) {
    const probe = objectAt(container, name);
    if (probe === undefined) continue;
    const at = `${path}.${name}`;
    causes.push(...actionCauses(probe, at), ...negativeCauses(probe, at, TIMES));
    const { successThreshold: value = 1 } = probe;
    if (name !== "readinessProbe" && value !== 1) {
      causes.push(invalid(`${at}.successThreshold`, { value, detail: "must be 1" }));
    }
  }
  return causes;
}

const ACTIONS = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/** One thing is done, and it can be. */
function actionCauses(handler: JsonObject, path: string): Cause[] {
  const [action, ...more] = ACTIONS.filter((name) => isObject(handler[name]));
  if (action === undefined) return [required(path, "must specify a handler type")];
  const others = more.map((name) => forbidden(`${path}.${name}`, "may not specify more than 1 handler type"));
  const { command, port } = objectAt(handler, action) ?? {};
  if (action === "exec") {
    const isEmpty = !Array.isArray(command) || command.length === 0;
    return isEmpty ? [required(`${path}.exec.command`), ...others] : others;
  }
  if (action === "sleep") return others;
  const field = `${path}.${action}.port`;
  if (typeof port !== "string") return [...portCauses(port ?? 0, field), ...others];
  return [...portNameErrors(port).map((detail) => invalid(field, { value: port, detail })), ...others];
}
