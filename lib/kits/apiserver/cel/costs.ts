/**
 * The most that an expression costs, by which rules are refused that take too long.
 *
 * Source: cel-go, checker/cost.go; k8s.io/apiserver, pkg/cel/library/cost.go.
 */

import { capped, LIST, MAP, MAX, simpleCost, STRUCT, TEXT, walk } from "./call_costs.ts";
import type { Sized } from "./sizes.ts";
import type { Call, Expression, Fold } from "./tree.ts";

/** The sizes of a value, as far as they are known. */
interface Known {
  /** The most items or characters. */
  readonly size?: number | undefined;
  /** Where a schema describes it. */
  readonly sized?: Sized | undefined;
  /** The sizes of keys and values of a list or map. */
  readonly entry?: { readonly key: number; readonly value: number } | undefined;
}

/** The variables of folds around a place. */
type Variables = ReadonlyMap<string, Known & { readonly isAccumulator?: boolean }>;

/** Returns how much a checked expression costs at most; variables have the sizes of `root`. */
export function costOf(node: Expression, root: Sized): number {
  return new Estimator(root).cost(node, new Map());
}

class Estimator {
  readonly #root: Sized;
  readonly #known = new Map<Expression, Known>();

  constructor(root: Sized) {
    this.#root = root;
  }

  cost(node: Expression, variables: Variables): number {
    switch (node.op) {
      case "literal":
        return 0;
      case "ident":
        this.#known.set(node, variables.get(node.name) ?? { sized: this.#root });
        return 1;
      case "select":
        return this.#select(node, variables);
      case "call":
        return this.#call(node, variables);
      case "list": {
        const cost = this.#sum(node.items, variables);
        this.#known.set(node, { entry: { key: 1, value: this.#largest(node.items) } });
        return cost + LIST;
      }
      case "map": {
        const [keys, values] = [node.entries.map(({ key }) => key), node.entries.map(({ value }) => value)];
        const cost = this.#sum([...keys, ...values], variables);
        this.#known.set(node, { entry: { key: this.#largest(keys), value: this.#largest(values) } });
        return cost + MAP;
      }
      case "struct":
        return this.#sum(node.fields.map(({ value }) => value), variables) + STRUCT;
      case "fold":
        return isBinding(node) ? this.#binding(node, variables) : this.#fold(node, variables);
    }
  }

