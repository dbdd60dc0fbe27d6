/**
 * The rules of settings: one rule per setting, under its dotted name.
 *
 * A test holds the table complete: each default has a rule, and passes it.
 */

import { type FieldSpec, parseField } from "../model/fields.ts";
import { isObject } from "../model/json.ts";
import type { ByKind } from "./sections.ts";
import { entriesOf } from "./server_selectors.ts";

/** A fault of a value. */
export interface Complaint {
  /** The wrong type, or the right one with an impossible value. */
  readonly kind: "type" | "range";
  /** The expectation, as the end of a sentence. */
  readonly expected: string;
}

/** Returns a complaint; undefined if the value is fine. */
export type Rule = (value: unknown) => Complaint | undefined;

/** All rules, by "section.setting". */
export const RULES: Readonly<Record<string, Rule>> = Object.freeze({
  "process.ultimateExitingTimeout": orNull(seconds),
  "process.heapSnapshots": flag,
  "probing.reasons": flag,
  "probing.metricsReview": flag,
  "posting.enabled": flag,
  "posting.failures": flag,
  "posting.loggers": flag,
  "posting.level": oneOf("debug", "info", "warn", "error"),
  "posting.api": oneOf("events.k8s.io/v1", "v1"),
  "posting.reportingComponent": text,
  "posting.reportingInstance": text,
  "posting.eventNamePrefix": text,
  "posting.defaultBackoffs": backoffs,
  "posting.loggingBackoffs": backoffs,
  "posting.workerLimit": orNull(count),
  "posting.idleTimeout": seconds,
  "peering.name": text,
  "peering.stealth": flag,
  "peering.priority": whole,
  "peering.lifetime": positive,
  "peering.mandatory": flag,
  "peering.standalone": flag,
  "peering.clusterwide": flag,
  "replicas.enabled": flag,
  "replicas.name": orNull(text),
  "replicas.namespace": orNull(text),
  "replicas.shards": count,
  "replicas.leaseDuration": positive,
  "replicas.renewDeadline": positive,
  "replicas.retryPeriod": positive,
  "replicas.drainTimeout": seconds,
  "watching.serverTimeout": orNull(positive),
  "watching.clientTimeout": orNull(positive),
  "watching.connectTimeout": orNull(positive),
  "watching.reconnectBackoff": seconds,
  "watching.inactivityTimeout": positive,
  "watching.chunkSize": orNull(count),
  "watching.initialStreaming": oneOf(true, false, "auto"),
  "watching.labelSelectors": selectorTexts,
  "watching.fieldSelectors": selectorTexts,
  "watching.shardSelectors": selectorTexts,
  "watching.metadataOnly": selectors,
  "watching.transform": transforms,
  "watching.memory": memoryModes,
  "queueing.workerLimit": orNull(count),
  "queueing.exitTimeout": seconds,
  "queueing.errorDelays": delays,
  "queueing.eventLimit": orNull(count),
  "scanning.disabled": flag,
  "scanning.clusterwideFrom": orNull(count),
  "admission.server": orNull(admissionServer),
  "admission.managed": orNull(domain),
  "admission.release": oneOf("own", "all", "nothing"),
  "admission.certificateValidity": positive,
  "admission.certificateSettle": seconds,
  "admission.linger": seconds,
  "execution.defaultBackoff": finite,
  "execution.warnAfter": orNull(positive),
  "execution.objectPauses": flag,
  "execution.maxWorkers": orNull(count),
  "background.cancellationPolling": positive,
  "background.instantExitTimeout": orNull(seconds),
  "background.instantExitZeroTimeCycles": orNull(count0),
  "networking.requestTimeout": orNull(positive),
  "networking.responseTimeout": orNull(positive),
  "networking.connectTimeout": orNull(positive),
  "networking.requestLimit": orNull(count),
  "networking.fieldManager": text,
  "networking.errorBackoffs": backoffs,
  "networking.enforceRetryAfter": flag,
  "networking.trustEnv": flag,
  "persistence.finalizer": finalizer,
  "persistence.diffBase": withMethods("build", "fetch", "isOutdated", "store", "clear"),
  "persistence.progress": withMethods("fetch", "store", "purge", "ids", "keys", "clear", "sweep"),
  "persistence.restored": oneOf("create", "resume"),
  "persistence.warnings": texts,
  "persistence.confidential": fieldsByKind,
  "persistence.consistencyTimeout": seconds,
});

