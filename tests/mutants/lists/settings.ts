/** Breaks in lib/settings. */

import { breaksOf, type Mutant } from "../mutant.ts";

const KEYS = "lib/settings/persistence/annotations.ts";
const PRESETS = ["tests/settings/persistence/presets_test.ts"];
const PROGRESS = ["tests/settings/persistence/progress_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/settings/settings.ts", [[
    "defaultSettings",
    "execution: { defaultBackoff: 60",
    "execution: { defaultBackoff: 30",
  ]]),
  ...breaksOf("lib/settings/rules.ts", [
    [`"execution.maxWorkers": orNull(count)`, `"execution.maxWorkers": orNull(count0)`],
  ], ["tests/settings/settings_test.ts"]),
  ...breaksOf(KEYS, [
    ["annotationKeys", "shorten(safeName(name), LIMIT, name)", "shorten(safeName(name), LIMIT)"],
    ["annotationKeys", "LIMIT - prefix.length - 1", "LIMIT - prefix.length"],
    ["safeName", `id.replaceAll("/", ".").replace(/[<>]/g, "_")`, `id.replaceAll("/", ".")`],
    ["isCopied", `if (body.kind !== "ReplicaSet") return false;`, ""],
    ["isCopied", `isObject(owner) && owner.kind === "Deployment"`, "isObject(owner)"],
  ]),
  ...breaksOf(KEYS, [
    ["checkPrefix", "if (prefix.length <= 189) return [];", "if (prefix.length <= 190) return [];"],
    ["checkPrefix", "if (prefix.length <= 189) return [];", "if (prefix.length <= 188) return [];"],
    ["checkPrefix", "!VALID_PREFIX.test(prefix)", "(prefix !== '' && !VALID_PREFIX.test(prefix))"],
  ], PRESETS),
  ...breaksOf("lib/settings/persistence/presets.ts", [
    [
      "kopf",
      "[new AnnotationsProgress(place), inStatus], { writable: 1 }",
      "[new AnnotationsProgress(place)]",
    ],
    [
      "kopf",
      "[new AnnotationsProgress(place), inStatus], { writable: 1 }",
      "[new AnnotationsProgress(place), inStatus]",
    ],
  ]),
  ...breaksOf("lib/settings/persistence/annotations.ts", [
    [
      "dropStatus",
      "for (let length = field.length - 1; length >= 2; length--) {",
      "for (let length = 0; length >= 2; length--) {",
    ],
  ], PRESETS),
  ...breaksOf("lib/settings/persistence/annotations.ts", [
    ["dropAnnotation", "if (getKey(annotationsOf(body), key) === undefined) delete", "if (false) delete"],
    ["dropStatus", "else takeBack(patch.status as JsonObject, field.slice(1));", ""],
    ["writeMarker", `: !isWithin(prefix, "kopf.zalando.org");`, `: !prefix.startsWith("kopf.");`],
    ["writeMarker", `: !isWithin(prefix, "kopf.zalando.org");`, ": false;"],
    ["writeMarker", "if (Object.hasOwn(annotations, marker)) return;", ""],
  ], PROGRESS),
  ...breaksOf("lib/settings/persistence/annotations.ts", [
    ["parseNote", "value = parseJson(text);", "value = parseJson(text === text.trim() ? text : '');"],
  ], ["tests/settings/persistence/diff_base_test.ts"]),
  ...breaksOf("lib/settings/persistence/progress.ts", [
    ["AnnotationsProgress.#encode", "value !== null || verbose", "value !== null"],
    ["AnnotationsProgress.#encode", "value !== null || verbose", "true"],
    [
      "AnnotationsProgress.purge",
      "for (const key of this.#keys(target.id, target.body)) dropAnnotation",
      "for (const key of this.#keys(target.id, target.body).slice(0, 1)) dropAnnotation",
    ],
    [
      "AnnotationsProgress.store",
      "    for (const key of this.#keys(id, body)) {\n      const stored",
      "    for (const key of this.#keys(id, body).slice(0, 1)) {\n      const stored",
    ],
  ]),
  ...breaksOf("lib/settings/persistence/progress.ts", [
    ["AnnotationsProgress.#encode", `form === "kopf" ? toPythonJson(content) :`, ""],
    [
      "AnnotationsProgress.#encode",
      `form === "kopf" ? toPythonJson(content) : formatJson(content)`,
      "toPythonJson(content)",
    ],
  ]),
  ...breaksOf("lib/settings/persistence/record.ts", [
    [
      "encodeRecord",
      `form === "kopf" ? record.retries + (record.waits ?? 0) : record.retries`,
      "record.retries",
    ],
    [
      "encodeRecord",
      `form === "kopf" ? record.retries + (record.waits ?? 0) :`,
      "true ? record.retries + (record.waits ?? 0) :",
    ],
    [
      "encodeMessage",
      `return form === "kopf" && waits !== undefined && !success && !failure ? "None" : null;`,
      "return null;",
    ],
    ["encodeMessage", "waits !== undefined && !success && !failure", "waits !== undefined"],
  ]),
  ...breaksOf("lib/settings/persistence/multi.ts", [
    [
      "MultiDiffBase.fetch",
      "return firstOf(this.#storages, (storage) => storage.fetch(body, options));",
      "return this.#storages[0]?.fetch(body, options);",
    ],
  ]),
  ...breaksOf("lib/settings/persistence/diff_base.ts", [
    ["DiffBase.store", `toPythonJson(essence) + "\\n"`, "toPythonJson(essence)"],
    [
      "StatusPlace.write",
      "writeStatus(note, this.#field, text.trimEnd());",
      "writeStatus(note, this.#field, text);",
    ],
  ]),
];

export default mutants;
