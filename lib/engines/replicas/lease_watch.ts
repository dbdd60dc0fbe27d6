/**
 * Watches the Leases of one operator: its own by their label, and the Lease `NAME` by its name, as other programs that take part
 * in the election put no label on it.
 *
 * A stream that is silent looks like a quiet one. The replica's own renewals tell the difference: one that does not come back ends
 * the streams, and the Leases are listed anew.
 */

import type { TaskGroup } from "../../async/tasks.ts";
import { Informer } from "../../client/cache/informer.ts";
import type { ObjectEvent } from "../../client/cache/object_store.ts";
import type { Client } from "../../client/client.ts";
import type { ApiError } from "../../client/errors.ts";
import { watchObjects } from "../../client/watch/watcher.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WatcherSettings } from "../../settings/sections.ts";
import { LABEL, LEASES } from "./lease.ts";

export interface LeaseWatchOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: WatcherSettings;
  readonly operator: string;
  readonly namespace: string;
  readonly tasks: TaskGroup;
  /** Told of each state of each Lease that comes. */
  readonly onEvent: (event: ObjectEvent) => void;
  /** Called whenever one of the sets is complete. */
  readonly onSynced: () => void;
}

/** How long an own renewal may take to come back on the stream, before the Leases are listed anew. */
const LATE_EVENT: Seconds = 5;

/** The watches of one replica. */
export class LeaseWatch {
  readonly #options: LeaseWatchOptions;
  readonly #informers: readonly Informer[];
  readonly #refusals = new Map<string, ApiError>();
  #isSynced = false;
  /** The oldest own renewal that has not come back, and since when that is waited for. */
  #awaited: { readonly sent: Seconds; readonly since: Seconds } | undefined;
  /** When the newest renewal was sent that has come back. */
  #cameBack: Seconds = -Infinity;

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
    const { operator } = options;
    this.#informers = [
      this.#informer({ labelSelector: `${LABEL}=${operator}` }, () => true),
      this.#informer({ fieldSelector: `metadata.name=${operator}` }, (name) => name === operator),
    ];
  }

  /** Whether all Leases have been listed once. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** The refusal of the server, while it refuses. */
  get refusal(): ApiError | undefined {
    return [...this.#refusals.values()][0];
  }

  start(): void {
    for (const informer of this.#informers) {
      this.#options.tasks.start("watch Leases", (signal) => informer.run(signal));
    }
  }

  /** An own renewal was answered: its event is to come. `sent`: when it was sent, on the monotonic clock. */
  expect(sent: Seconds): void {
    // The event of a renewal may come before the answer to its request.
    if (sent > this.#cameBack) this.#awaited ??= { sent, since: this.#options.host.clock.monotonic() };
  }

  /** An own renewal has come back. */
  cameBack(sent: Seconds): void {
    this.#cameBack = Math.max(this.#cameBack, sent);
    if (this.#awaited !== undefined && sent >= this.#awaited.sent) this.#awaited = undefined;
  }

  /** The session is another one: renewals of the old one do not come back. */
  expectNothing(): void {
    this.#awaited = undefined;
  }

  /** When the next renewal will be too late, on the monotonic clock; Infinity if none is waited for. */
  get due(): Seconds {
    return this.#awaited === undefined ? Infinity : this.#awaited.since + LATE_EVENT;
  }

  /** Ends the streams and lists anew, if a renewal is too late. */
  check(): void {
    const { host: { clock }, logger } = this.#options;
    if (this.#awaited === undefined || clock.monotonic() < this.due) return;
    logger.debug("Own renewals do not come back: the Leases are listed anew");
    this.#awaited = { ...this.#awaited, since: clock.monotonic() };
    for (const informer of this.#informers) informer.relist();
  }

  #informer(
    selector: { readonly labelSelector?: string; readonly fieldSelector?: string },
    accepts: (name: string) => boolean,
  ): Informer {
    const { client, host, logger, settings, namespace, onEvent, onSynced } = this.#options;
    const key = selector.labelSelector ?? selector.fieldSelector ?? "";
    const informer: Informer = new Informer({
      host,
      logger,
      about: { kind: "Lease", namespace },
      // A server without field selectors for Leases sends all Leases of the namespace.
      notify: (event) => accepts(event.event.object.metadata.name ?? "") && onEvent(event),
      onSynced: () => {
        this.#refusals.delete(key);
        this.#isSynced = this.#informers.every(({ phase }) => phase === "synced");
        onSynced();
      },
      watch: (store, signal) =>
        watchObjects({
          client,
          host,
          logger,
          settings,
          resource: LEASES,
          namespace,
          ...selector,
          store,
          signal,
          onRefused: (error) => {
            this.#refusals.set(key, error);
            return "retry";
          },
        }),
    });
    return informer;
  }
}
