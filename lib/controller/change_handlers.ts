/**
 * Handles one cause: runs handlers, some of them each time, until all have finished.
 *
 * Progress is loaded from the object and written back to it; when the cause is done its records go, and what was handled
 * becomes the state that later changes are measured against: the essence that the handlers of this pass saw.
 * Source: Kopf, A §4.8 (11), §5; deviations G1, G2, G3, G15, doc D7.
 */

import type { Progress, Purpose } from "../execution/progress.ts";
import { Patch } from "../model/patch.ts";
import type { ChangeCause } from "../registry/causes.ts";
import type { ChangeHandler } from "../registry/handlers.ts";
import { type Batch, Batches, loadProgress } from "./batches.ts";
import type { Decision } from "./decision.ts";
import { extraFieldsOf, type Reconciliation, reportLoss } from "./reconciliation.ts";

export interface RunOptions {
  readonly cause: ChangeCause;
  /** All change handlers of the kind. */
  readonly handlers: readonly ChangeHandler[];
  /** Those that this cause calls. */
  readonly selected: readonly ChangeHandler[];
  /** Whether daemons are still stopping, so that a deletion cannot be over yet. */
  readonly isPending: boolean;
}

const NOUNS: Readonly<Record<Purpose, string>> = {
  create: "Creation",
  update: "Update",
  delete: "Deletion",
  resume: "Resumption",
};

/** Runs the handlers whose turn it is. */
export async function runHandlers(r: Reconciliation, options: RunOptions): Promise<Decision> {
  const { cause, handlers, selected, isPending } = options;
  const { reason } = cause;
  const progress = loadProgress(r, handlers);
  if (!isHandled(reason)) {
    r.logger.debug("Nothing to handle", { reason });
    return reason === "noop" ? tidy(r, cause, progress) : {};
  }
  logStart(r, cause, progress.othersThan(reason));
  const batches = new Batches(r, cause, reason);
  const batch = await batches.run(progress, selected);
  // Handlers of a deletion that have finished keep their records until the daemons have ended too.
  if (!progress.isDone || (reason === "delete" && isPending)) return unfinished(r, batches, batch);
  if (selected.length > 0) r.logger.info(`${NOUNS[reason]} is processed`, { ...progress.counts });
  return {
    notes: collect((notes) => conclude(r, { cause, progress, notes })),
    ...(reason === "delete" ? { finalizer: { name: r.persistence.finalizer, wanted: false } } : {}),
    handled: cause.new,
    records: () => batches.records(),
    onWritten: () => {
      r.state.hasHandledCause = true;
    },
  };
}

/** Calls optional deletion handlers once, when nothing holds the object back for them. Best effort: no retries. */
export async function sayGoodbye(
  r: Reconciliation,
  cause: ChangeCause,
  relevant: readonly ChangeHandler[],
): Promise<void> {
  if (r.state.hasRunOptionalDeletes) return;
  r.state.hasRunOptionalDeletes = true;
  const batches = new Batches(r, cause, "delete");
  const optional = relevant.filter(({ reason, requiresFinalizer }) =>
    reason === "delete" && !requiresFinalizer
  );
  for (const handler of optional) await batches.runOnce(handler);
}

function isHandled(reason: ChangeCause["reason"]): reason is Purpose {
  return Object.hasOwn(NOUNS, reason);
}

function logStart(
  { logger }: Reconciliation,
  cause: ChangeCause,
  others: Progress<ChangeHandler>["counts"],
): void {
  if (others.succeeded + others.failed + others.unfinished > 0) {
    logger.info("An earlier cause is superseded", { reason: cause.reason, ...others });
  }
  if (!logger.enabled("debug")) return;
  logger.debug("Handling", { reason: cause.reason });
  if (cause.diff.length > 0 && cause.old !== undefined) logger.debug("Essence differs", { diff: cause.diff });
}

function unfinished({ host }: Reconciliation, batches: Batches, { progress, isIdle }: Batch): Decision {
  return {
    notes: collect((notes) => batches.store(notes)),
    records: () => batches.records(),
    after: () => {
      const delay = progress.delay(host.clock.now());
      return delay === Infinity || (isIdle && delay === 0) ? undefined : delay;
    },
  };
}

/** Leftovers of a change that was taken back go; and notes that were made for other fields are made anew. */
function tidy(r: Reconciliation, cause: ChangeCause, progress: Progress<ChangeHandler>): Decision {
  const isOutdated = r.persistence.diffBase.isOutdated(
    r.state.snapshot,
    extraFieldsOf(r.registry, r.state.resource),
  );
  if (progress.isEmpty && !isOutdated) return {};
  return { notes: collect((notes) => conclude(r, { cause, progress, notes })) };
}

interface ConcludeOptions {
  readonly cause: ChangeCause;
  readonly progress: Progress<ChangeHandler>;
  readonly notes: Patch;
}

function conclude(r: Reconciliation, { cause, progress, notes }: ConcludeOptions): void {
  progress.purge(notes);
  const { snapshot: body } = r.state;
  r.persistence.diffBase.store({
    patch: notes,
    body,
    essence: cause.new,
    extraFields: extraFieldsOf(r.registry, r.state.resource),
    onLoss: reportLoss(r),
  });
}

function collect(write: (notes: Patch) => void): Patch {
  const notes = new Patch();
  write(notes);
  return notes;
}
