import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KINDS } from "../../lib/model/kinds.ts";
import { kinds } from "../../lib/registry/kinds.ts";

describe("kinds", () => {
  it("declare each kind under its own name, as the API server serves it", () => {
    for (const [name, { options }] of Object.entries(kinds)) {
      const { group, version, plural, namespaced } = KINDS.get(name) ?? assert.fail(name);
      assert.deepEqual(options, { group, version, plural, kind: name, namespaced });
    }
  });
});
