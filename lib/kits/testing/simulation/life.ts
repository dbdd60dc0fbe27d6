/**
 * One process of a simulated operator: from its start to its end, in order or by a kill.
 *
 * A process that was killed is never heard of again: its clock stands still, its requests hang, and its
 * handlers touch no object any more.
 */

import { fixedCredentials } from "../../../client/auth/connection_info.ts";
import type { HandlerCall } from "../../../engines/calls.ts";
import type { Cache } from "../../../handlers/cache.ts";
import type { Operator } from "../../../operator/operator.ts";
import type { Host, Seconds } from "../../../runtime/host.ts";
import { createLogger, type LogRecord } from "../../../runtime/logging.ts";
import type { VirtualHost } from "../../../runtime/virtual/host.ts";
import { createVirtualRandom } from "../../../runtime/virtual/random.ts";
import "../loaded_modules.ts";
import { ReplicaClock } from "../replica_clock.ts";
import type { Journal } from "./journal.ts";
import { Wire, type WireOptions } from "./wire.ts";

/** An operator that can be simulated, whatever its memo. */
export type SimulatedOperator = Pick<Operator<never>, "run" | "ledger" | "declared" | "settings" | "cache">;

/** An operator, and its caches of planned kinds. */
export interface Simulated {
  readonly op: SimulatedOperator;
  readonly caches: ReadonlyMap<string, Pick<Cache, "list" | "synced">>;
}

/** The parts of a process. */
export interface LifeOptions extends Pick<WireOptions, "serve" | "faultOf" | "traffic" | "gapUntil"> {
  readonly seed: number;
  /** Its number among all of the run. */
  readonly number: number;
  /** Its place among the replicas. */
  readonly replica: number;
  readonly simulated: Simulated;
  readonly base: VirtualHost;
  readonly journal: Journal;
  /** Whether it takes part in Leases. */
  readonly sharesObjects: boolean;
  /** Is told when it was killed. */
  readonly onKilled: (life: Life) => void;
}

/** The name of the Lease that says which replica works. */
export const LEASE_NAME = "operator";

/**
 * The Leases of simulated replicas. They last four times as long as by default: virtual time costs nothing, but each renewal does.
 */
export const LEASES = {
  name: LEASE_NAME,
  namespace: "default",
  leaseDuration: 60,
  renewDeadline: 40,
  retryPeriod: 8,
} as const;

/** A process. */
export class Life {
  readonly number: number;
  readonly replica: number;
  readonly op: SimulatedOperator;
  readonly wire: Wire;
  readonly clock: ReplicaClock;
  /** Lines of warnings and errors. */
  readonly logs: LogRecord[] = [];
  readonly #options: LifeOptions;
  readonly #controller = new AbortController();
  #state: "running" | "stopping" | "ended" | "killed" = "running";
  #suspensions = 0;
  #wasMachineHeld = false;
  #hasRunOut = false;
  /** The caches of planned kinds. */
  readonly caches: Simulated["caches"];
  /** The error that it failed with. */
  failure: unknown;
  /** Whether it was ever held, or cut off. */
  wasHeld = false;
  /** Starts it. */
  constructor(options: LifeOptions) {
    const {
      number,
      replica,
      simulated: { op, caches },
      base,
      journal,
      seed,
      serve,
      faultOf,
      traffic,
      gapUntil,
      sharesObjects,
    } = options;
    this.#options = options;
    this.number = number;
    this.replica = replica;
    this.op = op;
    this.clock = new ReplicaClock(base.clock);
    this.caches = caches;
    const kill = (): void => this.kill();
    this.wire = new Wire({
      life: number,
      traffic,
      base: base.clock,
      clock: this.clock,
      journal,
      serve,
      faultOf,
      gapUntil,
      kill,
    });
    const server = `https://process-${number}.test`;
    base.network.route(server, (request) => this.wire.fetch(request));
    const host: Host = { ...base, clock: this.clock, random: createVirtualRandom(seed + 7919 * number) };
    const write = (record: LogRecord): void => void this.logs.push(record);
    const settings = {
      host,
      scope: "cluster",
      replicas: sharesObjects ? LEASES : false,
      identity: `process-${number}`,
      credentials: fixedCredentials({ server }),
      signal: this.#controller.signal,
      logger: createLogger({ level: "warn", write }, this.clock),
      onCall: (call: HandlerCall) => {
        if (this.#state !== "killed") journal.called(number, call);
      },
    } as const;
    op.run(settings).catch((error: unknown) => {
      this.failure = error;
    }).finally(() => {
      this.#hasRunOut = true;
      if (this.#state !== "killed") this.#state = "ended";
    });
  }

  /** Whether the process has neither ended nor was killed. */
  get isAlive(): boolean {
    return this.#state === "running" || this.#state === "stopping";
  }

  /** Whether no clock of it shows all the time that has passed: its machine was suspended, and its wall clock set back. */
  get hasLostTime(): boolean {
    return this.#wasMachineHeld && this.clockError < -1000;
  }

  /** By how much its wall clock is off, in milliseconds. */
  get clockError(): number {
    return this.clock.now() - this.#options.base.clock.now();
  }

  /** Whether no code of it runs any more: it has ended, or was buried. */
  get hasEnded(): boolean {
    return this.#hasRunOut;
  }

  /** The operator, for the next process. */
  get simulated(): Simulated {
    return this.#options.simulated;
  }

  /** Whether it was killed. */
  get isKilled(): boolean {
    return this.#state === "killed";
  }

  /** Whether it runs at the moment, on a machine that runs. */
  get isAwake(): boolean {
    return this.isAlive && this.#suspensions === 0;
  }

  /** Ends it at once. */
  kill(): void {
    if (!this.isAlive) return;
    this.#state = "killed";
    this.clock.freeze();
    this.wire.die();
    const { journal } = this.#options;
    journal.cut(this.number);
    journal.say("process", `${this.number} killed`, "The process is killed");
    this.#options.onKilled(this);
  }

  /** Lets the code of a process that was killed run out, after the run: it reaches no server any more. */
  bury(): void {
    if (this.#state !== "killed") return;
    this.wire.bury();
    this.#controller.abort();
    this.clock.thaw();
  }

  /** Has it end in order. */
  stop(): void {
    if (this.#state !== "running") return;
    this.#state = "stopping";
    this.#options.journal.say("process", `${this.number} is told to stop`);
    this.#controller.abort();
  }

  /** Holds it for some time, with the monotonic clock of its machine or without. */
  suspend(seconds: Seconds, { isMachine }: { readonly isMachine: boolean }): void {
    if (!this.isAlive) return;
    this.#suspensions += 1;
    this.wasHeld = true;
    this.#wasMachineHeld ||= isMachine;
    this.clock.freeze({ isMachine });
    this.#options.base.clock.after(seconds, () => {
      this.#suspensions -= 1;
      if (this.isAlive && this.#suspensions === 0) this.clock.thaw();
    });
  }

  /** Takes its network away for some time. */
  isolate(seconds: Seconds): void {
    this.wasHeld = true;
    this.wire.setCut(true);
    this.#options.base.clock.after(seconds, () => this.wire.setCut(false));
  }
}
