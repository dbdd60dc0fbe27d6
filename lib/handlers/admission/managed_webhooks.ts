/**
 * The webhook configurations of an operator: which webhooks stand in them, which process may write them, and whether they are in order.
 *
 * Of replicas the holder of shard 0 writes, by the announcements of all. Of processes that are no replicas of each other the one
 * that started last has the say where they share an address; where each has an address of its own, a Lease lets only one run.
 * Source: scenarios B128–B157; docs/decisions/0037-webhooks-of-replicas.md.
 */

import { Alarm } from "../../async/alarm.ts";
import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { findLiveHolder } from "../../engines/replicas/held_name.ts";
import { fromBase64 } from "../../model/encoding.ts";
import { isObject } from "../../model/json.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from "../../model/kinds.ts";
import type { JsonObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { WebhookClientConfig } from "../../settings/admission_server.ts";
import type { AdmissionSettings, WatcherSettings } from "../../settings/sections.ts";
import type { AdmissionHandler } from "./admission_handler.ts";
import {
  type Configuration,
  CONFIGURATION_ANNOTATIONS,
  type ConfigurationChange,
  ManagedConfiguration,
  ownerOf,
  stoodIn,
  type WantedConfiguration,
} from "./managed_configuration.ts";
import {
  callIn,
  type FirstTerm,
  parseAnnouncement,
  type ReplicaView,
  SERVES,
  type WriteCall,
} from "./replica_view.ts";
import { leadsHere, type OwnObjects, webhooksFor } from "./webhook_configuration.ts";
import { splitCertificates } from "./webhook_secret.ts";
import { type OwnWebhook, ownWebhooks, planWebhooks, type WebhookMember } from "./webhook_plan.ts";

export interface ManagedWebhooksOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly watching: WatcherSettings;
  /** The name of both configurations. */
  readonly name: string;
  readonly replicas: ReplicaView;
  /** Whose the configurations are: "NAMESPACE/NAME" of Leases, or the name of this process, without a slash. */
  readonly owner: () => string;
  /** The operator's own Leases and Secret; undefined if it has none. */
  readonly ownObjects: () => OwnObjects | undefined;
  /** The handlers of one cause, with the kinds that they are for. */
  readonly handlersOf: (
    cause: AdmissionHandler["cause"],
  ) => ReadonlyMap<AdmissionHandler, readonly Resource[]>;
  /** Whether there are handlers of a cause, whichever kinds are served. */
  readonly isNeeded: (cause: AdmissionHandler["cause"]) => boolean;
  /** How the API server reaches the operator; undefined until it listens. */
  readonly way: () => WebhookClientConfig | undefined;
  /** Told when another client has changed a configuration, which is put right. */
  readonly onRepaired: (change: ConfigurationChange, kind: string) => void;
  /** Told when both configurations were written. */
  readonly onWritten: () => void;
}

/** Configurations belong to another operator that lives. */
export class ForeignConfigurationError extends Error {
  /** The name of the class. */
  override readonly name: string = "ForeignConfigurationError";
}

export interface ReleaseWebhooksOptions {
  readonly way: WebhookClientConfig;
  readonly release: AdmissionSettings["release"];
  readonly call: WriteCall;
}

/** How long until a configuration is written again that could not be written. */
const RETRY_PAUSE: Seconds = 30;

interface Managed {
  readonly cause: AdmissionHandler["cause"];
  readonly configuration: ManagedConfiguration;
  problem: string | undefined;
}

/** The configurations of one run. */
export class ManagedWebhooks {
  readonly #options: ManagedWebhooksOptions;
  readonly #alarm: Alarm;
  /** Without configurations that are neither needed nor permitted. */
  #managed: readonly Managed[];
  /** Owners of the past, whose configurations may be taken over. */
  readonly #dead = new Set<string>();
  /** Whether this process has taken the configurations, and whether a later one has taken them from it. */
  #isTaken = false;
  #isSuperseded = false;
  #isCreated = false;
  #told = "";

