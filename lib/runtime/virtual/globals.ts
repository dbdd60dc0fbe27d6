/**
 * The runtime's own timers, dates and `fetch`, taken over for code that is to run in a virtual world without knowing
 * it.
 *
 * Only code that is inside is concerned, which the caller tells at each use; everything else in the process keeps its
 * own. Timers that are not taken over are told of, as a virtual clock does not move them. Functions that code imports from
 * `node:timers` and the like cannot be seen here.
 */

import type { Network } from "../host.ts";
import type { VirtualClock } from "./clock.ts";
import { virtualFetch } from "./fetch.ts";

/** Which globals: `setTimeout`, `setInterval`, `AbortSignal.timeout` and `performance.now`; `Date`; `fetch`. */
export type GlobalName = "timers" | "Date" | "fetch";

/** The world that takes their place, and the code that it is for. */
export interface TakeoverOptions {
  readonly clock: VirtualClock;
  readonly network: Network;
  readonly taken: ReadonlySet<GlobalName>;
  /** Whether the code that runs now is concerned. */
  readonly isInside: () => boolean;
  /** Returns the function as one that is inside, too, whoever calls it. */
  readonly bind: (fn: () => void) => () => void;
  /** Called where a timer of the runtime's is set inside although timers are not taken over. */
  readonly onRealTimer: (name: string) => void;
}

type Fn = (...args: never[]) => unknown;

/** Takes them over, until disposed. */
export function takeOverGlobals(options: TakeoverOptions): Disposable {
  const { taken } = options;
  const undo = [
    ...taken.has("timers") ? takeTimers(options) : watchTimers(options),
    ...taken.has("Date") ? [takeDate(options)] : [],
    ...taken.has("fetch") ? [takeFetch(options)] : [],
  ];
  return {
    [Symbol.dispose]() {
      for (const each of undo.reverse()) each();
    },
  };
}

/** A timer that the clock fires, with the methods of Node's. */
class Timer {
  #timer: Disposable | undefined;
  readonly #arm: () => Disposable;

  constructor(arm: (timer: Timer) => Disposable) {
    this.#arm = () => arm(this);
    this.#timer = this.#arm();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return this.#timer !== undefined;
  }

  refresh(): this {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#arm();
    return this;
  }

  close(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const SET = ["setTimeout", "setInterval"] as const;
const CLEAR = ["clearTimeout", "clearInterval"] as const;

function takeTimers({ clock, isInside, bind }: TakeoverOptions): (() => void)[] {
  const secondsOf = (delay: unknown): number => Math.max(1, Number(delay) || 0) / 1000;
  const start = (fire: () => void, delay: unknown, isRepeated: boolean): Timer =>
    new Timer((timer) =>
      clock.after(secondsOf(delay), () => {
        if (isRepeated) timer.refresh();
        else timer.close();
        fire();
      })
    );
  const set = (name: (typeof SET)[number]) =>
    replace(globalThis, name, (original) => {
      const promised: unknown = Reflect.get(original, PROMISIFY);
      const taken = (fn: Fn, delay?: unknown, ...args: never[]): unknown =>
        isInside()
          ? start(bind(() => void fn(...args)), delay, name === "setInterval")
          : original(fn as never, delay as never, ...args);
      const sleep = async (delay?: unknown, value?: unknown): Promise<unknown> => {
        await clock.sleep(secondsOf(delay));
        return value;
      };
      if (typeof promised !== "function") return taken;
      const wait = (...args: unknown[]): unknown => isInside() ? sleep(...args) : promised(...args);
      return Object.assign(taken, { [PROMISIFY]: wait });
    });
  const clear = (name: (typeof CLEAR)[number]) =>
    replace(globalThis, name, (original) => (timer: unknown) => {
      if (timer instanceof Timer) timer.close();
      else original(timer as never);
    });
  const timeout = replace(AbortSignal, "timeout", (original) => (delay: number) => {
    if (!isInside()) return original.call(AbortSignal, delay as never);
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    clock.after(secondsOf(delay), () => controller.abort(reason));
    return controller.signal;
  });
  const now = replace(
    performance,
    "now",
    (original) => () => isInside() ? clock.monotonic() * 1000 : original.call(performance),
  );
  return [...SET.map(set), ...CLEAR.map(clear), timeout, now];
}

/** Under it is the result of `promisify(setTimeout)` of `node:util`. */
const PROMISIFY = Symbol.for("nodejs.util.promisify.custom");

function watchTimers({ isInside, onRealTimer }: TakeoverOptions): (() => void)[] {
  return SET.map((name) =>
    replace(globalThis, name, (original) => {
      const told = (...args: never[]): unknown => {
        if (isInside()) onRealTimer(name);
        return original(...args);
      };
      const promised: unknown = Reflect.get(original, PROMISIFY);
      return promised === undefined ? told : Object.assign(told, { [PROMISIFY]: promised });
    })
  );
}

/** A proxy, so that dates of whichever making are instances of it. */
function takeDate({ clock, isInside }: TakeoverOptions): () => void {
  const original = Date;
  const now = (): number => isInside() ? clock.now() : original.now();
  const taken = new Proxy(original, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new original(now()).toString(),
    get: (target, key) => key === "now" ? now : Reflect.get(target, key),
  });
  return replace(globalThis, "Date", () => taken);
}

function takeFetch({ network, isInside }: TakeoverOptions): () => void {
  const fetch = virtualFetch(network);
  return replace(
    globalThis,
    "fetch",
    (original) => (...args: Parameters<typeof fetch>) =>
      isInside() ? fetch(...args) : original(...args as unknown as never[]),
  );
}

/**
 * Puts a value in a place, and returns how to undo that.
 *
 * NB: where other code has taken the place since, its function stays, and ours below it serves no code inside any more.
 */
function replace(target: object, name: string, make: (original: Fn) => Fn | object): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  // Globals of these names are functions on each runtime.
  const original = Reflect.get(target, name) as Fn;
  const made = make(original);
  Object.defineProperty(target, name, { value: made, writable: true, configurable: true, enumerable: true });
  return () => {
    if (Reflect.get(target, name) !== made) return;
    if (own === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, own);
  };
}
