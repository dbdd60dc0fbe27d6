import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nameAfter, planChildren } from "../../../lib/engines/children/plan.ts";
import { kinds } from "../../../mod.ts";

const MANIFEST = { apiVersion: "v1", kind: "ConfigMap" };

describe("planChildren()", () => {
  it("puts each child after those that it depends on, and keeps the author's order else", () => {
    const planned = planChildren({
      web: { apply: MANIFEST, dependsOn: ["database", "settings"] },
      settings: MANIFEST,
      database: { apply: MANIFEST, dependsOn: ["settings"] },
      other: MANIFEST,
    });
    assert.deepEqual(planned.map(({ key, stage }) => [key, stage]), [
      ["settings", 0],
      ["other", 0],
      ["database", 1],
      ["web", 2],
    ]);
  });

  it("takes maps for several children, whose names follow the map's", () => {
    const several = new Map([["a", MANIFEST], ["b", MANIFEST]]);
    const planned = planChildren({ workers: several, more: { apply: several, dependsOn: ["workers"] } });
    assert.deepEqual(planned.map(({ key }) => key), ["workers.a", "workers.b", "more.a", "more.b"]);
    assert.deepEqual(planned.map(({ stage }) => stage), [0, 0, 1, 1]);
  });

  it("leaves out what is not wanted, and lets others depend on it", () => {
    const planned = planChildren({
      database: undefined,
      cache: null,
      web: { apply: MANIFEST, dependsOn: ["database", "cache"] },
    });
    assert.deepEqual(planned.map(({ key, stage }) => [key, stage]), [["web", 0]]);
  });

  it("refuses circles, and names them", () => {
    const child = (...dependsOn: string[]) => ({ apply: MANIFEST, dependsOn });
    assert.throws(() => planChildren({ x: child("a"), a: child("b"), b: child("c"), c: child("a") }), {
      name: "TypeError",
      message: /in a circle, "a" → "b" → "c" → "a"/,
    });
    assert.throws(() => planChildren({ a: child("a") }), { message: /"a" → "a"/ });
  });

  it("refuses what makes no sense", () => {
    const wrong: readonly [unknown, RegExp][] = [
      [null, /pass an object/],
      [{ "a b": MANIFEST }, /must do for a label's value/],
      [{ a: new Map([["x y", MANIFEST]]) }, /child "a\.x y"/],
      [{ a: "manifest" }, /it is no manifest/],
      [{ a: { apply: "manifest" } }, /no manifest/],
      [{ a: { apply: MANIFEST, dependOn: [] } }, /option "dependOn": known are apply, kind/],
      [{ a: { apply: MANIFEST, dependsOn: ["b"] } }, /"a" depends on "b", which is not among them/],
      [{ a: { apply: MANIFEST, dependsOn: "b" } }, /list of names/],
      [{ a: { apply: MANIFEST, ready: true } }, /must be a function/],
      [{ a: { apply: MANIFEST, kind: "ConfigMap" } }, /made with resource\(\)/],
    ];
    for (const [desired, message] of wrong) {
      assert.throws(() => planChildren(desired as Parameters<typeof planChildren>[0]), {
        name: "TypeError",
        message,
      });
    }
    assert.equal(planChildren({ a: { apply: {}, kind: kinds.ConfigMap } }).length, 1);
  });
});

describe("nameAfter()", () => {
  const owner = (name: string) => ({ metadata: { name } });

  it("is the owner's name and the child's, as names of objects have to be", () => {
    assert.equal(nameAfter(owner("shop"), "web"), "shop-web");
    assert.equal(nameAfter(owner("my.shop"), "webServer.eu_1"), "my-shop-web-server-eu-1");
  });

  it("is as short as all kinds want it, and differs where the whole name does", () => {
    const [a, b] = [nameAfter(owner("x".repeat(80)), "a"), nameAfter(owner("x".repeat(80)), "b")];
    assert.notEqual(a, b);
    for (const name of [a, b]) assert.match(name, /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])$/);
    assert.equal(a, nameAfter(owner("x".repeat(80)), "a"));
  });
});
