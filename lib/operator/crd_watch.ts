/**
 * Follows the definitions of kinds while the operator runs: which come, which go, and which are served in another version.
 *
 * Source: Kopf, B §5.4.
 */

import type { TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import type { Resource } from "../model/resource.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Settings, WatchingSettings } from "../settings/settings.ts";
import { Lagging, type Promised } from "./discovery_retry.ts";
import { ApiError } from "../client/errors.ts";
import { ObjectStore } from "../client/cache/object_store.ts";
import { shapeOf } from "../client/projection.ts";
import { watchObjects } from "../client/watch/watcher.ts";
import type { WatchEvent } from "../model/object.ts";

export interface DefinitionsOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly tasks: TaskGroup;
  /** Whether anything of a group matters. */
  readonly concerns: (group: string) => boolean;
  /** Looks what is to be watched. */
  readonly revise: () => Promise<void>;
  /** The same; what fails is tried again later. */
  readonly reviseSurely: () => Promise<void>;
}

/** The definitions of one operator. */
export class Definitions {
  readonly #options: DefinitionsOptions;
  readonly #lagging: Lagging;

  constructor(options: DefinitionsOptions) {
    const { client, host: { clock }, tasks, reviseSurely: onCaughtUp } = options;
    this.#options = options;
    this.#lagging = new Lagging({ client, clock, tasks, onCaughtUp });
  }

  /** Begins to follow them, unless the settings say that kinds neither come nor go. */
  follow(): void {
    const { client, host, logger, settings, tasks, concerns } = this.#options;
    if (settings.scanning.disabled) return;
    tasks.start("watch definitions", (signal) =>
      watchDefinitions({
        ...{ client, host, logger, settings: settings.watching, signal },
        onChange: (group, promised) => this.#look(group, promised),
        isServed: async (group, plural) => {
          if (!concerns(group)) return true;
          return (await client.discovery.group(group)).some((kind) => kind.plural === plural);
        },
      }));
  }

  /** The server does not know a kind that is watched. NB: what cannot be found out now is asked with the next failure. */
  doubt(resource: Resource): void {
    const { settings, tasks } = this.#options;
    if (settings.scanning.disabled) return;
    tasks.start("doubt a kind", () => this.#lagging.doubt(resource).catch(() => {}));
  }

  async #look(group: string, promised: Promised | undefined): Promise<void> {
    const { client, concerns, revise } = this.#options;
    if (!concerns(group)) return;
    await client.discovery.refresh(group);
    // A definition whose kind is not there at all: soon it is, perhaps in another version.
    const isComing = promised?.isServed === true && !await this.#lagging.isKept(promised);
    if (!isComing) await revise();
    if (promised !== undefined) await this.#lagging.expect(promised);
  }
}

// Notices kinds that come and go while the operator runs, by watching CustomResourceDefinitions.
// Without the right to watch them the kinds of the start are kept, with a warning; now and then it is tried again, as rights
// change. Source: Kopf, B §5.4.

export interface ScanningOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: WatchingSettings;
  readonly signal: AbortSignal;
  /** Called with the group of each definition that was added, changed or removed. */
  readonly onChange: (group: string, promised: Promised | undefined) => Promise<void>;
  /** Whether a listed kind is known already, or of no interest. */
  readonly isServed: (group: string, plural: string) => Promise<boolean>;
}

const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** How long until it is tried again where watching is refused: so long at first, and then longer each time. */
const REFUSED_PAUSE: Seconds = 60;
const LONGEST_PAUSE: Seconds = 600;

/** Watches definitions until the signal aborts. */
export async function watchDefinitions(options: ScanningOptions): Promise<void> {
  const { signal, logger, host } = options;
  const versions = new Map<string, string | undefined>();
  // NB: kept while nobody may watch, so that what goes meanwhile is noticed afterwards.
  const store = new ObjectStore();
  // Their schemas can be huge, and all that matters is that they have changed.
  const shape = shapeOf(DEFINITIONS, { metadataOnly: true, logger });
  for (let pause = REFUSED_PAUSE; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    const refused = new AbortController();
    const onState = ({ lastError }: { readonly lastError: unknown }): void => {
      if (!(lastError instanceof ApiError) || ![401, 403, 404].includes(lastError.status)) return;
      if (refused.signal.aborted) return;
      logger[pause === REFUSED_PAUSE ? "warn" : "debug"](
        "Cannot watch CustomResourceDefinitions: kinds that come later are not noticed",
        { error: lastError, retryIn: pause },
      );
      refused.abort();
    };
    const either = AbortSignal.any([signal, refused.signal]);
    const watch = { ...options, resource: DEFINITIONS, store, shape, signal: either, onState };
    for await (const item of watchObjects(watch)) {
      if (item.type === "event") await takeDefinition(options, item.event, versions);
      else pause = REFUSED_PAUSE;
    }
    await host.clock.sleep(pause, signal);
  }
}

/** NB: also listed ones may be news: they came after the kinds were discovered, or while nobody watched. */
async function takeDefinition(
  { onChange, isServed, logger }: ScanningOptions,
  { type, object }: WatchEvent,
  versions: Map<string, string | undefined>,
): Promise<void> {
  const { name = "", resourceVersion } = object.metadata;
  const group = groupOf(name);
  const isKnown = type === null &&
    (versions.has(name)
      ? versions.get(name) === resourceVersion
      : await isServed(group, name.split(".")[0] ?? ""));
  if (type === "DELETED") versions.delete(name);
  else versions.set(name, resourceVersion);
  if (isKnown) return;
  try {
    await onChange(group, promisedBy({ type, object }));
  } catch (error) {
    logger.warn("Cannot look up the kinds of a group: it is tried again with its next change", {
      group,
      error,
    });
    versions.delete(name);
  }
}

/** What discovery is to tell soon; undefined while it is open when the kind goes. */
function promisedBy({ type, object }: WatchEvent): Promised | undefined {
  const { name = "", deletionTimestamp } = object.metadata;
  if (type !== "DELETED" && deletionTimestamp !== undefined) return undefined;
  return { group: groupOf(name), plural: name.split(".")[0] ?? "", isServed: type !== "DELETED" };
}

/** Definitions are named "plural.group": the server refuses other names. */
function groupOf(name: string): string {
  return name.replace(/^[^.]*\./, "");
}
