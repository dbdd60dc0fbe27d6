/** Asks the handlers of the example about admission, and holds them to what its README says. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import admission from "../../examples/18-admission/handlers.ts";
import { Doorway, patchIn } from "../support/reviews.ts";
import { Stage } from "../support/stage.ts";

const README = new URL("../../examples/18-admission/README.md", import.meta.url);

function reviewOf(spec: object): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "1",
      operation: "CREATE",
      userInfo: {},
      resource: { group: "example.com", version: "v1", resource: "ferries" },
      object: { metadata: { name: "gull" }, spec },
    },
  };
}

describe("examples/18-admission", () => {
  it("fills seats in, refuses too many, and answers as its README says", async () => {
    const door = new Doorway();
    const { server } = admission.settings.admission;
    admission.settings.admission.server = door.serve;
    const stage = new Stage("18-admission");
    await stage.apply("crd.yaml");
    await using _runner = await stage.start(admission);
    const readme = readFileSync(README, "utf8");
    const [, request = ""] = /-d '([^']*)'/.exec(readme) ?? [];
    const response = await door.post("/setDefaults", request);
    assert.ok(readme.includes(await response.text()));
    const filled = await door.context?.review(reviewOf({ route: "a-b" }));
    assert.deepEqual(filled && patchIn(filled), [{ op: "add", path: "/spec/seats", value: 10 }]);
    const full = await door.context?.review(reviewOf({ seats: 100 }));
    assert.deepEqual(full?.response.warnings, ["There is not one seat more"]);
    const refused = await door.context?.review(reviewOf({ seats: 200 }));
    assert.equal(refused?.response.status?.code, 422);
    assert.ok(readme.includes(String(refused?.response.status?.message)));
    admission.settings.admission.server = server;
  });
});
