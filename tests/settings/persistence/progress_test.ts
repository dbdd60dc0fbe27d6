import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildEssence } from "../../../lib/model/essence.ts";
import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import type {
  ProgressRecord,
  ProgressStorage,
  UnreadableRecord,
} from "../../../lib/settings/persistence/storage.ts";
import {
  annotationNotes,
  type AnnotationNotesOptions,
  statusNotes,
} from "../../../lib/settings/persistence/presets.ts";

const KOPF = "kopf.zalando.org";
const LONG = "a".repeat(47);
const record: ProgressRecord = {
  started: "2026-01-31T12:00:00.000Z",
  purpose: "create",
  retries: 1,
  success: false,
  failure: false,
};

const own = annotationNotes({ prefix: "lotse.dev", form: "lotse" }).progress;
const inStatus = statusNotes({ form: "lotse" }).progress;

function kopf(options: Partial<AnnotationNotesOptions> = {}): ProgressStorage {
  return annotationNotes({ prefix: KOPF, form: "kopf", ...options }).progress;
}

function annotated(annotations: Record<string, unknown>): KubeObject {
  return { metadata: { annotations: annotations as Record<string, string> } };
}

/** What a storage puts into an empty patch. */
function patched(change: (patch: Patch) => void): JsonObject {
  const patch = new Patch();
  change(patch);
  return patch.toMergePatch();
}

/** The object after a storage has changed it. */
function changed(body: KubeObject, change: (patch: Patch) => void): KubeObject {
  return applyMergePatch(body, patched(change));
}

const storages: [string, ProgressStorage][] = [["annotations", own], ["Kopf's annotations", kopf()], [
  "the status",
  inStatus,
]];

for (const [name, storage] of storages) {
  describe(`Progress in ${name}`, () => {
    it("is read as it was written", () => {
      const rich: ProgressRecord = {
        ...record,
        message: 'ü\n"',
        subrefs: ["a/b"],
        delayed: "2026-01-31T12:00:05.500Z",
      };
      const body = changed(
        { metadata: {} },
        (patch) => storage.store({ patch, body: { metadata: {} }, id: "fn/x", record: rich }),
      );
      assert.deepEqual(storage.fetch(body, "fn/x"), rich);
      assert.equal(storage.fetch(body, "other"), undefined);
    });

    it("is not written where the object has the same", () => {
      const body = changed(
        { metadata: {} },
        (patch) => storage.store({ patch, body: { metadata: {} }, id: "fn", record }),
      );
      assert.deepEqual(patched((patch) => storage.store({ patch, body, id: "fn", record })), {});
    });

    it("loses members that a newer record does not have", () => {
      const first = changed({ metadata: {} }, (patch) => {
        storage.store({
          patch,
          body: { metadata: {} },
          id: "fn",
          record: { ...record, message: "x", delayed: "2026-01-31T12:00:00Z" },
        });
      });
      const second = changed(first, (patch) => storage.store({ patch, body: first, id: "fn", record }));
      assert.deepEqual(storage.fetch(second, "fn"), record);
    });

    it("is gone without a trace once it was purged", () => {
      const before: KubeObject = { metadata: { name: "x" }, status: { state: "Ready" } };
      const middle = changed(before, (patch) => {
        for (const id of ["one", "two/three"]) storage.store({ patch, body: before, id, record });
      });
      const after = changed(middle, (patch) => {
        for (const id of ["one", "two/three", "absent"]) storage.purge({ patch, body: middle, id });
      });
      const { annotations = {}, ...metadata } = after.metadata;
      assert.deepEqual({ ...after, metadata, annotations }, { ...before, annotations: {} });
    });

    it("[A150] is taken back from the patch where it was only pending", () => {
      const body: KubeObject = { metadata: {} };
      const result = patched((patch) => {
        storage.store({ patch, body, id: "fn", record });
        storage.purge({ patch, body, id: "fn" });
      });
      assert.deepEqual(result, {});
    });

    it("is purged of the given ids only, and only where it exists", () => {
      const body = changed({ metadata: {} }, (patch) => {
        for (const id of ["fn", "fn/sub1", "unrelated"]) {
          storage.store({ patch, body: { metadata: {} }, id, record });
        }
      });
      const after = changed(body, (patch) => {
        for (const id of ["fn", "fn/sub1", "fn/sub2"]) storage.purge({ patch, body, id });
      });
      assert.equal(storage.fetch(after, "fn"), undefined);
      assert.equal(storage.fetch(after, "fn/sub1"), undefined);
      assert.deepEqual(storage.fetch(after, "unrelated"), record);
      assert.deepEqual(patched((patch) => storage.purge({ patch, body: after, id: "fn/sub2" })), {});
    });

    it("can be written anew in the patch that purged it", () => {
      const body = changed(
        { metadata: {} },
        (patch) =>
          storage.store({ patch, body: { metadata: {} }, id: "fn", record: { ...record, message: "x" } }),
      );
      const after = changed(body, (patch) => {
        storage.purge({ patch, body, id: "fn" });
        storage.store({ patch, body, id: "new", record });
      });
      assert.equal(storage.fetch(after, "fn"), undefined);
      assert.deepEqual(storage.fetch(after, "new"), record);
    });

    it("takes odd ids for data", () => {
      for (const id of ["__proto__", "constructor", "toString"]) {
        assert.equal(
          storage.fetch({ metadata: { annotations: {} }, status: { lotse: { progress: {} } } }, id),
          undefined,
        );
        const body = changed(
          { metadata: {} },
          (patch) => storage.store({ patch, body: { metadata: {} }, id, record }),
        );
        assert.deepEqual(storage.fetch(body, id), record, id);
      }
      assert.equal(({} as JsonObject).retries, undefined);
    });

    it("is not part of the essence", () => {
      const body = changed(
        { metadata: {} },
        (patch) => storage.store({ patch, body: { metadata: {} }, id: "fn", record }),
      );
      const extended = buildEssence(body, { extraFields: [["status"]] });
      assert.deepEqual(storage.clear(extended), {});
      const essence = { spec: 1, status: { a: 1 } };
      assert.equal(storage.clear(essence), essence);
    });
  });
}

