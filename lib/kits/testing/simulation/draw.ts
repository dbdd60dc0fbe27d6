/**
 * Draws plans from seeds: steps on a few objects, faults among them, and the time between.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Random } from "../../../runtime/host.ts";
import { createVirtualRandom } from "../../../runtime/virtual/random.ts";
import type { Action, KillMoment, Plan, RequestFault, Step } from "./plan.ts";
import { LEASES } from "./life.ts";
import { FOREIGN } from "./world.ts";

/** A source of objects of one kind. */
export interface ObjectSource {
  /** The plural and group, such as "databases.example.com". */
  readonly kind: string;
  /** Returns a new object, without kind and name. */
  readonly make: (random: Random) => JsonObject;
  /** Returns a change of an object, as a merge patch. */
  readonly change: (random: Random) => JsonObject;
}

/** The kinds of faults of a simulation; each is on unless it is turned off. */
export interface SimulatedFaults {
  /** Requests that are refused, slow, not sent, or applied without an answer. Default: true. */
  readonly requests?: boolean;
  /** Watches that break, fall silent or expire. Default: true. */
  readonly watches?: boolean;
  /** Processes that are killed or stopped. Default: true. */
  readonly kills?: boolean;
  /** Processes and machines that are suspended or cut off; clocks that are set; Leases that are lost. Default: true. */
  readonly processes?: boolean;
  /** Other programs that write onto the objects. Default: true. */
  readonly writers?: boolean;
}

/** The things that plans are drawn of. */
export interface DrawOptions {
  readonly sources: readonly ObjectSource[];
  /** How many steps a plan has. */
  readonly steps: number;
  /** How many objects there are at once, at most. */
  readonly objects: number;
  readonly faults: SimulatedFaults;
  /** How many processes there are. */
  readonly replicas: number;
}

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;

/** A name as long as names may be, which is drawn now and then. */
export const LONG_NAME = `long-${"x".repeat(40)}-name`;

/** How much of a plan is faults, while there are any. */
const FAULT_SHARE = 0.45;

/** How often a row of steps begins that are dangerous together: chance alone would seldom put them so close to each other. */
const ROW_SHARE = 0.15;

/** Draws the plan of a seed. */
export function drawPlan(seed: number, options: DrawOptions): Plan {
  const random = createVirtualRandom(seed);
  const drawing = new Drawing(random, options);
  const steps: Step[] = [drawing.first()];
  while (steps.length < options.steps) steps.push(drawing.next());
  return { seed, steps, probe: random.next() < 0.4, compare: random.next() < 0.4 };
}

