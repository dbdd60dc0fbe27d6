/**
 * Macros: calls that are written out as folds and tests when an expression is parsed.
 *
 * Source: cel-go, parser/macro.go, ext/comprehensions.go, ext/lists.go (sortBy) and cel/library.go (optMap).
 */

import { ExpressionError } from "./lexer.ts";
import type { Expression, Fold } from "./tree.ts";

/** A call that may be a macro. */
export interface MacroCall {
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
  /** Where errors in its expansion point. */
  readonly at: number;
}

/** The name of a fold's result, which no expression can write. */
const RESULT = "@result";
const UNUSED = "#unused";
const SORTED = "@__sortBy_input__";

type Expander = (call: MacroCall & { readonly target: Expression }) => Expression;

/** By name and number of arguments. */
const EXPANDERS: ReadonlyMap<string, Expander> = new Map<string, Expander>([
  ["all/2", (call) => all(call, 1)],
  ["all/3", (call) => all(call, 2)],
  ["exists/2", (call) => exists(call, 1)],
  ["exists/3", (call) => exists(call, 2)],
  ["exists_one/2", (call) => existsOne(call, 1)],
  ["existsOne/2", (call) => existsOne(call, 1)],
  ["exists_one/3", (call) => existsOne(call, 2)],
  ["existsOne/3", (call) => existsOne(call, 2)],
  ["map/2", (call) => collect(call, { variables: 1, filter: undefined, item: call.args[1] })],
  ["map/3", (call) => collect(call, { variables: 1, filter: call.args[1], item: call.args[2] })],
  ["filter/2", (call) => collect(call, { variables: 1, filter: call.args[1], item: undefined })],
  ["transformList/3", (call) => collect(call, { variables: 2, filter: undefined, item: call.args[2] })],
  ["transformList/4", (call) => collect(call, { variables: 2, filter: call.args[2], item: call.args[3] })],
  ["transformMap/3", (call) => insert(call, { filter: undefined, entry: call.args[2], byKey: true })],
  ["transformMap/4", (call) => insert(call, { filter: call.args[2], entry: call.args[3], byKey: true })],
  ["transformMapEntry/3", (call) => insert(call, { filter: undefined, entry: call.args[2], byKey: false })],
  [
    "transformMapEntry/4",
    (call) => insert(call, { filter: call.args[2], entry: call.args[3], byKey: false }),
  ],
  ["sortBy/2", sortBy],
  ["optMap/2", (call) => optional(call, false)],
  ["optFlatMap/2", (call) => optional(call, true)],
]);

/** Returns the expansion of a macro; undefined if the call is no macro. @throws {ExpressionError} */
export function expandMacro(call: MacroCall): Expression | undefined {
  const { name, target, args } = call;
  if (target === undefined) return name === "has" && args.length === 1 ? has(call) : undefined;
  return EXPANDERS.get(`${name}/${args.length}`)?.({ ...call, target });
}

function has({ args: [arg], at }: MacroCall): Expression {
  if (arg?.op !== "select" || arg.isTest) {
    throw new ExpressionError("invalid argument to has() macro", arg?.at ?? at);
  }
  return { op: "select", operand: arg.operand, field: arg.field, isTest: true, at };
}

function variablesOf(args: readonly Expression[], count: number): [string, string | undefined] {
  const names = args.slice(0, count).map((arg) => {
    if (arg.op !== "ident") throw new ExpressionError("argument must be a simple name", arg.at);
    return arg.name;
  });
  const [first = "", second] = names;
  if (first === second) throw new ExpressionError(`duplicate variable name: ${first}`, args[1]?.at ?? 0);
  return [first, second];
}

/** The parts of a fold that differ from macro to macro. */
type FoldParts = Pick<Fold, "start" | "condition" | "step" | "result">;

function fold(
  { target, args, at }: MacroCall & { readonly target: Expression },
  variables: number,
  parts: FoldParts,
): Expression {
  const [variable, second] = variablesOf(args, variables);
  return {
    op: "fold",
    range: target,
    variable,
    ...(second === undefined ? {} : { second }),
    accumulator: RESULT,
    ...parts,
    at,
  };
}

function all(call: MacroCall & { readonly target: Expression }, variables: number): Expression {
  const { at } = call;
  return fold(call, variables, {
    start: literal(true, at),
    condition: apply("@not_strictly_false", [ident(RESULT, at)], at),
    step: apply("_&&_", [ident(RESULT, at), call.args[variables]!], at),
    result: ident(RESULT, at),
  });
}

