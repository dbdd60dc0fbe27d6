/**
 * Watches CustomResourceDefinitions while the operator runs: which resources come, which go, and which are served in another
 * version.
 *
 * Source: Kopf, docs/scopes.
 */

import type { TaskGroup } from "../async/tasks.ts";
import type { ObjectEvent } from "../client/cache/object_store.ts";
import type { Client } from "../client/client.ts";
import { projectionOf } from "../client/projection.ts";
import { watchOptional } from "../client/watch/optional_watch.ts";
import type { KubeObject, WatchEvent } from "../model/object.ts";
import type { Resource } from "../model/resource.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings, WatchingSettings } from "../settings/settings.ts";
import { DiscoveryRetry, type ExpectedResource } from "./discovery_retry.ts";
import type { Revisions } from "./revisions.ts";

/**
 * How long streams go on, at most, as if a definition had not changed: their objects lack the new fields. A new request sees
 * the fields at once. Source: Kubernetes, apiextensions-apiserver, `crdHandler.tearDown()`.
 */
const OLD_SCHEMA_FOR: Seconds = 1;

export interface CrdWatchOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly tasks: TaskGroup;
  /** Whether anything of a group matters. */
  readonly concerns: (group: string) => boolean;
  readonly revisions: Pick<Revisions, "run" | "request">;
}

/** The kind that a definition is for, by its name. */
export type NamesOfCrd = Pick<Resource, "group" | "plural">;

/** A definition, as far as it is remembered. */
type KnownCrd = Pick<KubeObject["metadata"], "resourceVersion" | "generation">;

/** The CRDs of one operator's server. */
export class CrdWatch {
  readonly #options: CrdWatchOptions;
  readonly #retry: DiscoveryRetry;

  constructor(options: CrdWatchOptions) {
    const { client, host: { clock }, tasks, revisions } = options;
    this.#options = options;
    this.#retry = new DiscoveryRetry({ client, clock, tasks, onCaughtUp: () => revisions.request() });
  }

  /**
   * Begins to watch them, unless the settings say that resources neither come nor go.
   *
   * `onRedefined` is called when objects are to be listed anew, as the schema of their kind has changed.
   */
  follow(onRedefined: (kind: NamesOfCrd) => void): void {
    const { client, host, logger, settings, tasks, concerns } = this.#options;
    if (settings.scanning.disabled) return;
    tasks.start("watch CRDs", (signal) =>
      watchCrds({
        client,
        host,
        logger,
        settings: settings.watching,
        signal,
        onChange: (group, expected) => this.#onChange(group, expected),
        onRedefined: (kind) =>
          tasks.start("list a redefined kind", async (signal) => {
            await host.clock.sleep(OLD_SCHEMA_FOR, signal);
            if (!signal.aborted) onRedefined(kind);
          }),
        onFailure: (expected) => this.#retry.ask(expected),
        isServed: async (group, plural) => {
          if (!concerns(group)) return true;
          return (await client.discovery.group(group)).some((kind) => kind.plural === plural);
        },
      }));
  }

  /** The server does not know a resource that is watched. Where discovery fails now, the next failure of the watch asks again. */
  doubt(resource: Resource): void {
    const { settings, tasks } = this.#options;
    if (settings.scanning.disabled) return;
    tasks.start("doubt a kind", () => this.#retry.doubt(resource).catch(() => {}));
  }

  async #onChange(group: string, expected: ExpectedResource | undefined): Promise<void> {
    const { client, concerns, revisions } = this.#options;
    if (!concerns(group)) return;
    await client.discovery.refresh(group);
    // A CRD whose resource is not there at all: soon it is, perhaps in another version.
    const isComing = expected?.isServed === true && !await this.#retry.isDiscovered(expected);
    if (!isComing) await revisions.run();
    if (expected !== undefined) await this.#retry.expect(expected);
  }
}

export interface WatchCrdsOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: WatchingSettings;
  readonly signal: AbortSignal;
  /** Called with the group of each CRD that was added, changed or removed. */
  readonly onChange: (group: string, expected: ExpectedResource | undefined) => Promise<void>;
  /** Called for each definition whose spec has changed. */
  readonly onRedefined: (kind: NamesOfCrd) => void;
  /** Called where `onChange` has failed, with the resource that discovery is to be asked about again. */
  readonly onFailure: (expected: ExpectedResource) => void;
  /** Whether a listed resource is known already, or of no interest. */
  readonly isServed: (group: string, plural: string) => Promise<boolean>;
}

const CRDS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/**
 * Watches CRDs until the signal aborts.
 *
 * Without the right to watch them the resources of the start are kept, with a warning; now and then it is tried again.
 */
async function watchCrds(options: WatchCrdsOptions): Promise<void> {
  const { client, host, logger, settings, signal } = options;
  const known = new Map<string, KnownCrd>();
  // Their schemas can be huge, and all that matters is that they have changed.
  const projection = projectionOf(CRDS, { metadataOnly: true, logger });
  /** One after another, in the order of the events. */
  let taken = Promise.resolve();
  const notify = ({ event }: ObjectEvent): void => {
    taken = taken.then(() => signal.aborted ? undefined : takeCrd(options, event, known));
  };
  await watchOptional({
    client,
    host,
    logger,
    settings,
    signal,
    projection,
    resource: CRDS,
    about: { kind: CRDS.plural },
    notify,
    warning: "Cannot watch CustomResourceDefinitions: kinds that come later are not noticed",
  });
  await taken;
}

/** NB: a listed CRD may be news, too: it may have come after the resources were discovered, or while the watch was broken. */
async function takeCrd(
  { onChange, onRedefined, onFailure, isServed, logger }: WatchCrdsOptions,
  { type, object }: WatchEvent,
  known: Map<string, KnownCrd>,
): Promise<void> {
  const { name = "", resourceVersion, generation } = object.metadata;
  const { group, plural } = namesOf(name);
  const before = known.get(name);
  const expected = expectedBy({ type, object });
  try {
    const isKnown = type === null &&
      (before === undefined ? await isServed(group, plural) : before.resourceVersion === resourceVersion);
    if (type === "DELETED") known.delete(name);
    else known.set(name, { resourceVersion, generation });
    if (before !== undefined && before.generation !== generation) onRedefined({ group, plural });
    if (!isKnown) await onChange(group, expected);
  } catch (error) {
    // NB: no error may get out of here: the CRDs after this one wait for it.
    logger.warn("Cannot look up the kinds of a group: it is tried again", { group, error });
    known.delete(name);
    if (expected !== undefined) onFailure(expected);
  }
}

/**
 * Returns the resource that discovery is to show, or no longer to show, soon; undefined while it is open when the resource
 * goes.
 */
function expectedBy({ type, object }: WatchEvent): ExpectedResource | undefined {
  const { name = "", deletionTimestamp } = object.metadata;
  if (type !== "DELETED" && deletionTimestamp !== undefined) return undefined;
  return { ...namesOf(name), isServed: type !== "DELETED" };
}

/** CRDs are named "plural.group": the server refuses other names. */
function namesOf(name: string): NamesOfCrd {
  return { group: name.replace(/^[^.]*\./, ""), plural: name.split(".")[0] ?? "" };
}
