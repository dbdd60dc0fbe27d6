/** Breaks in lib/registry, and of the words with which handlers are declared. */

import { breaksOf, type Mutant } from "../mutant.ts";

const ON = ["tests/handlers/on_test.ts"];
const DECIDE = ["tests/handlers/change/decide_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/handlers/handlers.ts", [
    ["idOf", "id ?? nameOf(fn) ?? fallback", "id ?? fallback"],
    ["idOf", "id ?? nameOf(fn) ?? fallback", "nameOf(fn) ?? id ?? fallback"],
    ["idOf", `base : \`\${base}/\${field.join(".")}\``, "base : base"],
    ["nameOf", "fn.name.replace(/^(bound )+/", "fn.name.replace(/^bound /"],
  ], ON),
  ...breaksOf("lib/handlers/declare.ts", [
    ["rejectContradictions", "if (criteria.length > 0 && field === undefined) {", "if (false) {"],
    ["rejectContradictions", `if (criteria[0] === "value" && criteria.length > 1) {`, "if (false) {"],
  ], ON),
  ...breaksOf("lib/handlers/index/index_handler.ts", [["hasPlainId: true", "hasPlainId: false"]], ON),
  ...breaksOf("lib/handlers/change/change_handler.ts", [
    ["changeHandler", `if (cause === "field" && handler.field === undefined`, "if (false"],
  ], ON),
  ...breaksOf("lib/handlers/option_checks.ts", [
    ["checkOptions", "if (value === null && check !== acceptAny) continue;", ""],
    ["checkOptions", "    if (check === undefined) {", "    if (false) {"],
    ["checkMeta", "if (value === null || value === undefined) {", "if (false) {"],
  ], ON),
  ...breaksOf("lib/handlers/change/change_handler.ts", [
    ["changeHandler", `needsChange: cause === "update" || cause === "field"`, "needsChange: true"],
    [
      "changeHandler",
      `needsChange: cause === "update" || cause === "field"`,
      `needsChange: cause === "field"`,
    ],
  ], ["tests/handlers/filters_test.ts"]),
  ...breaksOf("lib/handlers/registry.ts", [
    ["Registry.#rejectCollision", "if (selectorKey(selector) !== kind) continue;", "continue;"],
    [
      "readonly #handlers: Registered[] = [];",
      "static readonly shared: Registered[] = [];\n  readonly #handlers = Registry.shared;",
    ],
  ], ON),
  ...breaksOf("lib/handlers/registry.ts", [
    [
      "Registry.add",
      "this.#handlers.push(added);",
      "if (!this.#handlers.some((each) => each.handler.fn === handler.fn)) this.#handlers.push(added);",
    ],
  ], DECIDE),
  ...breaksOf("lib/handlers/change/decide.ts", [
    ["selectChanges", `selected.has(id) ? "id" : undefined`, "undefined"],
    ["selectChanges", "for (const each of prematched)", "for (const each of prematched.toReversed())"],
    ["selectChanges", "mismatchOfField(turn, cause, each)", "earlier"],
    [
      "isOfOtherReason",
      "if (handler.reason !== undefined && handler.reason !== cause.reason) return true;",
      "",
    ],
    ["mismatchOfField", `if (mismatch !== undefined && mismatch !== "when") return mismatch;`, ""],
    ["mismatchOfField", `mismatch !== "when"`, "true"],
    ["mismatchOfField", `? mismatch : "change"`, `? undefined : "change"`],
    ["mismatchOfField", `return "error";`, "return undefined;"],
    ["mismatchOfField", `return "error";`, "throw error;"],
  ]),
  ...breaksOf("lib/operator/operator.ts", [
    ["this.#lifecycle = value ?? undefined;", "this.#lifecycle = value ?? this.#lifecycle;"],
  ], ON),
  ...breaksOf(
    "lib/handlers/admission/admission_handler.ts",
    [["operationsOf", "if (listed?.length === 0) {", "if (false) {"]],
    ON,
  ),
  ...breaksOf("lib/handlers/event/event_args.ts", [
    ["EventArgs.event", "return deepFreeze(this.#event);", "return this.#event;"],
  ], ["tests/handlers/object_args_test.ts"]),
  ...breaksOf("lib/handlers/change/change_args.ts", [
    ["ChangeArgs.#at", "return deepFreeze(value);", "return value;"],
  ], ["tests/handlers/object_args_test.ts"]),
  ...breaksOf("lib/model/views.ts", [["readOnly", "return deepFreeze(value);", "return value;"]], [
    "tests/handlers/object_args_test.ts",
  ]),
  ...breaksOf("lib/handlers/filters.ts", [
    [
      "matchesMeta",
      "return Object.entries(filters).every(",
      "return Object.keys(present ?? {}).length < 2 && Object.entries(filters).every(",
    ],
    ["matchesValue", "return isEqualJson(filter, value);", "return value !== undefined;"],
    [
      "matchesValue",
      "if (filter === PRESENT) return value !== undefined;",
      "if (filter === PRESENT) return Boolean(value);",
    ],
    [
      "matchesValue",
      "if (filter === ABSENT) return value === undefined;",
      "if (filter === ABSENT) return !value;",
    ],
    [
      "matchesValue",
      "if (filter === ABSENT) return value === undefined;",
      "if (filter === ABSENT) return false;",
    ],
    [
      "matchesValue",
      `if (typeof filter === "function") return ask(`,
      `if (typeof filter === "function") return value !== undefined && ask(`,
    ],
    [
      "findMismatch",
      "annotations !== undefined && !matchesMeta(annotations, metadata?.annotations, candidate)",
      "false",
    ],
    [
      "findMismatch",
      `if (field !== undefined && !matchesField(filters, field, candidate)) return "field";`,
      "",
    ],
    ["matchesField", "return values.some((each) =>", "return values.every((each) =>"],
    ["matchesField", "? [getField(candidate.body, field)]", "? [undefined]"],
    ["matchesChange", "if (needsChange === true && isEqualJson(before, after)) return false;", ""],
    ["matchesChange", "filters.new === undefined || matchesValue(filters.new, after, candidate)", "true"],
    ["matchesChange", "filters.old === undefined || matchesValue(filters.old, before, candidate)", "true"],
    [
      "findMismatch",
      `if (filters.when !== undefined && !ask(filters.when, [candidate.args()])) return "when";`,
      "",
    ],
    ["not", "return (...args) => !filter(...args);", "return (...args) => filter(...args);"],
    ["all", "=> filters.every((filter)", "=> filters.length > 0 && filters.every((filter)"],
    ["any", "=> filters.some((filter)", "=> filters.length === 0 || filters.some((filter)"],
    ["none", "=> !filters.some((filter)", "=> !filters.every((filter)"],
  ]),
  ...breaksOf("lib/model/fields.ts", [
    [
      "getField",
      "if (!isObject(value)) return undefined;\n    value = getKey",
      "if (!isObject(value)) return value;\n    value = getKey",
    ],
  ], ["tests/handlers/filters_test.ts"]),
];

export default mutants;
