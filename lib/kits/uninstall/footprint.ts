/**
 * Everything that an operator has left in a cluster: finalizers and notes on objects, webhook configurations, conversions in
 * definitions, Leases, the Secret of its certificates, its records in peering objects.
 *
 * Only the cluster is looked at: the operator may run, have gone, or never have come up. Whatever cannot be looked at is a problem
 * that is named, and never counts as absent.
 */

import type { Client } from "../../client/client.ts";
import { ApiError, messageOf } from "../../client/errors.ts";
import { getField } from "../../model/fields.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import {
  CUSTOM_RESOURCE_DEFINITIONS as CRDS,
  DEPLOYMENTS,
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  PODS,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from "../../model/kinds.ts";
import { groupResource, type Resource } from "../../model/resource.ts";
import { matches } from "../../model/selector.ts";
import type { Traces } from "../../registry/traces.ts";
import { findPeeringKinds } from "../../engines/peering/peering.ts";
import type { Clock } from "../../runtime/host.ts";
import { type PeeringRecord, recordsOf } from "./peering_records.ts";
import { CHILDREN_SELECTOR, kindsOfChildren, Marks, ownerOf } from "./marks.ts";

/** The operator that is to go. */
export interface Uninstalled {
  readonly traces: Traces;
  /** The name of its Deployment, as `lotse generate manifests` has it. */
  readonly name: string;
  /** The namespace in which it lives. */
  readonly home: string;
  /** The namespaces whose objects are looked at. Default: all. */
  readonly namespaces?: readonly string[];
}

/** An object with marks of the operator. */
export interface Marked {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly isFinalized: boolean;
  readonly isDeleting: boolean;
  /** Whether a handler has made it, and labels say so. */
  readonly isChild: boolean;
}

/** An object that is the operator's as a whole, or a definition with its conversion. */
export interface Belonging {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The action that takes it away. */
  readonly action: "delete" | "end its conversion" | "remove its record" | "scale to 0";
  /** With "remove its record": the records. */
  readonly records?: readonly PeeringRecord[];
  /** The number of objects that go with it. Default: none does. */
  readonly objects?: number;
}

/** The process that would clean up: "ready", "not ready", or "unknown" where no Deployment has its name. */
export type Presence = "ready" | "not ready" | "unknown";

/** The marks of an operator in a cluster. */
export interface Footprint {
  readonly presence: Presence;
  readonly marked: readonly Marked[];
  readonly belongings: readonly Belonging[];
  /** Definitions of the operator's own kinds, which go on request only. */
  readonly definitions: readonly Belonging[];
  /** Sentences about kinds and objects that could not be read. */
  readonly problems: readonly string[];
  /** Sentences about objects that look like the operator's, and may be others'. */
  readonly doubts: readonly string[];
}

const WEBHOOK_CONFIGURATIONS = [VALIDATING_WEBHOOK_CONFIGURATIONS, MUTATING_WEBHOOK_CONFIGURATIONS];

/** The prefix of marks on objects that are the operator's as a whole. */
const OWN = "lotse.dev/";

/** The label of Leases and of the Secret: its value is the name of the replicas, or of the webhooks that one process holds. */
const REPLICAS = `${OWN}replicas`;

/** The annotation of a definition that says whose conversion it is. */
export const CONVERTER = `${OWN}webhooks-of`;

/** Where a Deployment of `lotse generate manifests` names its Leases. */
const REPLICAS_VARIABLE = "LOTSE_REPLICAS_NAME";

/** The operator, and a clock that tells whether its records are over. */
export interface SurveyorOptions extends Uninstalled {
  readonly clock: Pick<Clock, "now">;
}

/** Looks at a cluster. */
export class Surveyor {
  readonly #client: Client;
  readonly #operator: SurveyorOptions;
  readonly marks: Marks;
  #problems: string[] = [];
  #doubts: string[] = [];

  constructor(client: Client, operator: SurveyorOptions) {
    this.#client = client;
    this.#operator = operator;
    this.marks = new Marks(operator.traces);
  }

