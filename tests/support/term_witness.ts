/**
 * The judge of replicas that share objects: it is told of each request in the order in which the API server takes them, and of
 * each call of a handler, and names what must not be.
 *
 * A write for an object counts as the responsible replica's while the Lease of the object's shard names that replica. Two writers in
 * one term, and a write that arrives after the next holder has the Lease, are the same fault in that order.
 */

import { shardOf } from "../../lib/engines/replicas/shard_fence.ts";
import type { JsonObject } from "../../mod.ts";
import { FINALIZER, LAST_HANDLED, notesOf } from "./worlds.ts";

/** A request that may change an object or a Lease. */
export interface TakenRequest {
  /** The number of the replica that has sent it. */
  readonly by: number;
  /** The plural of its kind, and its name. */
  readonly resource: string;
  readonly name: string;
}

/** An object, as far as handlers of tests care: `spec.v` counts its changes. */
interface Handled {
  readonly metadata?: {
    readonly uid?: string;
    readonly name?: string;
    readonly annotations?: Readonly<Record<string, string | null>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly holderIdentity?: string };
  readonly status?: unknown;
}

export interface TermWitnessOptions {
  /** The name of the replicas. */
  readonly operator: string;
  readonly shards: number;
  /** The plural of the objects' kind, and of the kind of their children, whose names are those of their owners. */
  readonly resource: string;
  readonly children?: string;
}

/** What the API server has taken so far, and what was wrong with it. */
export class TermWitness {
  readonly faults: string[] = [];
  /** Handlers that are noted as successful: "uid v handler". */
  readonly noted = new Set<string>();
  /** Objects that have had the finalizer, and objects whose last finalizer is gone. */
  readonly finalized = new Set<string>();
  readonly freed = new Set<string>();
  /** How many writes of objects were taken, and how often a Lease has changed hands. */
  writes = 0;
  moves = 0;
  readonly #options: TermWitnessOptions;
  /** The replica of each identity. */
  readonly #identities = new Map<string, number>();
  /** The holder of each shard's Lease, by the Lease's name. */
  readonly #holders = new Map<string, string>();
  readonly #uids = new Map<string, string>();
  /** The last success of each handler: "replica uid handler" to v. */
  readonly #ended = new Map<string, string>();

  constructor(options: TermWitnessOptions) {
    this.#options = options;
  }

  /** An object was made by somebody else than a replica. */
  made(name: string, uid: string): void {
    this.#uids.set(name, uid);
  }

  /** A handler is called. */
  called(by: number, { uid, v, handler }: { uid: string; v: string; handler: string }): void {
    if (this.noted.has(`${uid} ${v} ${handler}`)) this.#blame(`${by} repeats ${handler} of ${uid} ${v}`);
    if (this.freed.has(uid)) this.#blame(`${by} calls ${handler} of ${uid}, whose finalizer has gone`);
  }

  /** A handler has ended well. */
  ended(by: number, { uid, v, handler }: { uid: string; v: string; handler: string }): void {
    this.#ended.set(`${by} ${uid} ${handler}`, v);
  }

  /** A request has come, in the order in which they do. */
  took({ by, resource, name }: TakenRequest): void {
    const { operator, shards, resource: own, children } = this.#options;
    if (resource !== own && resource !== children) return;
    this.writes += 1;
    const uid = this.#uids.get(name) ?? "";
    const lease = shards === 1 ? operator : `${operator}-${shardOf(uid, shards)}-of-${shards}`;
    const holder = this.#holders.get(lease) ?? "";
    if (this.#identities.get(holder) === by) return;
    this.#blame(`${by} writes ${resource} ${name}, which is of ${this.#identities.get(holder)} (${holder})`);
  }

  /** A request was applied: `body` is its own, `object` the one that it was answered with. */
  applied(
    { by, resource, name }: TakenRequest,
    { body, object }: { body: JsonObject; object: JsonObject },
  ): void {
    if (resource === "leases") this.#sawLease(by, object);
    if (resource !== this.#options.resource) return;
    this.#sawFinalizers(name, object);
    this.#sawNotes(by, this.#uids.get(name) ?? "", body);
  }

  #blame(fault: string): void {
    this.faults.push(fault);
  }

  #sawLease(by: number, { metadata, spec }: Handled): void {
    const { name = "" } = metadata ?? {};
    const holder = spec?.holderIdentity ?? "";
    if (name.includes("-member-")) {
      if (holder !== "") this.#identities.set(holder, by);
      return;
    }
    if (holder !== "" && holder !== this.#holders.get(name)) this.moves += 1;
    this.#holders.set(name, holder);
  }

  #sawFinalizers(name: string, { metadata }: Handled): void {
    const { uid = "", finalizers = [], deletionTimestamp } = metadata ?? {};
    if (this.#uids.get(name) !== uid) return;
    if (finalizers.includes(FINALIZER)) this.finalized.add(uid);
    else if (deletionTimestamp !== undefined) this.freed.add(uid);
  }

  /** Only the request is looked at: what stands on the object may be of another replica, or of an earlier change. */
  #sawNotes(by: number, uid: string, { metadata = {}, status }: Handled): void {
    const notes = notesOf({ metadata, status });
    for (const [key, v] of this.#ended) {
      const [replica, of, handler] = key.split(" ");
      if (Number(replica) !== by || of !== uid || handler === undefined) continue;
      const note = notes[`lotse.dev/${handler}`] ?? null;
      const isNoted = note !== null && (JSON.parse(note) as { success?: boolean } | null)?.success === true;
      if (isNoted || handledValue(notes) === v) this.noted.add(`${uid} ${v} ${handler}`);
    }
  }
}

/** The value whose handling is noted as complete. */
function handledValue(notes: Readonly<Record<string, string | null>>): string | undefined {
  const essence = notes[LAST_HANDLED];
  if (typeof essence !== "string") return undefined;
  const { spec } = JSON.parse(essence) as { spec?: { v?: string } };
  return spec?.v;
}
