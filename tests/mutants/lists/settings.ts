/** Breaks in lib/settings. */

import { breaksOf, type Mutant } from "../mutant.ts";

const KEYS = "lib/settings/persistence/annotations.ts";
const PRESETS = ["tests/settings/persistence/presets_test.ts"];
const PROGRESS = ["tests/settings/persistence/progress_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/settings/settings.ts", [[
    "execution: { defaultBackoff: 60",
    "execution: { defaultBackoff: 30",
  ]]),
  ...breaksOf("lib/settings/rules.ts", [
    [`"execution.maxWorkers": orNull(count)`, `"execution.maxWorkers": orNull(count0)`],
  ], ["tests/settings/settings_test.ts"]),
  ...breaksOf(KEYS, [
    ["shorten(safeName(name), LIMIT, name)", "shorten(safeName(name), LIMIT)"],
    ["LIMIT - prefix.length - 1", "LIMIT - prefix.length"],
    [`id.replaceAll("/", ".").replace(/[<>]/g, "_")`, `id.replaceAll("/", ".")`],
    [`if (body.kind !== "ReplicaSet") return false;`, ""],
    [`isObject(owner) && owner.kind === "Deployment"`, "isObject(owner)"],
  ]),
  ...breaksOf(KEYS, [
    ["if (prefix.length <= 189) return [];", "if (prefix.length <= 190) return [];"],
    ["if (prefix.length <= 189) return [];", "if (prefix.length <= 188) return [];"],
    ["!VALID_PREFIX.test(prefix)", "(prefix !== '' && !VALID_PREFIX.test(prefix))"],
  ], PRESETS),
  ...breaksOf("lib/settings/persistence/presets.ts", [
    ["[new AnnotationsProgress(place), inStatus], { writable: 1 }", "[new AnnotationsProgress(place)]"],
    [
      "[new AnnotationsProgress(place), inStatus], { writable: 1 }",
      "[new AnnotationsProgress(place), inStatus]",
    ],
  ]),
  ...breaksOf("lib/settings/persistence/annotations.ts", [
    [
      "for (let length = field.length - 1; length >= 2; length--) {",
      "for (let length = 0; length >= 2; length--) {",
    ],
  ], PRESETS),
  ...breaksOf("lib/settings/persistence/annotations.ts", [
    ["if (getKey(annotationsOf(body), key) === undefined) delete", "if (false) delete"],
    ["else takeBack(patch.status as JsonObject, field.slice(1));", ""],
    [`: !isWithin(prefix, "kopf.zalando.org");`, `: !prefix.startsWith("kopf.");`],
    [`: !isWithin(prefix, "kopf.zalando.org");`, ": false;"],
    ["if (Object.hasOwn(annotations, marker)) return;", ""],
  ], PROGRESS),
  ...breaksOf("lib/settings/persistence/annotations.ts", [
    ["value = parseJson(text);", "value = parseJson(text === text.trim() ? text : '');"],
  ], ["tests/settings/persistence/diff_base_test.ts"]),
  ...breaksOf("lib/settings/persistence/progress.ts", [
    ["value !== null || verbose", "value !== null"],
    ["value !== null || verbose", "true"],
    [
      "for (const key of this.#keys(target.id, target.body)) dropAnnotation",
      "for (const key of this.#keys(target.id, target.body).slice(0, 1)) dropAnnotation",
    ],
    [
      "    for (const key of this.#keys(id, body)) {\n      const stored",
      "    for (const key of this.#keys(id, body).slice(0, 1)) {\n      const stored",
    ],
  ]),
  ...breaksOf("lib/settings/persistence/progress.ts", [
    [`form === "kopf" ? toPythonJson(content) :`, ""],
    [`form === "kopf" ? toPythonJson(content) : formatJson(content)`, "toPythonJson(content)"],
  ]),
  ...breaksOf("lib/settings/persistence/record.ts", [
    [`form === "kopf" ? record.retries + (record.waits ?? 0) : record.retries`, "record.retries"],
    [
      `form === "kopf" ? record.retries + (record.waits ?? 0) :`,
      "true ? record.retries + (record.waits ?? 0) :",
    ],
    [
      `return form === "kopf" && waits !== undefined && !success && !failure ? "None" : null;`,
      "return null;",
    ],
    ["waits !== undefined && !success && !failure", "waits !== undefined"],
  ]),
  ...breaksOf("lib/settings/persistence/multi.ts", [
    [
      "return firstOf(this.#storages, (storage) => storage.fetch(body, options));",
      "return this.#storages[0]?.fetch(body, options);",
    ],
  ]),
  ...breaksOf("lib/settings/persistence/diff_base.ts", [
    [`toPythonJson(essence) + "\\n"`, "toPythonJson(essence)"],
    ["writeStatus(note, this.#field, text.trimEnd());", "writeStatus(note, this.#field, text);"],
  ]),
];

export default mutants;
