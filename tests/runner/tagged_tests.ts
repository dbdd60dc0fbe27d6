/**
 * Stands for `node:test` on Deno where tests with one tag are wanted (`tags.ts`): suites run, and of their tests those whose
 * full name has the tag.
 */

import * as native from "node:test";
import process from "node:process";
import { hasTag, TAG_VARIABLE } from "./tags.ts";

export const { after, afterEach, before, beforeEach } = native;

type Body = (...args: never[]) => unknown;

/** What this module passes on, whatever it is. */
type Declare = (name: string, ...rest: unknown[]) => unknown;

const tag = process.env[TAG_VARIABLE] ?? "";
/** Names of the suites that are being declared, from the outermost. */
const suites: string[] = [];

/** Declares a suite. */
export function describe(name: string, ...rest: [options: object, declare: () => void] | [() => void]): void {
  const declare = rest.at(-1) as () => void;
  (native.describe as Declare)(name, ...rest.slice(0, -1), () => {
    suites.push(name);
    try {
      declare();
    } finally {
      suites.pop();
    }
  });
}

/** Declares a test, if it has the tag. */
export function it(name: string, ...rest: [options: object, body: Body] | [Body]): void {
  if ([...suites, name].some((part) => hasTag(part, tag))) (native.it as Declare)(name, ...rest);
}

export const test: typeof it = it;
