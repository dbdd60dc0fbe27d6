/**
 * The operators and functions of the language itself.
 *
 * Source: cel-spec, doc/langdef.md, "List of Standard Definitions". `&&`, `||` and `?:` are evaluated by themselves, and stand
 * here for their types.
 */

import type { Environment } from "../environment.ts";
import { formatDouble, plain } from "../../formats/go_double.ts";
import { compilePattern } from "../../schema/patterns.ts";
import {
  compare,
  Duration,
  Failure,
  isSame,
  KeyedList,
  lookUp,
  readDuration,
  readTimestamp,
  typeNameOf,
  TypeValue,
  UnsignedInteger,
} from "../values.ts";
import { readType } from "../type.ts";

const NUMBERS = ["int", "uint", "double"];
const ORDERED = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const [LEAST, MOST, MOST_UNSIGNED] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n];

type List = readonly unknown[];
type Entries = ReadonlyMap<unknown, unknown>;

/** Adds them. */
export function addStandard(environment: Environment): void {
  const never = () => {
    throw new Failure("no such overload");
  };
  environment.function("_?_:_(bool, A, A): A", never);
  environment.function("_&&_(bool, bool): bool", never);
  environment.function("_||_(bool, bool): bool", never);
  environment.function("@not_strictly_false(bool): bool", never);
  environment.function("!_(bool): bool", (value: boolean) => !value);
  environment.function("_==_(A, A): bool", isSame);
  environment.function("_!=_(A, A): bool", (a: unknown, b: unknown) => !isSame(a, b));
  addOrder(environment);
  addArithmetic(environment);
  addCollections(environment);
  addConversions(environment);
  addTexts(environment);
}

function addOrder(environment: Environment): void {
  const tests: Readonly<Record<string, (order: number) => boolean>> = {
    "_<_": (order) => order < 0,
    "_<=_": (order) => order <= 0,
    "_>_": (order) => order > 0,
    "_>=_": (order) => order >= 0,
  };
  const pairs = [
    ...ORDERED.map((type) => [type, type]),
    ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b) => [a, b])),
  ];
  for (const [name, test] of Object.entries(tests)) {
    for (const [a, b] of pairs) {
      environment.function(`${name}(${a}, ${b}): bool`, (left: unknown, right: unknown) => {
        const order = compare(left, right);
        if (order === undefined) throw new Failure("no such overload");
        return test(order);
      });
    }
  }
}

function integer(value: bigint): bigint {
  if (value < LEAST || value > MOST) throw new Failure("integer overflow");
  return value;
}

function unsigned(value: bigint): UnsignedInteger {
  if (value < 0n || value > MOST_UNSIGNED) throw new Failure("unsigned integer overflow");
  return new UnsignedInteger(value);
}

/** Operators of whole numbers, which both sorts have. */
const WHOLE: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "_+_": (a, b) => a + b,
  "_-_": (a, b) => a - b,
  "_*_": (a, b) => a * b,
  "_/_": (a, b) => {
    if (b === 0n) throw new Failure("division by zero");
    return a / b;
  },
  "_%_": (a, b) => {
    if (b === 0n) throw new Failure("modulus by zero");
    return a % b;
  },
};

