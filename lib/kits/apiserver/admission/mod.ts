/**
 * Admission: others may change or refuse what is about to be written.
 *
 * Mutating policies and webhooks come first, one after the other, each seeing what those before it made; validating policies
 * follow, and then validating webhooks, all at once. Source: Kubernetes documentation, "Dynamic Admission Control".
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { keptFrom } from "../definitions/conversion.ts";
import { applyJsonPatch } from "../patches/json_patch.ts";
import type { Kind } from "../kinds.ts";
import { internal } from "../refusal.ts";
import { clone, equal, isObject } from "../values.ts";
import { type Attributes, isExempt, isExemptOfWebhooks } from "./attributes.ts";
import { hasMutations, type Mutation, mutationsOf } from "./mutations.ts";
import { checkPolicies, hasPolicies } from "./policies.ts";
import type { Shown } from "./review.ts";
import { askHook, hasHooks, type Hook, hooksOf, shownTo } from "./webhooks.ts";

export type { Attributes, Operation, Subject } from "./attributes.ts";

/** Whether anybody wants to be asked about objects of the kind in a namespace. If not, writes need not wait. */
export function isAdmitted(cluster: Cluster, kind: Kind, namespace?: string): boolean {
  if (isExempt(kind)) return false;
  if (hasHooks(cluster, "mutating") || hasHooks(cluster, "validating")) return true;
  if (hasPolicies(cluster) || hasMutations(cluster)) return true;
  return cluster.quotas?.concern(kind, namespace) === true;
}

/**
 * Returns the object as mutating policies and webhooks want it: another one, or the same if none changed it.
 *
 * @throws {Refusal} If one refuses it, or cannot be asked.
 */
export async function mutate(cluster: Cluster, attributes: Attributes): Promise<KubeObject | undefined> {
  if (isExempt(attributes.kind)) return attributes.object;
  const mutations = mutationsOf(cluster);
  const hooks = isExemptOfWebhooks(attributes.kind) ? [] : hooksOf(cluster, "mutating");
  const round = new Round(cluster, attributes);
  round.admit();
  for (const mutation of mutations) await round.mutate(mutation);
  for (const [index, hook] of hooks.entries()) await round.ask(hook, `round_0_index_${index}`);
  if (!round.changed) return round.object;
  round.admit();
  // NB: once more, and never a third time; a webhook that was not meant at first is not asked now.
  for (const mutation of mutations) if (round.again.has(mutation.id)) await round.mutate(mutation);
  for (const [index, hook] of hooks.entries()) {
    if (round.again.has(hook.id)) await round.ask(hook, `round_1_index_${index}`);
  }
  return round.object;
}

/** One request's way through those who may change it. */
class Round {
  readonly #cluster: Cluster;
  readonly #attributes: Attributes;
  #object: KubeObject | undefined;
  #changed = false;
  /** Those who were asked, and want to be asked again if somebody else changes the object afterwards. */
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

  /** Those whose answer is out of date: more of them with each change. */
  get again(): ReadonlySet<string> {
    return this.#again;
  }

