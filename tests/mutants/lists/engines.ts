/** Breaks in lib/engines, for the tests of single engines. */

import { breaksOf, type Mutant } from "../mutant.ts";

const DAEMONS = ["tests/engines/daemons/daemons_test.ts"];
const POSTING = ["tests/engines/posting/poster_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/engines/activities.ts", [
    [
      "failures.set(handler.id, outcome.error);",
      "failures.size > 0 || failures.set(handler.id, outcome.error);",
    ],
    [", { cause: error });", ");"],
    ["progress.due = clock.now() + outcome.delay * 1000;", "progress.due = clock.now() + 1000;"],
  ]),
  ...breaksOf("lib/engines/probing.ts", [
    ["- this.#results.at < CACHED", "- this.#results.at <= CACHED"],
    ["this.#asking ??= probe()", "this.#asking = probe()"],
    [`app.on(["GET", "HEAD"], path`, `app.on(["GET", "HEAD", "POST"], path`],
  ]),
  ...breaksOf("lib/engines/daemons/daemons.ts", [
    [`"OPERATOR_PAUSING"`, `"OPERATOR_EXITING"`],
    ["this.#isPaused = false;", ""],
    ["if (this.#isPaused || this.#isExiting) return;", "if (this.#isExiting) return;"],
    ["for (const subject of this.#records.keys()) this.#options.wake(subject);", ""],
    [
      "companions.filter((each) => !each.wasTold(reason));",
      "companions.filter((each) => !each.wasTold(reason)).slice(0, 2);",
    ],
    [
      "if (companions.some((each) => each.isStopping && !each.isReleased)) return;\n    this.#options.wake(subject);",
      "",
    ],
  ]),
  ...breaksOf("lib/engines/daemons/companion.ts", [
    ["    if (!wasAsked) {", "    if (true) {"],
  ], DAEMONS),
  ...breaksOf("lib/engines/daemons/stopping.ts", [
    ["const toCancel = since + backoff;", "const toCancel = since;"],
    ["if (timeout !== undefined && isBefore(now, toCancel + timeout)) {", "if (false) {"],
  ], DAEMONS),
  ...breaksOf("lib/engines/posting/event.ts", [
    [`return kind === "Event" && EVENTS`, `return kind === "Event" || EVENTS`],
    ["const EVENTS = /^(v1|events\\.k8s\\.io\\/.*)$/;", "const EVENTS = /^v1$/;"],
    ["return reference.namespace ?? defaultNamespace;", `return reference.namespace ?? "default";`],
  ], POSTING),
  ...breaksOf("lib/engines/posting/poster.ts", [
    ["if (this.#isClosing || isEvent(reference)) return;", "if (this.#isClosing) return;"],
    ["if (this.#dropped++ === 0) {", "if (true) {"],
    ["return uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;", "return kind;"],
    ["backoffs: backoffs ?? defaultBackoffs,", "backoffs: defaultBackoffs,"],
    ["if (!signal.aborted) this.#drop(posting.reference, error);", "throw error;"],
  ]),
  ...breaksOf("lib/engines/admission/webhook_configuration.ts", [
    [`.replaceAll("_", "-")`, ""],
    [".replace(/[!'()*]/g, (character) => `%${hexOf(character).toUpperCase()}`)", ""],
    [`handler.sideEffects ? "NoneOnDryRun" : "None"`, `"None"`],
    [`operations: operations === undefined ? ["*"] : [...operations],`, `operations: ["*"],`],
    [`operator: "Exists"`, `operator: "In"`],
    [
      "    if (persistentOnly === true",
      "    if (resources.length === 0) return [];\n    if (persistentOnly === true",
    ],
  ]),
];

export default mutants;
