import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differsFromSent } from "../../lib/controller/sent.ts";
import type { KubeObject } from "../../lib/model/object.ts";

const META = { name: "a", namespace: "ns", uid: "u", creationTimestamp: "then" };
const BEFORE: KubeObject = {
  metadata: { ...META, resourceVersion: "1", generation: 1, labels: { a: "1" } },
  spec: { size: 1, list: [{ name: "x" }] },
};

function answer(content: object, metadata: object = {}): KubeObject {
  const all = { ...BEFORE.metadata, resourceVersion: "2", generation: 2, managedFields: [], ...metadata };
  return { apiVersion: "v1", kind: "A", ...BEFORE, ...content, metadata: all };
}

describe("differsFromSent()", () => {
  it("does not where what was sent is there, and all else is as it was", () => {
    const sent = { apiVersion: "v1", kind: "A", metadata: { name: "a" }, spec: { size: 2 } };
    assert.equal(
      differsFromSent({ before: BEFORE, sent, answer: answer({ spec: { ...BEFORE.spec, size: 2 } }) }),
      false,
    );
    const gone = { metadata: { labels: { a: null } } };
    assert.equal(differsFromSent({ before: BEFORE, sent: gone, answer: answer({}, { labels: {} }) }), false);
    const created = { metadata: { name: "a", namespace: "ns" }, data: { b: "1" } };
    const stored = { metadata: { ...META, resourceVersion: "1" }, data: { b: "1" } };
    assert.equal(differsFromSent({ before: undefined, sent: created, answer: stored }), false);
  });

  it("does where a default was added, a webhook has meddled, or somebody else has written before", () => {
    const sent = { spec: { size: 2 } };
    const spec = { ...BEFORE.spec, size: 2 };
    for (
      const changed of [
        answer({ spec: { ...spec, added: true } }),
        answer({ spec: { ...spec, size: 3 } }),
        answer({ spec: { ...spec, list: [] } }),
        answer({ spec, status: { ready: true } }),
        answer({ spec }, { labels: { a: "2" } }),
        answer({ spec }, { finalizers: ["x"] }),
      ]
    ) assert.equal(differsFromSent({ before: BEFORE, sent, answer: changed }), true, JSON.stringify(changed));
    const created = { metadata: { name: "a", namespace: "ns" }, spec: {} };
    const stored = { metadata: { ...META, resourceVersion: "1" }, spec: { size: 1 } };
    assert.equal(differsFromSent({ before: undefined, sent: created, answer: stored }), true);
  });

  it("knows nothing of lists of operations", () => {
    assert.equal(differsFromSent({ before: BEFORE, sent: undefined, answer: answer({ spec: {} }) }), false);
  });
});
