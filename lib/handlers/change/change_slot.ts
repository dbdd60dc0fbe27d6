/** The facts about an object's causes that are kept in memory, beside its notes: they are lost when the process ends. */

import type { StoredState } from "../../client/cache/stored_state.ts";
import type { ObjectState } from "../../execution/object_state.ts";
import type { Outgoing } from "../../execution/pending_write.ts";
import { type SlotHooks, SlotKey } from "../../execution/slots.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { ProgressRecord } from "../../settings/persistence/storage.ts";
import { BackgroundChanges } from "./background_changes.ts";
import type { Counts, Purpose } from "./progress.ts";
import type { RecordTimes } from "./record_times.ts";
import type { TakenNotes } from "./taken_notes.ts";

/** One empty map for all objects: most have no records, and there may be very many. */
export const NO_RECORDS: ReadonlyMap<string, ProgressRecord> = new Map();

/** A cause whose handlers have finished. */
export interface Processed {
  readonly purpose: Purpose;
  readonly counts: Counts;
}

/** The slot of an object's change handlers. */
export class ChangeSlot implements SlotHooks {
  /** The times in the notes of handlers that are unfinished, by the monotonic clock. */
  times: RecordTimes | undefined;
  /** The state that was handled last, where the server did not keep the note of it. */
  lastHandled: JsonObject | undefined;
  /** The latest state that has the note of the state that was handled last. It is the snapshot, unless the note is missing there. */
  noted: StoredState | undefined;
  /** The latest state that has the records of unfinished handlers; undefined: there are none. */
  recorded: StoredState | undefined;
  /** Knows when notes are put back that another writer has taken off; undefined: none ever were. */
  taken: TakenNotes | undefined;
  /** Whether a cause was handled to its end: resuming is over. */
  hasHandledCause = false;
  /** Whether optional deletion handlers had their one call. */
  hasRunOptionalDeletes = false;
  /** Records of attempts that have ended, and that are not on the object. They win over stored ones. */
  unsaved = NO_RECORDS;
  /** The essence that is handled when the notes are written that wait for functions. */
  concluding: JsonObject | undefined;
  /** The cause that is over then. */
  processed: Processed | undefined;
  /** The changes of daemons and timers that no record is signed with; undefined: there is none. */
  background: BackgroundChanges | undefined;

  get isUnfinished(): boolean {
    return this.unsaved.size > 0;
  }

  /**
   * The object has a new snapshot, which has the earlier changes of its daemons and timers. A state that calls for no handler has
   * the same notes as the one before; if there is none before, it is a listed one that is as its notes say.
   */
  moved(before: StoredState | undefined, after: StoredState, how: "turn" | "settled"): void {
    if (how === "settled" && this.noted === before) this.noted = after;
    this.background?.seen();
    if (this.background?.isEmpty) this.background = undefined;
  }

  /** A daemon or timer begins to write. */
  writing(before: KubeObject, wanted: Outgoing): Disposable {
    return (this.background ??= new BackgroundChanges()).begin(before, wanted);
  }
}

const CHANGES = new SlotKey(() => new ChangeSlot());

/** Returns the slot of an object, which the first call makes. */
export function changesOf(state: ObjectState): ChangeSlot {
  return state.slotOf(CHANGES);
}
