/** What is alive after everything that can be collected is gone: in bytes, and on Bun by the sort of object, too. */

import process from "node:process";
import v8 from "node:v8";
import vm from "node:vm";

/** What Bun has for its collector. */
interface Collector {
  gc(isFull: boolean): void;
}

/** V8's collector. */
type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** What a heap holds. */
export interface Heap {
  /** In bytes. */
  readonly size: number;
  /** Objects by their sort, such as "Promise". Empty where the runtime does not tell. */
  readonly objects: Readonly<Record<string, number>>;
}

/** Compiled code comes and goes with time, and is no sign of anything. */
const CODE = /Code|Executable|Structure|SymbolTable|PropertyTable|^string$/;

/** Returns what is left after full collections. */
export async function heap(): Promise<Heap> {
  let size = Infinity;
  // NB: what finalizers of one collection let go, the next one takes.
  for (let round = 0; round < 3; round++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collect();
    size = Math.min(size, process.memoryUsage().heapUsed);
  }
  return { size, objects: await countObjects() };
}

/** Returns the sorts of objects of which there are more than before, by more than so many. */
export function grownSorts(before: Heap, now: Heap, by: number): Record<string, number> {
  const growth = Object.entries(now.objects)
    .map(([sort, count]): [string, number] => [sort, count - (before.objects[sort] ?? 0)])
    .filter(([sort, more]) => more > by && !CODE.test(sort));
  return Object.fromEntries(growth);
}

/** Collects all that can be collected now, and gives pages that are not needed back to the system, so that resident memory says something. */
export function collect(): void {
  const { Bun, gc } = globalThis as { readonly Bun?: Collector; readonly gc?: Collect };
  if (Bun !== undefined) Bun.gc(true);
  else (gc ?? exposeCollector())({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** V8 shows its collector to contexts that are made after it was told to. */
function exposeCollector(): Collect {
  v8.setFlagsFromString("--expose-gc");
  const gc = vm.runInNewContext("gc") as Collect;
  Object.assign(globalThis, { gc });
  return gc;
}

async function countObjects(): Promise<Record<string, number>> {
  if (!("Bun" in globalThis)) return {};
  const name = "bun:jsc";
  const { heapStats } = await import(name) as { heapStats(): { objectTypeCounts: Record<string, number> } };
  return heapStats().objectTypeCounts;
}
