/**
 * The definitions of an operator's kinds, as far as they lead the API server to whoever converts objects.
 *
 * Objects of a kind cannot be listed before a server converts them, so the way is written before that. Where replicas of another release
 * live that do not convert, they would be asked as well: then the definition stays, and the new replica waits with its lists.
 */

import { Alarm } from "../async/alarm.ts";
import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import { conversionOf, writeConversions } from "../engines/definitions/conversion.ts";
import {
  type FirstTerm,
  parseAnnouncement,
  type ReplicaView,
  SERVES,
} from "../handlers/admission/replica_view.ts";
import type { ResourceOptions } from "../registry/resource.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { WebhookClientConfig } from "../settings/admission_server.ts";

export interface KeptConversionsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly replicas: ReplicaView;
  /** The kinds that are converted now: handlers may be exchanged. */
  readonly kinds: () => readonly ResourceOptions[];
  /** Whether this replica presents a certificate that one of these authorities has signed. In base64. */
  readonly isTrustedBy: (caBundle: string) => boolean;
}

/** How often the definitions are looked at while other replicas are waited for. */
const LOOK: Seconds = 5;

/** The conversions of one run. */
export class KeptConversions {
  readonly #options: KeptConversionsOptions;
  readonly #alarm: Alarm;
  #first: FirstTerm | undefined;
  #isAwaited = false;
  /** Whether all definitions led here once. */
  #areOpen = false;

  constructor(options: KeptConversionsOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock);
  }

  /** Whether lists wait until other replicas have gone that do not convert. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /** Names of the definitions. */
  get names(): readonly string[] {
    return this.#options.kinds().map(nameOf);
  }

  /** Keeps the definitions in a term of shard 0. */
  async keep(term: FirstTerm, revise: () => void): Promise<void> {
    this.#first = term;
    revise();
    const { promise, resolve } = Promise.withResolvers<void>();
    term.signal.addEventListener("abort", () => resolve(), { once: true });
    if (!term.signal.aborted) await promise;
    this.#first = undefined;
  }

  /**
   * Writes the way into the definitions, if it is this replica's to do; the first time it waits until they lead to the replicas.
   *
   * @throws {ApiError} If the server refuses.
   */
  async open(way: WebhookClientConfig, signal: AbortSignal): Promise<void> {
    const { replicas, client, logger } = this.#options;
    if (replicas.settings === undefined) {
      return await writeConversions(this.#options.kinds(), { client, way, logger, signal });
    }
    using _members = replicas.onMembers(() => this.#alarm.ring());
    try {
      while (!signal.aborted) {
        const awaited = await this.#look(way, signal);
        if (awaited.length === 0) this.#areOpen = true;
        if (this.#areOpen) return;
        if (!this.#isAwaited) {
          logger.warn(
            "Replicas of another release do not convert objects of these kinds: this one waits with its lists until they have gone (the first conversion of a kind takes the strategy Recreate, or two releases)",
            { definitions: awaited },
          );
        }
        this.#isAwaited = true;
        await this.#alarm.sleep(LOOK, signal);
      }
    } finally {
      this.#isAwaited = false;
    }
  }

  /** Returns the names of definitions that do not lead to the replicas yet. */
  async #look(way: WebhookClientConfig, signal: AbortSignal): Promise<string[]> {
    const { client, logger, kinds, replicas: { settings } } = this.#options;
    const awaited: string[] = [];
    for (const kind of kinds()) {
      const name = nameOf(kind);
      const live = await conversionOf(client, name, signal);
      // A kind that is not defined has no objects.
      if (live === undefined) continue;
      const leadsHere = live.service?.name === way.service?.name && live.url === way.url &&
        live.caBundle !== undefined && this.#options.isTrustedBy(live.caBundle);
      const isFirst = this.#first !== undefined && this.#first.timeLeft() > 0;
      if (leadsHere && !isFirst) continue;
      if (this.#others.every((conversions) => conversions.includes(name))) {
        const own = settings && `${settings.namespace}/${settings.name}`;
        try {
          await writeConversions([kind], { client, way, logger, signal, owner: own, permit: this.#first });
        } catch (error) {
          if (!(error instanceof ApiError && error.status === 409)) throw error;
          awaited.push(name);
        }
      } else if (!leadsHere) awaited.push(name);
    }
    return awaited;
  }

  /** The names of the definitions that each other live replica serves. */
  get #others(): readonly (readonly string[])[] {
    const { members, identity } = this.#options.replicas;
    return members.filter((member) => member.isLive && member.identity !== identity)
      .map(({ record }) => parseAnnouncement(record.annotations[SERVES])?.conversions ?? []);
  }
}

function nameOf({ plural, group }: ResourceOptions): string {
  return `${plural}.${group}`;
}
