/**
 * ResourceQuotas and LimitRanges in force: requests that would exceed them are refused, and the status of quotas says how
 * much is used.
 *
 * A creation is charged for as soon as it is written; after any other change in a namespace, its quotas are counted anew soon
 * afterwards, as the quota controller does it. Source: k8s.io/apiserver, pkg/admission/plugin/resourcequota;
 * k8s.io/kubernetes, pkg/controller/resourcequota.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Clock } from "../../../runtime/host.ts";
import type { Kind, Kinds } from "../kinds.ts";
import type { Admission } from "../parts.ts";
import { Chores } from "../chores.ts";
import { ZERO } from "../formats/quantity.ts";
import { forbidden } from "../refusal.ts";
import { rangeOf } from "../storage/collection.ts";
import type { Store } from "../store.ts";
import {
  addAmounts,
  type Amounts,
  equalAmounts,
  moreThan,
  pickAmounts,
  readAmounts,
  showAmounts,
} from "./amounts.ts";
import { fillLimits, limitFault } from "./limits.ts";
import { type Measure, type MeasuredWrite, measureOf } from "./measures.ts";
import { scopesOf } from "./scopes.ts";

const QUOTAS = "resourcequotas";
const RANGES = "limitranges";

/** The price of a write for one quota. */
interface Cost {
  readonly quota: KubeObject;
  readonly amounts: Amounts;
}

/** A write that limits and quotas may be about. */
export interface LimitedWrite extends Omit<MeasuredWrite, "object"> {
  readonly kind: Kind;
  readonly subject?: unknown;
  readonly namespace: string;
  readonly name: string;
  readonly object?: KubeObject;
}

/** The status that a quota is found to have. */
export interface QuotaStatus {
  readonly quota: KubeObject;
  readonly hard: Amounts;
  readonly used: Amounts;
  /** Whoever has found it. */
  readonly manager: string;
}

/** The parts of the cluster that quotas need. */
export interface QuotasOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly kinds: Kinds;
  /** Writes the status of a quota. */
  readonly write: (status: QuotaStatus) => void;
}

export class Quotas implements Admission {
  readonly #options: QuotasOptions;
  readonly #chores: Chores;
  /** Namespaces whose quotas have to be counted anew. */
  readonly #stale = new Set<string>();

