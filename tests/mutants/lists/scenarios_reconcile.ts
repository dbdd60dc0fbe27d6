/** Breaks of what wakes a reconcile, each once, and of what keeps it from running beside itself. */

import { breaksOf, type Mutant } from "../mutant.ts";

const TRIGGERS = "lib/controller/triggers.ts";
const RECORD = "lib/execution/reconcile_record.ts";
const RUN = "lib/controller/reconcile_handlers.ts";
const CONTROLLER = "lib/controller/controller.ts";
const SLOTS = "lib/controller/slots.ts";

const reconcile = ["tests/scenarios/reconcile_test.ts"];
const related = ["tests/scenarios/related_test.ts"];
const pace = ["tests/scenarios/reconcile_pace_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf(CONTROLLER, [
    ["this.triggers.notify(resource, told, handlers.sources);", ""],
    ["this.triggers.introduce(state, children);", ""],
  ], related),
  ...breaksOf(TRIGGERS, [
    [`if (records.length > 0) queue.add(state, "dependency");`, ""],
    [`queue.add(owner, "dependency");`, ""],
    [
      "const before = event.old === undefined ? [] : this.#ownersOf(source, event.old);",
      "const before: ObjectState[] = [];",
    ],
    [
      "for (const state of old === undefined ? [object] : [old, object]) {",
      "for (const state of [object]) {",
    ],
    ["if (isController && reference.controller !== true) continue;", ""],
    [
      "if (isOwn?.(owner) !== true) this.#tellOwner(owner, source, event);",
      "this.#tellOwner(owner, source, event);",
    ],
    ["if (differsFromSent({ before: early.old, sent, answer })) return;", ""],
  ], related),
  ...breaksOf(RECORD, [
    [`this.#planned = { at: now + requeueAfter, reason: { kind: "requeue" } };`, ""],
    [`this.wake({ kind: "resync" }, now);`, ""],
    [`this.#planned = { at: now + after, reason: { kind: "retry", error } };`, ""],
  ], reconcile),
  ...breaksOf(RUN, [
    [`this.#wake(record, { kind: "change" });`, ""],
    [`if (handler.finalize !== undefined) this.#wake(record, { kind: "delete" });`, ""],
  ], reconcile),
  ...breaksOf(RUN, [["if (record.isWoken || record.isPlanned) wake(state);", ""]], pace),
  ...breaksOf(SLOTS, [["if (!this.#options.wake(state)) {", "if (true) {"]], pace),
];

export default mutants;
