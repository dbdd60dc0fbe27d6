/** The share of each priority level in a server that serves so many requests at once as kube-apiserver does by default. */

import type { Store } from "../store.ts";
import { objectAt } from "../values.ts";
import { LEVELS } from "./matching.ts";

/** Source: Kubernetes documentation, kube-apiserver, `--max-requests-inflight` and `--max-mutating-requests-inflight`. */
const SEATS = 400 + 200;

/** Returns the nominal number of seats of each level, by its name. */
export function nominalSeats(store: Store): Map<string, number> {
  const shares = new Map<string, number>();
  for (const { object: { metadata, spec } } of store.collection(LEVELS).values()) {
    const { nominalConcurrencyShares } = objectAt(spec, "limited") ?? objectAt(spec, "exempt") ?? {};
    shares.set(metadata.name ?? "", Number(nominalConcurrencyShares ?? 0));
  }
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  return new Map([...shares].map(([name, share]) => [name, sum === 0 ? 0 : Math.ceil(SEATS * share / sum)]));
}
