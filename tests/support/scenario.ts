/**
 * Runs a scenario in each place where it can run.
 */

import { after, describe, it } from "node:test";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
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
   * Runs in both places: what it says must be true of any Kubernetes. On the real control plane it runs beside the others of its
   * suite, as each has a namespace of its own and mostly waits.
   */
  (name: string, body: (world: World) => Promise<void>): void;
  /** As above, but alone on the control plane: it changes or counts what belongs to the whole cluster. */
  alone(name: string, body: (world: World) => Promise<void>): void;
  /**
   * Runs in both places, and winds the clock of the operator itself: hours pass on the real control plane as well. There on
   * Deno only: what it is about is the server.
   */
  timed(name: string, body: (world: TimedWorld) => Promise<void>): void;
  /** Runs in the process only: it counts requests, makes them fail, or lets hours pass. */
  virtual(name: string, body: (world: VirtualWorld) => Promise<void>, options?: VirtualWorldOptions): void;
}

/** Declares a suite of scenarios, which share one real control plane. */
export function suite(title: string, declare: (scenario: Scenario) => void): void {
  describe(title, () => {
    let place: Promise<RealPlace> | undefined;
    const missing = findControlPlane().reason;
    after(async () => {
      if (place !== undefined) await (await place)[Symbol.asyncDispose]();
    });
    const virtual: Scenario["virtual"] = (name, body, options) => {
      it(
        `${name} (in the process)`,
        { timeout: 60_000 },
        async () => await body(await virtualWorld(options)),
      );
    };
    function real(name: string, body: (place: RealPlace) => Promise<void>): void {
      it(onReal(name), { timeout: 180_000, skip: missing ?? false }, async () => {
        place ??= RealPlace.open();
        await body(await place);
      });
    }
    const sideBySide = new SideBySide();
    function both(name: string, body: (world: World) => Promise<void>): void {
      virtual(name, body);
      const result = sideBySide.add(async () => {
        place ??= RealPlace.open();
        await body(await (await place).world());
      });
      it(onReal(name), { timeout: 300_000, skip: missing ?? false }, result);
    }
    function alone(name: string, body: (world: World) => Promise<void>): void {
      virtual(name, body);
      real(name, async (place) => await body(await place.world()));
    }
    function timed(name: string, body: (world: TimedWorld) => Promise<void>): void {
      virtual(name, body);
      if (currentHost().name !== "deno") return;
      real(name, async (place) => await body(await place.timedWorld()));
    }
    declare(Object.assign(both, { alone, virtual, timed }));
  });
}

function onReal(name: string): string {
  return `${name} (on a real control plane)`;
}
