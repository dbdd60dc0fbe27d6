/**
 * The life of CustomResourceDefinitions: kinds that are served, and objects that go with their definition.
 *
 * A definition is established in the same write that creates it; the real API server needs a moment.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { approvalCondition } from "../definitions/api_approval.ts";
import type { CelLoader } from "../cel/loader.ts";
import type { Cluster, DefinitionParts } from "../cluster.ts";
import type { Kind, KindRules, Kinds } from "../kinds.ts";
import type { Late } from "../late.ts";
import { type Change, DEFINITIONS } from "../storage/collection.ts";
import { timestamp } from "../formats/timestamp.ts";
import type { Store } from "../store.ts";
import { clone, equal, isObject, objectAt, objectsIn } from "../values.ts";
import { deleteObject } from "../writes/delete.ts";
import { editObject, updateObject } from "../writes/update.ts";
import { nameDefinition } from "./definition_names.ts";
import type { Chores } from "../chores.ts";

const FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** The facts by which definitions are judged. */
export interface DefinitionContext {
  readonly now: () => number;
  readonly cel: CelLoader;
  readonly definitions: Late<DefinitionParts>;
  readonly store: Store;
}

/** The rules of the kind CustomResourceDefinition itself. */
export function definitionRules(context: DefinitionContext): KindRules {
  const { cel, definitions } = context;
  return {
    async prepare(object) {
      await definitions.load();
      if (definitions.part.hasRules(object.spec)) await cel.load();
    },
    normalize(object) {
      definitions.part.defaultDefinition(object);
      return [];
    },
    settle(object, old, dryRun) {
      // NB: it is a controller that gives conditions, and a dry run never comes to it.
      if (dryRun === true) return keepStatus(object, old);
      const isAsBefore = old !== undefined && equal(object.spec, old.spec) &&
        equal(approvalCondition(object), approvalCondition(old));
      if (!isAsBefore) refreshStatus(object, context);
    },
    validate: (object, { old, part }) => definitions.part.validateDefinition(object, { old, part, cel }),
    warnings: (object, old) => definitions.part.formatWarnings(object, old),
    terminate(object) {
      const { metadata } = object;
      // NB: the real server marks definitions on a path of its own, which knows neither grace nor generations.
      delete metadata.deletionGracePeriodSeconds;
      if (metadata.generation !== undefined) metadata.generation--;
      metadata.finalizers = [...(metadata.finalizers ?? []).filter((name) => name !== FINALIZER), FINALIZER];
      object.status = {
        ...object.status,
        conditions: [...conditionsOf(object), terminatingCondition(metadata)],
      };
    },
  };
}

/** Sets the status that a definition has before a controller has looked at it. */
function keepStatus(definition: KubeObject, old: KubeObject | undefined): void {
  const before = isObject(old?.status)
    ? old.status
    : { conditions: null, acceptedNames: { plural: "", kind: "" } };
  definition.status = { ...before, storedVersions: storedVersions(definition, before) };
}

function storedVersions(definition: KubeObject, { storedVersions }: JsonObject): unknown[] {
  const known = Array.isArray(storedVersions) ? storedVersions : [];
  return [...new Set([...known, ...storageVersions(definition)])];
}

/** Names and conditions are renewed; versions that were ever stored stay listed. */
function refreshStatus(definition: KubeObject, { now, cel, definitions, store }: DefinitionContext): void {
  if (definitions.part.validateDefinition(definition, { cel }).length > 0) return;
  const time = timestamp(now());
  const old = isObject(definition.status) ? definition.status : {};
  const others = [...store.collection(DEFINITIONS).values()].map(({ object }) => object);
  const { accepted, condition } = nameDefinition(definition, others);
  definition.status = {
    ...definition.status,
    acceptedNames: accepted,
    storedVersions: storedVersions(definition, old),
    conditions: conditionsOf(definition),
  };
  setCondition(definition, { type: "NamesAccepted", ...condition }, time);
  if (!isEstablished(definition)) {
    const established = establishment(definition, condition.status === "True");
    setCondition(definition, { type: "Established", ...established }, time);
  }
  const approval = approvalCondition(definition);
  if (approval === undefined) return;
  setCondition(definition, { type: "KubernetesAPIApprovalPolicyConformant", ...approval }, time);
}

