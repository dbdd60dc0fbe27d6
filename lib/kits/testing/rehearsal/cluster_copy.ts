/**
 * Copies of clusters: all objects that an operator may read, with their uids and versions, and the rules for its writes:
 * definitions, policies, webhooks, its rights. Only reads are sent.
 *
 * All kinds are listed at one version of the cluster where the server can do that. Owners are listed before what they own, so that
 * a sample of many objects keeps families together.
 */

import type { Client } from "../../../client/client.ts";
import { ApiError } from "../../../client/errors.ts";
import { digestOf } from "../../../model/encoding.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { apiVersionOf, groupResource, type Resource } from "../../../model/resource.ts";
import { Limiter } from "../../../async/limiter.ts";
import { VERSION } from "../../../runtime/version.ts";
import { chooseKinds, definitionsFor, withoutConversion } from "./copied_kinds.ts";
import { Placeholders } from "./placeholders.ts";
import { type CopiedRights, isGranted, readRights, rolesFor } from "./rights_of_copy.ts";

/** A cluster as it was at one moment, as far as an operator may see it. */
export interface ClusterCopy {
  /** The form of the copy: a later one is not read. */
  readonly format: 1;
  /** The version of Lotse that has made it. */
  readonly lotse: string;
  /** When, in milliseconds since 1970. */
  readonly time: number;
  /** The version at which the cluster was listed. */
  readonly resourceVersion: string;
  /** The rights of the operator; undefined if they are not rehearsed. */
  readonly rights?: CopiedRights;
  /** How many objects there are of each kind, by names such as "deployments.apps". */
  readonly counts: Readonly<Record<string, number>>;
  /** Kinds that may not be read. */
  readonly unread: readonly string[];
  /** Whether controllers of workloads have come to rest in the copy. */
  readonly isSettled?: boolean;
  /** Sentences about departures from the cluster. */
  readonly remarks: readonly string[];
  readonly objects: readonly KubeObject[];
}

/** How to copy. */
export interface CopyOptions {
  /** A client with the rights of the operator. */
  readonly client: Client;
  /** A client with the caller's own rights, for definitions, webhooks and policies. */
  readonly caller: Client;
  /** The user that the rights are of; undefined: rights are not rehearsed. */
  readonly user?: string;
  /** Names of namespaces. Default: the whole cluster. */
  readonly namespaces?: readonly string[];
  /** How many objects of each kind are enough, not counting those that belong to them. Default: all. */
  readonly sample?: number;
  /** More objects than that are refused. Default: 50,000. */
  readonly most?: number;
  /** The present time, in milliseconds since 1970. */
  readonly now: number;
  /** Random. */
  readonly salt: string;
  readonly signal?: AbortSignal;
}

/** More objects are copied only in part. */
const MOST_OBJECTS = 50_000;

/** How many lists are read at the same time. */
const AT_ONCE = 4;

/** Kinds of the cluster itself: the server decides by them. */
const OF_CLUSTER: readonly string[] = [
  "customresourcedefinitions.apiextensions.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  "mutatingadmissionpolicies.admissionregistration.k8s.io",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  "namespaces",
];

const DEFINITIONS = OF_CLUSTER[0];

/**
 * Copies a cluster.
 *
 * @throws {Error} If no object may be read, or too many without a sample.
 * @throws {ApiError | LoginError} If the server cannot be asked at all.
 */
export async function copyCluster(options: CopyOptions): Promise<ClusterCopy> {
  const copying = new Copying(options);
  return await copying.run();
}

/** Returns the objects with which an API server begins: the copied ones, and roles with the operator's rights. */
export function copiedObjectsOf({ objects, rights, resourceVersion }: ClusterCopy): {
  readonly objects: readonly KubeObject[];
  readonly resourceVersion: string;
} {
  return { objects: rights === undefined ? objects : [...objects, ...rolesFor(rights)], resourceVersion };
}

/** Returns the seed of a server that goes on from another one's state: another one for each state, the same for the same. */
export function seedAfter({ resourceVersion }: Pick<ClusterCopy, "resourceVersion">, seed = 1): number {
  return Number.parseInt(digestOf([seed, resourceVersion]).slice(0, 8), 16);
}

class Copying {
  readonly #options: CopyOptions;
  readonly #placeholders: Placeholders;
  readonly #objects = new Map<string, KubeObject>();
  readonly #counts: Record<string, number> = {};
  readonly #totals = new Map<string, number>();
  readonly #unread: string[] = [];
  readonly #remarks: string[] = [];
  readonly #later: string[] = [];
  #version = "";

  constructor(options: CopyOptions) {
    this.#options = options;
    this.#placeholders = new Placeholders(options.salt);
  }

