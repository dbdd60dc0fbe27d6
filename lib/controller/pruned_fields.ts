/**
 * Checks that the server has kept what was written: schemas can drop fields without a word.
 *
 * What is dropped is said once per kind. Notes that are dropped are kept in memory, so that the object is not handled again
 * and again; that lasts as long as the process. Source: Kopf, A §6.8; scenario A216.
 */

import { getKey, isEmptyObject, isObject } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import { keyOf } from "../model/resource.ts";
import { handledEssence, type ProgressRecord } from "../settings/persistence/storage.ts";
import { NO_RECORDS } from "../execution/pending_write.ts";
import type { Decision } from "./decision.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** Says which fields of a written patch are not in the server's answer, once per kind. */
export function reportDropped(
  { state, logger }: Pick<Reconciliation, "state" | "logger">,
  written: Patch,
  answer: KubeObject,
): void {
  // What functions change afterwards need not be as it was written.
  if (written.fns.length > 0) return;
  const fields = droppedFields(written.toMergePatch(), answer);
  if (fields.length === 0 || !state.kind.reportOnce("pruned")) return;
  const kind = keyOf(state.resource);
  logger.warn(
    "The server has not kept everything that was written: declare these fields in the kind's schema, or put " +
      '"x-kubernetes-preserve-unknown-fields: true" above them',
    { kind, fields },
  );
}

/** Remembers the notes that the server has dropped. */
export function rememberDropped(
  { state, persistence }: Reconciliation,
  decision: Decision,
  answer: KubeObject,
): void {
  const { handled } = decision;
  if (handled !== undefined) {
    state.lastHandled = handledEssence(persistence, answer) === undefined ? handled : undefined;
    return;
  }
  const lost = [...decision.records?.() ?? []].filter(([id]) =>
    persistence.progress.fetch(answer, id) === undefined
  );
  state.pending.records = lost.length === 0 ? NO_RECORDS : new Map<string, ProgressRecord>(lost);
}

/** The topmost fields that should be there and are not. */
function droppedFields(written: JsonObject, answer: unknown, path = ""): string[] {
  return Object.entries(written).flatMap(([key, value]) => {
    const live = isObject(answer) ? getKey(answer, key) : undefined;
    if (isObject(value) && !isEmptyObject(value) && isObject(live)) {
      return droppedFields(value, live, `${path}${key}.`);
    }
    return live === undefined && !isNothing(value, path) ? [path + key] : [];
  });
}

/** Whether nothing is there once it is written: servers drop what is empty; of lists, those of the metadata. */
function isNothing(value: unknown, path: string): boolean {
  if (Array.isArray(value)) return value.length === 0 && path === "metadata.";
  return value === null || (isObject(value) && Object.values(value).every((each) => isNothing(each, path)));
}
