/**
 * The tree of an expression. Macros are expanded in it: `all()` and its like are folds.
 *
 * Source: cel-go, common/ast.
 */

import type { Overload } from "./environment.ts";
import type { Type } from "./type.ts";

interface Place {
  /** Where errors point, in UTF-16 units from the beginning. */
  readonly at: number;
  /** The type, when it has been checked. */
  type?: Type;
}

export interface Literal extends Place {
  readonly op: "literal";
  readonly value: unknown;
}

export interface Ident extends Place {
  readonly op: "ident";
  name: string;
}

/** `operand.field`; with `isTest`, whether it is there. */
export interface Select extends Place {
  readonly op: "select";
  readonly operand: Expression;
  readonly field: string;
  readonly isTest: boolean;
  /** The name of a variable, if all of it is one, such as "google.protobuf.Timestamp". */
  variable?: string;
}

export interface Call extends Place {
  readonly op: "call";
  /** Operators are called `_+_`, `!_` and so on. */
  name: string;
  target?: Expression;
  readonly args: readonly Expression[];
  /** The overloads that fit the arguments, once it has been checked. */
  overloads?: readonly Overload[];
}

export interface ListLiteral extends Place {
  readonly op: "list";
  readonly items: readonly Expression[];
  /** The places of items that are left out if they have no value: `[?a]`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface MapLiteral extends Place {
  readonly op: "map";
  readonly entries: readonly MapEntry[];
}

export interface FieldEntry {
  readonly at: number;
  readonly field: string;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** `Type{field: value}`. */
export interface StructLiteral extends Place {
  readonly op: "struct";
  readonly name: string;
  readonly fields: readonly FieldEntry[];
}

/** A loop that makes one value of many. */
export interface Fold extends Place {
  readonly op: "fold";
  readonly range: Expression;
  /** The item of a list, the key of a map; with `second`: the index or the key. */
  readonly variable: string;
  readonly second?: string;
  readonly accumulator: string;
  readonly start: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

export type Expression = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Fold;

/** Returns the expressions that one is made of. */
export function partsOf(node: Expression): readonly Expression[] {
  switch (node.op) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [node.operand];
    case "call":
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case "list":
      return node.items;
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return node.fields.map(({ value }) => value);
    case "fold":
      return [node.range, node.start, node.condition, node.step, node.result];
  }
}

/** Returns an expression and all below it. */
export function* everyNode(node: Expression): Generator<Expression> {
  yield node;
  for (const part of partsOf(node)) yield* everyNode(part);
}

/** Tells whether a variable is used in an expression, apart from folds that have one of the same name. */
export function usesVariable(node: Expression, name: string): boolean {
  if (node.op === "ident") return node.name === name;
  if (node.op === "fold" && [node.variable, node.second].includes(name)) {
    return usesVariable(node.range, name) || usesVariable(node.start, name);
  }
  return partsOf(node).some((part) => usesVariable(part, name));
}
