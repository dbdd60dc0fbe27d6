/**
 * Defaults and refusals of what devices are claimed by: ResourceClaims, their templates, and ResourceSlices.
 *
 * Nothing here gives devices to anybody: a claim stays pending unless somebody writes its status. Source:
 * k8s.io/kubernetes, pkg/apis/resource/{v1/defaults.go,validation}.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, duplicate, invalid, notSupported, required, tooLong, tooMany } from "../causes.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../names.ts";
import { equal, fill, objectAt, objectsIn } from "../values.ts";

const MODES = ["All", "ExactCount"];
const MOST = 32;
const MOST_ALTERNATIVES = 8;
const LONGEST_DRIVER = 63;
const PLACES = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"];

/** Where the claim stands in an object of a kind that has one. */
const CLAIMS: Readonly<Record<string, string>> = {
  ResourceClaim: "spec",
  ResourceClaimTemplate: "spec.spec",
};

/** Fills in the defaults, in place. */
export function defaultDevices(kind: string, object: KubeObject): void {
  if (!Object.hasOwn(CLAIMS, kind)) return;
  const template = kind === "ResourceClaimTemplate" ? objectAt(object, "spec") : undefined;
  if (template !== undefined) fill(template, { metadata: {} });
  for (const request of objectsIn(objectAt(claimIn(kind, object), "devices")?.requests)) {
    for (const each of [objectAt(request, "exactly"), ...objectsIn(request.firstAvailable)]) {
      if (each === undefined) continue;
      fill(each, { allocationMode: "ExactCount" });
      if (each.allocationMode === "ExactCount") fill(each, { count: 1 });
      for (const toleration of objectsIn(each.tolerations)) fill(toleration, { operator: "Equal" });
    }
  }
}

/** Says what is wrong with an object of these kinds. */
export function deviceCauses(kind: string, object: KubeObject, old?: KubeObject): Cause[] {
  if (kind === "ResourceSlice") return sliceCauses(objectAt(object, "spec") ?? {}, objectAt(old, "spec"));
  const at = CLAIMS[kind];
  if (at === undefined) return [];
  if (old !== undefined && !equal(object.spec, old.spec)) {
    return [invalid("spec", { value: object.spec, detail: "field is immutable" })];
  }
  const requests = objectsIn(objectAt(claimIn(kind, object), "devices")?.requests);
  return listCauses(requests, { at: `${at}.devices.requests`, most: MOST, each: requestCauses });
}

function claimIn(kind: string, object: KubeObject): JsonObject | undefined {
  const spec = objectAt(object, "spec");
  return kind === "ResourceClaimTemplate" ? objectAt(spec, "spec") : spec;
}

interface ListOptions {
  readonly at: string;
  readonly most: number;
  readonly each: (item: JsonObject, at: string) => Cause[];
}

function listCauses(items: readonly JsonObject[], { at, most, each }: ListOptions): Cause[] {
  const causes = items.length > most ? [tooMany(at, { actual: items.length, maximum: most })] : [];
  const names = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    causes.push(...each(item, `${at}[${index}]`));
    if (names.has(item.name)) causes.push(duplicate(`${at}[${index}]`, item.name));
    names.add(item.name);
  }
  return causes;
}

function requestCauses(request: JsonObject, at: string): Cause[] {
  const exactly = objectAt(request, "exactly");
  const alternatives = objectsIn(request.firstAvailable);
  const causes = nameCauses(request.name, `${at}.name`);
  causes.push(
    ...listCauses(alternatives, {
      at: `${at}.firstAvailable`,
      most: MOST_ALTERNATIVES,
      each: (item, path) => [...nameCauses(item.name, `${path}.name`), ...deviceRequestCauses(item, path)],
    }),
  );
  if (exactly !== undefined) causes.push(...deviceRequestCauses(exactly, `${at}.exactly`));
  const detail = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly === undefined && alternatives.length === 0) causes.push(required(at, detail));
  if (exactly !== undefined && alternatives.length > 0) {
    causes.push(invalid(at, { value: null, detail: `${detail}, but multiple fields are set` }));
  }
  return causes;
}

function nameCauses(name: unknown, at: string): Cause[] {
  return dnsLabelErrors(String(name ?? "")).map((detail) => invalid(at, { value: name ?? "", detail }));
}

function deviceRequestCauses(request: JsonObject, at: string): Cause[] {
  const { deviceClassName = "", allocationMode: mode, count } = request;
  const causes = deviceClassName === ""
    ? [required(`${at}.deviceClassName`)]
    : dnsSubdomainErrors(String(deviceClassName)).map((detail) =>
      invalid(`${at}.deviceClassName`, { value: deviceClassName, detail })
    );
  for (const [index, selector] of objectsIn(request.selectors).entries()) {
    if (objectAt(selector, "cel") === undefined) causes.push(required(`${at}.selectors[${index}].cel`));
  }
  if (!MODES.includes(String(mode))) {
    causes.push(notSupported(`${at}.allocationMode`, { value: mode, supported: MODES }));
  } else if (mode === "All" && count !== undefined && count !== 0) {
    const detail = "must not be specified when allocationMode is 'All'";
    causes.push(invalid(`${at}.count`, { value: count, detail }));
  } else if (mode === "ExactCount" && Number(count) <= 0) {
    causes.push(invalid(`${at}.count`, { value: count, detail: "must be greater than zero" }));
  }
  return causes;
}

function sliceCauses(spec: JsonObject, old: JsonObject | undefined): Cause[] {
  const driver = String(spec.driver ?? "");
  const pool = objectAt(spec, "pool") ?? {};
  const causes = driver === ""
    ? [required("spec.driver")]
    : dnsSubdomainErrors(driver).map((detail) => invalid("spec.driver", { value: driver, detail }));
  if (driver.length > LONGEST_DRIVER) causes.push(tooLong("spec.driver", LONGEST_DRIVER));
  if ((pool.name ?? "") === "") causes.push(required("spec.pool.name"));
  if (Number(pool.resourceSliceCount ?? 0) <= 0) {
    const detail = "must be greater than zero";
    causes.push(invalid("spec.pool.resourceSliceCount", { value: pool.resourceSliceCount ?? 0, detail }));
  }
  const places = PLACES.filter((place) => spec[place] !== undefined && spec[place] !== false);
  const detail = `exactly one of ${PLACES.map((place) => `\`${place}\``).join(", ")} is required`;
  if (places.length === 0) causes.push(required("spec", detail));
  if (places.length > 1) {
    const value = `{${places.map((place) => `\`${place}\``).join(", ")}}`;
    causes.push(invalid("spec", { value, detail: `${detail}, but multiple fields are set` }));
  }
  if (old === undefined) return causes;
  const kept: readonly (readonly [string, unknown, unknown])[] = [
    ["spec.pool.name", pool.name, objectAt(old, "pool")?.name],
    ["spec.driver", spec.driver, old.driver],
    ["spec.nodeName", spec.nodeName, old.nodeName],
  ];
  for (const [field, value, before] of kept) {
    if (!equal(value, before)) causes.push(invalid(field, { value, detail: "field is immutable" }));
  }
  return causes;
}
