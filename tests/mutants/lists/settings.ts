/** Breaks in lib/settings. */

import { breaksOf, type Mutant } from "../mutant.ts";

const KEYS = "lib/settings/persistence/annotation_names.ts";
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
      "combineNotes([notes, statusNotes({ name, form })], { writable: 1 }).progress",
      "notes.progress",
    ],
    [
      "kopf",
      "combineNotes([notes, statusNotes({ name, form })], { writable: 1 }).progress",
      "combineNotes([notes, statusNotes({ name, form })]).progress",
    ],
  ]),
  ...breaksOf("lib/settings/persistence/place.ts", [
    [
      "dropStatus",
      "for (let length = field.length - 1; length >= 2; length--) {",
      "for (let length = 0; length >= 2; length--) {",
    ],
  ], PRESETS),
  ...breaksOf("lib/settings/persistence/place.ts", [
    ["dropAnnotation", "if (getKey(annotationsOf(body), key) === undefined) delete", "if (false) delete"],
    ["dropStatus", "else takeBack(patch.status as JsonObject, field.slice(1));", ""],
    ["writeMarker", `: !isWithin(prefix, "kopf.zalando.org");`, `: !prefix.startsWith("kopf.");`],
    ["writeMarker", `: !isWithin(prefix, "kopf.zalando.org");`, ": false;"],
    ["writeMarker", "if (Object.hasOwn(annotations, marker)) return;", ""],
  ], PROGRESS),
  ...breaksOf("lib/settings/persistence/note_texts.ts", [
    ["parseNote", "value = parseJson(text);", "value = parseJson(text === text.trim() ? text : '');"],
  ], ["tests/settings/persistence/diff_base_test.ts"]),
  ...breaksOf("lib/settings/persistence/progress.ts", [
    ["ProgressNotes.#encode", "const said = verbose", "const said = false"],
    ["ProgressNotes.#encode", "const said = verbose", "const said = true"],
  ]),
  ...breaksOf("lib/settings/persistence/place.ts", [
    [
      "AnnotationPlace.drop",
      "for (const key of this.#keys(id, target.body)) dropAnnotation",
      "for (const key of this.#keys(id, target.body).slice(0, 1)) dropAnnotation",
    ],
    [
      "AnnotationPlace.write",
      "for (const key of this.#keys(id, target.body)) {",
      "for (const key of this.#keys(id, target.body).slice(0, 1)) {",
    ],
    ["AnnotationPlace.write", "there !== undefined && isSame?.(there) ? String(there) :", ""],
    ["StatusPlace.write", "(there !== undefined && isSame?.(there))", "false"],
  ], PROGRESS),
  ...breaksOf("lib/settings/persistence/progress.ts", [
    [
      "ProgressNotes.#parse",
      `this.#options.place.holds === "texts" ? parseNote(value, where, options) : value`,
      "value",
    ],
    ["ProgressNotes.ids", ".filter((id) => !others.includes(id))", ""],
  ]),
  ...breaksOf("lib/settings/persistence/progress.ts", [
    ["ProgressNotes.#encode", `form === "kopf" ? toPythonJson(said) :`, ""],
    [
      "ProgressNotes.#encode",
      `form === "kopf" ? toPythonJson(said) : formatJson(said)`,
      "toPythonJson(said)",
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
  ...breaksOf("lib/settings/persistence/combined.ts", [
    ["Places.first", "for (const place of this.all) {", "for (const place of this.all.slice(0, 1)) {"],
    ["Places.sides", "emptied: isMoved ? [status] : []", "emptied: [status]"],
    ["Places.sides", "emptied: [annotations]", "emptied: []"],
    ["Places.tolerated", "if (room.isFor(body)) return annotations;", ""],
    ["CombinedDiffBase.fetch", "this.places.alternatives === undefined &&", ""],
    ["CombinedDiffBase.store", "if (tolerated !== undefined && hasNoted(tolerated, note)) return;", ""],
    ["CombinedDiffBase.store", "for (const { diffBase } of emptied) diffBase.purge?.(note);", ""],
    ["CombinedProgress.store", "for (const { progress } of emptied) progress.purge(target);", ""],
    ["CombinedDiffBase.isOutdated", "|| places.isUnsafe(body)", ""],
    ["CombinedDiffBase.isOutdated", "places.alternatives === undefined ? right : places.all", "right"],
  ]),
  ...breaksOf("lib/settings/persistence/diff_base.ts", [
    ["DiffBase.#fitting", "[2, 1]", "[1]"],
    ["DiffBase.#fitting", "[2, 1]", "[2]"],
  ]),
  ...breaksOf("lib/settings/persistence/diff_base.ts", [
    ["DiffBase.store", `toPythonJson(essence) + "\\n"`, "toPythonJson(essence)"],
  ]),
  ...breaksOf("lib/settings/persistence/place.ts", [
    ["StatusPlace.write", 'typeof value === "string" ? value.trimEnd() : value', "value"],
  ], ["tests/settings/persistence/diff_base_test.ts"]),
];

export default mutants;
