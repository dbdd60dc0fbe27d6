/**
 * The values of expressions.
 *
 * Texts, truths and null are JavaScript's; integers are bigints, doubles numbers, bytes Uint8Arrays, lists arrays, maps Maps,
 * timestamps Dates. The rest are classes of this file. Source: cel-spec, doc/langdef.md, "Values".
 */

import { printType, type Type } from "./type.ts";

/** A `uint`. */
export class UnsignedInteger {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A `duration`, in nanoseconds. */
export class Duration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** A value that may be missing. */
export class Optional {
  static readonly NONE = new Optional(undefined);
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  hasValue(): boolean {
    return this.#value !== undefined;
  }

  /** @throws {Failure} If there is none. */
  value(): unknown {
    if (this.#value === undefined) throw new Failure("optional.none() dereference");
    return this.#value;
  }

  orElse(other: unknown): unknown {
    return this.#value ?? other;
  }
}

/** A type as a value: the result of `type(x)`. */
export class TypeValue {
  readonly type: Type;

  constructor(type: Type) {
    this.type = type;
  }
}

/** An object with the fields of a type. It is read when it is asked. */
export interface FieldValue {
  /** Tells the type; only objects have it. */
  readonly fieldsOf: Type;
  /** Undefined if it is not there. */
  get(field: string): unknown;
  /** The names of the fields that are there. */
  fields(): readonly string[];
}

/** A value of a library, such as a quantity. */
export interface LibraryValue {
  readonly typeName: string;
  equals(other: unknown): boolean;
}

/**
 * The end of an evaluation that has no result: it is thrown, and goes around as a value where a fold goes on after it.
 *
 * NB: no Error, of which making a hundred thousand would take longest.
 */
export class Failure {
  readonly message: string;
  /** Whether even `||` does not absorb it. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal = false) {
    this.message = message;
    this.isFinal = isFinal;
  }
}

export function isFieldValue(value: unknown): value is FieldValue {
  return typeof value === "object" && value !== null && "fieldsOf" in value;
}

export function isLibraryValue(value: unknown): value is LibraryValue {
  return typeof value === "object" && value !== null && "typeName" in value;
}

/** Returns the name of a value's type, as errors print it. */
export function typeNameOf(value: unknown): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      if (value === null) return "null_type";
      if (Array.isArray(value)) return "list";
      if (value instanceof Map) return "map";
      if (value instanceof Uint8Array) return "bytes";
      if (value instanceof UnsignedInteger) return "uint";
      if (value instanceof Duration) return "google.protobuf.Duration";
      if (value instanceof Date) return "google.protobuf.Timestamp";
      if (value instanceof Optional) return "optional_type";
      if (value instanceof TypeValue) return "type";
      if (isFieldValue(value)) return printType(value.fieldsOf);
      return isLibraryValue(value) ? value.typeName : "dyn";
  }
}

/** Returns the number in a value; undefined if it is none. */
function numberOf(value: unknown): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof UnsignedInteger ? value.value : undefined;
}

/** Tells whether two values are the same: numbers by their worth, everything else by type, too. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return !Number.isNaN(a);
  const [left, right] = [numberOf(a), numberOf(b)];
  // NB: a bigint and a number are compared by their worth.
  // deno-lint-ignore eqeqeq
  if (left !== undefined && right !== undefined) return left == right;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) && Array.isArray(b)) return sameLists(a, b);
  if (a instanceof Map && b instanceof Map) return sameMaps(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b) === 0;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof Duration && b instanceof Duration) return a.nanoseconds === b.nanoseconds;
  if (a instanceof TypeValue && b instanceof TypeValue) return runtimeName(a.type) === runtimeName(b.type);
  if (a instanceof Optional && b instanceof Optional) {
    return a.hasValue() === b.hasValue() && (!a.hasValue() || isSame(a.value(), b.value()));
  }
  if (isFieldValue(a) && isFieldValue(b)) return sameFields(a, b);
  return isLibraryValue(a) && a.equals(b);
}

/** The types of values have no parameters. */
export function runtimeName({ name }: Type): string {
  return name;
}

/** NB: lists whose schema says that they are sets or maps know no order. */
function sameLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  if (a instanceof KeyedList || b instanceof KeyedList) {
    return a.every((item) => b.some((other) => isSame(item, other)));
  }
  return a.every((item, index) => isSame(item, b[index]));
}

function sameMaps(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const found = lookUp(b, key);
    if (found === undefined || !isSame(value, found)) return false;
  }
  return true;
}

function sameFields(a: FieldValue, b: FieldValue): boolean {
  const names = a.fields();
  return names.length === b.fields().length && names.every((name) => {
    const other = b.get(name);
    return other !== undefined && isSame(a.get(name), other);
  });
}

/** A list of which a schema says that it is a set, or a map by some keys. */
export class KeyedList extends Array<unknown> {
  /** Returns the key that identifies an item; undefined: the item itself. */
  key: ((item: unknown) => readonly unknown[]) | undefined;

  // NB: map() and its like make a plain list.
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** Returns the value under a key, of whatever sort of number; undefined if there is none. */
export function lookUp(map: ReadonlyMap<unknown, unknown>, key: unknown): unknown {
  const found = map.get(key);
  if (found !== undefined || typeof key === "string") return found;
  for (const [each, value] of map) if (isSame(each, key)) return value;
  return undefined;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Returns less than 0, 0, or more; undefined if the two cannot be compared. */
export function compare(a: unknown, b: unknown): number | undefined {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) {
    return left < right ? -1 : left > right ? 1 : left >= right ? 0 : Number.NaN;
  }
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (a instanceof Duration && b instanceof Duration) {
    return a.nanoseconds < b.nanoseconds ? -1 : a.nanoseconds > b.nanoseconds ? 1 : 0;
  }
  return undefined;
}

/** NB: by code points, which JavaScript does not compare by beyond U+FFFF. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a.codePointAt(i)!, b.codePointAt(i)!];
    if (left !== right) return left - right;
  }
  return a.length - b.length;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "µs": 1_000n,
  "μs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const DURATION = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;
/** A part of it. Sticky, as parts follow each other: text without a unit would be searched anew from each of its digits. */
const DURATION_PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/gy;

/** Reads a duration as Go writes it, such as "1h30m"; undefined if it is none. */
export function readDuration(text: string): Duration | undefined {
  const [, sign, body] = DURATION.exec(text) ?? [];
  if (body === undefined) return undefined;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of body.matchAll(DURATION_PART)) {
    const factor = UNITS[unit] ?? 0n;
    total += BigInt(whole || "0") * factor +
      BigInt(fraction || "0") * factor / 10n ** BigInt(fraction.length);
  }
  return new Duration(sign === "-" ? -total : total);
}

/** Reads a time of RFC 3339; undefined if it is none. */
export function readTimestamp(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Tells whether a value is of a type, as far as that can be seen from outside. */
export function fits(value: unknown, type: Type): boolean {
  switch (type.kind) {
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "uint":
      return value instanceof UnsignedInteger;
    case "bytes":
      return value instanceof Uint8Array;
    case "null":
      return value === null;
    case "list":
      return Array.isArray(value);
    case "map":
      return value instanceof Map || isFieldValue(value);
    case "timestamp":
      return value instanceof Date;
    case "duration":
      return value instanceof Duration;
    case "type":
      return value instanceof TypeValue;
    case "object":
    case "opaque":
      return (isFieldValue(value) || isLibraryValue(value) || value instanceof Optional) &&
        typeNameOf(value) === type.name;
    default:
      return true;
  }
}
