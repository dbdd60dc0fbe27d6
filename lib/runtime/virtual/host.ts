/**
 * A host in which nothing is real: time, chance, files, network and process are all in the test's hand.
 *
 * With it a whole operator run is a function of its code and its seed. Nothing in it sleeps or opens a socket; real time
 * passes only while promises run. Work that leaves the event loop (WebCrypto, real files) is invisible to the clock.
 */

import type { Files, Host, Random } from "../host.ts";
import { Activity } from "./activity.ts";
import { createVirtualClock, type VirtualClock } from "./clock.ts";
import { createVirtualFiles } from "./files.ts";
import { createVirtualNetwork, type VirtualNetwork } from "./network.ts";
import { createVirtualProcess, type VirtualProcess } from "./process.ts";

/** The initial contents of a virtual host. */
export interface VirtualHostOptions {
  /** For its generator. Default: 1. */
  readonly seed?: number;
  /** The wall clock, in milliseconds since 1970. Default: 2026-01-01T00:00:00Z. */
  readonly start?: number;
  /** Default: none at all. */
  readonly env?: Readonly<Record<string, string>>;
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
  const activity = new Activity();
  const clock = createVirtualClock(start, activity);
  return {
    name: "virtual",
    version: "1",
    clock,
    random: createVirtualRandom(seed),
    files: createVirtualFiles({ clock, cwd, files }),
    process: createVirtualProcess({ clock, activity, args, env, cwd }),
    network: createVirtualNetwork({ clock, activity }),
  };
}

// Chance that can be repeated: the same seed gives the same numbers, everywhere and always. Not for secrets.

/** Makes a generator (mulberry32) from a seed, of which the lower 32 bits count. */
export function createVirtualRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => Math.floor(next() * 256));
  return { next, bytes, uuid: () => formatUuid(bytes(16)) };
}

function formatUuid(bytes: Uint8Array): string {
  const marked = bytes.map((byte, index) =>
    index === 6 ? byte & 0x0f | 0x40 : index === 8 ? byte & 0x3f | 0x80 : byte
  );
  const digits = Array.from(marked, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
