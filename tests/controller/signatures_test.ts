import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decide } from "../../lib/controller/decide.ts";
import { loadProgress } from "../../lib/controller/reconciliation.ts";
import { Signatures } from "../../lib/controller/signatures.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { Patch } from "../../lib/model/patch.ts";
import { type Bench, makeBench } from "./bench.ts";

function pod(spec: KubeObject["spec"]): KubeObject {
  return { metadata: { name: "one", namespace: "ns", uid: "u", resourceVersion: "1" }, spec };
}

/** The digests that two handlers get which have finished, the second of them about a field. */
function signed(bench: Bench, purpose: "create" | "delete" = "create"): (string | undefined)[] {
  const { r } = bench;
  const decision = decide(r, { isRequired: false, isPending: false });
  assert.ok(decision.kind === "handle");
  const handlers = r.handlers.changes;
  const progress = loadProgress(r, handlers);
  const signatures = new Signatures(r, decision.cause, purpose);
  progress.activate(handlers, { purpose, now: 0, isAsSigned: (...asked) => signatures.isAsSigned(...asked) });
  for (const { id } of handlers) progress.settle(id, { kind: "success", result: undefined }, { now: 0 });
  signatures.sign([progress], () => true);
  return [...progress.records().values()].map(({ digest }) => digest);
}

function bench(spec: KubeObject["spec"]): Bench {
  const handlers = [{ on: "create" as const }, {
    on: "create" as const,
    options: { id: "size", field: "spec.size" },
  }];
  return makeBench({ body: pod(spec), handlers });
}

describe("Signatures", () => {
  it("sign what the object will be when everything is written: of fields only those", () => {
    const [whole, field] = signed(bench({ size: 1, name: "a" }));
    const written = bench({ size: 2, name: "b" });
    written.r.patch.merge({ spec: { size: 1 } });
    written.state.pending.keep(new Patch({ spec: { name: "a" } }));
    assert.deepEqual(signed(written), [whole, field]);
    const [otherWhole, sameField] = signed(bench({ size: 1, name: "c" }));
    assert.notEqual(otherWhole, whole);
    assert.equal(sameField, field);
  });

  it("count functions of a patch, but none of one that fails", () => {
    const changed = bench({ size: 1 });
    changed.r.patch.fns.push((body) => void (body.spec = { size: 2 }));
    assert.deepEqual(signed(changed), signed(bench({ size: 2 })));
    const failing = bench({ size: 1 });
    failing.r.patch.fns.push((body) => void (body.spec = { size: 2 }), () => {
      throw new Error("no");
    });
    assert.deepEqual(signed(failing), signed(bench({ size: 1 })));
  });

  it("do not sign deletions, which no edit starts over", () => {
    assert.deepEqual(signed(bench({ size: 1 }), "delete"), [undefined, undefined]);
    const { r } = bench({ size: 1 });
    const decision = decide(r, { isRequired: false, isPending: false });
    assert.ok(decision.kind === "handle");
    const signatures = new Signatures(r, decision.cause, "delete");
    assert.ok(r.handlers.changes.every((handler) => signatures.isAsSigned(handler, "of another state")));
  });
});