/** Returns a member of a list. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  // NB: of an empty list there is none; callers have one item at least.
  return items[Math.floor(random.next() * items.length)] as Item;
}

class Drawing {
  readonly #random: Random;
  readonly #options: DrawOptions;
  /** The objects that should be there. */
  readonly #alive = new Map<string, { readonly kind: string; readonly name: string }>();
  readonly #faults: readonly (() => Action)[];
  readonly #rows: readonly (() => Step[])[];
  /** The steps of a row that come next. */
  #row: Step[] = [];

  constructor(random: Random, options: DrawOptions) {
    this.#random = random;
    this.#options = options;
    const { requests = true, watches = true, kills = true, processes = true, writers = true } =
      options.faults;
    this.#rows = [
      ...watches ? [() => this.#duringGap(), () => this.#duringLag()] : [],
      ...writers ? [() => this.#duringPause(), () => this.#harms()] : [],
      ...processes && options.replicas > 1 ? [() => this.#duringDoubt(), () => this.#duringDoubt()] : [],
    ];
    this.#faults = [
      ...requests ? [() => this.#fail(), () => this.#fail()] : [],
      ...watches ? [() => this.#watch()] : [],
      ...kills ? [() => this.#kill(), () => this.#kill(), () => this.#restart()] : [],
      ...processes ? [() => this.#process()] : [],
    ];
  }

  first(): Step {
    return this.#timed(this.#create());
  }

  next(): Step {
    const next = this.#row.shift();
    if (next !== undefined) return next;
    if (this.#rows.length > 0 && this.#random.next() < ROW_SHARE) {
      const [first, ...others] = pick(this.#random, this.#rows)();
      this.#row = others;
      if (first !== undefined) return first;
    }
    const isFault = this.#faults.length > 0 && this.#random.next() < FAULT_SHARE;
    return this.#timed(isFault ? pick(this.#random, this.#faults)() : this.#onObject());
  }

  /** Objects change and go while the operator hears of nothing; and then it has to list them anew. */
  #duringGap(): Step[] {
    const seconds = this.#upTo(12);
    const gap = { do: "gap", seconds, forgets: this.#random.next() < 0.8 } as const;
    return [gap, this.#soon(this.#delete()), this.#soon(this.#onObject()), {
      ...this.#onObject(),
      wait: seconds,
    }];
  }

  /** Objects change and go while the operator knows only its own writes. */
  #duringLag(): Step[] {
    const seconds = this.#upTo(12);
    const row = [{ do: "lag", seconds }, this.#onObject(), this.#onObject(), this.#onObject()] as const;
    return row.map((action, index) => index === 0 ? action : this.#soon(action));
  }

  #duringPause(): Step[] {
    const object = this.#any();
    if (object === undefined) return [];
    const seconds = this.#upTo(40);
    const edit = { do: "edit", ...object, patch: this.#sourceOf(object.kind).change(this.#random) } as const;
    return [this.#soon({ do: "pause", ...object, seconds }), { ...edit, wait: this.#upTo(2 * seconds) }];
  }

  /** A child goes, at best while its owner writes it. */
  #harms(): Step[] {
    const random = this.#random;
    const harm = { do: "harm", number: Math.floor(random.next() * 4), wait: this.#upTo(3) } as const;
    if (this.#options.faults.requests === false || random.next() < 0.5) {
      return [this.#soon(this.#onObject()), harm];
    }
    const slow = { do: "fail", fault: "slow", requests: "writes", after: 0, times: 3 } as const;
    return [{ ...this.#onObject(), wait: this.#upTo(2) }, slow, {
      ...this.#onObject(),
      wait: this.#upTo(4),
    }, harm];
  }

  /** A replica is cut off for so long that it doubts whether its Lease is its own, mostly before another one may take it; meanwhile there is work. */
  #duringDoubt(): Step[] {
    const { renewDeadline, leaseDuration } = LEASES;
    const rest = this.#upTo(leaseDuration - renewDeadline);
    const seconds = this.#round(renewDeadline + rest + (this.#random.next() < 0.3 ? leaseDuration : 0));
    const isolation = { do: "isolate", replica: this.#replica(), seconds } as const;
    return [{ ...isolation, wait: this.#round(renewDeadline + this.#upTo(rest)) }, this.#onObject(), {
      ...this.#onObject(),
      wait: seconds,
    }];
  }

  #upTo(seconds: number): number {
    return this.#round(0.1 + this.#random.next() * seconds);
  }

  #soon(action: Action): Step {
    return { ...action, wait: this.#upTo(this.#random.next() < 0.5 ? 0.2 : 2) };
  }

  #any(): { readonly kind: string; readonly name: string } | undefined {
    const all = [...this.#alive.values()];
    return all.length === 0 ? undefined : pick(this.#random, all);
  }

  #delete(): Action {
    const object = this.#any();
    if (object === undefined) return this.#create();
    this.#alive.delete(`${object.kind} ${object.name}`);
    return { do: "delete", ...object };
  }

  #timed(action: Action): Step {
    const chance = this.#random.next();
    const wait = chance < 0.35
      ? 0
      : chance < 0.65
      ? this.#round(this.#random.next() * 0.2)
      : chance < 0.9
      ? this.#round(this.#random.next() * 5)
      : this.#round(this.#random.next() * 90);
    return wait === 0 ? action : { ...action, wait };
  }

  #round(seconds: number): number {
    return Math.round(seconds * 1000) / 1000;
  }

  #onObject(): Action {
    const random = this.#random;
    const all = [...this.#alive.values()];
    if (all.length === 0 || (all.length < this.#options.objects && random.next() < 0.3)) {
      return this.#create();
    }
    const object = pick(random, all);
    const chance = random.next();
    if (chance < 0.2) {
      this.#alive.delete(`${object.kind} ${object.name}`);
      return { do: "delete", ...object };
    }
    if (chance < 0.35 && this.#options.faults.writers !== false) return this.#write(object);
    return { do: "edit", ...object, patch: this.#sourceOf(object.kind).change(random) };
  }

  #create(): Action {
    const random = this.#random;
    const { kind, make } = pick(random, this.#options.sources);
    const free = NAMES.slice(0, this.#options.objects).filter((name) => !this.#alive.has(`${kind} ${name}`));
    const name = random.next() < 0.05 ? LONG_NAME : free[0] ?? pick(random, NAMES);
    this.#alive.set(`${kind} ${name}`, { kind, name });
    return { do: "create", kind, name, body: make(random) };
  }

  #write(object: { readonly kind: string; readonly name: string }): Action {
    const random = this.#random;
    const value = String(Math.floor(random.next() * 100));
    switch (Math.floor(random.next() * 4)) {
      case 0:
        return { do: "write", ...object, patch: { metadata: { labels: { [`${FOREIGN}/label`]: value } } } };
      case 1:
        return { do: "hold", ...object };
      case 2:
        return { do: "release", ...object };
      default:
        return {
          do: "write",
          ...object,
          patch: { metadata: { annotations: { [`${FOREIGN}/note`]: value } } },
        };
    }
  }

  #fail(): Action {
    const random = this.#random;
    const requests = pick(random, ["writes", "writes", "writes", "lists", "watches", "reads"] as const);
    const faults: readonly RequestFault[] = requests === "writes"
      ? ["409", "429", "500", "503", "504", "unsent", "lost", "lost", "slow"]
      : ["410", "429", "500", "503", "unsent", "slow"];
    const after = Math.floor(random.next() ** 2 * 5);
    const times = random.next() < 0.7 ? 1 : 1 + Math.floor(random.next() * 4);
    return { do: "fail", fault: pick(random, faults), requests, after, times };
  }

  #watch(): Action {
    return { do: pick(this.#random, ["break", "silence", "expire", "compact"] as const) };
  }

  #kill(): Action {
    const random = this.#random;
    const at: KillMoment = pick(random, ["now", "sent", "applied", "applied", "answered"] as const);
    const down = pick(random, [0.1, 1, 20] as const);
    return {
      do: "kill",
      replica: this.#replica(),
      at,
      after: at === "now" ? 0 : Math.floor(random.next() * 4),
      down,
    };
  }

  #restart(): Action {
    return { do: "restart", replica: this.#replica() };
  }

  #process(): Action {
    const random = this.#random;
    const replica = this.#replica();
    const seconds = this.#round(random.next() * (random.next() < 0.3 ? 90 : 10));
    const chance = random.next();
    if (this.#options.replicas > 1 && chance < 0.15) return { do: "delete-leases" };
    if (chance < 0.4) return { do: "set-clock", replica, seconds: Math.round((random.next() - 0.5) * 7200) };
    return { do: pick(random, ["suspend", "suspend-machine", "isolate"] as const), replica, seconds };
  }

  #replica(): number {
    return Math.floor(this.#random.next() * this.#options.replicas);
  }

  #sourceOf(kind: string): ObjectSource {
    const found = this.#options.sources.find((source) => source.kind === kind);
    if (found === undefined) throw new TypeError(`Cannot change an object: no source has kind "${kind}"`);
    return found;
  }
}
