/** Compares the end of new code on a copy of a cluster with the end of old code there, or with the cluster as it was. */

import type { KubeObject } from "../../../model/object.ts";
import type { ClusterCopy } from "./cluster_copy.ts";
import {
  exampleOf,
  type FieldChange,
  fieldChanges,
  mergeVariants,
  NOTES,
  signatureOf,
} from "./differences.ts";
import type { FailureGroup, Played } from "./play.ts";
import type { LoopGroup, MissedRight } from "./recorder.ts";

/** Objects that differ in the same way in the end. */
export interface DifferenceGroup {
  readonly kind: string;
  /** Seen from the old code; without it, from the cluster as it is. */
  readonly difference: "made" | "gone" | "changed";
  readonly changes: readonly FieldChange[];
  /** All of them, such as "default/one". */
  readonly objects: readonly string[];
}

/** A rehearsal, as JSON. */
export interface Rehearsal {
  readonly hours: number;
  readonly copy: Pick<ClusterCopy, "time" | "resourceVersion" | "counts" | "unread" | "remarks"> & {
    readonly objects: number;
    /** Whose rights were rehearsed. */
    readonly user?: string;
  };
  /** Whether new code does anything else than old code; without old code: anything at all. */
  readonly isDifferent: boolean;
  /** Sentences about handlers that had no object to run for: with one, an equal end proves nothing. */
  readonly unproven: readonly string[];
  readonly differences: readonly DifferenceGroup[];
  /** Rights, loops and failures of the new code that old code does not have. */
  readonly missed: readonly MissedRight[];
  readonly loops: readonly LoopGroup[];
  readonly failures: readonly FailureGroup[];
  /** Sentences about how far the comparison can be trusted. */
  readonly remarks: readonly string[];
  readonly new: Omit<Played, "changed">;
  readonly old?: Omit<Played, "changed">;
}

/** A copy without its objects: how many there were is enough. */
export type CopyDescription = Omit<ClusterCopy, "objects"> & {
  readonly objects: { readonly length: number };
};

/** Compares. */
export function compareRuns(
  copy: CopyDescription,
  { hours, now, old }: { readonly hours: number; readonly now: Played; readonly old?: Played },
): Rehearsal {
  const differences = differencesOf(now, old);
  const missed = now.missed.filter((each) => !old?.missed.some((other) => isSameRight(each, other)));
  const loops = now.loops.filter((each) => !old?.loops.some((other) => isSameLoop(each, other)));
  const failures = now.failures.filter((each) => !old?.failures.some((other) => isSameFailure(each, other)));
  const isDifferent = differences.length + missed.length + loops.length + failures.length > 0 ||
    (now.failure !== undefined && now.failure !== old?.failure);
  const { time, resourceVersion, counts, unread, remarks, objects, rights } = copy;
  return {
    hours,
    copy: {
      time,
      resourceVersion,
      counts,
      unread,
      remarks,
      objects: objects.length,
      ...rights === undefined ? {} : { user: rights.user },
    },
    isDifferent,
    unproven: unprovenOf(copy, now),
    differences,
    missed,
    loops,
    failures,
    remarks: remarksOf(now, old),
    new: withoutObjects(now),
    ...old === undefined ? {} : { old: withoutObjects(old) },
  };
}

function withoutObjects({ changed: _changed, ...played }: Played): Omit<Played, "changed"> {
  return played;
}

