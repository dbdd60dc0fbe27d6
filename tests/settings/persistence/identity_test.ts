import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../../lib/model/object.ts";
import { identityOf, isOwnNote } from "../../../lib/settings/persistence/identity.ts";
import type { ForeignNote } from "../../../lib/settings/persistence/storage.ts";

const tea: KubeObject = { metadata: { namespace: "shop", name: "tea", uid: "u1" } };

describe("identityOf()", () => {
  it("names namespace, name and uid", () => {
    assert.equal(identityOf(tea), "shop/tea/u1");
    assert.equal(identityOf({ metadata: { name: "tea", uid: "u1" } }), "tea/u1");
    assert.equal(identityOf({ metadata: { name: "tea" } }), undefined);
  });
});

describe("isOwnNote()", () => {
  const cases: readonly [of: unknown, create: boolean, resume: boolean, origin?: ForeignNote["origin"]][] = [
    ["shop/tea/u1", true, true],
    ["shop/tea/u2", false, true, "restored"],
    ["shop/coffee/u1", false, false, "copied"],
    ["bar/tea/u1", false, false, "copied"],
    ["tea/u1", false, false, "copied"],
    ["", false, false, "copied"],
    [undefined, true, true],
    [5, true, true],
  ];

  for (const [of, create, resume, origin] of cases) {
    it(`tells of ${JSON.stringify(of) ?? "no name"} whether it is the object's`, () => {
      const told: ForeignNote[] = [];
      const onForeign = (note: ForeignNote): void => void told.push(note);
      assert.equal(isOwnNote(of, tea, { onForeign }), create);
      assert.equal(isOwnNote(of, tea, { restored: "resume", onForeign }), resume);
      assert.deepEqual(
        told,
        origin === undefined ? [] : [{ of, origin, counts: false }, { of, origin, counts: resume }],
      );
    });
  }

  it("cannot tell of an object without a uid", () => {
    assert.ok(isOwnNote("shop/tea/u1", { metadata: { name: "tea" } }));
  });
});
