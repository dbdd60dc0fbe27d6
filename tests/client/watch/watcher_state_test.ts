import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  INITIAL,
  type ListingBy,
  transition,
  type WatcherInput,
  type WatcherState,
} from "../../../lib/client/watch/watcher_state.ts";

const empty = (lostTokens = 0, isPaged = false): WatcherState => {
  return { at: "empty", lostTokens, ...isPaged && { isPaged } };
};
const listing = (by: ListingBy, isOpen = false, lostTokens = 0): WatcherState => {
  return { at: "listing", by, isOpen, lostTokens };
};
const synced = (version: string, broken = 0, silent = 0): WatcherState => {
  return { at: "synced", version, faults: { broken, silent } };
};
const watching = (version: string, isOpen = true, broken = 0, silent = 0): WatcherState => {
  return { at: "watching", version, isOpen, faults: { broken, silent } };
};

const begin = (by: ListingBy): WatcherInput => ({ is: "begin", by });
const opened: WatcherInput = { is: "opened" };
const complete = (version: string): WatcherInput => ({ is: "complete", version });
const advanced = (version: string): WatcherInput => ({ is: "advanced", version });
const ended: WatcherInput = { is: "ended" };
const silent = (heard: boolean): WatcherInput => ({ is: "silent", heard });
const failed = (how: (WatcherInput & { is: "failed" })["how"]): WatcherInput => ({ is: "failed", how });

/** What goes with the next state: the pause, what the informer is told, the level of the log line, "unstreamed". */
type Row = readonly [title: string, from: WatcherState, input: WatcherInput, to: WatcherState, also?: string];

const TABLE: readonly Row[] = [
  ["a set is fetched as a stream", empty(), begin("stream"), listing("stream"), "listing"],
  ["a set is fetched in pages", empty(2), begin("pages"), listing("pages", false, 2), "listing"],
  ["a streamed list is accepted", listing("stream"), opened, listing("stream", true)],
  [
    "versions of objects are none of the set",
    listing("stream", true),
    advanced("7"),
    listing("stream", true),
  ],
  ["the last page completes a set", listing("pages", false, 1), complete("10"), synced("10"), "synced"],
  ["a bookmark completes a set", listing("stream", true), complete("10"), watching("10"), "synced"],
  ["a forced one, too", listing("forced stream", true), complete("10"), watching("10"), "synced"],

  ["a streamed list is refused", listing("stream"), failed("rejected"), empty(), "debug unstreamed"],
  ["a plain bookmark comes", listing("stream", true), failed("unstreamed"), empty(), "debug unstreamed"],
  ["an accepted list is silent", listing("stream", true), silent(true), empty(), "debug unstreamed"],
  ["a server does not accept", listing("stream"), silent(false), empty(), "grown warn"],
  ["a forced one is refused", listing("forced stream"), failed("rejected"), empty(), "grown warn"],
  ["a forced one sends bookmarks", listing("forced stream"), failed("unstreamed"), empty(), "grown warn"],
  ["a forced one is silent", listing("forced stream", true), silent(true), empty(), "grown warn"],
  ["a page is refused", listing("pages", false, 1), failed("rejected"), empty(1), "grown warn"],
  ["a page fails", listing("pages"), failed("other"), empty(), "grown warn"],
  ["a stream ends before the set does", listing("stream", true), ended, empty(), "grown warn"],
  ["a stream breaks before the set does", listing("stream", true), failed("garbled"), empty(), "grown warn"],
  ["the server's cache is behind", listing("stream", true), failed("behind"), empty(0, true), "debug"],
  ["it is behind a second time", listing("pages"), failed("behind"), empty(), "grown warn"],
  [
    "it is behind where streams are forced",
    listing("forced stream"),
    failed("behind"),
    empty(),
    "grown warn",
  ],
  ["pages are taken this once", empty(1, true), begin("stream"), listing("pages", false, 1), "listing"],
  ["a token expires", listing("pages", false, 1), failed("expired"), empty(2), "short debug"],

  ["a stream is requested", synced("10", 1, 1), begin("pages"), watching("10", false, 1, 1)],
  ["a stream is accepted", watching("10", false, 1, 1), opened, watching("10", true, 1, 1)],
  ["an event advances", watching("10", true, 2, 1), advanced("11"), watching("11")],
  ["the end of the list comes again", watching("10", true, 1), complete("11"), watching("11")],
  ["a stream ends", watching("10", true, 1, 1), ended, synced("10", 1, 0), "byLifetime"],
  [
    "something was heard, then nothing",
    watching("10", true, 1, 1),
    silent(true),
    synced("10", 1, 0),
    "byLifetime",
  ],
  ["nothing was heard at all", watching("10"), silent(false), synced("10", 0, 1), "byLifetime"],
  ["nothing was heard twice", watching("10", true, 0, 1), silent(false), empty(), "byLifetime warn"],
  ["a server does not answer", watching("10", false), silent(false), synced("10", 0, 1), "grown warn"],
  ["a server does not answer twice", watching("10", false, 0, 1), silent(false), empty(), "grown warn"],
  ["the version expires", watching("10", true, 2, 1), failed("expired"), empty(), "short debug"],
  ["events come in disorder", watching("10"), failed("disorder"), empty(), "grown warn"],
  ["the connection breaks", watching("10", true, 1), failed("other"), synced("10", 1), "grown warn"],
  ["bad data come", watching("10"), failed("garbled"), synced("10", 1), "grown warn"],
  ["a version is not known yet", watching("10"), failed("behind"), synced("10", 1), "grown warn"],
  ["a request is rejected", watching("10", false, 1), failed("rejected"), synced("10", 2), "grown warn"],
  ["bad data come three times", watching("10", true, 2), failed("garbled"), empty(), "grown warn"],

  ["the server refuses for good", watching("10"), failed("stop"), { at: "ended" }],
  ["it does so while listing", listing("pages"), failed("stop"), { at: "ended" }],
  ["what comes after the end", { at: "ended" }, begin("pages"), { at: "ended" }],
];

describe("transition()", () => {
  for (const [title, from, input, to, also = ""] of TABLE) {
    it(`from "${from.at}" to "${to.at}": ${title}`, () => {
      const { state, pause, tell, isUnstreamed, log } = transition(from, input);
      assert.deepEqual(state, to);
      const told = [pause === "none" ? "" : pause, tell, log?.[0], isUnstreamed && "unstreamed"];
      assert.equal(told.filter(Boolean).join(" "), also);
    });
  }

  it("begins without a set", () => {
    assert.deepEqual(INITIAL, empty());
  });

  it("stays where it is, and waits for nothing, when something comes that the state does not expect", () => {
    for (
      const [from, input] of [[empty(), ended], [synced("10"), opened], [
        watching("10"),
        begin("pages"),
      ]] as const
    ) {
      assert.deepEqual(transition(from, input), { state: from, pause: "none" });
    }
  });
});
