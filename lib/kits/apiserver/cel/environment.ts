/**
 * The names that expressions can use: variables, types with fields, functions, and types that they can make values of.
 */

import { DYN, objectType, paramType, readType, splitTypes, STRING, type Type, typeOf } from "./type.ts";

/** One way to call a function. */
export interface Overload {
  readonly name: string;
  /** Of a member, the first is the type of the target. */
  readonly args: readonly Type[];
  readonly isMember: boolean;
  readonly result: Type;
  readonly params: readonly string[];
  /** @throws {Failure} */
  readonly call: (...values: never[]) => unknown;
}

/** Values that expressions make by `Name{field: value}`. */
export interface StructKind {
  /** The type of a field; undefined if there is no such field. */
  fieldType(name: string, field: string): Type | undefined;
  make(name: string, fields: ReadonlyMap<string, unknown>): unknown;
}

/** Names of opaque types. */
const OPAQUE: ReadonlySet<string> = new Set(["net.IP", "net.CIDR"]);

/** Words that stand for types in expressions, and the types. */
const TYPE_WORDS: readonly (readonly [string, string])[] = [
  ["bool", "bool"],
  ["bytes", "bytes"],
  ["double", "double"],
  ["int", "int"],
  ["uint", "uint"],
  ["string", "string"],
  ["null_type", "null"],
  ["list", "list<dyn>"],
  ["map", "map<dyn, dyn>"],
  ["google.protobuf.Timestamp", "timestamp"],
  ["google.protobuf.Duration", "duration"],
  ["optional_type", "optional<dyn>"],
];

export class Environment {
  readonly #parent: Environment | undefined;
  readonly #variables = new Map<string, Type>();
  readonly #fields = new Map<string, ReadonlyMap<string, Type>>();
  readonly #functions = new Map<string, Overload[]>();
  readonly #structs: { readonly matches: RegExp; readonly kind: StructKind }[] = [];

  constructor(parent?: Environment) {
    this.#parent = parent;
    if (parent !== undefined) return;
    for (const [word, type] of TYPE_WORDS) this.#variables.set(word, typeOf(readType(type)));
    this.#variables.set("type", typeOf(typeOf(DYN)));
  }

  /** Returns an environment with the same names, which can be added to. */
  clone(): Environment {
    return new Environment(this);
  }

  /** Declares a variable. Its type is written as in {@link readType}. */
  variable(name: string, type: string | Type): this {
    this.#variables.set(name, typeof type === "string" ? readType(type, OPAQUE) : type);
    return this;
  }

  /** Declares a type with fields, and gives it back. */
  object(name: string, fields: ReadonlyMap<string, Type>): Type {
    this.#fields.set(name, fields);
    return objectType(name);
  }

  /** Declares a function, such as `sets.contains(list<A>, list<A>): bool`. */
  function(signature: string, call: Overload["call"]): this {
    return this.#add(readSignature(signature, false), call);
  }

  /** Declares a function that is called on a value, such as `string.contains(string): bool`. */
  member(signature: string, call: Overload["call"]): this {
    return this.#add(readSignature(signature, true), call);
  }

  #add(read: Omit<Overload, "call">, call: Overload["call"]): this {
    const own = this.#functions.get(read.name) ?? [...this.#parent?.overloads(read.name) ?? []];
    own.push({ ...read, call });
    this.#functions.set(read.name, own);
    return this;
  }

  /** Declares types that values can be made of, by their names. */
  struct(matches: RegExp, kind: StructKind): this {
    this.#structs.push({ matches, kind });
    return this;
  }

  /** The type of a variable. */
  typeOfVariable(name: string): Type | undefined {
    return this.#variables.get(name) ?? this.#parent?.typeOfVariable(name);
  }

  /** The fields of a type; undefined if it has none that are known. */
  fieldsOf(name: string): ReadonlyMap<string, Type> | undefined {
    return this.#fields.get(name) ?? this.#parent?.fieldsOf(name);
  }

  /** The overloads of a function; undefined if there is none of that name. */
  overloads(name: string): readonly Overload[] | undefined {
    return this.#functions.get(name) ?? this.#parent?.overloads(name);
  }

  structKind(name: string): StructKind | undefined {
    return this.#structs.find(({ matches }) => matches.test(name))?.kind ?? this.#parent?.structKind(name);
  }
}

function readSignature(signature: string, isMember: boolean): Omit<Overload, "call"> {
  const [, path = "", inner = "", result = ""] = /^([^(]+)\((.*)\): (.+)$/.exec(signature) ?? [];
  const dot = isMember ? path.lastIndexOf(".") : -1;
  const target = isMember ? [path.slice(0, dot)] : [];
  const args = [...target, ...splitTypes(inner)].map((text) => readType(text, OPAQUE));
  const params = [...new Set(signature.match(/\b[A-Z]\b/g))];
  return { name: path.slice(dot + 1), args, isMember, result: readType(result, OPAQUE), params };
}

export { paramType, STRING };
