/** Work for a worker: what the tests of `op.offload()` ask for. */

interface Wish {
  readonly add?: readonly number[];
  readonly fail?: string;
  readonly forever?: boolean;
  readonly wait?: number;
}

export default async function work(wish: Wish): Promise<unknown> {
  while (wish.forever) { /* a core is taken */ }
  if (wish.fail !== undefined) throw new RangeError(wish.fail);
  const begun = Date.now();
  if (wish.wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wish.wait));
  return { sum: wish.add?.reduce((a, b) => a + b, 0), begun, ended: Date.now() };
}