describe("ProgressNotes in annotations", () => {
  it("[A160] omits nulls, unless told to be verbose", () => {
    const body: KubeObject = { metadata: {} };
    assert.deepEqual(patched((patch) => kopf().store({ patch, body, id: "fn", record })), {
      metadata: {
        annotations: {
          [`${KOPF}/fn`]:
            '{"started":"2026-01-31T12:00:00.000000+00:00","purpose":"create","retries":1,"success":false,"failure":false}',
        },
      },
    });
    const verbose = patched((patch) => kopf({ verbose: true }).store({ patch, body, id: "fn", record }));
    assert.match(JSON.stringify(verbose), /\\"stopped\\":null,\\"delayed\\":null/);
    assert.match(JSON.stringify(verbose), /\\"message\\":null,\\"subrefs\\":null/);
    const ours = patched((patch) => own.store({ patch, body, id: "fn", record }));
    assert.doesNotMatch(JSON.stringify(ours), /null/);
  });

  it("writes letters as Python writes them where Kopf reads, and as they are elsewhere", () => {
    const written = (storage: ProgressStorage): string =>
      JSON.stringify(patched((patch) => {
        storage.store({ patch, body: { metadata: {} }, id: "fn", record: { ...record, message: "ü" } });
      }));
    assert.ok(written(kopf()).includes(String.raw`\\u00fc`));
    assert.match(written(own), /ü/);
  });

  it("[A154] writes and purges both of Kopf's names where they differ", () => {
    const body: KubeObject = { metadata: {} };
    const patch = patched((patch) => kopf().store({ patch, body, id: LONG, record }));
    const annotations = (patch.metadata as { annotations: Record<string, string> }).annotations;
    assert.deepEqual(Object.keys(annotations), [`${KOPF}/${LONG}`, `${KOPF}/${"a".repeat(39)}-L2I79Q`]);
    assert.equal(new Set(Object.values(annotations)).size, 1);
    const stored = annotated(annotations);
    const purge = patched((patch) => kopf().purge({ patch, body: stored, id: LONG }));
    assert.deepEqual(purge, {
      metadata: { annotations: Object.fromEntries(Object.keys(annotations).map((key) => [key, null])) },
    });
  });

  it("prefers Kopf's new name to the old one when reading, and takes the old one alone", () => {
    const [v2 = "", v1 = ""] = kopf().keys(LONG);
    assert.equal(kopf().fetch(annotated({ [v2]: '{"retries":2}', [v1]: '{"retries":1}' }), LONG)?.retries, 2);
    assert.equal(kopf().fetch(annotated({ [v1]: '{"retries":1}' }), LONG)?.retries, 1);
    assert.equal(kopf().fetch(annotated({ [v2]: "garbage", [v1]: '{"retries":1}' }), LONG)?.retries, 1);
  });

  it("[A161] marks a prefix of one's own; every one but those that everybody knows (G14)", () => {
    const written = (prefix: string, annotations: Record<string, string> = {}) => {
      const body = annotated(annotations);
      const storage = annotationNotes({ prefix, form: "lotse" }).progress;
      const patch = patched((patch) => storage.store({ patch, body, id: "fn", record }));
      return (patch.metadata as { annotations: JsonObject }).annotations[`${prefix}/kopf-managed`];
    };
    assert.equal(written("my.example.com"), "yes");
    assert.equal(written("kopf.dev"), "yes", "Kopf would leave it unmarked, and ping-pong");
    assert.equal(written(KOPF), undefined);
    assert.equal(written("lotse.dev"), undefined);
    assert.equal(written("my.example.com", { "my.example.com/kopf-managed": "yes" }), undefined);
  });

  it("marks our own prefix only where somebody is at work who does not know it", () => {
    const marker = (annotations: Record<string, string>) => {
      const patch = patched((patch) => own.store({ patch, body: annotated(annotations), id: "fn", record }));
      return (patch.metadata as { annotations: JsonObject }).annotations["lotse.dev/kopf-managed"];
    };
    assert.equal(marker({ "kopf.zalando.org/last-handled-configuration": "{}" }), "yes");
    assert.equal(marker({ "other.org/kopf-managed": "yes" }), "yes");
    assert.equal(marker({ "sub.lotse.dev/x": "1", "other.org/x": "1" }), undefined);
  });

  it("takes garbage for nothing, and reports it", () => {
    const garbage = [
      "",
      "{",
      "null and void",
      "5",
      "[]",
      '"text"',
      "[".repeat(200_000),
      '{"a":'.repeat(20_000) + "1" + "}".repeat(20_000),
      5,
      {},
      "\u0000",
    ];
    for (const text of garbage) {
      const reports: UnreadableRecord[] = [];
      const found = own.fetch(annotated({ "lotse.dev/fn": text }), "fn", {
        onUnreadable: (each) => reports.push(each),
      });
      assert.equal(found, undefined);
      assert.equal(reports[0]?.where, "lotse.dev/fn");
    }
    const hostile = '{"__proto__":{"success":true},"retries":2,"constructor":5}';
    assert.deepEqual(own.fetch(annotated({ "lotse.dev/fn": hostile }), "fn"), {
      retries: 2,
      success: false,
      failure: false,
    });
    assert.equal(own.fetch({ metadata: { annotations: "x" } } as unknown as KubeObject, "fn"), undefined);
    assert.equal(own.fetch({} as KubeObject, "fn"), undefined);
  });

  it("lists the ids that it finds, without the other notes", () => {
    const body = annotated({
      "lotse.dev/fn": "{}",
      "lotse.dev/fn.spec.x": "{}",
      "lotse.dev/last-handled-configuration": "{}",
      "lotse.dev/kopf-managed": "yes",
      "lotse.dev/touch-dummy": "x",
      "other.dev/fn": "{}",
    });
    assert.deepEqual(own.ids(body), ["fn", "fn.spec.x"]);
    const purged = patched((patch) => own.ids(body).forEach((id) => own.purge({ patch, body, id })));
    assert.deepEqual(purged, {
      metadata: { annotations: { "lotse.dev/fn": null, "lotse.dev/fn.spec.x": null } },
    });
  });

  it("[A159] has nothing to sweep where there is no wake-up note", () => {
    assert.deepEqual(patched((patch) => kopf().sweep(patch, { metadata: {} })), {});
    const body = annotated({ [`${KOPF}/touch-dummy`]: "2026-01-31T12:00:00" });
    assert.deepEqual(patched((patch) => kopf().sweep(patch, body)), {
      metadata: { annotations: { [`${KOPF}/touch-dummy`]: null } },
    });
  });
});

