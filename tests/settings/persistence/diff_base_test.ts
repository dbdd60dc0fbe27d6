import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculateDiff } from "../../../lib/model/diff.ts";
import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import { compressText } from "../../../lib/runtime/compression.ts";
import { annotationNotes, statusNotes } from "../../../lib/settings/persistence/presets.ts";
import type { DiffBaseStorage, UnreadableRecord } from "../../../lib/settings/persistence/storage.ts";
import { noise } from "./earlier_notes.ts";

const LHC = "kopf.zalando.org/last-handled-configuration";
const OURS = "lotse.dev/last-handled-configuration";
const FIELD = ["status", "kopf", "last-handled-configuration"];

const own = annotationNotes({ prefix: "lotse.dev", form: "lotse" }).diffBase;
const kopf = annotationNotes({ prefix: "kopf.zalando.org", form: "kopf" }).diffBase;
const inStatus = statusNotes({ form: "kopf" }).diffBase;
const ownInStatus = statusNotes({ form: "lotse" }).diffBase;

const STATE = ["status", "state"];

function annotated(annotations: Record<string, unknown>, rest: JsonObject = {}): KubeObject {
  return { ...rest, metadata: { annotations: annotations as Record<string, string> } };
}

interface StoreOptions {
  readonly extraFields?: readonly (readonly string[])[];
  readonly essence?: JsonObject;
  readonly onLoss?: () => void;
}

/** The merge patch that storing a body's essence makes. */
function stored(storage: DiffBaseStorage, body: KubeObject, options: StoreOptions = {}): JsonObject {
  const patch = new Patch();
  const { extraFields = [], essence = storage.build(body, extraFields), onLoss } = options;
  storage.store({ patch, body, essence, extraFields, onLoss });
  return patch.toMergePatch();
}

/** The body after its essence was stored. */
function handled(storage: DiffBaseStorage, body: KubeObject, options: StoreOptions = {}): KubeObject {
  return applyMergePatch(body, stored(storage, body, options));
}

const storages: [string, DiffBaseStorage][] = [
  ["annotations", own],
  ["Kopf's annotations", kopf],
  ["the status", ownInStatus],
  ["the status, as Kopf does", inStatus],
];

for (const [name, storage] of storages) {
  describe(`The last handled state in ${name}`, () => {
    const body: KubeObject = {
      metadata: { name: "x", labels: { l: "ü\u2028" }, annotations: { a: "1" } },
      spec: { b: 1, a: [true, null, { x: "\u007f😀" }] },
      data: {},
      status: { state: "Ready" },
    };

    it("is the essence, once it was stored", () => {
      const after = handled(storage, body);
      assert.deepEqual(calculateDiff(storage.fetch(after), storage.build(body)), []);
      assert.deepEqual(
        calculateDiff(storage.fetch(after), storage.build(after)),
        [],
        "the note does not count as a change",
      );
      assert.equal(storage.fetch(body), undefined);
    });

    it("is not stored where the object has the same", () => {
      const after = handled(storage, body);
      assert.deepEqual(stored(storage, after), {});
      const changed = { ...after, spec: { b: 2 } };
      assert.notDeepEqual(stored(storage, changed), {});
    });

    it("keeps extra fields", () => {
      const after = handled(storage, body, { extraFields: [STATE] });
      assert.deepEqual(storage.fetch(after, { extraFields: [STATE] })?.status, { state: "Ready" });
    });
  });
}

