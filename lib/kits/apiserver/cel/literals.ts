/**
 * Faults of literals that only show when all types are known: texts that mean no time, and lists of several types.
 *
 * Source: cel-go, cel/validator.go.
 */

import { ExpressionError } from "./lexer.ts";
import { type Call, type Expression, partsOf } from "./tree.ts";
import { DYN, isSameType, printType, type Type, unwrapped } from "./type.ts";
import { Failure } from "./values.ts";

/** Functions whose argument is looked at when it is a literal, and the place of that. */
const CHECKED: Readonly<Record<string, number>> = { duration: 0, timestamp: 0, matches: 0 };

/** Returns the faults of literals in a checked tree. */
export function literalErrors(root: Expression): ExpressionError[] {
  const errors: ExpressionError[] = [];
  const visit = (node: Expression, isFormatted: boolean): void => {
    if (node.op === "call" && Object.hasOwn(CHECKED, node.name)) {
      const argument = node.args[CHECKED[node.name] ?? 0];
      if (argument?.op === "literal" && failsFor(node, argument.value)) {
        errors.push(new ExpressionError(`invalid ${node.name} argument`, argument.at));
      }
    }
    if (!isFormatted) errors.push(...mixed(node));
    for (const part of partsOf(node)) {
      visit(part, isFormatted || node.op === "call" && node.name === "format");
    }
  };
  visit(root, false);
  return errors;
}

function failsFor({ name, overloads }: Call, value: unknown): boolean {
  const [overload] = overloads ?? [];
  if (typeof value !== "string" || overload === undefined) return false;
  try {
    // The functions above take a text.
    const call = overload.call as (...values: unknown[]) => unknown;
    if (name === "matches") call("", value);
    else call(value);
    return false;
  } catch (error) {
    if (error instanceof Failure || error instanceof Error) return true;
    throw error;
  }
}

function mixed(node: Expression): ExpressionError[] {
  const differing = (
    nodes: readonly Expression[],
    optional: (index: number) => boolean,
  ): ExpressionError[] => {
    let first: Type | undefined;
    for (const [index, { type = DYN, at }] of nodes.entries()) {
      const own = optional(index) ? unwrapped(type).type : type;
      if (first === undefined) first = own;
      else if (!isSameType(first, own)) {
        const message = `expected type '${printType(first)}' but found '${printType(own)}'`;
        return [new ExpressionError(message, at)];
      }
    }
    return [];
  };
  if (node.op === "list") return differing(node.items, (index) => node.optional.has(index));
  if (node.op !== "map") return [];
  return [
    ...differing(node.entries.map(({ key }) => key), () => false),
    ...differing(node.entries.map(({ value }) => value), (index) => node.entries[index]?.isOptional ?? false),
  ];
}