describe("ProgressNotes in annotations, of a record in other bytes", () => {
  it("leaves it alone, and takes a pending one back", () => {
    const body = annotated({ "lotse.dev/fn": JSON.stringify({ ...record, message: null }, null, 2) });
    const change = patched((patch) => {
      own.store({ patch, body, id: "fn", record: { ...record, retries: 2 } });
      own.store({ patch, body, id: "fn", record });
    });
    assert.deepEqual(change, {});
  });
});

describe("ProgressNotes in the status", () => {
  it("keeps what others have in the status, also under our name", () => {
    const body: KubeObject = {
      metadata: {},
      status: { mine: 1, lotse: { progress: { fn: { retries: 1 } }, theirs: 2 } },
    };
    const after = changed(body, (patch) => inStatus.purge({ patch, body, id: "fn" }));
    assert.deepEqual(after.status, { mine: 1, lotse: { theirs: 2 } });
  });

  it("lists the ids that it finds", () => {
    const body: KubeObject = { metadata: {}, status: { lotse: { progress: { "fn/x": {}, gone: null } } } };
    assert.deepEqual(inStatus.ids(body), ["fn/x"]);
    assert.deepEqual(inStatus.ids({ metadata: {}, status: { lotse: "text" } }), []);
  });

  it("takes garbage for nothing, and reports it", () => {
    for (const garbage of ["x", 5, [], true]) {
      const reports: UnreadableRecord[] = [];
      const body: KubeObject = { metadata: {}, status: { lotse: { progress: { fn: garbage } } } };
      assert.equal(inStatus.fetch(body, "fn", { onUnreadable: (each) => reports.push(each) }), undefined);
      assert.equal(reports[0]?.where, "status.lotse.progress.fn");
    }
    assert.equal(inStatus.fetch({ metadata: {}, status: "text" } as unknown as KubeObject, "fn"), undefined);
  });

  it("sweeps Kopf's wake-up note with its emptied parent", () => {
    const body: KubeObject = { metadata: {}, status: { a: 1, lotse: { dummy: "x" } } };
    assert.deepEqual(patched((patch) => inStatus.sweep(patch, body)), { status: { lotse: null } });
    assert.deepEqual(patched((patch) => inStatus.sweep(patch, { metadata: {} })), {});
  });
});
