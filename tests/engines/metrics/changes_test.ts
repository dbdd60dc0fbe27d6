import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Changes } from "../../../lib/engines/metrics/changes.ts";
import type { Subject } from "../../../lib/execution/observer.ts";
import type { Resource } from "../../../lib/model/resource.ts";

// No part of the resource is looked at.
const one: Subject = { key: "one", resource: {} as Resource, body: { metadata: { name: "one" } } };

function stand() {
  const clock = { now: 0, monotonic: () => clock.now };
  const counted: number[] = [];
  const changes = new Changes({ clock, count: (_, seconds) => counted.push(seconds) });
  const turn = (outcome?: "success" | "retry" | "failure" | "children", reason = "update"): void => {
    changes.decided(one, reason);
    if (outcome !== undefined) {
      changes.begins(one);
      changes.counts(one, { handler: "make", outcome });
    }
    changes.turnEnds(one, {});
  };
  return { clock, changes, counted, turn };
}

describe("Changes", () => {
  it("count from the event to the end of the turn that has handled them, retries included", () => {
    const { clock, changes, counted, turn } = stand();
    changes.came(one);
    clock.now = 5;
    turn("retry");
    changes.came(one);
    clock.now = 20;
    turn();
    assert.deepEqual(counted, [], "a turn before the retry is due changes nothing");
    clock.now = 65;
    turn("success");
    assert.deepEqual(counted, [65]);
    turn("success");
    assert.deepEqual(counted, [65], "no event came");
  });

  it("do not count where no handler is called, nor at a resumption", () => {
    const { changes, counted, turn } = stand();
    changes.came(one);
    turn(undefined, "noop");
    changes.came(one);
    turn("success", "resume");
    assert.deepEqual(counted, []);
  });

  it("count as never handled where a handler has given up", () => {
    const { changes, counted, turn } = stand();
    changes.came(one);
    turn("failure");
    assert.deepEqual(counted, [1200]);
  });

  it("go on after a turn that the framework could not finish", () => {
    const { clock, changes, counted } = stand();
    changes.came(one);
    changes.begins(one);
    changes.turnEnds(one, { error: new Error("Forbidden") });
    assert.deepEqual(counted, []);
    clock.now = 3;
    changes.turnEnds(one, {});
    assert.deepEqual(counted, [3]);
  });

  it("go on after a turn that has only put the finalizer on", () => {
    const { clock, changes, counted, turn } = stand();
    changes.came(one);
    changes.turnEnds(one, { after: 0 });
    clock.now = 2;
    turn("success");
    assert.deepEqual(counted, [2]);
  });

  it("are handled when the turn after the last handler finds nothing to do", () => {
    const { changes, counted } = stand();
    changes.came(one);
    changes.decided(one, "create");
    changes.begins(one);
    changes.counts(one, { handler: "make", outcome: "success" });
    changes.turnEnds(one, { after: 0 });
    changes.decided(one, "noop");
    changes.turnEnds(one, {});
    assert.deepEqual(counted, [0]);
  });

  it("drop the waits of an earlier cause", () => {
    const { changes, counted, turn } = stand();
    changes.came(one);
    turn("retry", "create");
    turn("success", "delete");
    assert.deepEqual(counted, [0]);
  });

  it("count once as late where a handler hangs, and not where it is known that none is called", () => {
    const { clock, changes, counted } = stand();
    changes.came(one);
    changes.begins(one);
    clock.now = 599;
    changes.look();
    assert.deepEqual(counted, []);
    clock.now = 601;
    changes.look();
    changes.look();
    changes.turnEnds(one, {});
    assert.deepEqual(counted, [1200]);
  });
});
