/**
 * Finds operators that wake themselves by their own writes, or that fight others over a field, and slows them down.
 *
 * A round is a write that follows from an earlier write of ours: the state that we wrote calls for it (our own change
 * comes back as a cause, or as a raw event), or another writer has put a field or our finalizer back that we now write again. Ten
 * rounds without a break are a loop: it is named once, with its fields and their other writers, and from then on each round costs a
 * pause that doubles. Work that is done in many steps, and edits by people, are no rounds. Source: scenario N30.
 *
 * Notes that another writer takes off again and again are a loop of another sort: no handler is called, and the notes are put back
 * at growing pauses by their own part of the turn (`handlers/change/taken_notes.ts`). The loop is only named here.
 */

import { growingPause } from "../async/backoff.ts";
import type { Client } from "../client/client.ts";
import type {
  BackgroundWriter,
  HotLoop,
  Observer,
  ReconcileEnd,
  ReconcileStart,
  Subject,
  Written,
} from "../execution/observer.ts";
import { isSamePlace, managersOf, namedPaths, takersOf } from "../model/changed_paths.ts";
import type { Diff } from "../model/diff.ts";
import type { KubeObject } from "../model/object.ts";
import { formatField } from "../model/fields.ts";
import { isEmptyObject } from "../model/json.ts";
import { minimisePatch } from "../model/patch.ts";
import { groupResource, keyOf } from "../model/resource.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";

/** After how many rounds it is a loop. */
const ROUNDS = 10;

/** From which round on others are looked for: when it is a loop we have just written, and own the fields. */
const SUSPICIOUS = 5;

/** A longer time between two rounds (beside our own pauses) ends a loop. */
const BREAK: Seconds = 60;

/** How often notes must be taken off until that is named: once, or twice, may be a person who replaces the object. */
const TAKEN_OFTEN = 3;

/** How long notes that were taken off often count as a loop. */
const TAKEN_LATELY: Seconds = 1200;

/** The longest of our pauses. */
const LONGEST_PAUSE: Seconds = 60;

/** How many fields are remembered, for each object. */
const MOST_FIELDS = 32;

/** How many kinds of loops are told apart in the log. */
const MOST_NAMED = 1000;

interface State {
  /** The fields of our latest write, and of the writes before it. */
  latest: readonly string[];
  readonly earlier: Set<string>;
  /** The version that came of it. */
  version: string | undefined;
  concluded: boolean;
  /** About the reconcile that runs: whether our own write has woken it, and which of our fields have changed. */
  wake: string;
  isEcho: boolean;
  returned: readonly string[];
  rounds: number;
  /** When the latest one was, on the monotonic clock. */
  last: Seconds;
  readonly fields: Set<string>;
  readonly managers: Set<string>;
  /** Whether the loop has come one round further in this reconcile. */
  isNewRound: boolean;
  isKnown: boolean;
  /** The writes of its daemons and timers; undefined as long as there are none. */
  background: BackgroundWrites | undefined;
}

/** The writes of one object's daemons and timers, beside its reconciles. */
interface BackgroundWrites {
  /** The latest versions that were seen. NB: the version of a write may be seen before the write is answered. */
  readonly seen: string[];
  /** The latest versions that they have made. */
  readonly made: string[];
  /** The version of the reconcile that goes on. */
  current: string | undefined;
  /** By id: the latest write of each. */
  readonly latest: Map<string, Pick<BackgroundWriter, "content" | "version">>;
}

/** The facts needed to name a loop, and to wait. */
export interface LoopingReconcile {
  readonly state: Subject;
  readonly client: Client;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly signal: AbortSignal;
}

/** Notes that another writer has taken off an object. */
export interface TakenOff {
  /** How often in a row. */
  readonly times: number;
  /** Where they were: dotted paths. */
  readonly fields: readonly string[];
  /** The field manager under whose name the operator writes. */
  readonly own: string;
  /** Whether notes on objects of the kind go elsewhere from now on. Default: false. */
  readonly movesKind?: boolean;
}

