/**
 * What the running handler was called with, for functions that are called from within it and get no arguments.
 *
 * Only conveniences may ask (the hierarchies' default owner): the framework itself passes everything by arguments.
 */

import { Context } from "../runtime/context.ts";

// Not state of the module: it holds nothing by itself, each call sees its own value.
const context = new Context<unknown>();

/** Calls the handler's function; what it was called with is there for everything that it calls and awaits. */
export function callWith<Args>(args: Args, fn: (args: Args) => unknown): unknown {
  return context.run(args, () => fn(args));
}

/** Gives the one argument of the handler that is running; undefined outside of handlers. */
export function currentArguments(): unknown {
  return context.value;
}
