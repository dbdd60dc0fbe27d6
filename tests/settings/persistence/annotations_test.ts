import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import {
  annotationKeys,
  annotationsOf,
  checkPrefix,
  dropAnnotation,
  dropStatus,
  idOfKey,
  isCopied,
  type KeyForm,
  parseNote,
  writeAnnotation,
  writeStatus,
} from "../../../lib/settings/persistence/annotations.ts";

function patched(change: (patch: Patch) => void): JsonObject {
  const patch = new Patch();
  change(patch);
  return patch.toMergePatch();
}

describe("parseNote()", () => {
  it("takes objects as deep as API servers do, and brackets inside of texts for what they are", () => {
    const deep = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
    assert.notEqual(parseNote(deep(10_000), "x"), undefined);
    assert.equal(parseNote(deep(10_002), "x"), undefined);
    assert.deepEqual(parseNote(JSON.stringify({ a: "[".repeat(5000) }), "x"), { a: "[".repeat(5000) });
    assert.notEqual(parseNote(JSON.stringify({ a: Array.from({ length: 5000 }, () => []) }), "x"), undefined);
  });
});

describe("writeAnnotation()", () => {
  const key = "lotse.dev/fn";
  /** So many bytes of others' annotations, in characters of two bytes each. */
  const bodyWith = (bytes: number): KubeObject => ({
    metadata: { annotations: { [key]: "old", x: "ü".repeat((bytes - 1) / 2) } },
  });

  it("leaves alone what would be more than Kubernetes takes, a marker included, and tells so", () => {
    const note = { own: key.length + 100, marker: "lotse.dev/kopf-managed".length + "yes".length };
    const room = 256 * 1024 - note.own - note.marker;
    for (const [others, hasRoom] of [[room, true], [room + 2, false]] as const) {
      // An odd number: the name "x" is one more byte.
      const body = bodyWith(others - (others + 1) % 2);
      const change = patched((patch) => {
        patch.metadata.annotations[key] = "pending";
        assert.equal(writeAnnotation({ patch, body }, key, "t".repeat(100)), hasRoom);
      });
      assert.deepEqual(change, hasRoom ? { metadata: { annotations: { [key]: "t".repeat(100) } } } : {});
    }
    assert.equal(writeAnnotation({ patch: new Patch(), body: bodyWith(300_001) }, key, "old"), true);
  });
});

describe("writeAnnotation() and dropAnnotation()", () => {
  const body: KubeObject = { metadata: { annotations: { a: "1" } } };

  it("take a pending change back where the object is as it should be", () => {
    const result = patched((patch) => {
      writeAnnotation({ patch, body }, "a", "2");
      writeAnnotation({ patch, body }, "a", "1");
      writeAnnotation({ patch, body }, "b", "2");
      dropAnnotation({ patch, body }, "b");
    });
    assert.deepEqual(result, {});
  });

  it("change what differs", () => {
    assert.deepEqual(patched((patch) => writeAnnotation({ patch, body }, "a", "2")), {
      metadata: { annotations: { a: "2" } },
    });
    assert.deepEqual(patched((patch) => dropAnnotation({ patch, body }, "a")), {
      metadata: { annotations: { a: null } },
    });
  });
});

describe("writeStatus() and dropStatus()", () => {
  const body: KubeObject = { metadata: {}, status: { mine: 1, x: { y: { one: 1, two: 2 } } } };
  const drop = (...fields: string[]) => (patch: Patch) =>
    fields.forEach((field) => dropStatus({ patch, body }, field.split(".")));
  const after = (change: (patch: Patch) => void) => applyMergePatch(body, patched(change)).status;

  it("remove parents that are left empty, down to the given one", () => {
    assert.deepEqual(after(drop("status.x.y.one")), { mine: 1, x: { y: { two: 2 } } });
    assert.deepEqual(after(drop("status.x.y.one", "status.x.y.two")), { mine: 1 });
    assert.deepEqual(after(drop("status.mine")), { x: { y: { one: 1, two: 2 } } });
    assert.deepEqual(patched(drop("status.x.y.three", "status.z")), {});
  });

  it("can be mixed in any order", () => {
    const write = (patch: Patch) => writeStatus({ patch, body }, ["status", "x", "y", "new"], 3);
    for (
      const order of [[drop("status.x.y.one", "status.x.y.two"), write], [
        write,
        drop("status.x.y.one", "status.x.y.two"),
      ]]
    ) {
      assert.deepEqual(after((patch) => order.forEach((change) => change(patch))), {
        mine: 1,
        x: { y: { new: 3 } },
      });
    }
    const twice = after((patch) => {
      drop("status.x.y.one", "status.x.y.two")(patch);
      write(patch);
      drop("status.x.y.new")(patch);
    });
    assert.deepEqual(twice, { mine: 1 });
  });
});

describe("annotationsOf()", () => {
  it("gives none for metadata of any odd shape", () => {
    for (const metadata of [undefined, null, "x", { annotations: null }, { annotations: ["x"] }]) {
      assert.deepEqual(annotationsOf({ metadata } as unknown as KubeObject), {});
    }
  });
});

const KOPF = "kopf.zalando.org";
const MINE = "my-operator.example.com";
const long = "create_fn/" + "item-with-a-very-long-name-".repeat(3);

const kopfKeys = (prefix: string, id: string, form: KeyForm = "kopf-v1") =>
  annotationKeys(id, { prefix, form });
const ownKey = (id: string) => annotationKeys(id, { prefix: "lotse.dev", form: "lotse" })[0];

function owned(kind: string, ownerKind: string): KubeObject {
  const owner = { apiVersion: "apps/v1", kind: ownerKind, name: "x", uid: "u" };
  return { kind, metadata: { ownerReferences: [owner] } };
}