/** The hot loops of one operator. */
export class HotLoops implements Observer {
  readonly #clock: Clock;
  readonly #states = new WeakMap<Subject, State>();
  readonly #slowed = new Map<Subject, State>();
  /** When notes were taken off last that are taken off often. */
  readonly #taken = new Map<Subject, Seconds>();
  readonly #named = new Set<string>();
  /** Where our finalizer has gone last, for each object. */
  readonly #finalizers = new WeakMap<Subject, boolean>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many objects of each kind are in a loop now. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [subject, state] of this.#slowed) {
      const kind = groupResource(subject.resource);
      if (this.#isOver(state)) this.#slowed.delete(subject);
      else counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    for (const [subject, last] of this.#taken) {
      const kind = groupResource(subject.resource);
      if (this.#clock.monotonic() - last > TAKEN_LATELY) this.#taken.delete(subject);
      else if (!this.#slowed.has(subject)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return counts;
  }

  /** The loop that an object is in now; undefined: it is in none. */
  of(subject: Subject): HotLoop | undefined {
    const state = this.#slowed.get(subject);
    if (state === undefined || this.#isOver(state)) return undefined;
    return { fields: [...state.fields].sort(), managers: [...state.managers].sort() };
  }

  reconcileBegins(subject: Subject, { wake, events }: ReconcileStart): void {
    const state = this.#states.get(subject);
    if (state === undefined) return;
    state.wake = wake;
    state.isEcho = state.version !== undefined &&
      events.at(-1)?.object.metadata?.resourceVersion === state.version;
    state.returned = [];
    state.isNewRound = false;
    if (state.background !== undefined) {
      state.background.current = events.at(-1)?.object.metadata?.resourceVersion;
    }
  }

  adopted(subject: Subject): void {
    const state = this.#states.get(subject);
    const current = state?.background?.current;
    // NB: the event of our own write may come before its response.
    if (current !== undefined && current !== state?.version) push(state?.background?.seen ?? [], current);
  }

  decided(subject: Subject, { diff }: { readonly diff: Diff }): void {
    const state = this.#states.get(subject);
    if (state === undefined || diff.length === 0 || !state.concluded) return;
    const changed = diff.slice(0, MOST_FIELDS).map(({ path }) => formatField(path));
    const ours = state.wake === "write" ? state.latest : [...state.earlier];
    state.returned = changed.filter((path) => ours.some((own) => isSamePlace(own, path)));
  }

  written(subject: Subject, written: Written): void {
    const { paths, version, concluded, byEvent, by, finalizer } = written;
    if (by !== undefined) return this.#writtenBeside(subject, paths, by);
    const isPutBack = finalizer !== undefined && this.#finalizers.get(subject) === finalizer;
    if (finalizer !== undefined) this.#finalizers.set(subject, finalizer);
    if (paths.length === 0 && !isPutBack && !this.#states.has(subject)) return;
    const state = this.#states.get(subject) ?? this.#begin(subject);
    if (isPutBack) this.#count(subject, state, ["metadata.finalizers"]);
    if (paths.length > 0) {
      const fields = roundOf(state, paths, byEvent);
      if (fields.length > 0) this.#count(subject, state, fields);
      state.latest = paths;
      for (const path of paths) if (state.earlier.size < MOST_FIELDS) state.earlier.add(path);
    }
    state.concluded = concluded;
    state.version = version;
  }

  /** A round is one that runs since its own write has changed the object, or that puts back changes of others. */
  #writtenBeside(subject: Subject, paths: readonly string[], by: BackgroundWriter): void {
    if (paths.length === 0) return;
    const state = this.#states.get(subject) ?? this.#begin(subject);
    const background = state.background ??= { seen: [], made: [], current: undefined, latest: new Map() };
    const earlier = background.latest.get(by.handler);
    const lost = earlier === undefined ? {} : minimisePatch(by.before, earlier.content) ?? {};
    const again = isEmptyObject(lost)
      ? []
      : namedPaths(lost).filter((path) => paths.some((own) => isSamePlace(own, path)));
    const isSelfMade = by.onChange && earlier !== undefined && !hasOthers(background, earlier.version, by);
    const fields = again.length > 0 || !isSelfMade ? again : paths;
    state.isNewRound = false;
    if (fields.length > 0) this.#count(subject, state, fields);
    if (by.version !== undefined) push(background.made, by.version);
    if (earlier !== undefined || background.latest.size < MOST_FIELDS) {
      background.latest.set(by.handler, { content: by.content, version: by.version });
    }
  }

  reconcileEnds(subject: Subject, { gone }: ReconcileEnd): void {
    if (gone !== true) return;
    this.#slowed.delete(subject);
    this.#taken.delete(subject);
  }

  /** Called before a reconcile: whether `findOtherWriters()` is worth a request. */
  isSuspicious(subject: Subject, hasEvents: boolean): boolean {
    const state = this.#states.get(subject);
    if (state === undefined || state.rounds < SUSPICIOUS || state.isKnown || this.#isOver(state)) {
      return false;
    }
    return hasEvents || state.rounds === ROUNDS - 1;
  }

  /** Finds the writers of the fields of a loop, while the values of others are still there. */
  async findOtherWriters({ state: subject, client, signal }: LoopingReconcile): Promise<void> {
    const state = this.#states.get(subject);
    if (state === undefined) return;
    const looping = { state: subject, client, signal };
    const managers = await findManagers(looping, (object) => managersOf(object, [...state.fields]));
    for (const manager of managers) state.managers.add(manager);
  }

  /** Returns how long the object must wait after this reconcile; undefined: not at all. Names a loop that is new. */
  pauseAfter(looping: LoopingReconcile): Seconds | undefined {
    const state = this.#slowed.get(looping.state);
    if (state === undefined || !state.isNewRound) return undefined;
    if (!state.isKnown) this.#name(looping, state);
    return pauseOf(state);
  }

  /** Another writer has taken the operator's notes off the object. */
  notesTaken(looping: LoopingReconcile, taken: TakenOff): Promise<void> | undefined {
    if (taken.movesKind === true) return this.#nameMove(looping, taken);
    if (taken.times < TAKEN_OFTEN) return undefined;
    const { state: subject } = looping;
    const isNew = !this.#taken.has(subject);
    this.#taken.set(subject, this.#clock.monotonic());
    return isNew ? this.#nameTaken(looping, taken) : undefined;
  }

  /** Said once for a kind, as its notes move once. */
  async #nameMove(looping: LoopingReconcile, { fields, own }: TakenOff): Promise<void> {
    const managers = await findManagers(looping, (object) => takersOf(object, fields, own));
    looping.logger.warn(
      "Another writer has taken the operator's notes out of the status: no handler is called, and notes on objects of this kind " +
        "go to annotations until the operator starts anew (let that writer patch its own fields, or keep notes in annotations: " +
        "persistence.annotations())",
      { kind: keyOf(looping.state.resource), fields: fields.slice(0, MOST_FIELDS), managers },
    );
  }

  async #nameTaken(looping: LoopingReconcile, { times, fields, own }: TakenOff): Promise<void> {
    const { state: subject, logger, observer } = looping;
    const managers = await findManagers(looping, (object) => takersOf(object, fields, own));
    const loop: HotLoop = { fields: fields.slice(0, MOST_FIELDS), managers };
    observer.hotLoop?.(subject, loop);
    const message =
      "Hot loop: another writer takes the operator's notes off the object again and again; no handler is called, " +
      "and the notes are put back more and more rarely (let that writer patch its own fields, and leave annotations and the " +
      "status of others alone)";
    logger[this.#isNews(subject, loop) ? "warn" : "debug"](message, { ...loop, rounds: times });
  }

  /** Whether no loop of these fields and managers was named for the kind: the first one is a warning. */
  #isNews({ resource }: Subject, { fields, managers }: HotLoop): boolean {
    const key = JSON.stringify([keyOf(resource), fields, managers]);
    const isNews = !this.#named.has(key);
    if (this.#named.size < MOST_NAMED) this.#named.add(key);
    return isNews;
  }

  #begin(subject: Subject): State {
    const state: State = {
      latest: [],
      earlier: new Set(),
      version: undefined,
      concluded: false,
      wake: "event",
      isEcho: false,
      returned: [],
      rounds: 0,
      last: 0,
      fields: new Set(),
      managers: new Set(),
      isNewRound: false,
      isKnown: false,
      background: undefined,
    };
    this.#states.set(subject, state);
    return state;
  }

  #count(subject: Subject, state: State, fields: readonly string[]): void {
    if (this.#isOver(state)) {
      state.rounds = 0;
      state.fields.clear();
      state.managers.clear();
      state.isKnown = false;
    }
    state.rounds++;
    state.last = this.#clock.monotonic();
    state.isNewRound = true;
    for (const field of fields) if (state.fields.size < MOST_FIELDS) state.fields.add(field);
    if (state.rounds >= ROUNDS) this.#slowed.set(subject, state);
  }

  #isOver(state: State): boolean {
    return this.#clock.monotonic() - state.last > BREAK + 2 * (pauseOf(state) ?? 0);
  }

