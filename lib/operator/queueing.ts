/**
 * One worker per object: events of one object are handled strictly one after another, those of different objects side by
 * side.
 *
 * While a worker works, newer states replace each other; where raw events have handlers, all of them are kept in order.
 * A worker lives while it has something to do, or waits before trying again. Every wake-up says why it happens.
 * Source: design, decisions 4 and 7; Kopf, A §6.9.
 */

import type { Observer } from "../execution/observer.ts";
import type { Limiter } from "../async/limiter.ts";
import { Schedule } from "../async/schedule.ts";
import type { TaskGroup } from "../async/tasks.ts";
import type { Indexing } from "../engines/indexing/indexing.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { WatchEvent } from "../model/object.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import { isKnown, isUnfinished, type Memories, type ObjectMemory } from "./memories.ts";

/** Why an object is looked at. */
export type Wake = "event" | "retry" | "write" | "error" | "dependency";

/** What is to happen with the object after a cycle. */
export interface Next {
  /** Look again after this time; 0: at once. Undefined: when something happens. */
  readonly after?: Seconds;
  /** Why it is looked at then. Default: "retry". */
  readonly wake?: Wake;
  /** Until then, nothing else is handled either: the object is being throttled. */
  readonly paused?: boolean;
  /** Leave what was planned before as it is: nothing has happened. */
  readonly unchanged?: boolean;
  /** The object has gone. */
  readonly gone?: boolean;
}

/** Handles what has come for one object. Must not throw. */
export type Process = (
  memory: ObjectMemory,
  input: { readonly events: WatchEvent[]; readonly wake: Wake; readonly waited: Seconds },
) => Promise<Next>;

export interface WorkersOptions {
  readonly process: Process;
  readonly memories: Memories;
  readonly clock: Clock;
  readonly tasks: TaskGroup;
  /** How many cycles may run at once. */
  readonly limiter: Limiter;
  /** What must have seen an object's state before it is handled, and when anything may be handled at all. */
  readonly indexing?: Pick<Indexing, "gate" | "settled" | "submit">;
  /** Whether a kind's raw events must all be kept. */
  readonly keepsEvents: (resource: Resource) => boolean;
  readonly observer: Observer;
  /** Whether nothing more may be done with an object for now, apart from what comes of events. Default: it never is. */
  readonly isHeld?: (memory: ObjectMemory) => boolean;
}

/** How long a worker that has crashed pauses: so long at first, and then longer each time. */
const CRASH_PAUSE: Seconds = 1;
const LONGEST_CRASH_PAUSE: Seconds = 60;

/** How an event is to be taken. */
export interface SubmitOptions {
  /** The server was set back: what is remembered of the object may be newer than what is true. Default: false. */
  readonly restored?: boolean;
  /** The object is not seen any more in this version of its kind, but in another one. Default: false. */
  readonly moved?: boolean;
}

interface Worker {
  readonly memory: ObjectMemory;
  events: WatchEvent[];
  wake: Wake | undefined;
  running: boolean;
  paused: boolean;
  /** Since when something waits, on the monotonic clock. */
  since: Seconds;
  /** How often in a row it has crashed. */
  crashes: number;
}

/** Live events overtake the initial listing. Source: design, decision 4. */
export function isUrgent(
  { events, wake = "event" }: { readonly events: readonly WatchEvent[]; readonly wake: Wake | undefined },
): boolean {
  return wake !== "event" || events.some(({ type }) => type !== null);
}

