/**
 * The peering of one operator: the peering objects of the namespaces that it serves, and whether another operator is in its way.
 *
 * There is one object for a run over the whole cluster, else one in each served namespace. Where the server knows no such
 * kinds there is nothing to do, unless peering is mandatory: then the operator waits for them. One object in which somebody
 * is in the way pauses everything. Source: scenarios B158–B185.
 */

import type { Gate, GateSet } from "../../async/gate.ts";
import { withTimeout } from "../../async/timeout.ts";
import type { Client } from "../../client/client.ts";
import { keyOf, type Resource } from "../../model/resource.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Peer } from "./record.ts";
import { type LeaveOptions, PeeringScope } from "./peering_object.ts";

export interface PeeringOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Settings;
  /** Under which name the operator writes. */
  readonly identity: string;
  /** Which namespaces are served; undefined: the whole cluster. */
  readonly namespaces: () => readonly string[] | undefined;
  /** Gets a gate for each object, open while no other operator is in the way. */
  readonly gates: GateSet;
}

/** The groups that have peering kinds; the second one is older. */
const PEERING_GROUPS: readonly string[] = ["kopf.dev", "zalando.org"];
const VERSION = "v1";

/** How long the start waits for the first state of the peering objects. */
const FIRST_LOOK: Seconds = 5;

/** Returns the peering kinds that the server has: for the whole cluster, or in namespaces. */
export async function findPeeringKinds(
  { discovery }: Pick<Client, "discovery">,
  { clusterwide }: { readonly clusterwide: boolean },
): Promise<readonly Resource[]> {
  const plural = clusterwide ? "clusterkopfpeerings" : "kopfpeerings";
  const served = await discovery.groups(PEERING_GROUPS);
  return served.filter((kind) =>
    kind.plural === plural && kind.version === VERSION && kind.namespaced !== clusterwide
  );
}

interface PeeringAddress {
  readonly resource: Resource;
  readonly namespace: string | undefined;
}

interface Member {
  readonly scope: PeeringScope;
  readonly gate: Gate;
}

/** All peering objects of one operator. */
export class Peering {
  readonly #options: PeeringOptions;
  /** Closed while peering is mandatory and there are no kinds. */
  readonly #kinds: Gate;
  readonly #members = new Map<string, Member>();
  #isStopping = false;
  #hasWarned = false;

  constructor(options: PeeringOptions) {
    this.#options = options;
    const { mandatory, standalone } = options.settings.peering;
    this.#kinds = this.#options.gates.add(standalone || !mandatory);
  }

  /** Whether there is any object to meet at, or has to be. */
  get isActive(): boolean {
    return this.#members.size > 0 || !this.#kinds.isOpen;
  }

