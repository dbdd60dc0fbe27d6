/** Breaks in lib/model. */

import { breaksOf, type Mutant } from "../mutant.ts";

const mutants: Mutant[] = [
  ...breaksOf("lib/model/diff.ts", [
    ["const { old, new: now } = values;", "const { old: now, new: old } = values;"],
    [`if (b !== undefined && b !== null) add("add"`, `add("add"`],
    [`add("remove", state, { old: a })`, `add("change", state, { old: a })`],
    [
      "} else if (isObject(a) && isObject(b)) {",
      `} else if (typeof a === "object" && typeof b === "object") {`,
    ],
    ["state.path.push(key);", "state.path[0] = key;"],
    ["item.path.slice(path.length)", "item.path"],
    [
      `compareAll({ before: getField(item.old, rest), after: getField(item.new, rest), path: [] }, items);`,
      "items.push(makeDiffItem(item.op, [], { old: getField(item.old, rest), new: getField(item.new, rest) }));",
    ],
    ["} else if (startsWith(path, item.path)) {", "} else {"],
  ]),
  ...breaksOf("lib/model/essence.ts", [
    [`new Set(["apiVersion", "kind", "metadata", "status"])`, `new Set(["apiVersion", "kind", "metadata"])`],
    [`if (key === "kubectl.kubernetes.io/last-applied-configuration") return true;`, ""],
    ["prefix === known || prefix.endsWith(`.${known}`)", "prefix === known"],
    ["prefix === known || prefix.endsWith(`.${known}`)", "prefix.endsWith(known)"],
    ["return Object.hasOwn(annotations, `${prefix}/${MARKER}`);", "return false;"],
    ["essence = withField(essence, path, value);", "essence = withField(essence, ['status'], body.status);"],
    ["cleared = withoutField(cleared, path);", "cleared = withoutField(cleared, path.slice(0, 1));"],
    ["if (slash < 0) return false;", ""],
    [`for (const key of ["labels", "annotations"]) {`, `for (const key of ["labels"]) {`],
    ["if (isObject(value) && isEmptyObject(value)) result", "if (false) result"],
  ]),
  ...breaksOf("lib/model/json_patch.ts", [
    ["if (a[key] !== after) compare(a[key], after,", "if (a[key] !== after) compare(undefined, after,"],
    [
      "const after = cloneJson(applyMergePatch(body, patch.toMergePatch()));\n  for (const fn of patch.fns) fn(after);",
      "const before = cloneJson(body);\n  for (const fn of patch.fns) fn(before);\n" +
      "  const after = applyMergePatch(before, patch.toMergePatch());",
    ],
    [`key.replaceAll("~", "~0").replaceAll("/", "~1")`, `key.replaceAll("/", "~1").replaceAll("~", "~0")`],
    ["if (patch.isEmpty) return [];", ""],
    ["if (body === undefined) throw", "if (false) throw"],
    ["cloneJson(applyMergePatch(body, patch.toMergePatch()))", "applyMergePatch(body, patch.toMergePatch())"],
  ]),
  ...breaksOf("lib/model/merge_patch.ts", [["      delete result[key];", "      result[key] = null;"]], [
    "tests/model/json_patch_test.ts",
    "tests/model/finalizers_test.ts",
  ]),
  ...breaksOf("lib/model/views.ts", [["isObject(value) ? value : EMPTY", "value"]]),
  ...breaksOf("lib/model/finalizers.ts", [
    ["list.filter((item) => item !== finalizer)", "list.slice(1)"],
    ["rest.length > 0 ? rest : null", "rest"],
    ["list.includes(finalizer) ? undefined : [...list, finalizer]", "[...list, finalizer]"],
  ]),
  ...breaksOf("lib/model/patch.ts", [
    ["if (!isBlank(name, section)) return false;", "return false;"],
    [`this.#replace("metadata", value);`, ""],
    [`return name === "metadata" && (key`, "return (key"],
  ]),
  ...breaksOf("lib/model/selector.ts", [
    ["if (names.length === 0) {", "if (false) {"],
    ["if (names.length > 1) {", "if (false) {"],
    [`if (names.some((name) => selector[name] === "")) {`, "if (false) {"],
    ["if (terms.length > 3) {", "if (terms.length > 4) {"],
    [`if (terms.some((term) => typeof term === "function") && terms.length > 1) {`, "if (false) {"],
    [`group: [second, ...rest].join(".")`, "group: second"],
    ["if (VERSION.test(second)) return", "if (false) return"],
    [`group: rest.join(".") };\n  return`, `group: rest.join(".") || undefined };\n  return`],
    ["/^v[0-9]+(?:(?:alpha|beta)[0-9]+)?$/", "/^v[0-9]+/"],
    [`first === "v1" ? { group: "", version: "v1" } : { group: first }`, "{ group: first }"],
    [`const slash = first.lastIndexOf("/");`, `const slash = first.indexOf("/");`],
    ["if (selector.group !== undefined && selector.group !== resource.group) return false;", ""],
    [
      "if (selector.version === undefined && !resource.preferred && selector.predicate === undefined) return false;",
      "",
    ],
    ["if (selector.version !== undefined && selector.version !== resource.version) return false;", ""],
    ["!resource.preferred && selector.predicate === undefined)", "!resource.preferred)"],
    ["[resource.kind, resource.plural, resource.singular, ...resource.shortcuts]", "[resource.plural]"],
    ["...resource.shortcuts].includes(", "...resource.shortcuts, ...resource.categories].includes("],
    ["!isEvents(resource) && Boolean(selector.predicate(resource))", "Boolean(selector.predicate(resource))"],
    [
      "if (selector.anyName === EVERYTHING) return !isEvents(resource);",
      "if (isEvents(resource)) return false;",
    ],
    [`group === "" || group === "events.k8s.io"`, `group === ""`],
    ["isSpecific(selector) && core.length > 0 ? core : matching", "matching"],
    ["isSpecific(selector) && core.length > 0 ? core : matching", "core.length > 0 ? core : matching"],
  ]),
];

export default mutants;
