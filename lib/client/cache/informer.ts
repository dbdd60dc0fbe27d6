/**
 * An informer: one watcher, the store that it fills, and its subscribers.
 *
 * The watcher knows the protocol (client/watch), the store knows the newest states; the informer puts both together: it marks and
 * sweeps, tells of objects that vanished unseen, closes while the operator is paused, and starts a watcher that has crashed
 * again. It knows neither handlers nor queues.
 */

import { growingPause } from "../../async/backoff.ts";
import { type ReadonlyGate, whileOpen } from "../../async/gate.ts";
import { Slices } from "../../async/slices.ts";
import type { WatchEvent } from "../../model/object.ts";
import type { Clock, Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WatchItem } from "../watch/watcher.ts";
import { type CachedObject, type ObjectEvent, ObjectStore } from "./object_store.ts";

/** The longest pause before a watcher that has crashed is started again, before jitter. */
const LONGEST_PAUSE: Seconds = 60;

/** So many objects are taken in, and then the event loop turns: what is done for each adds up, and turns keep pace with a list. */
const TAKEN_AT_ONCE = 16;

export interface InformerOptions {
  /** The store of an earlier informer of the same objects. Default: an empty one. */
  readonly store?: ObjectStore;
  /** Starts a watcher, which ends when the signal aborts, or when the server refuses for good. */
  readonly watch: (store: ObjectStore, signal: AbortSignal) => AsyncIterable<readonly WatchItem[]>;
  /** Told of every event, in order, after the store has taken it. Must not wait. */
  readonly notify: (event: ObjectEvent) => void;
  /** Called whenever a set is complete. */
  readonly onSynced?: () => void;
  /** Called when the gate was closed: from now on until a set is complete, objects may be other than they are known. */
  readonly onPause?: () => void;
  /** Called when a watcher has crashed, and is to be started again. */
  readonly onCrash?: () => void;
  /** The watch rests while it is closed. Default: it is always open. */
  readonly gate?: ReadonlyGate;
  /** Shared by informers, so that many of them together do not take longer at once. Default: its own. */
  readonly slices?: Slices;
  readonly host: Host;
  readonly logger: Logger;
  /** Fields for log lines: { kind, namespace }. */
  readonly about?: Readonly<Record<string, unknown>>;
}

/** Returns the slices in which informers take objects in. */
export function intakeSlices(clock: Clock): Slices {
  return new Slices(clock, TAKEN_AT_ONCE);
}

/** starting: no list is complete yet. synced: the store is current. stale: it was, before a pause. */
export type InformerPhase = "starting" | "synced" | "stale";

/** The newest states of the objects of one kind and scope, kept up to date. */
export class Informer {
  readonly store: ObjectStore;
  readonly #options: InformerOptions;
  readonly #slices: Slices;
  #phase: InformerPhase = "starting";
  /** Ends the watcher that is under way, for another one that begins with a list. */
  #relisting = new AbortController();

  constructor(options: InformerOptions) {
    this.#options = options;
    this.store = options.store ?? new ObjectStore();
    this.#slices = options.slices ?? intakeSlices(options.host.clock);
  }

  get phase(): InformerPhase {
    return this.#phase;
  }

  /** Watches until the signal aborts, or the server refuses for good. Run again, it tells of objects that have vanished in between. */
  async run(signal: AbortSignal): Promise<void> {
    const { gate, host, logger, about, onCrash, onPause } = this.#options;
    for (let failures = 0; !signal.aborted && await gate?.opened(signal) !== false; failures++) {
      using open = gate === undefined ? undefined : whileOpen(gate, signal);
      const relisting = this.#relisting = new AbortController();
      const crash = await this.#follow(AbortSignal.any([open?.signal ?? signal, relisting.signal]));
      if (signal.aborted) return;
      if (open?.signal.aborted) {
        this.#phase = "stale";
        onPause?.();
        continue;
      }
      if (relisting.signal.aborted) continue;
      if (crash === undefined) return;
      onCrash?.();
      const jitter = { share: 0.5, random: host.random };
      const pause = growingPause(failures, { initial: 1, max: LONGEST_PAUSE, jitter });
      logger.error("Informer crashed, it is started again", { ...about, pause, error: crash.error });
      await host.clock.sleep(pause, signal);
    }
  }

  /** Lists all objects anew, as the schema of their kind has changed: tells of the objects that look different. */
  relist(): void {
    this.store.redefine();
    this.#relisting.abort();
  }

  /** Forgets an object about which no event will come any more, and tells that it has gone. */
  forget(cached: CachedObject, origin: "missing" | "moved"): void {
    this.store.remove(cached.object);
    this.#tellOf(cached, { type: "DELETED", origin });
  }

  /** Returns the error that the watcher has crashed with; undefined if it has ended as it should. */
  async #follow(signal: AbortSignal): Promise<{ readonly error: unknown } | undefined> {
    try {
      for await (const items of this.#options.watch(this.store, signal)) {
        for (const item of items) {
          const turning = this.#slices.begin();
          if (turning !== undefined) await turning;
          if (signal.aborted) return undefined;
          this.#take(item);
        }
      }
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  #take(item: WatchItem): void {
    switch (item.type) {
      case "listing":
        return this.store.beginListing();
      case "event": {
        const { event } = item;
        const stored = event.type === "DELETED"
          ? this.store.remove(event.object)
          : this.store.put(event.object);
        const { cached, adoption, before } = stored;
        return this.#tell({ cached, event, adoption, before, origin: "server" });
      }
      case "synced":
        return this.#complete(item.isSetBack);
      default:
        item satisfies never;
    }
  }

  #complete(isSetBack: boolean): void {
    const { logger, about, onSynced } = this.#options;
    const missing = this.store.sweep();
    if (missing.length > 0) logger.debug("Objects vanished unseen", { ...about, count: missing.length });
    for (const cached of missing) this.#tellOf(cached, { type: "DELETED", origin: "missing" });
    if (isSetBack) {
      for (const cached of this.store.restore()) this.#tellOf(cached, { type: null, origin: "restored" });
    }
    this.#phase = "synced";
    onSynced?.();
  }

  #tellOf(
    cached: CachedObject,
    { type, origin }: Pick<WatchEvent, "type"> & Pick<ObjectEvent, "origin">,
  ): void {
    const { object, state } = cached;
    this.#tell({ cached, event: { type, object }, adoption: "newer", before: state, origin });
  }

  /** One object that cannot be handled must not keep the others out. */
  #tell(event: ObjectEvent): void {
    try {
      this.#options.notify(event);
    } catch (error) {
      const { namespace, name } = event.event.object.metadata ?? {};
      this.#options.logger.error("Cannot queue an event: it is dropped", {
        ...this.#options.about,
        namespace,
        name,
        error,
      });
    }
  }
}
