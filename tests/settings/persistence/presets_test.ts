import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculateDiff } from "../../../lib/model/diff.ts";
import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import {
  currentEssence,
  handledEssence,
  type Persistence,
  type ProgressRecord,
  storeEssence,
} from "../../../lib/settings/persistence/storage.ts";
import { annotations, kopf, status } from "../../../lib/settings/persistence/presets.ts";
import { HANDLER, RECORDS, STATES } from "./earlier_notes.ts";

const record: ProgressRecord = {
  started: "2026-01-31T12:00:00.000Z",
  retries: 1,
  success: false,
  failure: false,
};

/** What one cycle of an operator writes: one unfinished handler, and the state. */
function written(persistence: Persistence, body: KubeObject): JsonObject {
  const patch = new Patch();
  persistence.progress.store({ patch, body, id: "fn", record });
  persistence.diffBase.store({ patch, body, essence: currentEssence(persistence, body) });
  return patch.toMergePatch();
}

function patched(change: (patch: Patch) => void): JsonObject {
  const patch = new Patch();
  change(patch);
  return patch.toMergePatch();
}

describe("annotations()", () => {
  it("keeps notes under lotse.dev, as design.md says, and no more than those", () => {
    assert.equal(annotations().finalizer, "lotse.dev/finalizer");
    assert.deepEqual(written(annotations(), { metadata: {}, spec: { a: 1 } }), {
      metadata: {
        annotations: {
          "lotse.dev/fn":
            '{"started":"2026-01-31T12:00:00.000Z","retries":1,"success":false,"failure":false}',
          "lotse.dev/last-handled-configuration": '{"spec":{"a":1}}',
        },
      },
    });
  });

  it("[A155] warns of prefixes longer than 189 characters, and refuses the empty one", () => {
    const label = "p".repeat(60);
    assert.match(
      annotations({ prefix: `${label}.${label}.${label}.abcdefg` }).warnings?.[0] ?? "",
      /190 characters/,
    );
    assert.deepEqual(annotations({ prefix: `${label}.${label}.${label}.abcdef` }).warnings, []);
    assert.throws(() => annotations({ prefix: "" }), RangeError);
    assert.throws(() => kopf({ prefix: "" }), RangeError);
  });

  it("takes a prefix of one's own for everything", () => {
    const mine = annotations({ prefix: "my.org" });
    assert.equal(mine.finalizer, "my.org/finalizer");
    const keys = Object.keys(
      (written(mine, { metadata: {} }).metadata as { annotations: JsonObject }).annotations,
    );
    assert.deepEqual(keys.sort(), ["my.org/fn", "my.org/kopf-managed", "my.org/last-handled-configuration"]);
  });

  it("ignores fields", () => {
    const ignoring = annotations({ ignoredFields: ["spec.replicas"] });
    assert.deepEqual(currentEssence(ignoring, { metadata: {}, spec: { a: 1, replicas: 2 } }), {
      spec: { a: 1 },
    });
  });
});

describe("status()", () => {
  it("keeps all notes inside of the status, so that they go out in one write with it", () => {
    const body: KubeObject = { metadata: {}, spec: { a: 1 } };
    const patch = written(status(), body);
    assert.deepEqual(Object.keys(patch), ["status"]);
    const after = applyMergePatch(body, patch);
    assert.deepEqual(calculateDiff(handledEssence(status(), after), currentEssence(status(), after)), []);
    assert.deepEqual(currentEssence(status(), after, { extraFields: [["status"]] }), { spec: { a: 1 } });
    assert.throws(() => status({ name: "" }), RangeError);
  });
});

