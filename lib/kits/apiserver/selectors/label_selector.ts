/**
 * Label selectors: `app=db,tier in (a, b),!canary`.
 *
 * Source: Kubernetes documentation, "Labels and Selectors"; the words of refusals are from k8s.io/apimachinery,
 * pkg/labels/selector.go.
 */

import { badRequest } from "../refusal.ts";
import { labelValueErrors, qualifiedNameErrors } from "../names.ts";

/** Whether labels are selected. */
export type LabelPredicate = (labels: Readonly<Record<string, string>>) => boolean;

const OPERATORS = ["in", "notin", "=", "==", "!=", "gt", "lt"];
const SYMBOLS: Readonly<Record<string, string>> = { "<": "lt", ">": "gt" };

/** Token of a selector: a word, or one of the symbols. */
const TOKEN = /[(),]|==|!=|[=!<>]|[^\s=!<>(),]+/g;

/**
 * Compiles a label selector.
 *
 * @throws {Refusal} 400
 */
export function parseLabels(text: string): LabelPredicate {
  const requirements = new Parser(text.match(TOKEN) ?? []).parse();
  return (labels) => requirements.every((fits) => fits(labels));
}

class Parser {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  parse(): LabelPredicate[] {
    const requirements: LabelPredicate[] = [];
    while (this.#peek() !== "") {
      if (!beginsRequirement(this.#peek())) {
        throw badRequest(`found '${this.#peek()}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const end = this.#take();
      if (end === "") break;
      if (end !== ",") throw badRequest(`found '${end}', expected: ',' or 'end of string'`);
      const next = this.#peek();
      if (!beginsRequirement(next)) throw badRequest(`found '${next}', expected: identifier after ','`);
    }
    return requirements;
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? "";
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? "";
  }

  #requirement(): LabelPredicate {
    const first = this.#take();
    const isAbsence = first === "!";
    const key = isAbsence ? this.#take() : first;
    if (!isWord(key)) throw fault(`found '${key}', expected: identifier`);
    checkKey(key);
    if (isAbsence) return (labels) => !Object.hasOwn(labels, key);
    if (this.#peek() === "" || this.#peek() === ",") return (labels) => Object.hasOwn(labels, key);
    const operator = this.#take();
    const name = SYMBOLS[operator] ?? operator;
    if (!isOperator(operator)) throw fault(`found '${operator}', expected: ${OPERATORS.join(", ")}`);
    if (name === "in" || name === "notin") return setRequirement(key, name, this.#values(key));
    return compareRequirement(key, name, this.#value(key, name));
  }

  #value(key: string, operator: string): string {
    const isNone = this.#peek() === "" || this.#peek() === ",";
    const value = isNone ? "" : this.#take();
    if (!isNone && !isWord(value)) throw fault(`found '${value}', expected: identifier`);
    if ((operator === "gt" || operator === "lt") && !/^[+-]?[0-9]+$/.test(value)) {
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      throw fault(`values[0]: Invalid value: ${JSON.stringify(value)}: ${detail}`);
    }
    checkValue(key, value, 0);
    return value;
  }

  #values(key: string): string[] {
    const open = this.#take();
    if (open !== "(") throw fault(`found '${open}' expected: '('`);
    const values = new Set<string>();
    if (this.#peek() !== ")" && this.#peek() !== "," && !isWord(this.#peek())) {
      throw fault(`found '${this.#peek()}', expected: ',', ')' or identifier`);
    }
    for (;;) {
      const isNone = this.#peek() === "," || this.#peek() === ")";
      if (!isNone && !isWord(this.#peek())) {
        throw fault(`found '${this.#peek()}', expected: ',', or identifier`);
      }
      values.add(isNone ? "" : this.#take());
      const end = this.#take();
      if (end === ")") break;
      if (end !== ",") throw fault(`found '${end}', expected: ',' or ')'`);
    }
    const sorted = [...values].sort();
    sorted.forEach((value, index) => checkValue(key, value, index));
    return sorted;
  }
}

function isOperator(token: string): boolean {
  return OPERATORS.includes(SYMBOLS[token] ?? token) && token !== "gt" && token !== "lt";
}

function isWord(token: string): boolean {
  return token !== "" && /^[^=!<>(),]/.test(token);
}

function beginsRequirement(token: string): boolean {
  return token === "!" || isWord(token);
}

function fault(message: string): Error {
  return badRequest(`unable to parse requirement: ${message}`);
}

function checkKey(key: string): void {
  const wrong = qualifiedNameErrors(key)[0];
  if (wrong !== undefined) throw fault(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrong}`);
}

function checkValue(key: string, value: string, index: number): void {
  const wrong = labelValueErrors(value)[0];
  if (wrong === undefined) return;
  throw fault(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${wrong}`);
}

function setRequirement(key: string, operator: string, values: readonly string[]): LabelPredicate {
  const wanted = new Set(values);
  if (operator === "in") return (labels) => Object.hasOwn(labels, key) && wanted.has(labels[key] ?? "");
  return (labels) => !Object.hasOwn(labels, key) || !wanted.has(labels[key] ?? "");
}

function compareRequirement(key: string, operator: string, value: string): LabelPredicate {
  switch (operator) {
    case "!=":
      return (labels) => !Object.hasOwn(labels, key) || labels[key] !== value;
    case "lt":
      return (labels) => isNumber(labels, key) && Number(labels[key]) < Number(value);
    case "gt":
      return (labels) => isNumber(labels, key) && Number(labels[key]) > Number(value);
    default:
      return (labels) => Object.hasOwn(labels, key) && labels[key] === value;
  }
}

function isNumber(labels: Readonly<Record<string, string>>, key: string): boolean {
  return Object.hasOwn(labels, key) && /^[+-]?[0-9]+$/.test(labels[key] ?? "");
}