  #sum(nodes: readonly Expression[], variables: Variables): number {
    return capped(nodes.reduce((total, node) => total + this.cost(node, variables), 0));
  }

  #largest(nodes: readonly Expression[]): number {
    return nodes.reduce((most, node) => Math.max(most, this.#size(node)), 0);
  }

  /** A part of a value that no schema describes has the size of the whole object. */
  #below(node: Expression, step: (sized: Sized) => Sized | undefined): Sized | undefined {
    const known = this.#known.get(node);
    if (known?.sized === undefined) return known !== undefined && "sized" in known ? undefined : this.#root;
    return step(known.sized);
  }

  #select(node: Expression & { readonly op: "select" }, variables: Variables): number {
    const { operand, field, isTest } = node;
    const cost = this.cost(operand, variables);
    // `has()` costs only the way to the field.
    if (isTest) return cost;
    this.#known.set(node, {
      sized: this.#below(operand, (sized) => sized.fields?.get(field) ?? sized.items),
    });
    return ["map", "object", "param"].includes(operand.type?.kind ?? "") ? capped(cost + 1) : cost;
  }

  #sizeOf(node: Expression): number | undefined {
    const known = this.#known.get(node);
    if (known?.size !== undefined) return known.size;
    const literal = sizeOfLiteral(node);
    if (literal !== undefined) return literal;
    if (known?.sized !== undefined) return known.sized.most;
    return SCALARS.has(node.type?.kind ?? "dyn") ? 1 : undefined;
  }

  #size(node: Expression): number {
    return this.#sizeOf(node) ?? MAX;
  }

  #call(node: Call, variables: Variables): number {
    const { name, target, args } = node;
    const costs = args.map((arg) => this.cost(arg, variables));
    const given = costs.reduce((sum, cost) => capped(sum + cost), 0);
    if (name === "dyn" && args[0] !== undefined) {
      this.#known.set(node, this.#known.get(args[0]) ?? {});
      return capped(given + 1);
    }
    if (name === "_?_:_") {
      const [, yes, no] = args;
      this.#known.set(node, {
        size: Math.max(this.#size(yes!), this.#size(no!)),
        entry: larger(this.#known.get(yes!)?.entry, this.#known.get(no!)?.entry),
      });
      return capped(costs[0]! + Math.max(costs[1]!, costs[2]!));
    }
    if (name === "_&&_" || name === "_||_") return given;
    const before = target === undefined ? given : capped(given + this.cost(target, variables));
    const { cost, size } = this.#function(node);
    const isIndex = name === "_[_]" && args[0] !== undefined;
    const entry = isIndex ? this.#known.get(args[0]!)?.entry : this.#known.get(node)?.entry;
    this.#known.set(node, {
      ...(isIndex ? { sized: this.#below(args[0]!, (sized) => sized.items) } : {}),
      size: isIndex ? entry?.value : size,
      ...(isIndex ? {} : { entry }),
    });
    return capped(before + cost);
  }

  /** The cost of a function without the cost of its arguments, and the size of its result. */
  #function(node: Call): { readonly cost: number; readonly size?: number } {
    const { name, target, args } = node;
    const values = target === undefined ? args : [target, ...args];
    const [first, second, third] = values;
    const sizes = values.map((value) => this.#size(value));
    const [a = MAX, b = MAX] = sizes;
    const kind = first?.type?.kind;
    switch (name) {
      case "isSorted":
      case "sum":
      case "max":
      case "min":
      case "indexOf":
      case "lastIndexOf": {
        if (kind !== "list") return { cost: walk(a) };
        const item = first?.type?.params[0]?.kind;
        const each = item === "string" || item === "bytes" ? 1 + walk(this.#itemSize(first!)) : 1;
        return { cost: capped(a * each) };
      }
      case "join": {
        const item = this.#itemSize(first!);
        const size = capped(capped(a * item) + (second === undefined ? 0 : b * Math.max(0, a - 1)));
        return { cost: walk(size), size };
      }
      case "split":
        return { cost: walk(a, 2 * TEXT), size: third === undefined ? a : literalNumber(third) ?? a };
      case "replace":
        return {
          cost: walk(a, 2 * TEXT),
          size: replacedSize(
            [a, second, third].map((each) => typeof each === "number" ? each : this.#size(each!)),
            second,
          ),
        };
      case "_+_": {
        const size = capped(a + b);
        const entry = larger(this.#known.get(first!)?.entry, this.#known.get(second!)?.entry);
        if (entry !== undefined) this.#known.set(node, { entry });
        if (kind === "list") return { cost: 1, size };
        return kind === "string" || kind === "bytes" ? { cost: walk(size), size } : { cost: 1 };
      }
      case "_==_":
      case "_!=_":
        return { cost: ALIKE.has(first?.type?.name ?? "") && name === "_==_" ? 1 : walk(Math.min(a, b)) };
      case "_<_":
      case "_<=_":
      case "_>_":
      case "_>=_":
        return { cost: kind === "string" || kind === "bytes" ? walk(Math.min(a, b)) : 1 };
      case "slice": {
        const size = capped((literalNumber(third) ?? a) - (literalNumber(second) ?? 0));
        return { cost: size + 1 + LIST, size };
      }
      case "lists.range": {
        const size = literalNumber(first) ?? MAX;
        return { cost: capped(size + 1 + LIST), size };
      }
      case "flatten":
        return {
          cost: capped(a * (second === undefined ? 1 : literalNumber(second) ?? MAX) + 1 + LIST),
          size: a,
        };
      case "sort":
      case "@sortByAssociatedKeys": {
        const keys = name === "sort" ? first : second;
        const factor = keys?.type?.params[0]?.kind === "string" || keys?.type?.params[0]?.kind === "bytes"
          ? 2 + TEXT
          : 2;
        const size = capped(this.#size(keys!) ** 2);
        return { cost: capped(walk(size, factor) + 1 + LIST), size };
      }
      default:
        return simpleCost(name, [a, b], [kind, second?.type?.kind]);
    }
  }

  #itemSize(list: Expression): number {
    const known = this.#known.get(list);
    return known?.sized === undefined ? MAX : known.sized.items?.most ?? MAX;
  }

  #binding(node: Fold, variables: Variables): number {
    const cost = this.cost(node.range, variables) + this.cost(node.start, variables);
    const value = { ...this.#known.get(node.start), size: this.#sizeOf(node.start) };
    const result = this.cost(node.result, new Map([...variables, [node.accumulator, value]]));
    this.#known.set(node, { ...this.#known.get(node.result), size: this.#sizeOf(node.result) });
    return capped(cost + result);
  }

  #fold(node: Fold, variables: Variables): number {
    const before = this.cost(node.range, variables) + this.cost(node.start, variables);
    const accumulated = {
      size: this.#sizeOf(node.start),
      entry: this.#known.get(node.start)?.entry,
      sized: undefined,
    };
    const outer = new Map([...variables, [node.accumulator, accumulated]]);
    const inner = new Map([...outer, ...this.#items(node)]);
    const round = this.cost(node.condition, inner) + this.cost(node.step, inner);
    const after = this.cost(node.result, outer);
    const count = this.#size(node.range);
    const isContainer = node.start.op === "list" || node.start.op === "map";
    const { entry } = isContainer ? this.#known.get(node.step) ?? {} : { entry: undefined };
    this.#known.set(node, { size: isContainer ? count : this.#sizeOf(node.start), entry });
    return capped(before + after + capped(count * round));
  }

  #items({ range, variable, second }: Fold): [string, Known][] {
    const { entry } = this.#known.get(range) ?? {};
    const isList = range.type?.kind === "list";
    const key: Known = { size: entry?.key, sized: this.#below(range, () => isList ? undefined : ANY_KEY) };
    const value: Known = { size: entry?.value, sized: this.#below(range, (sized) => sized.items) };
    if (second === undefined) return [[variable, isList ? value : key]];
    return [[variable, key], [second, value]];
  }
}

/** Keys of maps are not limited by a schema. */
const ANY_KEY: Sized = { kind: "text", most: 0, least: 2 };
const SCALARS: ReadonlySet<string> = new Set([
  "bool",
  "int",
  "uint",
  "double",
  "null",
  "timestamp",
  "duration",
]);
/** Types that are compared in one step. */
const ALIKE: ReadonlySet<string> = new Set([
  "net.IP",
  "net.CIDR",
  "kubernetes.Quantity",
  "kubernetes.Semver",
]);

function isBinding({ range, condition, accumulator }: Fold): boolean {
  return range.op === "list" && range.items.length === 0 && condition.op === "literal" &&
    condition.value === false && accumulator !== "@result";
}

function sizeOfLiteral(node: Expression): number | undefined {
  if (node.op === "list") return node.items.length;
  if (node.op === "map") return node.entries.length;
  if (node.op !== "literal") return undefined;
  if (typeof node.value === "string") return [...node.value].length;
  return node.value instanceof Uint8Array ? node.value.length : 1;
}

function literalNumber(node: Expression | undefined): number | undefined {
  return node?.op === "literal" && typeof node.value === "bigint"
    ? Math.max(0, Number(node.value))
    : undefined;
}

function larger(a: Known["entry"], b: Known["entry"]): Known["entry"] {
  return a === undefined || b === undefined
    ? undefined
    : { key: Math.max(a.key, b.key), value: Math.max(a.value, b.value) };
}

/** The longest that a text can be after a replacement. */
function replacedSize(
  [size = MAX, old = MAX, by = MAX]: readonly number[],
  pattern: Expression | undefined,
): number {
  const least = pattern?.op === "literal" ? old : 0;
  if (least === 0) return capped(capped((size + 1) * by) + size);
  return by <= least ? size : capped(Math.ceil(size / least) * by);
}
