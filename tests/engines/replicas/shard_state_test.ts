import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type ShardInput,
  type ShardState,
  type ShardTransition,
  shardTransition,
} from "../../../lib/engines/replicas/shard_state.ts";

type Is = ShardInput["is"];

const NOW = 100;
const AWAY: ShardState = { at: "away" };
const TAKING: ShardState = { at: "taking" };
const CHECKING: ShardState = { at: "checking" };
const HELD: ShardState = { at: "held" };
const DRAINING: ShardState = { at: "draining", until: 130, isFinal: false };
const FINAL: ShardState = { at: "draining", until: 130, isFinal: true };
const OVERDUE: ShardState = { at: "draining", until: 99, isFinal: false };
const ABORTING: ShardState = { at: "aborting", until: 105, isFinal: false };
const ABORTED: ShardState = { at: "aborting", until: 100, isFinal: false };
const RELEASING: ShardState = { at: "releasing" };

const INPUTS: readonly Is[] = [
  "due",
  "written",
  "refused",
  "clear",
  "contested",
  "unwanted",
  "wanted",
  "stop",
  "idle",
  "time",
  "released",
  "seized",
  "deleted",
  "session lost",
];

type Row = readonly [ShardState, Is, ShardState, ShardTransition["then"]];

/** All rows in which anything happens, where a shard may be begun. */
const ROWS: readonly Row[] = [
  [AWAY, "due", TAKING, "take"],
  [TAKING, "written", CHECKING, "check"],
  [TAKING, "refused", AWAY, "nothing"],
  [TAKING, "session lost", AWAY, "nothing"],
  [CHECKING, "clear", HELD, "begin"],
  [CHECKING, "contested", RELEASING, "release"],
  [CHECKING, "seized", AWAY, "nothing"],
  [CHECKING, "session lost", AWAY, "nothing"],
  [HELD, "unwanted", DRAINING, "drain"],
  [HELD, "stop", FINAL, "drain"],
  [HELD, "seized", AWAY, "seize"],
  [HELD, "deleted", HELD, "remake"],
  [HELD, "session lost", AWAY, "lose"],
  [DRAINING, "wanted", HELD, "resume"],
  [DRAINING, "stop", FINAL, "nothing"],
  [DRAINING, "idle", RELEASING, "let go"],
  [DRAINING, "seized", AWAY, "seize"],
  [DRAINING, "deleted", DRAINING, "remake"],
  [DRAINING, "session lost", AWAY, "lose"],
  [FINAL, "idle", RELEASING, "let go"],
  [FINAL, "seized", AWAY, "seize"],
  [FINAL, "deleted", FINAL, "remake"],
  [FINAL, "session lost", AWAY, "lose"],
  [OVERDUE, "time", ABORTING, "abort"],
  [ABORTING, "stop", { ...ABORTING, isFinal: true } as ShardState, "nothing"],
  [ABORTING, "idle", RELEASING, "let go"],
  [ABORTING, "seized", AWAY, "seize"],
  [ABORTING, "deleted", ABORTING, "remake"],
  [ABORTING, "session lost", AWAY, "lose"],
  [ABORTED, "time", RELEASING, "leave behind"],
  [RELEASING, "released", AWAY, "nothing"],
  [RELEASING, "seized", AWAY, "nothing"],
  [RELEASING, "deleted", AWAY, "nothing"],
  [RELEASING, "session lost", AWAY, "nothing"],
];

function next(state: ShardState, is: Is, mayBegin = true): ShardTransition {
  return shardTransition(state, { is }, { now: NOW, drainTimeout: 30, mayBegin });
}

describe("shardTransition()", () => {
  for (const [before, is, state, then] of ROWS) {
    const isFinal = "isFinal" in before && before.isFinal ? ", finally" : "";
    it(`leads from ${before.at}${isFinal} by "${is}" to ${state.at}: ${then}`, () => {
      assert.deepEqual(next(before, is), { state, then });
    });
  }

  it("leaves each other state as it is", () => {
    for (const before of [AWAY, TAKING, CHECKING, HELD, DRAINING, FINAL, ABORTING, RELEASING]) {
      for (const is of INPUTS) {
        if (ROWS.some(([state, input]) => state === before && input === is)) continue;
        assert.deepEqual(next(before, is), { state: before, then: "nothing" }, `${before.at}, ${is}`);
      }
    }
  });

  it("begins nothing while the session is in doubt, or the process stops", () => {
    assert.deepEqual(next(AWAY, "due", false), { state: AWAY, then: "nothing" });
    assert.deepEqual(next(TAKING, "written", false), { state: RELEASING, then: "release" });
    assert.deepEqual(next(CHECKING, "clear", false), { state: RELEASING, then: "release" });
  });

  it("has a drain of a stop end no later than the one that was under way", () => {
    const time = { now: NOW, drainTimeout: 5, mayBegin: false };
    const { state } = shardTransition(DRAINING, { is: "stop" }, time);
    assert.deepEqual(state, { at: "draining", until: 105, isFinal: true });
    assert.deepEqual(shardTransition(OVERDUE, { is: "stop" }, time).state, { ...OVERDUE, isFinal: true });
  });
});
