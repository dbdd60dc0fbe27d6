/**
 * Checks rules of faults. Runners of tests strip types without looking at them: a misspelt rule would strike no request, or
 * any, and the test would prove no more than without it.
 */

import type { Fault, FaultRule } from "./fault.ts";

type Check = (value: unknown) => boolean;
/** The members by their names: a check of the value, and its description. */
type Shape = Readonly<Record<string, readonly [check: Check, words: string]>>;

const text: Shape[string] = [(value) => typeof value === "string", "a text"];
const code: Shape[string] = [(value) => isWhole(value, 200, 599), "a status of HTTP from 200 to 599"];
const lines: Shape[string] = [(value) => isWhole(value, 0), "a whole number from 0 on"];
const time = oneOf("before", "after");
const span: Shape[string] = [
  (value) => Array.isArray(value) ? value.length === 2 && isSpan(value[0], value[1]) : isSpan(value, value),
  "a number of seconds from 0 on, or the least and the most",
];

const FAULTS: {
  readonly [Type in Fault["type"]]: Record<keyof Extract<Fault, { type: Type }>, Shape[string]>;
} = {
  refuse: {
    type: text,
    code,
    reason: text,
    message: text,
    retryAfter: [isLength, "a number of seconds"],
    when: time,
  },
  answer: { type: text, code, body: text, contentType: text, when: time },
  reset: { type: text, when: time },
  silence: { type: text, lines, when: time },
  delay: { type: text, seconds: span },
  cut: { type: text, lines, where: oneOf("line-end", "line", "character"), how: oneOf("reset", "end") },
  "error-event": { type: text, code, lines },
  lag: { type: text, seconds: span },
  duplicate: { type: text },
  reorder: { type: text },
};
/** Names that cannot be left out. */
const NEEDED: Readonly<Partial<Record<Fault["type"], string>>> = {
  refuse: "code",
  answer: "body",
  delay: "seconds",
  "error-event": "code",
  lag: "seconds",
};

/** For paths that are no resources, the verbs are methods of HTTP. */
const VERBS = "get list watch create update patch delete deletecollection post put head options".split(" ");

const RULE: Record<keyof FaultRule, Shape[string]> = {
  fault: [(value) => typeof value === "object" && value !== null, "a fault, or a list of faults"],
  verbs: [
    (value) => Array.isArray(value) && value.every((verb) => VERBS.includes(verb)),
    `a list of ${VERBS.join(", ")}`,
  ],
  resource: text,
  group: text,
  subresource: text,
  name: text,
  namespace: text,
  userAgent: text,
  when: [(value) => typeof value === "function", "a function"],
  times: [(value) => value === Infinity || isWhole(value, 1), "a whole number from 1 on, or Infinity"],
  rate: [(value) => isLength(value) && Number(value) <= 1, "a number from 0 to 1"],
  seed: [Number.isFinite, "a number"],
};

/** @throws {TypeError} If a member of a rule is unknown, or has a value that it cannot have. */
export function checkRule(rule: FaultRule): void {
  checkShape(rule, RULE, "a fault");
  const faults: readonly unknown[] = [rule.fault].flat();
  if (faults.length === 0 || rule.fault === undefined) {
    throw new TypeError('Cannot inject nothing: give "fault" a fault, or a list of faults');
  }
  for (const fault of faults) checkFault(fault);
}

function checkFault(fault: unknown): void {
  const { type } = Object(fault);
  if (typeof type !== "string" || !Object.hasOwn(FAULTS, type)) {
    throw new TypeError(
      `Cannot inject a fault of type ${JSON.stringify(type)}: known are ${Object.keys(FAULTS).join(", ")}`,
    );
  }
  const known = type as Fault["type"]; // just looked up
  checkShape(Object(fault), FAULTS[known], `"${type}"`);
  const needed = NEEDED[known];
  if (needed !== undefined && Object(fault)[needed] === undefined) {
    throw new TypeError(`Cannot inject "${type}" without "${needed}"`);
  }
}

function checkShape(given: object, shape: Shape, what: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(shape, name)) {
      throw new TypeError(`Cannot inject ${what} with "${name}": known are ${Object.keys(shape).join(", ")}`);
    }
    const [isRight, words] = shape[name] ?? [];
    if (value === undefined || isRight?.(value)) continue;
    const shown = typeof value === "number" ? String(value) : JSON.stringify(value);
    throw new TypeError(`Cannot inject ${what} with "${name}" ${shown}: give ${words}`);
  }
}

function oneOf(...names: readonly string[]): Shape[string] {
  return [(value) => names.includes(String(value)), names.map((name) => `"${name}"`).join(" or ")];
}

function isWhole(value: unknown, least: number, most = Infinity): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function isLength(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

function isSpan(least: unknown, most: unknown): boolean {
  return isLength(least) && isLength(most) && Number(least) <= Number(most);
}
