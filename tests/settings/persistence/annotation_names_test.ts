import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../../lib/model/object.ts";
import {
  annotationKeys,
  checkPrefix,
  idOfKey,
  isCopied,
  type KeyForm,
} from "../../../lib/settings/persistence/annotation_names.ts";

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
