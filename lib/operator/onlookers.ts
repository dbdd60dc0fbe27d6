/**
 * Who looks on while an operator runs: the ledger, the detector of hot loops.
 */

import { HotLoops } from "../engines/hot_loops.ts";
import { Ledger } from "../engines/ledger.ts";
import { combineObservers, type Observer } from "../execution/observer.ts";
import type { Host } from "../runtime/host.ts";

/** Those of one run. */
export interface Onlookers {
  readonly ledger: Ledger;
  readonly hotLoops: HotLoops;
  /** Tells all of them. */
  readonly observer: Observer;
}

/** Makes those of one run. */
export function gatherOnlookers({ clock }: Host): Onlookers {
  const ledger = new Ledger({ clock });
  const hotLoops = new HotLoops(clock);
  return { ledger, hotLoops, observer: combineObservers([ledger, hotLoops]) };
}
