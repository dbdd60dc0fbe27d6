import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "../../../lib/client/client.ts";
import { ApiError } from "../../../lib/client/errors.ts";
import { Outbox } from "../../../lib/engines/daemons/outbox.ts";
import { ObjectRecord } from "../../../lib/engines/daemons/record.ts";
import { Patch } from "../../../lib/model/patch.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import { testObject, timerOf } from "./world.ts";

/** An outbox whose writes fail as long as it is told so. */
function setUp(pause?: number) {
  const { clock } = virtualHost();
  const record = new ObjectRecord<{ onChange(): void }>(testObject("one"), 0);
  const server = { isDown: false, isRacing: false, writes: 0 };
  const client = {
    patch: () => {
      if (server.isDown) return Promise.reject(new Error("connection reset"));
      if (server.isRacing) return Promise.reject(new ApiError({ status: 409, request: "PATCH /one" }));
      server.writes++;
      const body = testObject("one").body;
      return Promise.resolve({ ...body, metadata: { ...body.metadata, resourceVersion: "2" } });
    },
    get: () => Promise.resolve(testObject("one").body),
    shapeOf: () => undefined,
  } as unknown as Client; // nothing else of it is used
  const brake = { lookAround: () => undefined, pauseAfter: () => pause };
  const { signal } = new AbortController();
  const world = { client, clock, settings: defaultSettings(), signal, brake };
  const outbox = new Outbox({ handler: timerOf(() => {}), record, world });
  return { outbox, clock, server, record };
}

const change = () => new Patch({ status: { done: true } });

describe("Outbox", () => {
  it("is empty after a write that succeeded, and the record has what came of it", async () => {
    const { outbox, record } = setUp();
    await outbox.send(change(), silentLogger());
    assert.deepEqual([outbox.isEmpty, outbox.hasBacklog, outbox.resend], [true, false, Infinity]);
    assert.equal(record.body.metadata.resourceVersion, "2");
  });

  it("keeps what could not be sent, says when it is to be tried again, and is empty when that succeeds", async () => {
    const { outbox, clock, server } = setUp();
    server.isDown = true;
    await outbox.send(change(), silentLogger());
    assert.deepEqual([outbox.isEmpty, outbox.hasUnsent], [false, true]);
    assert.equal(outbox.resend, clock.monotonic() + 1);
    server.isDown = false;
    await outbox.send(new Patch(), silentLogger());
    assert.deepEqual([server.writes, outbox.isEmpty, outbox.resend], [1, true, Infinity]);
  });

  it("keeps functions that have lost a race for the next run, and sends them at once where there is none", async () => {
    const { outbox, clock, server } = setUp();
    const patch = new Patch();
    patch.fns.push((body) => void (body.status = { counted: 1 }));
    server.isRacing = true;
    await outbox.send(patch, silentLogger());
    assert.deepEqual([outbox.lost.length, outbox.hasUnsent, outbox.resend], [1, false, Infinity]);
    outbox.takeBack();
    assert.deepEqual([outbox.lost.length, outbox.hasUnsent, outbox.resend], [0, true, clock.monotonic()]);
    server.isRacing = false;
    await outbox.send(new Patch(), silentLogger());
    assert.deepEqual([server.writes, outbox.isEmpty], [1, true]);
  });

  it("keeps the brake on until its time is over", async () => {
    const { outbox, clock } = setUp(10);
    await outbox.send(change(), silentLogger());
    assert.deepEqual([outbox.isEmpty, outbox.brakedUntil], [false, clock.monotonic() + 10]);
    await clock.advance(10);
    assert.equal(outbox.isEmpty, true);
  });
});
