/** Breaks of what wakes a reconcile, each once, and of what keeps it from running beside itself. */

import { breaksOf, type Mutant } from "../mutant.ts";

const TRIGGERS = "lib/controller/triggers.ts";
const RECORD = "lib/handlers/reconcile/reconcile_record.ts";
const RUN = "lib/handlers/reconcile/reconcile_part.ts";
const CONTROLLER = "lib/controller/controller.ts";
const CONCURRENCY = "lib/handlers/reconcile/concurrency.ts";

const reconcile = ["tests/scenarios/reconcile_test.ts"];
const related = ["tests/scenarios/related_test.ts"];
const pace = ["tests/scenarios/reconcile_pace_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf(CONTROLLER, [
    ["Controller.notify", "this.triggers.notify(resource, told, handlers);", ""],
    [
      "Controller.#stateOf",
      "for (const { manner, handlers } of manners) manner.introduce?.(state, handlers);",
      "",
    ],
  ], related),
  ...breaksOf(TRIGGERS, [
    ["Triggers.wake", `if (records.length > 0) queue.add(state, "dependency");`, ""],
    ["Triggers.#tellOwner", `queue.add(owner, "dependency");`, ""],
    [
      "Triggers.#tell",
      "const before = event.old === undefined ? [] : this.#ownersOf(source, event.old);",
      "const before: ObjectState[] = [];",
    ],
    [
      "Triggers.#wakeMapped",
      "for (const state of old === undefined ? [object] : [old, object]) {",
      "for (const state of [object]) {",
    ],
    ["Triggers.#ownersOf", "resource.namespaced && caches.has(resource, uid)", "false"],
    ["Triggers.#ownersOf", "if (isController && reference.controller !== true) continue;", ""],
    ["Triggers.#tell", "if (isOwn?.(owner) === true) continue;", ""],
    [
      "Triggers.#tell",
      "if (isOwn !== undefined || !this.#ownWrites.hold({ resource, owner: uid, event, tell })) tell();",
      "tell();",
    ],
    ["Triggers.answered", "this.#ownWrites.answered(answer, written);", ""],
    [
      "Triggers.#tellOwner",
      'return void this.wake(owner, { kind: "owned", object: deepFreeze(event.object) });',
      "return;",
    ],
    [
      "Triggers.#wakeTarget",
      'if (this.trigger(named, { kind: "watched", object: deepFreeze(object) })) return;',
      "return;",
    ],
    ["Triggers.answered", 'if (adoption !== "newer") return;', "return;"],
  ], related),
  ...breaksOf(TRIGGERS, [
    ["Triggers.trigger", "if (state !== undefined && this.wake(state, reason)) isFound = true;", ""],
  ], reconcile),
  ...breaksOf(CONTROLLER, [
    [
      "Controller.exchange",
      'if (isConcerned) this.triggers.wake(state, { kind: "trigger", reason: "other code" });',
      "if (isConcerned) continue;",
    ],
  ], ["tests/scenarios/exchange_test.ts"]),
  ...breaksOf(RECORD, [
    [
      "ReconcileRecord.end",
      `this.#plan(now + requeueAfter, { kind: "requeue" });`,
      "",
    ],
    ["ReconcileRecord.wakeIfDue", `this.wake({ kind: "resync" }, now);`, ""],
    [
      "ReconcileRecord.end",
      `return this.#plan(this.#retry.due, { kind: "retry", error: outcome.error });`,
      "return;",
    ],
  ], reconcile),
  ...breaksOf(RUN, [
    ["ReconcilePart.#wakeIfChanged", `record.wake({ kind: "change" }, this.#now);`, ""],
    [
      "ReconcilePart.#wakeIfChanged",
      `record.wake({ kind: record.wasCalled ? "change" : isOld ? "start" : "create" }, this.#now);`,
      "",
    ],
    [
      "ReconcilePart.#beginFinalizing",
      `if (finalize !== undefined) record.wake({ kind: "delete" }, this.#now);`,
      "",
    ],
  ], reconcile),
  ...breaksOf(RECORD, [
    [
      "ReconcileRecord.end",
      `return this.#plan(this.#retry.due, { kind: "requeue" });`,
      "return;",
    ],
  ], ["tests/scenarios/children_test.ts"]),
  ...breaksOf("lib/engines/children/children.ts", [
    [
      "ChildrenRun.#remove",
      "object.metadata.ownerReferences?.some(({ uid }) => uid === this.#uid)",
      "object !== undefined",
    ],
    ["ChildrenRun.#addUnlisted", "if (!isWanted && !isGone) this.#errors", "if (false) this.#errors"],
    ["ChildrenRun.#addUnlisted", "if (!isWanted && !isGone) this.#errors", "if (!isWanted) this.#errors"],
    ["ChildrenRun.#apply", "if (known?.metadata.deletionTimestamp !== undefined)", "if (false)"],
    ["ChildrenRun.#delete", "preconditions: { uid }, ", ""],
    ["ChildrenRun.#delete", "(error.status === 404 || error.status === 409)", "error.status === 404"],
  ], ["tests/scenarios/children_test.ts"]),
  ...breaksOf("lib/model/conditions.ts", [
    [
      "setCondition",
      "entries.map((entry) => isOfType(entry, wanted.type) ? condition : entry)",
      "[...entries.filter((entry) => !isOfType(entry, wanted.type)), condition]",
    ],
  ], ["tests/model/conditions_test.ts"]),
  ...breaksOf(
    RUN,
    [["ReconcilePart.#guarded", "if (record.isWoken || record.isPlanned) wake(state);", ""]],
    pace,
  ),
  ...breaksOf(
    CONCURRENCY,
    [["Concurrency.#serve", "if (!this.#options.wake(state)) {", "if (true) {"]],
    pace,
  ),
];

export default mutants;