  constructor(options: QuotasOptions) {
    this.#options = options;
    this.#chores = new Chores(options.clock);
    options.store.onChange(({ current, previous }) => {
      const { namespace } = (current ?? previous)?.metadata ?? {};
      if (namespace !== undefined && this.#has(QUOTAS, namespace)) this.#plan(namespace);
    });
  }

  /** Whether writes of the kind in the namespace have to be looked at. */
  concerns({ namespaced, plural, group }: Kind, namespace: string | undefined): boolean {
    if (!namespaced || namespace === undefined) return false;
    if (this.#has(QUOTAS, namespace)) return true;
    return group === "" && isLimited(plural) && this.#has(RANGES, namespace);
  }

  /** Fills in, in place, the requests and limits that a new Pod does not name. */
  complete({ kind, operation, subresource, namespace, object }: LimitedWrite): void {
    if (operation !== "CREATE" || subresource !== "" || object === undefined) return;
    if (kind.group === "" && kind.plural === "pods") fillLimits(object, this.#objects(RANGES, namespace));
  }

  /** @throws {Refusal} 403 if an object is not within the limits of its namespace. */
  validate(
    { kind, subject, operation, subresource, namespace, name, object, oldObject }: LimitedWrite,
  ): void {
    if (subject !== undefined) return;
    if (object === undefined || subresource !== "" || kind.group !== "" || !isLimited(kind.plural)) return;
    if (kind.plural === "pods" && operation !== "CREATE") return;
    if (oldObject?.metadata.deletionTimestamp !== undefined) return;
    const fault = limitFault(object, kind.kind, this.#objects(RANGES, namespace));
    if (fault !== undefined) throw forbidden(kind, name, fault);
  }

  /**
   * Looks whether a write is within the quotas of its namespace. Returns a function that charges it, to be called when it is
   * written.
   *
   * @throws {Refusal} 403 if it is not.
   */
  charge({ kind, operation, subresource, namespace, name, object, oldObject }: LimitedWrite): () => void {
    const measure = kind.namespaced ? measureOf(kind) : undefined;
    if (measure === undefined || object === undefined || !this.#has(QUOTAS, namespace)) return () => {};
    if (!measure.mayCost({ operation, subresource, object, oldObject })) return () => {};
    if (this.#stale.has(namespace)) this.#count(namespace);
    const quotas = this.#objects(QUOTAS, namespace);
    const now = this.#options.clock.now();
    const concerned = quotas.filter((quota) => isConcerned(quota, object, measure));
    for (const quota of concerned) checkDemands(quota, object, { kind, name, measure });
    const usage = measure.usage(object, now);
    const costs = concerned.map((quota): Cost => {
      const before = oldObject !== undefined && isConcerned(quota, oldObject, measure)
        ? measure.usage(oldObject, now)
        : undefined;
      const hard = hardOf(quota);
      const amounts = pickAmounts(
        before === undefined ? usage : moreThan(usage, before),
        (resource, { value }) => hard.has(resource) && value !== 0n,
      );
      return { quota, amounts };
    }).filter(({ amounts }) => amounts.size > 0);
    for (const cost of costs) checkCost(cost, kind, name);
    return () => costs.forEach((cost) => this.#add(cost));
  }

  #add({ quota, amounts }: Cost): void {
    const used = addAmounts(usedOf(quota), amounts);
    this.#setStatus({ quota, hard: hardOf(quota), used, manager: "kube-apiserver" });
  }

  #plan(namespace: string): void {
    this.#stale.add(namespace);
    this.#chores.add(namespace, () => this.#count(namespace));
  }

  /** Counts the used amounts in a namespace. */
  #count(namespace: string): void {
    for (const quota of this.#objects(QUOTAS, namespace)) {
      const hard = readAmounts(quota.spec?.hard);
      const used = this.#usedIn(namespace, [...hard.keys()], scopesOf(quota));
      this.#setStatus({ quota, hard, used, manager: "kube-controller-manager" });
    }
    // The statuses written here need no other count.
    this.#stale.delete(namespace);
  }

  #usedIn(namespace: string, names: readonly string[], scopes: readonly JsonObject[]): Amounts {
    const now = this.#options.clock.now();
    let used: Amounts = new Map();
    for (const kind of this.#options.kinds.stored()) {
      const measure = kind.namespaced ? measureOf(kind) : undefined;
      const counted = names.filter((name) => measure?.counts(name));
      if (measure === undefined || counted.length === 0) continue;
      used = addAmounts(used, new Map(counted.map((name) => [name, ZERO])));
      if (measure.total !== undefined) {
        // NB: a kind without scopes is in none.
        if (scopes.length === 0) {
          used = addAmounts(used, measure.total(this.#countOf(kind.collection.name, namespace)));
        }
        continue;
      }
      for (const object of this.#objects(kind.collection.name, namespace)) {
        const isMeant = scopes.every((scope) => measure.isInScope(object, scope));
        if (isMeant) used = addAmounts(used, measure.usage(object, now));
      }
    }
    return pickAmounts(used, (name) => names.includes(name));
  }

  #setStatus(status: QuotaStatus): void {
    const { quota, hard, used } = status;
    const isSame = quota.status?.hard !== undefined && quota.status.used !== undefined &&
      equalAmounts(hard, hardOf(quota)) && equalAmounts(used, usedOf(quota));
    if (!isSame) this.#options.write(status);
  }

  #has(collection: string, namespace: string): boolean {
    return this.#countOf(collection, namespace) > 0;
  }

  #countOf(collection: string, namespace: string): number {
    const { keys } = this.#options.store.collection(collection).present();
    const [from, to] = rangeOf(keys, `${namespace}/`);
    return to - from;
  }

  #objects(collection: string, namespace: string): KubeObject[] {
    return [...this.#options.store.collection(collection).values(`${namespace}/`)].map(({ object }) =>
      object
    );
  }
}

function isLimited(plural: string): boolean {
  return plural === "pods" || plural === "persistentvolumeclaims";
}

function hardOf({ status }: KubeObject): Amounts {
  return readAmounts(status?.hard);
}

function usedOf({ status }: KubeObject): Amounts {
  return readAmounts(status?.used);
}

/** Whether a quota is about an object. */
function isConcerned(quota: KubeObject, object: KubeObject, measure: Measure): boolean {
  return [...hardOf(quota).keys()].some((name) => measure.counts(name)) &&
    scopesOf(quota).every((scope) => measure.isInScope(object, scope));
}

interface Demander {
  readonly kind: Kind;
  readonly name: string;
  readonly measure: Measure;
}

/** @throws {Refusal} 403 */
function checkDemands(quota: KubeObject, object: KubeObject, { kind, name, measure }: Demander): void {
  const lacks = measure.lacks?.(object, [...hardOf(quota).keys()]);
  if (lacks !== undefined) {
    throw forbidden(kind, name, `failed quota: ${quota.metadata.name}: ${lacks}`);
  }
}

/** @throws {Refusal} 403 */
function checkCost({ quota, amounts }: Cost, kind: Kind, name: string): void {
  const [hard, used] = [hardOf(quota), usedOf(quota)];
  const exceeded = pickAmounts(amounts, (resource, { value }) => {
    const most = hard.get(resource)?.value;
    return most !== undefined && value + (used.get(resource)?.value ?? 0n) > most;
  });
  if (exceeded.size === 0) return;
  const shown = (of: Amounts) => showAmounts(pickAmounts(of, (resource) => exceeded.has(resource)));
  throw forbidden(
    kind,
    name,
    `exceeded quota: ${quota.metadata.name}, requested: ${shown(amounts)}, used: ${shown(used)}, limited: ${
      shown(hard)
    }`,
  );
}
