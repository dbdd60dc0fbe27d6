import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PermitEndedError } from "../../../lib/client/transport/permit.ts";
import { CHILD } from "../../../lib/handlers/child/child_handler.ts";
import { ChildManner } from "../../../lib/handlers/child/child_part.ts";
import { NO_CLAIM } from "../../../lib/handlers/part.ts";
import { CHILDREN } from "../../../lib/handlers/child/child_events.ts";
import { TemporaryError } from "../../../lib/execution/errors.ts";
import { inTerm, makeBench } from "../bench.ts";

const body = { metadata: { name: "one", uid: "u", resourceVersion: "1" } };

describe("the part of handlers of children", () => {
  it("wants a turn when a change may be handled, and is at rest when there is none", async () => {
    const { turn, state, host: { clock } } = makeBench({
      body,
      declare: ({ on }) =>
        on.child("pods", "configmaps", { id: "x" }, () => {
          throw new TemporaryError("again", { delay: 7 });
        }),
    });
    const part = new ChildManner(() => {}).part(turn, turn.kind.handlers.of(CHILD));
    assert.equal(part.run?.(NO_CLAIM), undefined, "most turns are not awaited");
    assert.deepEqual([part.next?.(), part.atRest], [undefined, true]);
    const event = {
      type: "ADDED" as const,
      object: { metadata: { name: "child", uid: "c" } },
      old: undefined,
    };
    state.slotOf(CHILDREN, "x").note(event, clock.monotonic());
    assert.deepEqual([part.next?.(), part.atRest], [0, false]);
    await part.run?.(NO_CLAIM);
    assert.equal(part.next?.(), 7);
    assert.equal(part.work?.(NO_CLAIM), undefined, "nothing is to be written");
  });

  it("tells of no child once the term has ended", async () => {
    const told: string[] = [];
    let end = (): void => {};
    const bench = makeBench({
      body,
      declare: ({ on }) =>
        on.child("pods", "configmaps", { id: "x" }, ({ child }) => {
          told.push(child.metadata.name ?? "");
          end();
        }),
    });
    const { turn, end: ended } = inTerm(bench.turn);
    end = ended;
    const part = new ChildManner(() => {}).part(turn, turn.kind.handlers.of(CHILD));
    for (const name of ["one", "two"]) {
      const object = { metadata: { name, uid: name } };
      turn.state.slotOf(CHILDREN, "x").note({ type: "ADDED", object, old: undefined }, 0);
    }
    await assert.rejects(async () => await part.run?.(NO_CLAIM), PermitEndedError);
    assert.deepEqual(told, ["one"]);
  });
});
