/**
 * The most that an expression costs: rules that can take too long are refused when they are declared.
 *
 * One unit is a simple step; what walks through a list or a text costs by its size. Source: cel-go, checker/cost.go;
 * k8s.io/apiserver, pkg/cel/library/cost.go.
 */

import type { ASTNode } from "./engine.ts";
import { type Sized, UNKNOWN } from "./sizes.ts";

/** Names, and what stands behind them. */
export type Names = ReadonlyMap<string, Sized>;

interface Estimate {
  readonly cost: number;
  readonly value: Sized;
}

const SCALAR: Sized = { kind: "scalar", most: 1, least: 0 };

/** Returns how much an expression costs at most. */
export function costOf(node: ASTNode, names: Names): number {
  return estimate(node, names).cost;
}

function estimate(node: ASTNode, names: Names): Estimate {
  switch (node.op) {
    case "value":
      return { cost: 0, value: sizedLiteral(node.args) };
    case "id":
      return { cost: 1, value: names.get(node.args) ?? UNKNOWN };
    case ".":
    case ".?": {
      const { cost, value } = estimate(node.args[0], names);
      return { cost: cost + 1, value: value.fields?.get(node.args[1]) ?? value.items ?? UNKNOWN };
    }
    case "[]":
    case "[?]": {
      const [list, index] = [estimate(node.args[0], names), estimate(node.args[1], names)];
      return { cost: list.cost + index.cost + 1, value: list.value.items ?? UNKNOWN };
    }
    case "!_":
    case "-_":
      return { cost: estimate(node.args, names).cost + 1, value: SCALAR };
    case "?:": {
      const [condition, yes, no] = node.args.map((part) => estimate(part, names));
      if (condition === undefined || yes === undefined || no === undefined) break;
      const value = yes.value.most > no.value.most ? yes.value : no.value;
      return { cost: condition.cost + Math.max(yes.cost, no.cost), value };
    }
    case "list": {
      const items = node.args.map((part) => estimate(part, names));
      const value: Sized = { kind: "list", most: items.length, least: 2, items: largest(items) };
      return { cost: sum(items) + 10, value };
    }
    case "map": {
      const entries = node.args.map(([, entry]) => estimate(entry, names));
      const keys = node.args.map(([key]) => estimate(key, names));
      const value: Sized = { kind: "map", most: entries.length, least: 2, items: largest(entries) };
      return { cost: sum(entries) + sum(keys) + 30, value };
    }
    case "call":
      return estimateCall({ name: node.args[0], args: node.args[1] }, names);
    case "rcall":
      return estimateCall({ name: node.args[0], receiver: node.args[1], args: node.args[2] }, names);
    default:
      return estimateOperator(node.op, [estimate(node.args[0], names), estimate(node.args[1], names)]);
  }
  return { cost: 0, value: UNKNOWN };
}

function sizedLiteral(value: unknown): Sized {
  if (typeof value === "string") return { kind: "text", most: [...value].length, least: 0 };
  return value instanceof Uint8Array ? { kind: "text", most: value.length, least: 0 } : SCALAR;
}

function sum(parts: readonly Estimate[]): number {
  return parts.reduce((total, { cost }) => total + cost, 0);
}

function largest(parts: readonly Estimate[]): Sized {
  return parts.reduce<Sized>((found, { value }) => value.most > found.most ? value : found, SCALAR);
}

/** The cost of walking through a text. */
function walk(size: number, factor = 0.1): number {
  return Math.ceil(size * factor);
}

function estimateOperator(op: string, [left, right]: readonly [Estimate, Estimate]): Estimate {
  const both = left.cost + right.cost;
  const kinds = [left.value.kind, right.value.kind];
  switch (op) {
    case "&&":
    case "||":
      return { cost: both, value: SCALAR };
    case "in":
      return { cost: both + (right.value.kind === "map" ? 1 : right.value.most), value: SCALAR };
    case "+": {
      const most = left.value.most + right.value.most;
      if (kinds.includes("text")) {
        return { cost: both + walk(most), value: { kind: "text", most, least: 0 } };
      }
      const isList = kinds.includes("list");
      return { cost: both + 1, value: isList ? { ...left.value, most } : SCALAR };
    }
    case "-":
    case "*":
    case "/":
    case "%":
      return { cost: both + 1, value: SCALAR };
    default: {
      const isNumeric = op !== "==" && op !== "!=" && !kinds.includes("text");
      const steps = isNumeric ? 1 : walk(Math.min(left.value.most, right.value.most));
      return { cost: both + steps, value: SCALAR };
    }
  }
}

