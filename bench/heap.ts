/** Memory that is in use, for the benchmarks that run in the process that they measure. */

import process from "node:process";
import { collect } from "../tests/support/heap.ts";

/** Bytes in use after full collections. */
export function usedHeap(): number {
  for (let round = 0; round < 5; round++) collect();
  return process.memoryUsage().heapUsed;
}
