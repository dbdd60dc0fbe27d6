/**
 * The traffic between the processes of an operator and the API server: when requests, answers and events of watches arrive.
 *
 * Simulations draw the time that each takes; explorations hold all of them, and choose which one arrives next.
 */

import type { Seconds } from "../../../runtime/host.ts";
import type { VirtualClock } from "../../../runtime/virtual/clock.ts";
import { createVirtualRandom } from "../../../runtime/virtual/random.ts";
import { type SeenRequest, titleOf } from "./journal.ts";

/** One leg of the way of a request. */
export type Leg =
  | { readonly sort: "request"; readonly request: Request }
  | { readonly sort: "answer"; readonly status: number; readonly text: string };

/** The way of one request, of its answer, and of the events of its watch. */
export interface Passage {
  /** Resolves when the request has arrived, or its answer. @throws {Error} If it is lost. */
  pass(leg: Leg): Promise<void>;
  /** Calls the function when an event of the watch has arrived: none overtakes another one. */
  stream(line: string, arrive: () => void): void;
  /** The watch is over: none of its events arrives any more. */
  close(): void;
}

/** The traffic of a world. */
export interface Traffic {
  /** Opens the way of a request. @param number How often the process has made the same request, with this time. */
  open(request: SeenRequest, number: number, sent: Request): Passage;
  /** No event arrives for so long; then all of them do, in their order. Undefined: time alone holds no event up here. */
  lag?(seconds: Seconds): void;
}

/** How long a request, an answer and an event are on their way, at least and at most; one in eight takes the longest. */
const TRAVEL = { least: 0.001, most: 0.03, rarely: 1.5 };

/**
 * Traffic whose delays are drawn from the seed and the request itself, not from a row of numbers: so a request that is left out
 * changes no other one's delay, and the order in which a runtime starts two requests at once does not count.
 */
export class DrawnTraffic implements Traffic {
  readonly #seed: number;
  readonly #clock: VirtualClock;
  /** Until when no event arrives. */
  #lagUntil: Seconds = 0;

  constructor(seed: number, clock: VirtualClock) {
    this.#seed = seed;
    this.#clock = clock;
  }

  lag(seconds: Seconds): void {
    this.#lagUntil = this.#clock.monotonic() + seconds;
  }

  open(request: SeenRequest, number: number): Passage {
    const lagUntil = (): Seconds => this.#lagUntil;
    const clock = this.#clock;
    const delay = delaysOf(`${this.#seed} ${request.life} ${titleOf(request)} ${number}`);
    /** When the last event arrives. */
    let last: Seconds = 0;
    return {
      async pass() {
        await clock.sleep(delay());
      },
      stream(_line, arrive) {
        const now = clock.monotonic();
        last = Math.max(now + delay(), last + 0.001, lagUntil());
        clock.after(last - now, arrive);
      },
      close() {},
    };
  }
}

function delaysOf(key: string): () => Seconds {
  const random = createVirtualRandom(hashOf(key));
  return () => {
    const chance = random.next();
    const { least, most, rarely } = TRAVEL;
    return chance < 0.875 ? least + random.next() * most : least + random.next() * rarely;
  };
}

/** A number of 32 bits for a text (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
