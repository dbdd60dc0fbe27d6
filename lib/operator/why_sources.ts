/** The parts of a run that know something about its objects, as `why` asks them. */

import type { Caches } from "../client/cache/caches.ts";
import type { Controller } from "../controller/controller.ts";
import type { WorkQueue } from "../controller/work_queue.ts";
import type { Failures } from "../engines/failures.ts";
import type { Ledger } from "../engines/ledger.ts";
import type { Pauses } from "../engines/pauses.ts";
import type { Peering } from "../engines/peering/peering.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { Registry } from "../handlers/registry.ts";
import type { KubeObject } from "../model/object.ts";
import { groupResource, type Resource } from "../model/resource.ts";
import type { Clock } from "../runtime/host.ts";
import type { Settings } from "../settings/settings.ts";
import type { Components, RunningOptions } from "./components.ts";
import { keysFor } from "./gates.ts";
import type { Informers } from "./informers.ts";
import type { Namespaces } from "./namespaces.ts";
import type { Responsibility } from "./responsibility.ts";

/** The parts of a run that know something about objects. */
export interface WhySources {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly caches: Caches;
  readonly controller: Controller;
  readonly queue: WorkQueue;
  readonly ledger: Ledger;
  readonly failures: Failures;
  readonly pauses: Pauses;
  /** The fields and the writers of the hot loop that an object is in; undefined: it is in none. */
  readonly loopOf: (
    state: ObjectState,
  ) => { readonly fields: readonly string[]; readonly managers: readonly string[] } | undefined;
  /** Whether a namespace is served. */
  readonly serves: (namespace: string) => boolean;
  /** The fault of the watch of a kind, in a namespace; undefined: there is none. */
  readonly watchProblem: (resource: Resource, namespace: string | undefined) => string | undefined;
  /** The reason why the whole operator holds its work; undefined: it does not. */
  readonly hold: () => string | undefined;
  /** The objects that indexes lack, although handlers no longer wait for them. */
  readonly lacks: () => string | undefined;
  /** The holders of all shards; none where there are no replicas. */
  readonly holders: () => readonly (string | undefined)[];
  /** The name of this replica; undefined: there are no replicas. */
  readonly identity: string | undefined;
  /** The reason why this replica cannot take Leases; undefined: it can. */
  readonly leaseProblem: () => string | undefined;
  /** Whether an object is handled by another replica, or by none. */
  readonly isElsewhere: (object: KubeObject) => boolean;
}

/** The parts of a run. */
export interface AskedRun {
  readonly options: RunningOptions;
  readonly components: Components;
  readonly caches: Caches;
  readonly controller: Controller;
  readonly queue: WorkQueue;
  readonly namespaces: Namespaces;
  readonly informers: Informers;
  readonly peering: Peering;
  readonly responsibility: Responsibility;
  /** Whether its kinds are known. */
  readonly isStarted: boolean;
}

/** Returns what `why` asks, as it stands now. */
export function whySources(run: AskedRun): WhySources {
  const { options: { registry, settings, host: { clock } }, components, peering } = run;
  const { ledger, failures, pauses, gates, indexing, hotLoops } = components;
  const peeringProblem = (): string | undefined => {
    const check = peering.checks(gates.isPaused).find(({ name }) => name === "peering");
    return check?.problem ?? check?.note;
  };
  return {
    clock,
    settings,
    registry,
    ledger,
    failures,
    pauses,
    caches: run.caches,
    controller: run.controller,
    queue: run.queue,
    loopOf: (state) => hotLoops.of(state),
    serves: (namespace) => run.namespaces.served?.includes(namespace) ?? true,
    watchProblem: (resource, namespace) => run.informers.problemOf(resource, namespace),
    hold: () => {
      if (!run.isStarted) return "its kinds are not known yet";
      if (gates.isPaused) return peeringProblem() ?? "it is paused";
      return indexing.gate.isOpen ? undefined : `its indexes are not complete: ${missingLists(run)}`;
    },
    lacks: () => indexing.gate.isOpen ? indexing.problem : undefined,
    holders: () => run.responsibility.holders,
    identity: run.responsibility.identity,
    leaseProblem: () => run.responsibility.problem,
    isElsewhere: ({ metadata: { uid = "" } }) => !run.responsibility.fence.isResponsible(uid),
  };
}

/** The kinds without which handlers do not begin, and why these are not listed. */
function missingLists(run: Pick<AskedRun, "components" | "informers">): string {
  const { components: { indexing }, informers } = run;
  const missing = informers.watches.map(({ resource }) => resource)
    .filter((resource) => keysFor(resource).some((key) => indexing.isBlockedBy(key)));
  if (missing.length === 0) return indexing.problem ?? "an object is being indexed";
  return missing.map((resource) =>
    `${groupResource(resource)}: ${informers.problemOf(resource, undefined) ?? "being indexed"}`
  ).join(", ");
}
