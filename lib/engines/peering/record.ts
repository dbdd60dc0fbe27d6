/**
 * The records that operators keep in a peering object's status: how important they are, and when they were last
 * alive. Pure: no clock, no requests.
 *
 * The form is Kopf's, so that operators in Python and ours see each other. In records of others, members that are missing or
 * makes no sense has Kopf's default. Source: scenarios B158–B185.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { formatKopfTimestamp, parseTimestamp } from "../../model/timestamps.ts";
import type { Seconds } from "../../runtime/host.ts";

/** An operator, as it has written of itself. */
export interface Peer {
  readonly identity: string;
  readonly priority: number;
  readonly lifetime: Seconds;
  /** When it last wrote, in milliseconds since 1970. */
  readonly lastSeen: number;
}

const DEFAULT_LIFETIME: Seconds = 60;
/** About 68 years: other languages count no further. */
const LONGEST_LIFETIME: Seconds = 2 ** 31 - 1;

/** Returns the records of all operators that have written into the object, dead or alive. @param now In milliseconds since 1970. */
export function readPeers({ status }: KubeObject, now: number): readonly Peer[] {
  if (!isObject(status)) return [];
  return Object.entries(status).flatMap(([identity, record]) => {
    if (!isObject(record)) return [];
    const { priority, lifetime, lastseen } = record;
    return [{
      identity,
      priority: toNumber(priority) ?? 0,
      lifetime: toNumber(lifetime) ?? DEFAULT_LIFETIME,
      lastSeen: parseTimestamp(lastseen) ?? now,
    }];
  });
}

/** Returns when a peer counts as dead unless it writes again, in milliseconds since 1970. */
export function expiryOf({ lastSeen, lifetime }: Peer): number {
  return lastSeen + lifetime * 1000;
}

export interface WriteRecordOptions {
  readonly priority: number;
  readonly lifetime: Seconds;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** Returns the record of an operator that is alive now. */
export function writeRecord({ priority, lifetime, now }: WriteRecordOptions): JsonObject {
  return {
    priority,
    // Whole seconds: Kopf reads no others.
    lifetime: Math.min(Math.ceil(lifetime), LONGEST_LIFETIME),
    lastseen: formatKopfTimestamp(now),
  };
}

/** Numbers that were written as texts are numbers, too. */
function toNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
