/**
 * How many requests may be under way at once, and fewer of them while the server says that it has too many.
 *
 * The server sorts requests into priority levels, refuses requests of one level while it serves another, and names the level
 * with each answer. So each level is slowed down by itself: a refusal halves how many of its requests may be under way, and
 * holds all of them back for as long as the server asks; each answer lets a part of one more through (AIMD, as in TCP). A
 * minute without a refusal ends it. While no level is slowed down, only the limit counts.
 * Source: Kubernetes, "API Priority and Fairness"; docs/decisions/0013-overload.md; scenario N10.
 */

import { Limiter } from "../../async/limiter.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { ApiError, isUnready } from "../errors.ts";
import { isForbiddenByBudget, stayAfter } from "./retries.ts";

/** In which level the server has put the request. It comes with each answer, refusals included. */
const LEVEL_HEADER = "x-kubernetes-pf-prioritylevel-uid";

/** How long a level is held back where the server does not say. */
const HOLD: Seconds = 1;

/** How long after the last refusal a level is slow. */
const CALM: Seconds = 60;

/** Tells whether the server refuses because it has too much to do, and not because of the request. */
export function isOverload(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status, retryAfter, body } = error;
  // NB: an eviction that a disruption budget forbids is answered with 429, too.
  if (status === 429) return !isForbiddenByBudget(error) && !isUnready(error);
  if (status === 503 && retryAfter !== undefined) return true;
  return status >= 500 && /too many requests/i.test(body?.message ?? "");
}

export interface CongestionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How many requests may be under way at the best of times; Infinity: any number. Asked again and again. */
  readonly limit: () => number;
}

/** A request, as far as it matters here. */
export interface Asked {
  readonly method: string;
  readonly subject?: {
    readonly verb: string;
    readonly resource: { readonly group: string; readonly plural: string };
    readonly subresource?: string;
  };
  readonly signal?: AbortSignal;
  /** Whether it goes before others. Default: false. */
  readonly urgent?: boolean;
}

/** A priority level that is slowed down. */
class Level {
  readonly uid: string;
  /** How many of its requests may be under way at once; grows by fractions. */
  window: number;
  /** When the window was last cut, on the monotonic clock. */
  cutAt: Seconds = -Infinity;
  /** Until when no request is sent, on the monotonic clock. */
  heldUntil: Seconds = 0;
  readonly line: Limiter;
  release: Disposable | undefined;
  end: Disposable | undefined;

  constructor(uid: string, { clock, limit }: CongestionOptions) {
    this.uid = uid;
    this.window = limit();
    this.line = new Limiter(() => clock.monotonic() < this.heldUntil ? 0 : Math.floor(this.window));
  }
}

/** Lets requests through, as many as the server can take. Disposing lets through whoever waits. */
export class Congestion implements Disposable {
  readonly #options: CongestionOptions;
  readonly #all: Limiter;
  #isClosed = false;
  readonly #levels = new Map<string, Level>();
  /** In which level requests of a kind were put last, by verb and kind. Learned while any level is slow. */
  readonly #known = new Map<string, string>();

  constructor(options: CongestionOptions) {
    this.#options = options;
    this.#all = new Limiter(options.limit);
  }

  /** Whether any level is slowed down: then answers are to be told. */
  get isOn(): boolean {
    return this.#levels.size > 0;
  }

  /** How many requests may be under way at once: of the slowest level, if any is slow. */
  get limit(): number {
    const windows = [...this.#levels.values()].map(({ window }) => Math.floor(window));
    return Math.min(this.#options.limit(), ...windows);
  }

  /**
   * Does the work of a request when its turn has come.
   *
   * @throws The signal's reason, if it was aborted before.
   */
  run<R>(request: Asked, work: () => Promise<R>): Promise<R> {
    // Nearly always, and so as cheap as can be.
    return this.isOn || this.#all.isFull ? this.#wait(request, work) : this.#all.run(work, request.signal);
  }

  async #wait<R>(request: Asked, work: () => Promise<R>): Promise<R> {
    const { signal, urgent = false } = request;
    for (;;) {
      const level = this.#levelOf(request);
      // First in its own line: a request that is held back takes no place from others.
      using _turn = await level?.line.enter(signal, { urgent });
      using _place = await this.#all.enter(signal, { urgent });
      signal?.throwIfAborted();
      // Much may have changed while it waited.
      if (this.#levelOf(request) === level) return await work();
    }
  }

  /** The server has answered. */
  answered(request: Asked, headers: Readonly<Record<string, string>>): void {
    const uid = this.#learn(request, headers[LEVEL_HEADER]);
    const level = this.#levels.get(uid);
    if (level === undefined) return;
    level.window += 1 / level.window;
    if (level.window >= this.#options.limit()) this.#end(level);
  }

  /** The server has refused. A refusal for other reasons counts as an answer. */
  refused(request: Asked, { error, started }: { readonly error: ApiError; readonly started: Seconds }): void {
    if (this.#isClosed) return;
    if (!isOverload(error)) {
      if (this.isOn) this.answered(request, error.headers);
      return;
    }
    const uid = this.#learn(request, error.headers[LEVEL_HEADER]);
    const level = this.#levels.get(uid) ?? this.#begin(uid);
    const now = this.#options.clock.monotonic();
    // Requests from before the last cut do not count for the window since.
    if (started > level.cutAt) {
      level.window = Math.max(1, Math.min(level.window, this.#all.active) / 2);
      level.cutAt = now;
    }
    this.#hold(level, now + (stayAfter(error) ?? HOLD));
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const level of [...this.#levels.values()]) this.#free(level);
  }

  #levelOf(request: Asked): Level | undefined {
    if (this.#levels.size === 0) return undefined;
    const uid = this.#known.get(keyOf(request));
    return uid === undefined ? undefined : this.#levels.get(uid);
  }

  /** A server that names no levels has one, without a name. */
  #learn(request: Asked, uid = ""): string {
    this.#known.set(keyOf(request), uid);
    return uid;
  }

  #begin(uid: string): Level {
    const { logger } = this.#options;
    const level = new Level(uid, this.#options);
    this.#levels.set(uid, level);
    logger.warn("The server has too many requests: they are slowed down", {
      priorityLevel: uid || undefined,
    });
    return level;
  }

  #hold(level: Level, until: Seconds): void {
    const { clock } = this.#options;
    level.heldUntil = Math.max(level.heldUntil, until);
    const rest = level.heldUntil - clock.monotonic();
    level.release?.[Symbol.dispose]();
    level.release = clock.after(rest, () => level.line.admit());
    level.end?.[Symbol.dispose]();
    level.end = clock.after(rest + CALM, () => this.#end(level));
  }

  #end(level: Level): void {
    this.#options.logger.info("The server takes requests as before", {
      priorityLevel: level.uid || undefined,
    });
    this.#free(level);
  }

  #free(level: Level): void {
    level.release?.[Symbol.dispose]();
    level.end?.[Symbol.dispose]();
    this.#levels.delete(level.uid);
    if (this.#levels.size === 0) this.#known.clear();
    level.heldUntil = 0;
    level.window = Infinity;
    level.line.admit();
  }
}

/** Requests of the same verb and kind are put into the same level, as far as the server's rules go by them. */
function keyOf({ method, subject }: Asked): string {
  if (subject === undefined) return method;
  const { verb, resource: { group, plural }, subresource = "" } = subject;
  return `${verb} ${plural}.${group}/${subresource}`;
}
