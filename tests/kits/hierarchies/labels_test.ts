import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { label } from "../../../lib/kits/hierarchies/labels.ts";

const labels = { a: "b" };

describe("label()", () => {
  it("[B314] labels objects and the structures inside that are there", () => {
    const child = { spec: { template: { spec: {} } } };
    label(child, labels, { nested: ["spec.template", "spec.jobTemplate", "spec.template.metadata.no.such"] });
    assert.deepEqual(child, {
      metadata: { labels },
      spec: { template: { spec: {}, metadata: { labels } } },
    });
  });

  it("takes lists of keys for paths, and labels each item of lists", () => {
    const child = { spec: { "a.b": {}, claims: [{ metadata: { labels: { a: "own" } } }, {}] } };
    label(child, labels, { nested: [["spec", "a.b"], "spec.claims"] });
    assert.deepEqual(child.spec, {
      "a.b": { metadata: { labels } },
      claims: [{ metadata: { labels: { a: "own" } } }, { metadata: { labels } }],
    });
  });

  it("goes into instances of classes, but not into dates, scalars and inherited names", () => {
    class Spec {
      template: object = {};
    }
    const created = new Date(0);
    const child = { spec: new Spec(), metadata: { creationTimestamp: created }, size: 3 };
    label(child, labels, {
      nested: ["spec.template", "metadata.creationTimestamp", "size", "__proto__", "constructor.prototype"],
    });
    assert.deepEqual(child.spec.template, { metadata: { labels } });
    assert.equal(Object.hasOwn(created, "metadata"), false);
    assert.equal(Object.hasOwn(Object.prototype, "metadata"), false);
  });

  it("keeps labels that are there, unless it is forced", () => {
    const child = { metadata: { labels: { a: "own", c: "d" } } };
    label(child, labels);
    assert.deepEqual(child.metadata.labels, { a: "own", c: "d" });
    label(child, labels, { forced: true });
    assert.deepEqual(child.metadata.labels, { a: "b", c: "d" });
  });

  it("takes the owner's labels where none are given", () => {
    const child: { metadata?: object } = {};
    label(child, undefined, { owner: { metadata: { labels } } });
    assert.deepEqual(child.metadata, { labels });
  });

  it("makes nothing where there are no labels to add", () => {
    const child = {};
    label(child, {});
    label(child, undefined, { owner: {} });
    assert.deepEqual(child, {});
  });

  it("takes `__proto__` for a label like others", () => {
    const child: { metadata?: { labels?: object } } = {};
    label(child, JSON.parse('{"__proto__":"x","constructor":"y"}'));
    assert.equal(JSON.stringify(child.metadata?.labels), '{"__proto__":"x","constructor":"y"}');
  });
});