  /** Finds all marks of the operator. Never throws for one kind that cannot be read. */
  async survey(): Promise<Footprint> {
    this.#problems = [];
    this.#doubts = [];
    const { home: namespace, name } = this.#operator;
    const deployment = await this.#find(DEPLOYMENTS, { namespace, name });
    const kinds = await this.#all();
    // A kind that is named in two versions is listed once.
    const handled = kinds.filter((kind) => this.#mayBeMarked(kind)).map((kind) =>
      [groupResource(kind), kind] as const
    );
    const owners = await this.#markedOf([...new Map(handled).values()]);
    return {
      presence: presenceOf(deployment),
      // Children first: the owners' notes name their kinds.
      marked: [...await this.#children(owners, kinds), ...owners.map(({ marked }) => marked)],
      belongings: [
        ...await this.#deployments(deployment),
        ...await this.#webhooks(),
        ...await this.#conversions(),
        ...await this.#labelled(leasesName(deployment)),
        ...await this.#records(),
      ],
      definitions: await this.#definitions(kinds),
      problems: this.#problems,
      doubts: this.#doubts,
    };
  }

  /** Whether Pods of the Deployment are there: also the ones that are about to end, which still work. */
  async isRunning(): Promise<boolean> {
    const { home: namespace, name } = this.#operator;
    const deployment = await this.#client.get<KubeObject>(DEPLOYMENTS, { namespace, name });
    if (numberIn(deployment["status"], "replicas") > 0) return true;
    const spec = isObject(deployment["spec"]) ? deployment["spec"] : {};
    const labels = isObject(spec.selector) && isObject(spec.selector.matchLabels)
      ? Object.entries(spec.selector.matchLabels)
      : [];
    if (labels.length === 0) return false;
    const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(",");
    for await (const { items } of this.#client.list(PODS, { namespace, labelSelector })) {
      if (items.some(({ status }) => !isOver(status))) return true;
    }
    return false;
  }

  /** Returns the kinds that the server has. */
  async #all(): Promise<readonly Resource[]> {
    const all = await this.#client.discovery.refresh();
    for (const [group, error] of this.#client.discovery.broken) {
      this.#problems.push(`Cannot find the kinds of "${group}": ${messageOf(error)}`);
    }
    return all.filter(({ verbs }) => verbs.includes("list") && verbs.includes("patch"));
  }

