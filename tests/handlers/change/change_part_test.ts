import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PermitEndedError } from "../../../lib/client/transport/permit.ts";
import { CHANGE } from "../../../lib/handlers/change/change_handler.ts";
import { CHANGES } from "../../../lib/handlers/change/change_part.ts";
import { changesOf } from "../../../lib/handlers/change/change_slot.ts";
import { NO_CLAIM, type Part } from "../../../lib/handlers/part.ts";
import type { Turn } from "../../../lib/handlers/turn.ts";
import type { WriteResult } from "../../../lib/execution/object_writer.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import { NotesRoom } from "../../../lib/settings/persistence/notes_room.ts";
import type { ProgressRecord } from "../../../lib/settings/persistence/storage.ts";
import { handledBody, inTerm, makeBench } from "../bench.ts";

const body: KubeObject = {
  metadata: { name: "one", namespace: "ns", uid: "u", resourceVersion: "1" },
  spec: { a: 1 },
};

function written(answer: KubeObject): WriteResult {
  return { kind: "written", body: answer, writes: 1, outgoing: { content: {}, fns: [] }, lost: [] };
}

/** The part of a turn in which the creation of the object was handled, before its write. */
async function handled(): Promise<{ readonly turn: Turn; readonly part: Part }> {
  const { turn } = makeBench({ body, handlers: [{ on: "create" }] });
  const part = CHANGES.part(turn, turn.kind.handlers.of(CHANGE));
  await part.begin?.();
  await part.run?.(NO_CLAIM);
  assert.equal(part.work?.(NO_CLAIM)?.concludes, true);
  return { turn, part };
}

describe("the part of handlers of causes, when the object is written", () => {
  it("keeps the state that was handled where the note of it is not in the answer", async () => {
    const { turn, part } = await handled();
    part.written?.(written(body));
    assert.deepEqual(changesOf(turn.state).lastHandled, { spec: { a: 1 } });
    assert.equal(part.atRest, false);
    part.written?.(written(handledBody(body)));
    assert.equal(changesOf(turn.state).lastHandled, undefined);
    assert.equal(part.atRest, true);
  });

  it("looks at the object as it is where nothing was to be written", async () => {
    const { turn, part } = await handled();
    part.written?.({ kind: "unchanged" });
    assert.deepEqual(changesOf(turn.state).lastHandled, { spec: { a: 1 } });
  });

  it("says that there is no room where the note was", async () => {
    const { turn, part } = await handled();
    const room = new NotesRoom(["status", "lotse"]);
    Object.defineProperty(turn.run.persistence.diffBase, "room", { value: room });
    room.decide(body, "yes");
    part.written?.(written(handledBody(body)));
    assert.equal(room.isFor(body), true);
    part.written?.(written(body));
    assert.equal(room.isFor(body), false);
  });

  it("keeps the records that are not in the answer to a repeated write, and no others", () => {
    const { turn } = makeBench({ body, handlers: [{ on: "create" }] });
    const record: ProgressRecord = { retries: 1, success: true, failure: false };
    const patch = new Patch();
    turn.run.persistence.progress.store({ patch, body, id: "there", record });
    const answer = applyMergePatch(body, patch.toMergePatch());
    const slot = changesOf(turn.state);
    slot.unsaved = new Map([["there", record], ["pruned", record]]);
    CHANGES.part(turn, turn.kind.handlers.of(CHANGE)).written?.(written(answer));
    assert.deepEqual([...slot.unsaved.keys()], ["pruned"]);
    assert.equal(turn.state.isUnfinished, true);
    slot.unsaved = new Map([["there", record]]);
    CHANGES.part(turn, turn.kind.handlers.of(CHANGE)).written?.(written(answer));
    assert.equal(turn.state.isUnfinished, false);
  });

  it("forgets everything of an object that has gone", async () => {
    const { turn, part } = await handled();
    part.written?.({ kind: "kept", error: new Error("no") });
    assert.deepEqual([...changesOf(turn.state).unsaved.keys()], ["create"]);
    part.written?.({ kind: "gone" });
    assert.equal(changesOf(turn.state).unsaved.size, 0);
  });
});

describe("the part of handlers of causes, when the term has ended", () => {
  it("calls none", async () => {
    const { turn: alone, calls } = makeBench({ body, handlers: [{ on: "create" }] });
    const { turn, end } = inTerm(alone);
    const part = CHANGES.part(turn, turn.kind.handlers.of(CHANGE));
    await part.begin?.();
    end();
    await assert.rejects(async () => await part.run?.(NO_CLAIM), PermitEndedError);
    assert.deepEqual(calls, []);
  });

  it("calls no further one, and keeps the results of those before", async () => {
    let end = (): void => {};
    const handlers = [
      { on: "create", options: { id: "first" }, fn: () => end() },
      { on: "create", options: { id: "second" } },
    ] as const;
    const bench = makeBench({ body, handlers });
    const { turn, end: ended } = inTerm(bench.turn);
    end = ended;
    const part = CHANGES.part(turn, turn.kind.handlers.of(CHANGE));
    await part.begin?.();
    await part.run?.(NO_CLAIM);
    assert.deepEqual(bench.calls, ["first"]);
    part.work?.(NO_CLAIM);
    part.written?.({ kind: "kept", error: new PermitEndedError("ended") });
    assert.equal(changesOf(turn.state).unsaved.get("first")?.success, true);
  });
});
