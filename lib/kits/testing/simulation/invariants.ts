/**
 * The invariants of the framework, which hold for each operator: judged by the record of a run.
 *
 * Each function looks at one of them, and returns its findings.
 */

import { buildEssence } from "../../../model/essence.ts";
import { digestOf } from "../../../model/encoding.ts";
import { isEqualJson, isObject } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { namespacedName } from "../../../model/references.ts";
import { matches } from "../../../model/selector.ts";
import type { Seconds } from "../../../runtime/host.ts";
import type { PastState } from "./history.ts";
import type { SeenCall } from "./journal.ts";
import { LEASE_NAME, type Life } from "./life.ts";
import { FOREIGN, FOREIGN_FINALIZER, type World } from "./world.ts";
import { isAuthorsWrite } from "./wire.ts";

/** A finding of a run. */
export interface Found {
  /**
   * Which rule is broken: the name of an invariant, such as "rest"; "author" for one of the author's own, "chance" for code that
   * reads the real clock and the like.
   */
  readonly rule: string;
  /** The fault, in a sentence without its full stop. */
  readonly message: string;
}

/** Reasons of calls for a change. */
const CHANGES: readonly (string | undefined)[] = ["create", "update", "delete"];

/** Judges all that needs no rest. */
export function judgeRecord(world: World): Found[] {
  return [
    ...repeatedSuccesses(world),
    ...olderStates(world),
    ...runsAtOnce(world),
    ...twoLeaders(world),
    ...earlyFinalizers(world),
    ...touchedFields(world),
  ];
}

/** Judges the state at rest: retries, caches, daemons, and processes that have failed. */
export async function judgeRest(world: World): Promise<Found[]> {
  const failed = world.lives.flatMap(({ number, failure }) =>
    failure === undefined ? [] : [{ rule: "run", message: `Process ${number} has failed: ${failure}` }]
  );
  return [
    ...failed,
    ...lostRetries(world),
    ...await lostWakes(world),
    ...await staleCaches(world),
    ...wrongDaemons(world),
    ...missingWork(world),
    ...needlessFinalizers(world),
  ];
}

/** Whether a call is for a change of an object. */
export function isForChange({ call: { type, reason } }: SeenCall): boolean {
  return type === "Handler" && CHANGES.includes(reason);
}

function nameOf({ call: { object } }: SeenCall): string {
  return object === undefined ? "" : namespacedName(object);
}

function keyOf({ call: { handler, object } }: SeenCall): string {
  return `${object?.uid} ${handler}`;
}

/** Returns a digest of the parts of a state that count for handlers: all but the notes of operators, and the fields of the server. */
function contentOf({ object }: PastState): string {
  const { deletionTimestamp } = object.metadata;
  return digestOf({
    ...buildEssence(object),
    status: object.status,
    isDeleted: deletionTimestamp !== undefined,
  });
}

/** Returns a number for each state of an object: the same until a part that counts changes. */
function numbersOf(world: World): ReadonlyMap<PastState, number> {
  const numbers = new Map<PastState, number>();
  for (const state of world.history.states) {
    const { before } = state;
    const number = before === undefined ? 0 : numbers.get(before) ?? 0;
    const isNew = before !== undefined && contentOf(before) !== contentOf(state);
    numbers.set(state, isNew ? number + 1 : number);
  }
  return numbers;
}

/** 2. A success that was stored is never run again for the same state. */
function repeatedSuccesses(world: World): Found[] {
  const { journal, history, lives } = world;
  // Where handlers are about the status, the notes hold more than the content that is compared here.
  if (lives.some(({ op }) => op.declared.some(({ field }) => field?.[0] === "status"))) return [];
  const numbers = numbersOf(world);
  // A reconcile may be called at any time.
  const reconciles = lives.flatMap(({ op }) =>
    op.declared.filter(({ cause }) => cause === "reconcile").map(({ id }) => id)
  );
  const found: Found[] = [];
  for (const seen of journal.calls) {
    const { call: { outcome, object, version }, end, life } = seen;
    if (!isForChange(seen) || outcome !== "success" || end === undefined) continue;
    if (reconciles.includes(seen.call.handler)) continue;
    const uid = object?.uid ?? "";
    const stored = journal.requests.find((request) =>
      request.life === life && request.at >= end && request.status < 300 && isAuthorsWrite(request) &&
      history.at(request.version)?.object.metadata.uid === uid &&
      isNoted(history.at(request.version)?.object, lives[life])
    );
    const state = history.at(stored?.version);
    const begun = history.at(version);
    if (stored === undefined || state === undefined || begun === undefined) continue;
    // An object that went back to its handled state while another one was worked on: that success was for the other one.
    if (!isEqualJson(buildEssence(begun.object), buildEssence(state.object))) continue;
    const again = journal.calls.find((other) => {
      if (other.at <= stored.at || keyOf(other) !== keyOf(seen) || !isForChange(other)) return false;
      const then = history.at(other.call.version);
      return then !== undefined && numbers.get(then) === numbers.get(state) && !isSuspect(lives[other.life]);
    });
    if (again === undefined) continue;
    const message =
      `\`${seen.call.handler}\` was called again for \`${nameOf(seen)}\` at version ${again.call.version}, ` +
      `although its success for version ${version} was stored before`;
    found.push({ rule: "once", message });
  }
  return found;
}