function addArithmetic(environment: Environment): void {
  for (const [name, compute] of Object.entries(WHOLE)) {
    environment.function(`${name}(int, int): int`, (a: bigint, b: bigint) => integer(compute(a, b)));
    environment.function(
      `${name}(uint, uint): uint`,
      (a: UnsignedInteger, b: UnsignedInteger) => unsigned(compute(a.value, b.value)),
    );
  }
  environment.function("_+_(double, double): double", (a: number, b: number) => a + b);
  environment.function("_-_(double, double): double", (a: number, b: number) => a - b);
  environment.function("_*_(double, double): double", (a: number, b: number) => a * b);
  environment.function("_/_(double, double): double", (a: number, b: number) => a / b);
  environment.function("-_(int): int", (a: bigint) => integer(-a));
  environment.function("-_(double): double", (a: number) => -a);
  environment.function("_+_(string, string): string", (a: string, b: string) => a + b);
  environment.function(
    "_+_(bytes, bytes): bytes",
    (a: Uint8Array, b: Uint8Array) => Uint8Array.from([...a, ...b]),
  );
  environment.function("_+_(list<A>, list<A>): list<A>", concatenate);
  environment.function(
    "_+_(duration, duration): duration",
    (a: Duration, b: Duration) => new Duration(integer(a.nanoseconds + b.nanoseconds)),
  );
  environment.function(
    "_+_(timestamp, duration): timestamp",
    (a: Date, b: Duration) => moved(a, b.nanoseconds),
  );
  environment.function(
    "_+_(duration, timestamp): timestamp",
    (a: Duration, b: Date) => moved(b, a.nanoseconds),
  );
  environment.function(
    "_-_(timestamp, duration): timestamp",
    (a: Date, b: Duration) => moved(a, -b.nanoseconds),
  );
  environment.function(
    "_-_(timestamp, timestamp): duration",
    (a: Date, b: Date) => new Duration(BigInt(a.getTime() - b.getTime()) * 1_000_000n),
  );
  environment.function(
    "_-_(duration, duration): duration",
    (a: Duration, b: Duration) => new Duration(integer(a.nanoseconds - b.nanoseconds)),
  );
}

function moved(time: Date, nanoseconds: bigint): Date {
  return inRange(new Date(time.getTime() + Number(nanoseconds / 1_000_000n)));
}

/** NB: years have four digits. */
function inRange(time: Date): Date {
  const year = time.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) throw new Failure("timestamp overflow");
  return time;
}

/** Of sets, and of lists by keys, an item of the second takes the place of its equal in the first. */
function concatenate(a: List, b: List): List {
  if (!(a instanceof KeyedList)) return [...a, ...b];
  const { key } = a;
  const keyOf = (item: unknown) => key?.(item) ?? item;
  const result = new KeyedList();
  result.key = key;
  for (const item of [...a, ...b]) {
    const at = result.findIndex((other) => isSame(keyOf(other), keyOf(item)));
    if (at < 0) result.push(item);
    else result[at] = item;
  }
  return result;
}

function addCollections(environment: Environment): void {
  environment.function("_[_](list<A>, int): A", at);
  environment.function("_[_](map<A, B>, A): B", (map: Entries, key: unknown) => {
    const found = lookUp(map, key);
    if (found === undefined) throw new Failure(`no such key: ${key}`);
    return found;
  });
  environment.function(
    "@in(A, list<A>): bool",
    (value: unknown, list: List) => list.some((item) => isSame(item, value)),
  );
  environment.function(
    "@in(A, map<A, B>): bool",
    (key: unknown, map: Entries) => lookUp(map, key) !== undefined,
  );
  const sizes: readonly (readonly [string, (value: never) => number])[] = [
    ["string", (text: string) => lengthOf(text)],
    ["bytes", (bytes: Uint8Array) => bytes.length],
    ["list<A>", (list: List) => list.length],
    ["map<A, B>", (map: Entries) => map.size],
  ];
  for (const [type, size] of sizes) {
    environment.function(`size(${type}): int`, (value: never) => BigInt(size(value)));
    environment.member(`${type}.size(): int`, (value: never) => BigInt(size(value)));
  }
  environment.function(
    "cel.@mapInsert(map<A, B>, A, B): map<A, B>",
    (map: Entries, key: unknown, value: unknown) => {
      if (lookUp(map, key) !== undefined) throw new Failure(`insert failed: key ${key} already exists`);
      return new Map([...map, [key, value]]);
    },
  );
  environment.function("cel.@mapInsert(map<A, B>, map<A, B>): map<A, B>", (map: Entries, other: Entries) => {
    for (const key of other.keys()) {
      if (lookUp(map, key) !== undefined) throw new Failure(`insert failed: key ${key} already exists`);
    }
    return new Map([...map, ...other]);
  });
}

function at(list: List, index: bigint): unknown {
  if (index < 0n || index >= BigInt(list.length)) throw new Failure(`index out of bounds: ${index}`);
  return list[Number(index)];
}

