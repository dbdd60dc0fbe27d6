/**
 * From a checked tree to a function that evaluates it, and counts the cost.
 *
 * Source: cel-go, interpreter/planner.go and interpreter/runtimecost.go; k8s.io/apiserver, pkg/apis/cel/config.go for the limit.
 */

import type { Environment, Overload, StructKind } from "./environment.ts";
import { actualCost } from "./call_costs.ts";
import type { Call, Expression, Fold, ListLiteral, MapLiteral, Select, StructLiteral } from "./tree.ts";
import { readType } from "./type.ts";
import { Failure, fits, isFieldValue, lookUp, Optional, TypeValue } from "./values.ts";

/** The most that one evaluation may cost. */
const LIMIT = 1_000_000;

/** The words of an expression that took too long. */
export const TOO_LONG = "operation cancelled: actual cost limit exceeded";

const OVER_LIMIT = new Failure(TOO_LONG, true);
const NO_OVERLOAD = new Failure("no such overload");
const TEXT_INDEX = new Failure("unsupported index type 'string' in list");

/** One evaluation. */
class Frame {
  readonly variables: Readonly<Record<string, unknown>>;
  /** Of folds, by depth. */
  readonly slots: unknown[] = [];
  #cost = 0;

  constructor(variables: Readonly<Record<string, unknown>>) {
    this.variables = variables;
  }

  /** @throws {Failure} If that is too much in all. */
  charge(cost: number): void {
    if ((this.#cost += cost) > LIMIT) throw OVER_LIMIT;
  }
}

type Step = (frame: Frame) => unknown;

/** The places of variables of folds. */
type Slots = ReadonlyMap<string, number>;

/**
 * Returns the function that evaluates a checked tree.
 *
 * @throws {Error} From the function that it returns: the message is one line.
 */
export function compileTree(
  environment: Environment,
  root: Expression,
): (variables: Readonly<Record<string, unknown>>) => unknown {
  const step = new Planner(environment).plan(root, new Map());
  return (variables) => {
    try {
      return step(new Frame(variables));
    } catch (error) {
      if (error instanceof Failure) throw new Error(error.message);
      throw error;
    }
  };
}

class Planner {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  plan(node: Expression, slots: Slots): Step {
    switch (node.op) {
      case "literal": {
        const { value } = node;
        return () => value;
      }
      case "ident":
        return this.#variable(node.name, slots);
      case "select":
        return node.variable === undefined
          ? this.#select(node, slots)
          : this.#variable(node.variable, new Map());
      case "call":
        return this.#call(node, slots);
      case "list":
        return this.#list(node, slots);
      case "map":
        return this.#map(node, slots);
      case "struct":
        return this.#struct(node, slots);
      case "fold":
        return this.#fold(node, slots);
    }
  }

  #variable(name: string, slots: Slots): Step {
    const slot = slots.get(name);
    if (slot !== undefined) {
      return (frame) => {
        frame.charge(1);
        const value = frame.slots[slot];
        if (value instanceof Failure) throw value;
        return value;
      };
    }
    const type = this.#environment.typeOfVariable(name);
    const word = type?.kind === "type" ? new TypeValue(type.params[0] ?? readType("dyn")) : undefined;
    const missing = new Failure(`no such attribute(s): ${name}`);
    return (frame) => {
      frame.charge(1);
      const value = word ?? frame.variables[name];
      if (value === undefined) throw missing;
      return value;
    };
  }

  #select({ operand, field, isTest }: Select, slots: Slots): Step {
    const inner = this.plan(operand, slots);
    const missing = new Failure(`no such key: ${field}`);
    if (isTest) return (frame) => hasField(inner(frame), field);
    return (frame) => {
      frame.charge(1);
      const value = inner(frame);
      if (value instanceof Optional) return value.hasValue() ? optionalField(value.value(), field) : value;
      const found = fieldOf(value, field);
      if (found === undefined) throw missing;
      return found;
    };
  }