function wrongType(expected: string): Complaint {
  return { kind: "type", expected };
}

function wrongRange(expected: string): Complaint {
  return { kind: "range", expected };
}

function admissionServer(value: unknown): Complaint | undefined {
  const isServer = typeof value === "function" || (isObject(value) && typeof value.serve === "function");
  return isServer
    ? undefined
    : wrongType("webhookServer(…), or another server: a function, or an object with serve()");
}

/** Names of webhooks are made of a handler's id and this, and Kubernetes wants three parts at least. */
function domain(value: unknown): Complaint | undefined {
  const expected = 'a domain in lower case such as "lotse.example.com"';
  if (typeof value !== "string") return wrongType(expected);
  const isDomain = value.length <= 190 &&
    /^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value);
  return isDomain ? undefined : wrongRange(expected);
}

function flag(value: unknown): Complaint | undefined {
  return typeof value === "boolean" ? undefined : wrongType("true or false");
}

function text(value: unknown): Complaint | undefined {
  if (typeof value !== "string") return wrongType("a string");
  return value === "" ? wrongRange("a string that is not empty") : undefined;
}

function texts(value: unknown): Complaint | undefined {
  const valid = value === undefined ||
    (Array.isArray(value) && value.every((each) => typeof each === "string"));
  return valid ? undefined : wrongType("a list of strings");
}

function finalizer(value: unknown): Complaint | undefined {
  const expected = 'a finalizer\'s name such as "example.com/finalizer"';
  if (typeof value !== "string") return wrongType(expected);
  // Kubernetes refuses others, and every object would fail.
  const valid = value.length <= 316 &&
    /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(value);
  return valid ? undefined : wrongRange(expected);
}

function oneOf(...choices: readonly (string | boolean)[]): Rule {
  const shown = choices.map((choice) => JSON.stringify(choice)).join(" or ");
  return (value) => choices.some((choice) => choice === value) ? undefined : wrongType(shown);
}

function number(value: unknown, expected: string): Complaint | undefined {
  return typeof value === "number"
    ? (Number.isNaN(value) ? wrongRange(expected) : undefined)
    : wrongType(expected);
}

function seconds(value: unknown): Complaint | undefined {
  const expected = "a number of seconds, 0 or more";
  return number(value, expected) ?? (Number(value) < 0 ? wrongRange(expected) : undefined);
}

function finite(value: unknown): Complaint | undefined {
  return seconds(value) ?? (value === Infinity ? wrongRange("a finite number of seconds") : undefined);
}

function positive(value: unknown): Complaint | undefined {
  const expected = "a number of seconds, more than 0";
  return number(value, expected) ?? (Number(value) <= 0 ? wrongRange(expected) : undefined);
}

function whole(value: unknown): Complaint | undefined {
  const expected = "a whole number";
  return number(value, expected) ?? (Number.isSafeInteger(value) ? undefined : wrongRange(expected));
}

function count(value: unknown): Complaint | undefined {
  const expected = "a whole number, 1 or more";
  return number(value, expected) ?? (Number(value) >= 1 ? whole(value) : wrongRange(expected));
}

function count0(value: unknown): Complaint | undefined {
  const expected = "a whole number, 0 or more";
  return number(value, expected) ?? (Number(value) >= 0 ? whole(value) : wrongRange(expected));
}

