import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client, PatchRequest } from "../../../lib/client/client.ts";
import { type Backlog, type SendOptions, sendPatch } from "../../../lib/engines/daemons/delivery.ts";
import { Patch } from "../../../lib/model/patch.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import { RESOURCE, testObject } from "./world.ts";

/** A server that fails as often as it is told to. */
function make(failures: number): { readonly sent: PatchRequest[]; readonly options: SendOptions } {
  const sent: PatchRequest[] = [];
  const { body } = testObject("one");
  // What is tested patches and reads, and does nothing else with it.
  const client = {
    patch: (_resource: unknown, _address: unknown, patch: PatchRequest) => {
      sent.push(patch);
      return failures-- > 0 ? Promise.reject(new Error("connection reset")) : Promise.resolve(body);
    },
    get: () => Promise.resolve(body),
    shapeOf: () => undefined,
  } as unknown as Client;
  return {
    sent,
    options: {
      client,
      logger: silentLogger(),
      resource: RESOURCE,
      body,
      backlog: undefined,
      errorDelays: [1, 2, 3],
      signal: new AbortController().signal,
      adopt: () => {},
    },
  };
}

describe("sendPatch()", () => {
  it("sends nothing where there is nothing to send", async () => {
    const { sent, options } = make(0);
    assert.equal(await sendPatch(new Patch(), options), undefined);
    assert.deepEqual(sent, []);
  });

  it("keeps what could not be sent, with growing pauses, and sends it with what comes next", async () => {
    const { sent, options } = make(4);
    let backlog: Backlog | undefined;
    const pauses: unknown[] = [];
    for (let round = 0; round < 4; round++) {
      backlog = await sendPatch(new Patch({ status: { [`round${round}`]: true } }), { ...options, backlog });
      pauses.push(backlog?.retryIn);
    }
    assert.deepEqual(pauses, [1, 2, 3, 3]);
    assert.equal(await sendPatch(new Patch(), { ...options, backlog }), undefined);
    const { status } = sent.at(-1)?.body as { readonly status: unknown }; // a merge patch, made above
    assert.deepEqual(status, { round0: true, round1: true, round2: true, round3: true });
  });

  it("drops what was meant for an object that another one has replaced", async () => {
    const { sent, options } = make(1);
    const backlog = await sendPatch(new Patch({ status: { a: 1 } }), options);
    assert.ok(backlog?.unsent !== undefined);
    const body = { ...options.body, metadata: { ...options.body.metadata, uid: "earlier" } };
    assert.equal(await sendPatch(new Patch(), { ...options, body, backlog }), undefined);
    assert.equal(sent.length, 1);
  });

  it("gives up in silence when the operator has stopped", async () => {
    const { options } = make(1);
    const signal = AbortSignal.abort();
    assert.equal(await sendPatch(new Patch({ status: { a: 1 } }), { ...options, signal }), undefined);
  });
});
