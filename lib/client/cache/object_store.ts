/**
 * Which objects a watch has announced, so that those that vanished unseen can be announced as deleted: mark and sweep.
 *
 * Each listing is a generation. What it lists is marked with its number; what carries an older number when it is complete
 * has gone. The last known states are kept whole, because handlers of a deletion look at them.
 */

import type { KubeObject } from "../../model/object.ts";
import { isNewer } from "../../model/versions.ts";

interface Entry {
  generation: number;
  object: KubeObject;
}

/** The objects of one kind and scope that are out there, as far as we were told. */
export class KnownObjects {
  readonly #entries = new Map<string, Entry>();
  #generation = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Begins a listing: from now on, objects are marked as seen in it. */
  begin(): void {
    this.#generation += 1;
  }

  /** Notes the newest state of an object. */
  mark(object: KubeObject): void {
    const key = identityOf(object);
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { generation: this.#generation, object });
      return;
    }
    const isOld = entry.generation === this.#generation &&
      isNewer(object.metadata.resourceVersion, entry.object.metadata.resourceVersion) === false;
    entry.generation = this.#generation;
    if (!isOld) entry.object = object;
  }

  /** The last known state of an object; undefined if it was not announced. */
  get(object: KubeObject): KubeObject | undefined {
    return this.#entries.get(identityOf(object))?.object;
  }

  /** The last known states of all objects. */
  *objects(): Generator<KubeObject> {
    for (const { object } of this.#entries.values()) yield object;
  }

  /** Forgets an object that was announced as deleted. */
  remove(object: KubeObject): void {
    this.#entries.delete(identityOf(object));
  }

  /** Ends a listing: forgets the objects that were not in it, and gives their last known states. */
  sweep(): KubeObject[] {
    const gone: KubeObject[] = [];
    for (const [key, entry] of this.#entries) {
      if (entry.generation === this.#generation) continue;
      this.#entries.delete(key);
      gone.push(entry.object);
    }
    return gone;
  }
}

/** Who an object is: its uid, or its name where there is none. An object made anew under an old name is another one. */
function identityOf(object: KubeObject): string {
  const { uid, namespace = "", name = "" } = object.metadata;
  return uid ?? `${namespace}/${name}`;
}
