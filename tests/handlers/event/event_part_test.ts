import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EVENT } from "../../../lib/handlers/event/event_handler.ts";
import { EVENTS } from "../../../lib/handlers/event/event_part.ts";
import { makeBench } from "../bench.ts";

const body = { metadata: { name: "one", uid: "u", resourceVersion: "1" }, spec: { a: 1 } };

describe("the part of handlers of raw events", () => {
  it("tells all that match, also when one fails, and completes a deletion that no watch has seen", async () => {
    const told: unknown[] = [];
    const { turn } = makeBench({
      body,
      declare: ({ on }) => {
        on.event("pods", { id: "a" }, ({ type, spec }) => {
          told.push([type, spec]);
          throw new Error("no");
        });
        on.event("pods", { id: "b", labels: { other: "x" } }, () => void told.push("b"));
        on.event("pods", { id: "c" }, ({ patch }) => void (patch.status = { told: told.length }));
      },
    });
    const part = EVENTS.part(turn, turn.kind.handlers.of(EVENT));
    await part.told?.({ type: "MODIFIED", object: body });
    await part.told?.({ type: "DELETED", object: { metadata: body.metadata } });
    assert.deepEqual(told, [["MODIFIED", { a: 1 }], ["DELETED", { a: 1 }]]);
    assert.deepEqual(turn.patch.toMergePatch(), { status: { told: 2 } });
    assert.deepEqual([part.claim, part.run, part.atRest], [undefined, undefined, undefined]);
  });
});
