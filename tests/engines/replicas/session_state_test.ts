import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  elapsedSince,
  type Moment,
  type SessionInput,
  type SessionState,
  type SessionTransition,
  sessionTransition,
} from "../../../lib/engines/replicas/session_state.ts";

const WALL = Date.UTC(2026, 0, 1);

/** The moment so many seconds after the beginning, on both clocks unless said otherwise. */
function at(monotonic: number, wall = monotonic): Moment {
  return { monotonic, wall: WALL + wall * 1000 };
}

const JOINING: SessionState = { at: "joining" };
const LIVE: SessionState = { at: "live", since: at(0) };
const DOUBTFUL: SessionState = { at: "doubtful", since: at(0) };
const LOST: SessionState = { at: "lost" };
const EARLY = at(5);
const LATE = at(11);

type Row = readonly [
  name: string,
  SessionState,
  SessionInput,
  Moment,
  SessionState,
  SessionTransition["then"],
];

const ROWS: readonly Row[] = [
  ["joins with its first answered renewal", JOINING, { is: "renewed", sent: at(4) }, EARLY, {
    at: "live",
    since: at(4),
  }, "begin"],
  [
    "is not live by a first renewal that was answered too late",
    JOINING,
    { is: "renewed", sent: at(0) },
    LATE,
    JOINING,
    "write",
  ],
  ["stays live by a renewal, from when it was sent", LIVE, { is: "renewed", sent: at(4) }, EARLY, {
    at: "live",
    since: at(4),
  }, "nothing"],
  ["stays live before the deadline", LIVE, { is: "time" }, EARLY, LIVE, "nothing"],
  ["is doubtful at the deadline itself", LIVE, { is: "time" }, at(10), DOUBTFUL, "doubt"],
  ["is doubtful after it", LIVE, { is: "time" }, LATE, DOUBTFUL, "doubt"],
  ["is doubtful by the wall clock alone", LIVE, { is: "time" }, at(1, 600), DOUBTFUL, "doubt"],
  ["is doubtful by the monotonic clock alone", LIVE, { is: "time" }, at(11, -3600), DOUBTFUL, "doubt"],
  [
    "is confirmed, and not merely renewed, after a deadline that no timer has told of",
    LIVE,
    {
      is: "renewed",
      sent: at(9),
    },
    LATE,
    { at: "live", since: at(9) },
    "confirm",
  ],
  [
    "is doubtful by a renewal that was answered after its own deadline",
    LIVE,
    { is: "renewed", sent: at(0.5) },
    LATE,
    {
      at: "doubtful",
      since: at(0.5),
    },
    "doubt",
  ],
  ["is confirmed by a renewal in doubt", DOUBTFUL, { is: "renewed", sent: at(10) }, LATE, {
    at: "live",
    since: at(10),
  }, "confirm"],
  ["is not confirmed by an old renewal", DOUBTFUL, { is: "renewed", sent: at(0.5) }, LATE, {
    at: "doubtful",
    since: at(0.5),
  }, "write"],
  ["stays doubtful while time passes", DOUBTFUL, { is: "time" }, at(3600), DOUBTFUL, "nothing"],
  ["reads after a refusal", LIVE, { is: "refused" }, EARLY, LIVE, "read"],
  ["reads after a refusal in doubt", DOUBTFUL, { is: "refused" }, LATE, DOUBTFUL, "read"],
  ["writes again after no answer", LIVE, { is: "unanswered" }, EARLY, LIVE, "write"],
  [
    "writes again where the record is its own",
    DOUBTFUL,
    { is: "read", found: "own" },
    LATE,
    DOUBTFUL,
    "write",
  ],
  [
    "is made again where a stranger has deleted it",
    LIVE,
    { is: "read", found: "absent" },
    EARLY,
    LIVE,
    "write",
  ],
  [
    "is made again where a stranger has emptied it",
    LIVE,
    { is: "read", found: "emptied" },
    EARLY,
    LIVE,
    "write",
  ],
  ["is made at the beginning", JOINING, { is: "read", found: "absent" }, EARLY, JOINING, "write"],
  ["is lost if another replica has ended it", LIVE, { is: "read", found: "ended" }, EARLY, LOST, "lose"],
  ["is lost if another has taken it", LIVE, { is: "read", found: "taken" }, EARLY, LOST, "lose"],
  ["is lost if it was ended in doubt", DOUBTFUL, { is: "read", found: "ended" }, LATE, LOST, "lose"],
  ["is lost if it was taken in doubt", DOUBTFUL, { is: "read", found: "taken" }, LATE, LOST, "lose"],
  ["is lost if it is empty in doubt", DOUBTFUL, { is: "read", found: "emptied" }, LATE, LOST, "lose"],
  [
    "is lost if it is absent in doubt, as it may have been ended and swept",
    DOUBTFUL,
    {
      is: "read",
      found: "absent",
    },
    LATE,
    LOST,
    "lose",
  ],
  ["does not come back", LOST, { is: "renewed", sent: at(10) }, LATE, LOST, "nothing"],
  ["does not come back by a record", LOST, { is: "read", found: "own" }, LATE, LOST, "nothing"],
];

describe("sessionTransition()", () => {
  for (const [name, before, input, now, state, then] of ROWS) {
    it(name, () => {
      assert.deepEqual(sessionTransition(before, input, { now, renewDeadline: 10 }), { state, then });
    });
  }
});

describe("elapsedSince()", () => {
  it("believes the clock that says more", () => {
    assert.equal(elapsedSince(at(1), at(4, 2)), 3);
    assert.equal(elapsedSince(at(1), at(4, 10)), 9);
    assert.equal(elapsedSince(at(1), at(4, -100)), 3);
  });
});