  #call(node: Call, slots: Slots): Step {
    const { target, name, overloads = [] } = node;
    // NB: each argument is planned once, or a chain of calls takes twice as long for each link.
    const args = (target === undefined ? node.args : [target, ...node.args]).map((arg) =>
      this.plan(arg, slots)
    );
    const special = this.#special(node, args);
    if (special !== undefined) return special;
    const costOf = actualCost(name);
    const [first, second] = args;
    const [only] = overloads;
    if (overloads.length === 1 && only !== undefined && first !== undefined && args.length <= 2) {
      return shortCall(only, [first, second], costOf);
    }
    return (frame) => {
      const values = args.map((arg) => arg(frame));
      const overload = overloads.find((each) => each.args.every((type, index) => fits(values[index], type)));
      if (overload === undefined) throw name === "_[_]" ? noIndex(values) : NO_OVERLOAD;
      const result = invoke(overload, values);
      frame.charge(costOf(values, result));
      return result;
    };
  }

  /** Calls that do not evaluate all their arguments, or take failures. */
  #special({ name, args }: Call, [a, b, c]: readonly Step[]): Step | undefined {
    switch (name) {
      case "_&&_":
        return logic(a!, b!, false);
      case "_||_":
        return logic(a!, b!, true);
      case "_?_:_":
        return (frame) => {
          const condition = a!(frame);
          if (typeof condition !== "boolean") throw NO_OVERLOAD;
          return condition ? b!(frame) : c!(frame);
        };
      case "@not_strictly_false":
        return (frame) => {
          frame.charge(1);
          return caught(a!, frame) !== false;
        };
      case "_?._": {
        const [, field] = args;
        const key = field?.op === "literal" ? String(field.value) : "";
        return (frame) => {
          frame.charge(1);
          const value = a!(frame);
          if (!(value instanceof Optional)) return optionalField(value, key);
          return value.hasValue() ? optionalField(value.value(), key) : value;
        };
      }
      default:
        return undefined;
    }
  }

  #list({ items, optional }: ListLiteral, slots: Slots): Step {
    const steps = items.map((item) => this.plan(item, slots));
    if (optional.size === 0) {
      return (frame) => {
        frame.charge(10);
        return steps.map((step) => step(frame));
      };
    }
    return (frame) => {
      frame.charge(10);
      return steps.flatMap((step, index) => {
        const value = step(frame);
        if (!optional.has(index)) return [value];
        if (!(value instanceof Optional)) {
          throw new Failure("cannot initialize optional list element from non-optional");
        }
        return value.hasValue() ? [value.value()] : [];
      });
    };
  }

  #map({ entries }: MapLiteral, slots: Slots): Step {
    const steps = entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key, slots),
      value: this.plan(value, slots),
      isOptional,
    }));
    return (frame) => {
      frame.charge(30);
      const map = new Map<unknown, unknown>();
      for (const { key, value, isOptional } of steps) {
        const name = key(frame);
        const found = value(frame);
        if (lookUp(map, name) !== undefined) throw new Failure(`Failed with repeated key: ${name}`);
        if (!isOptional) map.set(name, found);
        else if (!(found instanceof Optional)) {
          throw new Failure(`cannot initialize optional entry '${name}' from non-optional value`);
        } else if (found.hasValue()) map.set(name, found.value());
      }
      return map;
    };
  }

  #struct({ name, fields }: StructLiteral, slots: Slots): Step {
    const steps = fields.map(({ field, value, isOptional }) => ({
      field,
      value: this.plan(value, slots),
      isOptional,
    }));
    // The types have been checked.
    const kind = this.#environment.structKind(name) as StructKind;
    return (frame) => {
      frame.charge(40);
      const values = new Map<string, unknown>();
      for (const { field, value, isOptional } of steps) {
        const found = value(frame);
        if (!isOptional) values.set(field, found);
        else if (!(found instanceof Optional)) {
          throw new Failure(`cannot initialize optional entry '${field}' from non-optional`);
        } else if (found.hasValue()) values.set(field, found.value());
      }
      return kind.make(name, values);
    };
  }

  #fold(node: Fold, slots: Slots): Step {
    const at = slots.size === 0 ? 0 : Math.max(...slots.values()) + 1;
    const accumulator = new Map([...slots, [node.accumulator, at]]);
    const inner = new Map([...accumulator, [node.variable, at + 1]]);
    if (node.second !== undefined) inner.set(node.second, at + 2);
    const [range, start] = [this.plan(node.range, slots), this.plan(node.start, slots)];
    const [condition, step] = [this.plan(node.condition, inner), this.plan(node.step, inner)];
    const result = this.plan(node.result, accumulator);
    const isPair = node.second !== undefined;
    return (frame) => {
      const { slots: values } = frame;
      const items = range(frame);
      values[at] = start(frame);
      const round = (key: unknown, value: unknown): boolean => {
        values[at + 1] = key;
        if (isPair) values[at + 2] = value;
        if (caught(condition, frame) === false) return false;
        values[at] = caught(step, frame);
        return true;
      };
      eachItem(items, isPair, round);
      return result(frame);
    };
  }
}