function orNull(rule: Rule): Rule {
  return (value) => {
    // Infinity says the same as null where there may be no limit.
    if (value === null || value === Infinity) return undefined;
    const complaint = rule(value);
    return complaint && { ...complaint, expected: `${complaint.expected}, or null` };
  };
}

function delays(value: unknown): Complaint | undefined {
  const expected = "a list of seconds, each 0 or more";
  if (!Array.isArray(value)) return wrongType(expected);
  const complaint = value.map(seconds).find((each) => each !== undefined);
  return complaint && { ...complaint, expected };
}

function backoffs(value: unknown): Complaint | undefined {
  const expected = "seconds, or a list of seconds, each 0 or more";
  if (Array.isArray(value)) return delays(value);
  if (typeof value === "number") return seconds(value);
  if (typeof value !== "object" || value === null || !(Symbol.iterator in value)) return wrongType(expected);
  // It may be endless, so it is not walked; but it must be walkable more than once, unlike a generator.
  return "next" in value
    ? wrongType("an iterable that can be walked again and again; a generator's result cannot")
    : undefined;
}

function selectorTexts(value: unknown): Complaint | undefined {
  return byKind(value, {
    expected: "an object or a Map of resource selectors and selector texts",
    isValue: isText,
  });
}

function transforms(value: unknown): Complaint | undefined {
  return byKind(value, {
    expected: "an object or a Map of resource selectors and functions",
    isValue: isFunction,
  });
}

function memoryModes(value: unknown): Complaint | undefined {
  const isMode = (mode: unknown): boolean => mode === "hot" || mode === "cold" || mode === "auto";
  if (isMode(value)) return undefined;
  return byKind(value, {
    expected: '"hot", "cold" or "auto", or an object or a Map of resource selectors and one of these',
    isValue: isMode,
  });
}

function fieldsByKind(value: unknown): Complaint | undefined {
  return byKind(value, {
    expected: 'an object or a Map of resource selectors and lists of fields such as ["spec.password"]',
    isValue: (fields) => Array.isArray(fields) && fields.every(isField),
  });
}

function isField(value: unknown): boolean {
  try {
    return parseField(value as FieldSpec).length > 0; // any other value is refused
  } catch {
    return false;
  }
}

function selectors(value: unknown): Complaint | undefined {
  const expected = "a list of resource selectors";
  if (!Array.isArray(value)) return wrongType(expected);
  return byKind(new Map(value.map((each) => [each, ""])), { expected, isValue: isText });
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function byKind(
  value: unknown,
  { expected, isValue }: { readonly expected: string; readonly isValue: (value: unknown) => boolean },
): Complaint | undefined {
  if (!isObject(value)) return wrongType(expected);
  const values = value instanceof Map ? [...value.values()] : Object.values(value);
  if (!values.every(isValue)) return wrongType(expected);
  try {
    entriesOf(value as ByKind<unknown>); // the values were checked just now; here the keys are tried
    return undefined;
  } catch (error) {
    return wrongType(`${expected} (${error instanceof Error ? error.message : error})`);
  }
}

function withMethods(...names: readonly string[]): Rule {
  return (value) => {
    const complete = isObject(value) && names.every((name) => typeof value[name] === "function");
    return complete
      ? undefined
      : wrongType(`a storage with the methods ${names.join(", ")}; see annotations() and kopf()`);
  };
}

// Finds the name that a mistyped one was meant to be.

/**
 * Returns the known name that is nearest to the written one; undefined if none is near.
 *
 * Case, "-" and "_" do not count, so that `default_backoff` finds `defaultBackoff`; of the rest, a third may be wrong.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = simplify(name);
  let best: string | undefined;
  let least = Math.floor(wanted.length / 3) + 1;
  for (const candidate of known) {
    const distance = distanceBetween(wanted, simplify(candidate));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

function simplify(name: string): string {
  return name.slice(0, 100).replace(/[-_]/g, "").toLowerCase();
}

/** Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let distance = Math.min(
        (current[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
