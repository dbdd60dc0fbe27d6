/** Breaks in what replicas of one operator agree on: sessions, shards, the fence, and taking over. */

import { breaksOf, type Mutant } from "../mutant.ts";

const ENGINE = ["tests/engines/replicas/replicas_test.ts"];
const LEASES = ["tests/engines/replicas/observed_leases_test.ts"];
const STORIES = ["tests/scenarios/replicas_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/engines/replicas/shard_fence.ts", [
    ["ShardFence.isResponsible", "shard.isOpen && ", ""],
    ["ShardFence.isResponsible", " && shard.term.timeLeft() > 0", ""],
    ["ShardFence.first", "this.#shards[0]", "this.#shards.at(-1)"],
    ["shardOf", ">> 64n", ">> 63n"],
  ]),
  ...breaksOf("lib/engines/replicas/session_state.ts", [
    ["elapsedSince", "Math.max", "Math.min"],
    ["afterTime", "< renewDeadline", "<= renewDeadline"],
    [
      "afterRenewal",
      `: { state: { at: "live", since: sent }, then: "confirm" };
      }`,
      `: { state: { at: "live", since: sent }, then: "nothing" };
      }`,
    ],
    ["afterReading", `state.at === "doubtful" ? `, `state.at === "joining" ? `],
    ["sessionTransition", `if (state.at === "lost") return { state, then: "nothing" };`, ""],
  ]),
  ...breaksOf("lib/engines/replicas/shard_state.ts", [
    ["shardTransition", `input.is === "due" && time.mayBegin`, `input.is === "due"`],
    ["whileTaking", `case "session lost":`, ""],
    ["whileHeld", `state.at !== "draining" || state.isFinal`, `state.at !== "draining"`],
    ["whileHeld", "Math.min(state.until, now + drainTimeout)", "now + drainTimeout"],
    ["afterTime", `then: "leave behind"`, `then: "let go"`],
  ]),
  ...breaksOf("lib/engines/replicas/shares.ts", [
    ["shareOut", "b.holds.length - a.holds.length || ", ""],
    ["shareOut", "index < larger", "index <= larger"],
    ["shareOut", "if (kept === own) break;", ""],
  ]),
  ...breaksOf("lib/engines/replicas/observed_leases.ts", [
    ["ObservedLeases.#counted", "this.#options.retryPeriod * PATIENCE", "Infinity"],
    ["ObservedLeases.#sessionOf", `if (member.record.holder !== identity) return "ended";`, ""],
    ["ObservedLeases.take", "if (this.#isEmptied(record)) return;", ""],
    ["ObservedLeases.holderOf", "if (record.isForeign)", "if (false)"],
  ], [...LEASES, ...ENGINE]),
  ...breaksOf("lib/engines/replicas/shard.ts", [
    ["Shard.#makeTerm", "this.#term === term ? timeLeft() : 0", "timeLeft()"],
    ["Shard.#take", "if (found?.holder === identity()) {", "if (false) {"],
    ["Shard.pause", "this.#term = undefined;", ""],
    ["Shard.#remake", `if (before !== undefined && before.holder !== identity())`, "if (false)"],
  ], [...ENGINE, ...LEASES]),
  ...breaksOf("lib/engines/replicas/division.ts", [
    ["Division.#weigh", "now - known.since >= STEADY", "true"],
    ["Division.apply", " || now - since >= UNTAKEN", ""],
    ["Division.#stands", "if (sets.size > 0) return sets.size === 1 && sets.has(size);", ""],
  ], [...ENGINE, ...LEASES]),
  ...breaksOf("lib/engines/replicas/withdrawal.ts", [
    ["Withdrawal.failed", "if (this.#failures < MOST_FAILURES) return;", "return;"],
  ], ENGINE),
  ...breaksOf("lib/client/transport/permit.ts", [
    ["limitedBy", "left < SHORTEST", "left < 0"],
    ["limitedBy", "Math.floor(left)", "Math.ceil(left)"],
    ["limitedBy", "Math.min(timeout ?? Infinity, left)", "timeout"],
  ]),
  ...breaksOf("lib/controller/inheritance.ts", [
    ["Inheritance.begin", "this.#rounds.clear();", ""],
    ["Inheritance.confirm", "=== resourceVersion) return", "!== undefined) return"],
    ["Inheritance.#versionsFor", "round.versions ??= ", "round.versions = "],
  ]),
  ...breaksOf("lib/controller/shard_turns.ts", [
    ["Leftovers.add", "if (this.#waits.get(key) !== timer) return;", ""],
    ["barsOf", " || (leftovers.has(state.key))", ""],
  ]),
  ...breaksOf("lib/handlers/change/change_run.ts", [
    ["ChangeRun.#callDue", "checkTerm(turn);", ""],
  ], STORIES),
  ...breaksOf("lib/handlers/change/change_run.ts", [
    ["ChangeRun.#callDue", "if (hasLostTerm(turn) && this.#hasResults) break;", ""],
  ], ["tests/handlers/change/change_part_test.ts"]),
  ...breaksOf("lib/handlers/child/child_part.ts", [
    ["ChildPart.#run", "checkTerm(this.#turn);", ""],
  ]),
  ...breaksOf("lib/handlers/reconcile/reconcile_part.ts", [
    ["ReconcilePart.#run", "checkTerm(this.#turn);", ""],
    ["ReconcilePart.#call", "return record.interrupt(before, this.#now)", "return"],
  ], STORIES),
  ...breaksOf("lib/execution/execute.ts", [
    ["attemptOnce", "if (hasEnded(options.permit)) {", "if (false) {"],
  ], STORIES),
  ...breaksOf("lib/execution/invoke.ts", [
    ["hasEnded", "!(permit.timeLeft() > 0)", "false"],
    ["invokeHandler", "checkPermit(options.permit);", ""],
    ["invokeWithin", "checkPermit(options.permit);", ""],
  ]),
  ...breaksOf("lib/controller/reconcile.ts", [
    ["reconcile", "if (state.isInherited && parts", "if (false && parts"],
  ], STORIES),
];

export default mutants;
