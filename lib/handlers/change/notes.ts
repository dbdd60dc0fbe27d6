/**
 * The notes of change handlers on an object: loads them, remembers notes that another writer takes off, and reports once per object
 * that notes cannot be read or kept, or are another object's.
 */

import type { StoredState } from "../../client/cache/stored_state.ts";
import { type FieldPath, formatField, getField, parseField } from "../../model/fields.ts";
import type { JsonObject } from "../../model/object.ts";
import { Patch } from "../../model/patch.ts";
import {
  type ForeignNote,
  handledEssence,
  type ProgressRecord,
  type UnreadableRecord,
} from "../../settings/persistence/storage.ts";
import { CHANGE, type ChangeHandler } from "./change_handler.ts";
import { confidentialOf, type Turn } from "../turn.ts";
import type { ChangeSlot } from "./change_slot.ts";
import { Progress } from "./progress.ts";
import { RecordTimes } from "./record_times.ts";
import { TakenNotes } from "./taken_notes.ts";

/** The state of an object that was handled last. */
export interface LastHandled {
  /** Undefined: the object was never handled. */
  readonly essence: JsonObject | undefined;
  /** Whether the object was restored, and goes on as the one that it was before. */
  readonly isRestored: boolean;
  /** Notes that another writer has taken off just now; undefined: there are none. */
  readonly taken: Taken | undefined;
}

/** Notes that another writer has taken off. */
export interface Taken {
  /** How often in a row. */
  readonly times: number;
  /** Where they were: dotted paths. */
  readonly fields: readonly string[];
  /** Whether the status has lost them, in which notes on objects of the kind belong. */
  readonly isStatus: boolean;
}

/** Returns the state that was handled last, by the object's notes or by what this process has seen of them. */
export function lastHandled(turn: Turn, slot: ChangeSlot): LastHandled {
  const { state: { snapshot: body, seen }, run: { persistence, host: { clock } }, kind } = turn;
  const options = { extraFields: kind.handlers.fields, confidential: confidentialOf(turn) };
  let foreign: ForeignNote | undefined;
  const found = handledEssence(persistence, body, {
    ...options,
    onUnreadable: (record) => reportUnreadable(turn, record),
    onForeign: (note) => foreign = note,
  });
  if (found !== undefined) slot.noted = seen;
  const kept = found ?? slot.lastHandled;
  const essence = kept ?? (slot.noted && handledEssence(persistence, slot.noted.object, options));
  const { recorded } = slot;
  const isMissing = keepTakenRecords(turn, slot) || (kept === undefined && essence !== undefined);
  const times = isMissing ? (slot.taken ??= new TakenNotes(clock)).miss() : undefined;
  if (foreign !== undefined && kept === essence) reportForeign(turn, foreign);
  const taken = times === undefined ? undefined : { times, ...takenFrom(turn, slot, recorded) };
  return { essence, isRestored: foreign?.counts === true, taken };
}

/** Says where the notes were that another writer has taken off. `recorded` is the state that had the records. */
function takenFrom(
  turn: Turn,
  { noted, unsaved }: ChangeSlot,
  recorded: StoredState | undefined,
): Pick<Taken, "fields" | "isStatus"> {
  const { state: { snapshot: body }, run: { persistence: { diffBase, progress } }, kind } = turn;
  const isTaken = (before: StoredState | undefined) => (path: FieldPath): boolean =>
    getField(before?.object, path) !== undefined && getField(body, path) === undefined;
  const states = (diffBase.reserved?.() ?? []).map(pathOf).filter(isTaken(noted));
  const ids = kind.handlers.of(CHANGE).map(({ id }) => id).filter((id) => unsaved.has(id));
  const records = ids.flatMap((id) => progress.keys(id)).map(pathOf).filter(isTaken(recorded));
  const paths = [...states, ...records];
  const { room } = diffBase;
  return {
    fields: [...new Set(paths.map(formatField))],
    isStatus: room?.isFor(body) === true && paths.some((path) => isWithin(path, room.field)),
  };
}

function isWithin(path: FieldPath, field: FieldPath): boolean {
  return field.every((key, index) => path[index] === key);
}

/** Returns the path of a note: the name of an annotation, or a dotted path. */
function pathOf(name: string): FieldPath {
  return name.includes("/") ? ["metadata", "annotations", name] : parseField(name);
}

/** Remembers the records that the object has lost since the turn before. Returns whether there are any. */
function keepTakenRecords(turn: Turn, slot: ChangeSlot): boolean {
  const { state: { snapshot: body, seen }, run: { persistence: { progress, restored } }, kind } = turn;
  if (slot.recorded === undefined || slot.recorded === seen) return false;
  const { object: before } = slot.recorded;
  slot.recorded = seen;
  const lost = new Map<string, ProgressRecord>();
  for (const { id } of kind.handlers.of(CHANGE)) {
    for (const each of [id, ...progress.fetch(before, id, { restored })?.subrefs ?? []]) {
      const record = progress.fetch(before, each, { restored });
      if (record !== undefined && progress.fetch(body, each, { restored }) === undefined) {
        lost.set(each, record);
      }
    }
  }
  if (lost.size === 0) return false;
  slot.unsaved = new Map([...lost, ...slot.unsaved]);
  return true;
}

/** Loads the progress records of these handlers from the object, and from writes that have failed. */
export function loadProgress(
  turn: Turn,
  slot: ChangeSlot,
  handlers: readonly Pick<ChangeHandler, "id">[],
): Progress<ChangeHandler> {
  const {
    state: { snapshot: body, seen },
    run: { persistence: { progress: storage, restored }, host: { clock } },
  } = turn;
  slot.times ??= new RecordTimes(clock);
  const progress = new Progress<ChangeHandler>({
    times: slot.times,
    storage,
    body,
    ids: [...new Set(handlers.map(({ id }) => id))],
    unsaved: slot.unsaved,
    holdsBack: slot.taken?.rest !== undefined && !slot.taken.isDue,
    reading: { restored, onUnreadable: (record) => reportUnreadable(turn, record) },
  });
  if (!progress.isEmpty) slot.recorded ??= seen;
  return progress;
}

/** Returns notes that remove left-over wake-up notes of Kopf's and records of other objects, and change no other part of the object. */
export function sweptNotes({ state, run: { persistence: { progress, restored } } }: Turn): Patch {
  const notes = new Patch();
  progress.sweep(notes, state.snapshot, { restored });
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

/** Says once per object that it has notes of another object, or of itself before it was restored. */
function reportForeign({ state, logger }: Turn, { of, origin, counts }: ForeignNote): void {
  if (!state.reportOnce("foreign notes")) return;
  const meaning = counts ? "its handlers resume" : "it counts as a new one";
  logger.info(`The object was ${origin} together with the notes of another object: ${meaning}`, {
    notes: of,
  });
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
