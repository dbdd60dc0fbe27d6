import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHANGE } from "../../../lib/handlers/change/change_handler.ts";
import { changesOf } from "../../../lib/handlers/change/change_slot.ts";
import { detectCause } from "../../../lib/handlers/change/decide.ts";
import { loadProgress } from "../../../lib/handlers/change/notes.ts";
import type { Turn } from "../../../lib/handlers/turn.ts";
import { Signatures } from "../../../lib/handlers/change/signatures.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { Patch } from "../../../lib/model/patch.ts";
import { makeBench } from "../bench.ts";

function pod(spec: KubeObject["spec"]): KubeObject {
  return { metadata: { name: "one", namespace: "ns", uid: "u", resourceVersion: "1" }, spec };
}

/** The digests that two handlers get which have finished, the second of them about a field. */
function signed(turn: Turn, purpose: "create" | "delete" = "create"): (string | undefined)[] {
  const slot = changesOf(turn.state);
  const handlers = turn.kind.handlers.of(CHANGE);
  const progress = loadProgress(turn, slot, handlers);
  const signatures = new Signatures({ turn, slot, cause: detectCause(turn, slot), purpose });
  progress.activate(handlers, { purpose, now: 0, isAsSigned: (...asked) => signatures.isAsSigned(...asked) });
  for (const { id } of handlers) progress.settle(id, { kind: "success", result: undefined }, { now: 0 });
  signatures.sign([progress], () => true);
  return [...progress.records().values()].map(({ digest }) => digest);
}

function turnOf(spec: KubeObject["spec"]): Turn {
  const handlers = [{ on: "create" as const }, {
    on: "create" as const,
    options: { id: "size", field: "spec.size" },
  }];
  return makeBench({ body: pod(spec), handlers }).turn;
}

describe("Signatures", () => {
  it("sign what the object will be when everything is written: of fields only those", () => {
    const [whole, field] = signed(turnOf({ size: 1, name: "a" }));
    const written = turnOf({ size: 2, name: "b" });
    written.patch.merge({ spec: { size: 1 } });
    written.state.pending.keep(new Patch({ spec: { name: "a" } }));
    assert.deepEqual(signed(written), [whole, field]);
    const [otherWhole, sameField] = signed(turnOf({ size: 1, name: "c" }));
    assert.notEqual(otherWhole, whole);
    assert.equal(sameField, field);
  });

  it("count functions of a patch, but none of one that fails", () => {
    const changed = turnOf({ size: 1 });
    changed.patch.fns.push((body) => void (body.spec = { size: 2 }));
    assert.deepEqual(signed(changed), signed(turnOf({ size: 2 })));
    const failing = turnOf({ size: 1 });
    failing.patch.fns.push((body) => void (body.spec = { size: 2 }), () => {
      throw new Error("no");
    });
    assert.deepEqual(signed(failing), signed(turnOf({ size: 1 })));
  });

  it("do not sign deletions, which no edit starts over", () => {
    assert.deepEqual(signed(turnOf({ size: 1 }), "delete"), [undefined, undefined]);
    const turn = turnOf({ size: 1 });
    const slot = changesOf(turn.state);
    const signatures = new Signatures({ turn, slot, cause: detectCause(turn, slot), purpose: "delete" });
    assert.ok(
      turn.kind.handlers.of(CHANGE).every((handler) => signatures.isAsSigned(handler, "of another state")),
    );
  });
});
