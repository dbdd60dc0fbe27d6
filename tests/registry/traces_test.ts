import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTraces, parseTraces, tracesOf } from "../../lib/registry/traces.ts";
import { EVERYTHING, operator, persistence, resource } from "../../mod.ts";
import { z } from "zod";

const Shop = resource({
  ...{ group: "example.com", version: "v1", plural: "shops", kind: "Shop" },
  spec: z.object({}),
  versions: { v0: { convert: { toHub: () => ({}), fromHub: () => ({}) } } },
});
const Pod = resource({ group: "", version: "v1", plural: "pods" });

describe("tracesOf()", () => {
  it("names whatever follows from handlers and settings, and no kind that is only looked at", () => {
    const op = operator({
      persistence: persistence.migrate({
        to: persistence.annotations({ prefix: "shops.example.com" }),
        from: [persistence.kopf()],
      }),
      admission: { managed: "shops.example.com" },
      replicas: { name: "shop", namespace: "stores" },
    });
    op.on.create(Shop, function open() {});
    op.on.event(Pod, function see() {});
    op.index(Pod, function byName() {});
    const traces = tracesOf({ operators: [op] });
    assert.deepEqual(traces.kinds.map(({ plural }) => plural), ["shops"]);
    assert.deepEqual(traces.finalizers, ["kopf.zalando.org/KopfFinalizerMarker"]);
    assert.deepEqual(traces.prefixes, ["kopf.zalando.org", "shops.example.com"]);
    assert.ok(traces.annotations.includes("shops.example.com/last-handled-configuration"));
    assert.deepEqual(traces.configurations, ["shops.example.com"]);
    assert.deepEqual([traces.converted, traces.definitions], [["shops.example.com"], ["shops.example.com"]]);
    assert.deepEqual(traces.replicas, { name: "shop", namespace: "stores" });
  });
});

describe("parseTraces()", () => {
  it("reads what was written; kinds that only code can tell become all kinds", () => {
    const op = operator({ persistence: persistence.status({ name: "shop" }) });
    op.on.create(Shop, function open() {});
    const traces = tracesOf({ operators: [op] });
    const read = parseTraces(formatTraces(traces));
    assert.deepEqual([read.fields, read.finalizers], [traces.fields, traces.finalizers]);
    assert.deepEqual(read.kinds.map(({ group, plural }) => `${plural}.${group}`), ["shops.example.com"]);
    assert.equal(read.replicas, undefined);
    op.on.create((kind) => kind.plural === "shops", { id: "any" }, () => {});
    assert.deepEqual(parseTraces(formatTraces(tracesOf({ operators: [op] }))).kinds, [{
      anyName: EVERYTHING,
    }]);
  });

  it("refuses other forms, and says which member is wrong", () => {
    const good = JSON.parse(formatTraces(tracesOf({ operators: [operator()] })));
    for (
      const [change, message] of [
        [{ format: "v9" }, /not of the form lotse\.dev\/traces\/v1/],
        [{ finalizers: [1] }, /"finalizers" .* is no list of texts/],
        [{ fields: ["status"] }, /"fields" .* is no list of paths/],
        [{ kinds: "some" }, /"kinds" .* is no list of kinds/],
      ] as const
    ) assert.throws(() => parseTraces(JSON.stringify({ ...good, ...change })), message);
    assert.throws(() => parseTraces("{"), /not of the form/);
  });
});
