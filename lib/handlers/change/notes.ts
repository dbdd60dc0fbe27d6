/** The notes of change handlers on an object: loads them, and reports once per object that they cannot be read or kept. */

import { Patch } from "../../model/patch.ts";
import type { UnreadableRecord } from "../../settings/persistence/storage.ts";
import type { ChangeHandler } from "./change_handler.ts";
import type { Turn } from "../turn.ts";
import type { ChangeSlot } from "./change_slot.ts";
import { Progress } from "./progress.ts";
import { RecordTimes } from "./record_times.ts";

/** Loads the progress records of these handlers from the object, and from writes that have failed. */
export function loadProgress(
  turn: Turn,
  slot: ChangeSlot,
  handlers: readonly Pick<ChangeHandler, "id">[],
): Progress<ChangeHandler> {
  const { state: { snapshot: body }, run: { persistence, host: { clock } } } = turn;
  slot.times ??= new RecordTimes(clock);
  return new Progress<ChangeHandler>({
    times: slot.times,
    storage: persistence.progress,
    body,
    ids: [...new Set(handlers.map(({ id }) => id))],
    unsaved: slot.unsaved,
    onUnreadable: (record) => reportUnreadable(turn, record),
  });
}

/** Returns notes that remove left-over wake-up notes of Kopf's, and change no other part of the object. */
export function sweptNotes({ state, run: { persistence } }: Turn): Patch {
  const notes = new Patch();
  persistence.progress.sweep(notes, state.snapshot);
  return notes;
}

/** Warns once per object that a note of the operator cannot be read, and therefore counts as absent. */
export function reportUnreadable(
  { state, logger }: Turn,
  { where, reason }: UnreadableRecord,
): void {
  if (!state.reportOnce(where)) return;
  logger.warn("Cannot read a note on the object: it counts as absent", { note: where, reason });
}

const LOSSES = {
  part:
    "The object is too large for its state to be noted whole: handlers of changes will not know what large fields were " +
    "before (leave such fields out by `ignoredFields`, or keep notes elsewhere)",
  all:
    "There is no room for notes in the object's annotations: they are kept in memory, and the next start takes the object " +
    "for a new one (make room, or keep notes elsewhere)",
} as const;

/** Returns a function that warns once per object, and kind of loss, that its notes cannot hold its whole state. */
export function reportLoss({ state, logger }: Turn): (what: keyof typeof LOSSES) => void {
  return (what) => {
    const message = LOSSES[what];
    if (state.reportOnce(message)) logger.warn(message);
  };
}