/** Whether it is noted on an object that it was handled as it is. */
function isNoted(object: KubeObject | undefined, life: Life | undefined): boolean {
  if (object === undefined || life === undefined) return false;
  const { diffBase } = life.op.settings.persistence;
  return isEqualJson(diffBase.fetch(object), diffBase.build(object));
}

/** A process that has stood still may act on old knowledge. */
function isSuspect(life: Life | undefined): boolean {
  return life === undefined || !life.isAwake;
}

/** 3. No handler runs for a state older than one that its process has seen. */
function olderStates({ journal }: World): Found[] {
  const newest = new Map<string, bigint>();
  for (const seen of journal.calls) {
    const { call: { object, version, handler, type }, life } = seen;
    // Indexes take the states as they come: their own rows.
    const row = type === "Indexer" ? handler : "";
    if (object === undefined || version === undefined || !/^\d+$/.test(version)) continue;
    const key = `${life} ${object.uid} ${row}`;
    const before = newest.get(key) ?? 0n;
    if (BigInt(version) < before) {
      const message = `\`${handler}\` was called for \`${
        nameOf(seen)
      }\` at version ${version}, after ${before}`;
      return [{ rule: "order", message }];
    }
    newest.set(key, BigInt(version));
  }
  return [];
}

/** 4. Handlers of one object never run twice at once. */
function runsAtOnce(world: World): Found[] {
  const { journal, lives } = world;
  const calls = journal.calls.filter(({ call: { type, object } }) =>
    type !== "Indexer" && object !== undefined
  );
  for (const [index, first] of calls.entries()) {
    for (const second of calls.slice(index + 1)) {
      if (second.call.object?.uid !== first.call.object?.uid) continue;
      if ((first.end ?? Infinity) <= second.at) continue;
      const isSame = first.call.handler === second.call.handler;
      const isTurn = first.call.type === "Handler" && second.call.type === "Handler";
      if (first.isCut || (!isSame && !isTurn)) continue;
      // A process that is held, or cut off, cannot know that another one has taken its place.
      if (first.life !== second.life && (isHeld(lives[first.life]) || isHeld(lives[second.life]))) continue;
      // A replica that was cut off begins an object anew beside a handler of an earlier term, which can write nothing any more.
      if (world.sharesObjects && first.life === second.life && isHeld(lives[first.life])) continue;
      if (first.life === second.life && !isSame && isTurn && first.at === second.at) continue;
      const message = `\`${first.call.handler}\` and \`${second.call.handler}\` ran at once for \`${
        nameOf(first)
      }\``;
      return [{ rule: "turns", message }];
    }
  }
  return [];
}

/** 4. A replica begins no handler when the Lease names another one: it must have noticed before that its own time was over. */
function twoLeaders({ journal, leases, leasesLost, lives }: World): Found[] {
  const terms = leases.states.filter(({ object }) => object.metadata.name === LEASE_NAME);
  let next = 0;
  let holder: unknown;
  for (const { at, life, call: { type, handler, object } } of terms.length === 0 ? [] : journal.calls) {
    for (let term = terms[next]; term !== undefined && term.at < at; term = terms[++next]) {
      holder = isObject(term.object.spec) ? term.object.spec.holderIdentity : undefined;
    }
    if (type === "Indexer" || object === undefined || at >= leasesLost) continue;
    const other = typeof holder === "string" ? journal.identities.get(holder) : undefined;
    if (other === undefined || other === life || lives[life]?.hasLostTime === true) continue;
    const message =
      `\`${handler}\` was called for \`${object.name}\` by process ${life}, while the Lease named process ${other}`;
    return [{ rule: "leader", message }];
  }
  return [];
}

/** Whether a process has ever been held or cut off. */
function isHeld(life: Life | undefined): boolean {
  return life === undefined || life.wasHeld;
}

