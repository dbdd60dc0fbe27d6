/**
 * Admission: parts of the server may change or refuse an object before it is written.
 *
 * Mutators come first, one after the other, each seeing the object as the ones before have made it; then all parts validate.
 * Source: Kubernetes documentation, "Dynamic Admission Control".
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import type { Mutator } from "../parts.ts";
import { clone, equal } from "../values.ts";
import { type Attributes, isExempt } from "./attributes.ts";

export type { Attributes, Operation, Subject } from "./attributes.ts";

/** Whether any part is concerned with objects of the kind in a namespace. If not, writes need not wait. */
export function isAdmitted({ admission }: Cluster, kind: Kind, namespace?: string): boolean {
  return !isExempt(kind) && admission.some((part) => part.concerns(kind, namespace));
}

/**
 * Returns the object as mutators want it: another one, or the same if none changed it.
 *
 * @throws {Refusal} If one refuses it, or cannot be asked.
 */
export async function mutate(cluster: Cluster, attributes: Attributes): Promise<KubeObject | undefined> {
  if (isExempt(attributes.kind)) return attributes.object;
  const mutators = cluster.admission.flatMap((part) => part.mutators?.(attributes) ?? []);
  const pass = new Pass(cluster, attributes);
  pass.admit();
  for (const mutator of mutators) await pass.ask(mutator, 0);
  if (!pass.changed) return pass.object;
  pass.admit();
  // NB: once more, and never a third time; a webhook that was not meant at first is not asked now.
  for (const mutator of mutators) if (pass.again.has(mutator.id)) await pass.ask(mutator, 1);
  return pass.object;
}

/** The way of one request through all mutators. */
class Pass {
  readonly #cluster: Cluster;
  readonly #attributes: Attributes;
  #object: KubeObject | undefined;
  #changed = false;
  /** The mutators that are asked again if another one changes the object after them. */
  #asked: string[] = [];
  readonly #again = new Set<string>();

  constructor(cluster: Cluster, attributes: Attributes) {
    this.#cluster = cluster;
    this.#attributes = attributes;
    this.#object = attributes.object;
  }

  get object(): KubeObject | undefined {
    return this.#object;
  }

  get changed(): boolean {
    return this.#changed;
  }

  /** The mutators whose answer is out of date: more of them with each change. */
  get again(): ReadonlySet<string> {
    return this.#again;
  }

  /** NB: the rules of a kind are about its objects as they are stored, and not about parts of them. */
  admit(): void {
    const { kind: { rules }, subject, subresource, oldObject } = this.#attributes;
    if (subject !== undefined || this.#object === undefined) return;
    const admitted = clone(this.#object);
    for (const part of this.#cluster.admission) part.complete?.({ ...this.#attributes, object: admitted });
    if (subresource === "") rules.admit?.(admitted, oldObject);
    if (equal(admitted, this.#object)) return;
    // NB: changes before the first mutator was asked are no reason to ask one again.
    if (this.#changed) this.#take(admitted);
    else this.#object = admitted;
  }

  async ask(mutator: Mutator, round: number): Promise<void> {
    const object = await mutator.change({ ...this.#attributes, object: this.#object }, round);
    if (object !== undefined && object !== this.#object) this.#take(object);
    const isAsked = object !== undefined || this.#object === undefined;
    if (mutator.isRepeatable && isAsked) this.#asked.push(mutator.id);
  }

  #take(object: KubeObject): void {
    this.#changed = true;
    for (const id of this.#asked) this.#again.add(id);
    this.#asked = [];
    this.#object = object;
  }
}

/**
 * Asks all parts whether the object may be written.
 *
 * @throws {Refusal} If one refuses it, or cannot be asked.
 */
export async function validate({ admission }: Cluster, attributes: Attributes): Promise<void> {
  if (isExempt(attributes.kind)) return;
  for (const part of admission) await part.validate?.(attributes);
}

/**
 * Looks whether there is room for a write; returns the function that counts it.
 *
 * @throws {Refusal} If there is no room.
 */
export function chargeFor({ admission }: Cluster, attributes: Attributes): () => void {
  const charges = admission.flatMap((part) => part.charge?.(attributes) ?? []);
  return () => charges.forEach((charge) => charge());
}
