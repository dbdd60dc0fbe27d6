/**
 * What the compiler infers of an operator's memo. `deno check` proves it; running the file only shows that nothing throws.
 */

import { it } from "node:test";
import { operator, resource } from "../../mod.ts";

interface Memo {
  pool: Set<string>;
  count?: number;
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

function expectType<T extends true>(..._: T[]): void {}

const Database = resource<{ size: number }>({ group: "example.com", version: "v1", plural: "databases" });

it("a memo has the operator's type in all handlers, filters and sub-handlers", () => {
  const op = operator<Memo>({ memo: { pool: new Set() } });
  const when = ({ memo }: { memo: Memo }): boolean => memo.pool.size > 0;
  expectType<Equal<typeof op.memo, Memo>>();
  op.on.startup(({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.on.login(({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.on.probe(({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.on.cleanup(({ memo }) => void memo.pool.clear());
  op.on.event(Database, ({ memo, spec }) => {
    expectType<Equal<typeof memo, Memo>>();
    expectType<Equal<typeof spec.size, number>>();
    // @ts-expect-error There is no such thing in it.
    void memo.pol;
    // @ts-expect-error It is a number.
    memo.count = "1";
  });
  op.on.create(Database, { when, id: "make" }, ({ memo, sub }) => {
    expectType<Equal<typeof memo, Memo>>();
    sub("part", ({ memo: inner }) => expectType<Equal<typeof inner, Memo>>());
    sub("other", { when }, ({ memo: inner, sub: deeper }) => {
      expectType<Equal<typeof inner, Memo>>();
      deeper("deep", ({ memo: innermost }) => expectType<Equal<typeof innermost, Memo>>());
    });
  });
  op.on.update(
    Database,
    { id: "change", when: ({ memo }) => memo.pool.has("a") },
    ({ memo }) => expectType<Equal<typeof memo, Memo>>(),
  );
  op.on.delete(Database, ({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.on.resume(Database, ({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.on.field(Database, "spec.size", ({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.on.validate(Database, ({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.on.mutate(Database, { when, id: "mutate" }, ({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.daemon(Database, ({ memo }) => expectType<Equal<typeof memo, Memo>>());
  op.timer(
    Database,
    { interval: 1, id: "tick", initialDelay: ({ memo }) => memo.count ?? 0 },
    ({ memo }) => expectType<Equal<typeof memo, Memo>>(),
  );
  const sizes = op.index(Database, { id: "sizes" }, ({ memo, spec }) => {
    expectType<Equal<typeof memo, Memo>>();
    return { size: spec.size };
  });
  expectType<Equal<ReturnType<typeof sizes.get>, readonly number[] | undefined>>();
});

it("a memo without a type is a record of anything, whatever it begins with", () => {
  const op = operator({ memo: { given: 1 } });
  op.on.create(Database, ({ memo }) => {
    expectType<Equal<typeof memo, Record<string, unknown>>>();
    memo.whatever = 1;
  });
  expectType<Equal<typeof op, ReturnType<typeof operator>>>();
});

it("a memo that an operator begins with must have its type", () => {
  // @ts-expect-error The pool is missing.
  operator<Memo>({ memo: {} });
  operator<Memo>();
  // @ts-expect-error The pool is missing.
  void (() => operator<Memo>().run({ memo: {} }));
});