/** 5. A planned retry happens. It is asked at rest: then there is no plan left. */
function lostRetries({ journal, history }: World): Found[] {
  const last = new Map<string, SeenCall>();
  for (const seen of journal.calls) if (isForChange(seen)) last.set(keyOf(seen), seen);
  for (const seen of last.values()) {
    const { call: { outcome, object, handler, version } } = seen;
    if (outcome !== "retry") continue;
    const now = history.newest(object?.uid ?? "");
    const then = history.at(version);
    if (now === undefined || now.isGone || then === undefined || contentOf(now) !== contentOf(then)) continue;
    const message = `\`${handler}\` wanted to be tried again for \`${nameOf(seen)}\`, and never was`;
    return [{ rule: "retries", message }];
  }
  return [];
}

/** 5. A change of a child wakes the reconcile of its owner, which is not lost. */
async function lostWakes(world: World): Promise<Found[]> {
  const { journal, history, harmed } = world;
  for (const { path, owner, at } of harmed) {
    const now = history.newest(owner);
    // An owner that is not there, or of a kind that is not planned, is of no interest.
    if (now === undefined || now.isGone || now.object.metadata.deletionTimestamp !== undefined) continue;
    const isCalled = journal.calls.some(({ call: { object, type }, at: begun }) =>
      type === "Handler" && object?.uid === owner && begun >= at
    );
    // A call that went on may have made it again.
    if (isCalled || await world.has(path)) continue;
    const message =
      `A child of \`${now.object.metadata.name}\` was deleted, and its reconcile was not called`;
    return [{ rule: "wakes", message }];
  }
  return [];
}

/** 6. The finalizer does not go before deletion handlers are done. */
function earlyFinalizers({ journal, history, lives }: World): Found[] {
  const finalizer = lives[0]?.op.settings.persistence.finalizer ?? "";
  for (const { status, ended, version, at, life } of journal.requests) {
    if (status >= 300) continue;
    const state = history.at(version);
    const { before, object } = state ?? {};
    const isTakenOff = object?.metadata.deletionTimestamp !== undefined &&
      before?.object.metadata.finalizers?.includes(finalizer) === true &&
      object.metadata.finalizers?.includes(finalizer) !== true;
    const uid = ended ?? (isTakenOff ? object?.metadata.uid : undefined);
    if (uid === undefined) continue;
    const last = new Map<string, SeenCall>();
    for (const seen of journal.calls) {
      const { reason, object } = seen.call;
      if (object?.uid === uid && reason === "delete" && seen.at <= at && seen.life === life) {
        last.set(keyOf(seen), seen);
      }
    }
    for (const seen of last.values()) {
      const { outcome = "" } = seen.call;
      if (seen.end !== undefined && seen.end <= at && DONE.includes(outcome)) continue;
      const message = `The finalizer was taken off \`${
        nameOf(seen)
      }\` before \`${seen.call.handler}\` was done`;
      return [{ rule: "finalizer", message }];
    }
  }
  return [];
}

/** 6. An object of a kind without deletions to handle is not held by our finalizer. */
function needlessFinalizers({ history, lives, kinds }: World): Found[] {
  const op = lives.at(-1)?.op;
  if (op === undefined) return [];
  const { finalizer } = op.settings.persistence;
  for (const { object, isGone } of history.present()) {
    if (isGone || object.metadata.finalizers?.includes(finalizer) !== true) continue;
    const isHeld = op.declared.some(({ cause, hasFinalizer, selector }) =>
      [...kinds.values()].some((resource) => resource.kind === object.kind && matches(selector, resource)) &&
      (hasFinalizer === true || NEEDY.includes(cause))
    );
    if (isHeld) continue;
    const message = `\`${object.metadata.name}\` has the operator's finalizer, and no handler needs it`;
    return [{ rule: "finalizer", message }];
  }
  return [];
}

/** Causes of handlers that may need the finalizer. */
const NEEDY: readonly string[] = ["delete", "change", "daemon", "timer"];

/** How calls end that are not followed by another one. */
const DONE: readonly string[] = ["success", "failure"];

/** 9. Fields, annotations and finalizers of others are never touched; edits of clients are not reverted. */
function touchedFields(world: World): Found[] {
  const { journal, history } = world;
  for (const request of journal.requests) {
    if (request.status >= 300 || !isAuthorsWrite(request)) continue;
    const state = history.at(request.version);
    if (state?.before === undefined) continue;
    const [before, after] = [state.before.object, state.object];
    const title = `The operator's ${request.verb} of \`${namespacedName(before.metadata)}\``;
    if (!isEqualJson(foreignIn(before), foreignIn(after))) {
      return [{ rule: "foreign", message: `${title} has changed what another program had written` }];
    }
    const path = revertedIn(state);
    if (path !== undefined) {
      return [{ rule: "lost-update", message: `${title} has taken back a client's edit of \`${path}\`` }];
    }
  }
  return [];
}

