import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RECONCILE } from "../../../lib/handlers/reconcile/reconcile_handler.ts";
import { Concurrency } from "../../../lib/handlers/reconcile/concurrency.ts";
import { NO_CLAIM, type Part } from "../../../lib/handlers/part.ts";
import { ReconcileManner } from "../../../lib/handlers/reconcile/reconcile_part.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import { type BenchOptions, makeBench } from "../bench.ts";

const { finalizer } = defaultSettings().persistence;
const REQUIRED = { isRequired: true, isPending: true };

function pod(metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return { metadata: { name: "one", uid: "u", resourceVersion: "1", ...metadata }, spec: { a: 1 } };
}

function partOf(body: KubeObject, declare: BenchOptions["declare"]): Part {
  const { turn } = makeBench({ body, declare });
  const manner = new ReconcileManner(new Concurrency({ wake: () => true }));
  return manner.part(turn, turn.kind.handlers.of(RECONCILE));
}

describe("the part of op.reconcile", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";

  it("is at rest when all of its handlers have seen the object, and not before", async () => {
    const calls: string[] = [];
    const part = partOf(
      pod(),
      ({ reconcile }) => reconcile("pods", { id: "x", resync: 100 }, () => void calls.push("x")),
    );
    await part.begin?.();
    assert.equal(part.atRest, false);
    await part.run?.(NO_CLAIM);
    assert.deepEqual([calls, part.atRest], [["x"], true]);
    assert.ok((part.next?.() ?? 0) > 80, "its resync is planned");
    assert.equal(part.run?.(NO_CLAIM), undefined, "nothing has woken it since");
  });

  it("requires the finalizer for what finalizes, until that is done", async () => {
    const calls: string[] = [];
    const declare: BenchOptions["declare"] = ({ reconcile }) => {
      reconcile("pods", { id: "a", finalize: () => void calls.push("finalize") }, () => void calls.push("a"));
      reconcile("pods", { id: "b" }, () => void calls.push("b"));
    };
    const part = partOf(pod({ deletionTimestamp, finalizers: [finalizer] }), declare);
    await part.begin?.();
    assert.deepEqual(part.claim?.(), REQUIRED);
    await part.run?.(REQUIRED);
    assert.deepEqual([calls, part.claim?.()], [["finalize"], { isRequired: true, isPending: false }]);
    assert.equal(part.next?.(), undefined);
  });

  it("wants no turn for an object that is deleted, and that it does not hold", async () => {
    const part = partOf(
      pod({ deletionTimestamp, finalizers: ["other"] }),
      ({ reconcile }) =>
        reconcile("pods", { id: "a", finalize: () => assert.fail("it is not held") }, () => {}),
    );
    await part.begin?.();
    await part.run?.(REQUIRED);
    assert.equal(part.next?.(), undefined);
  });

  it("forgets what was planned for an object that its handler is not for", async () => {
    const part = partOf(
      pod(),
      ({ reconcile }) =>
        reconcile("pods", { id: "x", labels: { a: "b" } }, () => assert.fail("it does not match")),
    );
    await part.begin?.();
    await part.run?.(NO_CLAIM);
    assert.deepEqual([part.claim?.(), part.next?.(), part.atRest], [NO_CLAIM, undefined, true]);
  });
});
