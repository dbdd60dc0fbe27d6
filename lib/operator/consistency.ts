/**
 * Events that come after an own write, but show a state from before it.
 *
 * Where versions are numbers, they are known by that: see `isNewer()`. Elsewhere the event with exactly the version of the
 * write is waited for, though not for longer than `persistence.consistencyTimeout`: what comes before it is old.
 * Source: Kopf, A §6.7; design, decision 5.
 */

import type { KubeObject, WatchEvent } from "../model/object.ts";
import { isNewer } from "../model/versions.ts";
import type { Pass } from "./pass.ts";
import type { Next } from "./queueing.ts";

/** Waits for the event of a write, where it could not be told otherwise from older ones. */
export function expectEvent({ memory, settings, host }: Pass, written: KubeObject): void {
  const { resourceVersion: before } = memory.body.metadata;
  const { resourceVersion: version } = written.metadata;
  const timeout = settings.persistence.consistencyTimeout;
  if (timeout === 0 || version === undefined || version === before) return;
  if (isNewer(version, before) !== undefined) return;
  memory.expected = { version, until: host.clock.monotonic() + timeout };
}

/** Tells whether an event shows a state from before the last write; it is then kept for the case that nothing else comes. */
export function isEarly({ memory }: Pass, event: WatchEvent): boolean {
  const { expected } = memory;
  if (expected === undefined) return false;
  const isOver = event.type === "DELETED" || event.object.metadata.resourceVersion === expected.version;
  if (isOver) memory.expected = undefined;
  else expected.skipped = event.object;
  return !isOver;
}

/** Gives what was passed over, if nothing else has come in time; to be asked before anything else. */
export function takeSkipped({ memory, host }: Pass): KubeObject | undefined {
  const { expected } = memory;
  if (expected === undefined || host.clock.monotonic() < expected.until) return undefined;
  memory.expected = undefined;
  return expected.skipped;
}

/** Sees to it that what was passed over is looked at when the time is over. */
export function untilConsistent({ memory, host }: Pass, next: Next): Next {
  const { expected } = memory;
  if (expected?.skipped === undefined || next.gone === true) return next;
  const left = Math.max(0, expected.until - host.clock.monotonic());
  if (next.after !== undefined && next.after <= left) return next;
  return { ...next, after: left, wake: "event", unchanged: false };
}
