/** The measurements of `size`, in words for people and as JSON, and the `resources:` that follow from them. */

import type { Measured, SizePlan } from "../kits/testing/sizing/mod.ts";

/** All measurements of one call. */
export interface Sizes {
  readonly plan: SizePlan;
  /** With the objects of all kinds. */
  readonly all: Measured;
  /** With those of one kind alone; of no kind where there is one, or where there are many. */
  readonly alone: Readonly<Record<string, Measured>>;
}

/** The `resources:` of a container. */
export interface Resources {
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly limits: { readonly memory: string };
}

const MIB = 2 ** 20;
const MB = 1e6;

/** So much more than at rest is requested: objects grow, and work takes memory, too. */
const OVER_REST = 1.2;

/** So much more than the peak of the start is allowed: a list that is begun anew comes beside the objects that are there. */
const OVER_PEAK = 1.3;

/** How long a start may take by its request alone, in seconds. */
const START = 60;

/** The least CPU that is requested, in thousandths of a processor. */
const LEAST_CPU = 50;

/** The growth by fewer objects is less than the process varies by itself. */
const LEAST_OBJECTS = 2000;

/** Returns the resources that follow from a measurement. */
export function resourcesFor({ rest, peak, cpu }: Measured): Resources {
  const wanted = Math.max(LEAST_CPU, Math.ceil((cpu / START) * 100) * 10);
  const requested = rounded(rest * OVER_REST);
  return {
    requests: { cpu: `${wanted}m`, memory: `${requested}Mi` },
    limits: { memory: `${Math.max(requested, rounded(peak * OVER_PEAK))}Mi` },
  };
}

/** In steps of 16 Mi. */
function rounded(bytes: number): number {
  return Math.ceil(bytes / MIB / 16) * 16;
}

/** Returns everything as one value for programs. */
export function jsonOf(sizes: Sizes): object {
  const { plan, all } = sizes;
  const { kinds, ...process } = all;
  return {
    ...process,
    kinds: kinds.map((kind) => {
      const bytes = plan.kinds.find((each) => each.kind === kind.kind)?.bytes ?? 0;
      return { ...kind, bytes, per10000: growthOf(sizes, kind.kind) };
    }),
    resources: resourcesFor(all),
  };
}

/** Returns by how many bytes 10,000 objects of a kind make the process larger at rest; undefined: that was not measured, or there were too few. */
function growthOf({ plan, all, alone }: Sizes, kind: string): number | undefined {
  const counted = plan.kinds.filter(({ objects }) => objects > 0);
  const { objects = 0 } = counted.find((each) => each.kind === kind) ?? {};
  const measured = alone[kind] ?? (counted.length === 1 ? all : undefined);
  if (measured === undefined || objects < LEAST_OBJECTS) return undefined;
  return Math.round((measured.rest - measured.before) / objects * 10_000);
}

/** Returns everything in words. */
export function told(sizes: Sizes): string {
  const { plan, all } = sizes;
  const counted = all.kinds.filter(({ objects }) => objects > 0);
  const rows = counted.map(({ kind, objects, sent, packed, packedBytes }) => {
    const bytes = plan.kinds.find((each) => each.kind === kind)?.bytes ?? 0;
    const growth = growthOf(sizes, kind);
    return [
      kind,
      String(objects),
      String(bytes),
      String(sent),
      growth === undefined ? "" : (growth / MB).toFixed(0),
      String(packed),
      packed === 0 ? "" : (packedBytes / packed).toFixed(0),
    ];
  });
  const head = ["kind", "objects", "bytes each", "as sent", "MB per 10,000", "packed", "bytes packed"];
  const { requests, limits } = resourcesFor(all);
  const refused = Object.entries(all.refused).map(([request, count]) =>
    `Refused: ${request}, ${count} times\n`
  );
  const isSmall = counted.some(({ objects }) => objects < LEAST_OBJECTS);
  const small = isSmall
    ? `(fewer than ${LEAST_OBJECTS} objects: by how much they grow it cannot be told)\n`
    : "";
  return `${table([head, ...rows])}${small}
memory before   ${mb(all.before)}  (the operator runs, and has listed nothing)
memory at peak  ${mb(all.peak)}  (while it lists)
memory at rest  ${mb(all.rest)}
start           ${all.cpu.toFixed(1)} s of CPU in ${all.took.toFixed(1)} s, longest block ${
    (all.block * 1000).toFixed(0)
  } ms
${refused.join("")}${all.warnings.map((warning) => `Warning: ${warning}\n`).join("")}
resources:
  requests:
    cpu: ${requests.cpu} # the start takes a minute with that alone
    memory: ${requests.memory} # at rest, and a fifth more for work
  limits:
    memory: ${limits.memory} # the peak, and three tenths more for a list that is begun anew

Measured on ${all.runtime}. The runtime of the image counts: measure on the one that your executable has inside.
`;
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`.padStart(8);
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length))
  );
  return rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
    )
      .join("  ").trimEnd() + "\n"
  ).join("");
}
