/**
 * A name that one process at a time may use, held by a Lease of that name: for processes that are no replicas of each other.
 *
 * A second process is refused while the first one lives, and its error names the first one; the Lease of a process that has died is taken
 * over. As with client-go, a Lease counts as dead when it has not changed for its duration on the clock of whoever looks.
 * Source: client-go, `tools/leaderelection/leaderelection.go`; docs/decisions/0037-webhooks-of-replicas.md.
 */

import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { toTimeoutError } from "../../client/transport/deadline.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { isConflict } from "./lease_requests.ts";
import { isSameRecord, LABEL, type LeaseRecord, LEASES, readLease } from "./lease.ts";
import { Moments } from "./moments.ts";
import { elapsedSince, type Moment } from "./session_state.ts";

export interface HeldNameOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  /** The place of the Lease, and its name, which is the name that is held. */
  readonly namespace: string;
  readonly name: string;
  /** The name of this process. */
  readonly identity: string;
}

/** Another process uses the name. */
export class NameHeldError extends Error {
  /** The name of the class. */
  override readonly name: string = "NameHeldError";
}

const DURATION: Seconds = 15;
const DEADLINE: Seconds = 10;
const PERIOD: Seconds = 5;

/** How often the Lease of another process is read to see whether it lives. */
const LOOK: Seconds = 1;

/** One name, held by one process. */
export class HeldName {
  readonly #options: HeldNameOptions;
  readonly #moments: Moments;
  readonly #ended = new AbortController();
  #record: LeaseRecord | undefined;
  #acquired = "";
  /** When the last answered renewal was sent. */
  #since: Moment | undefined;

  constructor(options: HeldNameOptions) {
    this.#options = options;
    this.#moments = new Moments(options.host.clock);
  }

  /** Aborts when the name is not held any more. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** For how long it is held unless it is renewed. 0 or less: others may have it. */
  timeLeft(): Seconds {
    if (this.#since === undefined || this.#ended.signal.aborted) return 0;
    return DEADLINE - elapsedSince(this.#since, this.#moments.now());
  }

  /**
   * Takes the name; waits until it is known whether another process lives that has it.
   *
   * @throws {NameHeldError} If one does. @throws {ApiError} If the server refuses. @throws The signal's reason.
   */
  async acquire(signal: AbortSignal): Promise<void> {
    for (;;) {
      const found = await this.#read(signal);
      if (found !== undefined && found.holder !== "" && found.holder !== this.#options.identity) {
        if (await this.#lives(found, signal)) throw this.#refusal(found);
        this.#options.logger.info("The process that has used the name has died: it is taken over", {
          lease: `${this.#options.namespace}/${this.#options.name}`,
          holder: found.holder,
        });
      }
      this.#record = found;
      try {
        return await this.#write(signal);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  /** Renews until the signal aborts. @throws {NameHeldError} If another process has the name by now. */
  async keep(signal: AbortSignal): Promise<void> {
    const { host: { clock }, logger, namespace, name } = this.#options;
    while (await clock.sleep(PERIOD, signal)) {
      try {
        await this.#write(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!isConflict(error)) {
          logger.warn("Cannot renew the Lease: it is tried again", { lease: `${namespace}/${name}`, error });
          continue;
        }
        await this.#retake(signal).catch((cause) => {
          if (cause instanceof NameHeldError) throw cause;
          if (!signal.aborted) logger.warn("Cannot read the Lease: it is tried again", { error: cause });
        });
      }
    }
  }

  /** The Lease is another one than we think: a stranger may have edited it, or another process has taken it. */
  async #retake(signal: AbortSignal): Promise<void> {
    const found = await this.#read(signal);
    if (found !== undefined && found.holder !== "" && found.holder !== this.#options.identity) {
      this.#ended.abort(new DOMException("Another process has taken the name", "AbortError"));
      throw this.#refusal(found);
    }
    this.#record = found;
    await this.#write(signal);
  }

