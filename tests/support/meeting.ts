/**
 * Peering objects in a world: their kinds, one object, and others who write into it.
 */

import type { Client } from "../../lib/client/client.ts";
import { ApiError } from "../../lib/client/errors.ts";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import type { World } from "./worlds.ts";

const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** The cluster's kind. */
export const CLUSTER = {
  group: "kopf.dev",
  version: "v1",
  plural: "clusterkopfpeerings",
  kind: "ClusterKopfPeering",
  namespaced: false,
} as const;

/** The kind in namespaces. */
export const NAMESPACED = {
  ...CLUSTER,
  plural: "kopfpeerings",
  kind: "KopfPeering",
  namespaced: true,
} as const;

/** Makes both kinds, unless they are there, and waits until they are served. */
export async function makePeeringKinds({ client, until }: Pick<World, "client" | "until">): Promise<void> {
  for (const { plural, kind, namespaced } of [CLUSTER, NAMESPACED]) {
    await client.create(DEFINITIONS, peeringDefinitionOf({ plural, kind, namespaced })).catch((error) => {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    });
  }
  await until(async () => (await client.discovery.refresh("kopf.dev")).length === 2);
}

/** What makes one of the kinds. */
export function peeringDefinitionOf(
  { plural, kind, namespaced }: { plural: string; kind: string; namespaced: boolean },
): object {
  const status = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { status } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.kopf.dev` },
    spec: {
      group: "kopf.dev",
      scope: namespaced ? "Namespaced" : "Cluster",
      names: { plural, kind, singular: kind.toLowerCase() },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

/** What stands in an object's status. */
export type Records = Record<string, Record<string, unknown> | null>;

/** One peering object, in a namespace, from outside of all operators. */
export class Meeting {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #name: string;

  constructor(client: Client, { namespace, name = "default" }: { namespace: string; name?: string }) {
    this.#client = client;
    this.#namespace = namespace;
    this.#name = name;
  }

  async create(): Promise<this> {
    await this.#client.create(NAMESPACED, {
      apiVersion: "kopf.dev/v1",
      kind: NAMESPACED.kind,
      metadata: { name: this.#name, namespace: this.#namespace },
    });
    return this;
  }

  async delete(): Promise<void> {
    await this.#client.delete(NAMESPACED, this.#address);
  }

  /** Writes records in the name of others; null removes one. */
  async write(status: Records): Promise<void> {
    await this.#client.patch(NAMESPACED, this.#address, { type: "merge", body: { status } });
  }

  async records(): Promise<Records> {
    const { status } = await this.#client.get(NAMESPACED, this.#address);
    return (status ?? {}) as Records; // it was declared so above
  }

  get #address(): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#namespace, name: this.#name };
  }
}

/** What peering has said, with its level: "info Pausing for …". */
export function peeringLog(logs: readonly LogRecord[]): string[] {
  return logs.filter(({ logger, level }) => logger === "lotse.peering" && level !== "debug")
    .map(({ level, message }) => `${level} ${message}`);
}