function exists(call: MacroCall & { readonly target: Expression }, variables: number): Expression {
  const { at } = call;
  return fold(call, variables, {
    start: literal(false, at),
    condition: apply("@not_strictly_false", [apply("!_", [ident(RESULT, at)], at)], at),
    step: apply("_||_", [ident(RESULT, at), call.args[variables]!], at),
    result: ident(RESULT, at),
  });
}

function existsOne(call: MacroCall & { readonly target: Expression }, variables: number): Expression {
  const { at } = call;
  const one = () => literal(1n, at);
  return fold(call, variables, {
    start: literal(0n, at),
    condition: literal(true, at),
    step: choose(
      call.args[variables]!,
      [apply("_+_", [ident(RESULT, at), one()], at), ident(RESULT, at)],
      at,
    ),
    result: apply("_==_", [ident(RESULT, at), one()], at),
  });
}

interface Collecting {
  readonly variables: number;
  readonly filter: Expression | undefined;
  /** Default: the variable itself. */
  readonly item: Expression | undefined;
}

function collect(
  call: MacroCall & { readonly target: Expression },
  { variables, filter, item }: Collecting,
): Expression {
  const { at } = call;
  const [variable] = variablesOf(call.args, variables);
  const added = apply("_+_", [ident(RESULT, at), list([item ?? ident(variable, at)], at)], at);
  return fold(call, variables, {
    start: list([], at),
    condition: literal(true, at),
    step: filter === undefined ? added : choose(filter, [added, ident(RESULT, at)], at),
    result: ident(RESULT, at),
  });
}

interface Inserting {
  readonly filter: Expression | undefined;
  readonly entry: Expression | undefined;
  /** The entry is a value under the first variable, and not a map. */
  readonly byKey: boolean;
}

function insert(
  call: MacroCall & { readonly target: Expression },
  { filter, entry, byKey }: Inserting,
): Expression {
  const { at } = call;
  const [variable] = variablesOf(call.args, 2);
  const inserted = apply(
    "cel.@mapInsert",
    [ident(RESULT, at), ...(byKey ? [ident(variable, at)] : []), entry!],
    at,
  );
  return fold(call, 2, {
    start: { op: "map", entries: [], at },
    condition: literal(true, at),
    step: filter === undefined ? inserted : choose(filter, [inserted, ident(RESULT, at)], at),
    result: ident(RESULT, at),
  });
}

function sortBy(call: MacroCall & { readonly target: Expression }): Expression {
  const { target, args, at } = call;
  const keys = collect({ ...call, target: ident(SORTED, at) }, {
    variables: 1,
    filter: undefined,
    item: args[1],
  });
  const sorted = apply("@sortByAssociatedKeys", [keys], at, ident(SORTED, at));
  return bind({ name: SORTED, value: target, result: sorted }, at);
}

/** `a.optMap(v, e)`: an optional of `e`, or none if `a` has no value. */
function optional(call: MacroCall & { readonly target: Expression }, isFlat: boolean): Expression {
  const { target, args, at } = call;
  const [variable] = variablesOf(args, 1);
  const value = apply("value", [], at, target);
  const bound = bind({ name: variable, value, result: args[1]! }, at);
  const some = isFlat ? bound : apply("optional.of", [bound], at);
  return choose(apply("hasValue", [], at, target), [some, apply("optional.none", [], at)], at);
}

/** NB: a fold over no items, whose accumulator is the variable. */
function bind(
  { name, value, result }: { readonly name: string; readonly value: Expression; readonly result: Expression },
  at: number,
): Expression {
  return {
    op: "fold",
    range: list([], at),
    variable: UNUSED,
    accumulator: name,
    start: value,
    condition: literal(false, at),
    step: ident(name, at),
    result,
    at,
  };
}

function ident(name: string, at: number): Expression {
  return { op: "ident", name, at };
}

function literal(value: unknown, at: number): Expression {
  return { op: "literal", value, at };
}

function list(items: readonly Expression[], at: number): Expression {
  return { op: "list", items, optional: new Set(), at };
}

function apply(name: string, args: readonly Expression[], at: number, target?: Expression): Expression {
  return { op: "call", name, args, at, ...(target === undefined ? {} : { target }) };
}

function choose(
  condition: Expression,
  [yes, no]: readonly [Expression, Expression],
  at: number,
): Expression {
  return apply("_?_:_", [condition, yes, no], at);
}
