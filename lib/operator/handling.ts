/**
 * Runs the handlers of one cause, some of them each time, until all have finished.
 *
 * Progress is loaded from the object and written back to it; when the cause is done its records go, and what was handled
 * becomes the state that later changes are measured against: the essence that the handlers of this pass saw.
 * Source: Kopf, A §4.8 (11), §5; deviations G1, G2, G3, G15, doc D7.
 */

import { execute } from "../execution/execute.ts";
import type { Outcome } from "../execution/handler.ts";
import { type ActiveHandler, Progress, type Purpose } from "../execution/progress.ts";
import { digestOf } from "../model/digest.ts";
import { getField } from "../model/fields.ts";
import type { KubeObject } from "../model/object.ts";
import { applyMergePatch, Patch } from "../model/patch.ts";
import { currentEssence } from "../settings/persistence.ts";
import { ChangeArgs } from "../registry/args.ts";
import type { ChangeCause } from "../registry/causes.ts";
import type { ChangeHandler } from "../registry/handlers.ts";
import { extraFieldsOf } from "./fields.ts";
import { deliver, reportGarbage } from "./outcomes.ts";
import type { Decision, Pass } from "./processing.ts";

export interface RunOptions {
  readonly cause: ChangeCause;
  /** All change handlers of the kind. */
  readonly handlers: readonly ChangeHandler[];
  /** Those that this cause calls. */
  readonly selected: readonly ChangeHandler[];
}

/** What a handler has seen when it ended: the object as it was, with its own patch. */
type Seen = Map<string, () => KubeObject>;

/** Runs the handlers whose turn it is. */
export async function runHandlers(pass: Pass, options: RunOptions): Promise<Decision> {
  const { cause, selected } = options;
  const { memory, logger, host } = pass;
  const progress = load(pass, options.handlers);
  if (!isHandled(cause.reason)) {
    logger.debug("Nothing to handle", { reason: cause.reason });
    return cause.reason === "noop" ? tidy(pass, cause, progress) : {};
  }
  const digest = (handler: ChangeHandler): string | undefined => digestFor(handler, cause.new, cause.reason);
  progress.activate(selected, { purpose: cause.reason, now: host.clock.now(), digest });
  logStart(pass, cause, progress);
  const seen: Seen = new Map();
  const idle = await runAwake(pass, cause, { progress, seen });
  if (!progress.isDone) return unfinished(pass, { cause, progress, seen, idle });
  if (selected.length > 0) logger.info(`${NOUNS[cause.reason]} is processed`, { ...progress.counts });
  return {
    notes: collect((notes) => conclude(pass, { cause, progress, notes })),
    ...(cause.reason === "delete" ? { finalizer: { name: pass.persistence.finalizer, wanted: false } } : {}),
    records: () => sign(pass, { cause, progress, seen }).records(),
    onWritten: () => {
      memory.handledOnce = true;
    },
  };
}

/** Leftovers of a change that was taken back go; and notes that were made for other fields are made anew. */
function tidy(pass: Pass, cause: ChangeCause, progress: Progress<ChangeHandler>): Decision {
  const isOutdated = pass.persistence.diffBase.isOutdated(pass.memory.body, extraFieldsOf(pass));
  if (progress.isEmpty && !isOutdated) return {};
  return { notes: collect((notes) => conclude(pass, { cause, progress, notes })) };
}

const NOUNS: Readonly<Record<Purpose, string>> = {
  create: "Creation",
  update: "Update",
  delete: "Deletion",
  resume: "Resumption",
};

function isHandled(reason: ChangeCause["reason"]): reason is Purpose {
  return reason in NOUNS;
}

function load(pass: Pass, handlers: readonly ChangeHandler[]): Progress<ChangeHandler> {
  const { memory, persistence } = pass;
  return new Progress<ChangeHandler>({
    onGarbage: reportGarbage(pass),
    storage: persistence.progress,
    body: memory.body,
    ids: [...new Set(handlers.map(({ id }) => id))],
    unsaved: memory.unsaved,
  });
}

function logStart({ logger }: Pass, cause: ChangeCause, progress: Progress<ChangeHandler>): void {
  const { succeeded, failed, unfinished } = progress.superseded;
  if (succeeded + failed + unfinished > 0) {
    logger.info("An earlier cause is superseded", { reason: cause.reason, ...progress.superseded });
  }
  if (!logger.enabled("debug")) return;
  logger.debug(`${NOUNS[cause.reason as Purpose]} is in progress`);
  if (cause.diff.length > 0 && cause.old !== undefined) logger.debug("Essence differs", { diff: cause.diff });
}

interface RunState {
  readonly progress: Progress<ChangeHandler>;
  readonly seen: Seen;
}

