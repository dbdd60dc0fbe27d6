/**
 * Places in which the same scenario runs: the API server in the process with a virtual clock, and a real control plane.
 *
 * A scenario sees a kind of its own, makes objects, starts operators, and waits for what must come. Where time matters it
 * takes fractions of a second, since on the real control plane they really pass.
 */

import assert from "node:assert/strict";
import type { Client } from "../../lib/client/client.ts";
import type { Operator } from "../../lib/operator/operator.ts";
import type { RunOptions } from "../../lib/operator/run_options.ts";
import { resource, type ResourceType } from "../../lib/registry/resource.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import type { FaultyProxy } from "./faulty_proxy.ts";

/** Anything goes in these specs and statuses. */
export type Loose = Record<string, unknown>;

/** A kind whose status is a subresource. */
export const EXAMPLES = {
  group: "lotse.test",
  version: "v1",
  plural: "examples",
  kind: "Example",
  namespaced: true,
} as const;

/** A kind whose status is an ordinary field. */
export const PLAINS = { ...EXAMPLES, plural: "plains", kind: "Plain" } as const;

export const Example: ResourceType<Loose, Loose> = resource<Loose, Loose>(EXAMPLES);
export const Plain: ResourceType<Loose, Loose> = resource<Loose, Loose>(PLAINS);

/** An operator under way. */
export interface Running {
  readonly logs: readonly LogRecord[];
  /** Stops it gracefully. */
  stop(): Promise<void>;
}

/** A proxy in its place. */
export interface ProxyPlace extends AsyncDisposable {
  readonly proxy: FaultyProxy;
  /** Cuts all connections that are open. */
  breakAll(): void;
}

export interface World {
  readonly place: string;
  readonly client: Client;
  readonly namespace: string;
  /** Starts an operator on the world's namespace, and waits until it has seen and handled what is there. */
  start(op: Operator, options?: Omit<RunOptions, "replicas">): Promise<Running>;
  /** Puts a faulty proxy between operators that start from now on and the API server. */
  proxy(): Promise<ProxyPlace>;
  /** Waits for a condition; where time is virtual, no longer than `within` seconds. */
  until(condition: () => boolean | Promise<boolean>, within?: number): Promise<void>;
  /** Waits until nothing happens any more; on the real control plane: for as long as anything would take. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** Objects of a world's kind, from outside of the operator. */
export class Objects {
  readonly #world: World;
  readonly #kind: typeof EXAMPLES | typeof PLAINS;

  constructor(world: World, kind: typeof EXAMPLES | typeof PLAINS = EXAMPLES) {
    this.#world = world;
    this.#kind = kind;
  }

  async create(name: string, content: Loose & { metadata?: Loose } = {}): Promise<KubeObject<Loose, Loose>> {
    const { group, version, kind } = this.#kind;
    const { metadata, ...rest } = content;
    return await this.#world.client.create(this.#kind, {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { ...metadata, name, namespace: this.#world.namespace },
      ...rest,
    });
  }

  async get(name: string): Promise<KubeObject<Loose, Loose>> {
    return await this.#world.client.get(this.#kind, this.#address(name));
  }

  /** Undefined if it is not there. */
  async find(name: string): Promise<KubeObject<Loose, Loose> | undefined> {
    return await this.get(name).catch(() => undefined);
  }

  async patch(name: string, body: Loose, subresource?: string): Promise<KubeObject<Loose, Loose>> {
    const address = { ...this.#address(name), subresource };
    return await this.#world.client.patch(this.#kind, address, { type: "merge", body });
  }

  async delete(name: string): Promise<void> {
    await this.#world.client.delete(this.#kind, this.#address(name));
  }

  #address(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#world.namespace, name };
  }
}

/** A kind, as far as its definition needs it. */
export type KindNames = Readonly<Record<"group" | "version" | "plural" | "kind", string>>;

/** Definition of a kind, as YAML would have it. */
export function definitionOf(kind: KindNames): object {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = {
    openAPIV3Schema: { type: "object", properties: { spec: open, status: open }, ...unknownFields() },
  };
  const subresources = kind === EXAMPLES ? { subresources: { status: {} } } : {};
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      scope: "Namespaced",
      names: { plural: kind.plural, singular: kind.kind.toLowerCase(), kind: kind.kind },
      versions: [{ name: kind.version, served: true, storage: true, schema, ...subresources }],
    },
  };
}

function unknownFields(): object {
  return { "x-kubernetes-preserve-unknown-fields": true };
}

/** Makes the kinds, and waits until they are served. */
export async function makeKinds(client: Client, wait: () => Promise<void>): Promise<void> {
  const definitions = {
    group: "apiextensions.k8s.io",
    version: "v1",
    plural: "customresourcedefinitions",
    namespaced: false,
  };
  for (const kind of [EXAMPLES, PLAINS]) {
    await client.create(definitions, definitionOf(kind));
    for (let attempt = 0;; attempt++) {
      assert.ok(attempt < 100, `${kind.plural} must be served`);
      const found = await client.discovery.refresh(kind.group).then((all) =>
        all.find((each) => each.plural === kind.plural)
      );
      if (found !== undefined) break;
      await wait();
    }
  }
}

/** An object that may have notes. */
interface Noted {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string | null>> };
  readonly status?: unknown;
}

/** The notes that the framework keeps on an object, by the names that they have in annotations: those in the status, too. */
export function notesOf(object: Noted | undefined): Record<string, string> {
  // Of an object the texts are texts: a patch may have null there.
  const annotations = Object.entries(object?.metadata.annotations ?? {});
  const notes = Object.fromEntries(annotations.filter(([key]) => key.startsWith("lotse.dev/"))) as Record<
    string,
    string
  >;
  const status = object?.status as { readonly lotse?: { readonly progress?: Loose | null } } | undefined;
  const { progress, ...states } = status?.lotse ?? {};
  for (const [name, text] of Object.entries(states)) notes[`lotse.dev/${name}`] ??= String(text);
  for (const [id, record] of Object.entries(progress ?? {})) {
    notes[`lotse.dev/${id.replaceAll("/", ".")}`] ??= recordText(record);
  }
  return notes;
}

/** The status of an object, without the framework's notes. */
export function statusOf({ status }: Pick<Noted, "status">): Loose | undefined {
  if (status === undefined) return undefined;
  const { lotse: _, ...own } = status as Loose;
  return Object.keys(own).length === 0 ? undefined : own;
}

/** Records in annotations have no members that say nothing. */
function recordText(record: unknown): string {
  return JSON.stringify(record, (_, value) => value === null ? undefined : value);
}

export const LAST_HANDLED = "lotse.dev/last-handled-configuration";
export const FINALIZER = "lotse.dev/finalizer";
