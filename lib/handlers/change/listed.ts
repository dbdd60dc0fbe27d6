/**
 * Objects that come to an operator for the first time, and that are as their notes say. After a restart nearly all are, so that a turn
 * of each would cost more than everything else that a restart does. They have none: this asks the questions of a turn, in its words,
 * and where any answer calls for a handler, a write or a report, the object has its turn.
 */

import type { ObjectState } from "../../execution/object_state.ts";
import type { FieldPath } from "../../model/fields.ts";
import { hasFinalizer, isDeleting } from "../../model/finalizers.ts";
import { isEqualJson } from "../../model/json.ts";
import { Patch } from "../../model/patch.ts";
import { confidentialFieldsOf } from "../../settings/server_selectors.ts";
import {
  currentEssence,
  handledEssence,
  isNoteOutdated,
  type Persistence,
} from "../../settings/persistence/storage.ts";
import type { Settings } from "../../settings/settings.ts";
import { matches } from "../filters.ts";
import type { ChangeHandler } from "./change_handler.ts";
import { changesOf } from "./change_slot.ts";

export interface ListedOptions {
  readonly handlers: readonly ChangeHandler[];
  /** The fields that count beside the essence. */
  readonly fields: readonly FieldPath[];
  readonly persistence: Persistence;
  readonly settings: Settings;
}

/** Whether an object that has just come calls for no change handler, and has all notes of that. Its slot then is as after a turn. */
export function isAsNotes(state: ObjectState, options: ListedOptions): boolean {
  const { handlers, fields: extraFields, persistence, settings } = options;
  const { body } = state;
  if (isDeleting(body) || handlers.some(isCalledByResumption)) return false;
  const confidential = confidentialFieldsOf(settings.persistence, state.resource);
  let isReported = false;
  const report = (): void => void (isReported = true);
  const old = handledEssence(persistence, body, {
    extraFields,
    confidential,
    onUnreadable: report,
    onForeign: report,
  });
  if (old === undefined) return false;
  const current = currentEssence(persistence, body, { extraFields });
  const { progress, restored, finalizer } = persistence;
  if (progress.ids(body).length > 0) return false;
  const change = { old, new: current };
  const relevant = handlers.filter((handler) => matches(handler, { body, change, args }));
  if (relevant.some(({ requiresFinalizer }) => requiresFinalizer) !== hasFinalizer(body, finalizer)) {
    return false;
  }
  if (relevant.length === 0) return true;
  if (!isEqualJson(old, current) || isNoteOutdated(persistence, body, { extraFields, confidential })) {
    return false;
  }
  const patch = new Patch();
  progress.sweep(patch, body, { restored });
  if (isReported || !patch.isEmpty) return false;
  changesOf(state).hasHandledCause = true;
  return true;
}

/** The handlers of such kinds have no functions among their filters. */
function args(): never {
  throw new TypeError("A filter is a function");
}

/** Whether a resumption may call it: it resumes, or goes by no change. */
function isCalledByResumption({ reason, initial, needsChange }: ChangeHandler): boolean {
  return initial || (reason === undefined && needsChange !== true);
}
