/** Breaks in lib/model. */

import { breaksOf, type Mutant } from "../mutant.ts";

const mutants: Mutant[] = [
  ...breaksOf("lib/model/diff.ts", [
    ["makeDiffItem", "const { old, new: now } = values;", "const { old: now, new: old } = values;"],
    ["compare", `if (b !== undefined && b !== null) add("add"`, `add("add"`],
    ["compare", `add("remove", state, { old: a })`, `add("change", state, { old: a })`],
    [
      "compare",
      "} else if (isObject(a) && isObject(b)) {",
      `} else if (typeof a === "object" && typeof b === "object") {`,
    ],
    ["compareKey", "state.path.push(key);", "state.path[0] = key;"],
    ["reduceDiff", "item.path.slice(path.length)", "item.path"],
    [
      "reduceDiff",
      `compareAll({ before: getField(item.old, rest), after: getField(item.new, rest), path: [] }, items);`,
      "items.push(makeDiffItem(item.op, [], { old: getField(item.old, rest), new: getField(item.new, rest) }));",
    ],
    ["reduceDiff", "} else if (startsWith(path, item.path)) {", "} else {"],
  ]),
  ...breaksOf("lib/model/essence.ts", [
    [`new Set(["apiVersion", "kind", "metadata", "status"])`, `new Set(["apiVersion", "kind", "metadata"])`],
    ["isNote", `if (key === "kubectl.kubernetes.io/last-applied-configuration") return true;`, ""],
    ["isOperatorPrefix", "prefix === known || prefix.endsWith(`.${known}`)", "prefix === known"],
    ["isOperatorPrefix", "prefix === known || prefix.endsWith(`.${known}`)", "prefix.endsWith(known)"],
    ["isOperatorPrefix", "return Object.hasOwn(annotations, `${prefix}/${MARKER}`);", "return false;"],
    [
      "gatherEssence",
      "essence = withField(essence, path, value);",
      "essence = withField(essence, ['status'], body.status);",
    ],
    [
      "clearEssence",
      "cleared = withoutField(cleared, path);",
      "cleared = withoutField(cleared, path.slice(0, 1));",
    ],
    ["isNote", "if (slash < 0) return false;", ""],
    ["addMetadata", `for (const key of ["labels", "annotations"]) {`, `for (const key of ["labels"]) {`],
    ["dropEmpty", "if (isObject(value) && isEmptyObject(value)) result", "if (false) result"],
  ]),
  ...breaksOf("lib/model/json_patch.ts", [
    [
      "compareObjects",
      "if (a[key] !== after) compare(a[key], after,",
      "if (a[key] !== after) compare(undefined, after,",
    ],
    [
      "toJsonPatch",
      "const after = cloneJson(applyMergePatch(body, patch.toMergePatch()));\n  for (const fn of patch.fns) fn(after);",
      "const before = cloneJson(body);\n  for (const fn of patch.fns) fn(before);\n" +
      "  const after = applyMergePatch(before, patch.toMergePatch());",
    ],
    [
      "escapePointer",
      `key.replaceAll("~", "~0").replaceAll("/", "~1")`,
      `key.replaceAll("/", "~1").replaceAll("~", "~0")`,
    ],
    ["toJsonPatch", "if (patch.isEmpty) return [];", ""],
    ["toJsonPatch", "if (body === undefined) throw", "if (false) throw"],
    [
      "toJsonPatch",
      "cloneJson(applyMergePatch(body, patch.toMergePatch()))",
      "applyMergePatch(body, patch.toMergePatch())",
    ],
  ]),
  ...breaksOf("lib/model/merge_patch.ts", [[
    "mergeInto",
    "      delete result[key];",
    "      result[key] = null;",
  ]], [
    "tests/model/json_patch_test.ts",
    "tests/model/finalizers_test.ts",
  ]),
  ...breaksOf("lib/model/views.ts", [["stanza", "isObject(value) ? value : EMPTY", "value"]]),
  ...breaksOf("lib/model/finalizers.ts", [
    ["removeFinalizer", "list.filter((item) => item !== finalizer)", "list.slice(1)"],
    ["removeFinalizer", "rest.length > 0 ? rest : null", "rest"],
    ["addFinalizer", "list.includes(finalizer) ? undefined : [...list, finalizer]", "[...list, finalizer]"],
  ]),
  ...breaksOf("lib/model/patch.ts", [
    ["Patch.isEmpty", "if (!isBlank(name, section)) return false;", "return false;"],
    [`this.#replace("metadata", value);`, ""],
    ["isMap", `return name === "metadata" && (key`, "return (key"],
  ]),
  ...breaksOf("lib/model/selector.ts", [
    ["parseSelector", "if (names.length === 0) {", "if (false) {"],
    ["parseSelector", "if (names.length > 1) {", "if (false) {"],
    ["parseSelector", `if (names.some((name) => selector[name] === "")) {`, "if (false) {"],
    ["parseTerms", "if (terms.length > 3) {", "if (terms.length > 4) {"],
    [
      "parseTerms",
      `if (terms.some((term) => typeof term === "function") && terms.length > 1) {`,
      "if (false) {",
    ],
    ["parseName", `group: [second, ...rest].join(".")`, "group: second"],
    ["parseName", "if (VERSION.test(second)) return", "if (false) return"],
    ["parseName", `group: rest.join(".") };\n  return`, `group: rest.join(".") || undefined };\n  return`],
    ["/^v[0-9]+(?:(?:alpha|beta)[0-9]+)?$/", "/^v[0-9]+/"],
    [
      "parseQualifiers",
      `first === "v1" ? { group: "", version: "v1" } : { group: first }`,
      "{ group: first }",
    ],
    ["parseQualifiers", `const slash = first.lastIndexOf("/");`, `const slash = first.indexOf("/");`],
    ["matches", "if (selector.group !== undefined && selector.group !== resource.group) return false;", ""],
    [
      "matches",
      "if (selector.version === undefined && !resource.preferred && selector.predicate === undefined) return false;",
      "",
    ],
    [
      "matches",
      "if (selector.version !== undefined && selector.version !== resource.version) return false;",
      "",
    ],
    ["matches", "!resource.preferred && selector.predicate === undefined)", "!resource.preferred)"],
    [
      "matches",
      "[resource.kind, resource.plural, resource.singular, ...resource.shortcuts]",
      "[resource.plural]",
    ],
    [
      "matches",
      "...resource.shortcuts].includes(",
      "...resource.shortcuts, ...resource.categories].includes(",
    ],
    [
      "matches",
      "!isEvents(resource) && Boolean(selector.predicate(resource))",
      "Boolean(selector.predicate(resource))",
    ],
    [
      "matches",
      "if (selector.anyName === EVERYTHING) return !isEvents(resource);",
      "if (isEvents(resource)) return false;",
    ],
    ["isEvents", `group === "" || group === "events.k8s.io"`, `group === ""`],
    ["select", "isSpecific(selector) && core.length > 0 ? core : matching", "matching"],
    [
      "select",
      "isSpecific(selector) && core.length > 0 ? core : matching",
      "core.length > 0 ? core : matching",
    ],
  ]),
];

export default mutants;
