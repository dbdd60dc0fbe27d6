/** Work for a worker: what the tests of `op.offload()` ask for. */

interface Wish {
  readonly add?: readonly number[];
  readonly fail?: string;
  readonly forever?: boolean;
  /** Shared memory: the cell that says that it has begun, and the one that it waits for. */
  readonly cells?: Int32Array<SharedArrayBuffer>;
  readonly mark?: number;
  readonly until?: number;
}

export default function work(wish: Wish): unknown {
  while (wish.forever) { /* a core is taken */ }
  if (wish.fail !== undefined) throw new RangeError(wish.fail);
  const { cells, mark, until } = wish;
  if (cells !== undefined && mark !== undefined) Atomics.store(cells, mark, 1);
  if (cells !== undefined && until !== undefined) Atomics.wait(cells, until, 0);
  return { sum: wish.add?.reduce((a, b) => a + b, 0) };
}
