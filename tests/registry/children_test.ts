import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { child } from "../../lib/registry/children.ts";
import { kinds } from "../../mod.ts";

describe("child()", () => {
  it("names the kind of the manifest, beside what is to be done with it", () => {
    const manifest = { metadata: { name: "a" }, data: { key: "value" } };
    const made = child(kinds.ConfigMap, manifest, { dependsOn: ["other"] });
    assert.deepEqual([made.kind, made.apply, made.dependsOn], [kinds.ConfigMap, manifest, ["other"]]);
  });
});
