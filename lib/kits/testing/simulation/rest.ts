/**
 * Waits until a simulated world is at rest: no handler is called, and no object read or written any more but for watches, Leases, and the work of
 * timers, daemons and tasks, which never ends.
 */

import type { Seconds } from "../../../runtime/host.ts";
import { isForChange } from "./invariants.ts";
import { type SeenCall, shortText, titleOf } from "./journal.ts";
import type { World } from "./world.ts";

/** How long a world must be quiet: longer than the default pause before a retry. */
export const QUIET: Seconds = 65;

/** How long a world may take to come to rest after the last fault; and how often it may be found at work meanwhile. */
const LONGEST: Seconds = 24 * 3600;
const MOST_LOOKS = 15;

/** How many calls in a quiet time are too many, of handlers that are called by the clock. */
const MOST_CALLS = 40;

/** Lets time pass until the world is at rest. Returns why it is not, where it never is. */
export async function waitForRest(world: World): Promise<string | undefined> {
  const { journal } = world;
  const end = world.now + LONGEST;
  let why: string | undefined;
  for (let looks = 0; looks < MOST_LOOKS && world.now < end;) {
    const requests = journal.requests.length;
    const calls = journal.calls.length;
    await world.advance(QUIET);
    why = unrestSince(world, { requests, calls });
    if (why === undefined) return undefined;
    // A turn that is planned for later is waited for.
    if (journal.requests.length > requests || journal.calls.length > calls) looks++;
  }
  return why;
}

function unrestSince(
  world: World,
  since: { readonly requests: number; readonly calls: number },
): string | undefined {
  const { journal } = world;
  const calls = journal.calls.slice(since.calls);
  const change = calls.findLast(isForChange);
  if (change !== undefined) {
    const { call: { handler, object, error } } = change;
    const why = error === undefined ? "" : `, and throws "${shortText(error.message)}"`;
    return `\`${handler}\` is called for \`${object?.name}\` again and again${why}`;
  }
  const running = journal.running.find(isForChange);
  if (running !== undefined) {
    return `\`${running.call.handler}\` of \`${running.call.object?.name}\` never ends`;
  }
  if (calls.length > MOST_CALLS) {
    return `\`${calls[0]?.call.handler}\` is called ${calls.length} times in ${QUIET} s`;
  }
  const waits = plannedIn(world) ?? wokenIn(world, calls);
  if (waits !== undefined) return waits;
  if (calls.length > 0) return undefined;
  const request = journal.requests.slice(since.requests).find(({ verb, kind }) =>
    verb !== "watch" && !kind.startsWith("leases.")
  );
  return request === undefined
    ? undefined
    : `the operator asks for ${titleOf(request)}, although all is done`;
}

/** Causes of turns that are no time that was planned. */
const NEWS: readonly string[] = ["event", "dependency", "write"];

/** Returns which object was reconciled because of news, although nothing but itself can have made any. */
function wokenIn({ alive, history }: World, calls: readonly SeenCall[]): string | undefined {
  // Timers and daemons go on at rest, and may change other objects.
  if (calls.length === 0 || calls.some(({ call: { type } }) => type !== "Handler")) return undefined;
  for (const { object, isGone } of history.present()) {
    for (const { op, clock } of isGone ? [] : alive) {
      const called = op.ledger.of(object)?.entries.find(({ time, wake, handlers }) =>
        time > clock.now() - QUIET * 1000 && NEWS.includes(wake) && handlers.some(({ outcome }) => outcome)
      );
      const handler = called?.handlers.find(({ outcome }) => outcome !== undefined)?.id;
      if (handler === undefined) continue;
      return `\`${handler}\` is called for \`${object.metadata.name}\` again and again, woken by its own work`;
    }
  }
}

/** Returns which object has a turn that goes on, or waits for a planned one. */
export function plannedIn({ alive, history, journal }: World): string | undefined {
  for (const { object, isGone } of history.present()) {
    if (isGone) continue;
    for (const life of alive) {
      const record = life.op.ledger.of(object);
      if (record?.current !== undefined) return `a turn of \`${object.metadata.name}\` goes on`;
      const waits = record?.entries.at(-1)?.waits;
      if (waits === undefined || waits.due <= life.clock.monotonic()) continue;
      // A resync, or the next turn of a reconcile, is planned for ever.
      const last = journal.calls.findLast(({ call }) =>
        call.object?.uid === object.metadata.uid && call.type === "Handler"
      );
      if (waits.wake !== "error" && last?.call.outcome !== "retry" && last?.call.outcome !== "children") {
        continue;
      }
      return `\`${object.metadata.name}\` waits for its next turn (${waits.wake})`;
    }
  }
}
