/**
 * The runtime's own random numbers, taken over for code that is compared with another run of it: where it draws in the same order, it draws the
 * same.
 *
 * Functions that code imports from `node:crypto` are not, but for `randomUUID` on Deno and Node.
 */

import nodeCrypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import type { Random } from "../host.ts";

/** Returns the generator of the code that runs now, and is told the function that it calls; undefined: the runtime's own. */
export type GeneratorFor = (call: string) => Random | undefined;

type Fn = (...args: never[]) => unknown;

/** Takes them over, until disposed. */
export function seedChance(generatorFor: GeneratorFor): Disposable {
  const undo: (() => void)[] = [];
  const take = (target: object, name: string, make: (original: Fn) => Fn): void => {
    const own = Object.getOwnPropertyDescriptor(target, name);
    // Each of these is a function on each runtime.
    const original = Reflect.get(target, name) as Fn;
    const value = make(original.bind(target));
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
    undo.push(() => {
      if (own === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, own);
    });
  };
  const uuid = (original: Fn): Fn => (...args) =>
    generatorFor("crypto.randomUUID()")?.uuid() ?? original(...args);
  take(Math, "random", (original) => () => generatorFor("Math.random()")?.next() ?? original());
  take(crypto, "randomUUID", uuid);
  take(nodeCrypto, "randomUUID", uuid);
  take(crypto, "getRandomValues", (original) => (...args) => {
    const [target] = args as readonly unknown[];
    const random = ArrayBuffer.isView(target) ? generatorFor("crypto.getRandomValues()") : undefined;
    if (random === undefined || !ArrayBuffer.isView(target)) return original(...args);
    const { buffer, byteOffset, byteLength } = target;
    new Uint8Array(buffer, byteOffset, byteLength).set(random.bytes(byteLength));
    return target;
  });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]() {
      for (const each of undo.reverse()) each();
      syncBuiltinESMExports();
    },
  };
}