  #mayBeMarked(resource: Resource): boolean {
    return this.#operator.traces.kinds.some((selector) => matches(selector, resource));
  }

  async #markedOf(kinds: readonly Resource[]): Promise<Owner[]> {
    const found: Owner[] = [];
    for (const resource of kinds) {
      for await (const object of this.#objects(resource)) {
        const isFinalized = this.marks.isFinalized(object);
        if (!isFinalized && !this.marks.hasNotes(object)) continue;
        const marked = { ...addressOf(object, resource), isFinalized, isChild: false };
        found.push({ marked, uid: object.metadata.uid ?? "", children: kindsOfChildren(object) });
      }
    }
    return found;
  }

  async #children(owners: readonly Owner[], kinds: readonly Resource[]): Promise<Marked[]> {
    const uids = new Set(owners.map(({ uid }) => uid));
    const names = new Set(owners.flatMap(({ children }) => children));
    const found: Marked[] = [];
    for (const resource of kinds.filter((each) => each.preferred && names.has(groupResource(each)))) {
      for await (const object of this.#objects(resource, CHILDREN_SELECTOR)) {
        if (!uids.has(ownerOf(object) ?? "")) continue;
        found.push({ ...addressOf(object, resource), isFinalized: false, isChild: true });
      }
    }
    return found;
  }

  async *#objects(resource: Resource, labelSelector?: string): AsyncGenerator<KubeObject, void, void> {
    const { namespaces } = this.#operator;
    const places = resource.namespaced && namespaces !== undefined ? namespaces : [undefined];
    for (const namespace of places) {
      try {
        for await (const { items } of this.#client.list(resource, { namespace, labelSelector })) yield* items;
      } catch (error) {
        rethrowUnlessRefused(error);
        // The definition has gone meanwhile, and its objects with it.
        if (error.status === 404) continue;
        this.#problems.push(`Cannot list ${groupResource(resource)}: ${messageOf(error)}`);
      }
    }
  }

  async #deployments(deployment: KubeObject | undefined): Promise<Belonging[]> {
    const { name, home: namespace } = this.#operator;
    if (deployment === undefined || numberIn(deployment["spec"], "replicas") === 0) {
      return deployment !== undefined && await this.isRunning().catch(() => true)
        ? [{ resource: DEPLOYMENTS, namespace, name, action: "scale to 0" }]
        : [];
    }
    return [{ resource: DEPLOYMENTS, namespace, name, action: "scale to 0" }];
  }

  async #webhooks(): Promise<Belonging[]> {
    const found: Belonging[] = [];
    for (const resource of WEBHOOK_CONFIGURATIONS) {
      for (const name of this.#operator.traces.configurations) {
        const object = await this.#find(resource, { name });
        if (object === undefined) continue;
        const { webhooks } = object as { readonly webhooks?: readonly unknown[] };
        // A configuration of that name that Lotse has never written is another program's.
        if (isMarked(object) || webhooks === undefined || webhooks.length === 0) {
          found.push({ resource, namespace: undefined, name, action: "delete" });
        } else {
          this.#doubts.push(
            `The ${resource.kind} "${name}" was not written by Lotse: look at it, and delete it by hand if it is the operator's`,
          );
        }
      }
    }
    return found;
  }

  async #conversions(): Promise<Belonging[]> {
    const found: Belonging[] = [];
    for (const name of this.#operator.traces.converted) {
      const crd = await this.#find(CRDS, { name });
      const spec = isObject(crd?.["spec"]) ? crd["spec"] : {};
      const conversion = isObject(spec.conversion) ? spec.conversion : {};
      if (conversion.strategy !== "Webhook" && crd?.metadata.annotations?.[CONVERTER] === undefined) continue;
      found.push({ resource: CRDS, namespace: undefined, name, action: "end its conversion" });
    }
    return found;
  }

  /** The Leases, and the Secret of the certificates. */
  async #labelled(leases: string | undefined): Promise<Belonging[]> {
    const { name, home, traces: { replicas, configurations } } = this.#operator;
    const own = replicas?.name ?? leases ?? name;
    const namespace = replicas?.namespace ?? home;
    const names = [...replicas === undefined && leases === undefined ? [] : [own], ...configurations];
    const found: Belonging[] = [];
    for (const resource of names.length === 0 ? [] : [LEASES, SECRETS]) {
      try {
        const labelSelector = `${REPLICAS} in (${names.join(",")})`;
        for await (const { items } of this.#client.list(resource, { namespace, labelSelector })) {
          for (const { metadata: { name: title = "" } } of items) {
            found.push({ resource, namespace, name: title, action: "delete" });
          }
        }
      } catch (error) {
        rethrowUnlessRefused(error);
        this.#problems.push(
          `Cannot list ${groupResource(resource)} in "${namespace}": ${messageOf(error)}`,
        );
      }
    }
    return found;
  }

  /** The operator's records in peering objects, whatever the name of these. */
  async #records(): Promise<Belonging[]> {
    const { name: deployment, clock } = this.#operator;
    const found: Belonging[] = [];
    for (const clusterwide of [true, false]) {
      for (const resource of await findPeeringKinds(this.#client, { clusterwide })) {
        for await (const object of this.#objects(resource)) {
          const records = recordsOf(object, deployment, clock);
          const { name = "", namespace } = object.metadata;
          if (records.length > 0) {
            found.push({ resource, namespace, name, action: "remove its record", records });
          }
        }
      }
    }
    return found;
  }

  async #definitions(kinds: readonly Resource[]): Promise<Belonging[]> {
    const found: Belonging[] = [];
    for (const name of this.#operator.traces.definitions) {
      if (await this.#find(CRDS, { name }) === undefined) continue;
      const resource = kinds.find((each) => each.preferred && groupResource(each) === name);
      let objects = 0;
      for await (const _ of resource === undefined ? [] : this.#objects(resource)) objects++;
      found.push({ resource: CRDS, namespace: undefined, name, action: "delete", objects });
    }
    return found;
  }

  async #find(
    resource: Resource,
    address: { readonly namespace?: string; readonly name: string },
  ): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(resource, address);
    } catch (error) {
      rethrowUnlessRefused(error);
      if (error.status === 404) return undefined;
      this.#problems.push(`Cannot read ${groupResource(resource)} "${address.name}": ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** Without a server no survey can be made. @throws {unknown} The error itself. */
function rethrowUnlessRefused(error: unknown): asserts error is ApiError {
  if (!(error instanceof ApiError)) throw error;
}

/** An object with marks, its uid, and the kinds of its children. */
interface Owner {
  readonly marked: Marked;
  readonly uid: string;
  readonly children: readonly string[];
}

function addressOf(
  { metadata: { name = "", namespace, deletionTimestamp } }: KubeObject,
  resource: Resource,
): Omit<Marked, "isFinalized" | "isChild"> {
  return { resource, namespace, name, isDeleting: deletionTimestamp !== undefined };
}

function presenceOf(deployment: KubeObject | undefined): Presence {
  if (deployment === undefined) return "unknown";
  return numberIn(deployment["status"], "readyReplicas") > 0 ? "ready" : "not ready";
}

/** Returns the name of the Leases that a Deployment gives to its Pods. */
function leasesName(deployment: KubeObject | undefined): string | undefined {
  const containers = getField(deployment, ["spec", "template", "spec", "containers"]);
  const variables = (Array.isArray(containers) ? containers : []).flatMap((each: unknown) =>
    isObject(each) && Array.isArray(each.env) ? each.env.filter(isObject) : []
  );
  const value = variables.find(({ name }) => name === REPLICAS_VARIABLE)?.value;
  return typeof value === "string" ? value : undefined;
}

function numberIn(part: unknown, key: string): number {
  const value = isObject(part) ? part[key] : undefined;
  return typeof value === "number" ? value : 0;
}

/** Whether a Pod has ended for good. */
function isOver(status: unknown): boolean {
  return isObject(status) && (status.phase === "Succeeded" || status.phase === "Failed");
}

/** Whether Lotse has put a label or an annotation on an object. */
function isMarked({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  return [...Object.keys(labels), ...Object.keys(annotations)].some((key) => key.startsWith(OWN));
}
