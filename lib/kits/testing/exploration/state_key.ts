/**
 * The key of a state of an explored world: two states with one key are taken for the same, and the second is not entered.
 *
 * It covers the objects of the server, the messages that wait, the caches and the events that have arrived, the calls of handlers
 * that run and the last one of each, the turns of the ledger, and the rest of the author's moves. Times, uids, versions and numbers of
 * processes are left out; of a version it counts whether it is the newest of its object. NB: the memory of handlers beyond that
 * (variables, memos, indexes) is not seen. docs/exploration.md says what may be missed for it.
 */

import { digestOf } from "../../../model/encoding.ts";
import { canonicalJson, isObject } from "../../../model/json.ts";
import type { LedgerEntry } from "../../../engines/ledger.ts";
import type { History } from "../simulation/history.ts";
import type { SeenCall } from "../simulation/journal.ts";
import type { Life } from "../simulation/life.ts";
import { titleOf } from "../simulation/journal.ts";
import type { World } from "../simulation/world.ts";
import type { HeldTraffic } from "./held_traffic.ts";

/** The part of a world that outlives its processes. */
type Remembered = Pick<StateParts, "others" | "author"> & { readonly world: Pick<World, "history"> };

/** The parts of a state. */
export interface StateParts {
  readonly world: World;
  readonly traffic: HeldTraffic;
  /** The past of objects that are not planned. */
  readonly others: History;
  /** The rest of the author's moves, and the phase. */
  readonly author: unknown;
}

/** Makes the keys of all states of an exploration. */
export class StateKeys {
  /** The content of each object that was looked at. */
  readonly #contents = new WeakMap<object, string>();

  /** Returns the key of the part of a state that outlives a process. */
  serverKeyOf({ world, others, author }: Remembered): string {
    return digestOf([this.#serverOf({ world, others }).objects, author]);
  }

  #serverOf({ world, others }: Omit<Remembered, "author">): {
    readonly objects: readonly string[];
    readonly versions: ReadonlySet<string>;
  } {
    const objects: string[] = [];
    const versions = new Set<string>();
    for (const history of [world.history, others]) {
      for (const { object, isGone } of history.present()) {
        if (isGone) continue;
        versions.add(object.metadata.resourceVersion ?? "");
        objects.push(this.#contentOf(object));
      }
    }
    return { objects: objects.sort(), versions };
  }

  /** Returns the key of a state. */
  keyOf({ world, traffic, others, author }: StateParts): string {
    const { objects, versions } = this.#serverOf({ world, others });
    const isNewest = (object: unknown): string => {
      const version = versionOf(object);
      return version === undefined ? "" : versions.has(version) ? "newest" : "older";
    };
    const messages = traffic.all().map(({ sort, request, content }) =>
      `${sort} ${titleOf(request)} ${this.#contentOf(content)} ${
        Array.isArray(content) ? content.map(isNewest) : ""
      }`
    );
    const processes = world.alive.map((life) => this.#processOf(life, { world, traffic, isNewest }));
    return digestOf([objects, messages.sort(), processes, author]);
  }

  #processOf(
    life: Life,
    { world, traffic, isNewest }: {
      readonly world: World;
      readonly traffic: HeldTraffic;
      readonly isNewest: (object: unknown) => string;
    },
  ): unknown {
    const { journal } = world;
    const known: string[] = [];
    for (const [kind, cache] of life.caches) {
      known.push(...cache.list().map((object) => `${kind} ${this.#contentOf(object)} ${isNewest(object)}`));
    }
    for (const { kind, objects } of traffic.told(life.number)) {
      for (const object of objects.values()) {
        known.push(`${kind} ${this.#contentOf(object)} ${isNewest(object)}`);
      }
    }
    const retried = new Map<string, string>();
    const running: string[] = [];
    for (const seen of journal.calls) {
      if (seen.life !== life.number) continue;
      const { call: { type, handler, object, reason, retry, outcome }, end } = seen;
      const place = `${handler} ${object?.name}`;
      const title = `${place} ${reason} ${retry} ${outcome}`;
      if (end !== undefined && outcome !== "success") retried.set(place, title);
      else if (end !== undefined) retried.delete(place);
      else {running.push(
          type === "Daemon" ? title : `${title} ${this.#stateOf(seen, world)} ${doneBy(seen, world)}`,
        );}
    }
    const turns: unknown[] = [];
    for (const { object, isGone } of world.history.present()) {
      const record = isGone ? undefined : life.op.ledger.of(object);
      if (record === undefined) continue;
      const waits = record.entries.at(-1)?.waits;
      const waiting = waits && [waits.wake, roughly(Math.max(waits.due - life.clock.monotonic(), 0))];
      turns.push([object.metadata.name, waiting, record.current && turnOf(record.current)]);
    }
    return [known.sort(), running.sort(), [...retried.values()].sort(), turns, life.isAwake];
  }

  /** The state for which a call was made. */
  #stateOf({ call: { version } }: SeenCall, { history }: World): string {
    const state = history.at(version);
    return state === undefined ? "" : this.#contentOf(state.object);
  }

  /** Returns a JSON value as text, without all that differs from run to run. */
  #contentOf(value: unknown): string {
    if (typeof value !== "object" || value === null) return String(value);
    const known = this.#contents.get(value);
    if (known !== undefined) return known;
    const text = canonicalJson(steady(value)).replace(TIMES, "(a time)").replace(UIDS, "(a uid)");
    this.#contents.set(value, text);
    return text;
  }
}

/** The work of a running call: its requests and their answers, and for how long it has gone on. */
function doneBy({ at, life }: SeenCall, { journal, now }: World): string {
  const done = journal.requests.filter((request) => request.life === life && request.at >= at);
  return `${done.map((request) => `${titleOf(request)} ${request.status}`).join()} ${roughly(now - at)}`;
}

function turnOf({ wake, reason, handlers, writes }: LedgerEntry): unknown {
  return [wake, reason, handlers.map(({ id, outcome }) => `${id} ${outcome}`), writes];
}

/** A time, so that the millisecond of each message does not count. */
function roughly(seconds: number): string {
  return seconds === Infinity ? "" : seconds.toFixed(1);
}

const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const UIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const VOLATILE: readonly string[] = [
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "generation",
  "observedGeneration",
];

function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (!isObject(value)) return value;
  const copy = Object.entries(value).filter(([key]) => !VOLATILE.includes(key))
    .map(([key, each]) => [key, steady(each)] as const);
  return Object.fromEntries(copy);
}

function versionOf(object: unknown): string | undefined {
  const { metadata } = isObject(object) ? object : {};
  const version = isObject(metadata) ? metadata.resourceVersion : undefined;
  return typeof version === "string" ? version : undefined;
}
