/** Runs two replicas of the example behind a Service, and holds them and their manifests to what its README says. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import ferries from "../../examples/18-admission/cluster.ts";
import { manifestsOf } from "../support/manifests.ts";

const README = readFileSync(new URL("../../examples/18-admission/README.md", import.meta.url), "utf8");

describe("examples/18-admission/cluster.ts", () => {
  it("has manifests with two replicas, the Service, the Secret's rights, and empty configurations", () => {
    const { operator: objects, rbac } = manifestsOf({
      operators: [ferries],
      name: "ferries",
      home: "ferries",
      image: "registry.example.com/ferries:0.1.0",
      replicas: 2,
    });
    const named = objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`);
    assert.deepEqual(named, [
      "Deployment ferries",
      "Service ferries",
      "Service ferries-webhook",
      "PodDisruptionBudget ferries",
      "ValidatingWebhookConfiguration lotse.example.com",
      "MutatingWebhookConfiguration lotse.example.com",
    ]);
    assert.ok(objects.every((object) => !("webhooks" in object)));
    assert.equal((objects[0] as unknown as { spec: { replicas: number } }).spec.replicas, 2);
    const rights = JSON.stringify(rbac);
    assert.match(rights, /"resources":\["secrets"\],"resourceNames":\["ferries-webhook"\]/);
    assert.ok(README.includes("ferries-webhook") && README.includes("lotse.example.com"));
  });
});
