/**
 * Breaks of the code that all manners of handlers share, and of the manners that no other list has: the call, the row of attempts,
 * changes of daemons, tasks, reasons of reconciles, and handlers that are exchanged.
 */

import { breaksOf, type Mutant } from "../mutant.ts";

const PARTS = ["tests/handlers/part_test.ts"];
const EXCHANGES = ["tests/handlers/exchange_test.ts", "tests/scenarios/exchange_test.ts"];
const RELATED = ["tests/scenarios/related_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/handlers/retry.ts", [
    ["begin", "begun = momentOf(clock)", "begun = { wall: 0, monotonic: 0 }"],
    ["attemptsOf", "now - begun.monotonic", "0"],
    ["after", "const attempts = retry.attempts + 1;", "const attempts = retry.attempts;"],
    ["after", "undecided: retry }", "undecided: undefined }"],
    [
      "after",
      "return { ...retry, due: now + outcome.delay, undecided: undefined };",
      "return { ...FRESH, due: now };",
    ],
    ["pauseOf", "Math.max(delay, leastPause(attempts))", "delay"],
    ["decided", "retry.undecided === undefined ? retry : DONE", "retry"],
    ["refused", "if (before === undefined) return undefined;", "if (before === undefined) return FRESH;"],
    ["refused", "attemptsOf(before, now)", "{ retry: 0, runtime: 0 }"],
  ]),
  ...breaksOf("lib/handlers/retry.ts", [
    ["refused", "return decided(after(before, outcome, now));", "return undefined;"],
  ], PARTS),
  ...breaksOf("lib/handlers/call.ts", [
    [
      "callHandler",
      "const retry = begin(calling.retry, clock);",
      "const retry = begin({ ...calling.retry, begun: undefined }, clock);",
    ],
    ["callHandler", "attempts: attemptsOf(retry, before),", "attempts: { retry: 0, runtime: 0 },"],
    [
      "callHandler",
      `if (outcome.kind === "success" && succeeded !== undefined) succeeded.add(end);`,
      "if (succeeded !== undefined) succeeded.add(end);",
    ],
    ["callHandler", "else observer.attemptCounts?.(subject, end);", ""],
    ["callHandler", "if (keepsResult && ", "if ("],
    [
      "callHandler",
      "const wrote = contribution?.isEmpty === false;",
      "const wrote = contribution !== undefined;",
    ],
    ["callHandler", "    fn,\n    clock,", "    clock,"],
  ]),
  ...breaksOf("lib/handlers/change/background_changes.ts", [
    ["BackgroundChanges.begin", "this.#underWay.add(changes);", ""],
    ["BackgroundChanges.begin", "this.#recent = joined(this.#recent, changes);", ""],
    [
      "BackgroundChanges.seen",
      "this.#isSigned ? this.#recent : joined(this.#earlier, this.#recent)",
      "this.#recent",
    ],
    ["BackgroundChanges.seen", "this.#isSigned ? this.#recent :", "false ? this.#recent :"],
    ["BackgroundChanges.seen", "this.#isSigned = false;", ""],
    ["BackgroundChanges.signed", "if (isOn(body, change)) changes.delete(key);", "void [key, change];"],
    ["BackgroundChanges.takenBackFrom", "[...changes.values()].reverse()", "[]"],
    ["joined", "old: (first.get(key) ?? change).old", "old: change.old"],
    ["withoutChange", "if (!isOn(body, change)) return body;", ""],
    ["withoutChange", "if (old !== undefined) return", "return"],
  ]),
  ...breaksOf("lib/handlers/task/tasks.ts", [
    ["Tasks.#repeat", "!await gate.opened(signal)", "false"],
    ["Tasks.#repeat", "outcome.error instanceof TemporaryError", "true"],
    ["Tasks.#repeat", "retry = isAskedFor ? after(begun, outcome, now) : FRESH;", "retry = FRESH;"],
    ["Tasks.#repeat", "pause = isAskedFor ? retry.due - now :", "pause ="],
    ["Tasks.#repeat", `? handler.times.initialDelay : undefined`, "? 0 : undefined"],
    ["Tasks.#awaitTime", "Math.min(rest / 1000, LONGEST_NAP)", "rest / 1000"],
    ["Tasks.#runOnce", "if (isClosed) ending.abort(", "if (false) ending.abort("],
    [
      "Tasks.#runOnce",
      "return undefined;\n          }\n          throw error;",
      "throw error;\n          }\n          throw error;",
    ],
    ["Tasks.stop", "await this.#group.stop();", ""],
  ]),
  ...breaksOf("lib/handlers/task/task_handler.ts", [
    [
      "timesOf",
      "(interval === undefined) === (cron === undefined)",
      "interval === undefined && cron === undefined",
    ],
    ["checkSeconds", "if (!(value > 0)) {", "if (value < 0) {"],
    [
      "isAmong(others, { id }) {\n    if (!others.some((other) => other.id === id)) return false;",
      'isAmong(_others, { id }) {\n    if (id !== "") return false;',
    ],
  ]),
  ...breaksOf("lib/handlers/reconcile/reconcile_record.ts", [
    ["ReconcileRecord.moved", `how === "settled" && this.seen === before`, "this.seen === before"],
    ["ReconcileRecord.wake", "first: this.#woken?.first ?? now", "first: now"],
    [
      "ReconcileRecord.wake",
      "if (same >= 0) this.#reasons = this.#reasons.with(same, reason);\n    else if",
      "if",
    ],
    ["ReconcileRecord.wakeIfDue", "this.wake(planned.reason, now);", ""],
    ["ReconcileRecord.nextTurn", "if (this.isRunning) return undefined;", ""],
    ["ReconcileRecord.isDue", "!this.isRunning && ", ""],
    ["ReconcileRecord.begin", "const earlier = this.#taken.filter", "const earlier = [].filter"],
    ["ReconcileRecord.begin", "this.#planned = undefined;", ""],
    ["ReconcileRecord.begin", "slice(-pace.rateLimit.calls)", "slice(-1)"],
    ["ReconcileRecord.end", `if (outcome.kind !== "retry") this.#taken = NONE;`, ""],
    ["ReconcileRecord.refuse", 'this.#plan(row.due, { kind: "retry", error: row.error });', ""],
    ["ReconcileRecord.forgetPlans", "this.#retry = FRESH;", ""],
    ["ReconcileRecord.#mayRunAt", "this.#woken.first + debounce * MOST_DEBOUNCES", "Infinity"],
    ["ReconcileRecord.#mayRunAt", "this.#isPressing || ", ""],
    ["isSameReason", "return identityOf(a.object) === identityOf(b.object);", "return true;"],
  ]),
  ...breaksOf("lib/controller/triggers.ts", [
    ["Triggers.introduce", "if (handler === undefined) continue;", "if (handler !== undefined) continue;"],
    ["Triggers.#ownersOf", "if (isController && reference.controller !== true) continue;", ""],
    [
      "Triggers.#ownersOf",
      "if (isForeign || cached === undefined) continue;",
      "if (cached === undefined) continue;",
    ],
    ["Triggers.#matters", "return Boolean(predicate(deepFreeze(event) as never));", "return true;"],
  ], RELATED),
  ...breaksOf("lib/handlers/exchange.ts", [
    ["exchangeOf", "if (areSame && now.some(isFixed)) return undefined;", ""],
    ["exchangeOf", "areSame || !isSame(each)", "!isSame(each)"],
    ["mustStay", "type.isFixed === true || ", ""],
    ["keep", "return { type: now.type, handler: before };", "return now;"],
  ], EXCHANGES),
  ...breaksOf("lib/handlers/registry.ts", [
    ["Registry.add", "if (type.isAmong?.(this.all(type), handler) === true) return;", ""],
    ["idsOf", "type.ids ?? type", "type"],
    ["Registry.#rejectCollision", "&& other.type === type", ""],
    ["HandlersOfKind.constructor", "type.isFirstOnly !== true || ", "true || "],
  ], ["tests/handlers/registry_test.ts"]),
  ...breaksOf("lib/handlers/idle_handlers.ts", [
    ["toIdle", "isDaemon(handler) ? wait : rest", "handler.fn as never"],
    ["toIdle", 'if (type.about !== "objects") return undefined;', ""],
  ], ["tests/kits/testing/sizing/measure_size_test.ts"]),
];

export default mutants;