  constructor(options: ManagedWebhooksOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.host.clock);
    const { client, host, watching, name, logger } = options;
    this.#managed = ([
      ["validate", VALIDATING_WEBHOOK_CONFIGURATIONS],
      ["mutate", MUTATING_WEBHOOK_CONFIGURATIONS],
    ] as const).map(([cause, resource]): Managed => {
      const managed: Managed = {
        cause,
        problem: undefined,
        configuration: new ManagedConfiguration({
          client,
          host,
          watching,
          resource,
          name,
          logger,
          onChange: (change) => this.#follow(managed, change),
        }),
      };
      return managed;
    });
  }

  /** The faults of each configuration, by its cause. */
  get problems(): readonly { readonly cause: string; readonly problem: string | undefined }[] {
    return this.#managed.map(({ cause, problem }) => ({ cause, problem }));
  }

  /** Brings the configurations up to date. */
  revise(): void {
    this.#alarm.ring();
  }

  /** The webhooks that this replica serves, by "cause/name", with their digests. */
  served(): ReadonlyMap<string, string> {
    const served = new Map<string, string>();
    for (const { cause } of this.#managed) {
      for (const { name, digest } of this.#own(cause)) served.set(`${cause}/${name}`, digest);
    }
    return served;
  }

  /**
   * Refuses configurations of another operator that lives.
   *
   * @throws {ForeignConfigurationError} If there is one. @throws {ApiError} If the server refuses.
   */
  async checkOwners(signal: AbortSignal): Promise<void> {
    for (const { configuration } of this.#managed) {
      const live = await configuration.read({ signal }).catch((error) => {
        // Whoever may not read it is told so where it is to be written.
        if (error instanceof ApiError && error.status === 403) return undefined;
        throw error;
      });
      await this.#checkOwner(configuration, live, signal);
    }
  }

  /** Whether it belongs to another operator with Leases, of which it is not known whether it lives. */
  #isForeign(live: Configuration | undefined): boolean {
    const owner = ownerOf(live);
    if (owner === undefined || owner === this.#options.owner() || this.#dead.has(owner)) return false;
    return owner.includes("/");
  }

  async #checkOwner(
    configuration: ManagedConfiguration,
    live: Configuration | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (!this.#isForeign(live)) return;
    const owner = ownerOf(live) ?? "";
    const [namespace = "", name = ""] = owner.split("/");
    const { client, host, logger } = this.#options;
    const remedy = "give this operator another name by admission.managed";
    let holder: string | undefined;
    try {
      holder = await findLiveHolder({ client, host }, { namespace, name }, signal);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 403)) throw error;
      throw new ForeignConfigurationError(
        `Cannot manage ${configuration.title}: it belongs to the operator "${owner}", and whether that lives cannot be told (grant the right to list Leases there, take the annotation "${CONFIGURATION_ANNOTATIONS.owner}" away, or ${remedy})`,
        { cause: error },
      );
    }
    if (holder !== undefined) {
      throw new ForeignConfigurationError(
        `Cannot manage ${configuration.title}: it belongs to the operator "${owner}", of which "${holder}" lives (${remedy})`,
      );
    }
    this.#dead.add(owner);
    logger.info("The webhook configuration is taken over from an operator that does not live any more", {
      configuration: configuration.title,
      owner,
    });
  }

  /** Watches the configurations until the signal aborts. */
  async guard(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#managed.map(({ configuration }) => configuration.guard(signal)));
  }

  /** Makes the configurations that are not there. @throws {ApiError} If one may not be made, and is needed. */
  async create(call: WriteCall): Promise<void> {
    const managed = await Promise.all(this.#managed.map(async (each) => {
      // Without handlers a list is left to be emptied at most, if there were handlers before.
      const isNeeded = this.#options.isNeeded(each.cause);
      return await each.configuration.create(call, { isNeeded }) ? each : undefined;
    }));
    this.#managed = managed.filter((each) => each !== undefined);
    this.#isCreated = true;
  }

  /** Keeps the configurations as long as the term lasts. Never rejects but with errors of `create()` without replicas. */
  async keep(term: FirstTerm): Promise<void> {
    const { replicas, logger } = this.#options;
    using _members = replicas.onMembers(() => this.revise());
    for (const { configuration } of this.#managed) configuration.forgetWritten();
    while (!term.signal.aborted) {
      let pause = Infinity;
      try {
        if (!this.#isCreated) await this.create(callIn(term));
        const written = await Promise.all(this.#managed.map((managed) => this.#tryWrite(managed, term)));
        if (written.includes(false)) pause = RETRY_PAUSE;
        else this.#options.onWritten();
      } catch (error) {
        if (term.signal.aborted) return;
        if (replicas.settings === undefined) throw error;
        pause = RETRY_PAUSE;
        logger.warn("Cannot keep the webhook configurations: it is tried again", { error, retryIn: pause });
      }
      await this.#alarm.sleep(pause, term.signal);
    }
  }

  /** Whether a configuration is as it should be. Why it is not is logged. */
  async #tryWrite(managed: Managed, term: FirstTerm): Promise<boolean> {
    const { logger, name } = this.#options;
    const { cause, configuration } = managed;
    if (term.timeLeft() <= 0) return false;
    if (!configuration.isWritten) managed.problem ??= `${configuration.title} is not written yet`;
    try {
      let isWritten = await configuration.write((live) => this.#decide(managed, live), callIn(term));
      if (this.#isForeign(configuration.live)) {
        await this.#checkOwner(configuration, configuration.live, term.signal);
        isWritten = await configuration.write((live) => this.#decide(managed, live), callIn(term));
      }
      if (isWritten) {
        logger.debug("Wrote the webhook configuration", {
          kind: configuration.resource.kind,
          configuration: name,
        });
      }
      if (ownerOf(configuration.live) === this.#options.owner()) this.#isTaken = true;
      managed.problem = configuration.deleted === undefined || configuration.mayBeMade
        ? undefined
        : `${configuration.title} was deleted: it came with manifests, apply them again`;
      return true;
    } catch (error) {
      if (term.signal.aborted) return true;
      if (error instanceof ForeignConfigurationError) throw error;
      const fields = { configuration: name, error, retryIn: RETRY_PAUSE };
      managed.problem = `${configuration.title} cannot be written: ${
        error instanceof Error ? error.message : error
      }`;
      if (error instanceof ApiError && (error.status === 400 || error.status === 422)) {
        managed.problem = `${configuration.title} is not written yet: the API server refuses it`;
        logger.error("The API server refuses the webhook configuration: it is tried again", {
          ...fields,
          stack: false,
          ...adviceFor(error, [...this.#options.handlersOf(cause).keys()]),
        });
      } else logger.warn("Cannot write the webhook configuration: it is tried again", fields);
      return false;
    }
  }

  #decide(
    { cause, configuration }: Managed,
    live: Configuration | undefined,
  ): WantedConfiguration | undefined {
    if (this.#isForeign(live)) return undefined;
    const owner = this.#options.owner();
    const found = ownerOf(live);
    const isProcess = !owner.includes("/") && found !== undefined && !found.includes("/");
    if (this.#isTaken && isProcess && found !== owner) this.#supersede(found);
    if (this.#isSuperseded) return undefined;
    const way = this.#options.way();
    // Without handlers a configuration has no webhooks, and needs no way.
    const own = this.#own(cause);
    if (way === undefined && own.length > 0) return undefined;
    if (live === undefined && !configuration.mayBeMade) return undefined;
    const plan = planWebhooks({
      own,
      others: this.#others(cause),
      live: live?.webhooks ?? [],
      stood: stoodIn(live ?? configuration.deleted),
      caBundle: way?.caBundle,
    });
    if (plan.webhooks.length === 0 && (live?.webhooks ?? []).length === 0) return undefined;
    this.#tellAwaited(plan.awaited);
    const digests = JSON.stringify(Object.fromEntries(plan.digests));
    return {
      webhooks: plan.webhooks,
      annotations: {
        [CONFIGURATION_ANNOTATIONS.owner]: owner,
        [CONFIGURATION_ANNOTATIONS.digests]: digests,
      },
    };
  }

  #supersede(by: string): void {
    if (this.#isSuperseded) return;
    this.#isSuperseded = true;
    this.#options.logger.warn(
      "Another process that started later manages the webhooks: this one leaves them alone (processes that run together are replicas: set the option replicas)",
      { configuration: this.#options.name, by },
    );
  }

  #tellAwaited(names: readonly string[]): void {
    const told = names.join(" ");
    if (told === this.#told) return;
    this.#told = told;
    if (names.length === 0) return;
    this.#options.logger.info("Webhooks wait until all replicas serve them as this release does", {
      webhooks: names,
    });
  }

  #own(cause: AdmissionHandler["cause"]): OwnWebhook[] {
    const { handlersOf, way, name, ownObjects } = this.#options;
    const handlers = handlersOf(cause);
    const client = way() ?? {};
    return ownWebhooks(webhooksFor({ handlers, suffix: name, client, own: ownObjects() }));
  }

  /** The other live replicas, and the webhooks of one cause that each serves. */
  #others(cause: AdmissionHandler["cause"]): WebhookMember[] {
    const { members, identity } = this.#options.replicas;
    return members.filter((member) => member.isLive && member.identity !== identity).map(
      ({ isAble, record: { annotations } }) => {
        const announced = parseAnnouncement(annotations[SERVES]);
        const prefix = `${cause}/`;
        const serves = announced && new Map(
          [...announced.webhooks].filter(([key]) => key.startsWith(prefix))
            .map(([key, digest]) => [key.slice(prefix.length), digest]),
        );
        return { serves, isAble };
      },
    );
  }

  /** The reason why this replica must not get reviews yet: a webhook that it does not serve, or that does not trust it. */
  disagreement(isTrustedBy: (bundle: readonly string[]) => boolean): string | undefined {
    for (const { cause, configuration } of this.#managed) {
      if (ownerOf(configuration.live) !== this.#options.owner()) continue;
      const names = new Set(this.#own(cause).map(({ name }) => name));
      for (const webhook of configuration.live?.webhooks ?? []) {
        const title = `${configuration.title}: the webhook "${webhook.name}"`;
        if (!names.has(String(webhook.name))) return `${title} is of another release`;
        if (!isTrustedBy(authoritiesIn(webhook))) return `${title} does not trust this replica yet`;
      }
    }
    return undefined;
  }

  /** The authorities in all webhooks that stand. PEM. */
  authorities(): readonly string[] {
    const found = this.#managed.flatMap(({ configuration }) =>
      (configuration.live?.webhooks ?? []).flatMap(authoritiesIn)
    );
    return [...new Set(found)];
  }

  /** Takes webhooks back when the operator stops. @throws {AggregateError} If the server refuses. */
  async release({ way, release, call }: ReleaseWebhooksOptions): Promise<void> {
    if (release === "nothing" || this.#isSuperseded || !this.#isCreated) return;
    const results = await Promise.allSettled(this.#managed.map(async ({ cause, configuration }) => {
      const kept = webhooksFor({
        handlers: this.#options.handlersOf(cause),
        suffix: this.#options.name,
        client: way,
        persistentOnly: true,
      });
      const persistent = new Set(kept.map(({ name }) => name));
      await configuration.write((live) => {
        const found = ownerOf(live);
        if (live === undefined || (found !== undefined && found !== this.#options.owner())) return undefined;
        const { webhooks = [] } = live;
        const left = webhooks.filter((webhook) => {
          const place = leadsHere(webhook, way);
          const isOurs = place === "alone" || (place === "together" && release === "all");
          return persistent.has(webhook.name) || !isOurs;
        });
        if (left.length === webhooks.length) return undefined;
        const names = new Set(left.map(({ name }) => String(name)));
        const digests = [...stoodIn(live)].filter(([name]) => names.has(name));
        return {
          webhooks: left,
          annotations: { [CONFIGURATION_ANNOTATIONS.digests]: JSON.stringify(Object.fromEntries(digests)) },
        };
      }, call);
    }));
    const failures = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
    if (failures.length > 0) throw new AggregateError(failures, "Cannot take webhooks back");
  }

  #follow(managed: Managed, change: ConfigurationChange): void {
    const { configuration } = managed;
    if (change.isForeign && !this.#isSuperseded) {
      const found = ownerOf(change.object as Configuration);
      const isOurs = found === undefined || found === this.#options.owner();
      if (change.what === "deleted" ? configuration.mayBeMade : isOurs) {
        managed.problem = `somebody has ${change.what} ${configuration.title}`;
        this.#options.onRepaired(change, configuration.resource.kind);
      }
    }
    this.revise();
  }
}

/** The authorities of a webhook. PEM. */
function authoritiesIn({ clientConfig }: JsonObject): string[] {
  const bundle = isObject(clientConfig) ? clientConfig.caBundle : undefined;
  const text = typeof bundle === "string" ? fromBase64(bundle) ?? "" : "";
  return splitCertificates(text);
}

/** Names the handler whose webhook the server has refused, and which part of it to rename. */
function adviceFor(
  { details }: ApiError,
  handlers: readonly AdmissionHandler[],
): { handler?: string; rename?: string } {
  for (const { field = "" } of details?.causes ?? []) {
    const [, index, part = ""] = /^webhooks\[(\d+)\]\.([\w.]+)/.exec(field) ?? [];
    const handler = handlers[Number(index)]?.id;
    if (handler === undefined) continue;
    const rename = RENAMED.find(([start]) => part.startsWith(start))?.[1];
    return { handler, ...rename !== undefined && { rename } };
  }
  return {};
}

/** The names of which fields of a webhook are made. */
const RENAMED = [
  ["name", 'the handler, by its option "id"'],
  ["clientConfig.service.path", 'the handler, by its option "id", or the path of admission.server'],
  ["clientConfig", "the address of admission.server"],
] as const;
