/**
 * A host without anything real: time, chance, files, network and process are all in the test's hand.
 *
 * With it a whole operator run is a function of its code and its seed. No part of it sleeps or opens a socket; real time
 * passes only while promises run. Work that leaves the event loop (WebCrypto, real files) is invisible to the clock.
 */

import type { Files, Host, Random } from "../host.ts";
// Operators load it when they need it, and a virtual clock does not wait for files that are really read.
import "../yaml.ts";
import { Activity } from "./activity.ts";
import { createVirtualClock, type VirtualClock } from "./clock.ts";
import { createVirtualFiles } from "./files.ts";
import { createVirtualNetwork, type VirtualNetwork } from "./network.ts";
import { createVirtualProcess, type VirtualProcess } from "./process.ts";
import { createVirtualRandom } from "./random.ts";

/** The initial contents of a virtual host. */
export interface VirtualHostOptions {
  /** For its generator. Default: 1. */
  readonly seed?: number;
  /** The wall clock, in milliseconds since 1970. Default: 2026-01-01T00:00:00Z. */
  readonly start?: number;
  /** Default: none at all. */
  readonly env?: Readonly<Record<string, string>>;
  /** "jumping": the wall clock is hours off, and set anew again and again, by the seed; durations stay right. Default: "steady". */
  readonly wallClock?: "steady" | "jumping";
  /** Whether answers, and events on streams, are late by the seed: some turns of the event loop, no time. Default: false. */
  readonly latency?: boolean;
  /** After how many real seconds without a sign of life a request is taken for hanging: time passes then. Default: 0.1. */
  readonly patience?: number;
  /** Path to content. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Default: none. */
  readonly args?: readonly string[];
  /** Default: "/work". */
  readonly cwd?: string;
}

/** A host in the test's hand. */
export interface VirtualHost extends Host {
  /** Tells it from real ones. */
  readonly name: "virtual";
  /** Stands still until the test winds it. */
  readonly clock: VirtualClock;
  /** The same numbers in each run, by the seed. */
  readonly random: Random;
  /** In memory. */
  readonly files: Files;
  /** The process. Its output is kept; signals are sent by the test. */
  readonly process: VirtualProcess;
  /** Origins lead into functions; everything else is refused. */
  readonly network: VirtualNetwork;
}

/** Makes a virtual host. */
export function virtualHost(options: VirtualHostOptions = {}): VirtualHost {
  const { seed = 1, start = Date.UTC(2026, 0, 1), env = {}, files = {}, args = [], cwd = "/work" } = options;
  const activity = new Activity(options.patience);
  // Generators of their own, so that the host's gives the same numbers with them and without.
  const jumps = options.wallClock === "jumping" ? createVirtualRandom(seed + 1) : undefined;
  const latency = options.latency === true ? createVirtualRandom(seed + 2) : undefined;
  const clock = createVirtualClock({ start, activity, jumps });
  return {
    name: "virtual",
    version: "1",
    clock,
    random: createVirtualRandom(seed),
    files: createVirtualFiles({ clock, cwd, files }),
    process: createVirtualProcess({ clock, activity, args, env, cwd }),
    network: createVirtualNetwork({ clock, activity, latency }),
  };
}
