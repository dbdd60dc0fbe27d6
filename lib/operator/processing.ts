/**
 * One pass over one object: raw event handlers, then whatever the object's state calls for, then one write.
 *
 * The response to a write is the object's newest state; the next pass goes on with it at once. What a failed pass had
 * achieved is kept in memory, and the pass is repeated with growing pauses: nothing waits for an event that may never come.
 * Source: design, decisions 4 to 7 and 10; Kopf, A §4.8.
 */

import { ApiError } from "../client/errors.ts";
import { type Applied, applyPatch, FunctionFailure, isWorthWriting } from "../execution/write_requests.ts";
import { bridgeLogger } from "../engines/posting/poster.ts";
import { type ObjectReference, objectReference } from "../model/references.ts";
import { changedPaths, namedPaths } from "../model/changed_paths.ts";
import type { KubeObject, WatchEvent } from "../model/object.ts";
import { finalizersOf, isDeleting } from "../model/finalizers.ts";
import { minimisePatch, Patch } from "../model/patch.ts";
import type { Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { serverSelectorsFor } from "../settings/server_selectors.ts";
import { handleBackground } from "./background.ts";
import { handleChange } from "./changes.ts";
import { expectEvent, isEarly, takeSkipped, untilConsistent } from "./consistency.ts";
import { handleEvent } from "./events.ts";
import { rememberDropped, reportDropped } from "./keeping.ts";
import { isKnown, isUnfinished, NO_RECORDS, type ObjectMemory } from "./memories.ts";
import type { Decision, Pass, ProcessingOptions } from "./pass.ts";
import { isUrgent, type Next, type Wake } from "./queueing.ts";

/** Makes the function that workers call for each pass. It never throws. */
export function createProcess(
  options: ProcessingOptions,
): (memory: ObjectMemory, input: PassInput) => Promise<Next> {
  const kindComplaints = new Set<string>();
  return async (memory, { events, wake, waited }) => {
    const reference = objectReference(memory.body);
    const localLogger = options.logger.child({ name: "lotse.objects", reference });
    const logger = postingLogger(localLogger, reference, options);
    const urgent = isUrgent({ events, wake });
    const pass: Pass = {
      ...options,
      memory,
      urgent,
      logger,
      localLogger,
      patch: new Patch(),
      kindComplaints,
    };
    const { observer, host: { clock } } = options;
    observer.passBegins?.(memory, { wake, events, waited });
    const begun = clock.monotonic();
    const run = (): Promise<Looked> => look(pass, events, wake);
    const { next, error } = observer.around === undefined
      ? await run()
      : await observer.around({ kind: "pass", subject: memory, wake }, run);
    observer.passEnds?.(memory, { ...next, error, seconds: clock.monotonic() - begun });
    return slowDown(pass, next);
  };
}

interface PassInput {
  readonly events: WatchEvent[];
  readonly wake: Wake;
  readonly waited: Seconds;
}

interface Looked {
  readonly next: Next;
  readonly error?: unknown;
}

async function look(pass: Pass, events: readonly WatchEvent[], wake: Wake): Promise<Looked> {
  try {
    if (pass.hotLoops.isSuspicious(pass, events.length > 0)) await pass.hotLoops.lookAround(pass);
    const next = untilConsistent(pass, await processObject(pass, events, wake));
    pass.memory.failures = 0;
    return { next };
  } catch (error) {
    return { next: afterFailure(pass, error), error };
  }
}

/** An object that wakes itself again and again has to wait. */
function slowDown(pass: Pass, next: Next): Next {
  const pause = pass.hotLoops.pauseAfter(pass);
  if (pause === undefined || next.gone === true) return next;
  return { after: Math.max(pause, next.after ?? 0), wake: next.wake ?? "retry", paused: true };
}

/** Where the settings say so, what handlers log becomes Kubernetes events. */
export function postingLogger(
  logger: Logger,
  reference: ObjectReference,
  options: Pick<ProcessingOptions, "poster" | "settings">,
): Logger {
  const { poster, settings: { posting } } = options;
  if (!posting.loggers || !posting.enabled) return logger;
  return bridgeLogger(logger, {
    level: () => posting.level,
    post: (content) => poster.post(reference, content, posting.loggingBackoffs),
  });
}

async function processObject(pass: Pass, events: readonly WatchEvent[], wake: Wake): Promise<Next> {
  const { memory } = pass;
  const isRefreshed = await refresh(pass);
  let isNews = adoptSkipped(pass) || isRefreshed;
  let isGone = false;
  for (const event of events) {
    isNews = adopt(pass, event) || isNews;
    isGone = event.type === "DELETED";
    await handleEvent(pass, isGone ? complete(event, memory) : event);
  }
  if (isGone) {
    const hasLeft = mayHaveLeft(pass, events.at(-1)?.object);
    pass.logger.debug(hasLeft ? "Object is seen no more: it has left, or has gone" : "Object has gone");
    await pass.daemons.forget(memory, hasLeft ? "FILTERS_MISMATCH" : "RESOURCE_DELETED");
    return { gone: true };
  }
  if (await hasVanished(pass, isNews)) return { unchanged: true };
  if (!isNews && wake === "event" && pass.patch.isEmpty && !isUnfinished(memory)) return { unchanged: true };
  // Functions that lost a race come first: handlers are to see what they do.
  const isBehind = memory.unsent.fns.length > 0 && memory.unsaved.size === 0;
  if (isBehind) return await conclude(pass, { after: () => 0 });
  const byEvent = !pass.patch.isEmpty;
  const decision = await handleChange(pass, await handleBackground(pass));
  return await conclude(pass, { ...decision, byEvent });
}

/**
 * Where the server selects, an object that is selected no more looks like one that has gone; so it does when its kind is
 * served in another version. Source: behaviour-c §4.2.
 */
function mayHaveLeft({ memory, settings }: Pass, last: KubeObject | undefined): boolean {
  if (memory.moved) return true;
  if (last?.metadata.deletionTimestamp !== undefined) return false;
  const { labelSelector, fieldSelector } = serverSelectorsFor(settings.watching, memory.resource);
  return labelSelector !== undefined || fieldSelector !== undefined;
}

/**
 * What has gone needs nothing any more, whoever asks to look at it; above all not its deletion a second time. The server
 * is asked again when there is news of it: it may be older than the end, or the end a mistake.
 */
async function hasVanished(pass: Pass, isNews: boolean): Promise<boolean> {
  const { memory } = pass;
  if (memory.vanished && isNews) {
    memory.stale = true;
    await refresh(pass);
  }
  return memory.vanished;
}

/** After a lost race, the state in memory is known to be old. Tells whether there is a new one. */
async function refresh(pass: Pass): Promise<boolean> {
  const { memory, client, signal, urgent } = pass;
  if (!memory.stale && !memory.restored) return false;
  const { name = "", namespace } = memory.body.metadata;
  let isNews = false;
  try {
    const address = { name, namespace: memory.resource.namespaced ? namespace : undefined };
    const whole = await client.get(memory.resource, address, { signal, urgent });
    const body = client.shapeOf(memory.resource)?.cut(whole) ?? whole;
    // A namesake is another object, with a memory of its own.
    memory.vanished = body.metadata.uid !== memory.body.metadata.uid;
    if (!memory.vanished) isNews = memory.restored ? replaceBody(memory, body) : adoptBody(pass, body);
  } catch (error) {
    // Its deletion is announced by the watch.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    memory.vanished = true;
  }
  memory.stale = false;
  memory.restored = false;
  return isNews;
}

/** The server was set back: whatever it has now is the newest. */
function replaceBody(memory: ObjectMemory, body: KubeObject): boolean {
  const isNews = body.metadata.resourceVersion !== memory.body.metadata.resourceVersion;
  memory.body = body;
  return isNews;
}

/** Takes the event's state if it is news; it is not when it shows an older state, or one that we wrote ourselves. */
function adopt(pass: Pass, event: WatchEvent): boolean {
  const { memory } = pass;
  if (memory.body === event.object) return true;
  if (isEarly(pass, event)) return false;
  return adoptBody(pass, event.object);
}

function adoptSkipped(pass: Pass): boolean {
  const skipped = takeSkipped(pass);
  return skipped !== undefined && adoptBody(pass, skipped);
}

function adoptBody({ memory, observer }: Pass, body: KubeObject): boolean {
  if (isKnown(memory, body)) return false;
  observer.changed?.(memory, { before: memory.body, after: body });
  memory.body = body;
  return true;
}

/** A deletion that nobody saw has only a name: the last known state says more. */
function complete(event: WatchEvent, memory: ObjectMemory): WatchEvent {
  return event.object.spec === undefined && memory.body.spec !== undefined
    ? { type: "DELETED", object: memory.body }
    : event;
}

async function conclude(pass: Pass, decision: Decision): Promise<Next> {
  const { memory } = pass;
  const outgoing = compose(pass, decision);
  const write = {
    ...pass,
    resource: memory.resource,
    body: memory.body,
    patch: outgoing,
    finalizer: decision.finalizer,
    signal: pass.writing,
  };
  let applied: Applied | undefined;
  if (isWorthWriting(write)) {
    try {
      applied = await applyPatch(write);
      if (applied.failure !== undefined) throw applied.failure;
    } catch (error) {
      keep(pass, decision, error);
      throw error;
    }
  }
  memory.unsaved = NO_RECORDS;
  memory.unsent = new Patch();
  tellWritten(pass, decision, applied);
  decision.onWritten?.();
  if (applied === undefined) {
    rememberDropped(pass, decision, memory.body);
    return { after: decision.after?.() };
  }
  if (applied.body === undefined) {
    memory.vanished = true;
    return {};
  }
  if (isDeleting(applied.body) && finalizersOf(applied.body).length === 0) {
    // That was the last finalizer: the object has gone, under the version that it had before. DELETED says the rest.
    memory.body = applied.body;
    memory.vanished = true;
    return {};
  }
  rememberDropped(pass, decision, applied.body);
  reportDropped(pass, outgoing, applied.body);
  expectEvent(pass, applied.body);
  const isChanged = adoptBody(pass, applied.body);
  if (applied.remaining.length > 0) {
    memory.unsent.fns.push(...applied.remaining);
    memory.stale = true;
    return { after: 0, wake: "write" };
  }
  // NB: the response may hold what others have changed meanwhile, and their events will look old: it is looked at at once.
  return isChanged ? { after: 0, wake: "write" } : { after: decision.after?.() };
}

function tellWritten(
  { observer, memory, patch }: Pass,
  decision: Decision,
  applied: Applied | undefined,
): void {
  if (observer.written === undefined || applied === undefined || applied.writes === 0) return;
  // NB: what was there already was not sent.
  const paths = namedPaths(minimisePatch(memory.body, patch.toMergePatch()) ?? {});
  if (patch.fns.length > 0 && applied.body !== undefined) {
    paths.push(...changedPaths(memory.body, applied.body).filter((path) => !path.startsWith("metadata.")));
  }
  const concluded = decision.onWritten !== undefined;
  observer.written(memory, { paths, writes: applied.writes, concluded, byEvent: decision.byEvent === true });
}

/** What earlier passes could not send, then what handlers want, then our notes. */
function compose({ memory, patch, logger }: Pass, { notes }: Decision): Patch {
  const outgoing = new Patch(memory.unsent.toMergePatch());
  try {
    outgoing.merge(patch.toMergePatch());
  } catch (error) {
    logger.error("Cannot write what handlers have put into the patch: it is dropped", { error });
    const { fns } = patch;
    patch.clear();
    patch.fns = fns;
  }
  if (notes !== undefined) outgoing.merge(notes.toMergePatch());
  outgoing.fns.push(...memory.unsent.fns, ...patch.fns);
  return outgoing;
}

/** Keeps what was achieved, for the next try. */
function keep(pass: Pass, decision: Decision, error: unknown): void {
  const { memory, patch } = pass;
  dropHopeless(pass, error);
  // NB: what is dropped by now counts as never written.
  memory.unsaved = decision.records?.() ?? memory.unsaved;
  const unsent = new Patch(memory.unsent.toMergePatch());
  unsent.merge(patch.toMergePatch());
  unsent.fns.push(...memory.unsent.fns, ...patch.fns);
  memory.unsent = unsent;
  memory.stale = error instanceof ApiError && error.status === 409;
}

/** What the server calls invalid would be refused for ever; and a function that fails would do so again. */
function dropHopeless({ memory, patch, logger }: Pass, error: unknown): void {
  if (error instanceof FunctionFailure) {
    memory.unsent.fns = [];
    patch.fns = [];
  } else if (error instanceof ApiError && (error.status === 422 || error.status === 400)) {
    logger.error("The server refuses the patch as invalid: it is dropped (mend the handler or the schema)", {
      error,
    });
    memory.unsent = new Patch();
    patch.clear();
  }
}

function afterFailure({ memory, settings, logger, signal }: Pass, error: unknown): Next {
  if (signal.aborted) {
    // What is aborted with it goes on in the next process.
    if (error !== signal.reason) logger.warn("Processing failed while the operator stops", { error });
    return { unchanged: true };
  }
  const delays = [...settings.queueing.errorDelays];
  const pause = delays[Math.min(memory.failures, delays.length - 1)];
  memory.failures++;
  const after = pause ?? settings.execution.defaultBackoff;
  logger.error("Processing failed", { error, retryIn: after, attempt: memory.failures });
  return { after, wake: "error", paused: pause !== undefined };
}