/** NB: a failure goes on as a value, as the rest of a fold may outweigh it. */
function caught(step: Step, frame: Frame): unknown {
  try {
    return step(frame);
  } catch (error) {
    if (error instanceof Failure && !error.isFinal) return error;
    throw error;
  }
}

/** Calls for each item until that returns false. */
function eachItem(range: unknown, isPair: boolean, round: (key: unknown, value: unknown) => boolean): void {
  if (Array.isArray(range)) {
    for (let i = 0; i < range.length; i++) {
      if (!(isPair ? round(BigInt(i), range[i]) : round(range[i], undefined))) return;
    }
  } else if (range instanceof Map) {
    for (const [key, value] of range) if (!round(key, value)) return;
  } else if (isFieldValue(range)) {
    for (const name of range.fields()) if (!round(name, range.get(name))) return;
  } else throw NO_OVERLOAD;
}

function logic(a: Step, b: Step, decisive: boolean): Step {
  return (frame) => {
    const left = caught(a, frame);
    if (left === decisive) return decisive;
    const right = caught(b, frame);
    if (right === decisive) return decisive;
    if (left instanceof Failure) throw left;
    if (right instanceof Failure) throw right;
    if (typeof left !== "boolean" || typeof right !== "boolean") throw NO_OVERLOAD;
    return !decisive;
  };
}

function shortCall(
  overload: Overload,
  [first, second]: readonly [Step, Step | undefined],
  costOf: ReturnType<typeof actualCost>,
): Step {
  const [wanted, other] = overload.args;
  return (frame) => {
    const a = first(frame);
    const values = second === undefined ? [a] : [a, second(frame)];
    if (!fits(a, wanted!) || other !== undefined && !fits(values[1], other)) throw NO_OVERLOAD;
    const result = invoke(overload, values);
    frame.charge(costOf(values, result));
    return result;
  };
}

function invoke({ call }: Overload, values: readonly unknown[]): unknown {
  try {
    // The values fit the overload's types.
    return (call as (...values: unknown[]) => unknown)(...values);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(error instanceof Error ? error.message : String(error));
  }
}

/** Returns a field, or undefined if there is none. @throws {Failure} If the value has no fields. */
function fieldOf(value: unknown, field: string): unknown {
  if (isFieldValue(value)) return value.get(field);
  if (value instanceof Map) return value.get(field);
  // NB: of a list it is an index of a wrong type; a scalar, or null, has no fields, and answers has().
  if (Array.isArray(value)) throw TEXT_INDEX;
  return undefined;
}

/** The failure of an index into a value of any type. Source: cel-go, interpreter/attributes.go, refQualify. */
function noIndex([value, index]: readonly unknown[]): Failure {
  if (!Array.isArray(value)) return new Failure(`no such key: ${index}`);
  return typeof index === "string" ? TEXT_INDEX : NO_OVERLOAD;
}

function hasField(value: unknown, field: string): boolean {
  if (value instanceof Optional) return value.hasValue() && hasField(value.value(), field);
  return fieldOf(value, field) !== undefined;
}

function optionalField(value: unknown, field: string): Optional {
  const found = fieldOf(value, field);
  return found === undefined ? Optional.NONE : new Optional(found);
}
