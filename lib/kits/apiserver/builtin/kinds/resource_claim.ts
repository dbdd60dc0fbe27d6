/**
 * ResourceClaims and their templates. No device is given to anybody: a claim stays pending unless a client writes its status.
 *
 * Source: k8s.io/kubernetes, pkg/apis/resource/{v1/defaults.go,validation}.
 */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, duplicate, invalid, notSupported, required, tooMany } from "../../causes.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../names.ts";
import { fill, objectAt, objectsIn } from "../../values.ts";
import { ageOf, at, listAt, row } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const RESOURCE_CLAIM: KindModule = {
  status: {},
  complete: (object) => defaultClaim(object.spec),
  causes: ({ spec = {} }, { old }) => old === undefined ? claimCauses(spec, "spec") : [],
  cells: row(stateOf, ageOf),
};

export const RESOURCE_CLAIM_TEMPLATE: KindModule = {
  complete({ spec }) {
    if (spec !== undefined) fill(spec, { metadata: {} });
    defaultClaim(objectAt(spec, "spec"));
  },
  causes: ({ spec = {} }, { old }) =>
    old === undefined ? claimCauses(objectAt(spec, "spec") ?? {}, "spec.spec") : [],
  cells: row(ageOf),
};

const MODES = ["All", "ExactCount"];
const MOST = 32;
const MOST_ALTERNATIVES = 8;

/** Fills in the defaults, in place. */
function defaultClaim(claim: JsonObject | undefined): void {
  for (const request of objectsIn(objectAt(claim, "devices")?.requests)) {
    for (const each of [objectAt(request, "exactly"), ...objectsIn(request.firstAvailable)]) {
      if (each === undefined) continue;
      fill(each, { allocationMode: "ExactCount" });
      if (each.allocationMode === "ExactCount") fill(each, { count: 1 });
      for (const toleration of objectsIn(each.tolerations)) fill(toleration, { operator: "Equal" });
    }
  }
}

function claimCauses(claim: JsonObject, at: string): Cause[] {
  const requests = objectsIn(objectAt(claim, "devices")?.requests);
  return listCauses(requests, { at: `${at}.devices.requests`, most: MOST, each: requestCauses });
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

function stateOf(claim: KubeObject): string {
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  const states = isDeleted ? ["deleted"] : [];
  if (at(claim, "status", "allocation") === undefined) {
    if (!isDeleted) states.push("pending");
  } else {
    states.push("allocated");
    if (listAt(claim, "status", "reservedFor").length > 0) states.push("reserved");
  }
  return states.join(",");
}
