import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculateDiff } from "../../lib/model/diff.ts";
import { buildEssence } from "../../lib/model/essence.ts";
import { PODS } from "../../lib/model/kinds.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { Patch } from "../../lib/model/patch.ts";
import { ChangeArgs } from "../../lib/handlers/change/change_args.ts";
import { EventArgs } from "../../lib/handlers/event/event_args.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";

/** What is the same for all causes. */
function causeOf(body: KubeObject) {
  return { resource: PODS, body, patch: new Patch(), logger: silentLogger(), memo: {}, indices: {} };
}

/** Writes in depth, as users of JavaScript may try to. */
function vandalise(body: unknown): void {
  const { metadata, spec } = body as { metadata: { labels: { a: string } }; spec: { list: number[] } };
  assert.throws(() => spec.list.push(2), TypeError);
  assert.throws(() => metadata.labels.a = "2", TypeError);
}

describe("ChangeArgs and EventArgs", () => {
  it("[A81] do not let handlers write into the body, of whose parts the essence is made", () => {
    const make = (): KubeObject => ({ metadata: { name: "one", labels: { a: "1" } }, spec: { list: [1] } });
    const untouched = { metadata: { labels: { a: "1" } }, spec: { list: [1] } };
    for (const part of ["body", "new"] as const) {
      const cause = causeOf(make());
      const essence = buildEssence(cause.body);
      const diff = calculateDiff(undefined, essence);
      const change = { reason: "create", initial: false, old: undefined, new: essence, diff } as const;
      vandalise(new ChangeArgs({ ...cause, ...change })[part]);
      assert.deepEqual(essence, untouched, part);
    }
    const cause = causeOf(make());
    const essence = buildEssence(cause.body);
    vandalise(new EventArgs({ ...cause, event: { type: "ADDED", object: cause.body } }).event.object);
    assert.deepEqual(essence, untouched);
  });
});