  async run(): Promise<ClusterCopy> {
    const { client, caller, user, now, namespaces } = this.#options;
    const served = await caller.discovery.all();
    this.#tellOfBroken(caller);
    const { kinds: builtIn } = await chooseKinds(served);
    for (const kind of builtIn.filter(isOfCluster)) await this.#copyOfCluster(kind);
    this.#completeDefinitions(served);
    const all = await chooseKinds(served, this.#definitions());
    const kinds = all.kinds.filter((kind) => !isOfCluster(kind));
    const rights = await readRights(client, namespaces ?? this.#namesOf("Namespace"));
    if (!kinds.some((kind) => isGranted(rights, { ...kind, verb: "list" }) !== "nowhere")) {
      const who = user === undefined ? "The user of the kubeconfig" : `"${user}"`;
      throw new Error(
        `Cannot rehearse: ${who} may list nothing in this cluster (bind its roles first, or take another --as)`,
      );
    }
    const limiter = new Limiter(AT_ONCE);
    for (const rank of [0, 1, 2, 3]) {
      const same = kinds.filter((kind) => rankOf(kind, this.#isCustom(kind)) === rank);
      await Promise.all(same.map((kind) => limiter.run(() => this.#copyKind(kind, rights))));
    }
    this.#completeNamespaces();
    this.#tellOfLists(all.foreign);
    if (rights.isIncomplete) {
      this.#remarks.push(
        "the server does not tell all rights of the operator (not by RBAC alone): some may be missing here",
      );
    }
    return {
      format: 1,
      lotse: VERSION,
      time: now,
      resourceVersion: this.#version,
      ...user === undefined ? {} : { rights: { ...rights, user } },
      counts: this.#counts,
      unread: this.#unread,
      remarks: this.#remarks,
      objects: [...this.#objects.values()],
    };
  }

  /** Copies a kind that the server itself decides by, with the caller's own rights. */
  async #copyOfCluster(kind: Resource): Promise<void> {
    const { caller } = this.#options;
    try {
      for await (const object of this.#read(caller, kind, undefined)) this.#add(kind, object);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.#remarks.push(
        `you may not list ${groupResource(kind)}: ${MISSED[kind.plural] ?? "they have no say here"}`,
      );
    }
  }

  async #copyKind(kind: Resource, rights: CopiedRights): Promise<void> {
    const granted = isGranted(rights, { ...kind, verb: "list" });
    if (granted === "nowhere") return void this.#unread.push(groupResource(kind));
    const { namespaces: wanted } = this.#options;
    const isEverywhere = granted === "everywhere" && (wanted === undefined || !kind.namespaced);
    const places = isEverywhere ? [undefined] : granted === "everywhere" ? wanted ?? [] : granted;
    const taken = { count: 0 };
    for (const namespace of places) {
      try {
        for await (const object of this.#read(this.#options.client, kind, namespace)) {
          if (this.#isWanted(object, taken)) this.#add(kind, object);
        }
      } catch (error) {
        if (!isForbidden(error)) throw error;
        this.#unread.push(groupResource(kind));
        return;
      }
    }
  }

  /** Whether an object belongs to the sample: by itself, or with its owner. */
  #isWanted({ metadata }: KubeObject, taken: { count: number }): boolean {
    const { sample } = this.#options;
    if (sample === undefined) return true;
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner !== undefined && this.#totals.has(owner.kind)) return this.#objects.has(owner.uid);
    return ++taken.count <= sample;
  }

  /** Reads a kind at the version of the copy; where that is not known any more, as it is now. */
  async *#read(client: Client, kind: Resource, namespace: string | undefined): AsyncGenerator<KubeObject> {
    const { signal } = this.#options;
    const exact = this.#version === ""
      ? {}
      : { resourceVersion: this.#version, resourceVersionMatch: "Exact" as const };
    try {
      yield* this.#pages(client, kind, { namespace, signal, ...exact });
    } catch (error) {
      const isUnknown = error instanceof ApiError && [400, 404, 410, 504].includes(error.status);
      if (!isUnknown || this.#version === "") throw error;
      if (error.status === 404) return;
      this.#later.push(groupResource(kind));
      yield* this.#pages(client, kind, { namespace, signal });
    }
  }

  async *#pages(
    client: Client,
    kind: Resource,
    options: Parameters<Client["list"]>[1],
  ): AsyncGenerator<KubeObject> {
    let total = 0;
    for await (
      const { items, resourceVersion = "" } of client.list(kind, { ...options, managedFields: true })
    ) {
      if (this.#version === "") this.#version = resourceVersion;
      total += items.length;
      yield* items.map((item) => ({ ...item, apiVersion: apiVersionOf(kind), kind: kind.kind }));
    }
    this.#totals.set(kind.kind, (this.#totals.get(kind.kind) ?? 0) + total);
  }

  #add(kind: Resource, object: KubeObject): void {
    const { metadata: { uid = "" } } = object;
    const { most = MOST_OBJECTS } = this.#options;
    if (this.#objects.size >= most) throw tooMany(most);
    const isSecret = kind.group === "" && kind.plural === "secrets";
    const isDefinition = groupResource(kind) === DEFINITIONS;
    const copied = isSecret
      ? this.#placeholders.hideSecret(object)
      : isDefinition
      ? this.#settle(object)
      : object;
    if (!this.#objects.has(uid)) {
      this.#counts[groupResource(kind)] = (this.#counts[groupResource(kind)] ?? 0) + 1;
    }
    this.#objects.set(uid, copied);
  }

  #settle(definition: KubeObject): KubeObject {
    const settled = withoutConversion(definition);
    if (settled !== definition) {
      this.#remarks.push(
        `objects of ${definition.metadata.name} keep the fields of their stored version: conversion webhooks are not called`,
      );
    }
    return settled;
  }

  /** Definitions that may not be read are made of discovery. */
  #completeDefinitions(served: readonly Resource[]): void {
    const known = this.#definitions();
    if (this.#counts[DEFINITIONS ?? ""] !== undefined) return;
    const made = definitionsFor(served, known);
    for (const definition of made) this.#objects.set(definition.metadata.uid ?? "", definition);
  }

  #definitions(): KubeObject[] {
    return [...this.#objects.values()].filter(({ kind }) => kind === "CustomResourceDefinition");
  }

  #isCustom({ group, kind }: Resource): boolean {
    return this.#definitions().some(({ spec }) => {
      const names = spec?.names as JsonObject | undefined;
      return spec?.group === group && names?.kind === kind;
    });
  }

  #namesOf(kind: string): string[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind)
      .map(({ metadata }) => metadata.name ?? "");
  }

