/**
 * Functions of lists: Kubernetes' own, and cel-go's extensions for lists and sets.
 *
 * Source: Kubernetes documentation, "Common Expression Language in Kubernetes", "Kubernetes list library"; cel-go, ext/lists.go
 * and ext/sets.go.
 */

import type { Environment } from "../environment.ts";
import { compare, Duration, Failure, isSame, Optional, typeNameOf, UnsignedInteger } from "../values.ts";

type List = readonly unknown[];

const SUMMED = ["int", "uint", "double", "duration"];
const COMPARED = [...SUMMED, "bool", "timestamp", "string", "bytes"];
/** The longest list that `lists.range()` makes: a longer one would not fit into the costs of an expression. */
const LONGEST = 1_000_000n;

/** Adds them. */
export function addListLibrary(environment: Environment): void {
  for (const type of SUMMED) {
    environment.member(`list<${type}>.sum(): ${type}`, (list: List) => sum(list, type));
  }
  for (const type of COMPARED) {
    const list = `list<${type}>`;
    environment.member(`${list}.isSorted(): bool`, isSorted);
    environment.member(`${list}.min(): ${type}`, (items: List) => extreme(items, { name: "min", sign: -1 }));
    environment.member(`${list}.max(): ${type}`, (items: List) => extreme(items, { name: "max", sign: 1 }));
    environment.member(`${list}.sort(): ${list}`, (items: List) => sortedBy(items, items));
    environment.member(`list<A>.@sortByAssociatedKeys(${list}): list<A>`, sortedBy);
  }
  environment.member(
    "list<A>.indexOf(A): int",
    (list: List, value: unknown) => BigInt(list.findIndex((item) => isSame(item, value))),
  );
  environment.member(
    "list<A>.lastIndexOf(A): int",
    (list: List, value: unknown) => BigInt(list.findLastIndex((item) => isSame(item, value))),
  );
  environment.member("list<A>.slice(int, int): list<A>", slice);
  environment.member("list<list<A>>.flatten(): list<A>", (list: List) => flatten(list, 1n));
  environment.member("list<dyn>.flatten(int): list<dyn>", flatten);
  environment.member("list<A>.reverse(): list<A>", (list: List) => [...list].reverse());
  environment.member("list<A>.distinct(): list<A>", distinct);
  environment.member("list<A>.first(): optional<A>", (list: List) => optionalOf(list[0], list));
  environment.member("list<A>.last(): optional<A>", (list: List) => optionalOf(list.at(-1), list));
  environment.function("lists.range(int): list<int>", (count: bigint) => {
    if (count > LONGEST) throw new Failure("operation cancelled: actual cost limit exceeded", true);
    return Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index));
  });
  environment.function("sets.contains(list<A>, list<A>): bool", contains);
  environment.function(
    "sets.equivalent(list<A>, list<A>): bool",
    (a: List, b: List) => contains(a, b) && contains(b, a),
  );
  environment.function(
    "sets.intersects(list<A>, list<A>): bool",
    (a: List, b: List) => a.some((item) => contains(b, [item])),
  );
}

function optionalOf(item: unknown, list: List): Optional {
  return list.length === 0 ? Optional.NONE : new Optional(item);
}

function contains(list: List, wanted: List): boolean {
  return wanted.every((value) => list.some((item) => isSame(item, value)));
}

function sum(list: List, type: string): unknown {
  // The items are of the type that the overload names.
  switch (type) {
    case "int":
      return (list as readonly bigint[]).reduce((a, b) => a + b, 0n);
    case "double":
      return (list as readonly number[]).reduce((a, b) => a + b, 0);
    case "duration":
      return new Duration((list as readonly Duration[]).reduce((a, { nanoseconds }) => a + nanoseconds, 0n));
    default:
      return unsignedSum(list as readonly UnsignedInteger[]);
  }
}

function unsignedSum(list: readonly UnsignedInteger[]): UnsignedInteger {
  return new UnsignedInteger(list.reduce((a, { value }) => a + value, 0n));
}

function orderOf(a: unknown, b: unknown): number {
  const order = compare(a, b);
  if (order === undefined) throw new Failure("list elements must have the same type");
  return order;
}

function isSorted(list: List): boolean {
  return list.every((item, index) => index === 0 || orderOf(list[index - 1], item) <= 0);
}

function extreme(list: List, { name, sign }: { readonly name: string; readonly sign: number }): unknown {
  if (list.length === 0) throw new Failure(`${name} called on empty list`);
  return list.reduce((best, item) => orderOf(item, best) * sign > 0 ? item : best);
}

function sortedBy(list: List, keys: List): List {
  const first = typeNameOf(keys[0]);
  if (keys.some((key) => typeNameOf(key) !== first)) {
    throw new Failure("list elements must have the same type");
  }
  const places = [...list.keys()].sort((a, b) => orderOf(keys[a], keys[b]));
  return places.map((place) => list[place]);
}

function slice(list: List, start: bigint, end: bigint): List {
  const at = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new Failure(`${at}, negative indexes not supported`);
  if (start > end) throw new Failure(`${at}, start index must be less than or equal to end index`);
  if (BigInt(list.length) < end) throw new Failure(`${at}, list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function flatten(list: List, depth: bigint): List {
  if (depth < 0n) throw new Failure("level must be non-negative");
  return list.flatMap((item) => Array.isArray(item) && depth > 0n ? flatten(item, depth - 1n) : [item]);
}

function distinct(list: List): List {
  const found: unknown[] = [];
  for (const item of list) if (!found.some((other) => isSame(item, other))) found.push(item);
  return found;
}