interface Call {
  readonly name: string;
  readonly receiver?: ASTNode;
  readonly args: readonly ASTNode[];
}

/** By macro: the cost of a round apart from what is evaluated in it, and that of the beginning and the end. */
const LOOPS: Readonly<Record<string, readonly [round: number, once: number]>> = Object.assign(
  Object.create(null),
  {
    all: [3, 1],
    exists: [4, 1],
    exists_one: [2, 2],
    existsOne: [2, 2],
    map: [12, 11],
    filter: [13, 11],
  },
);

function estimateCall(call: Call, names: Names): Estimate {
  const { name, receiver, args } = call;
  // NB: whether something is there costs nothing but the way to it.
  if (name === "has" && args[0]?.op === ".") return estimate(args[0].args[0], names);
  const [variable] = args;
  if (receiver !== undefined && LOOPS[name] !== undefined && variable?.op === "id") {
    return estimateLoop(call, variable.args, names);
  }
  const target = receiver === undefined ? undefined : estimate(receiver, names);
  if (name.startsWith("opt") && target !== undefined && variable?.op === "id" && args[1] !== undefined) {
    const inner = estimate(args[1], new Map([...names, [variable.args, target.value]]));
    return { cost: target.cost + inner.cost + 1, value: inner.value };
  }
  const given = args.map((arg) => estimate(arg, names));
  const before = (target?.cost ?? 0) + sum(given);
  const { cost, value } = costOfFunction(name, target?.value ?? given[0]?.value ?? SCALAR, given);
  return { cost: before + cost, value };
}

function estimateLoop({ name, receiver, args }: Call, variable: string, names: Names): Estimate {
  if (receiver === undefined) return { cost: 0, value: UNKNOWN };
  const list = estimate(receiver, names);
  // NB: maps are walked through by their keys.
  const item = list.value.kind === "map" ? ANY_KEY : list.value.items ?? UNKNOWN;
  const inside = new Map([...names, [variable, item]]);
  const parts = args.slice(1).map((arg) => estimate(arg, inside));
  const [round, once] = LOOPS[name] ?? [0, 0];
  const { most } = list.value;
  const cost = list.cost + once + most * (round + sum(parts));
  const made = parts.at(-1)?.value ?? UNKNOWN;
  if (name === "map") return { cost, value: { kind: "list", most, least: 2, items: made } };
  return { cost, value: name === "filter" ? { kind: "list", most, least: 2, items: item } : SCALAR };
}

/** Keys of maps are not limited by a schema. */
const ANY_KEY: Sized = { kind: "text", most: 0, least: 2 };

function costOfFunction(name: string, target: Sized, args: readonly Estimate[]): Estimate {
  const first = args[0]?.value ?? SCALAR;
  switch (name) {
    case "startsWith":
    case "endsWith":
      return { cost: walk(first.most), value: SCALAR };
    case "contains":
      return target.kind === "text"
        ? { cost: walk(target.most) * walk(first.most), value: SCALAR }
        : { cost: 1, value: SCALAR };
    case "re2like":
    case "find":
    case "findAll": {
      const cost = walk(target.most + 1) * walk(first.most, 0.25);
      return { cost, value: name === "re2like" ? SCALAR : { kind: "text", most: target.most, least: 0 } };
    }
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf": {
      if (target.kind !== "list") return { cost: walk(target.most), value: SCALAR };
      const item = target.items ?? UNKNOWN;
      const each = item.kind === "text" ? 1 + walk(item.most) : 1;
      return { cost: target.most * each, value: item.kind === "scalar" ? SCALAR : item };
    }
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
    case "url":
      return { cost: walk(target.most), value: target };
    case "replace":
    case "split": {
      const value: Sized = name === "replace"
        ? target
        : { kind: "list", most: target.most, least: 2, items: target };
      return { cost: walk(target.most, 0.2), value };
    }
    case "join": {
      const most = target.most * ((target.items ?? UNKNOWN).most + first.most);
      return { cost: walk(most), value: { kind: "text", most, least: 0 } };
    }
    case "isURL":
    case "ip":
    case "isIP":
    case "cidr":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "bytes":
    case "format":
      return { cost: walk(target.most), value: target };
    case "dyn":
    case "orValue":
    case "value":
    case "string":
      return { cost: 1, value: target };
    default:
      return { cost: 1, value: SCALAR };
  }
}
