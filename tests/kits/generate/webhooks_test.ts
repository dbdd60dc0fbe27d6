import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configurationsOf, converterOf, webhooksOf } from "../../../lib/kits/generate/webhooks.ts";
import type { AdmissionServer } from "../../../lib/settings/admission_server.ts";
import { operator, webhookServer } from "../../../mod.ts";

function optionsOf(server: AdmissionServer | null) {
  return { operators: [operator(), operator({ admission: { server } })], name: "bakery", home: "bread" };
}

describe("configurationsOf()", () => {
  it("[N27.8] names the configurations of handlers, without webhooks, which the operator writes", () => {
    const op = operator({ admission: { server: webhookServer(), managed: "bakery.example.com" } });
    op.on.validate("loaves.example.com", { id: "a" }, () => {});
    const other = operator({ admission: { server: webhookServer() } });
    other.on.mutate("loaves.example.com", { id: "b" }, () => {});
    const labels = { "app.kubernetes.io/name": "bakery" };
    assert.deepEqual(configurationsOf({ operators: [op, other], name: "bakery" }), [{
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "bakery.example.com", labels },
    }]);
  });
});

describe("webhooksOf()", () => {
  it("takes the Service and the port of the code, else those of the operator's name", () => {
    const server = webhookServer({ port: 8443, service: { name: "hooks" } });
    assert.deepEqual(webhooksOf(optionsOf(server)), { service: "hooks", port: 8443 });
    assert.deepEqual(converterOf(optionsOf(server)), {
      service: { namespace: "bread", name: "hooks", path: "/convert", port: 443 },
    });
    const usual = { service: "bakery-webhook", port: 9443 };
    for (const other of [null, webhookServer(), async function* () {}]) {
      assert.deepEqual(webhooksOf(optionsOf(other)), usual);
    }
    assert.equal(webhooksOf({ ...optionsOf(null), webhookPort: 8443 }).port, 8443);
  });

  it("refuses options that the code contradicts, and says what to change", () => {
    const away = webhookServer({ service: { name: "hooks", namespace: "away" } });
    assert.throws(() => webhooksOf(optionsOf(away)), /"away".*"bread" \(leave .* or give --home away\)$/);
    assert.deepEqual(webhooksOf({ ...optionsOf(away), home: "away" }).service, "hooks");
    const served = { ...optionsOf(webhookServer({ port: 8443 })), webhookPort: 9443 };
    assert.throws(() => webhooksOf(served), /served on port 8443 \(leave --webhook-port out\)$/);
  });
});
