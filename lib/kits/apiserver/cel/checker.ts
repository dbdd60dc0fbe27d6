/**
 * The types in the tree of an expression, and Kubernetes' words for types that do not fit.
 *
 * Source: cel-go, checker/checker.go and checker/errors.go.
 */

import type { Environment, Overload } from "./environment.ts";
import { fieldNamed } from "./escaping.ts";
import { ExpressionError } from "./lexer.ts";
import type {
  Call,
  Expression,
  Fold,
  Ident,
  ListLiteral,
  MapLiteral,
  Select,
  StructLiteral,
} from "./tree.ts";
import { literalErrors } from "./literals.ts";
import { everyNode } from "./tree.ts";
import {
  assign,
  type Bindings,
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  isSameType,
  listOf,
  mapOf,
  mostGeneral,
  NULL,
  optionalOf,
  paramType,
  printType,
  STRING,
  substituted,
  type Type,
  UINT,
  unwrapped,
} from "./type.ts";

/** Writes the types into a tree, and returns its errors. */
export function checkTypes(environment: Environment, root: Expression): ExpressionError[] {
  const checker = new Checker(environment);
  checker.check(root);
  if (checker.errors.length === 0) checker.finish(root);
  return checker.errors.length > 0 ? checker.errors : literalErrors(root);
}

/** The variables of folds around a place. */
interface Scope {
  readonly variables: ReadonlyMap<string, Type>;
  readonly above: Scope | undefined;
}

class Checker {
  readonly errors: ExpressionError[] = [];
  readonly #environment: Environment;
  #bindings: Bindings = new Map();
  #scope: Scope | undefined;
  #fresh = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Puts the types that are known in the end in place of type variables. */
  finish(root: Expression): void {
    for (const node of everyNode(root)) {
      node.type = substituted(this.#bindings, node.type ?? DYN, "dyn");
    }
  }

  check(node: Expression): Type {
    const type = this.#typeOf(node);
    node.type = type;
    return type;
  }

  #typeOf(node: Expression): Type {
    switch (node.op) {
      case "literal":
        return typeOfLiteral(node.value);
      case "ident":
        return this.#ident(node);
      case "select":
        return this.#select(node);
      case "call":
        return node.name === "_?._" ? this.#optionalSelect(node) : this.#call(node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return this.#struct(node);
      case "fold":
        return this.#fold(node);
    }
  }

