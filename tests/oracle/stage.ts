/** A namespace of a real control plane in which Kopf and Lotse take turns on the same objects. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeObject } from "../../mod.ts";
import type { RealPlace } from "../support/real_world.ts";
import { type Loose, Objects, type World } from "../support/worlds.ts";
import { type Call, makeOperator, type Wanted } from "./handlers.ts";
import { startKopf } from "./kopf.ts";

export type Side = "kopf" | "lotse";
export type Example = KubeObject<Loose, Loose>;

/** Where Kopf's notes are. */
export const PREFIX = "kopf.zalando.org/";
const LAST_HANDLED = `${PREFIX}last-handled-configuration`;
const DEPLOYMENTS = { group: "apps", version: "v1", plural: "deployments", namespaced: true };
const REPLICA_SETS = { ...DEPLOYMENTS, plural: "replicasets" };

/** A namespace in which the two take turns. */
export class Stage implements Disposable {
  readonly objects: Objects;
  readonly #place: RealPlace;
  readonly #world: World;
  readonly #python: string;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "lotse-kopf-"));
  readonly #ours: Call[] = [];

  constructor(place: RealPlace, { world, python }: { readonly world: World; readonly python: string }) {
    this.#place = place;
    this.#python = python;
    this.#world = world;
    this.objects = new Objects(world);
  }

  /** All calls so far: Kopf's, then ours. */
  calls(name?: string): Call[] {
    const file = join(this.#folder, "calls");
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").filter(Boolean) : [];
    const theirs = lines.map((line) => JSON.parse(line) as Call);
    return [...theirs, ...this.#ours].filter((call) => name === undefined || call.name === name);
  }

  /** Calls of an object's handlers as "handler#retry", sorted. */
  attempts(name: string): string[] {
    return this.calls(name).map(({ handler, retry }) => `${handler}#${retry}`).sort();
  }

  /** Calls of an object's handlers as "handler#retry for reason", sorted. */
  callsOf(name: string): string[] {
    return this.calls(name).map(({ handler, retry, reason }) => `${handler}#${retry} for ${reason}`).sort();
  }

  /** Lets one side work until the condition is true, and for as long as anything more would take. */
  async turn(side: Side, condition: () => boolean | Promise<boolean> = () => true): Promise<void> {
    const stop = await this.#start(side);
    try {
      await this.#world.until(condition);
      await this.#world.settle();
    } catch (error) {
      const calls = this.calls().map((call) => JSON.stringify(call)).join("\n");
      throw new Error(`The turn of ${side} did not end; calls:\n${calls}`, { cause: error });
    } finally {
      await stop();
    }
  }

  async #start(side: Side): Promise<() => Promise<void>> {
    if (side === "lotse") {
      const running = await this.#world.start(makeOperator((call) => void this.#ours.push(call)));
      return () => running.stop();
    }
    const program = await startKopf({
      python: this.#python,
      kubeconfig: this.#place.plane.kubeconfig,
      namespace: this.#world.namespace,
      calls: join(this.#folder, "calls"),
    });
    return async () => {
      assert.equal(await program.stop(), 0, program.output);
    };
  }

  async create(name: string, spec: Wanted, metadata: Loose = {}): Promise<void> {
    await this.objects.create(name, { metadata, spec: { ...spec } });
  }

  /** Makes a Deployment without pods, and waits for its ReplicaSet. */
  async deploy(name: string, spec: Wanted): Promise<void> {
    const { client, namespace } = this.#world;
    const labels = { app: name };
    await client.create(DEPLOYMENTS, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, annotations: { "lotse.test/spec": JSON.stringify(spec) } },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "none" }] } },
      },
    });
    await this.#world.until(async () => {
      const { metadata } = await client.get(DEPLOYMENTS, { namespace, name });
      return metadata.annotations?.["deployment.kubernetes.io/revision"] === "1" &&
        await this.replicaSet(name) !== undefined;
    });
  }

  async deployment(name: string): Promise<Example> {
    return await this.#world.client.get(DEPLOYMENTS, { namespace: this.#world.namespace, name }) as Example;
  }

  /** Undefined until it is there. */
  async replicaSet(name: string): Promise<Example | undefined> {
    const { client, namespace } = this.#world;
    for await (const { items } of client.list(REPLICA_SETS, { namespace, labelSelector: `app=${name}` })) {
      return items[0] as Example | undefined;
    }
    return undefined;
  }

  /** The record of a Deployment's handler, and that of its ReplicaSet's, if each has one. */
  async deployRecords(name: string): Promise<unknown[]> {
    const set = (await this.replicaSet(name))?.metadata.annotations ?? {};
    const own = (await this.deployment(name)).metadata.annotations ?? {};
    return [own[`${PREFIX}run`], set[`${PREFIX}run-ofDRS`]].filter((record) => record !== undefined);
  }

  async annotations(name: string): Promise<Record<string, string>> {
    return (await this.objects.get(name)).metadata.annotations ?? {};
  }

  async record(name: string, handler: string): Promise<{ retries?: number; success?: boolean } | undefined> {
    const text = (await this.annotations(name))[PREFIX + handler];
    return text === undefined ? undefined : JSON.parse(text) as { retries?: number; success?: boolean };
  }

  /** Whether a state was noted as handled that has this value, and no progress is left. */
  async isHandled(name: string, value?: unknown): Promise<boolean> {
    const annotations = await this.annotations(name);
    const notes = Object.keys(annotations).filter((key) => key.startsWith(PREFIX));
    const text = annotations[LAST_HANDLED];
    if (text === undefined || notes.length !== 1) return false;
    return value === undefined || (JSON.parse(text) as { spec: Wanted }).spec.value === value;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
