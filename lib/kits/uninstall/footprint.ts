/**
 * Everything that an operator has left in a cluster: finalizers and notes on objects, webhook configurations, conversions in
 * definitions, Leases, the Secret of its certificates.
 *
 * Only the cluster is looked at: the operator may run, have gone, or never have come up. Whatever cannot be looked at is a problem
 * that is named, and never counts as absent.
 */

import type { Client } from "../../client/client.ts";
import { ApiError, messageOf } from "../../client/errors.ts";
import { type FieldPath, formatField, getField } from "../../model/fields.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import {
  CUSTOM_RESOURCE_DEFINITIONS as CRDS,
  DEPLOYMENTS,
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from "../../model/kinds.ts";
import { groupResource, type Resource } from "../../model/resource.ts";
import { matches, type Selector } from "../../model/selector.ts";
import { hasConversion, type ResourceOptions } from "../../registry/resource.ts";
import type { DeclaredHandler } from "../../registry/declared.ts";
import { declaredKinds } from "../../registry/declared_kinds.ts";
import type { Settings } from "../../settings/settings.ts";

/** The operator that is to go. */
export interface Uninstalled {
  readonly operators: readonly {
    readonly declared: readonly DeclaredHandler[];
    readonly settings: Settings;
  }[];
  /** The exports of the operator's modules, for kinds that no handler is for. */
  readonly exports?: readonly unknown[];
  /** The name of its Deployment, as `lotse generate manifests` has it. */
  readonly name: string;
  /** The namespace in which it lives. */
  readonly home: string;
}

/** An object with marks of the operator. */
export interface Marked {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly isFinalized: boolean;
  readonly isDeleting: boolean;
}

/** An object that is the operator's as a whole, or a definition with its conversion. */
export interface Belonging {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The action that takes it away. */
  readonly action: "delete" | "end its conversion" | "scale to 0";
}

/** The marks of an operator in a cluster. */
export interface Footprint {
  readonly marked: readonly Marked[];
  readonly belongings: readonly Belonging[];
  /** Sentences about whatever could not be looked at. */
  readonly problems: readonly string[];
}

/** The names of the marks that operators leave on objects of their kinds. */
interface Marks {
  readonly finalizers: ReadonlySet<string>;
  /** Prefixes of annotations, with the slash. */
  readonly prefixes: readonly string[];
  /** Fields of the status with notes. */
  readonly fields: readonly FieldPath[];
}

const WEBHOOK_CONFIGURATIONS = [VALIDATING_WEBHOOK_CONFIGURATIONS, MUTATING_WEBHOOK_CONFIGURATIONS];

/** The prefix of marks that Lotse puts on objects of its own, whatever the prefix of notes is. */
const OWN = "lotse.dev/";

/** Looks at a cluster. */
export class Surveyor {
  readonly #client: Client;
  readonly #operator: Uninstalled;
  readonly #marks: Marks;
  #problems: string[] = [];

  constructor(client: Client, operator: Uninstalled) {
    this.#client = client;
    this.#operator = operator;
    this.#marks = marksOf(operator);
  }

  /** Returns the names of the marks on objects. */
  get marks(): Marks {
    return this.#marks;
  }

