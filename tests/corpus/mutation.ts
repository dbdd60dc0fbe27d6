/**
 * Objects with a fault or two: what authors get wrong, by seed.
 */

import type { JsonObject } from "../../lib/model/object.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";
import { isObject } from "./documents.ts";

/** A member of an object, or an item of a list. */
interface Member {
  readonly holder: JsonObject | unknown[];
  readonly key: string | number;
}

type Change = (member: Member, value: unknown) => void;

/** Returns a copy with one or two members below `spec` and its like deleted, nulled, negated, emptied or repeated. */
export function mutated(object: JsonObject, seed: number): JsonObject {
  const copy = structuredClone(object);
  const random = createVirtualRandom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random.next() * list.length)];
  const count = random.next() < 0.5 ? 1 : 2;
  for (let change = 0; change < count; change++) {
    const members = [...membersBelow(copy, true)];
    const member = pick(members);
    if (member === undefined) break;
    pick(CHANGES)?.(member, at(member));
  }
  return copy;
}

/** NB: identity stays, as a fault there hides all others. */
const KEPT = ["apiVersion", "kind", "metadata"];

function* membersBelow(holder: JsonObject | unknown[], isTop: boolean): Generator<Member> {
  const keys = Array.isArray(holder) ? holder.keys() : Object.keys(holder);
  for (const key of keys) {
    if (isTop && KEPT.includes(String(key))) continue;
    const member = { holder, key };
    yield member;
    const value = at(member);
    if (Array.isArray(value) || isObject(value)) yield* membersBelow(value, false);
  }
}

function at({ holder, key }: Member): unknown {
  return Array.isArray(holder) ? holder[Number(key)] : holder[key];
}

function put({ holder, key }: Member, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else holder[key] = value;
}

const CHANGES: readonly Change[] = [remove, nullify, negate, empty, repeat];

function remove({ holder, key }: Member): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function nullify(member: Member): void {
  put(member, null);
}

/** A value becomes its opposite; where there is none, one of another type. */
function negate(member: Member, value: unknown): void {
  if (typeof value === "boolean") put(member, !value);
  else if (typeof value === "number") put(member, value === 0 ? -1 : -value);
  else if (typeof value === "string") put(member, `!${value}`);
  else put(member, Array.isArray(value) ? {} : []);
}

function empty(member: Member, value: unknown): void {
  if (typeof value === "string") put(member, "");
  else if (typeof value === "number") put(member, 0);
  else if (Array.isArray(value)) put(member, []);
  else put(member, isObject(value) ? {} : false);
}

function repeat({ holder, key }: Member, value: unknown): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(value));
  else if (Array.isArray(value)) holder[key] = [...value, ...structuredClone(value)];
  else holder[key] = typeof value === "string" ? value + value : [value, structuredClone(value)];
}
