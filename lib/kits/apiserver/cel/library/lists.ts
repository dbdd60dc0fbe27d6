/**
 * Kubernetes' functions of lists, and the sets of cel-go.
 *
 * Source: Kubernetes documentation, "Common Expression Language in Kubernetes", "Kubernetes list library"; cel-go, ext/sets.
 */

import type { Environment } from "@marcbachmann/cel-js";
import { sameFields } from "../equality.ts";

class Sets {}

type List = readonly unknown[];

/** Adds them. */
export function addListLibrary(environment: Environment): void {
  environment.registerFunction("list<A>.isSorted(): bool", isSorted);
  environment.registerFunction("list<A>.min(): A", (list: List) => extreme(list, { name: "min", sign: -1 }));
  environment.registerFunction("list<A>.max(): A", (list: List) => extreme(list, { name: "max", sign: 1 }));
  environment.registerFunction(
    "list<int>.sum(): int",
    (list: readonly bigint[]) => list.reduce((a, b) => a + b, 0n),
  );
  environment.registerFunction(
    "list<double>.sum(): double",
    (list: readonly number[]) => list.reduce((a, b) => a + b, 0),
  );
  environment.registerFunction(
    "list<A>.indexOf(A): int",
    (list: List, value: unknown) => BigInt(list.findIndex((item) => sameFields(item, value))),
  );
  environment.registerFunction(
    "list<A>.lastIndexOf(A): int",
    (list: List, value: unknown) => BigInt(list.findLastIndex((item) => sameFields(item, value))),
  );
  environment.registerType("SetsNamespace", Sets);
  environment.registerConstant("sets", "SetsNamespace", new Sets());
  environment.registerFunction(
    "SetsNamespace.contains(list<A>, list<A>): bool",
    (_: Sets, a: List, b: List) => contains(a, b),
  );
  environment.registerFunction(
    "SetsNamespace.equivalent(list<A>, list<A>): bool",
    (_: Sets, a: List, b: List) => contains(a, b) && contains(b, a),
  );
  environment.registerFunction(
    "SetsNamespace.intersects(list<A>, list<A>): bool",
    (_: Sets, a: List, b: List) => a.some((item) => contains(b, [item])),
  );
}

function contains(list: List, wanted: List): boolean {
  return wanted.every((value) => list.some((item) => sameFields(item, value)));
}

function isSorted(list: List): boolean {
  return list.every((item, index) => index === 0 || compare(list[index - 1], item) <= 0);
}

function extreme(list: List, { name, sign }: { readonly name: string; readonly sign: number }): unknown {
  if (list.length === 0) throw new RangeError(`${name} called on empty list`);
  return list.reduce((best, item) => compare(item, best) * sign > 0 ? item : best);
}

function compare(a: unknown, b: unknown): number {
  // Values of one type, which JavaScript can order: texts, numbers, times.
  const [left, right] = [a as string, b as string];
  return left < right ? -1 : left > right ? 1 : 0;
}
