/**
 * Notices code that asks the runtime itself for the time, for chance, or for the network: two runs of it differ, although the
 * seed is the same.
 *
 * Only code that is inside is concerned, which the caller tells at each use. Calls go on to the runtime's own functions.
 */

import { CallSite } from "../call_site.ts";

/** The code that is looked at, and the ear that is told. */
export interface ChanceOptions {
  /** Whether the code that runs now is concerned. */
  readonly isInside: () => boolean;
  /** Is told of a use: the function, and the place of its call, where the runtime tells it. */
  readonly onUse: (name: string, place: string | undefined) => void;
}

type Fn = (...args: never[]) => unknown;

/** Watches the runtime's own functions, until disposed. */
export function watchChance({ isInside, onUse }: ChanceOptions): Disposable {
  const undo: (() => void)[] = [];
  const watch = (target: object, name: string, title: string): void => {
    const own = Object.getOwnPropertyDescriptor(target, name);
    // Each of these is a function on each runtime.
    const original = Reflect.get(target, name) as Fn;
    function watched(this: unknown, ...args: never[]): unknown {
      if (isInside()) onUse(title, new CallSite(watched).place);
      return original.apply(this, args);
    }
    undo.push(put(target, name, { made: Object.assign(watched, original), own }));
  };
  watch(Math, "random", "Math.random()");
  watch(performance, "now", "performance.now()");
  watch(crypto, "randomUUID", "crypto.randomUUID()");
  watch(crypto, "getRandomValues", "crypto.getRandomValues()");
  watch(globalThis, "fetch", "fetch()");
  watch(globalThis, "setTimeout", "setTimeout()");
  watch(globalThis, "setInterval", "setInterval()");
  undo.push(watchDate({ isInside, onUse }));
  return {
    [Symbol.dispose]() {
      for (const each of undo.reverse()) each();
    },
  };
}

/** A proxy, so that dates of whichever making are instances of it. Dates of given times are no chance. */
function watchDate({ isInside, onUse }: ChanceOptions): () => void {
  const original = Date;
  function now(): number {
    if (isInside()) onUse("Date.now()", new CallSite(now).place);
    return original.now();
  }
  const handler: ProxyHandler<DateConstructor> = {
    construct: function construct(target, args, newTarget) {
      if (args.length === 0 && isInside()) onUse("new Date()", new CallSite(construct).place);
      return Reflect.construct(target, args, newTarget);
    },
    get: (target, key) => key === "now" ? now : Reflect.get(target, key),
  };
  const own = Object.getOwnPropertyDescriptor(globalThis, "Date");
  return put(globalThis, "Date", { made: new Proxy(original, handler), own });
}

/** Puts a value in a place, and returns how to undo that; a value that has taken the place since stays. */
function put(
  target: object,
  name: string,
  { made, own }: { readonly made: object; readonly own: PropertyDescriptor | undefined },
): () => void {
  Object.defineProperty(target, name, { value: made, writable: true, configurable: true, enumerable: true });
  return () => {
    if (Reflect.get(target, name) !== made) return;
    if (own === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, own);
  };
}