  /** The operators that are in the way, in any of the objects. */
  get blockers(): readonly Peer[] {
    return [...this.#members.values()].flatMap(({ scope }) => scope.blockers);
  }

  /** Returns the checks for the readiness probe. A pause is no fault: an operator that waits for others is ready to take over. */
  checks(isPaused: boolean): readonly { name: string; problem: string | undefined; note?: string }[] {
    if (!this.isActive) return [];
    const names = this.blockers.map(({ identity, priority }) => `${identity} (priority ${priority})`);
    const note = isPaused ? `paused for ${[...new Set(names)].join(", ")}` : undefined;
    return [{ name: "peering", problem: this.problem, note }];
  }

  /** The fault to be mended before the operator can work; undefined if it works, or others do. */
  get problem(): string | undefined {
    if (!this.#kinds.isOpen) {
      return "peering is mandatory, but the server has no peering kinds (apply their CRDs)";
    }
    const expired = Math.round(
      Math.max(0, ...[...this.#members.values()].map(({ scope }) => scope.expiredFor)),
    );
    if (expired > 0) {
      return `the own record expired ${expired} s ago and cannot be renewed: others may take us for dead`;
    }
    if (this.#options.gates.isOpen || this.blockers.length > 0) return undefined;
    const { name } = this.#options.settings.peering;
    return `peering is mandatory, but the peering object "${name}" has not been seen (create it, and allow to watch it)`;
  }

  /** Whether kinds of this group could matter. */
  concerns(group: string): boolean {
    return !this.#options.settings.peering.standalone && PEERING_GROUPS.includes(group);
  }

  /**
   * Takes up the objects that are to be met at now, and leaves the others. Waits a moment for the first state of new ones, so
   * that no work is begun that others are at.
   *
   * @throws {ApiError} If discovery fails.
   */
  async revise(): Promise<void> {
    const { settings, host } = this.#options;
    if (settings.peering.standalone || this.#isStopping) return;
    const wanted = await this.#addresses();
    if (this.#isStopping) return;
    const left = this.#leaveAllBut(wanted);
    const fresh = [...wanted].filter(([key]) => !this.#members.has(key)).map(([key, place]) =>
      this.#join(key, place)
    );
    await left;
    if (fresh.length === 0 || !this.#options.gates.isOpen) return;
    const looked = Promise.all(fresh.map(({ looked }) => looked));
    await withTimeout(looked, { clock: host.clock, timeout: FIRST_LOOK });
  }

  /** Ends looking at others; own records are kept alive. */
  async stopWatching(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#members.values()].map(({ scope }) => scope.stopWatching()));
  }

  /** Removes the own records, unless other replicas share them. Never rejects. */
  async leave(options: LeaveOptions = {}): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#members.values()].map(({ scope }) => scope.leave(options)));
  }

  async #addresses(): Promise<ReadonlyMap<string, PeeringAddress>> {
    const { client, settings } = this.#options;
    const { clusterwide } = settings.peering;
    const resources = await findPeeringKinds(client, { clusterwide });
    this.#checkKinds(resources);
    const namespaces = clusterwide ? [undefined] : this.#options.namespaces() ?? [client.defaultNamespace];
    return new Map(
      resources.flatMap((resource) =>
        namespaces.map((namespace) => [`${keyOf(resource)}|${namespace ?? ""}`, { resource, namespace }])
      ),
    );
  }

  #checkKinds(resources: readonly Resource[]): void {
    const { settings, logger } = this.#options;
    const { mandatory, clusterwide } = settings.peering;
    if (mandatory && resources.length === 0 && !this.#hasWarned) {
      this.#hasWarned = true;
      const kind = clusterwide ? "ClusterKopfPeering" : "KopfPeering";
      logger.warn("Paused: peering is mandatory, but the server has no peering kinds (apply their CRDs)", {
        kind,
      });
    }
    // Not opened here: the gates of the objects must be there first.
    if (mandatory && resources.length === 0) this.#kinds.close();
  }

  #join(key: string, { resource, namespace }: PeeringAddress): PeeringScope {
    const { settings } = this.#options;
    const gate = this.#options.gates.add(!settings.peering.mandatory);
    const scope = new PeeringScope({ ...this.#options, resource, namespace, gate });
    this.#members.set(key, { scope, gate });
    this.#kinds.open();
    scope.start();
    return scope;
  }

  async #leaveAllBut(wanted: ReadonlyMap<string, PeeringAddress>): Promise<void> {
    const unwanted = [...this.#members].filter(([key]) => !wanted.has(key));
    for (const [key, { gate }] of unwanted) {
      this.#members.delete(key);
      this.#options.gates.remove(gate);
    }
    await Promise.all(unwanted.map(([, { scope }]) => scope.leave()));
  }
}

// Under which name an operator writes into peering objects.
// In a pod it is the name that the pod gives it; else it names the user, the host and the time of its start, so that people can tell whom they
// see. Source: scenarios B158–B185.

const SYMBOLS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Returns a name for a run: `POD_ID` where it is set, else "user@host/20261231235959/a1b". */
export function detectIdentity(host: Host): string {
  const { process, clock, random } = host;
  const pod = process.env("POD_ID");
  if (pod) return pod;
  const started = new Date(clock.now()).toISOString().replace(/\D/g, "").slice(0, 14);
  const suffix = Array.from({ length: 3 }, () => SYMBOLS[Math.floor(random.next() * SYMBOLS.length)]).join(
    "",
  );
  return `${detectUser(host)}/${started}/${suffix}`;
}

/** Returns a name for a person at a host: "user@host". It is the same each time, so that a freeze can be ended under the name that began it. */
export function detectUser({ process }: Host): string {
  const name = process.hostname().replace(/\.(local|localdomain)$/i, "");
  return `${process.user() ?? "unknown"}@${name}`;
}
