/**
 * What one pass over one object works with, and what it decides: shared by the parts of processing.
 */

import type { Client } from "../client/client.ts";
import type { HotLoops } from "../engines/hot_loop.ts";
import type { Poster } from "../engines/posting/poster.ts";
import type { Daemons } from "../engines/daemons/daemons.ts";
import type { FinalizerChange } from "../execution/write_requests.ts";
import type { Observer } from "../execution/observer.ts";
import type { Lifecycle } from "../execution/lifecycle.ts";
import type { JsonObject } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { Index } from "../registry/index_handle.ts";
import type { Registry } from "../registry/registry.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Persistence, ProgressRecord } from "../settings/persistence/storage.ts";
import type { Settings } from "../settings/settings.ts";
import type { ObjectMemory } from "./memories.ts";

/** What a pass works with. */
export interface ProcessingOptions {
  readonly host: Host;
  readonly client: Client;
  readonly registry: Registry;
  readonly poster: Poster;
  /** Who looks on. */
  readonly observer: Observer;
  /** Finds objects that wake themselves. */
  readonly hotLoops: HotLoops;
  readonly settings: Settings;
  readonly persistence: Persistence;
  readonly lifecycle: () => Lifecycle;
  readonly indices: Readonly<Record<string, Index>>;
  readonly daemons: Daemons;
  readonly logger: Logger;
  /** Aborts when handlers must stop. */
  readonly signal: AbortSignal;
  /** Aborts later: when what they have done must be written, or is left. */
  readonly writing: AbortSignal;
}

/** What handlers of one pass are called with, besides the cause. */
export interface Pass extends ProcessingOptions {
  readonly memory: ObjectMemory;
  /** Whether it goes before what the initial listing has brought. Source: design, decision 4. */
  readonly urgent: boolean;
  /** Bound to the object. Its lines become Kubernetes events, where the settings say so. */
  readonly logger: Logger;
  /** The same, but its lines stay in the log. */
  readonly localLogger: Logger;
  /** What handlers want to change. */
  readonly patch: Patch;
  /** What is said once per kind, and was: kinds (of which the server does not keep everything), or kinds and a word. */
  readonly kindComplaints: Set<string>;
}

/** What a pass wants to be written besides the handlers' patch, and what is to happen then. */
export interface Decision {
  /** The framework's own changes. */
  readonly notes?: Patch;
  readonly finalizer?: FinalizerChange;
  /** What the notes say is handled now. */
  readonly handled?: JsonObject;
  /** Whether handlers of raw events wanted to change something. */
  readonly byEvent?: boolean;
  /** Kept, should the write fail. */
  readonly records?: () => ReadonlyMap<string, ProgressRecord>;
  /** Called when everything is written. */
  readonly onWritten?: () => void;
  /** When to go on; asked after the write. Undefined: nothing is left to do. */
  readonly after?: () => number | undefined;
}