  #refuse(at: number, message: string): Type {
    this.errors.push(new ExpressionError(message, at));
    return ERROR;
  }

  #undeclared(at: number, name: string): Type {
    return this.#refuse(at, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(at: number, wanted: Type, found: Type): Type {
    return this.#refuse(at, `expected type '${printType(wanted)}' but found '${printType(found)}'`);
  }

  #variable(name: string): Type | undefined {
    for (let scope = this.#scope; scope !== undefined; scope = scope.above) {
      const type = scope.variables.get(name);
      if (type !== undefined) return type;
    }
    return this.#environment.typeOfVariable(name);
  }

  #ident({ name, at }: Ident): Type {
    return this.#variable(name) ?? this.#undeclared(at, name);
  }

  #select(node: Select): Type {
    const path = node.isTest ? undefined : pathOf(node);
    const known = path === undefined ? undefined : this.#environment.typeOfVariable(path);
    if (known !== undefined && path !== undefined) {
      node.variable = path;
      return known;
    }
    const type = this.#field(node, { operand: node.operand, field: node.field, isOptional: false });
    return node.isTest ? BOOL : substituted(this.#bindings, type);
  }

  #optionalSelect(node: Call): Type {
    const [operand, field] = node.args;
    const name = field?.op === "literal" ? String(field.value) : "";
    if (operand === undefined) return ERROR;
    if (field !== undefined) field.type = STRING;
    return substituted(this.#bindings, this.#field(node, { operand, field: name, isOptional: true }));
  }

  #field(
    { at }: Expression,
    { operand, field, isOptional }: {
      readonly operand: Expression;
      readonly field: string;
      readonly isOptional: boolean;
    },
  ): Type {
    const from = unwrapped(substituted(this.#bindings, this.check(operand)));
    const type = this.#fieldOf(from.type, field, at);
    return from.isOptional || isOptional ? optionalOf(type) : type;
  }

  #fieldOf(type: Type, field: string, at: number): Type {
    switch (type.kind) {
      case "map":
        return type.params[1] ?? DYN;
      case "object": {
        const fields = this.#environment.fieldsOf(type.name);
        if (fields === undefined) return this.#refuse(at, `unexpected failed resolution of '${type.name}'`);
        return fieldNamed(fields, field) ?? this.#refuse(at, `undefined field '${field}'`);
      }
      case "param":
        this.#assign([type], [DYN]);
        return DYN;
      case "dyn":
      case "error":
        return DYN;
      default:
        this.#refuse(at, `type '${printType(type)}' does not support field selection`);
        return DYN;
    }
  }

  #call(node: Call): Type {
    for (const arg of node.args) this.check(arg);
    if (node.target !== undefined) {
      const path = pathOf(node.target);
      const qualified = path === undefined ? undefined : this.#environment.overloads(`${path}.${node.name}`);
      if (qualified !== undefined) {
        node.name = `${path}.${node.name}`;
        delete node.target;
        return this.#resolve(node, qualified);
      }
      this.check(node.target);
    }
    const overloads = this.#environment.overloads(node.name);
    return overloads === undefined ? this.#undeclared(node.at, node.name) : this.#resolve(node, overloads);
  }

  #resolve(node: Call, overloads: readonly Overload[]): Type {
    const { target, args } = node;
    const given = [...(target === undefined ? [] : [target]), ...args].map(({ type }) => type ?? DYN);
    if (node.name === "_&&_" || node.name === "_||_") return this.#logic(node, given, overloads);
    const found: Overload[] = [];
    let result: Type | undefined;
    for (const overload of overloads) {
      if (overload.isMember !== (target !== undefined) || overload.args.length !== given.length) continue;
      const renamed: Bindings = new Map(
        overload.params.map((name) => [name, paramType(`_var${this.#fresh++}`)]),
      );
      const wanted = overload.args.map((arg) => substituted(renamed, arg));
      if (!this.#assign(wanted, given)) continue;
      found.push(overload);
      const type = substituted(this.#bindings, substituted(renamed, overload.result));
      if (result === undefined) result = type;
      else if (result.kind !== "dyn" && !isSameType(type, result)) result = DYN;
    }
    node.overloads = found;
    if (result !== undefined) return result;
    const types = given.map((type) => printType(substituted(this.#bindings, type, "dyn")));
    const shown = target === undefined
      ? `(${types.join(", ")})`
      : `${types[0]}.(${types.slice(1).join(", ")})`;
    return this.#refuse(node.at, `found no matching overload for '${node.name}' applied to '${shown}'`);
  }

  #logic(node: Call, given: readonly Type[], overloads: readonly Overload[]): Type {
    node.overloads = overloads;
    let result = BOOL;
    for (const [index, type] of given.entries()) {
      if (this.#assign([BOOL], [type])) continue;
      this.#mismatch(node.args[index]!.at, BOOL, type);
      result = ERROR;
    }
    return result;
  }

  #assign(wanted: readonly Type[], given: readonly Type[]): boolean {
    const bindings = assign(this.#bindings, wanted, given);
    if (bindings !== undefined) this.#bindings = bindings;
    return bindings !== undefined;
  }

  #list({ items, optional }: ListLiteral): Type {
    let type: Type | undefined;
    for (const [index, item] of items.entries()) {
      const found = this.check(item);
      type = this.#join(type, optional.has(index) ? this.#unwrap(item, found) : found);
    }
    return listOf(type ?? this.#unknown());
  }

  #map({ entries }: MapLiteral): Type {
    let [keyType, valueType]: [Type | undefined, Type | undefined] = [undefined, undefined];
    for (const { key, value, isOptional } of entries) {
      keyType = this.#join(keyType, this.check(key));
      const found = this.check(value);
      valueType = this.#join(valueType, isOptional ? this.#unwrap(value, found) : found);
    }
    return mapOf(keyType ?? this.#unknown(), valueType ?? this.#unknown());
  }

  #unknown(): Type {
    return paramType(`_var${this.#fresh++}`);
  }

  /** The type in an optional entry. */
  #unwrap({ at }: Expression, found: Type): Type {
    const { type, isOptional } = unwrapped(found);
    if (!isOptional && type.kind !== "dyn" && type.kind !== "error") {
      this.#mismatch(at, optionalOf(type), type);
    }
    return type;
  }

  /** NB: entries may differ: that is looked at when all types are known. */
  #join(before: Type | undefined, found: Type): Type {
    if (before === undefined) return found;
    return this.#assign([found], [before]) ? mostGeneral(before, found) : DYN;
  }

  #struct({ name, fields, at }: StructLiteral): Type {
    const kind = this.#environment.structKind(name);
    for (const { value } of fields) this.check(value);
    if (kind === undefined) return this.#undeclared(at, name);
    for (const { field, value, isOptional, at } of fields) {
      const wanted = kind.fieldType(name, field);
      if (wanted === undefined) {
        this.#refuse(at, `undefined field '${field}'`);
        continue;
      }
      const found = isOptional ? this.#unwrap(value, value.type ?? DYN) : value.type ?? DYN;
      if (this.#assign([wanted], [found])) continue;
      const types = `is '${printType(wanted)}' but provided type is '${printType(found)}'`;
      this.#refuse(at, `expected type of field '${field}' ${types}`);
    }
    return { kind: "object", name, params: [] };
  }

  #fold(node: Fold): Type {
    this.check(node.range);
    const accumulated = this.check(node.start);
    const range = substituted(this.#bindings, node.range.type ?? DYN);
    const [first, second] = this.#itemTypes(node, range);
    const outer = this.#scope;
    const inner: Scope = { variables: new Map([[node.accumulator, accumulated]]), above: outer };
    const items = new Map([[node.variable, first]]);
    if (node.second !== undefined) items.set(node.second, second);
    this.#scope = { variables: items, above: inner };
    this.check(node.condition);
    this.#demand(node.condition, BOOL);
    this.check(node.step);
    this.#demand(node.step, accumulated);
    this.#scope = inner;
    const result = this.check(node.result);
    this.#scope = outer;
    return substituted(this.#bindings, result);
  }

  #demand(node: Expression, wanted: Type): void {
    if (!this.#assign([wanted], [node.type ?? DYN])) this.#mismatch(node.at, wanted, node.type ?? DYN);
  }

  #itemTypes({ range: node, second }: Fold, range: Type): [Type, Type] {
    const [key = DYN, value = DYN] = range.params;
    switch (range.kind) {
      case "list":
        return second === undefined ? [key, DYN] : [INT, key];
      case "map":
        return [key, value];
      case "dyn":
      case "error":
      case "param":
        this.#assign([range], [DYN]);
        return [DYN, DYN];
      default:
        this.#refuse(
          node.at,
          `expression of type '${
            printType(range)
          }' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }
}

/** Returns `a.b.c` for such a chain of names. */
function pathOf(node: Expression): string | undefined {
  if (node.op === "ident") return node.name;
  if (node.op !== "select" || node.isTest) return undefined;
  const above = pathOf(node.operand);
  return above === undefined ? undefined : `${above}.${node.field}`;
}

function typeOfLiteral(value: unknown): Type {
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "bigint":
      return INT;
    case "number":
      return DOUBLE;
    case "string":
      return STRING;
    default:
      return value === null ? NULL : value instanceof Uint8Array ? BYTES : UINT;
  }
}
