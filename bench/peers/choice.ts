/** Which rows are measured of whom: a run of everything takes an hour. */

import { type Peer, PEERS } from "./peers.ts";
import { type RowName, ROWS } from "./rows.ts";

/**
 * Returns what `--only` asks for, as the rows of each peer, in the order of all peers. Each text is "ROWS/PEERS", lists with
 * commas; what is empty or absent is everything, and a name that ends with "*" stands for all that begin so.
 *
 * @throws {RangeError} If a name is nobody's.
 */
export function wantedBy(only: readonly string[]): Map<Peer, Set<RowName>> {
  const pairs = only.map((text) => text.split("/")).map(([rows = "", whom = ""]) => ({
    rows: chosen(ROWS, rows).map(({ name }) => name),
    whom: chosen(PEERS, whom),
  }));
  const all = PEERS.map((peer): [Peer, Set<RowName>] => {
    const rows = pairs.filter(({ whom }) => whom.includes(peer)).flatMap((pair) => pair.rows);
    return [peer, new Set(peer.raw === undefined ? rows : rows.filter((name) => name === "handled"))];
  });
  return new Map(all.filter(([, rows]) => rows.size > 0));
}

function chosen<Named extends { readonly name: string }>(
  all: readonly Named[],
  names: string,
): readonly Named[] {
  if (names === "") return all;
  const matching = names.split(",").map((name) => {
    const matches = all.filter((each) =>
      name.endsWith("*") ? each.name.startsWith(name.slice(0, -1)) : each.name === name
    );
    if (matches.length > 0) return matches;
    throw new RangeError(`There is no "${name}" among: ${all.map((each) => each.name).join(", ")}`);
  });
  return all.filter((each) => matching.some((matches) => matches.includes(each)));
}