  /** NB: the rules of a kind are about its objects as they are stored, and not about parts of them. */
  admit(): void {
    const { kind: { rules }, subject, subresource, oldObject } = this.#attributes;
    if (subject !== undefined || this.#object === undefined) return;
    const admitted = clone(this.#object);
    this.#cluster.quotas?.complete({ ...this.#attributes, object: admitted });
    if (subresource === "") rules.admit?.(admitted, oldObject);
    if (equal(admitted, this.#object)) return;
    // NB: what it changes at first is no change that somebody has not seen.
    if (this.#changed) this.#take(admitted);
    else this.#object = admitted;
  }

  async mutate(mutation: Mutation): Promise<void> {
    const changed = await mutation.change({ ...this.#attributes, object: this.#object });
    if (changed !== undefined) this.#take(changed);
    if (mutation.isRepeatable) this.#asked.push(mutation.id);
  }

  #take(object: KubeObject): void {
    this.#changed = true;
    for (const id of this.#asked) this.#again.add(id);
    this.#asked = [];
    this.#object = object;
  }

  async ask(hook: Hook, place: string): Promise<void> {
    const attributes = { ...this.#attributes, object: this.#object };
    const shown = await shownTo(this.#cluster, hook, attributes);
    if (shown === undefined) return;
    let mutated = false;
    try {
      const verdict = await askHook(this.#cluster, hook, { type: "mutating", attributes, shown, place });
      const { patch = [] } = verdict ?? {};
      if (patch.length > 0) {
        mutated = await this.#apply(hook, shown, patch);
        this.#tell("patch", hook, place, { patch: patch.map(sorted), patchType: "JSONPatch" });
      }
    } finally {
      this.#tell("mutation", hook, place, { mutated });
    }
    if (hook.spec.reinvocationPolicy === "IfNeeded") this.#asked.push(hook.id);
  }

  #tell(what: "patch" | "mutation", { configuration, name }: Hook, place: string, more: JsonObject): void {
    const value = JSON.stringify({ configuration, webhook: name, ...more });
    const level = what === "patch" ? "Request" : "Metadata";
    this.#attributes.annotate(`${what}.webhook.admission.k8s.io/${place}`, value, level);
  }

  /** Tells whether it has changed anything. */
  async #apply({ name }: Hook, { kind, object }: Shown, patch: readonly unknown[]): Promise<boolean> {
    if (object === undefined) {
      throw internal(
        `admission webhook ${
          JSON.stringify(name)
        } attempted to modify the object, which is not supported for this operation`,
      );
    }
    const patched = patchedObject(object, patch);
    if (this.#attributes.subject === undefined) kind.rules.normalize(patched);
    if (equal(patched, object)) return false;
    const isOwn = this.#attributes.subject === undefined;
    this.#take(isOwn ? await keptFrom(patched, kind, this.#object?.apiVersion) : patched);
    return true;
  }
}

/** An operation with its keys in Go's order. */
function sorted(operation: unknown): unknown {
  return isObject(operation)
    ? Object.fromEntries(Object.entries(operation).sort(([a], [b]) => a < b ? -1 : 1))
    : operation;
}

/** @throws {Refusal} 500 if the patch does not fit, or leaves no object. */
function patchedObject(object: Shown["object"] & object, patch: readonly unknown[]): KubeObject {
  let patched: unknown;
  try {
    patched = applyJsonPatch(clone(object), patch);
  } catch (error) {
    throw internal(error instanceof Error ? error.message : String(error));
  }
  if (!isObject(patched) || !isObject(patched.metadata)) {
    throw internal("the patch of an admission webhook leaves no object");
  }
  // It has metadata, as the line above says.
  return patched as KubeObject;
}

/**
 * Asks those who may only say yes or no.
 *
 * @throws {Refusal} If one refuses the object, or cannot be asked.
 */
export async function validate(cluster: Cluster, attributes: Attributes): Promise<void> {
  if (isExempt(attributes.kind)) return;
  if (attributes.subject === undefined) cluster.quotas?.checkLimits(attributes);
  if (hasPolicies(cluster)) await checkPolicies(cluster, attributes);
  if (isExemptOfWebhooks(attributes.kind)) return;
  const questions: { readonly hook: Hook; readonly shown: Shown }[] = [];
  for (const hook of hooksOf(cluster, "validating")) {
    const shown = await shownTo(cluster, hook, attributes);
    if (shown !== undefined) questions.push({ hook, shown });
  }
  const asked = questions.map(({ hook, shown }, index) =>
    askHook(cluster, hook, { type: "validating", attributes, shown, place: `round_0_index_${index}` })
  );
  for (const result of await Promise.allSettled(asked)) {
    if (result.status === "rejected") throw result.reason;
  }
}
