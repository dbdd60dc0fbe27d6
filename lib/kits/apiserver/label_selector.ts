/**
 * Label selectors: `app=db,tier in (a, b),!canary`.
 *
 * Source: Kubernetes documentation, "Labels and Selectors"; the words of refusals are those of k8s.io/apimachinery,
 * pkg/labels/selector.go.
 */

import { badRequest } from "./refusal.ts";
import { labelValueErrors, qualifiedNameErrors } from "./names.ts";

/** Whether labels are selected. */
export type LabelPredicate = (labels: Readonly<Record<string, string>>) => boolean;

const OPERATORS = ["in", "notin", "=", "==", "!=", "gt", "lt"];
const SYMBOLS: Readonly<Record<string, string>> = { "<": "lt", ">": "gt" };

/**
 * Compiles a label selector.
 *
 * @throws {Refusal} 400
 */
export function parseLabels(text: string): LabelPredicate {
  const tokens = text.match(/[(),]|[=!<>]+|[^\s=!<>(),]+/g) ?? [];
  const requirements = new Parser(tokens).parse();
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
    if (this.#tokens.length === 0) return requirements;
    for (;;) {
      requirements.push(this.#requirement());
      const end = this.#take();
      if (end === "") return requirements;
      if (end !== ",") throw badRequest(`found '${end}', expected: ',' or 'end of string'`);
    }
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? "";
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? "";
  }

  #requirement(): LabelPredicate {
    const first = this.#take();
    if (first === "!") {
      const key = checkKey(this.#take());
      return (labels) => !Object.hasOwn(labels, key);
    }
    if (!isWord(first)) throw badRequest(`found '${first}', expected: !, identifier, or 'end of string'`);
    const key = checkKey(first);
    if (this.#peek() === "" || this.#peek() === ",") return (labels) => Object.hasOwn(labels, key);
    const operator = this.#take();
    const name = SYMBOLS[operator] ?? operator;
    if (!OPERATORS.includes(name)) throw fault(`found '${operator}', expected: ${OPERATORS.join(", ")}`);
    if (name === "in" || name === "notin") return setRequirement(key, name, this.#values());
    return compareRequirement(key, name, this.#value());
  }

  #value(): string {
    const next = this.#peek();
    if (!isWord(next)) return "";
    return checkValue(this.#take());
  }

  #values(): string[] {
    const open = this.#take();
    if (open !== "(") throw fault(`found '${open}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      values.push(this.#value());
      const end = this.#take();
      if (end === ")") return values;
      if (end !== ",") throw fault(`found '${end}', expected: ',', or ')'`);
    }
  }
}

function isWord(token: string): boolean {
  return token !== "" && /^[^=!<>(),]/.test(token);
}

function fault(message: string): Error {
  return badRequest(`unable to parse requirement: ${message}`);
}

function checkKey(key: string): string {
  const wrong = qualifiedNameErrors(key)[0];
  if (wrong !== undefined) throw fault(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrong}`);
  return key;
}

function checkValue(value: string): string {
  const wrong = labelValueErrors(value)[0];
  if (wrong !== undefined) throw fault(`values[0][]: Invalid value: ${JSON.stringify(value)}: ${wrong}`);
  return value;
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
      return (labels) => Object.hasOwn(labels, key) && Number(labels[key]) < Number(value);
    case "gt":
      return (labels) => Object.hasOwn(labels, key) && Number(labels[key]) > Number(value);
    default:
      return (labels) => Object.hasOwn(labels, key) && labels[key] === value;
  }
}
