/**
 * Finds what somebody meant who mistyped a name.
 */

/**
 * Gives the known name that is nearest to what was written; undefined if none is near.
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