/** Returns the marks of other programs of the simulation on an object. */
function foreignIn({ metadata: { labels = {}, annotations = {}, finalizers = [] } }: KubeObject): unknown {
  const ofOthers = (all: Readonly<Record<string, string>>): [string, string][] =>
    Object.entries(all).filter(([key]) => key.startsWith(FOREIGN)).sort();
  return [ofOthers(labels), ofOthers(annotations), finalizers.filter((each) => each === FOREIGN_FINALIZER)];
}

/** Returns the path of a value in the spec that a write has set back to its value before the last edit. */
function revertedIn({ object, before }: PastState): string | undefined {
  const edited = before;
  const older = edited?.before;
  if (edited === undefined || older === undefined) return undefined;
  const [now, then, first] = [object.spec, edited.object.spec, older.object.spec];
  if (!isObject(now) || !isObject(then) || !isObject(first)) return undefined;
  const key = Object.keys(then).find((each) =>
    !isEqualJson(then[each], first[each]) && !isEqualJson(now[each], then[each]) &&
    isEqualJson(now[each], first[each])
  );
  return key === undefined ? undefined : `spec.${key}`;
}

/** 8. Caches equal a listing. */
async function staleCaches(world: World): Promise<Found[]> {
  for (const kind of world.kinds.keys()) {
    const listed = versionsOf(await world.list(kind));
    for (const life of world.alive) {
      const cache = life.caches.get(kind);
      if (cache === undefined || !life.isAwake || !cache.synced) continue;
      const cached = versionsOf(cache.list() as readonly KubeObject[]);
      if (isEqualJson(listed, cached)) continue;
      const message = `The cache of ${kind} has ${told(cached)}, and a listing ${told(listed)}`;
      return [{ rule: "cache", message }];
    }
  }
  return [];
}

function versionsOf(objects: readonly KubeObject[]): Record<string, string> {
  return Object.fromEntries(
    objects.map((
      { metadata },
    ): [string, string] => [namespacedName(metadata), metadata.resourceVersion ?? ""]).sort(),
  );
}

function told(versions: Readonly<Record<string, string>>): string {
  const all = Object.entries(versions).map(([name, version]) => `${name} at ${version}`);
  return all.length === 0 ? "nothing" : all.join(", ");
}

/** How long ago a timer may have been called at rest: the world was quiet for so long. */
const LOOKED_BACK: Seconds = 65;

/** Timers with longer intervals need not have been called meanwhile. */
const LONGEST_INTERVAL: Seconds = 30;

/** 5. and 7. Timers come again, and daemons run, as long as their objects are there. */
function missingWork({ journal, history, lives, kinds, now }: World): Found[] {
  const declared = lives.at(-1)?.op.declared.filter(({ always }) => always !== undefined) ?? [];
  for (const { object, isGone } of declared.length === 0 ? [] : history.present()) {
    const { metadata: { uid, name, deletionTimestamp } } = object;
    if (isGone || deletionTimestamp !== undefined) continue;
    const resource = [...kinds.values()].find(({ kind }) => kind === object.kind);
    for (const { id, cause, selector, always } of declared) {
      if (resource === undefined || !matches(selector, resource)) continue;
      const last = journal.calls.findLast(({ call }) => call.handler === id && call.object?.uid === uid);
      const { interval } = always ?? {};
      // A failure for good, or a daemon's end, is the end; and a retry has a time of its own.
      const { outcome } = last?.call ?? {};
      if (outcome !== undefined && (outcome !== "success" || cause === "daemon" || interval === undefined)) {
        continue;
      }
      if (last !== undefined && !last.isCut && last.end === undefined) continue;
      if (interval !== undefined && interval > LONGEST_INTERVAL) continue;
      if (cause === "timer" && last !== undefined && last.at > now - LOOKED_BACK) continue;
      return [{ rule: "timers", message: `The ${cause} \`${id}\` of \`${name}\` is called no more` }];
    }
  }
  return [];
}

/** 7. Daemons run at most once for an object, and only while it is there. */
function wrongDaemons({ journal, history }: World): Found[] {
  const running = new Set<string>();
  for (const seen of journal.running) {
    const { call: { type, handler, object }, life } = seen;
    if (type !== "Daemon" || object === undefined) continue;
    const key = `${life} ${keyOf(seen)}`;
    const isGone = history.newest(object.uid ?? "")?.isGone === true;
    const why = running.has(key) ? "runs twice for" : isGone ? "still runs, after the end of" : undefined;
    if (why !== undefined) return [{ rule: "daemons", message: `\`${handler}\` ${why} \`${nameOf(seen)}\`` }];
    running.add(key);
  }
  return [];
}