describe("DiffBase in annotations, as Kopf does", () => {
  it("[A84] writes compact JSON and a newline", () => {
    const body: KubeObject = {
      kind: "X",
      metadata: { labels: { l: "ü" } },
      spec: { b: 1, a: { c: [1, 2] } },
    };
    assert.deepEqual(stored(kopf, body), {
      metadata: {
        annotations: { [LHC]: '{"spec":{"b":1,"a":{"c":[1,2]}},"metadata":{"labels":{"l":"\\u00fc"}}}\n' },
      },
    });
  });

  it("[A85] reads values with white space around them", () => {
    assert.deepEqual(kopf.fetch(annotated({ [LHC]: '\n\n  {"spec":{"a":1}} \n' })), { spec: { a: 1 } });
  });

  it("takes JSON null for absent, without a complaint", () => {
    const reports: UnreadableRecord[] = [];
    assert.equal(
      kopf.fetch(annotated({ [LHC]: "null\n" }), { onUnreadable: (each) => reports.push(each) }),
      undefined,
    );
    assert.deepEqual(reports, []);
  });

  it("leaves a note alone that says the same in other bytes", () => {
    const body = annotated({ [LHC]: '{"spec": {"a": 1.0, "b": null}}' }, { spec: { a: 1 } });
    assert.deepEqual(stored(kopf, body), {});
  });

  it("reads a state under Kopf's old, short name", () => {
    const storage =
      annotationNotes({ prefix: "kopf.zalando.org", form: "kopf", key: "k".repeat(60) }).diffBase;
    const patch = stored(storage, { metadata: {}, spec: {} }) as {
      metadata: { annotations: Record<string, string> };
    };
    const [, old = ""] = Object.keys(patch.metadata.annotations);
    assert.deepEqual(storage.fetch(annotated({ [old]: '{"spec":2}' })), { spec: 2 });
  });

  it("takes all declared extra fields for counted, as Kopf does", () => {
    const body = annotated({ [LHC]: '{"spec":{"a":1}}' }, { spec: { a: 1 }, status: { state: "Ready" } });
    const old = kopf.fetch(body, { extraFields: [STATE] });
    assert.deepEqual(calculateDiff(old, kopf.build(body, [STATE])), [["add", ["status"], undefined, {
      state: "Ready",
    }]]);
    assert.equal(kopf.isOutdated(body, [STATE]), false);
  });
});

