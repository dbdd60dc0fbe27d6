import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultContainers } from "../../../../lib/kits/apiserver/builtin/defaults.ts";
import type { JsonObject } from "../../../../lib/model/object.ts";

describe("defaultContainers()", () => {
  it("fetches images always that are newest, and have a name that the registry's grammar knows", () => {
    const policies = {
      "a": "Always",
      "a:1": "IfNotPresent",
      "b.c:5/d": "Always",
      "B.c/d:latest": "Always",
      "b_c.d/e": "Always",
      "!b.c/d:latest": "IfNotPresent",
      "b..c/d": "IfNotPresent",
      "b.c:x/d": "IfNotPresent",
      "A": "IfNotPresent",
    };
    for (const [image, policy] of Object.entries(policies)) {
      const container: JsonObject = { image };
      defaultContainers({ containers: [container] });
      assert.equal(container.imagePullPolicy, policy, image);
    }
  });
});
