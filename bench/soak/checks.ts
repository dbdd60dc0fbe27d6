/** What must be true after the soak: the operator's trace against what really happened. */

import type { Truth } from "./changes.ts";
import type { Item } from "./kind.ts";
import type { Call, Line, Sample } from "./trace.ts";

/** The timer's interval, in milliseconds. */
const INTERVAL = 15_000;

/** What there is to compare, when everything has settled. */
export interface Evidence {
  readonly lines: readonly Line[];
  /** By uid. */
  readonly truth: ReadonlyMap<string, Readonly<Truth>>;
}

/** Names of checks, and what was found wrong: nothing, if all is well. */
export type Findings = Record<string, readonly string[]>;

/** What the operator was called for, about one object. */
interface Story {
  readonly uid: string;
  readonly truth: Readonly<Truth> | undefined;
  readonly calls: readonly Call[];
}

/** Looks at the quiet time: nothing has been changed for a while, the objects are still there. */
export function checkSettled({ lines, truth }: Evidence, items: readonly Item[]): Findings {
  const stories = storiesOf({ lines, truth });
  const live = stories.filter((story) => story.truth?.isDeleted === false);
  const uids = new Set(items.map(({ metadata }) => metadata.uid));
  const wanted = live.map(({ truth: { shard, name, n } = never() }) => `${shard}/${name}=${n}`).sort();
  const sample = samplesOf(lines).at(-1);
  const end = sample?.at ?? 0;
  return {
    "the server has what was written": [
      ...live.filter(({ uid }) => !uids.has(uid)).map(tell("it is not there")),
      ...items.filter(({ metadata }) => truth.get(metadata.uid)?.isDeleted !== false)
        .map(({ metadata: { name, finalizers } }) => `${name} is still there, finalizers: ${finalizers}`),
    ],
    "newest states were handled": live
      .filter(({ truth, calls }) => calls.findLast(isHandling)?.n !== truth?.n)
      .map((story) =>
        tell(`${story.calls.findLast(isHandling)?.n} was handled instead of ${story.truth?.n}`)(story)
      ),
    "creations were handled": live.filter(({ calls }) => count(calls, "made") === 0).map(tell("not handled")),
    "the index has what there is": JSON.stringify(sample?.index) === JSON.stringify(wanted)
      ? []
      : [`it has ${sample?.index.join(", ")} instead of ${wanted.join(", ")}`],
    "one daemon runs for each object": live
      .filter(({ calls }) => count(calls, "daemon") !== 1 || count(calls, "daemon-end") !== 0)
      .map(tell("it does not")),
    "timers go on": live
      .filter(({ calls }) => (calls.findLast(({ what }) => what === "tick")?.at ?? 0) < end - 2 * INTERVAL)
      .map(tell("its timer stands still")),
  };
}

/** Looks at the whole: everything was deleted in the end. */
export function checkAll({ lines, truth }: Evidence): Findings {
  const stories = storiesOf({ lines, truth });
  return {
    // One whose object is changed before it is noted down is handled anew: the handler has not seen the new state.
    "no creation was handled twice in the same state": stories
      .filter(({ calls }) => {
        const states = calls.filter(({ what }) => what === "made").map(({ n }) => n);
        return new Set(states).size < states.length;
      })
      .map(tell("handled again")),
    // NB: kube-apiserver removes an object at once that gets its first finalizer while a deletion is under way (seen on
    // 1.36: half of the time when both come together). Nobody can handle that deletion.
    "deletions were handled once": stories
      .filter(({ calls }) => {
        const removed = count(calls, "removed");
        const isSudden = calls.some((call) => call.isSudden === true);
        return removed > 1 || (removed === 0 && count(calls, "made") > 0 && !isSudden);
      })
      .map((story) => tell(`handled ${count(story.calls, "removed")} times`)(story)),
    "ends were announced once": stories
      .filter(({ calls }) => count(calls, "gone") !== 1)
      .map((story) => tell(`announced ${count(story.calls, "gone")} times`)(story)),
    "nothing older came after something newer": stories
      .filter(({ calls }) => {
        const states = calls.filter(isHandling).map(({ n }) => n);
        return states.some((n, index) => n < (states[index - 1] ?? 0));
      })
      .map(tell("it did")),
    "nothing was called after the end": stories
      .filter(({ calls }) => {
        // A daemon may start before the finalizer is stored, and so be told of the end by the end.
        const others = calls.filter(({ what }) => what !== "daemon-end");
        const end = others.findIndex(({ what }) => what === "gone");
        return end >= 0 && end < others.length - 1;
      })
      .map((story) => tell(story.calls.slice(-3).map(({ what }) => what).join(", "))(story)),
    "daemons have ended": stories
      .filter(({ calls }) => count(calls, "daemon") !== count(calls, "daemon-end"))
      .map(tell("its daemon did not end")),
    "nobody else was there": stories.filter((story) => story.truth === undefined).map(tell("unknown")),
  };
}

/** The longest time between two runs of a timer, in seconds. */
export function longestPause(lines: readonly Line[]): number {
  const last = new Map<string, number>();
  let longest = 0;
  for (const line of lines) {
    if (line.what !== "tick") continue;
    longest = Math.max(longest, line.at - (last.get(line.uid) ?? line.at));
    last.set(line.uid, line.at);
  }
  return longest / 1000;
}

export function samplesOf(lines: readonly Line[]): readonly Sample[] {
  return lines.filter((line) => line.what === "sample");
}

/** How fast something grows, by least squares: per minute. */
export function slopeOf(points: readonly { readonly at: number; readonly value: number }[]): number {
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const [x, y] = [mean(points.map(({ at }) => at)), mean(points.map(({ value }) => value))];
  const covariance = mean(points.map(({ at, value }) => (at - x) * (value - y)));
  return covariance / mean(points.map(({ at }) => (at - x) ** 2)) * 60_000;
}

function storiesOf({ lines, truth }: Evidence): readonly Story[] {
  const calls = new Map<string, Call[]>();
  for (const uid of truth.keys()) calls.set(uid, []);
  for (const line of lines) {
    if (line.what === "sample") continue;
    const story = calls.get(line.uid);
    if (story === undefined) calls.set(line.uid, [line]);
    else story.push(line);
  }
  // One that was deleted before anybody saw it has no story.
  return [...calls].map(([uid, list]) => ({ uid, truth: truth.get(uid), calls: list }))
    .filter((story) => story.calls.length > 0 || story.truth?.isDeleted === false);
}

function isHandling({ what }: Call): boolean {
  return what === "made" || what === "changed";
}

function count(calls: readonly Call[], wanted: Call["what"]): number {
  return calls.filter(({ what }) => what === wanted).length;
}

function tell(problem: string): (story: Story) => string {
  return ({ uid, truth, calls }) => `${truth?.name ?? calls[0]?.name} (${uid}): ${problem}`;
}

function never(): never {
  throw new Error("A live object has a truth");
}
