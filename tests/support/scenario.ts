/**
 * Runs a scenario in each place where it can run.
 */

import { after, describe, it } from "node:test";
import process from "node:process";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { hasTag, TAG_VARIABLE } from "../runner/tags.ts";
import { RealPlace } from "./real_world.ts";
import {
  type TimedWorld,
  type VirtualWorld,
  virtualWorld,
  type VirtualWorldOptions,
} from "./virtual_world.ts";
import { SideBySide } from "./side_by_side.ts";
import type { World } from "./worlds.ts";

/** Declares a scenario. */
export interface Scenario {
  /**
   * Runs in both places: it must be true of any Kubernetes. On the real control plane it runs beside the others of its suite, as
   * each has a namespace of its own and mostly waits.
   */
  (name: string, body: (world: World) => Promise<void>): void;
  /** As above, but alone on the control plane: it changes or counts what belongs to the whole cluster. */
  alone(name: string, body: (world: World) => Promise<void>): void;
  /**
   * Runs in both places, and winds the clock of the operator itself: hours pass on the real control plane as well.
   */
  timed(name: string, body: (world: TimedWorld) => Promise<void>): void;
  /** Runs in the process only: it counts requests, makes them fail, or lets hours pass. */
  virtual(name: string, body: (world: VirtualWorld) => Promise<void>, options?: VirtualWorldOptions): void;
}

/**
 * Whether scenarios run on a real control plane: on Deno, as they are about the server. The nightly run sets REAL_EVERYWHERE, so
 * that they do on Bun and Node, too; there e2e and conformance tests meet the server each time.
 */
const RUNS_ON_REAL = currentHost().name === "deno" || process.env["REAL_EVERYWHERE"] === "yes";

/** Of this file's suites: how many are not over yet, and the control plane that they share once one of them needs it. */
const shared: { suites: number; place: Promise<RealPlace> | undefined } = { suites: 0, place: undefined };

/** Declares a suite of scenarios. The suites of a file share one real control plane. */
export function suite(title: string, declare: (scenario: Scenario) => void): void {
  shared.suites++;
  describe(title, () => {
    const missing = findControlPlane().reason;
    // NB: suites that are filtered out never end; then the control plane ends with the process.
    after(async () => {
      const { place } = shared;
      if (--shared.suites > 0 || place === undefined) return;
      shared.place = undefined;
      await (await place)[Symbol.asyncDispose]();
    });
    const virtual: Scenario["virtual"] = (name, body, options) => {
      it(
        `${name} (in the process)`,
        { timeout: 60_000 },
        async () => await body(await virtualWorld(options)),
      );
    };
    function real(name: string, body: (place: RealPlace) => Promise<void>): void {
      if (!RUNS_ON_REAL) return;
      it(onReal(name), { timeout: 180_000, skip: missing ?? false }, async () => {
        shared.place ??= RealPlace.open();
        await body(await shared.place);
      });
    }
    const sideBySide = new SideBySide();
    function both(name: string, body: (world: World) => Promise<void>): void {
      virtual(name, body);
      if (!RUNS_ON_REAL || !isWanted(title, name)) return;
      const result = sideBySide.add(async () => {
        shared.place ??= RealPlace.open();
        await body(await (await shared.place).world());
      });
      it(onReal(name), { timeout: 300_000, skip: missing ?? false }, result);
    }
    function alone(name: string, body: (world: World) => Promise<void>): void {
      virtual(name, body);
      real(name, async (place) => await body(await place.world()));
    }
    function timed(name: string, body: (world: TimedWorld) => Promise<void>): void {
      virtual(name, body);
      real(name, async (place) => await body(await place.timedWorld()));
    }
    declare(Object.assign(both, { alone, virtual, timed }));
  });
}

/** NB: scenarios side by side begin together. Those that the runtime will leave out must not begin at all. */
function isWanted(...names: readonly string[]): boolean {
  const tag = process.env[TAG_VARIABLE];
  return tag === undefined || names.some((name) => hasTag(name, tag));
}

function onReal(name: string): string {
  return `${name} (on a real control plane)`;
}
