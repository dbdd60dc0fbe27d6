/**
 * The Database operator of examples/02-database, unchanged, with each call of its handlers written to a trace file; and
 * one more handler, whose creation needs three attempts.
 *
 * The test starts this file with `lotse run`. TRACE names the file; with HOLD set, the second attempt never ends, so that
 * the process can be killed in the midst of it.
 */

import { appendFileSync } from "node:fs";
import process from "node:process";
import { Registry } from "../../lib/handlers/registry.ts";
import { type Operator, TemporaryError } from "../../mod.ts";

const { TRACE = "", HOLD } = process.env;

/** What handlers are called with, as far as the trace goes; events have no attempts. */
interface Call {
  readonly name: string;
  readonly retry?: number;
}

const op = await loadTraced();

op.on.create("databases.example.com", { when: ({ labels }) => labels.inspected === "yes" }, inspect);

/** Loads the example while registering handlers wraps them. */
async function loadTraced(): Promise<Operator> {
  const { add } = Registry.prototype;
  Registry.prototype.add = function (type, handler) {
    const isTraced = type.name === "change" || type.name === "event";
    const fn = isTraced ? traced(handler.fn as (call: Call) => unknown) : handler.fn;
    add.call(this, type as never, { ...handler, fn });
  };
  const { default: op } = await import("../../examples/02-database/handlers.ts");
  Registry.prototype.add = add;
  return op;
}

/** Returns a function of the same name, since handlers are known by it. */
function traced(fn: (call: Call) => unknown): (call: Call) => unknown {
  const wrapped = (call: Call): unknown => {
    trace(fn.name, call);
    return fn(call);
  };
  return Object.defineProperty(wrapped, "name", { value: fn.name });
}

async function inspect({ name, retry }: Required<Call>): Promise<void> {
  trace("inspect", { name, retry });
  if (retry === 1 && HOLD !== undefined) await new Promise(() => {});
  if (retry < 2) throw new TemporaryError("The inspector is not there yet", { delay: 0.5 });
}

/** Synchronous: what was called stands in the file, even if the process is killed at once. */
function trace(handler: string, { name, retry = 0 }: Call): void {
  appendFileSync(TRACE, `${handler} ${name} ${retry}\n`);
}

export default op;