  /** Finds all marks of the operator. Never throws for one kind that cannot be read. */
  async survey(): Promise<Footprint> {
    this.#problems = [];
    const belongings = [
      ...await this.#deployments(),
      ...await this.#webhooks(),
      ...await this.#conversions(),
      ...await this.#leases(),
      ...await this.#secrets(),
    ];
    const marked: Marked[] = [];
    for (const resource of await this.kinds()) marked.push(...await this.#markedOf(resource));
    return { marked, belongings, problems: this.#problems };
  }

  /** Returns the kinds whose objects may have marks. */
  async kinds(): Promise<readonly Resource[]> {
    const { operators, exports } = this.#operator;
    const selectors: Selector[] = operators.flatMap(({ declared }) =>
      declared.map(({ selector }) => selector)
    );
    const exported = declaredKinds({ operators, exports });
    const all = await this.#client.discovery.all();
    for (const [group, error] of this.#client.discovery.broken) {
      this.#problems.push(`Cannot find the kinds of "${group}": ${messageOf(error)}`);
    }
    return all.filter((resource) =>
      resource.verbs.includes("list") && resource.verbs.includes("patch") &&
      (selectors.some((selector) => matches(selector, resource)) ||
        exported.some((kind) => isOf(kind, resource) && resource.preferred))
    );
  }

  /** The definitions of the operator's own kinds: the kinds with schemas. */
  definitions(): readonly string[] {
    const { operators, exports } = this.#operator;
    const own = declaredKinds({ operators, exports }).filter(({ spec, status }) =>
      spec !== undefined || status !== undefined
    );
    return own.map(({ group, plural }) => `${plural}.${group}`);
  }

  async #markedOf(resource: Resource): Promise<Marked[]> {
    const found: Marked[] = [];
    try {
      for await (const { items } of this.#client.list(resource)) {
        for (const item of items) {
          const isFinalized = finalizersOf(item).some((each) => this.#marks.finalizers.has(each));
          if (!isFinalized && !this.hasNotes(item)) continue;
          const { name = "", namespace, deletionTimestamp } = item.metadata;
          found.push({
            resource,
            namespace,
            name,
            isFinalized,
            isDeleting: deletionTimestamp !== undefined,
          });
        }
      }
    } catch (error) {
      this.#problems.push(`Cannot list ${groupResource(resource)}: ${messageOf(error)}`);
    }
    return found;
  }

  /** Whether an object has notes of the operator. */
  hasNotes(object: KubeObject): boolean {
    return this.annotationsOf(object).length > 0 ||
      this.#marks.fields.some((path) => getField(object, path) !== undefined);
  }

  /** The names of the annotations of an object that are the operator's. */
  annotationsOf({ metadata: { annotations = {} } }: KubeObject): readonly string[] {
    return Object.keys(annotations).filter((key) =>
      this.#marks.prefixes.some((prefix) => key.startsWith(prefix))
    );
  }

  async #deployments(): Promise<Belonging[]> {
    const { name, home: namespace } = this.#operator;
    const found = await this.#find(DEPLOYMENTS, { namespace, name });
    const replicas = isObject(found?.["spec"]) ? found["spec"].replicas : 0;
    const isStopped = replicas === 0 && runningPodsOf(found) === 0;
    return found === undefined || isStopped
      ? []
      : [{ resource: DEPLOYMENTS, namespace, name, action: "scale to 0" }];
  }

  async #webhooks(): Promise<Belonging[]> {
    const names = new Set(
      this.#operator.operators.flatMap(({ settings }) => settings.admission.managed ?? []),
    );
    const found: Belonging[] = [];
    for (const resource of names.size === 0 ? [] : WEBHOOK_CONFIGURATIONS) {
      for (const name of names) {
        const object = await this.#find(resource, { name });
        if (object === undefined) continue;
        const { webhooks } = object as { readonly webhooks?: readonly unknown[] };
        // A configuration of that name that Lotse has never written is another program's.
        if (isMarked(object) || webhooks === undefined || webhooks.length === 0) {
          found.push({ resource, namespace: undefined, name, action: "delete" });
        } else {
          this.#problems.push(
            `The ${resource.kind} "${name}" was not written by Lotse: look at it, and delete it by hand if it is the operator's`,
          );
        }
      }
    }
    return found;
  }

  async #conversions(): Promise<Belonging[]> {
    const { operators, exports } = this.#operator;
    const found: Belonging[] = [];
    for (const { plural, group } of declaredKinds({ operators, exports }).filter(hasConversion)) {
      const name = `${plural}.${group}`;
      const crd = await this.#find(CRDS, { name });
      const spec = isObject(crd?.["spec"]) ? crd["spec"] : {};
      const conversion = isObject(spec.conversion) ? spec.conversion : {};
      if (conversion.strategy !== "Webhook") continue;
      found.push({ resource: CRDS, namespace: undefined, name, action: "end its conversion" });
    }
    return found;
  }

  async #leases(): Promise<Belonging[]> {
    const found: Belonging[] = [];
    for (const { settings: { replicas } } of this.#operator.operators) {
      if (!replicas.enabled) continue;
      const name = replicas.name ?? this.#operator.name;
      const namespace = replicas.namespace ?? this.#operator.home;
      const labelSelector = `${OWN}replicas=${name}`;
      for (const each of await this.#listIn(LEASES, { namespace, labelSelector })) {
        found.push({ resource: LEASES, namespace, name: each.metadata.name ?? "", action: "delete" });
      }
    }
    return found;
  }

  async #secrets(): Promise<Belonging[]> {
    const { home: namespace, operators } = this.#operator;
    if (operators.every(({ settings }) => settings.admission.server === null)) return [];
    const all = await this.#listIn(SECRETS, { namespace });
    return all.filter(isMarked).map(({ metadata: { name = "" } }) => ({
      resource: SECRETS,
      namespace,
      name,
      action: "delete",
    }));
  }

  async #find(
    resource: Resource,
    address: { readonly namespace?: string; readonly name: string },
  ): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(resource, address);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      this.#problems.push(`Cannot read ${groupResource(resource)} "${address.name}": ${messageOf(error)}`);
      return undefined;
    }
  }

  async #listIn(
    resource: Resource,
    options: { readonly namespace: string; readonly labelSelector?: string },
  ): Promise<readonly KubeObject[]> {
    const found: KubeObject[] = [];
    try {
      for await (const { items } of this.#client.list(resource, options)) found.push(...items);
    } catch (error) {
      this.#problems.push(
        `Cannot list ${groupResource(resource)} in "${options.namespace}": ${messageOf(error)}`,
      );
    }
    return found;
  }
}

/** Returns an object's finalizers. */
export function finalizersOf({ metadata: { finalizers } }: KubeObject): readonly string[] {
  return finalizers ?? [];
}

/** How many Pods a Deployment still has. */
export function runningPodsOf(deployment: KubeObject | undefined): number {
  const status: unknown = deployment?.["status"];
  const replicas = isObject(status) ? status.replicas : undefined;
  return typeof replicas === "number" ? replicas : 0;
}

function marksOf({ operators }: Uninstalled): Marks {
  const all = operators.map(({ settings: { persistence } }) => persistence);
  const finalizers = new Set(all.map(({ finalizer }) => finalizer));
  const prefixes = [...finalizers].map((name) => name.slice(0, name.indexOf("/") + 1)).filter(Boolean);
  const fields = all.flatMap(({ diffBase, progress }) => [
    ...diffBase.statusFields?.() ?? [],
    ...progress.statusFields?.() ?? [],
  ]);
  const byName = new Map(fields.map((path) => [formatField(path), path]));
  return { finalizers, prefixes: [...new Set(prefixes)], fields: [...byName.values()] };
}

/** Whether Lotse has put a label or an annotation on an object. */
function isMarked({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  return [...Object.keys(labels), ...Object.keys(annotations)].some((key) => key.startsWith(OWN));
}

function isOf({ group, plural }: ResourceOptions, resource: Resource): boolean {
  return resource.group === group && resource.plural === plural;
}
