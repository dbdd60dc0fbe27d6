/**
 * LimitRanges: the default requests and limits of containers, and the bounds of containers, Pods and claims.
 *
 * Source: Kubernetes documentation, "Limit Ranges"; k8s.io/kubernetes, plugin/pkg/admission/limitranger.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { formatQuantity, type Quantity, UNIT } from "../formats/quantity.ts";
import { isObject, objectAt, objectsIn, setOwn } from "../values.ts";
import { type Amounts, NOTHING, readAmounts } from "./amounts.ts";
import { podAmounts } from "./pod_amounts.ts";

const ANNOTATION = "kubernetes.io/limit-ranger";

/** Fills in, in place, the requests and limits that the containers of a new Pod do not name. */
export function fillLimits(pod: KubeObject, ranges: readonly KubeObject[]): void {
  for (const range of ranges) {
    const limits = limitsOf(range).filter(({ type }) => type === "Container");
    const notes: string[] = [];
    for (const limit of limits) {
      for (
        const [list, word] of [["containers", "container"], ["initContainers", "init container"]] as const
      ) {
        for (const container of objectsIn(pod.spec?.[list])) {
          notes.push(...fillContainer(container, limit, word));
        }
      }
    }
    if (notes.length === 0) continue;
    const text = `LimitRanger plugin set: ${notes.join("; ")}`;
    pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: text };
  }
}

function fillContainer(container: JsonObject, limit: JsonObject, word: string): string[] {
  const notes: string[] = [];
  const fill = (field: string, defaults: unknown, what: string): void => {
    const resources = objectAt(container, "resources") ?? {};
    const given = objectAt(resources, field) ?? {};
    const missing = Object.entries(isObject(defaults) ? defaults : {})
      .filter(([name]) => !Object.hasOwn(given, name))
      .sort(([a], [b]) => a < b ? -1 : 1);
    if (missing.length === 0) return;
    for (const [name, quantity] of missing) setOwn(given, name, quantity);
    resources[field] = given;
    container.resources = resources;
    notes.push(`${missing.map(([name]) => name).join(", ")} ${what} for ${word} ${container.name}`);
  };
  fill("requests", limit.defaultRequest, "request");
  fill("limits", limit.default, "limit");
  return notes;
}

/** Says why a Pod or a claim may not be; undefined if it may. The first range that is broken speaks. */
export function limitFault(
  object: KubeObject,
  kind: string,
  ranges: readonly KubeObject[],
): string | undefined {
  for (const range of ranges) {
    const faults = new Set(limitsOf(range).flatMap((limit) => faultsOf(object, kind, limit)));
    if (faults.size > 0) return faults.size === 1 ? [...faults][0] : `[${[...faults].join(", ")}]`;
  }
  return undefined;
}

function limitsOf({ spec }: KubeObject): JsonObject[] {
  return objectsIn(spec?.limits);
}

/** The resources that a container or Pod requests, and its limits. */
interface Demand {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function faultsOf(object: KubeObject, kind: string, limit: JsonObject): string[] {
  if (kind === "PersistentVolumeClaim") {
    if (limit.type !== "PersistentVolumeClaim") return [];
    return claimFaults(readAmounts(objectAt(objectAt(object.spec, "resources"), "requests")), limit);
  }
  if (limit.type === "Container") {
    const containers = [...objectsIn(object.spec?.containers), ...objectsIn(object.spec?.initContainers)];
    return containers.flatMap(({ resources }) => {
      const demand = isObject(resources) ? resources : {};
      const { requests, limits } = demand;
      return demandFaults({ requests: readAmounts(requests), limits: readAmounts(limits) }, limit);
    });
  }
  if (limit.type !== "Pod") return [];
  return demandFaults(
    { requests: podAmounts(object, "requests"), limits: podAmounts(object, "limits") },
    limit,
  );
}

function claimFaults(requests: Amounts, limit: JsonObject): string[] {
  const type = String(limit.type);
  return [
    ...each(limit.min, (name, least) => minimumFault({ requests, limits: NOTHING }, { type, name, least })),
    ...each(limit.max, (name, most) => {
      const asked = requests.get(name);
      const rule = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
      if (asked === undefined) return `${rule}.  No request is specified`;
      return asked.value > most.value ? `${rule}, but request is ${formatQuantity(asked)}` : undefined;
    }),
  ];
}

function demandFaults(demand: Demand, limit: JsonObject): string[] {
  const type = String(limit.type);
  return [
    ...each(limit.min, (name, least) => minimumFault(demand, { type, name, least })),
    ...each(limit.max, (name, most) => maximumFault(demand, { type, name, most })),
    ...each(limit.maxLimitRequestRatio, (name, ratio) => ratioFault(demand, { type, name, ratio })),
  ];
}

/** NB: Go goes through these in random order. */
function each(list: unknown, fault: (name: string, bound: Quantity) => string | undefined): string[] {
  return [...readAmounts(list)].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, bound]) => fault(name, bound)).filter((text) => text !== undefined);
}

function minimumFault(
  { requests, limits }: Demand,
  { type, name, least }: { readonly type: string; readonly name: string; readonly least: Quantity },
): string | undefined {
  const [asked, limit] = [requests.get(name), limits.get(name)];
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
  if (asked === undefined) return `${rule}.  No request is specified`;
  if (asked.value < least.value) return `${rule}, but request is ${formatQuantity(asked)}`;
  return limit !== undefined && limit.value < least.value
    ? `${rule}, but limit is ${formatQuantity(limit)}`
    : undefined;
}

function maximumFault(
  { requests, limits }: Demand,
  { type, name, most }: { readonly type: string; readonly name: string; readonly most: Quantity },
): string | undefined {
  const [asked, limit] = [requests.get(name), limits.get(name)];
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limit.value > most.value) return `${rule}, but limit is ${formatQuantity(limit)}`;
  return asked !== undefined && asked.value > most.value
    ? `${rule}, but request is ${formatQuantity(asked)}`
    : undefined;
}

function ratioFault(
  { requests, limits }: Demand,
  { type, name, ratio }: { readonly type: string; readonly name: string; readonly ratio: Quantity },
): string | undefined {
  const [asked, limit] = [requests.get(name)?.value ?? 0n, limits.get(name)?.value ?? 0n];
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(ratio)}`;
  if (asked === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  if (limit * UNIT <= ratio.value * asked) return undefined;
  return `${rule}, but provided ratio is ${(Number(limit) / Number(asked)).toFixed(6)}`;
}
