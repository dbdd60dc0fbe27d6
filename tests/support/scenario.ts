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
import type { World } from "./worlds.ts";

/** Declares a scenario. */
export interface Scenario {
  /** Runs in both places: what it says must be true of any Kubernetes. */
  (name: string, body: (world: World) => Promise<void>): void;
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
      it(`${name} (on a real control plane)`, { timeout: 180_000, skip: missing ?? false }, async () => {
        place ??= RealPlace.open();
        await body(await place);
      });
    }
    function both(name: string, body: (world: World) => Promise<void>): void {
      virtual(name, body);
      real(name, async (place) => await body(await place.world()));
    }
    function timed(name: string, body: (world: TimedWorld) => Promise<void>): void {
      virtual(name, body);
      if (currentHost().name !== "deno") return;
      real(name, async (place) => await body(await place.timedWorld()));
    }
    declare(Object.assign(both, { virtual, timed }));
  });
}