  /** Namespaces that may not be read are known by the objects in them. */
  #completeNamespaces(): void {
    const known = new Set(this.#namesOf("Namespace"));
    const names = new Set([...this.#objects.values()].flatMap(({ metadata }) => metadata.namespace ?? []));
    for (const name of [...names, ...this.#options.namespaces ?? []]) {
      if (known.has(name)) continue;
      known.add(name);
      const metadata = { name, uid: `namespace-${name}`, resourceVersion: this.#version };
      const status = { phase: "Active" };
      const spec = { finalizers: ["kubernetes"] };
      this.#objects.set(metadata.uid, { apiVersion: "v1", kind: "Namespace", metadata, spec, status });
    }
  }

  #tellOfBroken({ discovery }: Client): void {
    for (const group of discovery.broken.keys()) {
      this.#remarks.push(`the server cannot tell the kinds of ${group}, so they are not here`);
    }
  }

  #tellOfLists(foreign: readonly string[]): void {
    if (foreign.length > 0) {
      this.#remarks.push(
        `kinds of other servers, or of another Kubernetes, are not here: ${foreign.join(", ")}`,
      );
    }
    if (this.#later.length > 0) {
      this.#remarks.push(
        `the cluster changed while it was copied: listed later than the rest were ${
          [...new Set(this.#later)].join(", ")
        }`,
      );
    }
    const { sample } = this.#options;
    if (sample === undefined) return;
    const total = [...this.#totals.values()].reduce((sum, each) => sum + each, 0);
    this.#remarks.push(
      `a sample: ${this.#objects.size} of ${total} objects (at most ${sample} of each kind, with those that they own)`,
    );
  }
}

/** The loss where a kind cannot be read, by plural. */
const MISSED: Readonly<Record<string, string>> = {
  customresourcedefinitions: "schemas, defaults and versions of custom kinds are not checked here",
  namespaces: "those are here that have objects",
};

function isOfCluster(kind: Resource): boolean {
  return OF_CLUSTER.includes(groupResource(kind));
}

/** NB: 404 as well: kinds may go while they are read. */
function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404 || error.status === 405);
}

/** Kinds whose objects own others, by when they are listed. */
const RANKS: Readonly<Record<string, number>> = {
  "deployments.apps": 1,
  "statefulsets.apps": 1,
  "daemonsets.apps": 1,
  "cronjobs.batch": 1,
  "replicasets.apps": 2,
  "jobs.batch": 2,
};

function rankOf(kind: Resource, isCustom: boolean): number {
  return isCustom ? 0 : RANKS[groupResource(kind)] ?? 3;
}

function tooMany(most: number): Error {
  return new Error(
    `Cannot copy more than ${most} objects: take a sample (--sample 500), some namespaces (-n), or the operator's own rights (--as)`,
  );
}
