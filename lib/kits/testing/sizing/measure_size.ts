/**
 * Measures what a planned number of objects costs an operator: runs it, with handlers that do nothing, over objects of a server in this
 * very process, and looks at memory and CPU time meanwhile.
 *
 * The figures are those of the process: a process of its own measures them best, which has done little before.
 */

import { fixedCredentials } from "../../../client/auth/connection_info.ts";
import type { Host, Seconds } from "../../../runtime/host.ts";
import { createLogger, type LogRecord } from "../../../runtime/logging.ts";
import { BareServer } from "./bare_server.ts";
import { manyObjects, type SizePlan } from "./planned_kind.ts";
import type { SizedOperator } from "./size_plan.ts";

/** How to measure. */
export interface MeasureOptions {
  /** The process that is measured, and its clock. */
  readonly host: Host;
  /** How long the operator is looked at once it has listed all objects and has nothing to do. Default: 10. */
  readonly rest?: Seconds;
  /** Ends the measurement. */
  readonly signal?: AbortSignal;
}

/** A measurement. All memory is resident memory of the process, in bytes. */
export interface Measured {
  /** Such as "bun 1.4.5". */
  readonly runtime: string;
  /** Memory of the operator as it runs, before it has listed an object. */
  readonly before: number;
  /** The most since then. */
  readonly peak: number;
  /** Memory at rest. */
  readonly rest: number;
  /** CPU time from the first list until it was at rest, without the making of objects. */
  readonly cpu: Seconds;
  /** How long that took. */
  readonly took: Seconds;
  /** The longest time for which the operator has computed without letting other code run. Time in which the process had no processor is not in it. */
  readonly block: Seconds;
  readonly kinds: readonly MeasuredKind[];
  /** Requests that were refused, and how many of each: handlers that do nothing should have sent none. */
  readonly refused: Readonly<Record<string, number>>;
  /** Warnings and errors of the operator, each message once. */
  readonly warnings: readonly string[];
}

/** The measurement of one kind. */
export interface MeasuredKind {
  readonly kind: string;
  readonly objects: number;
  /** The text of an object as the server sends it, in bytes, on average: with notes and managed fields. */
  readonly sent: number;
  /** How many objects are kept as bytes. */
  readonly packed: number;
  /** How many bytes they take. */
  readonly packedBytes: number;
}

/** How often memory is looked at. */
const LOOK: Seconds = 0.05;

/** An operator is at rest that has used less than this share of a processor in a window of time. */
const IDLE = 0.05;

/** How long that window is. */
const WINDOW: Seconds = 1;

/** How long it may go on working once all is listed: timers may never let it rest. */
const LONGEST: Seconds = 60;

/** How many warnings are kept. */
const WARNINGS = 10;

/**
 * Measures.
 *
 * @throws The error that the operator ended with.
 */
