/** Breaks in lib/registry, and of the words with which handlers are declared. */

import { breaksOf, type Mutant } from "../mutant.ts";

const ON = ["tests/registry/on_test.ts"];
const REGISTRY = ["tests/registry/registry_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/registry/handlers.ts", [
    ["id ?? nameOf(fn) ?? fallback", "id ?? fallback"],
    ["id ?? nameOf(fn) ?? fallback", "nameOf(fn) ?? id ?? fallback"],
    [`base : \`\${base}/\${field.join(".")}\``, "base : base"],
    ["fn.name.replace(/^(bound )+/", "fn.name.replace(/^bound /"],
  ], ON),
  ...breaksOf("lib/registry/declare.ts", [
    [`declaration.isSub === true || cause === "index";`, "declaration.isSub === true;"],
    [`if (cause === "field" && handler.field === undefined`, "if (false"],
    ["if (criteria.length > 0 && field === undefined) {", "if (false) {"],
    [`if (criteria[0] === "value" && criteria.length > 1) {`, "if (false) {"],
    ["if (value === null || value === undefined) {", "if (false) {"],
  ], ON),
  ...breaksOf("lib/registry/declare.ts", [
    [`needsChange: cause === "update" || cause === "field"`, "needsChange: true"],
    [`needsChange: cause === "update" || cause === "field"`, `needsChange: cause === "field"`],
  ], ["tests/registry/filters_test.ts"]),
  ...breaksOf("lib/registry/registry.ts", [
    ["if (selectorKey(selector) !== kind) continue;", "continue;"],
    [
      "readonly #handlers: RegisteredHandler[] = [];",
      "static readonly shared: RegisteredHandler[] = [];\n  readonly #handlers = Registry.shared;",
    ],
  ], ON),
  ...breaksOf("lib/registry/registry.ts", [
    [`(seen.has(handler.id) ? "id" : mismatchOf(handler, options))`, "mismatchOf(handler, options)"],
    [
      "this.#handlers.push(handler);",
      "if (!this.#handlers.some(({ fn }) => fn === handler.fn)) this.#handlers.push(handler);",
    ],
    ["return handlers.filter((handler) => {", "return handlers.toReversed().filter((handler) => {"],
    [`if (handler.reason !== undefined && handler.reason !== cause.reason) return "reason";`, ""],
  ], REGISTRY),
  ...breaksOf("lib/operator/operator.ts", [
    ["this.#lifecycle = value ?? undefined;", "this.#lifecycle = value ?? this.#lifecycle;"],
  ], ON),
  ...breaksOf("lib/registry/declare.ts", [["if (listed?.length === 0) {", "if (false) {"]], ON),
  ...breaksOf("lib/registry/args.ts", [
    ["return deepFreeze(this.#event);", "return this.#event;"],
    ["return deepFreeze(value);", "return value;"],
  ]),
  ...breaksOf("lib/model/views.ts", [["return deepFreeze(value);", "return value;"]], [
    "tests/registry/args_test.ts",
  ]),
  ...breaksOf("lib/registry/filters.ts", [
    [
      "return Object.entries(filters).every(",
      "return Object.keys(present ?? {}).length < 2 && Object.entries(filters).every(",
    ],
    ["return isEqualJson(filter, value);", "return value !== undefined;"],
    ["if (filter === PRESENT) return value !== undefined;", "if (filter === PRESENT) return Boolean(value);"],
    ["if (filter === ABSENT) return value === undefined;", "if (filter === ABSENT) return !value;"],
    ["if (filter === ABSENT) return value === undefined;", "if (filter === ABSENT) return false;"],
    [
      `if (typeof filter === "function") return ask(`,
      `if (typeof filter === "function") return value !== undefined && ask(`,
    ],
    ["annotations !== undefined && !matchesMeta(annotations, metadata?.annotations, candidate)", "false"],
    [`if (!matchesField(filters, field, candidate)) return "field";`, ""],
    ["return values.some((each) =>", "return values.every((each) =>"],
    ["? [getField(candidate.body, field)]", "? [undefined]"],
    ["if (filters.needsChange === true && isEqualJson(before, after)) return false;", ""],
    ["filters.new === undefined || matchesValue(filters.new, after, candidate)", "true"],
    ["filters.old === undefined || matchesValue(filters.old, before, candidate)", "true"],
    [`if (filters.when !== undefined && !ask(filters.when, [candidate.args()])) return "when";`, ""],
    ["return (...args) => !filter(...args);", "return (...args) => filter(...args);"],
    ["=> filters.every((filter)", "=> filters.length > 0 && filters.every((filter)"],
    ["=> filters.some((filter)", "=> filters.length === 0 || filters.some((filter)"],
    ["=> !filters.some((filter)", "=> !filters.every((filter)"],
  ]),
  ...breaksOf("lib/model/fields.ts", [
    [
      "if (!isObject(value)) return undefined;\n    value = getKey",
      "if (!isObject(value)) return value;\n    value = getKey",
    ],
  ], ["tests/registry/filters_test.ts"]),
];

export default mutants;