/** The number of code points. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) length--;
  return length;
}

function addConversions(environment: Environment): void {
  const add = (signature: string, call: (...values: never[]) => unknown) =>
    environment.function(signature, call);
  add("dyn(A): dyn", (value: unknown) => value);
  add("type(A): type<A>", (value: unknown) => new TypeValue(typeOfValue(value)));
  for (const type of ["bool", "bytes", "double", "duration", "int", "string", "timestamp", "uint"]) {
    add(`${type}(${type}): ${type}`, (value: unknown) => value);
  }
  add("bool(string): bool", (text: string) => {
    if (["true", "True", "TRUE", "t", "1"].includes(text)) return true;
    if (["false", "False", "FALSE", "f", "0"].includes(text)) return false;
    throw unreadable("bool");
  });
  add("bytes(string): bytes", (text: string) => new TextEncoder().encode(text));
  add("double(int): double", Number);
  add("double(uint): double", ({ value }: UnsignedInteger) => Number(value));
  add("double(string): double", (text: string) => {
    if (/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return Number(text);
    throw unreadable("double");
  });
  add("duration(string): duration", (text: string) => {
    const found = readDuration(text);
    if (found === undefined) throw unreadable("google.protobuf.Duration");
    return found;
  });
  add("duration(int): duration", (nanoseconds: bigint) => new Duration(nanoseconds));
  add("int(double): int", (value: number) => wholeOf(value));
  add("int(uint): int", ({ value }: UnsignedInteger) => integer(value));
  add("int(duration): int", ({ nanoseconds }: Duration) => nanoseconds);
  add("int(timestamp): int", (time: Date) => BigInt(Math.floor(time.getTime() / 1000)));
  add("int(string): int", (text: string) => {
    const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
    if (value === undefined || value < LEAST || value > MOST) throw unreadable("int");
    return value;
  });
  add("uint(int): uint", unsigned);
  add("uint(double): uint", (value: number) => unsigned(wholeOf(value)));
  add("uint(string): uint", (text: string) => {
    if (!/^\d+$/.test(text) || BigInt(text) >= 2n ** 64n) throw unreadable("uint");
    return unsigned(BigInt(text));
  });
  for (const type of ["bool", "bytes", "double", "duration", "int", "timestamp", "uint"]) {
    add(`string(${type}): string`, textOf);
  }
  add("timestamp(int): timestamp", (seconds: bigint) => inRange(new Date(Number(seconds) * 1000)));
  add("timestamp(string): timestamp", (text: string) => {
    const found = readTimestamp(text);
    if (found === undefined) throw unreadable("google.protobuf.Timestamp");
    return found;
  });
}

/** A text that says no value of a type. Source: github.com/google/cel-go, common/types/string.go. */
function unreadable(type: string): Failure {
  return new Failure(`type conversion error from 'string' to '${type}'`);
}

function wholeOf(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) throw new Failure("integer overflow");
  return BigInt(Math.trunc(value));
}

function typeOfValue(value: unknown): TypeValue["type"] {
  const name = typeNameOf(value);
  if (name === "null_type") return { kind: "null", name, params: [] };
  if (name === "google.protobuf.Timestamp") return readType("timestamp");
  return name === "google.protobuf.Duration" ? readType("duration") : readType(name);
}

/** Returns a value as `string()` gives it. @throws {Failure} */
export function textOf(value: unknown): string {
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof UnsignedInteger) return String(value.value);
  if (value instanceof Date) return value.toISOString().replace(/\.000Z$|0{1,2}Z$/, "Z");
  if (value instanceof Duration) return `${plain(Number(value.nanoseconds) / 1e9)}s`;
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(value);
  } catch {
    throw new Failure("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function addTexts(environment: Environment): void {
  environment.member("string.contains(string): bool", (text: string, part: string) => text.includes(part));
  environment.member(
    "string.startsWith(string): bool",
    (text: string, part: string) => text.startsWith(part),
  );
  environment.member("string.endsWith(string): bool", (text: string, part: string) => text.endsWith(part));
  const matches = (text: string, pattern: string) => compilePattern(pattern).test(text);
  environment.member("string.matches(string): bool", matches);
  environment.function("matches(string, string): bool", matches);
}