  /** Deletes the Lease, so that another process can have the name. Never rejects. */
  async release(): Promise<void> {
    const { client, logger, namespace, name } = this.#options;
    const record = this.#record;
    if (record === undefined || this.#since === undefined || this.#ended.signal.aborted) return;
    this.#ended.abort(new DOMException("The name was given back", "AbortError"));
    const preconditions = { uid: record.uid, resourceVersion: record.version };
    try {
      await this.#send((signal) =>
        client.delete(LEASES, { namespace, name }, { signal, urgent: true, preconditions })
      );
    } catch (error) {
      if (!isConflict(error)) logger.debug("Cannot delete the Lease: it will expire", { lease: name, error });
    }
  }

  async #lives(found: LeaseRecord, signal: AbortSignal): Promise<boolean> {
    const { host: { clock } } = this.#options;
    const end = clock.monotonic() + Math.max(found.duration, 1);
    while (clock.monotonic() < end) {
      if (!await clock.sleep(LOOK, signal)) throw signal.reason;
      const now = await this.#read(signal);
      if (now === undefined || now.holder === "") return false;
      if (!isSameRecord(now, found)) return true;
    }
    return false;
  }

  #refusal({ holder }: LeaseRecord): NameHeldError {
    const { namespace, name } = this.#options;
    return new NameHeldError(
      `Cannot manage the webhooks of "${name}": the process "${holder}" does, as Lease "${namespace}/${name}" says (stop it, give this operator another name by admission.managed, or run both as replicas)`,
    );
  }

  async #read(signal: AbortSignal): Promise<LeaseRecord | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      const send = (signal: AbortSignal): Promise<KubeObject> =>
        client.get(LEASES, { namespace, name }, { signal, urgent: true });
      return readLease(await this.#send(send, signal));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { client, namespace, name, identity } = this.#options;
    const before = this.#record;
    const sent = this.#moments.now();
    const renewTime = this.#moments.stamp();
    this.#acquired ||= renewTime;
    const isNew = before?.holder !== identity;
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { ...before?.object.metadata, name, namespace },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: DURATION,
        acquireTime: this.#acquired,
        renewTime,
        leaseTransitions: before === undefined ? 0 : before.transitions + (isNew ? 1 : 0),
      },
    };
    const send = (signal: AbortSignal): Promise<KubeObject> =>
      before === undefined
        ? client.create(LEASES, lease, { signal, urgent: true })
        : client.replace(LEASES, lease, { signal, urgent: true });
    this.#record = readLease(await this.#send(send, signal));
    this.#since = sent;
  }

  async #send<T>(ask: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { host: { clock } } = this.#options;
    const late = new AbortController();
    using _timer = clock.after(DEADLINE / 3, () => late.abort(toTimeoutError(DEADLINE / 3)));
    return await ask(signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]));
  }
}

/** The place and the name of an operator's Leases. */
export interface LeaseOwner {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Returns the holder of one of an operator's Leases that is renewed, or changes; undefined if none is for as long as Leases
 * last. An operator without Leases is not waited for.
 *
 * @throws {ApiError} If the Leases may not be read. @throws The signal's reason.
 */
export async function findLiveHolder(
  { client, host: { clock } }: Pick<HeldNameOptions, "client" | "host">,
  { namespace, name }: LeaseOwner,
  signal: AbortSignal,
): Promise<string | undefined> {
  const list = async (): Promise<Map<string, LeaseRecord>> => {
    const found = new Map<string, LeaseRecord>();
    const add = (object: KubeObject): void => {
      const record = readLease(object);
      if (record.holder !== "") found.set(record.name, record);
    };
    // A domain may be longer than the value of a label.
    const labelSelector = `${LABEL}=${name.slice(0, 63)}`;
    for await (const { items } of client.list(LEASES, { namespace, labelSelector, signal })) {
      items.forEach(add);
    }
    await client.get<KubeObject>(LEASES, { namespace, name }, { signal }).then(add, (error) => {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
    return found;
  };
  const before = await list();
  const duration = Math.max(0, ...[...before.values()].map((record) => record.duration));
  for (const end = clock.monotonic() + duration; before.size > 0 && clock.monotonic() < end;) {
    if (!await clock.sleep(LOOK, signal)) throw signal.reason;
    for (const [lease, record] of await list()) {
      const known = before.get(lease);
      if (known === undefined || !isSameRecord(known, record)) return record.holder;
    }
  }
  return undefined;
}
