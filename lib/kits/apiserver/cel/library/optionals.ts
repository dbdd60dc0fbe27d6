/**
 * Optional values.
 *
 * Source: cel-go, cel/library.go, OptionalTypes. `a.?b` is evaluated by itself; `optMap` and `optFlatMap` are macros.
 */

import type { Environment } from "../environment.ts";
import { Failure, isSame, lookUp, Optional } from "../values.ts";

type List = readonly unknown[];
type Entries = ReadonlyMap<unknown, unknown>;

/** Values that `optional.ofNonZeroValue()` takes for none. */
const ZEROS = [false, 0n, 0, "", null, [], new Map()];

/** Adds them. */
export function addOptionals(environment: Environment): void {
  environment.function("optional.of(A): optional<A>", (value: unknown) => new Optional(value));
  environment.function(
    "optional.ofNonZeroValue(A): optional<A>",
    (value: unknown) => ZEROS.some((zero) => isSame(zero, value)) ? Optional.NONE : new Optional(value),
  );
  environment.function("optional.none(): optional<A>", () => Optional.NONE);
  environment.function("optional.unwrap(list<optional<A>>): list<A>", present);
  environment.member("list<optional<A>>.unwrapOpt(): list<A>", present);
  environment.member("optional<A>.value(): A", (optional: Optional) => optional.value());
  environment.member("optional<A>.hasValue(): bool", (optional: Optional) => optional.hasValue());
  environment.member(
    "optional<A>.or(optional<A>): optional<A>",
    (optional: Optional, other: Optional) => optional.hasValue() ? optional : other,
  );
  environment.member(
    "optional<A>.orValue(A): A",
    (optional: Optional, other: unknown) => optional.orElse(other),
  );
  environment.function("_[?_](list<A>, int): optional<A>", itemOf);
  environment.function("_[?_](map<A, B>, A): optional<B>", entryOf);
  for (const operator of ["_[?_]", "_[_]"]) {
    environment.function(
      `${operator}(optional<list<A>>, int): optional<A>`,
      // The value of such an optional is a list, or below: a map.
      (list: Optional, index: bigint) => list.hasValue() ? itemOf(list.value() as List, index) : list,
    );
    environment.function(
      `${operator}(optional<map<A, B>>, A): optional<B>`,
      (map: Optional, key: unknown) => map.hasValue() ? entryOf(map.value() as Entries, key) : map,
    );
  }
}

function present(list: readonly Optional[]): List {
  return list.filter((item) => item.hasValue()).map((item) => item.value());
}

function itemOf(list: List, index: bigint): Optional {
  if (!Array.isArray(list)) throw new Failure("no such overload");
  return index < 0n || index >= BigInt(list.length) ? Optional.NONE : new Optional(list[Number(index)]);
}

function entryOf(map: Entries, key: unknown): Optional {
  if (!(map instanceof Map)) throw new Failure("no such overload");
  const found = lookUp(map, key);
  return found === undefined ? Optional.NONE : new Optional(found);
}
