/**
 * Requests of Leases, apart from all other requests of the operator.
 *
 * A session that waits behind other requests is a session lost. So these requests have a transport of their own: no retries, no
 * queue for congestion, no shared connection. Each is one attempt with a short timeout. After a failure the next request takes
 * a fresh connection, as the old one may lead to a server that has gone.
 */

import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { createClient } from "../../client/object_client.ts";
import { toTimeoutError } from "../../client/transport/deadline.ts";
import { Transport, type TransportOptions } from "../../client/transport/transport.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Seconds } from "../../runtime/host.ts";
import { LABEL, type LeaseRecord, LEASES, readLease } from "./lease.ts";

export interface LeaseRequestsOptions {
  /** The way to the API server. Its settings count but for limits, retries and timeouts. */
  readonly transport: TransportOptions;
  readonly namespace: string;
  /** The operator's name. */
  readonly operator: string;
  /** For one request, in seconds. */
  readonly timeout: Seconds;
}

/** Reads and writes Leases. Each method throws ApiError if the server refuses, and a TimeoutError if it does not answer. */
export class LeaseRequests implements Disposable {
  readonly #options: LeaseRequestsOptions;
  readonly #closing = new AbortController();
  /** Transports that requests may still use. */
  readonly #retired = new Set<Disposable>();
  #client: Client | undefined;

  constructor(options: LeaseRequestsOptions) {
    this.#options = options;
  }

  /** Returns the Lease; undefined if there is none. Consistent: read from etcd, not from a cache. */
  async get(name: string): Promise<LeaseRecord | undefined> {
    const { namespace } = this.#options;
    try {
      return readLease(
        await this.#send((client, signal) => client.get(LEASES, { namespace, name }, { signal })),
      );
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Returns all Leases that carry the operator's label. Consistent. */
  async list(): Promise<readonly LeaseRecord[]> {
    const { namespace, operator } = this.#options;
    const labelSelector = `${LABEL}=${operator}`;
    return await this.#send(async (client, signal) => {
      const found: LeaseRecord[] = [];
      for await (const { items } of client.list(LEASES, { namespace, labelSelector, signal })) {
        found.push(...items.map(readLease));
      }
      return found;
    });
  }

  /** Creates a Lease, or replaces the one whose version the object carries. Returns the Lease as written. */
  async write(lease: KubeObject): Promise<LeaseRecord> {
    const isNew = lease.metadata.resourceVersion === undefined;
    return readLease(
      await this.#send((client, signal) =>
        isNew ? client.create(LEASES, lease, { signal }) : client.replace(LEASES, lease, { signal })
      ),
    );
  }

  /** Deletes a Lease if it is still as it was read. */
  async delete({ name, uid, version }: LeaseRecord): Promise<void> {
    const { namespace } = this.#options;
    const preconditions = { uid, resourceVersion: version };
    await this.#send((client, signal) =>
      client.delete(LEASES, { namespace, name }, { signal, preconditions })
    );
  }

  [Symbol.dispose](): void {
    this.#closing.abort(new DOMException("The replica has ended", "AbortError"));
    this.#client?.transport[Symbol.dispose]();
    for (const each of [...this.#retired]) each[Symbol.dispose]();
    this.#client = undefined;
  }

  async #send<T>(ask: (client: Client, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { transport: { host: { clock } }, timeout } = this.#options;
    const client = this.#client ??= this.#connect();
    const late = new AbortController();
    using _timer = clock.after(timeout, () => late.abort(toTimeoutError(timeout)));
    try {
      return await ask(client, AbortSignal.any([late.signal, this.#closing.signal]));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 && !isConflict(error)) this.#retire(client);
      throw error;
    }
  }

  #connect(): Client {
    const { transport, timeout } = this.#options;
    const networking = {
      ...transport.networking,
      requestTimeout: timeout,
      responseTimeout: null,
      requestLimit: null,
      errorBackoffs: [],
      enforceRetryAfter: false,
    };
    return createClient(new Transport({ ...transport, networking }));
  }

  /** Closes its connections when no other request can be under way on them. */
  #retire(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    const { transport: { host: { clock } }, timeout } = this.#options;
    const end = (): void => {
      timer[Symbol.dispose]();
      this.#retired.delete(retired);
      client.transport[Symbol.dispose]();
    };
    const timer = clock.after(timeout, end);
    const retired: Disposable = { [Symbol.dispose]: end };
    this.#retired.add(retired);
  }
}

/** Whether the server refuses since the Lease is another one by now, or there is one, or none any more. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 409 || isAbsent(error));
}

/**
 * Whether there is no Lease of that name.
 *
 * NB: a Lease may be created by a PUT, so that a PUT with the version of a Lease that has gone is answered with 500. A namespace
 * that is missing is no conflict: only creating the namespace heals that. Source: Kubernetes,
 * `apiserver/pkg/storage/etcd3/store.go`, `ErrResourceVersionSetOnCreate`.
 */
function isAbsent({ status, details, message }: ApiError): boolean {
  if (status === 500) return message.includes("resourceVersion should not be set on objects to be created");
  return status === 404 && details?.kind !== "namespaces";
}