describe("DiffBase in annotations, in our own form", () => {
  it("writes canonical JSON, the same for each order of keys (G18)", () => {
    const one = stored(own, { metadata: {}, spec: { b: 1, a: { d: 1, c: null } } });
    const two = stored(own, { metadata: {}, spec: { a: { d: 1 }, b: 1 } });
    assert.deepEqual(one, two);
    assert.deepEqual(one, { metadata: { annotations: { [OURS]: '{"spec":{"a":{"d":1},"b":1}}' } } });
  });

  it("adopts an extra field that was not counted before, silently, and wants it noted (G16)", () => {
    const before = handled(own, { metadata: {}, spec: { a: 1 }, status: { state: "Ready" } });
    const old = own.fetch(before, { extraFields: [STATE] });
    assert.deepEqual(calculateDiff(old, own.build(before, [STATE])), []);
    assert.equal(own.isOutdated(before, [STATE]), true);
    const after = handled(own, before, { extraFields: [STATE] });
    assert.equal(own.isOutdated(after, [STATE]), false);
    const changed = { ...after, status: { state: "Failed" } };
    assert.deepEqual(
      calculateDiff(own.fetch(changed, { extraFields: [STATE] }), own.build(changed, [STATE])),
      [
        ["change", ["status", "state"], "Ready", "Failed"],
      ],
    );
  });

  it("sees a counted extra field that was absent appear", () => {
    const before = handled(own, { metadata: {}, spec: { a: 1 } }, { extraFields: [STATE] });
    const changed = { ...before, status: { state: "Ready" } };
    assert.deepEqual(
      calculateDiff(own.fetch(changed, { extraFields: [STATE] }), own.build(changed, [STATE])),
      [
        ["add", ["status"], undefined, { state: "Ready" }],
      ],
    );
  });

  it("forgets an extra field that does not count any more, silently", () => {
    const before = handled(own, { metadata: {}, spec: { a: 1 }, status: { state: "Ready" } }, {
      extraFields: [STATE],
    });
    assert.deepEqual(calculateDiff(own.fetch(before), own.build(before)), []);
    assert.equal(own.isOutdated(before), true);
    const narrower = own.fetch(handled(own, before, { extraFields: [["status"]] }), { extraFields: [STATE] });
    assert.deepEqual(narrower?.status, { state: "Ready" });
  });

  it("notes nothing about fields that every essence has", () => {
    const body: KubeObject = { metadata: {}, spec: { a: 1 } };
    assert.deepEqual(
      stored(own, body, { extraFields: [["spec", "a"], ["metadata", "labels", "x"]] }),
      stored(own, body),
    );
  });

  it("keeps a state that is too large for an annotation in compressed form", () => {
    const words = Array.from({ length: 30_000 }, (_, index) => `word ${index * 7919 % 10_007}`);
    const big: KubeObject = { metadata: {}, spec: { words }, status: { state: "Ready" } };
    for (const extraFields of [[], [STATE]]) {
      const after = handled(own, big, { extraFields });
      const text = after.metadata.annotations?.[OURS] ?? "";
      assert.ok(text.length > 20_000 && text.length < 224 * 1024, `${text.length}`);
      assert.deepEqual(calculateDiff(own.fetch(after, { extraFields }), own.build(after, extraFields)), []);
      assert.deepEqual(stored(own, after, { extraFields }), {});
      const changed = { ...after, spec: { words: words.slice(1) } };
      const old = own.fetch(changed, { extraFields });
      assert.deepEqual((old?.spec as { words: string[] }).words, words);
      assert.equal(own.isOutdated(after, extraFields), false);
      assert.equal(own.isOutdated(after, [["status", "other"]]), true);
    }
  });

  it("takes a compressed state that is broken, or would be immense, for nothing, and reports it", () => {
    const immense = compressText(JSON.stringify({ spec: "a".repeat(5_000_000) }));
    for (const deflated of ["", "###", "AAAA", compressText("[]"), compressText("{"), immense]) {
      const body = annotated({ [OURS]: JSON.stringify({ $lotse: { format: 1, deflated } }) });
      const found: UnreadableRecord[] = [];
      assert.equal(own.fetch(body, { onUnreadable: (garbage) => found.push(garbage) }), undefined);
      assert.equal(found.length, 1, deflated.slice(0, 10));
    }
  });

  it("keeps a state that is too large even so in outline: what changed is known, and what small fields were", () => {
    const spec = { text: noise(300_000), size: 1 };
    const big: KubeObject = { metadata: {}, spec, status: { state: "Ready" } };
    for (const extraFields of [[], [STATE]]) {
      let losses = 0;
      const after = handled(own, big, { extraFields, onLoss: () => losses++ });
      assert.equal(losses, 1);
      assert.ok((after.metadata.annotations?.[OURS]?.length ?? 0) < 300);
      assert.deepEqual(calculateDiff(own.fetch(after, { extraFields }), own.build(after, extraFields)), []);
      assert.deepEqual(stored(own, after, { extraFields }), {});
      assert.equal(own.isOutdated(after, extraFields), false);
      for (const changed of [{ ...spec, size: 2 }, { ...spec, text: "y" }, { size: 1 }]) {
        const body = { ...after, spec: changed };
        const diff = calculateDiff(own.fetch(body, { extraFields }), own.build(body, extraFields));
        assert.equal(diff.length, 1);
        assert.deepEqual(diff[0]?.path, ["spec", "size" in changed && changed.size === 2 ? "size" : "text"]);
      }
      assert.equal((own.fetch({ ...after, spec: { size: 2 } })?.spec as JsonObject).size, 1);
    }
  });

  it("finds an outline for states of any shape", () => {
    const texts = (length: number) => (index: number) => noise(length, index * 7919 + 13);
    const names = (count: number, value: (index: number) => unknown): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [texts(25)(index), value(index)]));
    const shapes: readonly JsonObject[] = [
      { list: Array.from({ length: 2000 }, (_, index) => texts(200)(index)) },
      names(1000, texts(300)),
      { many: names(12_000, (index) => index), few: { a: 1 } },
      { a: { b: names(8000, texts(60)) }, few: { a: 1 } },
      names(12_000, (index) => ({ index })),
    ];
    for (const [index, spec] of shapes.entries()) {
      let losses = 0;
      const after = handled(own, { metadata: {}, spec }, { onLoss: () => losses++ });
      const note = after.metadata.annotations?.[OURS] ?? "";
      assert.ok(note.length < 224 * 1024, `${note.length}`);
      assert.match(note, /^\{"\$lotse":\{"format":1,"outline":/, `${index}`);
      assert.equal(losses, 1, `${index}`);
      assert.deepEqual(calculateDiff(own.fetch(after), own.build(after)), [], `${index}`);
      const changed = { ...after, spec: { ...spec, few: { a: 2 } } };
      const diff = calculateDiff(own.fetch(changed), own.build(changed));
      // Where names alone are too large, all of the object that has them is a single mark.
      const isWhole = index === 4;
      if (!isWhole) assert.deepEqual(diff.map(({ path }) => path.slice(0, 2)), [["spec", "few"]], `${index}`);
      assert.ok(diff.length > 0);
    }
  });

  it("leaves room for the annotations of others; where there is none, a digest says whether anything has changed", () => {
    const cases = [
      { text: "y".repeat(50_000), others: 200_000, form: /deflated/ },
      { text: noise(50_000), others: 200_000, form: /outline/ },
      { text: "y", others: 230_000, form: /digest/ },
    ];
    for (const { text, others, form } of cases) {
      const crowded = annotated({ x: "x".repeat(others) }, { spec: { text } });
      const essence = { spec: crowded.spec };
      assert.match(JSON.stringify(stored(own, crowded, { essence })), form);
    }
    const full = annotated({ x: "x".repeat(230_000) }, { spec: { text: "y" } });
    const after = handled(own, full);
    assert.deepEqual(calculateDiff(own.fetch(after), own.build(after)), []);
    assert.deepEqual(stored(own, after), {});
    assert.deepEqual(own.fetch({ ...after, spec: { text: "z" } }), {});
    assert.deepEqual(
      calculateDiff(own.fetch(after, { extraFields: [STATE] }), own.build(after, [STATE])),
      [],
    );
  });

  it("takes garbage for nothing, and reports it", () => {
    const garbage = [
      "",
      "{",
      "5",
      "[]",
      "[".repeat(200_000),
      5,
      {},
      '{"$lotse":{"format":2},"spec":1}',
      '{"$lotse":5}',
    ];
    for (const text of garbage) {
      const reports: UnreadableRecord[] = [];
      assert.equal(
        own.fetch(annotated({ [OURS]: text }), { onUnreadable: (each) => reports.push(each) }),
        undefined,
        String(text).slice(0, 50),
      );
      assert.equal(reports.length, 1);
      assert.equal(own.isOutdated(annotated({ [OURS]: text }), []), false);
    }
    for (const body of [{}, { metadata: null }, { metadata: { annotations: [] } }]) {
      assert.equal(own.fetch(body as unknown as KubeObject), undefined);
    }
  });

  it("takes keys such as __proto__ for data", () => {
    const body: KubeObject = {
      metadata: {},
      spec: JSON.parse('{"__proto__":{"a":1},"constructor":{"b":2}}'),
    };
    const after = handled(own, body);
    assert.equal(after.metadata.annotations?.[OURS], '{"spec":{"__proto__":{"a":1},"constructor":{"b":2}}}');
    assert.deepEqual(calculateDiff(own.fetch(after), own.build(after)), []);
    const odd = own.fetch(
      annotated({
        [OURS]:
          '{"__proto__":{"x":1},"$lotse":{"format":1,"fields":[["__proto__","y"],["status","__proto__"],"x",[1]]}}',
      }),
      {
        extraFields: [["status", "__proto__"]],
      },
    );
    assert.deepEqual(Object.keys(odd ?? {}), ["__proto__"]);
    assert.equal(({} as JsonObject).x, undefined);
  });

  it("does not count ignored fields, not even those that were noted before", () => {
    const ignoring =
      annotationNotes({ prefix: "lotse.dev", form: "lotse", ignoredFields: ["spec.b"] }).diffBase;
    const before = handled(own, { metadata: {}, spec: { a: 1, b: 1 } });
    const changed = { ...before, spec: { a: 1, b: 2 } };
    const old = ignoring.fetch(changed);
    assert.deepEqual(calculateDiff(old && ignoring.clear(old), ignoring.build(changed)), []);
  });

  it("marks a prefix of one's own", () => {
    const storage = annotationNotes({ prefix: "my.org", form: "lotse" }).diffBase;
    assert.deepEqual(stored(storage, { metadata: {}, spec: {} }), {
      metadata: {
        annotations: { "my.org/last-handled-configuration": '{"spec":{}}', "my.org/kopf-managed": "yes" },
      },
    });
  });
});

describe("DiffBase in the status", () => {
  it("[A86] writes a JSON text without a newline", () => {
    assert.deepEqual(stored(inStatus, { metadata: {}, spec: { a: 1 } }), {
      status: { kopf: { "last-handled-configuration": '{"spec":{"a":1}}' } },
    });
  });

  it("takes garbage for nothing, and reports it", () => {
    for (const note of [5, {}, "x", "[]"]) {
      const reports: UnreadableRecord[] = [];
      const body: KubeObject = { metadata: {}, status: { kopf: { "last-handled-configuration": note } } };
      assert.equal(inStatus.fetch(body, { onUnreadable: (each) => reports.push(each) }), undefined);
      assert.equal(reports[0]?.where, FIELD.join("."));
    }
    assert.equal(inStatus.fetch({ metadata: {}, status: { kopf: "text" } }), undefined);
  });
});