/** The workers of one operator. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers = new Map<string, Worker>();
  readonly #planned = new Map<string, Wake>();
  /** Looks at objects that are held back. */
  readonly #held = new Map<string, Wake>();
  readonly #schedule: Schedule;
  readonly #stopping = new AbortController();

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#schedule = new Schedule({
      clock: options.clock,
      callback: (key) => this.wake(key, this.#planned.get(key) ?? "retry"),
    });
  }

  /** How many objects are being handled, or have something waiting. */
  get size(): number {
    return this.#workers.size;
  }

  /** The objects that are being handled, as "kind namespace/name". */
  get busy(): readonly string[] {
    return [...this.#workers.values()].filter(({ running }) => running).map(({ memory }) => {
      const { namespace = "", name = "" } = memory.body.metadata;
      return `${keyOf(memory.resource)} ${namespace === "" ? name : `${namespace}/${name}`}`;
    });
  }

  /** How many objects are to be looked at again at some time. */
  get planned(): number {
    return this.#planned.size;
  }

  /** Takes an event in. */
  submit(
    resource: Resource,
    event: WatchEvent,
    { restored = false, moved = false }: SubmitOptions = {},
  ): void {
    if (this.#isStopped) return;
    const { memories, indexing, keepsEvents, observer } = this.#options;
    const memory = memories.recall(resource, event);
    // What the server says of the kind may have changed: whether its status is a subresource, for one.
    memory.resource = resource;
    if (restored) memory.restored = true;
    if (moved) memory.moved = true;
    const keepsAll = keepsEvents(resource);
    if (!keepsAll && isEcho(memory, event)) return indexing?.submit(memory, event);
    const worker = this.#workerOf(memory);
    // NB: a deletion is never dropped: it ends the memory, and what comes after it begins a new one.
    const last = worker.events.at(-1);
    if (last !== undefined && last.type !== "DELETED" && !keepsAll) worker.events.pop();
    worker.events.push(event);
    indexing?.submit(memory, event);
    observer.queued?.(memory, event.type);
    // What has gone is not waited with: its daemons would run on.
    if (event.type === "DELETED" && worker.paused) this.#release(worker);
    this.#start(worker);
  }

  /** Looks at an object again, if it is still there. */
  wake(key: string, wake: Wake): void {
    const memory = this.#options.memories.get(key);
    if (memory === undefined || this.#isStopped) return;
    if (this.#isHeld(memory)) {
      this.#held.set(key, wake);
      return;
    }
    const worker = this.#workerOf(memory);
    this.#release(worker);
    worker.wake = wake;
    this.#start(worker);
  }

  /** Looks at an object because of something else than itself; one that is being throttled waits for its time. */
  poke(key: string): void {
    if (this.#workers.get(key)?.paused !== true) this.wake(key, "dependency");
  }

  /** Lets go on what was held back and is no longer. */
  release(): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const [key, wake] of held) {
      // NB: what is still held back is noted anew.
      if (wake === "dependency") this.poke(key);
      else this.wake(key, wake);
    }
  }

  /** Takes nothing in any more. Cycles that run go on to their end. */
  stop(): void {
    this.#stopping.abort();
    this.#schedule[Symbol.dispose]();
    this.#planned.clear();
    this.#held.clear();
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #isHeld(memory: ObjectMemory): boolean {
    return this.#options.isHeld?.(memory) === true;
  }

  #workerOf(memory: ObjectMemory): Worker {
    const known = this.#workers.get(memory.key);
    if (known !== undefined) return known;
    const worker: Worker = {
      ...{ memory, events: [], wake: undefined, running: false, paused: false, since: 0, crashes: 0 },
    };
    this.#workers.set(memory.key, worker);
    return worker;
  }

  /** Ends a pause, and takes back what was planned. */
  #release(worker: Worker): void {
    this.#cancel(worker.memory.key);
    worker.paused = false;
  }

  #start(worker: Worker): void {
    if (worker.since === 0) worker.since = this.#options.clock.monotonic();
    if (worker.running || worker.paused) return;
    worker.running = true;
    this.#options.tasks.own(`worker ${worker.memory.key}`, () => this.#run(worker));
  }

  async #run(worker: Worker): Promise<void> {
    const { limiter, process, indexing, clock } = this.#options;
    try {
      while (this.#hasWork(worker)) {
        // NB: without a slot: those who could open the gate must not wait for those who wait at it.
        if (indexing?.gate.isOpen === false) await indexing.gate.opened(this.#stopping.signal);
        if (this.#isStopped) break;
        using _slot = await limiter.enter(this.#stopping.signal, { urgent: isUrgent(worker) });
        const indexed = indexing?.settled(worker.memory.key);
        if (indexed !== undefined) await indexed;
        if (this.#isStopped) break;
        const { wake = "event" } = worker;
        const events = takeEvents(worker);
        worker.wake = undefined;
        const waited = worker.since === 0 ? 0 : clock.monotonic() - worker.since;
        worker.since = 0;
        try {
          this.#plan(worker, await process(worker.memory, { events, wake, waited }));
          worker.crashes = 0;
        } catch (error) {
          this.#crash(worker, events);
          throw error;
        }
      }
    } finally {
      worker.running = false;
      if (!worker.paused) this.#retire(worker);
    }
  }

  /** That is our own fault; what was at hand is taken up again after a while, so that it is not lost. */
  #crash(worker: Worker, events: readonly WatchEvent[]): void {
    if (this.#isStopped) return;
    worker.events.unshift(...events);
    const after = Math.min(CRASH_PAUSE * 2 ** worker.crashes++, LONGEST_CRASH_PAUSE);
    this.#plan(worker, { after, wake: "error", paused: true });
  }

  #hasWork({ paused, events, wake }: Worker): boolean {
    return !this.#isStopped && !paused && (events.length > 0 || wake !== undefined);
  }

  #plan(worker: Worker, next: Next): void {
    const { clock, memories } = this.#options;
    const { key } = worker.memory;
    if (next.gone === true) {
      this.#cancel(key);
      memories.forget(worker.memory);
      this.#handOver(worker);
      return;
    }
    if (next.unchanged === true) return;
    if (next.after === undefined) {
      this.#cancel(key);
    } else if (next.after <= 0 && next.paused !== true) {
      this.#cancel(key);
      if (this.#isHeld(worker.memory)) this.#held.set(key, next.wake ?? "retry");
      else worker.wake = next.wake ?? "retry";
    } else {
      worker.paused = next.paused === true;
      this.#planned.set(key, next.wake ?? "retry");
      this.#schedule.set(key, clock.now() + next.after * 1000);
    }
  }

  #cancel(key: string): void {
    this.#schedule.cancel(key);
    this.#planned.delete(key);
    this.#held.delete(key);
  }

  /** Events that came after the object had gone are about a new one of the same key. */
  #handOver(worker: Worker): void {
    const rest = worker.events;
    worker.events = [];
    // What came due meanwhile was about the one that has gone.
    worker.wake = undefined;
    this.#workers.delete(worker.memory.key);
    for (const event of rest) this.submit(worker.memory.resource, event);
  }

  #retire(worker: Worker): void {
    if (this.#workers.get(worker.memory.key) === worker) this.#workers.delete(worker.memory.key);
  }
}

/** Whether the event shows what is known already (our own writes, mostly), so that nobody need look at it. */
function isEcho(memory: ObjectMemory, event: WatchEvent): boolean {
  if (event.type === "DELETED" || memory.body === event.object) return false;
  if (isUnfinished(memory) || memory.expected !== undefined || memory.restored) return false;
  return isKnown(memory, event.object);
}

/** Takes what has come, but nothing that comes after a deletion: that is about another object. */
function takeEvents(worker: Worker): WatchEvent[] {
  const end = worker.events.findIndex(({ type }) => type === "DELETED");
  return worker.events.splice(0, end < 0 ? worker.events.length : end + 1);
}
