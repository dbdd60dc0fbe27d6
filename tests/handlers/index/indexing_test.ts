import assert from "node:assert/strict";
import { it } from "node:test";
import { TaskGroup } from "../../../lib/async/tasks.ts";
import { Indexing } from "../../../lib/handlers/index/indexing.ts";
import { exponential } from "../../../lib/execution/handler_backoff.ts";
import { IndexHandle } from "../../../lib/handlers/index/index_handle.ts";
import type { IndexHandler } from "../../../lib/handlers/index/index_handler.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { RESOURCE, testObject } from "../background/world.ts";

it("Pauses of index functions that grow vary, so that objects that failed together are not tried together", async () => {
  const { clock, random } = virtualHost();
  const calls: number[] = [];
  const handler: IndexHandler = {
    type: "index",
    id: "failing",
    selector: {},
    handle: new IndexHandle(),
    errors: "temporary",
    backoff: exponential({ from: 10 }),
    fn: () => {
      calls.push(clock.monotonic());
      throw new Error("no");
    },
  };
  using indexing = new Indexing({
    handlers: [handler],
    handlersOf: () => [handler],
    clock,
    random: { ...random, next: () => 0 },
    logger: silentLogger(),
    defaultBackoff: () => 60,
    tasks: new TaskGroup(),
    observer: {},
    signal: new AbortController().signal,
  });
  const { key, memo, body: object } = testObject("one");
  for (let second = 0; second < 10; second++) {
    indexing.submit({ key, memo, resource: RESOURCE, reportOnce: () => true }, { type: "MODIFIED", object });
    await clock.advance(1);
  }
  assert.deepEqual(calls, [0, 8]);
});