  #name({ state: subject, logger, observer }: LoopingReconcile, state: State): void {
    state.isKnown = true;
    const fields = [...state.fields].sort();
    const managers = [...state.managers].sort();
    const loop: HotLoop = { fields, managers };
    observer.hotLoop?.(subject, loop);
    const message = "Hot loop: the operator's own writes trigger it again " +
      "(let handlers write what they want to see, not what differs each time; or let one manager own the field)";
    logger[this.#isNews(subject, { fields, managers: [] }) ? "warn" : "debug"](message, {
      ...loop,
      rounds: state.rounds,
    });
  }
}

function push(list: string[], version: string): void {
  list.push(version);
  if (list.length > MOST_FIELDS) list.shift();
}

/** Whether another writer has changed the object between a write and the next one. */
function hasOthers(
  { seen, made }: BackgroundWrites,
  since: string | undefined,
  { before, order }: BackgroundWriter,
): boolean {
  return seen.some((version) =>
    order.compare(version, since) === "newer" &&
    order.compare(version, before.metadata.resourceVersion) !== "newer" && !made.includes(version)
  );
}

/** The fields of a round; none if the write has another cause. */
function roundOf(
  { isEcho, wake, returned }: State,
  paths: readonly string[],
  byEvent: boolean,
): readonly string[] {
  if (wake === "write" && returned.length > 0) return returned;
  const again = returned.filter((path) => paths.some((own) => isSamePlace(own, path)));
  if (again.length > 0) return again;
  return isEcho && byEvent ? paths : [];
}

function pauseOf({ rounds }: State): Seconds | undefined {
  return rounds < ROUNDS ? undefined : growingPause(rounds - ROUNDS, { initial: 1, max: LONGEST_PAUSE });
}

async function findManagers(
  { state: { body, resource }, client, signal }: Pick<LoopingReconcile, "state" | "client" | "signal">,
  choose: (object: KubeObject) => string[],
): Promise<string[]> {
  const { name = "", namespace } = body.metadata;
  const address = { name, namespace: resource.namespaced ? namespace : undefined };
  try {
    return choose(await client.get(resource, address, { managedFields: true, signal }));
  } catch {
    // Gone, forbidden, out of reach: the loop is named without them.
    return [];
  }
}