/** Gives true if handlers could have run, but the lifecycle picked none. */
async function runAwake(pass: Pass, cause: ChangeCause, { progress, seen }: RunState): Promise<boolean> {
  const awake = progress.awake(pass.host.clock.now());
  const context = { ...cause, random: pass.host.random };
  const picked = new Set(pass.lifecycle()(awake, context).map(({ id }) => id));
  for (const each of awake.filter(({ id }) => picked.has(id))) {
    const outcome = await runHandler(pass, cause, each);
    seen.set(each.id, snapshot(pass));
    progress.settle(each.id, outcome, pass.host.clock.now());
    if (outcome.kind === "success") deliver(pass, each.id, outcome.result);
  }
  if (awake.length === 0 || picked.size > 0) return false;
  pass.logger.warn("The lifecycle has picked no handler: waiting for the next event", {
    waiting: awake.length,
  });
  return true;
}

async function runHandler(
  pass: Pass,
  cause: ChangeCause,
  { handler, retry, started }: Omit<ActiveHandler<ChangeHandler>, "id">,
): Promise<Outcome> {
  const { clock } = pass.host;
  const outcome = await execute(handler, {
    clock,
    logger: pass.logger,
    attempts: { retry, runtime: Math.max(0, clock.now() - started) / 1000 },
    noun: "Handler",
    errors: "temporary",
    defaultBackoff: pass.settings.execution.defaultBackoff,
    signal: pass.signal,
    args: (signal) => {
      const attempt = { param: handler.param, retry, started, signal, clock };
      // The types of `op.on` have made sure that the function takes these arguments.
      return new ChangeArgs(cause, { attempt, field: handler.field }) as never;
    },
  });
  // What fails because we stop says nothing about the handler: it is called again by the next process.
  if (pass.signal.aborted && outcome.kind !== "success") throw pass.signal.reason;
  return outcome;
}

/** Remembers what the handler saw, to be worked out only if it is needed. */
function snapshot({ patch, memory }: Pass): () => KubeObject {
  const { body } = memory;
  if (patch.isEmpty) return () => body;
  const content = patch.toMergePatch();
  const fns = [...patch.fns];
  return () => {
    // A merge patch of an object gives an object.
    const result = applyMergePatch(body, content) as KubeObject;
    for (const fn of fns) fn(result);
    return result;
  };
}

function unfinished(
  pass: Pass,
  { cause, progress, seen, idle }: RunState & { readonly cause: ChangeCause; readonly idle: boolean },
): Decision {
  sign(pass, { cause, progress, seen });
  return {
    notes: collect((notes) => progress.store(notes)),
    records: () => progress.records(),
    after: () => {
      const delay = progress.delay(pass.host.clock.now());
      return idle && delay === 0 ? undefined : delay;
    },
  };
}

/** Gives finished records the digest of what their handlers saw. */
function sign(
  pass: Pass,
  { cause, progress, seen }: RunState & { readonly cause: ChangeCause },
): Progress<ChangeHandler> {
  const extraFields = extraFieldsOf(pass);
  progress.sign((handler) => {
    const body = seen.get(handler.id)?.();
    if (body === undefined) return undefined;
    const essence = body === pass.memory.body
      ? cause.new
      : currentEssence(pass.persistence, body, { extraFields });
    return digestFor(handler, essence, cause.reason);
  });
  return progress;
}

/** Deletions are not started over because somebody edits a dying object. */
function digestFor(
  { field }: ChangeHandler,
  essence: unknown,
  reason: ChangeCause["reason"],
): string | undefined {
  if (reason === "delete") return undefined;
  return digestOf(field === undefined ? essence : getField(essence, field) ?? null);
}

function conclude(
  pass: Pass,
  { cause, progress, notes }: {
    readonly cause: ChangeCause;
    readonly progress: Progress<ChangeHandler>;
    readonly notes: Patch;
  },
): void {
  progress.purge(notes);
  const { body } = pass.memory;
  pass.persistence.diffBase.store({
    patch: notes,
    body,
    essence: cause.new,
    extraFields: extraFieldsOf(pass),
  });
}

function collect(write: (notes: Patch) => void): Patch {
  const notes = new Patch();
  write(notes);
  return notes;
}

/** Calls optional deletion handlers once, when nothing holds the object back for them. Best effort: no retries. */
export async function sayGoodbye(
  pass: Pass,
  cause: ChangeCause,
  relevant: readonly ChangeHandler[],
): Promise<void> {
  if (pass.memory.saidGoodbye) return;
  pass.memory.saidGoodbye = true;
  const optional = relevant.filter(({ reason, requiresFinalizer }) =>
    reason === "delete" && !requiresFinalizer
  );
  for (const handler of optional) {
    const outcome = await runHandler(pass, cause, { handler, retry: 0, started: pass.host.clock.now() });
    if (outcome.kind === "success") deliver(pass, handler.id, outcome.result);
  }
}