describe("kopf()", () => {
  it("writes what Kopf writes, byte for byte", () => {
    assert.equal(kopf().finalizer, "kopf.zalando.org/KopfFinalizerMarker");
    assert.deepEqual(written(kopf(), { metadata: {}, spec: { b: "ü", a: 1 } }), {
      metadata: {
        annotations: {
          "kopf.zalando.org/fn":
            '{"started":"2026-01-31T12:00:00.000000+00:00","retries":1,"success":false,"failure":false}',
          "kopf.zalando.org/last-handled-configuration": '{"spec":{"b":"\\u00fc","a":1}}\n',
        },
      },
    });
  });

  it("finds nothing to do on an object that Kopf has handled", () => {
    const body: KubeObject = {
      metadata: {
        labels: { app: "x" },
        annotations: {
          "kopf.zalando.org/last-handled-configuration":
            '{"spec":{"size":"1Gi"},"metadata":{"labels":{"app":"x"}}}\n',
          "kubectl.kubernetes.io/last-applied-configuration": "{}",
        },
        finalizers: ["kopf.zalando.org/KopfFinalizerMarker"],
      },
      spec: { size: "1Gi" },
      status: { create_fn: { done: true } },
    };
    assert.deepEqual(calculateDiff(handledEssence(kopf(), body), currentEssence(kopf(), body)), []);
    assert.deepEqual(
      patched((patch) => kopf().diffBase.store({ patch, body, essence: currentEssence(kopf(), body) })),
      {},
    );
  });

  it("goes on with records that Kopf has left", () => {
    const body: KubeObject = {
      metadata: {
        annotations: {
          "kopf.zalando.org/create_fn.spec.field":
            '{"started":"2026-01-31T12:00:00.123456+00:00","delayed":"2026-01-31T12:01:00.123456","purpose":"create","retries":2,"success":false,"failure":false,"message":"Not yet"}',
        },
      },
    };
    assert.deepEqual(kopf().progress.fetch(body, "create_fn/spec.field"), {
      started: "2026-01-31T12:00:00.123Z",
      delayed: "2026-01-31T12:01:00.123Z",
      purpose: "create",
      retries: 2,
      success: false,
      failure: false,
      message: "Not yet",
    });
  });

  const legacy: KubeObject = {
    metadata: {},
    status: { a: 1, kopf: { progress: { fn: { retries: 2, success: null } }, dummy: "x" } },
  };

  it("[A156] finds a record that is only in status.kopf.progress", () => {
    assert.equal(kopf().progress.fetch(legacy, "fn")?.retries, 2);
  });

  it("[A157] writes nothing into the status", () => {
    const patch = patched((patch) => kopf().progress.store({ patch, body: legacy, id: "fn", record }));
    assert.deepEqual(Object.keys(patch), ["metadata"]);
  });

  it("[A158] purges a record from the status, with parents that it leaves empty", () => {
    const { progress } = kopf();
    assert.deepEqual(patched((patch) => progress.purge({ patch, body: legacy, id: "fn" })), {
      status: { kopf: { progress: null } },
    });
    const both = patched((patch) => {
      progress.purge({ patch, body: legacy, id: "fn" });
      progress.sweep(patch, legacy);
    });
    assert.deepEqual(applyMergePatch(legacy, both), { metadata: {}, status: { a: 1 } });
  });

  it("removes a wake-up note that Kopf has left, and never writes one (G12)", () => {
    const body: KubeObject = {
      metadata: { annotations: { "kopf.zalando.org/touch-dummy": "2026-01-31T12:00:00" } },
    };
    assert.deepEqual(patched((patch) => kopf().progress.sweep(patch, body)), {
      metadata: { annotations: { "kopf.zalando.org/touch-dummy": null } },
    });
  });
});

describe("Presets side by side on one object", () => {
  it("do not take each other's notes for changes (G14)", () => {
    const operators = [
      annotations(),
      annotations({ prefix: "my.org" }),
      annotations({ prefix: "kopf.example.com" }),
      kopf(),
    ];
    let body: KubeObject = { metadata: { name: "x" }, spec: { a: 1 } };
    for (let round = 0; round < 2; round++) {
      for (const operator of operators) body = applyMergePatch(body, written(operator, body));
    }
    for (const operator of operators) {
      assert.deepEqual(currentEssence(operator, body), { spec: { a: 1 } });
      assert.deepEqual(calculateDiff(handledEssence(operator, body), currentEssence(operator, body)), []);
      assert.deepEqual(written(operator, body), {}, "nothing is left to write");
    }
  });
});

describe("Notes of earlier releases", () => {
  const PHASE = ["status", "phase"];

  for (const { name, persistence, body, withPhase, note, isSame } of STATES) {
    const extraFields = withPhase ? [PHASE] : [];
    const noted = applyMergePatch(body, note);

    it(`are understood: a state, ${name}`, () => {
      assert.notEqual(handledEssence(persistence, noted, { extraFields }), undefined);
      const diff = (present: KubeObject) =>
        calculateDiff(
          handledEssence(persistence, present, { extraFields }),
          currentEssence(persistence, present, { extraFields }),
        );
      assert.deepEqual(diff(noted), []);
      assert.equal(persistence.diffBase.isOutdated(noted, extraFields), false);
      const spec = { ...noted.spec as JsonObject, added: true };
      const changed = diff({ ...noted, spec });
      // Of a digest, no more is known than that something has changed.
      if (body.metadata.annotations === undefined) {
        assert.deepEqual(changed, [["add", ["spec", "added"], undefined, true]]);
      } else assert.notDeepEqual(changed, []);
    });

    it(`are ${isSame ? "written as ever" : "left alone or written anew"}: a state, ${name}`, () => {
      const patch = new Patch();
      const essence = currentEssence(persistence, body, { extraFields });
      storeEssence(persistence, { patch, body, essence, extraFields });
      if (isSame) assert.deepEqual(patch.toMergePatch(), note);
      const anew = applyMergePatch(body, patch.toMergePatch());
      const handled = handledEssence(persistence, anew, { extraFields });
      assert.deepEqual(calculateDiff(handled, currentEssence(persistence, anew, { extraFields })), []);
    });
  }

  for (const { name, persistence: { progress }, note, record } of RECORDS) {
    it(`are understood, and written as ever: a record ${name}`, () => {
      const body: KubeObject = { metadata: {} };
      assert.deepEqual(progress.fetch(applyMergePatch(body, note), HANDLER), record);
      assert.deepEqual(patched((patch) => progress.store({ patch, body, id: HANDLER, record })), note);
    });
  }
});
