/**
 * An operator that notes what it is told, and the questions that must be answered whatever has broken on the way: was every
 * object's newest state handled, was every object that vanished announced once, was nothing older shown after something newer.
 */

import assert from "node:assert/strict";
import { type Operator, operator, type OperatorOptions } from "../../mod.ts";
import { Example, EXAMPLES, Objects, type World } from "./worlds.ts";

interface Told {
  readonly name: string;
  /** `spec.n` as last handled by a change handler. */
  handled?: unknown;
  /** The newest version that each handler saw. */
  readonly versions: Map<string, bigint>;
  deletions: number;
}

export class Endurance {
  readonly op: Operator;
  readonly objects: Objects;
  /** What was wrong as soon as it happened. */
  readonly complaints: string[] = [];
  /** By uid. */
  readonly told = new Map<string, Told>();
  /** Whether versions may go backwards. */
  isRestored = false;
  readonly #world: World;

  constructor(world: World, options: OperatorOptions = {}) {
    this.#world = world;
    this.objects = new Objects(world);
    this.op = operator({ ...options, execution: { defaultBackoff: 1, ...options.execution } });
    this.op.on.event(Example, { id: "notice" }, ({ type, uid, name, meta }) => {
      const told = this.#note("notice", { uid, name, version: meta.resourceVersion });
      if (type === "DELETED") told.deletions += 1;
    });
    const handle = ({ uid, name, meta, spec }: Seen): void => {
      this.#note("handle", { uid, name, version: meta.resourceVersion }).handled = spec["n"];
    };
    this.op.on.create(Example, { id: "made" }, handle);
    this.op.on.update(Example, { id: "changed" }, handle);
  }

  async make(names: readonly string[]): Promise<void> {
    for (const name of names) await this.objects.create(name, { spec: { n: 0, text: "Größe 漢字" } });
  }

  /** Changes one thing of each kind: changed, deleted, made anew under its name, added. */
  async disturb(n: number): Promise<void> {
    const { objects } = this;
    await objects.patch("a", { spec: { n } });
    await objects.patch("b", { spec: { n } });
    await objects.delete("c");
    await objects.delete("d");
    await objects.create("d", { spec: { n, text: "überholt" } });
    await objects.create(`new-${n}`, { spec: { n } });
    await objects.patch("a", { spec: { n: n + 1 } });
  }

  /** Makes again what `disturb()` has deleted. */
  async mend(n: number): Promise<void> {
    await this.objects.create("c", { spec: { n } });
  }

  /** Whether everything is handled as it is now. */
  async isDone(): Promise<boolean> {
    return (await this.lacks()).length === 0;
  }

  /** What is still to come. */
  async lacks(): Promise<string[]> {
    const found: string[] = [];
    const live = new Map<string, unknown>();
    const scope = { namespace: this.#world.namespace };
    for await (const { items } of this.#world.client.list(EXAMPLES, scope)) {
      for (const { metadata, spec } of items) {
        live.set(metadata.uid ?? "", spec?.["n"]);
        const handled = this.told.get(metadata.uid ?? "")?.handled;
        if (handled !== spec?.["n"]) found.push(`${metadata.name}: ${handled} instead of ${spec?.["n"]}`);
      }
    }
    for (const [uid, { name, deletions }] of this.told) {
      if (!live.has(uid) && deletions === 0) found.push(`${name} (${uid}): its end`);
    }
    return found;
  }

  /** Waits until everything is handled, within the bound (of virtual time), and looks whether all went well. */
  async endure(within: number): Promise<void> {
    try {
      await this.#world.until(() => this.isDone(), within);
    } catch (error) {
      throw new Error(`Not within ${within} s: ${(await this.lacks()).join("; ")}`, { cause: error });
    }
    await this.#world.settle();
    assert.deepEqual(await this.lacks(), []);
    assert.deepEqual(this.complaints, []);
  }

  #note(handler: string, seen: { uid: string; name: string; version: string | undefined }): Told {
    const { uid, name } = seen;
    const told = this.told.get(uid) ?? { name, versions: new Map<string, bigint>(), deletions: 0 };
    this.told.set(uid, told);
    const version = BigInt(seen.version ?? 0);
    const before = told.versions.get(handler) ?? 0n;
    if (version < before && !this.isRestored) {
      this.complaints.push(`${handler} of ${name}: ${version} after ${before}`);
    }
    if (told.deletions > 0) this.complaints.push(`${handler} of ${name}: called after its end`);
    told.versions.set(handler, version);
    return told;
  }
}

interface Seen {
  readonly uid: string;
  readonly name: string;
  readonly meta: { readonly resourceVersion?: string };
  readonly spec: Readonly<Record<string, unknown>>;
}