function differencesOf(now: Played, old: Played | undefined): DifferenceGroup[] {
  const groups = new Map<
    string,
    { kind: string; group: Omit<DifferenceGroup, "objects">; objects: string[] }
  >();
  for (const title of new Set([...Object.keys(now.changed), ...Object.keys(old?.changed ?? {})])) {
    const [before, after] = endsOf(title, now, old);
    if (before === undefined && after === undefined) continue;
    const changes = fieldChanges(before, after).filter(({ path }) => path !== NOTES);
    const difference = before === undefined ? "made" : after === undefined ? "gone" : "changed";
    if (difference === "changed" && changes.length === 0) continue;
    const kind = (after ?? before)?.kind ?? "";
    // That an object goes is the difference, and not each of its fields.
    const shown = difference === "gone" ? [] : changes;
    const key = `${kind} ${difference} ${signatureOf(shown)}`;
    const entry = groups.get(key) ?? { kind, group: { kind, difference, changes: shown }, objects: [] };
    entry.objects.push(title.slice(title.indexOf(" ") + 1));
    groups.set(key, entry);
  }
  const all = [...groups.values()].map(({ group, objects }) => ({ ...group, objects: objects.sort() }));
  return mergeVariants(all, {
    keyOf: ({ kind, difference }) => `${kind} ${difference}`,
    merge: (first, others) => ({
      ...first,
      changes: exampleOf(first.changes),
      objects: others.flatMap(({ objects }) => objects).sort(),
    }),
  })
    .sort((a, b) =>
      GRAVITY.indexOf(a.difference) - GRAVITY.indexOf(b.difference) || b.objects.length - a.objects.length
    );
}

/** Losses come first: they cannot be undone. */
const GRAVITY: readonly DifferenceGroup["difference"][] = ["gone", "changed", "made"];

/** The object in the end of both runs; a run that has not changed it has it as it was. */
function endsOf(
  title: string,
  now: Played,
  old: Played | undefined,
): readonly [before: KubeObject | undefined, after: KubeObject | undefined] {
  const [ours, theirs] = [entry(now, title), entry(old, title)];
  const start = ours === undefined ? theirs?.before : ours.before;
  return [theirs === undefined ? start : theirs.after, ours === undefined ? start : ours.after];
}

function entry(played: Played | undefined, title: string): Played["changed"][string] | undefined {
  return played !== undefined && Object.hasOwn(played.changed, title) ? played.changed[title] : undefined;
}

function isSameRight(a: MissedRight, b: MissedRight): boolean {
  return a.verb === b.verb && a.resource === b.resource;
}

function isSameLoop(a: LoopGroup, b: LoopGroup): boolean {
  return String(a.handlers) === String(b.handlers) && a.objects.length <= b.objects.length;
}

function isSameFailure(a: FailureGroup, b: FailureGroup): boolean {
  return a.handler === b.handler && a.error === b.error && a.objects <= b.objects;
}

/** A kind that is missing is always a gap; kinds without objects are one if no kind has any. */
function unprovenOf({ unread }: Pick<ClusterCopy, "unread">, { handled = [] }: Played): string[] {
  const missing = handled.filter(({ state }) => state === "missing").map(({ kind }) =>
    `the cluster does not have the kind "${kind}": its handlers did not run (give its definition by --crd, or apply it to the cluster first)`
  );
  if (handled.some(({ state }) => state === "present")) return missing;
  const empty = handled.filter(({ state }) => state === "empty").map(({ kind }) =>
    unread.includes(kind)
      ? `no right to list ${kind}: no object was copied, and its handlers did not run (bind the operator's role first, or take another --as)`
      : `the cluster has no object of ${kind}: its handlers did not run (take another --context or -n, or give objects by --crd)`
  );
  return [...missing, ...empty];
}

function remarksOf(now: Played, old: Played | undefined): string[] {
  const remarks: string[] = [];
  if (now.isCut === true) {
    const hours = Math.round(now.seconds / 360) / 10;
    remarks.push(
      `the time was up after ${hours} virtual hours (--minutes): what is different in the end is so after ${hours} h`,
    );
  }
  if (old !== undefined && old.lotse !== now.lotse) {
    remarks.push(
      `old code ran with Lotse ${old.lotse}, new code with ${now.lotse}: differences may come from there`,
    );
  }
  if (old?.failure !== undefined) remarks.push(`old code ended with an error: ${old.failure}`);
  for (const handler of now.unended) {
    remarks.push(
      `handler "${handler}" has not ended: it waits for real time (timers imported from "node:timers") or for something that is not in the cluster`,
    );
  }
  return remarks;
}
