/**
 * The author's options for replicas, checked: each message names the mistake, and how to mend it.
 */

import { isObject } from "../../model/json.ts";
import type { Seconds } from "../../runtime/host.ts";

/** How replicas share the objects of an operator. Durations are in seconds, and equal in all replicas of an operator. */
export interface LeaseSettings {
  /** The name of the operator, and of its Lease where it has one shard: a DNS label of at most 50 characters. */
  readonly name: string;
  /** The namespace of the Leases. */
  readonly namespace: string;
  /** Into how many parts the objects are divided: from 1 to 64. Default: 1. */
  readonly shards: number;
  /** After how long without a renewal others may take over: whole seconds, longer than `renewDeadline`. Default: 15. */
  readonly leaseDuration: Seconds;
  /** After how long without an answered renewal a replica stops to work: longer than 1.2 times `retryPeriod`. Default: 10. */
  readonly renewDeadline: Seconds;
  /** The pause between renewals. Default: 2. */
  readonly retryPeriod: Seconds;
  /** How long handlers may go on when a shard is let go, before their signal is aborted. Default: 30. */
  readonly drainTimeout: Seconds;
}

/** Values that the process knows without the author; undefined where it does not. */
export interface ReplicasDefaults {
  /** The operator's name. */
  readonly name: string | undefined;
  /** The namespace of the Pod that this process runs in. */
  readonly namespace: string | undefined;
}

const DEFAULTS = {
  shards: 1,
  leaseDuration: 15,
  renewDeadline: 10,
  retryPeriod: 2,
  drainTimeout: 30,
} as const;
const MOST_SHARDS = 64;
const LONGEST_NAME = 50;
/** Source: client-go, `tools/leaderelection/leaderelection.go`, `JitterFactor`. */
const JITTER_FACTOR = 1.2;

/**
 * Returns the settings of `replicas: true`, or of an object with some of them; undefined for false and undefined.
 *
 * @throws {TypeError} If an option is unknown, of the wrong type, or missing outside of a cluster.
 * @throws {RangeError} If a value is impossible, or does not go with the others.
 */
export function checkReplicas(given: unknown, defaults: ReplicasDefaults): LeaseSettings | undefined {
  if (given === undefined || given === false || given === null) return undefined;
  if (given !== true && !isObject(given)) {
    throw new TypeError(
      `"replicas" must be true, or an object such as { shards: 8 }, not ${describe(given)}`,
    );
  }
  const options: Readonly<Record<string, unknown>> = given === true ? {} : given;
  const known = ["name", "namespace", ...Object.keys(DEFAULTS)];
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    throw new TypeError(`"replicas.${key}" is no option: there are ${known.join(", ")}`);
  }
  const settings: LeaseSettings = {
    name: nameFrom(options["name"] ?? defaults.name),
    namespace: namespaceFrom(options["namespace"] ?? defaults.namespace),
    shards: countFrom("shards", options["shards"]),
    leaseDuration: secondsFrom("leaseDuration", options["leaseDuration"]),
    renewDeadline: secondsFrom("renewDeadline", options["renewDeadline"]),
    retryPeriod: secondsFrom("retryPeriod", options["retryPeriod"]),
    drainTimeout: secondsFrom("drainTimeout", options["drainTimeout"], { zero: true }),
  };
  checkTogether(settings);
  return settings;
}

function nameFrom(value: unknown): string {
  if (value === undefined) {
    throw new TypeError('"replicas.name" is missing: name the operator, as its Leases are named after it');
  }
  const isLabel = typeof value === "string" && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value);
  if (!isLabel) {
    throw new TypeError(
      `"replicas.name" must be a DNS label (lower-case letters, digits and "-" in between), not ${
        describe(value)
      }`,
    );
  }
  if (value.length <= LONGEST_NAME) return value;
  throw new RangeError(
    `"replicas.name" must have at most ${LONGEST_NAME} characters, as the names of Leases are made of it, and ` +
      `"${value}" has ${value.length}: set a shorter one`,
  );
}

function namespaceFrom(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  if (value === undefined) {
    throw new TypeError(
      '"replicas.namespace" is missing: outside of a cluster it must be said in which namespace the Leases stand',
    );
  }
  throw new TypeError(`"replicas.namespace" must be the name of a namespace, not ${describe(value)}`);
}

function countFrom(key: "shards", value: unknown = DEFAULTS[key]): number {
  if (typeof value !== "number") {
    throw new TypeError(`"replicas.${key}" must be a number, not ${describe(value)}`);
  }
  if (Number.isInteger(value) && value >= 1 && value <= MOST_SHARDS) return value;
  throw new RangeError(`"replicas.${key}" must be a whole number from 1 to ${MOST_SHARDS}, not ${value}`);
}

function secondsFrom(
  key: Exclude<keyof typeof DEFAULTS, "shards">,
  value: unknown = DEFAULTS[key],
  { zero = false }: { readonly zero?: boolean } = {},
): Seconds {
  if (typeof value !== "number") {
    throw new TypeError(`"replicas.${key}" must be a number of seconds, not ${describe(value)}`);
  }
  if (Number.isFinite(value) && (zero ? value >= 0 : value > 0)) return value;
  throw new RangeError(
    `"replicas.${key}" must be ${zero ? "no negative" : "a positive"} number of seconds, not ${value}`,
  );
}

/** Source: client-go, `tools/leaderelection/leaderelection.go`, `NewLeaderElector()`. */
function checkTogether({ leaseDuration, renewDeadline, retryPeriod }: LeaseSettings): void {
  if (!Number.isInteger(leaseDuration)) {
    throw new RangeError(
      `"replicas.leaseDuration" must be whole seconds, as Leases carry nothing finer, not ${leaseDuration}`,
    );
  }
  if (leaseDuration <= renewDeadline) {
    throw new RangeError(
      `"replicas.leaseDuration" (${leaseDuration} s) must be longer than "replicas.renewDeadline" (${renewDeadline} s): ` +
        "a replica has to stop before others take over",
    );
  }
  if (renewDeadline <= JITTER_FACTOR * retryPeriod) {
    throw new RangeError(
      `"replicas.renewDeadline" (${renewDeadline} s) must be longer than ${JITTER_FACTOR} times "replicas.retryPeriod" ` +
        `(${retryPeriod} s): one renewal at least has to fit in`,
    );
  }
}

function describe(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : Array.isArray(value) ? "a list" : String(value);
}
