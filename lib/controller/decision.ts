/** What a reconcile wants to be written besides the handlers' patch, and what is to happen then. */

import type { FinalizerChange } from "../execution/write_requests.ts";
import type { JsonObject } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { ProgressRecord } from "../settings/persistence/storage.ts";

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