describe("annotationKeys()", () => {
  it("[A152] gives Kopf's names, byte for byte", () => {
    const vectors: [string, string, ...string[]][] = [
      [KOPF, "create_fn", "create_fn"],
      [KOPF, "fn/sub", "fn.sub"],
      [KOPF, "outer.<locals>.fn/spec.field", "outer._locals_.fn.spec.field"],
      [MINE, "a_b.c-d/e", "a_b.c-d.e"],
      [KOPF, "a".repeat(46), "a".repeat(46)],
      [KOPF, "a".repeat(47), "a".repeat(47), "a".repeat(39) + "-L2I79Q"],
      [KOPF, "a".repeat(63), "a".repeat(63), "a".repeat(39) + "-LcrRHA"],
      [KOPF, "a".repeat(64), "a".repeat(56) + "-5Keq3A", "a".repeat(39) + "-5Keq3A"],
      [
        KOPF,
        long,
        "create_fn.item-with-a-very-long-name-item-with-a-very-lo-VFe.Rg",
        "create_fn.item-with-a-very-long-name-it-blA5EQ",
      ],
    ];
    for (const [prefix, id, ...names] of vectors) {
      assert.deepEqual(kopfKeys(prefix, id), names.map((name) => `${prefix}/${name}`), id);
    }
    assert.equal(kopfKeys(MINE, "x".repeat(64))[0], `${MINE}/${"x".repeat(56)}-SItAqA`);
    assert.equal(kopfKeys(MINE, "x".repeat(40))[1], `${MINE}/${"x".repeat(32)}-tEokcg`);
    assert.deepEqual(kopfKeys(MINE, "fn".repeat(323)), [
      `${MINE}/${"fn".repeat(28)}-Az-r.g`,
      `${MINE}/${"fn".repeat(16)}-Az-r.g`,
    ]);
  });

  it("gives one name where the old ones are not wanted", () => {
    assert.deepEqual(kopfKeys(KOPF, "a".repeat(47), "kopf-v2"), [`${KOPF}/${"a".repeat(47)}`]);
  });

  it("leaves nothing of the id where a prefix is too long for Kopf's old names", () => {
    const prefix = `${"p".repeat(60)}.example.com`;
    assert.deepEqual(kopfKeys(prefix, "fn")[0], `${prefix}/fn`);
    assert.match(kopfKeys(prefix, "fn")[1] ?? "", /\/-[-.\w]{1,6}$/);
  });

  it("[A153] adds -ofDRS for ReplicaSets of Deployments, and for nothing else", () => {
    const options = { prefix: KOPF, form: "kopf-v1" } as const;
    const key = (body: KubeObject) => annotationKeys("fn", { ...options, body })[0];
    assert.equal(key(owned("ReplicaSet", "Deployment")), `${KOPF}/fn-ofDRS`);
    assert.equal(key(owned("ReplicaSet", "Rollout")), `${KOPF}/fn`);
    assert.equal(key(owned("Pod", "Deployment")), `${KOPF}/fn`);
    assert.equal(key({ kind: "ReplicaSet", metadata: {} }), `${KOPF}/fn`);
    assert.equal(
      isCopied({ kind: "ReplicaSet", metadata: { ownerReferences: [null, "x"] } } as unknown as KubeObject),
      false,
    );
  });

  it("gives valid names, and different ones, whatever an id looks like", () => {
    const ids = [
      "ü",
      "ä",
      "$fn",
      "_fn",
      "fn_",
      "a b",
      "a:b",
      "<anonymous>",
      "😀".repeat(40),
      "",
      "-",
      ".",
      "a".repeat(63),
      "a".repeat(64),
      "a".repeat(65),
      "fn/",
    ];
    const keys = ids.map((id) => ownKey(id) ?? "");
    for (const [index, key] of keys.entries()) {
      assert.match(key, /^lotse\.dev\/[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/, `${ids[index]}`);
    }
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(ownKey("fn/spec.field"), "lotse.dev/fn.spec.field");
    assert.equal(ownKey("a".repeat(63)), `lotse.dev/${"a".repeat(63)}`);
  });
});

describe("idOfKey()", () => {
  it("gives what leads to the same key again", () => {
    const body = owned("ReplicaSet", "Deployment");
    for (const form of ["lotse", "kopf-v2"] as const) {
      for (const id of ["fn", "fn/sub", "a".repeat(90), "ü"]) {
        for (const object of [body, { metadata: {} }]) {
          const options = { prefix: KOPF, form, body: object };
          const [key = ""] = annotationKeys(id, options);
          if (key.length < KOPF.length + 1 + 63 && id !== "ü") {
            assert.deepEqual(annotationKeys(idOfKey(key, options), options), [key], `${form} ${id}`);
          }
        }
      }
    }
  });
});

describe("checkPrefix()", () => {
  it("warns of long prefixes, and refuses the empty one", () => {
    const label = "p".repeat(60);
    assert.deepEqual(checkPrefix("lotse.dev"), []);
    assert.deepEqual(checkPrefix(`${label}.${label}.${label}.abcdef`).length, 0);
    assert.match(checkPrefix(`${label}.${label}.${label}.abcdefg`)[0] ?? "", /190/);
    assert.throws(() => checkPrefix(""), RangeError);
  });

  it("refuses what Kubernetes would refuse", () => {
    for (const bad of ["a b", "A.com", "-a.com", "a..b", "a/b", "x".repeat(254), "__proto__"]) {
      assert.throws(() => checkPrefix(bad), RangeError, bad);
    }
  });
});
