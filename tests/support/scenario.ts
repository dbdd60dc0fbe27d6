/**
 * Runs a scenario in each place where it can run.
 */

import { after, describe, it } from "node:test";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "./real_world.ts";
import { type VirtualWorld, virtualWorld } from "./virtual_world.ts";
import type { World } from "./worlds.ts";

/** Declares a scenario. */
export interface Scenario {
  /** Runs in both places: what it says must be true of any Kubernetes. */
  (name: string, body: (world: World) => Promise<void>): void;
  /** Runs in the process only: it counts requests, makes them fail, or lets hours pass. */
  virtual(name: string, body: (world: VirtualWorld) => Promise<void>): void;
}

/** Declares a suite of scenarios, which share one real control plane. */
export function suite(title: string, declare: (scenario: Scenario) => void): void {
  describe(title, () => {
    let place: Promise<RealPlace> | undefined;
    const missing = findControlPlane().reason;
    after(async () => {
      if (place !== undefined) await (await place)[Symbol.asyncDispose]();
    });
    function virtual(name: string, body: (world: VirtualWorld) => Promise<void>): void {
      it(`${name} (in the process)`, { timeout: 60_000 }, async () => await body(await virtualWorld()));
    }
    function both(name: string, body: (world: World) => Promise<void>): void {
      virtual(name, body);
      it(`${name} (on a real control plane)`, { timeout: 180_000, skip: missing ?? false }, async () => {
        place ??= RealPlace.open();
        await body(await (await place).world());
      });
    }
    declare(Object.assign(both, { virtual }));
  });
}