export async function measureSize(
  op: Pick<SizedOperator, "runIdle">,
  plan: SizePlan,
  { host, rest = 10, signal }: MeasureOptions,
): Promise<Measured> {
  const released = Promise.withResolvers<void>();
  const kinds = plan.kinds.map(manyObjects);
  const server = new BareServer({ host, kinds, answers: plan.answers, released: released.promise });
  const stopping = new AbortController();
  const started = Promise.withResolvers<void>();
  const synced = Promise.withResolvers<void>();
  const warnings = new Map<string, string>();
  const write = ({ message, fields = {} }: LogRecord): void => {
    if (warnings.size >= WARNINGS || warnings.has(message)) return;
    warnings.set(message, `${message} ${JSON.stringify(fields)}`);
  };
  const running = op.runIdle({
    host: server.host,
    credentials: fixedCredentials({ server: "http://127.0.0.1:1" }),
    scope: "cluster",
    standalone: true,
    replicas: false,
    // Its metrics are part of an operator that runs in a cluster.
    liveness: "http://127.0.0.1:8080/healthz",
    logger: createLogger({ level: "warn", write }, host.clock),
    signal: signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]),
    ready: started.resolve,
    synced: synced.resolve,
  });
  try {
    await Promise.race([started.promise, running]);
    await host.clock.sleep(Math.min(WINDOW, rest));
    const watch = new ProcessWatch(host, Math.min(WINDOW, rest));
    released.resolve();
    const waiting = watch.untilIdle(synced.promise, signal);
    await Promise.race([waiting, running]);
    const { cpu, took } = watch.sinceBegun(server.making);
    await host.clock.sleep(rest, signal);
    const metrics = await server.ask("/metrics") ?? "";
    const { before, peak, block } = watch;
    const atRest = host.process.memory();
    return {
      runtime: `${host.name} ${host.version}`,
      before,
      // A runtime that gives nothing back may take a little more even then.
      peak: Math.max(peak, atRest),
      rest: atRest,
      cpu,
      took,
      block,
      kinds: plan.kinds.map(({ kind, objects, texts }) => ({
        kind,
        objects,
        sent: meanOf(texts.map((text) => text.length)),
        packed: valueIn(metrics, "lotse_objects_packed", kind),
        packedBytes: valueIn(metrics, "lotse_objects_packed_bytes", kind),
      })),
      refused: Object.fromEntries(server.refused),
      warnings: [...warnings.values()],
    };
  } finally {
    stopping.abort();
    await running;
  }
}

/** Looks at a process again and again. */
class ProcessWatch {
  /** The memory when it began. */
  readonly before: number;
  peak: number;
  block: Seconds = 0;
  readonly #host: Host;
  readonly #window: Seconds;
  readonly #begun: { readonly cpu: Seconds; readonly at: Seconds };
  /** When the process was last found at work. */
  #worked: { cpu: Seconds; at: Seconds };

  constructor(host: Host, window: Seconds) {
    this.#host = host;
    this.#window = window;
    this.before = host.process.memory();
    this.peak = this.before;
    this.#begun = { cpu: host.process.cpu(), at: host.clock.monotonic() };
    this.#worked = this.#begun;
  }

  /** Resolves when all is listed, and the process has had little to do for a window of time. */
  async untilIdle(synced: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#host;
    let syncedAt = Infinity;
    synced.then(() => syncedAt = clock.monotonic());
    let window = this.#begun;
    for (let last = this.#begun;;) {
      if (!await clock.sleep(LOOK, signal)) return;
      const { cpu, at } = last = this.#look(last);
      if (at - window.at < this.#window) continue;
      const isIdle = (cpu - window.cpu) / (at - window.at) < IDLE;
      window = { cpu, at };
      if (!isIdle) this.#worked = window;
      if (at > syncedAt && (isIdle || at - syncedAt > LONGEST)) return;
    }
  }

  #look(
    last: { readonly cpu: Seconds; readonly at: Seconds },
  ): { readonly cpu: Seconds; readonly at: Seconds } {
    const { clock, process } = this.#host;
    const now = { cpu: process.cpu(), at: clock.monotonic() };
    // NB: on a busy machine the process waits for a processor for longer than it computes.
    this.block = Math.max(this.block, Math.min(now.at - last.at - LOOK, now.cpu - last.cpu));
    this.peak = Math.max(this.peak, process.memory());
    return now;
  }

  /** Returns the CPU time and the time until the process was last found at work. `making`: time that was not the operator's. */
  sinceBegun(making: Seconds): { readonly cpu: Seconds; readonly took: Seconds } {
    const { cpu, at } = this.#begun;
    return { cpu: Math.max(0, this.#worked.cpu - cpu - making), took: this.#worked.at - at };
  }
}

function meanOf(numbers: readonly number[]): number {
  return Math.round(numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length));
}

/** Returns the value of a metric for a kind; 0: it tells none. */
function valueIn(metrics: string, name: string, kind: string): number {
  const line = metrics.split("\n").find((each) => each.startsWith(`${name}{`) && each.includes(`"${kind}"`));
  return Number(line?.slice(line.lastIndexOf(" ") + 1) ?? 0);
}
