/**
 * The work at the start of an operator that kits do: options ask for it, and `public/operator.ts` binds it, as no layer below
 * the kits knows one.
 */

import type { Client } from "../client/client.ts";
import type { Observer } from "../execution/observer.ts";
import type { Resource } from "../model/resource.ts";
import type { DeclaredHandler } from "../registry/declared.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { RunningOptions } from "./components.ts";
import type { ConversionsPlace } from "./conversions.ts";

/** The work of kits. */
export interface Extras {
  /**
   * Applies the definitions of all kinds with schemas: `crds: "apply"`.
   *
   * @throws {TypeError} If a definition cannot be made, or would lose data.
   * @throws {ApiError} If the server refuses.
   */
  readonly applyDefinitions: (options: RunningOptions, place: ConversionsPlace) => Promise<void>;
  /** The parts of the self-check that compare declarations with the cluster: each warns of differences. */
  readonly checks: readonly ((options: CheckOptions) => Promise<void>)[];
  /** Opens the file of `recordRights`. */
  readonly openRecord: (options: RecordOptions) => Promise<Recording>;
}

/** Options of a part of the self-check. */
export interface CheckOptions extends RunningOptions {
  readonly client: Client;
  readonly handlers: readonly DeclaredHandler[];
  /** The kinds that the cluster serves, of the groups that handlers name. */
  readonly served: readonly Resource[];
}

/** A file of rights. */
export interface RecordOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly path: string;
}

/** Records the rights that requests use, until it is disposed of. */
export interface Recording extends AsyncDisposable {
  readonly recorder: Observer;
}
