/**
 * The time of a run: wound by hand in the process, and the real one where the cluster is real.
 */

import { currentHost } from "../../runtime/current_host.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { VirtualHost } from "../../runtime/virtual/host.ts";

/** How a test lets time pass. */
export interface RunTime {
  /** How long `until()` waits by default. */
  readonly timeout: Seconds;
  /** Lets everything run that is under way. */
  settle(): Promise<void>;
  /** Lets time pass. */
  advance(seconds: Seconds): Promise<void>;
  /**
   * Begins to measure the processor time that passing time costs. Returns a function that returns how much time has passed when
   * that is too much for a test, and undefined until then.
   */
  effort(): () => Seconds | undefined;
  /** Resolves when no call lets time pass. */
  unwound(): Promise<void>;
  /** Lets time pass until the condition holds. @throws {Error} If it does not: how long it was waited for. */
  until(condition: () => boolean | Promise<boolean>, within: Seconds): Promise<void>;
}

/** How long a real cluster must be quiet to count as settled. */
const QUIET: Seconds = 1;
/** How long `until()` waits on a real cluster by default. */
const TIMEOUT: Seconds = 30;
/** How often a real cluster is looked at. */
const PAUSE: Seconds = 0.05;

/** Time that may pass at any cost. */
const FREE: Seconds = 20;
/** How much of the processor the time after that may take: Bun and vitest give a test five seconds. */
const MOST_EFFORT: Seconds = 4;

/** Tells whether the host's clock is wound by hand. */
export function isVirtual(host: Host): host is VirtualHost {
  return host.name === "virtual";
}

/** Waits a moment, between two looks at a state that takes hardly any time to come. */
export async function pause(host: Host): Promise<void> {
  if (isVirtual(host)) await host.clock.advance(PAUSE);
  else await host.clock.sleep(PAUSE);
}

/** Returns the time of a host. @param noise How much has happened so far, on a real cluster. */
export function timeOf(host: Host, noise: () => number): RunTime {
  return isVirtual(host) ? virtualTime(host) : realTime(host, noise);
}

function virtualTime({ clock }: VirtualHost): RunTime {
  return {
    timeout: 3600,
    settle: () => clock.settle(),
    advance: (seconds) => clock.advance(seconds),
    effort() {
      // Processor time, not the time of a wall clock: a busy machine would make a difference.
      const { process } = currentHost();
      const start = clock.monotonic();
      let begun: Seconds | undefined;
      return () => {
        const passed = clock.monotonic() - start;
        if (passed <= FREE) return undefined;
        begun ??= process.cpu();
        return process.cpu() - begun > MOST_EFFORT ? passed : undefined;
      };
    },
    unwound: () => clock.unwound(),
    until: (condition, within) => clock.until(condition, { within }),
  };
}

function realTime({ clock }: Host, noise: () => number): RunTime {
  const until = async (condition: () => boolean | Promise<boolean>, within: Seconds): Promise<void> => {
    const end = clock.monotonic() + within;
    while (!await condition()) {
      if (clock.monotonic() >= end) throw new Error(`The condition does not hold within ${within} s`);
      await clock.sleep(PAUSE);
    }
  };
  return {
    timeout: TIMEOUT,
    async settle() {
      let heard = noise();
      let since = clock.monotonic();
      const end = since + TIMEOUT;
      await until(() => {
        if (noise() !== heard) {
          heard = noise();
          since = clock.monotonic();
        }
        // An operator that works all the time is never quiet.
        return clock.monotonic() - since >= QUIET || clock.monotonic() >= end;
      }, Infinity);
    },
    advance(seconds) {
      const reason = new TypeError(
        `Cannot let ${seconds} s pass: the clock of a real cluster cannot be wound (wait with until(), or take testCluster())`,
      );
      return Promise.reject(reason);
    },
    effort: () => () => undefined,
    unwound: () => Promise.resolve(),
    until,
  };
}
