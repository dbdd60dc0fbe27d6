import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiError } from "../../../lib/client/errors.ts";
import { refusedPause, watchOptional } from "../../../lib/client/watch/optional_watch.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import {
  type Answer,
  FakeStream,
  json,
  listOf,
  makeWorld,
  statusOf,
  widget,
  WIDGETS,
} from "../fake_server.ts";

describe("refusedPause()", () => {
  it("is a minute at first, and ten at last", () => {
    assert.deepEqual([0, 1, 2, 3, 4, 50].map(refusedPause), [60, 120, 240, 480, 600, 600]);
  });
});

const forbidden = (): Response => json(statusOf(403), 403);

/** A watch that can be done without, and what was told of it: refusals, events, "synced". */
function begin(answer: Answer) {
  const world = makeWorld({ answer, networking: { errorBackoffs: [] } });
  const { host, client, transport: { logger }, seen } = world;
  const controller = new AbortController();
  const told: string[] = [];
  const run = watchOptional({
    client,
    host,
    logger,
    settings: { ...defaultSettings().watching, initialStreaming: false },
    signal: controller.signal,
    resource: WIDGETS,
    warning: "Cannot watch widgets",
    onRefused: () => told.push("refused"),
    notify: ({ event: { type, object }, origin }) => told.push(`${origin} ${type} ${object.metadata.name}`),
    onSynced: () => told.push("synced"),
  });
  const times = (): number[] => seen.map(({ at }) => Math.round(at));
  const stop = async (): Promise<void> => {
    controller.abort();
    await run;
  };
  return { ...world, told, times, stop };
}

describe("watchOptional()", () => {
  it("tries again after each refusal, later and later, and soon again once it has worked", async () => {
    let lists = 0;
    const { host: { clock }, told, times, logs, stop } = begin(({ query }) => {
      if (query["watch"]) return forbidden();
      return ++lists === 3 ? listOf(1, [widget("a", 1)]) : forbidden();
    });
    await clock.advance(300);
    assert.deepEqual(times(), [0, 60, 180, 180, 240]);
    const twice = ["refused", "refused"];
    assert.deepEqual(told, [...twice, "server null a", "synced", ...twice]);
    const lines = logs.filter(({ message }) => message === "Cannot watch widgets");
    const said = lines.map((
      { level, fields: { error, retryIn } },
    ) => [level, (error as ApiError).status, retryIn]);
    const once = [["warn", 403, 60], ["debug", 403, 120]];
    assert.deepEqual(said, [...once, ...once], "it warns once, until it has worked");
    await stop();
  });

  it("tells what has gone while it was refused", async () => {
    let lists = 0;
    const { host: { clock }, told, stop } = begin(({ query }) => {
      if (query["watch"]) return lists === 1 ? forbidden() : new FakeStream().response;
      return listOf(++lists, lists === 1 ? [widget("a", 1)] : []);
    });
    await clock.advance(100);
    assert.deepEqual(told.slice(-2), ["missing DELETED a", "synced"]);
    await stop();
  });

  it("ends when its signal aborts: while it watches, and while it waits", async () => {
    for (const isRefused of [false, true]) {
      const { host: { clock }, stop } = begin(({ query }) => {
        if (isRefused) return forbidden();
        return query["watch"] ? new FakeStream().response : listOf(1, []);
      });
      await clock.advance(5);
      await stop();
      assert.equal(clock.pending, 0);
    }
  });
});
