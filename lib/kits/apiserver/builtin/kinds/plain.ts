/** Kinds of which no more is to be said than their cells. */

import { ageOf, itemsCell, row } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const DEVICE_CLASS: KindModule = { cells: row(ageOf) };
export const SERVICE_ACCOUNT: KindModule = { cells: row(ageOf) };
export const SERVICE_CIDR: KindModule = { cells: row(itemsCell("spec.cidrs"), ageOf) };
