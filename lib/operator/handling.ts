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
import { extraFieldsOf } from "./fields.ts";
import { reportLoss } from "./outcomes.ts";
import type { Decision, Pass } from "./pass.ts";

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
export async function runHandlers(pass: Pass, options: RunOptions): Promise<Decision> {
  const { cause, handlers, selected, isPending } = options;
  const { reason } = cause;
  const progress = loadProgress(pass, handlers);
  if (!isHandled(reason)) {
    pass.logger.debug("Nothing to handle", { reason });
    return reason === "noop" ? tidy(pass, cause, progress) : {};
  }
  logStart(pass, cause, progress.othersThan(reason));
  const batches = new Batches(pass, cause, reason);
  const batch = await batches.run(progress, selected);
  // Handlers of a deletion that have finished keep their records until the daemons have ended too.
  if (!progress.isDone || (reason === "delete" && isPending)) return unfinished(pass, batches, batch);
  if (selected.length > 0) pass.logger.info(`${NOUNS[reason]} is processed`, { ...progress.counts });
  return {
    notes: collect((notes) => conclude(pass, { cause, progress, notes })),
    ...(reason === "delete" ? { finalizer: { name: pass.persistence.finalizer, wanted: false } } : {}),
    handled: cause.new,
    records: () => batches.records(),
    onWritten: () => {
      pass.memory.handledOnce = true;
    },
  };
}

/** Calls optional deletion handlers once, when nothing holds the object back for them. Best effort: no retries. */
export async function sayGoodbye(
  pass: Pass,
  cause: ChangeCause,
  relevant: readonly ChangeHandler[],
): Promise<void> {
  if (pass.memory.saidGoodbye) return;
  pass.memory.saidGoodbye = true;
  const batches = new Batches(pass, cause, "delete");
  const optional = relevant.filter(({ reason, requiresFinalizer }) =>
    reason === "delete" && !requiresFinalizer
  );
  for (const handler of optional) await batches.runOnce(handler);
}

function isHandled(reason: ChangeCause["reason"]): reason is Purpose {
  return Object.hasOwn(NOUNS, reason);
}

function logStart({ logger }: Pass, cause: ChangeCause, others: Progress<ChangeHandler>["counts"]): void {
  if (others.succeeded + others.failed + others.unfinished > 0) {
    logger.info("An earlier cause is superseded", { reason: cause.reason, ...others });
  }
  if (!logger.enabled("debug")) return;
  logger.debug("Handling", { reason: cause.reason });
  if (cause.diff.length > 0 && cause.old !== undefined) logger.debug("Essence differs", { diff: cause.diff });
}

function unfinished({ host }: Pass, batches: Batches, { progress, isIdle }: Batch): Decision {
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
function tidy(pass: Pass, cause: ChangeCause, progress: Progress<ChangeHandler>): Decision {
  const isOutdated = pass.persistence.diffBase.isOutdated(pass.memory.body, extraFieldsOf(pass));
  if (progress.isEmpty && !isOutdated) return {};
  return { notes: collect((notes) => conclude(pass, { cause, progress, notes })) };
}

interface ConcludeOptions {
  readonly cause: ChangeCause;
  readonly progress: Progress<ChangeHandler>;
  readonly notes: Patch;
}

function conclude(pass: Pass, { cause, progress, notes }: ConcludeOptions): void {
  progress.purge(notes);
  const { body } = pass.memory;
  pass.persistence.diffBase.store({
    patch: notes,
    body,
    essence: cause.new,
    extraFields: extraFieldsOf(pass),
    onLoss: reportLoss(pass),
  });
}

function collect(write: (notes: Patch) => void): Patch {
  const notes = new Patch();
  write(notes);
  return notes;
}