/** Source: k8s.io/apiextensions-apiserver, pkg/controller/establish. */
function establishment({ spec }: KubeObject, isNamed: boolean): Omit<Condition, "type"> {
  if (!isNamed) return { status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  const { caBundle } = objectAt(objectAt(objectAt(spec, "conversion"), "webhook"), "clientConfig") ?? {};
  return isCaBundle(caBundle)
    ? { status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" }
    : { status: "False", reason: "InvalidCABundle", message: "The conversion webhook CABundle is invalid" };
}

/** NB: a bundle may be left out. */
function isCaBundle(bundle: unknown): boolean {
  if (bundle === undefined || bundle === "") return true;
  try {
    return atob(String(bundle)).includes("-----BEGIN CERTIFICATE-----");
  } catch {
    return false;
  }
}

function storageVersions({ spec }: KubeObject): string[] {
  return objectsIn(spec?.versions).filter(({ storage }) => storage === true).map(({ name }) => String(name));
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** NB: the time is the time of the status' last change, and stays if only the reason differs. */
function setCondition(definition: KubeObject, condition: Condition, time: string): void {
  const { type, status, ...why } = condition;
  const before = objectsIn(conditionsOf(definition)).find((known) => known.type === type);
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : time;
  const others = objectsIn(conditionsOf(definition));
  const fresh = { type, status, lastTransitionTime, ...why };
  const conditions = before === undefined
    ? [...others, fresh]
    : others.map((known) => known.type === type ? fresh : known);
  definition.status = { ...definition.status, conditions };
}

function isEstablished(definition: KubeObject): boolean {
  return objectsIn(conditionsOf(definition)).some(({ type, status }) =>
    type === "Established" && status === "True"
  );
}

function conditionsOf({ status }: KubeObject): unknown[] {
  return isObject(status) && Array.isArray(status.conditions) ? status.conditions : [];
}

function terminatingCondition({ deletionTimestamp }: KubeObject["metadata"]): unknown {
  return {
    type: "Terminating",
    status: "True",
    lastTransitionTime: deletionTimestamp,
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
}

/** Follows the definitions: keeps the kinds, and clears up behind definitions that are deleted. */
export class Definitions {
  readonly #cluster: Cluster;
  readonly #chores: Chores;
  readonly #served = new Map<string, Kind[]>();

  constructor(cluster: Cluster, chores: Chores) {
    this.#cluster = cluster;
    this.#chores = chores;
  }

  /** To be called on each change of a definition. */
  changed({ key, previous, current }: Change): void {
    if (current === undefined) {
      this.#replace(key, []);
      this.#planNames();
      return;
    }
    const isEnding = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
    const isServedAnew = previous === undefined || !equal(previous.object.spec, current.object.spec) ||
      isEnding(previous.object) !== isEnding(current.object) ||
      isEstablished(previous.object) !== isEstablished(current.object);
    if (isServedAnew) {
      const { customKinds } = this.#cluster.definitions.part;
      this.#replace(key, isEstablished(current.object) ? customKinds(this.#cluster, current.object) : []);
      this.#planNames();
    }
    if (current.object.metadata.deletionTimestamp !== undefined) {
      this.#chores.add(`definition ${key}`, () => this.#clear(key));
    }
  }

  /** Names that have become free go to the definitions that wait for them. */
  #planNames(): void {
    this.#chores.add("names of definitions", () => {
      for (const { object } of [...this.#cluster.store.collection(DEFINITIONS).values()]) {
        if (!isEstablished(object)) this.#rename(object.metadata.name ?? "");
      }
    });
  }

  #rename(name: string): void {
    const { kinds, host, cel, definitions, store } = this.#cluster;
    const kind = kinds.at("apiextensions.k8s.io/v1", "customresourcedefinitions");
    if (kind === undefined) return;
    updateObject(this.#cluster, {
      kind,
      reference: { name },
      subresource: "status",
      change(current) {
        const copy = clone(current);
        refreshStatus(copy, { now: () => host.clock.now(), cel, definitions, store });
        return copy;
      },
    });
  }

  /** To be called when an object of a custom kind is gone. */
  removed(collection: string): void {
    const definition = this.#cluster.store.collection(DEFINITIONS).get(collection);
    if (definition?.object.metadata.deletionTimestamp === undefined) return;
    this.#chores.add(`definition ${collection}`, () => this.#clear(collection));
  }

  /** Swaps the kinds of a definition. Their watches end, as the real server's do; clients open them anew. */
  #replace(name: string, kinds: Kind[]): void {
    const registry: Kinds = this.#cluster.kinds;
    for (const kind of this.#served.get(name) ?? []) registry.remove(kind);
    const served = kinds.map((kind) => this.#cluster.definitions.part.showingOldObjects(kind));
    for (const kind of served) registry.add(kind);
    this.#served.set(name, served);
    for (const listener of this.#cluster.store.collection(name).listeners) listener.close?.();
  }

  #clear(name: string): void {
    const kind = this.#served.get(name)?.[0];
    if (kind !== undefined) {
      for (const { object } of [...kind.collection.values()]) {
        const { namespace, name = "" } = object.metadata;
        if (object.metadata.deletionTimestamp === undefined) {
          deleteObject(this.#cluster, { kind, reference: { namespace, name } });
        }
      }
      if (kind.collection.size > 0) return;
    }
    this.#release(name);
  }

  #release(name: string): void {
    const kind = this.#cluster.kinds.at("apiextensions.k8s.io/v1", "customresourcedefinitions");
    const definition = kind?.collection.get(name);
    if (kind === undefined || definition?.object.metadata.finalizers?.includes(FINALIZER) !== true) return;
    editObject(this.#cluster, {
      kind,
      reference: { name },
      edit: ({ metadata }) => {
        metadata.finalizers = metadata.finalizers?.filter((finalizer) => finalizer !== FINALIZER);
      },
    });
  }
}
