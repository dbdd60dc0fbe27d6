/**
 * The types of expressions: how they are written, printed, and which may stand for which.
 *
 * Source: cel-go, checker/types.go and common/types/types.go.
 */

/** The sort of a type. "object" has named fields, "opaque" only functions, "param" is a variable such as `A`. */
export type TypeKind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "object"
  | "opaque"
  | "param"
  | "string"
  | "timestamp"
  | "type"
  | "uint";

export interface Type {
  readonly kind: TypeKind;
  /** As it is printed, without its parameters. */
  readonly name: string;
  /** Of a list, a map, a type, an opaque type. */
  readonly params: readonly Type[];
}

const NONE: readonly Type[] = [];

function simple(kind: TypeKind, name: string = kind): Type {
  return { kind, name, params: NONE };
}

export const BOOL = simple("bool");
export const BYTES = simple("bytes");
export const DOUBLE = simple("double");
export const DURATION = simple("duration");
export const DYN = simple("dyn");
export const ERROR = simple("error", "!error!");
export const INT = simple("int");
export const NULL = simple("null");
export const STRING = simple("string");
export const TIMESTAMP = simple("timestamp");
export const UINT = simple("uint");

const SIMPLE: ReadonlyMap<string, Type> = new Map(
  [BOOL, BYTES, DOUBLE, DURATION, DYN, INT, NULL, STRING, TIMESTAMP, UINT].map((type) => [type.name, type]),
);

export function listOf(item: Type): Type {
  return { kind: "list", name: "list", params: [item] };
}

export function mapOf(key: Type, value: Type): Type {
  return { kind: "map", name: "map", params: [key, value] };
}

export function optionalOf(type: Type): Type {
  return { kind: "opaque", name: OPTIONAL, params: [type] };
}

export function typeOf(type: Type): Type {
  return { kind: "type", name: "type", params: [type] };
}

export function objectType(name: string): Type {
  return { kind: "object", name, params: NONE };
}

export function paramType(name: string): Type {
  return { kind: "param", name, params: NONE };
}

const OPTIONAL = "optional_type";

/** Returns the type in an optional one, and any other as it is. */
export function unwrapped(type: Type): { readonly type: Type; readonly isOptional: boolean } {
  const isOptional = type.kind === "opaque" && type.name === OPTIONAL;
  return { type: isOptional ? type.params[0] ?? DYN : type, isOptional };
}

/**
 * Reads a type as declarations write it: `list<string>`, `map<string, A>`, `optional<int>`. A single capital letter is a
 * parameter; an unknown word is an object type of that name.
 *
 * @throws {SyntaxError}
 */
export function readType(text: string, opaque: ReadonlySet<string> = new Set()): Type {
  const [, name = "", inner] = /^\s*([\w.]+)\s*(?:<([^]*)>)?\s*$/.exec(text) ?? [];
  if (name === "") throw new SyntaxError(`Cannot read the type "${text}"`);
  const params = inner === undefined ? [] : splitTypes(inner).map((part) => readType(part, opaque));
  const [first = DYN, second = DYN] = params;
  if (name === "list") return listOf(first);
  if (name === "map") return mapOf(first, second);
  if (name === "optional") return optionalOf(first);
  if (name === "type") return typeOf(first);
  if (/^[A-Z]$/.test(name)) return paramType(name);
  return SIMPLE.get(name) ?? (opaque.has(name) ? { kind: "opaque", name, params } : objectType(name));
}

/** Returns the parts of `A, map<B, C>`. */
export function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (character === "<") depth++;
    if (character === ">") depth--;
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  if (part.trim() !== "") parts.push(part);
  return parts;
}

/** Returns a type as errors print it. */
export function printType({ name, params }: Type): string {
  return params.length === 0 ? name : `${name}(${params.map(printType).join(", ")})`;
}

/** Tells whether two types are the same. */
export function isSameType(a: Type, b: Type): boolean {
  return a === b || a.kind === b.kind && a.name === b.name && a.params.length === b.params.length &&
      a.params.every((param, index) => isSameType(param, b.params[index]!));
}

function isDynamic({ kind }: Type): boolean {
  return kind === "dyn" || kind === "error" || kind === "any";
}

/** The types that are known of parameters. It never changes: each step makes a new one. */
export type Bindings = ReadonlyMap<string, Type>;

/** Returns the bindings with which a value of `given` may stand where `wanted` is; undefined if it may not. */
export function assign(
  bindings: Bindings,
  wanted: readonly Type[],
  given: readonly Type[],
): Bindings | undefined {
  if (wanted.length !== given.length) return undefined;
  const trial = new Map(bindings);
  return wanted.every((type, index) => isAssignable(trial, given[index]!, type)) ? trial : undefined;
}

/** NB: adds to the bindings, also where the answer is no. */
function isAssignable(bindings: Map<string, Type>, a: Type, b: Type): boolean {
  if (b.kind === "param") {
    const { valid, known } = isSubstitution(bindings, a, b);
    if (valid || known) return valid;
  }
  if (a.kind === "param") return isSubstitution(bindings, b, a).valid;
  if (isDynamic(a) || isDynamic(b)) return true;
  if (a.kind === "null" || b.kind === "null") return canBeNull(a) && canBeNull(b);
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => isAssignable(bindings, param, b.params[index]!));
}

function canBeNull({ kind }: Type): boolean {
  return ["null", "object", "opaque", "duration", "timestamp"].includes(kind);
}

/** Whether the parameter may be that type, and whether there was a type for it before. */
function isSubstitution(
  bindings: Map<string, Type>,
  type: Type,
  param: Type,
): { readonly valid: boolean; readonly known: boolean } {
  if (isSameType(type, param)) return { valid: true, known: true };
  const bound = bindings.get(param.name);
  if (bound === undefined) {
    if (occurs(bindings, param, type)) return { valid: false, known: false };
    bindings.set(param.name, type);
    return { valid: true, known: false };
  }
  if (isSameType(type, bound)) return { valid: true, known: true };
  if (!isAssignable(bindings, type, bound)) return { valid: false, known: true };
  const general = mostGeneral(type, bound);
  if (!occurs(bindings, param, general)) bindings.set(param.name, general);
  return { valid: true, known: true };
}

function occurs(bindings: Bindings, param: Type, within: Type): boolean {
  if (isSameType(param, within)) return true;
  if (within.kind === "param") {
    const bound = bindings.get(within.name);
    return bound !== undefined && occurs(bindings, param, bound);
  }
  return within.params.some((part) => occurs(bindings, param, part));
}

/** Returns the less specific of two types that fit each other. */
export function mostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  return a.name === b.name && a.params.length === b.params.length &&
    a.params.every((param, index) => isLessSpecific(param, b.params[index]!));
}

/** Returns a type with the known types in place of its parameters; unknown ones stay, or become `dyn`. */
export function substituted(bindings: Bindings, type: Type, rest: "kept" | "dyn" = "kept"): Type {
  const bound = type.kind === "param" ? bindings.get(type.name) : undefined;
  if (bound !== undefined) return substituted(bindings, bound, rest);
  if (type.kind === "param") return rest === "dyn" ? DYN : type;
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((param) => substituted(bindings, param, rest)) };
}
