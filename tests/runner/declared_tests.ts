/**
 * Stands for `node:test` on Deno: where tests with one tag are wanted (`tags.ts`), it leaves out the others; where files share a
 * process (`groups.ts`), the names of their outermost suites and tests begin with the file.
 */

import * as native from "node:test";
import process from "node:process";
import { hasTag, TAG_VARIABLE } from "./tags.ts";

export const { after, afterEach, before, beforeEach } = native;

type Body = (...args: never[]) => unknown;

/** What this module passes on, whatever it is. */
type Declare = (name: string, ...rest: unknown[]) => unknown;

const tag = process.env[TAG_VARIABLE];
/** Names of the suites that are being declared, from the outermost. */
const suites: string[] = [];
/** The file that declares, with a separator, where several files do. */
let prefix = "";

/** Loads files that share this process: pairs of a path and its address. */
export async function declareFiles(files: readonly (readonly [path: string, url: string])[]): Promise<void> {
  for (const [path, url] of files) {
    prefix = `${path} > `;
    // NB: Deno runs the tests that a file has declared before it threw, and is content.
    await import(url).catch((error) =>
      (native.it as Declare)(`${prefix}(the file itself cannot be loaded)`, () => Promise.reject(error))
    );
  }
}

/** Declares a suite. */
export function describe(name: string, ...rest: [options: object, declare: () => void] | [() => void]): void {
  const declare = rest.at(-1) as () => void;
  (native.describe as Declare)(fullName(name), ...rest.slice(0, -1), () => {
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
  if (tag !== undefined && ![...suites, name].some((part) => hasTag(part, tag))) return;
  (native.it as Declare)(fullName(name), ...rest);
}

export const test: typeof it = it;

/** The name of what is being declared, with the file if it stands in no suite. */
function fullName(name: string): string {
  return suites.length === 0 ? `${prefix}${name}` : name;
}
